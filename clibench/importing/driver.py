"""Runs inside the sandbox: load an artifact's start.py, let it generate its test cases with a fixed seed, and write them down as JSON.

Standard library only; nothing of it runs on the host. Orders are the only argument (JSON: root, start, libraries, seed, out). What the
module wants of Docker is not there and not needed: its engine is a stand-in, and `install_oracle` gets a container that only notes what it
is told.
"""

import base64
import contextlib
import importlib.util
import inspect
import io
import json
import pathlib
import random
import sys
import types
from typing import Any


class _Anything:
    """Takes the place of what only the published engine uses."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __getattr__(self, _name: str) -> Any:
        return _Anything()

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        return _Anything()


class _Ended(tuple[int, bytes]):
    """(exit_code, output), as the SDK of Docker answers."""

    exit_code = 0
    output = b""


class _Container:
    """Notes commands, does nothing."""

    id = "container"

    def __init__(self) -> None:
        self.commands: list[str] = []

    def exec_run(self, cmd: Any, *_args: Any, **_kwargs: Any) -> _Ended:
        self.commands.append(cmd if isinstance(cmd, str) else " ".join(map(str, cmd)))
        return _Ended((0, b""))

    def __getattr__(self, _name: str) -> Any:
        return lambda *_args, **_kwargs: _Anything()


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"b64": base64.b64encode(value).decode()}
    return "" if value is None else str(value)


def _case(case: Any) -> dict[str, Any]:
    def field(name: str) -> Any:
        return case.get(name) if isinstance(case, dict) else getattr(case, name, None)

    category = field("category")
    return {
        "command": _text(field("command")),
        "category": _text(getattr(category, "value", category)),
        "prep_script": _text(field("prep_script")),
        "mount_files": {str(path): _text(content) for path, content in dict(field("mount_files") or {}).items()},
        "env_vars": {str(name): _text(value) for name, value in dict(field("env_vars") or {}).items()},
    }


def _adapter(module: types.ModuleType) -> Any:
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__ and callable(getattr(value, "generate_test_cases", None))
    ]
    if not found:
        raise LookupError("no class with generate_test_cases()")
    return found[-1]()


def _generate(orders: dict[str, Any], found: dict[str, Any]) -> None:
    for name in ("docker", "DiffTestEngine"):
        stand_in = types.ModuleType(name)
        stand_in.__dict__["__getattr__"] = lambda _name: _Anything
        sys.modules[name] = stand_in
    sys.path.insert(0, orders["root"])
    sys.path.append(orders["libraries"])
    random.seed(orders["seed"])
    specification = importlib.util.spec_from_file_location("start", orders["start"])
    if specification is None or specification.loader is None:
        raise LookupError("it can't be loaded")
    module = importlib.util.module_from_spec(specification)
    sys.modules["start"] = module
    specification.loader.exec_module(module)
    adapter = _adapter(module)
    found["base_image"] = _text(getattr(adapter, "base_image", ""))
    found["sanitises"] = "sanitize_stdout" in vars(type(adapter))
    container = _Container()
    try:
        adapter.install_oracle(container)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        found["install_error"] = f"{type(error).__name__}: {error}"
    found["install"] = container.commands
    random.seed(orders["seed"])
    found["cases"] = [_case(case) for case in adapter.generate_test_cases()]


def main() -> None:
    """Write {base_image, install, cases, said, error} to the file that the orders name."""
    orders = json.loads(sys.argv[1])
    found: dict[str, Any] = {"base_image": "", "install": [], "cases": [], "sanitises": False, "error": ""}
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            _generate(orders, found)
        except BaseException as error:  # noqa: BLE001 - SystemExit too
            found["error"] = f"{type(error).__name__}: {error}"
    found["said"] = [line for line in said.getvalue().splitlines() if line.strip()][:200]
    pathlib.Path(orders["out"]).write_text(json.dumps(found), encoding="ascii")


main()
