"""clibench: measure how well LLM agents build command-line tools from nothing (CLI-Tool-Bench, arXiv 2604.06742)."""

__version__ = "0.1.0"
