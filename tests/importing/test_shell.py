"""A line of shell becomes one call of the tool, or says what stands in the way; what sh does with each is what dash really does."""

from __future__ import annotations

import subprocess

import pytest

from clibench.importing.shell import Call, UnsupportedError, read_call, written


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("tool a 'b c' \"d \\\" e\" f\\ g ''", Call(("tool", "a", "b c", 'd " e', "f g", ""))),
        ("A=1 B='x y' tool", Call(("tool",), env=(("A", "1"), ("B", "x y")))),
        ("cd /workspace/d && tool --all", Call(("tool", "--all"), cwd="/workspace/d")),
        ("cd a; cd b\ntool", Call(("tool",), cwd="a/b")),
        ("mkdir -p d && touch d/x && tool d", Call(("tool", "d"), setup="mkdir -p d && touch d/x")),
        ("echo 'a\\nb' | tool -", Call(("tool", "-"), stdin=b"a\nb\n")),
        ("echo -n x y | tool", Call(("tool",), stdin=b"x y")),
        ("printf 'a\\tb' | tool", Call(("tool",), stdin=b"a\tb")),
        ("printf '%s' 'a\\nb' | tool", Call(("tool",), stdin=b"a\\nb")),
        ("cat in.txt | tool", Call(("tool",), stdin_file="in.txt")),
        ("tool < in.txt 2>/dev/null", Call(("tool",), stdin_file="in.txt")),
        ("tool 'a > b && c | $d'", Call(("tool", "a > b && c | $d"))),
        ("tool a#b # a comment", Call(("tool", "a#b"))),
        ('tool --price "5$" 100%', Call(("tool", "--price", "5$", "100%"))),
    ],
)
def test_a_line_is_one_call(line: str, call: Call) -> None:
    assert read_call(line, "tool") == call


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("tool > out", "output that goes to a file"),
        ("tool 2>&1", "standard error joined"),
        ("tool | sort", "input from the command 'tool'"),
        ("echo a | sort | tool", "a pipe of several commands"),
        ("tool $HOME", "a variable"),
        ('tool "$(date)"', "a command substitution"),
        ("tool *.txt", "a file name pattern"),
        ("tool ~/x", "a home folder"),
        ("tool a && tool b", "several calls of the tool"),
        ("tool a || true", "the operator ||"),
        ("tool 'a", "a quote that does not end"),
        ("tool a\0b", "a NUL byte"),
        ("other a", "it calls 'other' and not 'tool'"),
        ("", "no command"),
        ("tool <<EOF\nx\nEOF", "the operator <<"),
    ],
)
def test_what_is_no_single_call_says_why(line: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason.replace("|", "\\|").replace("(", "\\(")):
        read_call(line, "tool")


@pytest.mark.parametrize(
    "line",
    [
        "tool a 'b c' \"d \\\" e\" f\\ g ''",
        'tool "back\\slash" \'single\\n\' "new\\\nline"',
        "tool a\\\nb 'it'\"'\"'s' \"`printf x`\"",
        'tool "a\'b" \'c"d\' e\\"f',
        "tool =x --k=v {a,b} a;",
    ],
)
def test_words_are_those_that_sh_makes(line: str) -> None:
    """Where a line is accepted, its argv is that of a real shell."""
    script = f"tool() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    expected = subprocess.run(("sh", "-c", script), capture_output=True, check=True).stdout.split(b"\0")[:-1]
    try:
        argv = read_call(line, "tool").argv[1:]
    except UnsupportedError:
        assert "`" in line
    else:
        assert [word.encode() for word in argv] == expected


def test_the_content_of_a_known_file_is_a_word() -> None:
    files = {"/workspace/in.md": b"# a\n$x `y`\n\n", "/workspace/nul": b"a\0"}
    assert read_call('tool -s "$(cat /workspace/in.md)"', "tool", files).argv == ("tool", "-s", "# a\n$x `y`")
    assert read_call("tool \"<$(cat '/workspace/in.md')>\"", "tool", files).argv == ("tool", "<# a\n$x `y`>")
    for line in ('tool "$(cat /workspace/nul)"', 'tool "$(cat /workspace/other)"', 'tool "$(cat a b)"'):
        with pytest.raises(UnsupportedError, match="a command substitution"):
            read_call(line, "tool", files)


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("printf '%s\\n' '/a b' /c > /tmp/paths", {"/tmp/paths": b"/a b\n/c\n"}),
        ("mkdir d && printf '%s\\0' x y > p && echo z > q", {"p": b"x\0y\0", "q": b"z\n"}),
        ("echo a > p && echo b >> p", {}),
        ("echo $HOME > p", {}),
        ("printf '%d' 3 > p", {}),
        ("sort x > p", {}),
    ],
)
def test_what_a_preparation_writes_whole_is_known(script: str, files: dict[str, bytes]) -> None:
    assert written(script) == files


@pytest.mark.parametrize("words", ["'a%%b\\n'", "'%s-%s;' a b c", "'x\\101\\0y' z", "'%s'", "'\\t\\q'", "%s 'a\\nb'", "'no' a b"])
def test_printf_prints_what_the_sh_of_debian_prints(words: str) -> None:
    expected = subprocess.run(("sh", "-c", f"printf {words}"), capture_output=True, check=True).stdout
    assert read_call(f"printf {words} | tool", "tool").stdin == expected


@pytest.mark.parametrize("text", ["a\\nb", "a\\\\b", "plain", "\\t\\x", "ünï\\n"])
def test_echo_prints_what_the_sh_of_debian_prints(text: str) -> None:
    expected = subprocess.run(("sh", "-c", f"echo '{text}'"), capture_output=True, check=True).stdout
    assert read_call(f"echo '{text}' | tool", "tool").stdin == expected
