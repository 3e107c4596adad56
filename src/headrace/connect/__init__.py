"""What a source and a sink are: settings that say what they can do, apart from what does it."""
