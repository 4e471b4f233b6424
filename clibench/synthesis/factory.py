"""From a package's name to a task folder: install, read what it says of itself, crawl its help, find what works, write the spec, freeze.

The whole is a function of the package, its version, its help and the number of cases: the same command gives the same bytes. What was tried
and left out is kept beside the task in synthesis.json.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from clibench.curation.entries import named, rank
from clibench.curation.install import Program
from clibench.curation.package import Package
from clibench.digest import digest_file
from clibench.errors import TaskError, UserError
from clibench.evaluation.build import build_oracle
from clibench.sandbox.interface import Limits, Sandbox
from clibench.sandbox.reap import scratch_folder
from clibench.synthesis.copied import copied_lines, source_texts
from clibench.synthesis.expand import expand
from clibench.synthesis.fuzz.bench import Bench
from clibench.synthesis.fuzz.choose import Chosen, choose, written
from clibench.synthesis.fuzz.crawl import Crawl, crawl
from clibench.synthesis.fuzz.documented import Documented, commands_of, read_lines, understand, with_shown_options
from clibench.synthesis.fuzz.domain import ranked_kinds
from clibench.synthesis.fuzz.example_lines import try_lines
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.keep import record, stable, untold, verified
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.fuzz.repair import hints_of
from clibench.synthesis.fuzz.samples import documents, samples
from clibench.synthesis.fuzz.search import search
from clibench.synthesis.fuzz.values import literal
from clibench.synthesis.help.rules import RulesExtractor
from clibench.synthesis.leaks import command_line, hide, leaks, secret_names
from clibench.synthesis.llm.ask import Asker
from clibench.synthesis.llm.extract import LlmExtractor, MergedExtractor, Report
from clibench.synthesis.llm.patterns import PatternWriter
from clibench.synthesis.package.alias import neutral_name
from clibench.synthesis.package.category import category_of
from clibench.synthesis.package.facts import Facts, opening, read_facts
from clibench.synthesis.package.readme import context_of, plain_text
from clibench.synthesis.prompt import HelpText, introduce, renaming
from clibench.synthesis.schema import SchemaExtractor
from clibench.synthesis.spec import ENTRY, OracleSpec, Spec, TaskHead, parse_spec
from clibench.synthesis.spec_text import spec_text
from clibench.synthesis.telling import fixture_texts, mentions, ordinary_names, printed, spellings, unavoidable
from clibench.tasks import folder as files
from clibench.tasks.freeze import RUNS, FreezeReport, Installed, LeakError, freeze_task, oracle_of
from clibench.tasks.origin import TRACE
from clibench.tasks.pin import Pin, fetch_oracle
from clibench.tasks.task import Language

LANGUAGES: Final = {"pypi": Language.PYTHON, "npm": Language.JAVASCRIPT, "go": Language.GO}
MOST_LEAVES: Final = 24
"""Commands that are searched."""
EVIDENCE: Final = 4
"""Documented command lines from which on their failing says something of the tool, and not of one example."""
VERIFIED: Final = 6
"""Cases with which a chosen pattern is tried before it is kept."""


class RejectedError(UserError):
    """The package makes no task; the message says why, `dropped` what was tried."""

    dropped: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class Wish:
    """What a task is made of."""

    registry: str
    package: str
    version: str
    entry: str | None = None
    alias: str | None = None
    extras: tuple[str, ...] = ()
    cases: int = 50
    runs: int = RUNS
    most_patterns: int = 12
    least_patterns: int = 3
    least_documented: float = 0.5
    """Share of the documented command lines that have to succeed."""


@dataclass(frozen=True)
class Made:
    """What came of it."""

    folder: Path
    report: FreezeReport
    trials: int
    dropped: tuple[dict[str, Any], ...]


def synthesize(
    wish: Wish, destination: Path, sandbox: Sandbox, *, mode: str = "rules", client: Asker | None = None, workers: int = 2,
    limits: Limits | None = None, say: Callable[[str], None] = lambda _: None,
) -> Made:  # fmt: skip
    """Make the task in the folder `destination`, which is written when all is done and not before.

    Raises RejectedError (or TaskError) for a package that makes no task, SandboxError for faults of the harness.
    """
    if (mode == "rules") != (client is None):
        raise ValueError("a client goes with llm and rules+llm, and with nothing else")
    language = LANGUAGES[wish.registry]
    limits = limits or Limits()
    with scratch_folder("synthesis") as place:
        say(f"pinning {wish.package} {wish.version}")
        oracle, pin, facts = _fetch(wish, language, place / "fetched", sandbox)
        alias = wish.alias or neutral_name(wish.registry, wish.package, oracle.entry)
        head = _head(wish, oracle, alias, language, facts)
        spec = Spec.model_validate({**head, "patterns": [{"id": "none", "description": "none", "argv": []}]})
        say(f"installing {oracle.entry} as {alias}")
        prefix = place / "prefix"
        prefix.mkdir()
        built = build_oracle(sandbox, language.value, oracle_of(spec, pin), alias, prefix)
        if not built.ok:
            tail = built.log.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
            raise RejectedError(f"can't be installed: {built.reason}: {tail[0][:300]}", where=_name(wish))
        with sandbox.open(language=language.value, prefix=prefix, limits=limits, workers=workers) as session:
            bench = Bench(session, alias, rename=renaming(spec))
            outcome = _explore(wish, spec, head, facts, bench, _Reader(mode, client, facts.readme), say)
        body = _body(wish, *_with_spellings(spec, head, outcome.spellings), outcome)
        folder = place / destination.name
        folder.mkdir()
        installed = Installed(pin, prefix, place / "fetched" / "source")
        try:
            report = _freeze(folder, body, wish, facts, outcome, installed, sandbox, workers, limits, say)
        except LeakError as error:
            body = _with_printed(body, error)
            say("allowing the addresses that its examples print")
            report = _freeze(folder, body, wish, facts, outcome, installed, sandbox, workers, limits, say)
        trace = {**_trace(wish, outcome), "spec": digest_file(folder / files.SPEC)}
        (folder / TRACE).write_bytes(files.encode_json(trace))
        _publish(folder, destination)
    return Made(destination, report, outcome.trials, tuple(outcome.dropped))


@dataclass
class Outcome:
    """What exploring a tool found."""

    crawl: Crawl
    documented: Documented
    chosen: list[Chosen]
    lines: list[Attempt]
    """The documented command lines that were tried."""
    dropped: list[dict[str, Any]]
    kinds: tuple[str, ...]
    trials: int
    mode: str
    report: Report
    spellings: tuple[str, ...] = ()
    """Of the tool's own name, in what the patterns print."""


def _name(wish: Wish) -> str:
    return f"{wish.registry} {wish.package} {wish.version}"


def _fetch(wish: Wish, language: Language, destination: Path, sandbox: Sandbox) -> tuple[OracleSpec, Pin, Facts]:
    destination.mkdir()
    oracle = OracleSpec(
        registry=cast("Any", wish.registry),  # checked by the model
        name=wish.package,
        version=wish.version,
        entry=wish.entry or "unknown",
        licence="NOASSERTION",
        extras=wish.extras,
    )
    try:
        pin = fetch_oracle(sandbox, oracle, language, destination)
    except TaskError as error:
        raise RejectedError(error.what, where=_name(wish), fix="Check the name and the version.") from error
    facts = read_facts(destination / "source", wish.registry, wish.package)
    entry = wish.entry or _only_entry(wish, facts)
    if not re.match(ENTRY, entry):
        raise RejectedError(f"has a command whose name a spec can't hold: '{entry}'", where=_name(wish), fix="Choose one with entry=NAME.")
    return oracle.model_copy(update={"entry": entry, "licence": facts.licence}), pin, facts


def _only_entry(wish: Wish, facts: Facts) -> str:
    ranked = rank([Program(entry, wish.package) for entry in facts.entries], Package(wish.registry, wish.package, wish.version))
    if not ranked:
        raise RejectedError("has no executable", where=_name(wish), fix="Name a package that installs a command.")
    if (entry := named(ranked)) is not None:
        return entry.name
    listed = ", ".join(facts.entries[:12])
    raise RejectedError(f"has {len(ranked)} executables: {listed}", where=_name(wish), fix="Choose one with entry=NAME.")


def _head(wish: Wish, oracle: OracleSpec, alias: str, language: Language, facts: Facts) -> dict[str, Any]:
    category = category_of(f"{facts.summary} {opening(facts.readme)}", facts.keywords, facts.readme)
    task = TaskHead(alias=alias, language=language, category=category)
    ordinary = ordinary_names((*facts.makers, *wish.package.strip("@").split("/"), oracle.entry))
    rest: dict[str, Any] = {"allowed": ordinary} if ordinary else {}
    return {
        "version": "1",
        "task": {"alias": task.alias, "language": language.value, "category": category, "forbidden": list(facts.makers), **rest},
        "oracle": oracle.model_dump(mode="json", exclude_defaults=True),
    }


class _Reader:
    """Who reads help and writes patterns: rules, a model, or both."""

    def __init__(self, mode: str, client: Asker | None, readme: str) -> None:
        self.mode = mode
        self.report = Report()
        readme = plain_text(readme)
        self.extractor: SchemaExtractor = RulesExtractor()
        self.writer: PatternWriter | None = None
        if client is not None:
            asked = LlmExtractor(client, readme, self.report)
            self.extractor = asked if mode == "llm" else MergedExtractor(RulesExtractor(), asked)
            self.writer = PatternWriter(client, readme, self.report)


def _explore(
    wish: Wish, spec: Spec, head: dict[str, Any], facts: Facts, bench: Bench, reader: _Reader, say: Callable[[str], None]
) -> Outcome:
    try:
        found_help = crawl(bench, reader.extractor, facts.readme)
    except UserError as error:
        raise RejectedError(error.what, where=_name(wish)) from error
    root = found_help.command
    say(f"{len(found_help.pages)} help pages, {sum(len(command.options) for _, command in root.walk())} options")
    _refuse_telling(facts, spec, found_help, bench, wish)
    text = "\n".join(page.text for page in found_help.pages)
    spoken = " ".join((facts.summary, *facts.keywords, opening(facts.readme)))
    likely = ranked_kinds(f"{wish.package} {spec.oracle.entry}", (spoken, text, plain_text(facts.readme)[:8000]), (6, 3, 1))
    secrets = secret_names(spec)
    # A document that tells the tool would take every pattern with it.
    domain = tuple(kind for kind in samples(facts.readme, likely[:5]) if not mentions(kind.template, secrets)) + likely
    whole = {name: kind for name, kind in documents(facts.readme).items() if not mentions(kind.template, secrets)}
    names = tuple(dict.fromkeys((spec.oracle.entry, bench.alias)))
    declared = [example for _, command in root.walk() for example in command.examples]
    shown_lines = read_lines([page.text for page in found_help.pages] + [facts.readme], names, declared)
    root = with_shown_options(root, shown_lines)
    documented = understand(shown_lines, root)
    say(f"content: {', '.join(kind.name for kind in domain[:4])}; {len(documented.lines)} documented lines")
    pages = [page.text for page in found_help.pages]
    prober = Prober(bench, head, pages)
    leaves = list(commands_of(root))[:MOST_LEAVES]
    founds = [Found(path, command) for path, command in leaves if path or not command.commands]
    lines: list[Attempt] = []
    chosen: list[Chosen] = []
    dropped: list[dict[str, Any]] = []
    if reader.mode != "llm":
        lines = try_lines(_sayable(documented, spec), root, [path for path, _ in leaves], prober, domain, whole)
        shown = [attempt for attempt in lines if attempt.usable and attempt.distinct > 1]
        founds = [
            search(path, command, prober, domain, documented, [attempt for attempt in shown if attempt.draft.path == path], say)
            for path, command in leaves
        ]
        founds = [found for found in founds if found.bases or found.path or not found.command.commands]
        chosen = choose(bench.alias, founds, shown, wish.most_patterns + 3)
    if reader.writer is not None:
        good, bad = _written(reader.writer, founds, found_help, prober, say)
        chosen += written(good, [row.id for row in chosen], 0 if reader.mode == "llm" else 12)
        dropped += [record(attempt, "written by the model, never succeeded") for attempt in bad]
    spelled = tuple(spellings(spec, printed(trial.recording for row in chosen for trial in row.attempt.trials)))
    spec, head = _with_spellings(spec, head, spelled)
    bench.rename = renaming(spec)
    prober = Prober(bench, head, pages)
    chosen, weak = untold(chosen, spec, head)
    chosen, more = stable(chosen, prober)
    weak += more
    kept, telling, more = verified(chosen, Prober(bench, head, pages, cases=VERIFIED), wish.most_patterns)
    dropped += [record(attempt, "never succeeded") for found in founds for attempt in found.failed]
    dropped += [record(attempt, "documented, did not succeed or showed nothing") for attempt in lines if not attempt.usable]
    dropped += weak + more
    outcome = Outcome(
        found_help,
        documented,
        kept,
        lines,
        dropped,
        tuple(kind.name for kind in domain[:6]),
        bench.trials,
        reader.mode,
        reader.report,
        spelled,
    )
    try:
        _judge(wish, founds, outcome)
        if not telling:
            raise RejectedError(
                "where it succeeds it prints and changes nothing of its own: a tool that knows nothing would pass",
                where=_name(wish),
                fix="Write its spec.yaml by hand.",
            )
    except RejectedError as error:
        error.dropped = outcome.dropped
        raise
    return outcome


def _with_spellings(spec: Spec, head: dict[str, Any], spelled: Sequence[str]) -> tuple[Spec, dict[str, Any]]:
    if not spelled:
        return spec, head
    head = {**head, "oracle": {**head["oracle"], "spellings": list(spelled)}}
    return spec.model_copy(update={"oracle": spec.oracle.model_copy(update={"spellings": tuple(spelled)})}), head


def _written(
    writer: PatternWriter, founds: Sequence[Found], found_help: Crawl, prober: Prober, say: Callable[[str], None]
) -> tuple[list[tuple[Attempt, Found]], list[Attempt]]:
    pages = {page.path: page.text for page in found_help.pages}
    good: list[tuple[Attempt, Found]] = []
    bad: list[Attempt] = []
    for found in founds:
        result = writer.write(found.path, found.command, pages.get(found.path, pages.get((), "")), prober)
        good += [(attempt, found) for attempt in result.good]
        bad += result.failed
        say(f"{' '.join(found.path) or 'the command'}: the model wrote {len(result.good)} patterns that succeed")
    return good, bad


def _sayable(documented: Documented, spec: Spec) -> Documented:
    """Without the lines that tell who made the tool."""
    secrets = secret_names(spec)
    kept = tuple(line for line in documented.lines if not mentions(" ".join((*line.words, line.stdin_text or "")), secrets))
    return replace(documented, lines=kept)


def _refuse_telling(facts: Facts, spec: Spec, found_help: Crawl, bench: Bench, wish: Wish) -> None:
    """Raise RejectedError where context or help tell the tool, before anything is searched or frozen."""
    recordings = bench.words(page.argv for page in found_help.pages)
    helps = [HelpText(page.argv, recording) for page, recording in zip(found_help.pages, recordings, strict=True)]
    told = leaks(introduce(spec, _context(facts, spec, wish, ()), helps), spec, (), ())
    if told:
        raise RejectedError(f"the prompt would tell {'; '.join(told[:5])}", where=_name(wish), fix="Write its spec.yaml and context.md.")


def _context(facts: Facts, spec: Spec, wish: Wish, drop: Iterable[str]) -> str:
    names = [wish.package.rsplit("/", 1)[-1], wish.package.lstrip("@"), spec.oracle.entry]
    makers = [name for name in secret_names(spec) if name not in names]
    return context_of(facts.readme, facts.summary, alias=spec.task.alias, names=names, makers=makers, drop=drop)


def _judge(wish: Wish, founds: Sequence[Found], outcome: Outcome) -> None:
    """Raise RejectedError where too little works."""
    impossible = [found.impossible for found in founds if not found.bases]
    if not any(found.bases for found in founds) and not outcome.chosen:
        if outcome.crawl.missing:
            raise RejectedError(outcome.crawl.missing, where=_name(wish))
        if impossible and all(impossible):
            raise RejectedError(impossible[0], where=_name(wish))
        said = next((row["said"] for row in outcome.dropped if row["said"]), "no output")
        raise RejectedError(f"no command succeeded; it said: {said}", where=_name(wish), fix="Write its spec.yaml by hand.")
    # What a sandbox can't give says nothing of whether the tool is as it is documented.
    fair = [attempt for attempt in outcome.lines if attempt.answered or not hints_of(attempt.errors).impossible]
    failed = [attempt for attempt in fair if not attempt.answered]
    if len(fair) >= EVIDENCE and len(fair) - len(failed) < wish.least_documented * len(fair):
        said = record(failed[0], "")["said"]
        raise RejectedError(
            f"{len(failed)} of {len(fair)} documented command lines never succeeded, after repairs; the first said: {said}",
            where=_name(wish),
            fix=f"least_documented={100 * (len(fair) - len(failed)) // len(fair) / 100:.2f} takes it.",  # rounded down
        )
    if len(outcome.chosen) < wish.least_patterns:
        fix = f"least_patterns={len(outcome.chosen)} takes it." if outcome.chosen else "Write its spec.yaml by hand."
        raise RejectedError(f"only {len(outcome.chosen)} patterns succeeded", where=_name(wish), fix=fix)


def _body(wish: Wish, spec: Spec, head: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """The spec, with what can't be avoided allowed by name, and descriptions that tell no more than the prompt may."""
    patterns = [_pattern(chosen) for chosen in outcome.chosen]
    seen = printed(trial.recording for chosen in outcome.chosen for trial in chosen.attempt.trials)
    seen = [*seen, *map(renaming(spec), seen)]  # an address may hold the tool's name
    allowed = sorted({*spec.task.allowed, *unavoidable(spec, [*seen, *(text for body in patterns for text in fixture_texts(body))])})
    spec = spec.model_copy(update={"task": spec.task.model_copy(update={"allowed": tuple(allowed)})})
    rename = renaming(spec)
    for body in patterns:
        body["description"] = hide(rename(body["description"].encode()).decode("utf-8", "replace"), spec)
    task = {**head["task"], **({"allowed": allowed} if allowed else {})}
    words = [list(page.argv) for page in _shown(outcome.crawl, outcome.chosen)]
    return {**head, "task": task, "help": words, "cases": wish.cases, "valid_share": 0.75, "patterns": patterns}


def _with_printed(body: dict[str, Any], error: LeakError) -> dict[str, Any]:
    """With the addresses of a refused prompt allowed: help and context have none by then, so the tool printed them in an example that the
    search had not seen. Raises the error for what is no address."""
    found = [match[1].lower() for line in error.told if (match := re.fullmatch(r"line \d+: the address '(.*)'", line)) is not None]
    if len(found) < len(error.told):
        raise error
    return {**body, "task": {**body["task"], "allowed": sorted({*body["task"].get("allowed", ()), *found})}}


def _shown(found: Crawl, chosen: Sequence[Chosen]) -> list[Any]:
    """The help pages of a prompt: the tool's own and those of the commands that patterns use, with the commands above them."""
    used = {row.path[:depth] for row in chosen for depth in range(len(row.path) + 1)} | {()}
    return [page for page in found.pages if page.path in used]


def _pattern(chosen: Chosen) -> dict[str, Any]:
    more: dict[str, Any] = {"mistakes": [list(line) for line in chosen.mistakes]} if chosen.mistakes else {}
    return chosen.draft.body(chosen.id, chosen.description, **more)


def _freeze(
    folder: Path, body: dict[str, Any], wish: Wish, facts: Facts, outcome: Outcome, installed: Installed, sandbox: Sandbox, workers: int,
    limits: Limits, say: Callable[[str], None],
) -> FreezeReport:  # fmt: skip
    """Freeze, with what the prompt audit refuses taken out of context and descriptions."""
    body = _with_shown_examples(body, outcome.crawl)
    text = spec_text(body)
    spec = parse_spec(text, folder / files.SPEC)
    (folder / files.SPEC).write_text(text, "utf-8")
    commands = {command_line(case) for case in expand(spec).cases}
    context = _context(facts, spec, wish, commands)
    copied = copied_lines(context, source_texts(installed.source, spec.task.language))
    if copied:
        lines = context.splitlines()
        context = _context(facts, spec, wish, {*commands, *(lines[n - 1] for n in copied)})
    (folder / files.CONTEXT).write_text(context, "utf-8")
    return freeze_task(folder, sandbox, runs=wish.runs, workers=workers, limits=limits, say=say, installed=installed)


def _with_shown_examples(body: dict[str, Any], found: Crawl) -> dict[str, Any]:
    """A command line that the help itself shows is the shown example of the pattern that has it: a prompt tells no other case."""
    lines = {line.strip() for page in found.pages for line in page.text.splitlines()}
    patterns = []
    for pattern in body["patterns"]:
        spec = Spec.model_validate({**body, "patterns": [pattern]})
        told = [case for case in expand(spec).cases if len(case.argv) > 2 and command_line(case) in lines]
        first = [{"examples": [[_escaped(word) for word in told[0].argv[1:]]]}] if told else []
        patterns.append({**pattern, **(first[0] if first else {})})
    return {**body, "patterns": patterns}


def _escaped(word: str) -> str:
    return literal("", word).words[0]  # type: ignore[no-any-return]


def _trace(wish: Wish, outcome: Outcome) -> dict[str, Any]:
    return {
        "version": 1,
        "wish": {key: value for key, value in asdict(wish).items() if value not in (None, ())},
        "extractor": outcome.mode,
        **({key: value for key, value in asdict(outcome.report).items() if value} if outcome.mode != "rules" else {}),
        "content": list(outcome.kinds),
        "pages": [" ".join(page.argv) for page in outcome.crawl.pages],
        "cut": outcome.crawl.cut,
        "schema": outcome.crawl.command.to_json(),
        "documented": [{"line": attempt.draft.label, "succeeds": bool(attempt.answered)} for attempt in outcome.lines]
        or [" ".join(line.words) for line in outcome.documented.lines],
        "patterns": [{"id": row.id, "draft": row.draft.label} for row in outcome.chosen],
        "dropped": outcome.dropped,
    }


def _publish(folder: Path, destination: Path) -> None:
    """Put the folder in its place, the old one of that name away."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    partial = destination.with_name(f".{destination.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(folder, partial)
    if destination.exists():
        shutil.rmtree(destination)
    partial.rename(destination)
