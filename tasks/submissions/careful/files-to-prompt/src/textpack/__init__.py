"""Join the contents of many files into one text."""

__version__ = "0.1"
