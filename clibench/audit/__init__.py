"""Proof of a task's quality: what its cases can tell apart, measured from its frozen files, and by defects in its oracle."""
