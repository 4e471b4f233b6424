"""Read and edit files of environment variables."""

__version__ = "1.0.0"
