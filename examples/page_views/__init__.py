"""The demo: page views made, stored, counted and watched, and every number checked."""
