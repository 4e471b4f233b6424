"""Where untrusted code runs: Docker and local back ends around one runner file."""
