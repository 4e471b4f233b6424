"""The annotators' sheets hide what the judges said, come back whole, and give kappas that are right for the whole population."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from analysis import annotation, app
from analysis.annotation import Pair
from analysis.settings import AnalysisConfig, JudgeAgreementConfig, Source, Step
from clibench.errors import UserError


def pair(number: int, *, same: bool, language: str = "go", expected: str = "out") -> Pair:
    return Pair(f"t{number % 7}", f"p/{number:03}", "m", "f", language, "tool --x", expected, "got", (("rules", same), ("em", False)))


def test_a_stratum_that_is_rare_is_drawn_as_much_as_a_common_one_and_weighted_back() -> None:
    pairs = [pair(n, same=True) for n in range(900)] + [pair(900 + n, same=False) for n in range(30)]
    drawn = annotation.draw(pairs, 100, seed=1)
    counts = pd.Series([one.stratum for one, _ in drawn]).value_counts()
    assert counts.to_dict() == {"go rules=1 em=0": 70, "go rules=0 em=0": 30}
    assert sum(weight for _, weight in drawn) == pytest.approx(930)
    assert len({(one.task, one.case) for one, _ in drawn}) == 100


def test_fewer_pairs_than_asked_for_are_all_drawn() -> None:
    assert len(annotation.draw([pair(n, same=n % 2 == 0) for n in range(9)], 1000, seed=1)) == 9


def test_allocation_uses_every_place_there_is() -> None:
    assert annotation.allocate({"a": 5, "b": 100, "c": 1}, 50) == {"a": 5, "b": 44, "c": 1}
    assert annotation.allocate({"a": 2, "b": 2}, 1) == {"a": 1, "b": 0}


def write(folder: Path, pairs: list[Pair], size: int = 1000) -> pd.DataFrame:
    files = annotation.sheets(annotation.draw(pairs, size, seed=3), seed=3)
    (folder / "judge_agreement").mkdir(parents=True)
    for name, body in files.items():
        (folder / "judge_agreement" / name).write_text(body)
    return annotation.read_key(folder / "judge_agreement" / "key.csv")


def fill(folder: Path, annotator: str, answers: dict[str, str]) -> None:
    path = folder / "judge_agreement" / f"annotator_{annotator}.csv"
    sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
    sheet["same"] = [answers.get(item, "") for item in sheet["item"]]
    sheet.to_csv(path, index=False)


def score(folder: Path) -> tuple[Any, Any]:
    config = JudgeAgreementConfig(step=Step.score)
    app.run(AnalysisConfig(results=Source.published, out=str(folder), judge_agreement=config, resamples=500), ("judge_agreement",))
    read: list[Any] = [pd.read_csv(folder / f"{name}.csv", keep_default_na=False) for name in ("judge_agreement", "judge_disagreements")]
    return read[0], read[1]


def test_sheets_do_not_show_the_judges_answers_and_are_in_different_orders(tmp_path: Path) -> None:
    write(tmp_path, [pair(n, same=n % 3 == 0, expected="=1+1") for n in range(40)])
    a, b = (pd.read_csv(tmp_path / "judge_agreement" / f"annotator_{name}.csv", dtype=str, keep_default_na=False) for name in "ab")
    assert list(a.columns) == annotation.SHEET_COLUMNS
    assert "rules" not in a.to_csv()
    assert a["item"].tolist() != b["item"].tolist()
    assert sorted(a["item"]) == sorted(b["item"])
    assert set(a["expected"]) == {"'=1+1"}


def test_kappas_are_those_of_statsmodels_where_all_pairs_were_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    key = write(tmp_path, [pair(n, same=bool(rng.random() < 0.6)) for n in range(200)])
    truth: dict[str, bool] = {str(item): said == "1" for item, said in key["judge:rules"].items()}
    people: dict[str, dict[str, bool]] = {
        name: {item: bool(said ^ (rng.random() < noise)) for item, said in truth.items()} for name, noise in (("a", 0.1), ("b", 0.2))
    }
    for name, answers in people.items():
        fill(tmp_path, name, {item: "yes" if said else "no" for item, said in answers.items()})
    table, differing = score(tmp_path)
    rows = table.set_index(["first", "second"])

    def kappa(first: dict[str, bool], second: dict[str, bool]) -> float:
        counts = np.zeros((2, 2))
        for item, said in first.items():
            counts[int(said), int(second[item])] += 1
        return float(cohens_kappa(counts).kappa)

    assert float(rows.loc[("annotator a", "annotator b"), "kappa"]) == pytest.approx(kappa(people["a"], people["b"]), abs=0.0006)
    assert float(rows.loc[("rules", "annotator a"), "kappa"]) == pytest.approx(kappa(truth, people["a"]), abs=0.0006)
    assert (
        rows.loc[("rules", "annotator a"), "low"] < rows.loc[("rules", "annotator a"), "kappa"] < rows.loc[("rules", "annotator a"), "high"]
    )
    apart = sum(people["a"][item] != people["b"][item] for item in truth)
    assert (differing["differs"] == "annotators").sum() == apart


def test_items_that_are_still_open_are_left_out(tmp_path: Path) -> None:
    key = write(tmp_path, [pair(n, same=n % 2 == 0) for n in range(20)])
    fill(tmp_path, "a", dict.fromkeys(key.index[:15], "yes"))
    fill(tmp_path, "b", dict.fromkeys(key.index[5:], "no"))
    table, _ = score(tmp_path)
    assert table.loc[0, "items"] == 10
    assert float(table.loc[0, "agreement"]) == 0.0


def test_sheets_that_can_not_be_right_are_refused(tmp_path: Path) -> None:
    key = write(tmp_path, [pair(n, same=True) for n in range(5)])
    with pytest.raises(UserError, match="no item has the answers of both"):
        score(tmp_path)
    fill(tmp_path, "a", {key.index[0]: "perhaps"})
    with pytest.raises(UserError, match=r"annotator_a.csv: row \d: 'perhaps' is no answer"):
        score(tmp_path)
    path = tmp_path / "judge_agreement" / "annotator_a.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(UserError, match=r"1 items are gone|'perhaps'"):
        score(tmp_path)
    path.unlink()
    with pytest.raises(UserError, match="annotator_a.csv: no such file"):
        score(tmp_path)


def test_the_published_results_have_no_outputs_to_draw_from(tmp_path: Path) -> None:
    config = JudgeAgreementConfig(step=Step.sample)
    with pytest.raises(UserError, match=r"holds no outputs of programs.*Use results=outputs"):
        app.run(AnalysisConfig(out=str(tmp_path), judge_agreement=config), ("judge_agreement",))


def test_filled_sheets_are_never_overwritten(tmp_path: Path) -> None:
    key = write(tmp_path, [pair(n, same=True) for n in range(5)])
    fill(tmp_path, "b", {key.index[2]: "no"})
    config = JudgeAgreementConfig(step=Step.sample)
    with pytest.raises(UserError, match=r"annotator_b.csv: holds answers already"):
        app.run(AnalysisConfig(out=str(tmp_path), judge_agreement=config), ("judge_agreement",))
