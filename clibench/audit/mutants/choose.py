"""Which of the possible defects are made: in an order that depends on the seed and the source alone, spread over kinds and files.

Kinds take turns, inside a kind the files, inside a file what the seed ranks first. One line is taken once, as long as there are others. The
order goes on behind what is asked for: a defect that does not compile is replaced by the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clibench.audit.mutants.edit import Edit, Kind, Sources
from clibench.audit.mutants.python_sites import python_sites
from clibench.audit.mutants.token_sites import token_sites
from clibench.digest import digest_json
from clibench.tasks.task import Language


def sites(sources: Sources, language: Language) -> list[Edit]:
    """All defects that can be put into these files."""
    found: list[Edit] = []
    for file in sorted(sources):
        found += python_sites(file, sources[file]) if language is Language.PYTHON else token_sites(file, sources[file], language)
    return found


def in_order(edits: Iterable[Edit], sources: Sources, seed: int) -> list[Edit]:
    """The edits, best first."""
    rank = {edit: digest_json([seed, edit.key(sources[edit.file])]) for edit in edits}
    by_kind = []
    for kind in Kind:
        files: dict[str, list[Edit]] = {}
        for edit in sorted((edit for edit in rank if edit.kind is kind), key=rank.__getitem__):
            files.setdefault(edit.file, []).append(edit)
        by_kind.append(list(_turns(files.values())))
    order = list(_turns(by_kind))
    first: list[Edit] = []
    again: list[Edit] = []
    taken: set[tuple[str, int]] = set()
    for edit in order:
        line = (edit.file, edit.line(sources[edit.file]))
        (again if line in taken else first).append(edit)
        taken.add(line)
    return first + again


def _turns(rows: Iterable[list[Edit]]) -> Iterator[Edit]:
    """One of each row in turn, until all are empty."""
    waiting = [iter(row) for row in rows]
    while waiting:
        left = []
        for row in waiting:
            edit = next(row, None)
            if edit is not None:
                yield edit
                left.append(row)
        waiting = left
