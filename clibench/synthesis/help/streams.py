"""On which stream a tool prints its help."""

from __future__ import annotations

import re
from typing import Final

from clibench.recording import Output, Recording

_OPTION: Final = re.compile(rb"^[ \t]*--?[A-Za-z]", re.MULTILINE)


def help_streams(recording: Recording) -> tuple[Output, ...]:
    """Standard output, or standard error where that is empty; both where only standard error lists options, as of a Go program that prints
    a banner before its flags. What else stands on standard error beside a help is a warning."""
    stdout, stderr = recording.stdout, recording.stderr
    if not stdout.data.strip():
        return (stderr,)
    return (stdout, stderr) if _OPTION.search(stderr.data) and not _OPTION.search(stdout.data) else (stdout,)
