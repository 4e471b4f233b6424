"""What is wrong with a CSV file that can't be read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

from clibench.errors import UserError

UNREADABLE: Final = (OSError, UnicodeDecodeError, csv.Error)


def unreadable(error: Exception, path: Path) -> UserError:
    """The error to raise for one of `UNREADABLE`: whether the file or its form is at fault."""
    if isinstance(error, OSError):
        return UserError(f"can't be read: {(error.strerror or str(error)).lower()}", where=str(path))
    return UserError(f"not a CSV table: {error}", where=str(path))
