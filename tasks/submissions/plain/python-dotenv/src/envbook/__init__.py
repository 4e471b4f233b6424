"""Read and edit files of environment variables."""

__version__ = "0.1.0"
