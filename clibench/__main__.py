"""`python -m clibench [VERB] [overrides]`: the command line, and the one place where errors become a line and an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from clibench.errors import ClibenchError, SweepError

FROM_START = ("freeze", "synthesize")
"""Verbs whose work is done as a whole, and not kept in part."""


def main() -> None:
    """Run one verb and exit: 0 done, 1 defect, 2 bad input, 3 infrastructure (run again), 130 interrupted, 143 terminated."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """`main` with its arguments given and its exit status returned."""
    if not _has_folder():
        return _say("the current folder is gone. Change to one that is there.", 2)
    try:
        from clibench.app import launch

        launch(arguments)
    except SweepError as error:
        return max(_say(fault, error.exit_code) for fault in error.faults)
    except ClibenchError as error:
        return _say(error.message, error.exit_code)
    except KeyboardInterrupt as stop:
        return _say(_stopped(arguments), 143 if stop.args == ("SIGTERM",) else 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # `clibench ... | head` is no error, and neither is the flush at exit
    return 0


def _stopped(arguments: Sequence[str]) -> str:
    if arguments and arguments[0] in FROM_START:
        return "stopped. The task is as it was before: the same command starts anew."
    return "stopped. Nothing finished is lost: the same command goes on from here."


def _has_folder() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - asked of the kernel, and nothing else
    except FileNotFoundError:
        return False


def _say(message: str, status: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a full disk did not take would fail again at exit
    print(f"clibench: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - the one line
    return status


if __name__ == "__main__":
    main()
