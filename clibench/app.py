"""Start a verb as a Hydra app.

Hydra prints its own errors over many lines and exits with 1; HYDRA_FULL_ERROR makes it raise them instead, and `hydra_errors` words them.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from hydra import main as hydra_main

from clibench import __version__
from clibench.arguments import in_order, overview, split, with_agent
from clibench.config import register_schema
from clibench.hydra_errors import explained
from clibench.paths import conf_dir
from clibench.verbs import failures


def launch(arguments: Sequence[str]) -> None:
    """Run the verb that `arguments` name. Raises ClibenchError for all that a user can mend, KeyboardInterrupt when told to stop."""
    if list(arguments) in (["--help"], ["-h"], ["help"]):
        print(overview())  # noqa: T201 - the answer
        return
    if list(arguments) == ["--version"]:
        print(f"clibench {__version__}")  # noqa: T201 - the answer
        return
    verb, rest = split(arguments)
    register_schema(verb.name)
    app = hydra_main(version_base="1.3", config_path=str(conf_dir()), config_name=verb.name)(verb.call)
    words = with_agent(in_order(rest)) if verb.name == "run" else in_order(rest)
    with _arguments([f"clibench {verb.name}", *words]), _terminating(), explained(verb.name):
        failures.clear()
        app()
    if failures:
        raise failures[0]


@contextmanager
def _arguments(argv: list[str]) -> Iterator[None]:
    before, full_error = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = argv
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        sys.argv = before
        if full_error is None:
            del os.environ["HYDRA_FULL_ERROR"]


@contextmanager
def _terminating() -> Iterator[None]:
    """SIGTERM ends a run as Ctrl-C does: by an exception, so that every context manager cleans up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt("SIGTERM")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
