"""The file of decisions is written again by `step=agree`: what is no such file must not be taken for an empty one."""

from pathlib import Path

import pytest

from clibench.curation.decisions import COLUMNS, read_decisions
from clibench.errors import UserError


def test_another_file_is_refused_and_not_taken_for_one_without_decisions(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one line of notes\n")
    with pytest.raises(UserError, match="holds no decisions"):
        read_decisions(tmp_path / "notes.txt")


def test_a_table_without_rows_and_a_file_that_is_not_there_hold_none(tmp_path: Path) -> None:
    (tmp_path / "decisions.csv").write_text(",".join(COLUMNS) + "\n")
    assert read_decisions(tmp_path / "decisions.csv") == {}
    assert read_decisions(tmp_path / "absent.csv") == {}
