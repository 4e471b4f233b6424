"""A module that serves a model, as clibench.llm.local_model does, with a script in the place of weights."""

from __future__ import annotations

import os
import sys

from clibench.errors import UserError
from clibench.llm.scripted import ScriptedServer, Scripts, Turn


def check() -> None:
    """Installed, unless the test says otherwise."""
    if os.environ.get("SERVED_MODEL") == "absent":
        raise UserError("the packages of the local model are not installed", fix="pip install it.")


def main() -> None:
    """Serve until standard input ends."""
    if os.environ.get("SERVED_MODEL") == "broken":
        sys.exit("no such weights")
    with ScriptedServer(Scripts.of(Turn(text=f"from {os.getpid()}"))) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
