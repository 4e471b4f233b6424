"""Compare, search and read structured data in files."""
