"""Jobs while they run: queries started, watched, mended and stopped."""
