"""The executable that is called as its package, or by its initials, comes before its companions."""

import pytest

from clibench.curation.entries import named, rank
from clibench.curation.install import Program
from clibench.curation.names import Match, match
from clibench.curation.package import Package


@pytest.mark.parametrize(
    ("executable", "package", "kind"),
    [
        ("ujson5", "ujson5", Match.EXACT),
        ("source-to-llm", "@belov.ai/source-to-llm", Match.EXACT),
        ("yq", "github.com/mikefarah/yq/v4", Match.EXACT),
        ("typeshell", "TypeShell", Match.EXACT),
        ("qlog", "qlog-cli", Match.AFFIX),
        ("toon", "python-toon", Match.AFFIX),
        ("ccv", "claude-compaction-viewer", Match.ACRONYM),
        ("mtp", "@kayvan/markdown-tree-parser", Match.ACRONYM),
        ("dotenv", "python-dotenv", Match.AFFIX),
        ("toon", "toon-format", Match.SIMILAR),
        ("md-tree", "@kayvan/markdown-tree-parser", Match.SIMILAR),
    ],
)
def test_a_name_is_matched_exactly_then_without_affixes_then_by_initials_then_by_similarity(
    executable: str, package: str, kind: Match
) -> None:
    found, score = match(executable, package)
    assert found is kind
    assert 0 < score <= 1


def test_similarity_alone_never_beats_an_acronym() -> None:
    assert match("claude-compaction-view", "claude-compaction-viewer")[1] < match("ccv", "claude-compaction-viewer")[1]


@pytest.mark.parametrize(
    ("package", "programs", "first"),
    [
        ("remarshal", ["json2toml", "remarshal", "toml2json"], "remarshal"),
        ("deepdiff", ["zeta", "deep"], "deep"),
        ("claude-compaction-viewer", ["claude-server", "ccv"], "ccv"),
        ("github.com/pelletier/go-toml/v2", ["gotoml-test-encoder", "toml"], "toml"),
        ("nothing", ["bbb", "aa"], "aa"),
    ],
)
def test_the_best_name_is_tried_first(package: str, programs: list[str], first: str) -> None:
    ranked = rank([Program(name, package) for name in programs], Package("go", package))
    assert ranked[0].name == first


@pytest.mark.parametrize(
    ("programs", "chosen"),
    [(["odd"], "odd"), (["json2toml", "remarshal"], "remarshal"), (["one", "two"], None), ([], None)],
)
def test_a_name_alone_tells_the_tool_only_where_it_is_clear(programs: list[str], chosen: str | None) -> None:
    found = named(rank([Program(name, "remarshal") for name in programs], Package("pypi", "remarshal")))
    assert (found and found.name) == chosen
