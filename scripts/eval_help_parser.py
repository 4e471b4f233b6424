"""How well are help texts read? `python scripts/eval_help_parser.py`: precision and recall by style, over the corpus of recorded texts.

`corpus=FOLDER` reads another corpus, `wrong=true` lists what was missed (-) and what was invented (+), text by text. The last line is JSON.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from omegaconf import OmegaConf

from clibench.synthesis.help.corpus import Expected, Measured, Tally, measure, read_corpus
from clibench.synthesis.help.rules import RulesExtractor

CORPUS = Path(__file__).parent.parent / "tests" / "synthesis" / "help_corpus"
PARTS = ("options", "commands", "positionals", "details")


def main() -> None:
    """Print the table, and the faults when they are asked for."""
    wanted = OmegaConf.from_cli()
    corpus = read_corpus(Path(wanted.get("corpus", CORPUS)))
    results = [(expected, measure(expected, RulesExtractor())) for expected in corpus]
    by_style: defaultdict[str, list[Measured]] = defaultdict(list)
    for expected, measured in results:
        by_style[expected.style].append(measured)
    print(f"{'style':<12}{'texts':>6}  " + "  ".join(f"{part:>22}" for part in PARTS))
    print(f"{'':<18}  " + "  ".join(f"{'n':>6}{'prec':>8}{'recall':>8}" for _ in PARTS))
    for style, measured_texts in sorted(by_style.items()):
        print(row(style, measured_texts))
    everything = [measured for _, measured in results]
    print(row("all", everything))
    if wanted.get("wrong"):
        for expected, measured in results:
            print_faults(expected, measured)
    total = sum(everything, Measured())
    print(json.dumps({part: {"precision": round(tally.precision, 4), "recall": round(tally.recall, 4)} for part, tally in parts(total)}))


def parts(measured: Measured) -> list[tuple[str, Tally]]:
    """The tallies with their names."""
    return [(part, getattr(measured, part)) for part in PARTS]


def row(name: str, texts: list[Measured]) -> str:
    """One line of the table: how many there are to find, precision, recall."""
    cells = (
        f"{tally.right + len(tally.missed):>6}{tally.precision:>8.3f}{tally.recall:>8.3f}" for _, tally in parts(sum(texts, Measured()))
    )
    return f"{name:<12}{len(texts):>6}  " + "  ".join(cells)


def print_faults(expected: Expected, measured: Measured) -> None:
    """What was missed and invented in one text."""
    for part, tally in parts(measured):
        for sign, names in (("-", tally.missed), ("+", tally.invented)):
            for name in names:
                print(f"{expected.id:<28} {part:<12} {sign} {name}")


if __name__ == "__main__":
    main()
