"""Candidates are read from any of the lists that people have, and each criterion turns one down with its reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clibench.curation.candidates import Candidate, read_candidates
from clibench.curation.package import Package
from clibench.curation.settings import StaticConfig, Unknown
from clibench.curation.static import faults, spdx, unknown
from clibench.errors import UserError

GOOD = Candidate(
    Package("pypi", "tool", "1.0"),
    stars=50,
    shares={"python": 0.9, "shell": 0.1},
    keywords=("cli",),
    licence="MIT",
    build_files=("pyproject.toml",),
)


def test_a_candidate_that_meets_all_criteria_has_no_fault_and_nothing_unknown() -> None:
    assert faults(GOOD, StaticConfig()) == []
    assert unknown(GOOD, StaticConfig()) == []


@pytest.mark.parametrize(
    ("change", "criterion", "detail"),
    [
        ({"stars": 9}, "stars", "9, fewer than 10"),
        ({"shares": {"python": 0.5, "c": 0.5}}, "language", "50% python, less than 60%"),
        ({"keywords": ("web",), "description": "a clip art server"}, "keywords", "none of cli, "),
        ({"licence": "Proprietary"}, "licence", "Proprietary is not in the list"),
        ({"build_files": ("Makefile",)}, "build file", "no pyproject.toml or setup.py"),
    ],
)
def test_each_criterion_rejects_with_its_reason(change: dict[str, object], criterion: str, detail: str) -> None:
    (fault,) = faults(replace(GOOD, **change), StaticConfig())  # type: ignore[arg-type]
    assert fault.criterion == criterion
    assert fault.detail.startswith(detail)


def test_thresholds_are_settings_and_null_leaves_a_criterion_out() -> None:
    few = replace(GOOD, stars=1)
    assert faults(few, StaticConfig(min_stars=1)) == []
    assert faults(few, StaticConfig(min_stars=None)) == []
    assert [fault.criterion for fault in faults(GOOD, StaticConfig(languages=["go"]))] == ["language"]


def test_what_is_not_known_is_named_and_rejects_only_where_asked_for() -> None:
    bare = Candidate(Package("npm", "tool"))
    names = ["stars", "language", "keywords", "licence", "build file"]
    assert faults(bare, StaticConfig()) == []
    assert unknown(bare, StaticConfig()) == names
    assert [fault.criterion for fault in faults(bare, StaticConfig(unknown=Unknown.reject))] == names


def test_a_word_of_the_readme_serves_as_a_keyword_and_typescript_as_javascript() -> None:
    assert faults(replace(GOOD, keywords=(), description=""), StaticConfig(), readme="A command-line tool.") == []
    node = Candidate(Package("npm", "tool"), shares={"typescript": 0.7, "javascript": 0.2, "css": 0.1})
    assert faults(node, StaticConfig()) == []


@pytest.mark.parametrize(
    ("wording", "meant"),
    [
        ("MIT License", "MIT"),
        ("Apache Software License", "Apache-2.0"),
        ("BSD License", "BSD-3-Clause"),
        ("BSD-2-Clause", "BSD-2-Clause"),
        ("GNU General Public License v2 (GPLv2)", "GPL-2.0"),
        ("GPL-3.0-or-later", "GPL-3.0"),
        ("GNU Affero General Public License v3", "AGPL-3.0"),
        ("ISC License (ISCL)", "ISC"),
        ("House rules", "House rules"),
    ],
)
def test_licences_are_compared_as_spdx_identifiers(wording: str, meant: str) -> None:
    assert spdx(wording) == meant


def test_a_dual_licence_passes_where_one_of_them_does() -> None:
    assert faults(replace(GOOD, licence="SEE FILE OR MIT"), StaticConfig()) == []


def test_csv_yaml_folders_and_words_become_candidates_in_their_order_each_once(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(
        "full_name,stargazers_count,topics,language_shares,license,build_file,registry,package,version\n"
        'simonw/a,1200,"cli;json",Python:92.5;Shell:7.5,mit,setup.py,pypi,a-tool,1.0\n'
        'https://github.com/x/Yes.git,7,,"{""Go"": 900, ""HTML"": 100}",,go.mod,,,\n'
    )
    (tmp_path / "list.yaml").write_text(
        "- {registry: npm, package: '@b/c', version: 2.0.0}\n- {registry: pypi, package: a-tool, version: '1.0'}\n"
    )
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "go.mod").write_text("module example.com/repo\n")
    files = [str(tmp_path / name) for name in ("list.csv", "list.yaml", "repo")]
    found = read_candidates([*files, "pypi:csvkit@2.2.0", "npm:@b/c@2.0.0"])
    assert [each.id for each in found] == [
        "pypi:a-tool@1.0",
        "go:github.com/x/Yes",
        "npm:@b/c@2.0.0",
        "folder:repo",
        "pypi:csvkit@2.2.0",
    ]
    first, second = found[:2]
    assert (first.repository, first.stars, first.keywords, first.licence) == ("simonw/a", 1200, ("cli", "json"), "mit")
    assert first.shares == {"python": 0.925, "shell": 0.075}
    assert (second.presumed, second.shares["go"], second.build_files) == (True, 0.9, ("go.mod",))
    assert found[3].package.language.value == "go"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "repo,colour\nx/y,red\n", "a.csv:2: neither a package nor a repository in a known language (columns: repo, colour)"),
        ("a.csv", "registry,package\npypii,y\n", "a.csv:2: unknown registry 'pypii'. Did you mean 'pypi'?"),
        ("a.csv", "registry,package,stars\npypi,y,many\n", "a.csv:2: stars are no number: many"),
        ("a.csv", "registry,package,languages\npypi,y,Python:most\n", "a.csv:2: languages are no numbers"),
        ("a.csv", "", "no candidate in it"),
        ("a.csv", b"\xff\xfe,\n", "not a CSV table"),
        ("a.yaml", "{", "not YAML"),
        ("a.yaml", "a: b", "not a list of mappings"),
    ],
)
def test_a_faulty_list_is_told_with_file_and_row(tmp_path: Path, name: str, content: str | bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        read_candidates(str(tmp_path / name))
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "has no value"),
        ([], "has no value"),
        ("nowhere.csv", "can't be read: no such file"),
        ("x y", "no such file"),
        (__file__, "is no list"),
    ],
)
def test_no_list_at_all_is_told(given: object, told: str) -> None:
    with pytest.raises(UserError, match=told):
        read_candidates(given)


def test_two_folders_of_one_name_are_told(tmp_path: Path) -> None:
    for name in ("a/tool", "b/tool"):
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises(UserError, match="two folders are folder:tool"):
        read_candidates([str(tmp_path / "a/tool"), str(tmp_path / "b/tool")])


@pytest.mark.parametrize("word", ["unknown", "NOASSERTION", "Other", ""])
def test_a_licence_that_an_export_does_not_know_is_not_known(tmp_path: Path, word: str) -> None:
    (tmp_path / "a.csv").write_text(f"registry,package,license\npypi,tool,{word}\n")
    (found,) = read_candidates(str(tmp_path / "a.csv"))
    assert found.licence == ""
