"""Mutants of a Go oracle: built from its module, vendored beside its dependencies in the module of its lock.

Preparing needs the module proxy once: it vendors, builds the tool without a defect and once more with coverage, and lists the files that
are compiled into it. Mutants are then built without network, one after the other in one container, after the tool without a defect: what
fails where that succeeds does not compile.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from clibench.audit.mutants.edit import Edit
from clibench.audit.mutants.reach import PLACE, Covered, go_reach
from clibench.audit.mutants.workshop import Made, Tools
from clibench.digest import digest_json
from clibench.errors import SandboxError, TaskError
from clibench.evaluation.build import GO_CACHE, GO_ENV
from clibench.recording import Recording
from clibench.sandbox.interface import PREFIX, BuildRequest
from clibench.tasks.case import Case
from clibench.tasks.oracle_lock import installation_files
from clibench.tasks.task import Task

KIND: Final = "workshop"
BATCH: Final = 20
"""Mutants in one container."""
_MUTANT_S: Final = 60.0
"""Added to the time limit of a build for each mutant of a batch."""

# `go mod vendor` takes what the packages of the module import, under whatever build tag. The tool that reads coverage comes with older
# toolchains and is built from the standard library's source in newer ones.
_PREPARE: Final = f"""
set -eu
{GO_CACHE}
package="$1" entry="$2" prefix={PREFIX}
printf '//go:build tools\\n\\npackage tools\\n\\nimport _ "%s"\\n' "$package" > clibench_tools.go
GOFLAGS="$GOFLAGS -mod=mod" go mod vendor
export GOFLAGS="$GOFLAGS -mod=vendor"
module=$(go list -f '{{{{.Module.Path}}}}' "$package")
go list -deps -f '{{{{if .Module}}}}{{{{.Module.Path}}}}\t{{{{.ImportPath}}}}\t{{{{join .GoFiles ","}}}}{{{{end}}}}' "$package" \
    | grep "^$module\t" > $prefix/files
go build -trimpath -o $prefix/base/bin/"$entry" "$package"
go build -trimpath -cover -covermode=set -coverpkg="$module/..." -o $prefix/watched/bin/"$entry" "$package"
covdata=$(go env GOTOOLDIR)/covdata
if test -x "$covdata"; then cp "$covdata" $prefix/watched/bin/clibench-covdata
else GOFLAGS= go build -o $prefix/watched/bin/clibench-covdata cmd/covdata; fi
cp -r go.mod go.sum clibench_tools.go vendor $prefix/
"""

_BUILD: Final = f"""
set -eu
{GO_CACHE}
package="$1" entry="$2" prefix={PREFIX}
export GOFLAGS="$GOFLAGS -mod=vendor"
go build -trimpath -o /tmp/base "$package"
while IFS='\t' read -r number file; do
    cp "vendor/$file" /tmp/original
    cp "mutants/$number" "vendor/$file"
    mkdir -p $prefix/$number/bin
    go build -trimpath -o $prefix/$number/bin/"$entry" "$package" > $prefix/$number/log 2>&1 || true
    cp /tmp/original "vendor/$file"
done < mutants/list
"""

_WATCH: Final = (
    f'mkdir -p {PLACE}-data; GOCOVERDIR={PLACE}-data "$@"; status=$?; '
    f"clibench-covdata textfmt -i={PLACE}-data -o={PLACE}.txt > /dev/null 2>&1; rm -rf {PLACE}-data; exit $status"
)


def prepared(tools: Tools, task: Task) -> Path:
    """The folder of a prepared oracle, from the store where it is there. Raises TaskError where it can't be built, SandboxError."""
    settings = tools.settings
    body = {
        "step": "go workshop",
        "script": _PREPARE,
        "lock": task.oracle.digest,
        "package": task.oracle.name,
        "entry": task.oracle.entry,
        "image": {name: value for name, value in tools.identity.items() if name not in ("isolation", "runner")},
    }
    key = digest_json(body)
    with tools.store.claim(KIND, key), tools.store.scratch("workshop") as scratch:
        folder = tools.store.folder(KIND, key)
        if folder is not None:
            return folder
        source, destination = scratch / "source", scratch / "prefix"
        source.mkdir()
        destination.mkdir()
        for name, content in installation_files("go", task.oracle.lock).items():
            (source / name).write_text(content, encoding="utf-8")
        commands = (("sh", "-c", _PREPARE, "sh", task.oracle.name, task.oracle.entry),)
        built = tools.sandbox.build(
            BuildRequest("go", source, commands, destination, settings.build_network, settings.build_timeout_s, dict(GO_ENV))
        )
        if not built.ok:
            tail = " | ".join(line.strip() for line in built.log.decode("utf-8", "replace").splitlines()[-3:] if line.strip())
            raise TaskError(f"the oracle's module can't be built: {built.reason.split(' `')[-1][-80:]}: {tail}", where=task.id)
        for place in ("base", "watched"):
            if task.alias != task.oracle.entry:
                (destination / place / "bin" / task.alias).symlink_to(task.oracle.entry)
        return tools.store.publish(KIND, key, destination)


class GoWorkshop:
    """Mutants of a prepared Go oracle."""

    def __init__(self, tools: Tools, task: Task, folder: Path, scratch: Path) -> None:
        self._tools, self._task, self._folder, self._scratch = tools, task, folder, scratch
        self.baseline, self.watched = folder / "base", folder / "watched"
        self.sources: dict[str, bytes] = {}
        for line in (folder / "files").read_text("utf-8").splitlines():
            _, package, names = line.split("\t")
            for name in filter(None, names.split(",")):
                self.sources[f"{package}/{name}"] = (folder / "vendor" / package / name).read_bytes()

    def instrument(self, case: Case) -> Case:
        """Run through a shell that turns what the tool's runtime writes into a profile."""
        return replace(case, argv=("/bin/sh", "-c", _WATCH, "sh", *case.argv))

    def reach(self, recording: Recording) -> Covered | None:
        """From the profile."""
        return go_reach(recording, self.sources)

    def make(self, edits: Sequence[Edit]) -> Iterator[Made]:
        """Built in batches; the folders of a batch are there until the next one is begun."""
        for first in range(0, len(edits), BATCH):
            batch = edits[first : first + BATCH]
            destination = self._scratch / f"batch-{first}"
            self._build(batch, destination)
            for number, edit in enumerate(batch):
                prefix = destination / str(number)
                log = (prefix / "log").read_text("utf-8", "replace").strip()
                (prefix / "log").unlink()
                if (prefix / "bin" / self._task.oracle.entry).is_file():
                    if self._task.alias != self._task.oracle.entry:
                        (prefix / "bin" / self._task.alias).symlink_to(self._task.oracle.entry)
                    yield Made(edit, prefix)
                else:
                    yield Made(edit, None, f"does not compile: {(log.splitlines() or ['no reason'])[-1][:200]}")
            shutil.rmtree(destination)

    def _build(self, batch: Sequence[Edit], destination: Path) -> None:
        task, settings = self._task, self._tools.settings
        source = self._scratch / "source"
        shutil.copytree(self._folder, source, symlinks=True, ignore=shutil.ignore_patterns("base", "watched"))
        destination.mkdir()
        (source / "mutants").mkdir()
        for number, edit in enumerate(batch):
            (source / "mutants" / str(number)).write_bytes(edit.apply(self.sources[edit.file]))
        rows = "".join(f"{number}\t{edit.file}\n" for number, edit in enumerate(batch))
        (source / "mutants" / "list").write_text(rows, encoding="utf-8")
        commands = (("sh", "-c", _BUILD, "sh", task.oracle.name, task.oracle.entry),)
        timeout_s = settings.build_timeout_s + _MUTANT_S * len(batch)
        built = self._tools.sandbox.build(
            BuildRequest("go", source, commands, destination, network=False, timeout_s=timeout_s, env=dict(GO_ENV))
        )
        shutil.rmtree(source)
        if not built.ok:
            tail = " | ".join(line.strip() for line in built.log.decode("utf-8", "replace").splitlines()[-3:] if line.strip())
            raise SandboxError(f"mutants can't be built: {tail or built.reason}", where=task.id)
