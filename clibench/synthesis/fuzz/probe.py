"""Try drafts of patterns on the oracle: a few valid cases each, drawn exactly as a frozen task would draw them.

All drafts draw from the same streams, so that two drafts with the same content in the same file get the same bytes: what an option changes
is seen by comparing its results with those of the draft without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clibench.evaluation.compare import text_form
from clibench.evaluation.params import DEFAULT_IGNORE
from clibench.evaluation.side_effects import effective
from clibench.recording import Change, End, Output, Recording
from clibench.synthesis.check import faults
from clibench.synthesis.expand import expand
from clibench.synthesis.fuzz.bench import NOTHING, Bench
from clibench.synthesis.fuzz.draft import Draft
from clibench.synthesis.fuzz.ignorance import known_to_none
from clibench.synthesis.spec import Spec
from clibench.tasks.case import WORKSPACE, Case, Fixture
from clibench.tasks.stability import judge_stability

CASES = 3
"""Cases a draft."""
LEAST_OK: Final = 4
"""One case in so many has to end with status 0."""


SHORT: Final = 200
"""Bytes of an answer that may be no more than a request for other words."""
HIGHEST: Final = 125
"""Highest status that a tool ends with by itself: what is above tells of a signal, or of a command that can't be run."""
_COMPLAINT: Final = re.compile(
    r"usage:|usage of|invalid value|traceback|panic:|exception\b|node:internal|unrecogni[sz]ed|ENOENT|not found|does not exist"
    r"|permission denied|\bmissing|required|cannot|can't|could not|failed to"
    r"|(?:unknown|invalid|unexpected|no such) (?:option|flag|argument|command|choice|file)",
    re.IGNORECASE,
)
"""On standard error, or first on standard output: the tool did not do its work."""
_USAGE: Final = re.compile(rb"^usage(?::| of)", re.IGNORECASE | re.MULTILINE)
_LOCATED: Final = re.compile(r"\S+?:\d+(?::\d+)?\b|\S+\(\d+(?:,\d+)?\)")
"""How a report on a place in a file begins: whatever it says, it is about the file."""
_FAILS: Final = re.compile(
    r"(?:\S+: )?(?:fatal|panic|unable to|could not|cannot|can't|failed to|error(?::| \w+ing\b)|unknown \w+ type)", re.IGNORECASE
)
_TRACE: Final = re.compile(r"Traceback \(most recent call last\)|panic: ")
_ASKS: Final = re.compile(
    r"(?:error: ?)?(?:(?:please|you must|must|you (?:have|need) to|need to) (?:first )?)?"
    r"(?:specify|provide|give|pass|supply|choose|enter) "
    r"|(?:error: ?)?(?:you )?need (?:an?|at least|some) "
    r"|(?:error: ?)?missing (?:required )?(?:argument|option|operand|file|input|parameter)"
    r"|(?:error: ?)?no (?:input|files?|arguments?)(?: files?)?(?: (?:was |were )?(?:given|specified|provided|found))?[.!]?\s*$"
    r"|nothing to (?:do|read)\b",
    re.IGNORECASE,
)
"""First in a short answer: the tool wants other words, whatever its status."""
_DOUBT: Final = re.compile(
    r"\b(?:invalid|illegal|malformed|unparsable|not a valid|unsupported|syntax ?error|parse ?error|unexpected|expected)\b"
    r"|\bno (?:\w+ ){0,2}files? (?:was |were )?found\b",
    re.IGNORECASE,
)
"""In an answer: the tool may not have been able to read its input, and says so as its result."""


@dataclass(frozen=True)
class Trial:
    """One case of a draft, and what the oracle did."""

    case: Case
    recording: Recording
    ignorant: str = ""
    """Which tool that knows nothing would do the same; see `ignorance.py`."""
    fixture: Fixture = NOTHING

    @property
    def result(self) -> tuple[Any, ...]:
        """What is compared of it."""
        return (self.recording.status, self.recording.stdout.sha256, self.changes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Those that a verdict looks at: a cache alone is nothing that a tool did."""
        return tuple(effective(self.recording.changes, DEFAULT_IGNORE))

    @property
    def found(self) -> bool:
        """Whether the tool did its work and ended with a status of its own, mostly 1, as linters and comparers do that found something: it
        reports on standard output, or mends files and ends with 1, and does not complain."""
        run = self.recording
        if run.status.end is not End.EXIT or not 0 < run.status.code <= HIGHEST:
            return False
        first = run.stdout.data.strip().split(b"\n", 1)[0]
        if _USAGE.search(run.stdout.data[:4000]):
            return False
        located = _LOCATED.match(first.decode("utf-8", "replace")) is not None
        mended = run.status.code == 1 and any(change.path.startswith(f"{WORKSPACE}/") for change in self.changes)
        said = [part.decode("utf-8", "replace") for part in (run.stderr.data[:4000], b"" if located else first)]
        return bool(first or mended) and not any(map(_COMPLAINT.search, said)) and not _FAILS.match(said[1])

    @property
    def asks(self) -> bool:
        """Whether the tool says what it wants, or that it failed, in place of doing its work, though it ends with status 0."""
        data = self.recording.stdout.data.strip()
        if self.changes:
            return False
        said = data[: 10 * SHORT].decode("utf-8", "replace")
        return _TRACE.match(said) is not None or (len(data) <= SHORT and bool(_ASKS.match(said) or _FAILS.match(said)))

    @property
    def answered(self) -> bool:
        """Whether the tool did its work."""
        return (self.recording.status.ok and not self.asks) or self.found

    @property
    def visible(self) -> bool:
        """Whether it did something that can be seen, and that is no page of its help."""
        return self.answered and self.ignorant != "help" and bool(self.recording.stdout.data.strip() or self.changes)


@dataclass(frozen=True)
class Attempt:
    """What became of a draft."""

    draft: Draft
    trials: tuple[Trial, ...]
    fault: str = ""
    """Why it could not be tried."""

    @property
    def ok(self) -> int:
        """Cases that the oracle ended with status 0, its work done."""
        return sum(trial.recording.status.ok and trial.answered for trial in self.trials)

    @property
    def answered(self) -> int:
        """Cases in which the oracle did its work: with status 0, or with findings."""
        return sum(trial.answered for trial in self.trials)

    @property
    def usable(self) -> bool:
        """Whether more than half of the cases succeed, and one of them can be seen."""
        return self.answered * 2 > len(self.trials) and any(trial.visible for trial in self.trials)

    @property
    def scored(self) -> bool:
        """Whether it is usable, and enough cases end with status 0: only their output is scored."""
        return self.usable and self.ok * LEAST_OK >= len(self.trials)

    @property
    def ignorant(self) -> int:
        """Cases with status 0 that a tool which knows nothing passes."""
        return sum(trial.recording.status.ok and (bool(trial.ignorant) or not trial.visible) for trial in self.trials)

    @property
    def doubtful(self) -> bool:
        """Whether most of what it prints speaks of input that can't be read."""
        shown = [trial.recording.stdout.data[:2000].decode("utf-8", "replace") for trial in self.trials if trial.visible]
        return sum(bool(_DOUBT.search(text)) for text in shown) * 2 > len(shown)

    @property
    def distinct(self) -> int:
        """Different results among those that can be seen."""
        return len({trial.result for trial in self.trials if trial.visible})

    @property
    def telling(self) -> int:
        """Different results among those that take knowledge."""
        return len({trial.result for trial in self.trials if trial.visible and not trial.ignorant})

    @property
    def errors(self) -> tuple[str, ...]:
        """What the failed cases said, each once."""
        failed = [trial.recording for trial in self.trials if not trial.answered]
        texts = [(run.stderr.data.strip() or run.stdout.data.strip()).decode("utf-8", "replace")[-1500:] for run in failed]
        return tuple(dict.fromkeys(texts))

    def differs(self, other: Attempt) -> int:
        """Successful cases whose result is not that of the same case of `other`."""
        pairs = zip(self.trials, other.trials, strict=False)
        return sum(mine.answered and mine.result != theirs.result for mine, theirs in pairs)

    @property
    def timed_out(self) -> bool:
        """Whether a case did not end."""
        return any(trial.recording.status.end is End.TIMEOUT for trial in self.trials)


class Prober:
    """Tries drafts for one tool."""

    def __init__(self, bench: Bench, head: dict[str, Any], pages: Iterable[str] = (), *, cases: int = CASES) -> None:
        self.bench = bench
        self._head = head
        self._cases = cases
        self._pages = frozenset(text_form(page.encode("utf-8", "replace")) for page in pages)

    def try_all(self, drafts: Sequence[Draft], *, cases: int | None = None) -> list[Attempt]:
        """An attempt for each draft, in their order; all of them are run at once. Of few cases a draft the first decides whether the others
        are run: most drafts of a search fail in all or in none."""
        cases_of, fixtures = self._prepared(drafts, cases)
        few = (cases or self._cases) <= CASES
        trials = self._run([own[:1] if few else own for own, _ in cases_of], fixtures)
        if few:
            rest = [own[1:] if first and first[0].answered else [] for (own, _), first in zip(cases_of, trials, strict=True)]
            trials = [first + more for first, more in zip(trials, self._run(rest, fixtures), strict=True)]
        return [
            Attempt(draft, tuple(done), fault or ("" if own else "no case can be drawn"))
            for draft, (own, fault), done in zip(drafts, cases_of, trials, strict=True)
        ]

    def _run(self, cases_of: Sequence[Sequence[Case]], fixtures: Mapping[str, Fixture]) -> list[list[Trial]]:
        found = self.bench.run([case for own in cases_of for case in own], fixtures)
        return [[self._trial(case, found[case.id], fixtures[case.fixture]) for case in own] for own in cases_of]

    def _trial(self, case: Case, recording: Recording, fixture: Fixture) -> Trial:
        shown = replace(recording, stdout=Output.of(self.bench.rename(recording.stdout.data))) if self._pages else recording
        return Trial(case, recording, known_to_none(case, shown, self._pages), fixture)

    def unstable(self, drafts: Sequence[Draft]) -> dict[int, str]:
        """Places of the drafts none of whose cases gives the same result under other conditions, with the reason."""
        cases_of, fixtures = self._prepared(drafts, None)
        listed = [case for own, _ in cases_of for case in own]
        found = self.bench.run(listed, fixtures)
        again = self.bench.varied(listed, fixtures, 3)
        runs = {case.id: [found[case.id], again[case.id]] for case in listed if case.id in again}
        alias, oracle = self._head["task"]["alias"], self._head["oracle"]
        names = {oracle["entry"], oracle["name"].rstrip("/").rsplit("/", 1)[-1], *oracle.get("spellings", ())} - {alias}
        base = {case: tuple(f"alias({name})" for name in sorted(names)) for case in runs}
        judged = judge_stability(runs, {case.id: (case, fixtures[case.fixture]) for case in listed if case.id in runs}, base, alias)
        bad = {}
        for place, (own, _) in enumerate(cases_of):
            reasons = [judged.quarantined[case.id] for case in own if case.id in judged.quarantined]
            if own and len(reasons) == len(own):
                bad[place] = reasons[0]
        return bad

    def _prepared(self, drafts: Sequence[Draft], cases: int | None) -> tuple[list[tuple[list[Case], str]], dict[str, Fixture]]:
        """The cases of each draft, or why there are none, and the fixtures of all."""
        prepared: list[tuple[list[Case], str]] = []
        fixtures: dict[str, Fixture] = {}
        for number, draft in enumerate(drafts):
            try:
                spec = probe_spec(self._head, draft, cases or self._cases)
            except ValueError as error:
                prepared.append(([], " ".join(str(error).split())[:300]))
                continue
            expansion = expand(spec)
            fixtures |= expansion.fixtures
            prepared.append(([replace(case, id=f"{number}/{case.id}") for case in expansion.cases], ""))
        return prepared, fixtures


def probe_spec(head: dict[str, Any], draft: Draft, cases: int) -> Spec:
    """A spec with the draft as its only pattern, valid cases alone; raises ValueError for a draft that makes none."""
    spec = Spec.model_validate({**head, "cases": cases, "valid_share": 1.0, "patterns": [draft.body("probe", "A draft.")]})
    if found := faults(spec):
        raise ValueError(found[0][1])
    return spec
