"""Writes which lines of the oracle's own files a Python process ran: put into a copy of its installation as `clibench_reach`.

A file beside it names the files. A process leaves a file when it ends, also by os._exit, and when it becomes another program; one that is
killed leaves none. Standard library only, for any Python that an oracle runs on.
"""

import atexit
import os
import sys
import time
from types import CodeType, FrameType
from typing import Any, Dict, Set  # noqa: UP035 - old Pythons too

PLACE = "/tmp/clibench-reach"  # noqa: S108 - a path inside the sandbox
WATCHED = "clibench_watched.txt"
HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100,PTH120 - pathlib would double the start-up time
hits: Dict[str, Set[int]] = {}  # noqa: UP006


def watch() -> None:
    """Note each line of a watched file when it first runs."""
    with open(os.path.join(HERE, WATCHED), encoding="utf-8") as stream:  # noqa: PTH118,PTH123
        names = stream.read().splitlines()
    watched = {os.path.join(HERE, name): name for name in names}  # noqa: PTH118
    hits.update((name, set()) for name in names)
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is None:
        _trace(watched)
        return

    def line(code: CodeType, number: int) -> Any:
        name = watched.get(code.co_filename)
        if name is not None:
            hits[name].add(number)
        return monitoring.DISABLE

    tool = monitoring.COVERAGE_ID
    monitoring.use_tool_id(tool, "clibench")
    monitoring.register_callback(tool, monitoring.events.LINE, line)
    monitoring.set_events(tool, monitoring.events.LINE)


def _trace(watched: Dict[str, str]) -> None:  # noqa: UP006
    """The same before Python 3.12."""
    import threading

    def trace(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001 - as the interpreter calls it
        name = watched.get(frame.f_code.co_filename)
        if name is None:
            return None
        hits[name].add(frame.f_lineno)
        return trace

    threading.settrace(trace)
    sys.settrace(trace)


def write() -> None:
    """One line a file: its name, and the numbers of the lines."""
    rows = [name + ":" + ",".join(map(str, sorted(numbers))) + "\n" for name, numbers in sorted(hits.items())]
    name = PLACE + "-" + str(os.getpid()) + "-" + str(time.monotonic_ns())
    with open(name, "w", encoding="utf-8") as stream:  # noqa: PTH123
        stream.writelines(rows)


def _before_exec(event: str, _: Any) -> None:
    if event == "os.exec":
        write()


def _exit(status: int, leave: Any = os._exit) -> None:
    write()
    leave(status)


if __name__ == "clibench_reach":
    atexit.register(write)
    sys.addaudithook(_before_exec)
    os._exit = _exit  # type: ignore[assignment]
    watch()
