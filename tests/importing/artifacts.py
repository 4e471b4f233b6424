"""A small checkout in the shape of the published artifact: three tasks that differ, one with many faults, and two that are broken."""

from __future__ import annotations

import json
from pathlib import Path

SHARED = {
    "BaseRepoAdapter.py": """
import random
import string
from dataclasses import dataclass, field


class FuzzHelper:
    @staticmethod
    def word(low=3, high=8):
        return "".join(random.choice(string.ascii_lowercase) for _ in range(random.randint(low, high)))


@dataclass
class TestCase:
    command: str
    category: str = "UNKNOWN"
    prep_script: str = ""
    mount_files: dict = field(default_factory=dict)
    env_vars: dict = field(default_factory=dict)


class BaseRepoAdapter:
    def sanitize_stdout(self, raw):
        return raw
""",
    "DiffTestEngine.py": "import docker\n\n\nclass DiffTestEngine:\n    client = docker.from_env()\n",
}

HEAD = """
import os
import sys
import random
import time
from enum import Enum

sys.path.append(os.path.abspath("../../.."))
from BaseRepoAdapter import BaseRepoAdapter, TestCase, FuzzHelper
from DiffTestEngine import DiffTestEngine
"""

# Seeded by its author; files, a folder, standard input, environment; what a shell has to do for a case.
CASER = (
    HEAD
    + """
class Kind(Enum):
    FILE = "caser <file>"
    PIPE = "echo '<text>' | caser -"
    FOLDER = "cd <dir> && caser --all"


class CaserAdapter(BaseRepoAdapter):
    @property
    def base_image(self):
        return "python:latest"

    def install_oracle(self, container):
        cmd = "mkdir -p /repo && cd /repo && git clone https://github.com/acme/caser.git && cd caser && pip install ."
        if container.exec_run(f"sh -c '{cmd}'").exit_code != 0:
            raise Exception("failed")

    def generate_test_cases(self):
        random.seed(7)
        cases = []
        for i in range(3):
            name = f"in_{i}.txt"
            line = f"caser /test_data/{name} --suffix '{FuzzHelper.word()} x'"
            cases.append(TestCase(line, Kind.FILE.value, "", {name: FuzzHelper.word()}))
            cases.append(TestCase(f"echo 'a{i}\\\\nb' | caser -", Kind.PIPE, env_vars={"CASER_MODE": "up"}))
            before = f"mkdir -p /test_data/d && echo {i} > /test_data/d/x"
            cases.append(TestCase("cd /test_data/d && caser --all", Kind.FOLDER.value, before))
        cases.append(TestCase("caser /test_data/a > /test_data/b", Kind.FILE.value, "", {"a": "x"}))
        cases.append(TestCase("caser $HOME", Kind.FILE.value))
        return cases


if __name__ == "__main__":
    DiffTestEngine(adapter=CaserAdapter(), agent_local_path="x").run(output_json_path="output.json")
"""
)

# Nothing seeded, the clock in a case, duplicates, another name than the prompt's, its own sanitiser, a pinned release.
FAULTY = (
    HEAD
    + """
class JsonToolAdapter(BaseRepoAdapter):
    base_image = "node:20"

    def sanitize_stdout(self, raw):
        return raw.lower()

    def install_oracle(self, container):
        container.exec_run("npm install -g @acme/json-tool@2.1.0")

    def generate_test_cases(self):
        print("skipping one")
        cases = [TestCase("json-tool list", "json-tool list") for _ in range(5)]
        cases += [TestCase(f"json-tool get {FuzzHelper.word(6, 9)}", "json-tool get <key>") for _ in range(4)]
        cases.append(TestCase(f"json-tool at {time.time_ns()}", "json-tool at <time>"))
        return cases
"""
)

GOPHER = (
    HEAD
    + """
class GopherAdapter(BaseRepoAdapter):
    base_image = "golang:latest"

    def install_oracle(self, container):
        clone = "cd /repo && git clone https://github.com/acme/gopher.git && cd gopher/cmd/gopher && git checkout 0a1b2c3d"
        container.exec_run(f"sh -c '{clone} && go install .'")

    def generate_test_cases(self):
        return [TestCase(f"gopher sum {n} 2", "gopher sum <n> <m>") for n in range(4)]
"""
)

# Needs a library; its preparations write what is piped in, and a file's content stands in a command line.
YAMLER = (
    HEAD
    + """
try:
    import yaml
except ImportError:
    sys.exit("install PyYAML")


class YamlerAdapter(BaseRepoAdapter):
    base_image = "python:latest"

    def install_oracle(self, container):
        container.exec_run("pip install yamler==1.0")

    def generate_test_cases(self):
        files = {"a.yaml": yaml.safe_dump({"b": [1, "two"]})}
        listed = "printf '%s\\\\n' /test_data/a.yaml b > /tmp/list"
        return [
            TestCase("yamler /test_data/a.yaml", "yamler <file>", mount_files=files),
            TestCase('yamler -s "$(cat /test_data/a.yaml)"', "yamler -s <text>", mount_files=files),
            TestCase("cat /tmp/list | yamler --list", "cat <list> | yamler --list", listed, files),
            TestCase("cat /tmp/other | yamler --list", "cat <list> | yamler --list", "sort /etc/hosts > /tmp/other", files),
        ]
"""
)

BROKEN = HEAD + "\nclass Broken(BaseRepoAdapter):\n    def generate_test_cases(self):\n        return [TestCase(undefined_name)]\n"
ESCAPING = "import os\nos.system('touch /host-was-here')\nraise SystemExit('no adapter')\n"

PROMPT = """**CLI Tool Name**: {tool}
**Repository Name**: {tool}
#### Command Category: `{category}`
  **2. Command**:
  `{example}`
"""


def write_artifact(root: Path) -> Path:
    """The checkout, with `root` as its folder."""
    tests = root / "run_differential_test"
    tests.mkdir(parents=True)
    for name, text in SHARED.items():
        (tests / name).write_text(text)
    starts = {
        "acme/caser": CASER,
        "acme/json-tool": FAULTY,
        "Acme/Gopher": GOPHER,
        "acme/yamler": YAMLER,
        "acme/broken": BROKEN,
        "acme/escaping": ESCAPING,
    }
    for name, text in starts.items():
        (tests / "repo" / name).mkdir(parents=True)
        (tests / "repo" / name / "start.py").write_text(text)
    caser = PROMPT.format(tool="caser", category="caser <file>", example="caser /test_data/in_0.txt")
    caser += "Also `echo '<text>' | caser -` and `cd <dir> && caser --all`.\n"
    faulty = PROMPT.format(tool="jsontool", category="json-tool list", example="json-tool list")
    faulty += (
        "Made by acme, see https://acme.dev/json-tool\n```\n" + "".join(f"def step_{n}(x):\n    return x\n" for n in range(12)) + "```\n"
    )
    gopher = PROMPT.format(tool="gopher", category="gopher sum <n> <m>", example="gopher sum 0 2") + "`gopher sum 1 2`\n`gopher sum 3 2`\n"
    for name, text in (("acme/caser", caser), ("acme/json-tool", faulty), ("Acme/Gopher", gopher), ("acme/untested", "x")):
        (root / "agent_prompt" / name).mkdir(parents=True)
        (root / "agent_prompt" / name / "agent_prompt.txt").write_text(text)
    (root / "category.json").write_text(json.dumps({"Data Analysis & Processing": ["acme/caser"], "Utility Libraries": ["acme/json-tool"]}))
    return root
