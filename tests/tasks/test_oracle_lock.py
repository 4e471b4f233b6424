"""An oracle's lock names every package by hash, says nothing of a mirror, and installs on more than one Python."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clibench.errors import TaskError
from clibench.tasks.oracle_lock import go_lock, installation_files, lock_digest, npm_lock, pypi_lock


def report(**packages: str) -> dict[str, Any]:
    return {
        "install": [
            {
                "metadata": {"name": name, "version": "1.0"},
                "download_info": {"url": "https://mirror.invalid/x.whl", "archive_info": {"hashes": {"sha256": digest}}},
            }
            for name, digest in packages.items()
        ]
    }


def test_a_python_lock_has_the_hashes_of_all_versions_and_markers_for_what_only_some_need() -> None:
    lock = pypi_lock(report(Some_Tool="a1", native="n13"), {"3.11": report(Some_Tool="a1", native="n11", backport="b"), "3.13": report()})
    assert lock == (
        'backport==1.0 ; python_version == "3.11" --hash=sha256:b\n'
        "native==1.0 --hash=sha256:n11 --hash=sha256:n13\n"
        "some-tool==1.0 --hash=sha256:a1\n"
    )


def test_a_python_package_without_a_hash_is_refused() -> None:
    body = report(tool="")
    with pytest.raises(TaskError, match=r"tool 1\.0 comes without a hash"):
        pypi_lock(body, {})


def test_an_npm_lock_names_no_registry() -> None:
    row = {"version": "1.0.0", "resolved": "https://mirror.invalid/t.tgz", "integrity": "sha512-x"}
    text = json.dumps({"lockfileVersion": 3, "packages": {"": {"dependencies": {"t": "1.0.0"}}, "node_modules/t": row}})
    lock = npm_lock(text)
    assert "mirror" not in lock
    assert json.loads(installation_files("npm", lock)["package.json"])["dependencies"] == {"t": "1.0.0"}


def test_a_go_lock_gives_back_its_two_files() -> None:
    assert installation_files("go", go_lock("module oracle\n", "a h1:x=\n")) == {"go.mod": "module oracle\n", "go.sum": "a h1:x=\n"}
    with pytest.raises(TaskError, match=r"needs the sections go\.mod and go\.sum"):
        installation_files("go", "module oracle\n")


def test_the_digest_is_of_what_is_installed_and_not_of_the_layout() -> None:
    assert lock_digest("pypi", "# note\na==1 \\\n    --hash=sha256:x\nb==2\n") == lock_digest("pypi", "b==2\na==1 --hash=sha256:x\n")
    assert lock_digest("pypi", "a==1 --hash=sha256:x\n") != lock_digest("pypi", "a==1 --hash=sha256:y\n")
    assert lock_digest("go", go_lock("go 1.21\n", "a h1:x=\n")) == lock_digest("go", go_lock("go 1.22\n", "a h1:x=\n"))
