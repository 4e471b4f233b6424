"""`curate`: filter and try candidates, hand what is left to two annotators, read back what they decided.

Whatever was tried is kept in the store and not tried again, so that a run that was interrupted goes on, and a changed threshold costs
nothing. A candidate that is turned down is a row with its reason; only faults of the harness end the run.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from rich.markup import escape
from rich.table import Table

from clibench.config import CurateConfig
from clibench.curation import review, static
from clibench.curation.agreement import Agreement, agreement
from clibench.curation.candidates import Candidate, read_candidates
from clibench.curation.decisions import COLUMNS, Decision, decide, merged, read_decisions
from clibench.curation.settings import Step
from clibench.curation.table import Row, Status, encode, judge, to_csv
from clibench.curation.trial import Finding, finding_key, try_candidate
from clibench.errors import UserError
from clibench.experiment import prepare_folder
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Sandbox
from clibench.store import Store, write_file
from clibench.tables import console

_KIND = "candidate"


def curate(config: DictConfig) -> None:
    """The step that is set. Raises UserError for a list or a sheet that is none, SandboxError where candidates can't be tried."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, CurateConfig)  # noqa: S101 - named by conf/curate.yaml
    match settings.step:
        case Step.discover:
            show(discover(settings))
        case Step.review:
            write_queue(settings, discover(settings))
        case Step.agree:
            read_back(settings)


def discover(settings: CurateConfig) -> list[Row]:
    """All candidates with what became of them, and candidates.csv, which is written after each of them."""
    candidates = read_candidates(settings.candidates)
    decisions = read_decisions(Path(settings.decisions).expanduser())
    store = Store(Path(settings.outputs).expanduser() / "store")
    table = Path(settings.destination).expanduser() / "candidates.csv"
    prepare_folder(table.parent, "destination")
    rows: dict[str, Row] = {}
    sandbox: Sandbox | None = None
    try:
        for number, candidate in enumerate(candidates, start=1):
            row = judge(candidate, None, settings.static, None)
            if row.status is not Status.REJECTED:
                finding = _kept(store, candidate, settings)
                if finding is None:
                    sandbox = sandbox or make_sandbox(settings.sandbox, Path(settings.outputs).expanduser())
                    finding = _tried(store, sandbox, candidate, settings)
                row = judge(candidate, finding, settings.static, decisions.get(candidate.id))
            rows[candidate.id] = row
            write_file(table, encode(rows.values(), settings.static).encode())
            why = f" ({': '.join(filter(None, (row.reason, row.detail)))})" if row.status is Status.REJECTED else ""
            print(f"{number}/{len(candidates)} {row.id}: {row.status}{why}", file=sys.stderr, flush=True)  # noqa: T201 - progress
    finally:
        if sandbox is not None:
            sandbox.close()
    return list(rows.values())


def write_queue(settings: CurateConfig, rows: Sequence[Row]) -> None:
    """Write the sheets and the page. Raises UserError where a sheet holds votes already, or nothing waits."""
    waiting = review.queue(rows)
    folder = Path(settings.destination).expanduser() / "review"
    for annotator in review.ANNOTATORS:
        path = folder / review.sheet_name(annotator)
        if review.is_answered(path):
            raise UserError("holds votes already", where=str(path), fix="Read them (step=agree), then move the sheet away.")
    if not waiting:
        raise UserError(
            "no candidate waits for a review", where=str(settings.candidates), fix="See candidates.csv for what became of them."
        )
    for name, text in review.sheets(waiting, settings.seed).items():
        write_file(folder / name, text.encode())
    show(rows)
    sheets = " and ".join(review.sheet_name(annotator) for annotator in review.ANNOTATORS)
    console().print(f"\n{len(waiting)} candidates to review: open {folder / review.PAGE}, or fill in {sheets} beside it", markup=False)


def read_back(settings: CurateConfig) -> None:
    """Read both sheets, print kappa and what is disputed, and put the decisions where they are kept."""
    folder = Path(settings.destination).expanduser() / "review"
    named = settings.sheets or [str(folder / review.sheet_name(annotator)) for annotator in review.ANNOTATORS]
    if len(named) != 2:
        raise UserError(f"{len(named)} sheets given", where="sheets", fix="Give the sheets of two annotators.")
    first, second = (review.read_sheet(Path(path).expanduser()) for path in named)
    try:
        found = agreement(first, second)
    except ValueError as error:
        raise UserError(str(error), where=", ".join(named), fix="Fill in the column `decision`.") from None
    seen = _seen(settings)
    made = [decide(name, *seen.get(name, ("", "")), first[name], second[name]) for name in sorted(first.keys() & second.keys())]
    path = Path(settings.decisions).expanduser()
    decisions = merged(read_decisions(path), made)
    write_file(path, _encoded(decisions.values()).encode())
    disputes = [decision for decision in made if decisions[decision.id].decision == "disputed"]
    write_file(folder / "disagreements.csv", _encoded([each for each in made if each.a != each.b]).encode())
    _show_agreement(found, disputes, path)


def show(rows: Sequence[Row]) -> None:
    """A row a candidate that was not rejected, and how many were, by reason."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("candidate", "status", "command", "language", "difficulty", "loc", "licence", "notes"):
        table.add_column(column, justify="right" if column == "loc" else "left", no_wrap=column != "notes")
    shown = [row for row in rows if row.finding is not None and row.status is not Status.REJECTED]
    for row in shown:
        cells = review.facts(row, 0)
        licence = static.spdx(row.candidate.licence)
        table.add_row(
            *(escape(str(value)) for value in (row.id, row.status, cells["entry"], cells["language"], cells["difficulty"])),
            str(cells["loc"]),
            escape(licence),
            escape(str(cells["notes"])),
        )
    out = console()
    if shown:
        out.print(table)
    counts = Counter(row.status.value for row in rows)
    out.print(f"{len(rows)} candidates: " + ", ".join(f"{number} {status}" for status, number in sorted(counts.items())), markup=False)
    reasons = Counter(f"{row.stage}: {row.reason}" for row in rows if row.status is Status.REJECTED)
    for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        out.print(f"  {number} rejected, {reason}", markup=False)


def _kept(store: Store, candidate: Candidate, settings: CurateConfig) -> Finding | None:
    if settings.refresh:
        return None
    body = store.lookup(_KIND, finding_key(candidate, settings.help_timeout_s))
    try:
        return None if body is None else Finding.from_json(body)
    except (KeyError, TypeError):
        return None


def _tried(store: Store, sandbox: Sandbox, candidate: Candidate, settings: CurateConfig) -> Finding:
    finding = try_candidate(
        sandbox,
        candidate,
        install_timeout_s=settings.install_timeout_s,
        help_timeout_s=settings.help_timeout_s,
        network=settings.sandbox.build_network,
    )
    store.finish(_KIND, finding_key(candidate, settings.help_timeout_s), finding.to_json())
    return finding


def _seen(settings: CurateConfig) -> dict[str, tuple[str, str]]:
    """Entry and version of each candidate, as candidates.csv has them."""
    path = Path(settings.destination).expanduser() / "candidates.csv"
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            return {row["id"].lstrip("'"): (row["entry"], row["version"]) for row in csv.DictReader(stream)}
    except (OSError, KeyError, csv.Error, UnicodeDecodeError):
        return {}


def _encoded(decisions: Iterable[Decision]) -> str:
    return to_csv(COLUMNS, [[getattr(decision, name) for name in COLUMNS] for decision in decisions])


def _show_agreement(found: Agreement, disputes: Sequence[Decision], path: Path) -> None:
    out = console()
    share = f"{100 * found.agreement:.1f} %"
    interval = f"{found.low:.3f} to {found.high:.3f}"
    out.print(f"{found.n} candidates with both votes; the annotators agree on {share} of them", markup=False)
    out.print(f"Cohen's kappa {found.kappa:.3f} (95 % interval {interval})", markup=False)
    for each in disputes:
        reasons = "; ".join(text for text in (each.reason_a, each.reason_b) if text)
        out.print(f"disputed {each.id}: a {each.a}, b {each.b} ({reasons})", markup=False, soft_wrap=True)
    out.print(f"decisions are in {path}", markup=False, soft_wrap=True)
