"""Named normalisers: what each masks, what it leaves, and that one set of names has one meaning."""

from __future__ import annotations

from itertools import permutations

import pytest

from clibench.errors import UserError
from clibench.evaluation.normalise import NORMALISERS, collapse_whitespace, resolve, strip_ansi

MASKED = [
    ("ansi", b"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\", b"red link"),
    ("whitespace", b"  a \t b  \r\n\r\n\n c\rd\n", b"a b\nc\nd"),
    ("alias(black)", b"usage: black [-h]; black-extra, my_black, /bin/black", b"usage: tool [-h]; black-extra, my_black, /bin/tool"),
    ("alias(black)", b"\x1b[1mblack\x1b[0m \x1b[0;32mblack\x1b[m mblack", b"\x1b[1mtool\x1b[0m \x1b[0;32mtool\x1b[m mblack"),
    ("alias(a+b,x)", b"a+b aab", b"x aab"),
    ("alias(toon)", b"toon: wrote out.toon, ../toon, .toon", b"tool: wrote out.toon, ../tool, .toon"),
    ("timestamp", b"at 2026-11-30T15:25:17.123Z, 2026-11-30 15:25:17 and 2026/11/30 15:25", b"at <timestamp>, <timestamp> and <timestamp>"),
    ("timestamp", b"Mon, 30 Nov 2026 15:25:17 +0000|Mon Nov 30 15:25:17 UTC 2026|20261130T152517Z", b"<timestamp>|<timestamp>|<timestamp>"),
    ("timestamp", b"room 2026, 15:25 and 3.14", b"room 2026, 15:25 and 3.14"),
    ("date", b"2026-11-30 30.11.2026 11/30/2026 20261130 Nov 30, 2026 30 November 2026", b"<date> <date> <date> <date> <date> <date>"),
    ("date", b"2026-13-30 1.2.3 12345678 v20.11", b"2026-13-30 1.2.3 12345678 v20.11"),
    ("time", b"15:25:17 9:05 am, 25:00, a:1:02", b"<time> <time>, 25:00, a:1:02"),
    ("epoch", b"1796052317 1796052317.25 1796052317123 179605", b"<epoch> <epoch> <epoch> 179605"),
    ("duration", b"took 0.25s, 12 ms, 1m 2.5s, 3 seconds, 0:00:01.25", b"took <duration>, <duration>, <duration>, <duration>, <duration>"),
    ("duration", b"5 mb, 3 sheep, v2s1, 12", b"5 mb, 3 sheep, v2s1, 12"),
    ("temp_path", b"wrote /tmp/tmpab12/out.txt, /var/tmp/x:1", b"wrote <temp_path>/out.txt, <temp_path>:1"),
    ("temp_path", b"/workspace/tmp/a /tmp", b"/workspace/tmp/a /tmp"),
    ("pid", b"pid 123, PID=45, process id: 89, sshd[321]: x, a[3]", b"pid <pid>, PID=<pid>, process id: <pid>, sshd[<pid>]: x, a[3]"),
    ("address", b"<obj at 0x7f3a2b1c0d>, 0xff", b"<obj at <address>>, 0xff"),
    ("version", b"tool 1.2.3, v2.0.1-rc.1+b5, version 3.1, 3.1 kg", b"tool <version>, <version>, version <version>, 3.1 kg"),
    ("uuid", b"id 123e4567-e89b-12d3-a456-426614174000.", b"id <uuid>."),
    ("unordered_lines", b"b\na\nc\n", b"a\nb\nc\n"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "data", "expected"), MASKED)
def test_a_normaliser_masks_what_it_names_and_nothing_else(spec: str, data: bytes, expected: bytes) -> None:
    assert resolve((spec,), alias="tool")(data) == expected


def test_every_normaliser_has_an_example() -> None:
    assert {spec.partition("(")[0] for spec, _, _ in MASKED} == set(NORMALISERS)


@pytest.mark.parametrize("name", NORMALISERS)
def test_every_normaliser_is_idempotent_and_keeps_bytes_that_are_no_text(name: str) -> None:
    chain = resolve((f"{name}(black,tool)" if name == "alias" else name,))
    for _, data, _ in [*MASKED, ("", b"\xff\xfe\x00black\x80", b"")]:
        assert chain(chain(data)) == chain(data)
    assert b"\xff\xfe\x00" in chain(b"\xff\xfe\x00 1")


def test_the_order_in_which_normalisers_are_named_does_not_matter() -> None:
    data = b"2026-11-30T15:25:17Z b 12 ms\n2026-11-30 a\n"
    chains = [resolve(names) for names in permutations(("date", "timestamp", "duration", "unordered_lines"))]
    assert {chain(data) for chain in chains} == {b"<date> a\n<timestamp> b <duration>\n"}
    assert len({chain.names for chain in chains}) == 1


def test_masks_apply_to_paths_and_layout_normalisers_do_not() -> None:
    chain = resolve(("date", "unordered_lines", "whitespace"))
    assert chain.value("/workspace/b  2026-11-30\na") == "/workspace/b  <date>\na"
    assert chain.value("/workspace/\udcff 2026-11-30") == "/workspace/\udcff <date>"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("timestmp", "unknown normaliser 'timestmp'. Did you mean 'timestamp'?"),
        ("date(x)", "normaliser 'date(x)' has 1 parameters. date takes 0: write the bare name."),
        ("alias", "normaliser 'alias' has 0 parameters. alias takes 2."),
        ("alias(a)", "normaliser 'alias(a)' has 1 parameters. alias takes 2."),
        ("date)", "unknown normaliser 'date)'."),
    ],
)
def test_a_wrong_spec_is_a_clear_error(spec: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve((spec,))
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    "data", [b"", b"a", b"a b\nc", b"a  b", b" a", b"a\n\nb", b"a \nb", b"a\tb", b"a\r\nb", b"a\x0bb", b"\n\n", b"a\n b"]
)
def test_the_short_cut_of_whitespace_normalisation_changes_no_result(data: bytes) -> None:
    lines = (b" ".join(line.split()) for line in data.splitlines())
    assert collapse_whitespace(data) == b"\n".join(line for line in lines if line)


def test_text_without_escape_sequences_is_left_alone() -> None:
    assert strip_ansi(b"[0m 100%") == b"[0m 100%"
