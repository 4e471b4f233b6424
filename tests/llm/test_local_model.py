"""A model that is served on this machine: started when it is needed, once, and gone with the process that needed it, however that ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from clibench.errors import InfraError, UserError
from clibench.llm.models import resolve
from clibench.llm.settings import ModelSettings
from tests.llm.support import model_settings

SETTINGS = ModelSettings(name="local", id="custom_openai/local", native=["openai_chat"], serve="tests.llm.served_model")

_OWNER = """
import json, sys, urllib.request
sys.path.insert(0, sys.argv[1])
from clibench.llm.models import serving
from tests.llm.test_local_model import SETTINGS
url = serving(SETTINGS).base_url
assert serving(SETTINGS).base_url == url
body = json.dumps({"model": "local", "messages": [{"role": "user", "content": "who?"}]}).encode()
request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json", "Authorization": "Bearer x"})
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"].split()[1], flush=True)
sys.stdin.read()
"""


def owner() -> tuple[subprocess.Popen[str], psutil.Process]:
    """A process that uses the model, and the one that serves it."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    process = subprocess.Popen(
        [sys.executable, "-c", _OWNER, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout
    return process, psutil.Process(int(process.stdout.readline()))


@pytest.mark.parametrize("killed", [False, True])
def test_the_server_ends_with_the_process_that_needed_it(killed: bool) -> None:
    process, server = owner()
    assert server.ppid() == process.pid
    if killed:
        os.kill(process.pid, signal.SIGKILL)
    assert process.stdin
    process.stdin.close()
    process.wait(60)
    server.wait(60)
    assert process.returncode == (-signal.SIGKILL if killed else 0)


def test_a_model_whose_packages_are_missing_is_a_user_s_error_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVED_MODEL", "absent")
    with pytest.raises(UserError, match="not installed"):
        resolve(SETTINGS)
    with pytest.raises(UserError, match=r"pip install 'clibench\[gemma\]'"):
        resolve(model_settings("gemma_local"))


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from clibench.llm.models import serving

    monkeypatch.setenv("SERVED_MODEL", "broken")
    with pytest.raises(InfraError, match=r"status 1 \(no such weights\)"):
        serving(SETTINGS)


def test_where_it_is_served_changes_no_result() -> None:
    assert resolve(SETTINGS).identity() == {"id": "custom_openai/local", "params": {}}
    assert resolve(SETTINGS).key()
