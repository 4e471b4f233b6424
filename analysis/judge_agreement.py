"""How far do the judges of SM agree with people? A stratified sample of output pairs for two annotators, and Cohen's kappa.

    python -m analysis.judge_agreement results=outputs judge_agreement.step=sample     # writes the sheets
    python -m analysis.judge_agreement results=outputs judge_agreement.step=score      # reads them back, filled

A pair is one case whose side effects were right (SP), so that SM depends on what was printed. Jobs of several judges over the same runs are
compared with the same people.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import annotation, evidence, stats
from analysis.annotation import ANNOTATORS, Pair
from analysis.answer import Answer, Question
from analysis.app import output_folder
from analysis.evidence import Evidence, Run
from analysis.settings import Step
from analysis.tables import Table, number
from clibench.errors import UserError

TITLE = "Judge agreement"
FOLDER = "judge_agreement"
COMPARERS = ("em", "fm")
"""Text comparisons that are set beside the judges."""


def answer(question: Question) -> Answer:
    """Nothing, the sheets, or the agreement, by the `step` that is set."""
    match question.settings.judge_agreement.step:
        case Step.sample:
            return sample(question)
        case Step.score:
            return score(question)
    return Answer(TITLE, ("No sample was drawn (judge_agreement.step=sample writes sheets for two annotators, =score reads them back).",))


def sample(question: Question) -> Answer:
    """Draw pairs and write the sheets; raises UserError where no outputs are stored or the sheets are already filled."""
    folder = output_folder(question.settings) / FOLDER
    for annotator in ANNOTATORS:
        path = folder / f"annotator_{annotator}.csv"
        if annotation.is_annotated(path):
            raise UserError("holds answers already", where=str(path), fix="Score it (judge_agreement.step=score), or set another `out`.")
    if question.frame.evidence is None:
        raise UserError("holds no outputs of programs to draw from", where=question.frame.source, fix="Use results=outputs.")
    pairs = collect(question.frame.evidence, dict(zip(question.frame.tasks["task"], question.frame.tasks["language"], strict=True)))
    if not pairs:
        raise UserError(
            "no case has right side effects and stored outputs", where=question.frame.source, fix="Use results=outputs after a run."
        )
    settings = question.settings
    drawn = annotation.draw(pairs, settings.judge_agreement.size, settings.seed)
    strata = len({pair.stratum for pair, _ in drawn})
    said = [f"{len(drawn)} of {len(pairs):,} output pairs were drawn from {strata} strata; the sheets of two annotators are in {FOLDER}/."]
    if len(drawn) < settings.judge_agreement.size:
        said.append(f"There are fewer pairs than the {settings.judge_agreement.size} asked for.")
    return Answer(TITLE, tuple(said), files={f"{FOLDER}/{name}": body for name, body in annotation.sheets(drawn, settings.seed).items()})


def score(question: Question) -> Answer:
    """Read both sheets and give every kappa and disagreement; raises UserError for sheets that can't be read or have no common answer."""
    folder = output_folder(question.settings) / FOLDER
    key = annotation.read_key(folder / "key.csv")
    named = question.settings.judge_agreement.sheets or [str(folder / f"annotator_{name}.csv") for name in ANNOTATORS]
    if len(named) != 2:
        raise UserError(f"{len(named)} sheets given", where="judge_agreement.sheets", fix="Give the sheets of two annotators.")
    raters = {f"annotator {name}": annotation.read_sheet(Path(path), key.index) for name, path in zip(ANNOTATORS, named, strict=True)}
    both = [item for item in key.index if all(item in answers for answers in raters.values())]
    if not both:
        raise UserError("no item has the answers of both annotators", where=", ".join(named), fix="Fill the column `same` with yes or no.")
    people = {name: pd.Series({item: answers[item] for item in both}) for name, answers in raters.items()}
    first, second = people.values()
    consensus = first[first == second]
    judges = {column.removeprefix("judge:"): _answers(key[column]) for column in key.columns if column.startswith("judge:")}
    rows = [_row("annotator a", "annotator b", people, key, question)]
    for name, said in judges.items():
        rows += [_row(name, person, people | {name: said}, key, question) for person in people]
        rows.append(_row(name, "both annotators", {name: said, "both annotators": consensus}, key, question))
    table = pd.DataFrame(rows, columns=["first", "second", "items", "agreement", "kappa", "low", "high"])
    differing = _disagreements(key, people, judges, both)
    sentences = [
        f"Two annotators answered {len(both)} of {len(key)} items; they agree in {number(100 * float((first == second).mean()))} % of them."
    ]
    sentences += [f"Cohen's kappa of {row[0]} and {row[1]}: {row[4]} (95 % interval {row[5]} to {row[6]}, {row[2]} items)." for row in rows]
    tables = (
        Table("judge_agreement", "Agreement of annotators and judges, weighted to all pairs of the population.", table),
        Table("judge_disagreements", "Items on which the annotators, or a judge and both of them, differ.", differing),
    )
    return Answer(TITLE, tuple(sentences), tables)


def collect(source: Evidence, languages: dict[str, str]) -> list[Pair]:
    """Every case that passed SP and has both outputs, once for all judges that saw it."""
    runs: dict[tuple[str, str, str], list[Run]] = {}
    for run in source.runs():
        runs.setdefault(run[:3], []).append(run)
    pairs = []
    for (task, model, framework), judged in runs.items():
        mine, oracle = evidence.recordings(source, judged[0]), evidence.recordings(source, judged[0], "oracle_recordings")
        commands = evidence.cases(source, judged[0])
        by_judge = {run[3] or "judge": {verdict.case: verdict for verdict in evidence.verdicts(source, run)} for run in judged}
        for case, verdict in next(iter(by_judge.values())).items():
            if not verdict.passed("sp") or case not in mine or case not in oracle:
                continue
            said = [(name, found[case].passed("sm")) for name, found in by_judge.items() if case in found]
            said += [(name, verdict.passed(name)) for name in COMPARERS]
            command = shlex.join(commands[case].argv) if case in commands else case
            outputs = evidence.text(oracle[case].stdout.data), evidence.text(mine[case].stdout.data)
            pairs.append(
                Pair(
                    task,
                    case,
                    model,
                    framework,
                    languages.get(task, ""),
                    evidence.text(command.encode(errors="surrogateescape")),
                    *outputs,
                    tuple(said),
                )
            )
    return pairs


def _answers(column: pd.Series) -> pd.Series:
    """Answers of a judge by item, without those that it abstained from."""
    return column[column.isin(["0", "1"])] == "1"


def _row(first: str, second: str, said: dict[str, pd.Series], key: pd.DataFrame, question: Question) -> list[str]:
    items = said[first].index.intersection(said[second].index)
    a, b = (said[name][items].to_numpy(dtype=np.bool_) for name in (first, second))
    weights = key["weight"][items].to_numpy(dtype=np.float64)
    found = stats.cohen_kappa(a, b, weights=weights, resamples=question.settings.resamples, seed=question.settings.seed)
    return [first, second, str(found.n), number(100 * found.agreement), number(found.kappa, 3), number(found.low, 3), number(found.high, 3)]


def _disagreements(key: pd.DataFrame, people: dict[str, pd.Series], judges: dict[str, pd.Series], both: list[str]) -> pd.DataFrame:
    rows = []
    first, second = people.values()
    for item in both:
        apart = first[item] != second[item]
        against = [name for name, said in judges.items() if item in said and not apart and said[item] != first[item]]
        if apart or against:
            words = {True: "same", False: "different"}
            answers = [words[bool(first[item])], words[bool(second[item])]]
            about = [str(key[column][item]) for column in ("task", "case", "model", "framework")]
            answers += [words[bool(said[item])] if item in said else "" for said in judges.values()]
            rows.append([item, *about, "annotators" if apart else ", ".join(against), *answers])
    return pd.DataFrame(rows, columns=["item", "task", "case", "model", "framework", "differs", *people, *judges])


if __name__ == "__main__":
    from analysis.app import main

    main("judge_agreement")
