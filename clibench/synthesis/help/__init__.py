"""Rules that read a command's schema from its help text."""
