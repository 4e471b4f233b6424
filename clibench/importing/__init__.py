"""Read the published benchmark artifact, and make tasks of it in the project's own form."""
