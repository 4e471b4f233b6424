"""A usage line as a tree: what stands together, what is optional, what excludes what.

    [-l LEXER | -g] (--json | --yaml) <input> [<more> ...]

Brackets nest; `|` parts alternatives; `...` repeats what is before it. Whether a word after an option is its value is known only from the
option's own entry, so the tree keeps words as they are and `read_usage` is given the options that are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clibench.synthesis.help.declaration import Declaration, clean_metavar, read_declaration
from clibench.synthesis.help.page import indent
from clibench.synthesis.help.remarks import choices_in, value_type
from clibench.synthesis.schema import Option, Positional

_TOKEN: Final = re.compile(
    r"\.{2,3}|…|<[^>]*>(?:=<[^>]*>)?|\{[^}]*\}|\[=[^\]]*\]|\"[^\"]*\"|'[^']*'"
    r"|-{1,2}\[no-\][^\s\[\]()|]+"
    r"|-[^\s=<\[\]()|]*=?(?:<[^>]*>(?:=<[^>]*>)?|\"[^\"]*\"|'[^']*')"  # a value that belongs to the option, blanks and all
    r"|[A-Z][\w=]*(?:\[[^\[\]\s]*\])+"  # FILTER[:options]
    r"|[\[\]()|]|(?:(?!\.{2,3})[^\s\[\]()|<{…])+"
)
_PLACEHOLDERS: Final = re.compile(
    r"^(?:(?:\w+[ -])?(?:options?|flags?|opts|command|subcommand|commands)|global-?options?|arguments?\.\.\.)$",
    re.IGNORECASE,
)

DEEPEST: Final = 30
"""Brackets deeper than this are not read: no person wrote them."""


@dataclass
class Node:
    """A word, or a group (`[`, `(`) of alternatives."""

    text: str = ""
    bracket: str = ""
    branches: list[list[Node]] = field(default_factory=list)
    many: bool = False


@dataclass
class Usage:
    """What usage lines say."""

    options: list[Declaration] = field(default_factory=list)
    required: set[str] = field(default_factory=set)
    positionals: list[Positional] = field(default_factory=list)
    exclusive: list[tuple[str, ...]] = field(default_factory=list)
    takes_command: bool = False
    values: dict[str, str] = field(default_factory=dict)
    """Metavars of options whose own entry shows none, as `[--out <file>]`."""


def parse(text: str) -> list[Node]:
    """The tree of one usage line, its program's name taken off; unbalanced brackets are closed at the end."""
    tokens = _TOKEN.findall(re.sub(r"\|-(?=\s|$)", "", text))
    nodes, _ = _sequence(tokens, 0)
    return nodes


def _sequence(tokens: list[str], at: int) -> tuple[list[Node], int]:
    branches, at = _branches(tokens, at, 0)
    return (branches[0] if len(branches) == 1 else [Node(bracket="(", branches=branches)]), at


def _branches(tokens: list[str], at: int, depth: int) -> tuple[list[list[Node]], int]:
    branches: list[list[Node]] = [[]]
    while at < len(tokens):
        word = tokens[at]
        at += 1
        if word in "])":
            break
        if word in "[(" and depth >= DEEPEST:
            continue
        if word in "[(":
            inner, at = _branches(tokens, at, depth + 1)
            branches[-1].append(Node(bracket=word, branches=inner))
        elif word == "|":
            branches.append([])
        elif word in ("...", "..", "…"):
            if branches[-1]:
                branches[-1][-1].many = True
        else:
            branches[-1].append(Node(word))
    return branches, at


def read_usage(lines: Iterable[str], known: Callable[[str], Option | None], *, has_commands: bool) -> Usage:
    """What the usage lines say together: a positional is needed when every line needs it."""
    usage = Usage()
    seen: list[dict[str, Positional]] = []
    needed: list[set[str]] = []
    for line in lines:
        reader = _Reader(usage, known, has_commands)
        reader.flags_first = bool(re.search(r"(?<![<\[])\bARGS\s+\[?<", line))
        reader.read(parse(line), optional=False, many=False)
        if reader.any:
            seen.append(reader.found)
            needed.append(reader.required)
    usage.required = set.intersection(*needed) if needed else set()
    names = dict.fromkeys(name for found in seen for name in found)
    for name in names:
        all_of = [found.get(name) for found in seen]
        first = next(positional for positional in all_of if positional is not None)
        least = min(0 if positional is None else positional.min for positional in all_of)
        endless = any(positional is not None and positional.max is None for positional in all_of)
        usage.positionals.append(Positional(name, min=least, max=None if endless else first.max, choices=first.choices, type=first.type))
    return usage


class _Reader:
    """One pass over one usage line's tree."""

    def __init__(self, usage: Usage, known: Callable[[str], Option | None], has_commands: bool) -> None:
        self.usage = usage
        self.has_commands = has_commands
        self.known = known
        self.found: dict[str, Positional] = {}
        self.required: set[str] = set()
        self.any = False
        self.flags_first = False
        """Whether a bare ARGS before words in angle brackets stands for the flags."""

    def read(self, nodes: list[Node], *, optional: bool, many: bool) -> None:
        position = 0
        while position < len(nodes):
            node = nodes[position]
            self.any = True
            position += 1
            if node.bracket:
                self._group(node, optional=optional, many=many)
            elif re.match(r"--?[A-Za-z0-9?#\[]", node.text):
                position += self._option(node, nodes[position:], optional=optional)
            elif node.text not in ("-", "--", "=", ",", "|", "$"):
                self._word(node, optional=optional, many=many)

    def _group(self, node: Node, *, optional: bool, many: bool) -> None:
        optional_here = optional or node.bracket == "["
        if self._short_and_long(node):
            return
        words = [inner.text for branch in node.branches for inner in branch]
        if any(word.strip(",") == "options" for word in words[1:]) and not any(word.startswith("-") for word in words[:1]):
            return  # [more options, see -h]
        first, *others = node.branches
        if others and len(first) == 2 and first[0].text.startswith("-") and all(_is_bare_word(branch) for branch in others):
            self.read(first, optional=optional_here, many=False)  # oclif's [-l debug|info]: the alternatives are values
            return
        leading = [name for branch in node.branches if (name := _leading_option(branch))]
        if len(node.branches) > 1 and len(leading) > 1 and not _same_option(leading, self.known):
            self.usage.exclusive.append(tuple(leading))
        if len(node.branches) == 1 and self._placeholder(" ".join(inner.text for inner in node.branches[0])):
            return
        words = [branch[0].text for branch in node.branches if len(branch) == 1 and branch[0].text]
        if len(words) == len(node.branches) > 1 and not any(word.startswith("-") for word in words):
            self._word(Node("|".join(word.strip("<>") for word in words), many=node.many), optional=optional_here, many=many)
            return
        for branch in node.branches:
            self.read(branch, optional=optional_here or len(node.branches) > 1, many=many or node.many)

    def _short_and_long(self, node: Node) -> bool:
        """`-V | --version` that nothing else describes is one option with two names."""
        words = [branch[0].text for branch in node.branches if len(branch) == 1]
        if len(words) != 2 or len(node.branches) != 2 or any(self.known(word) for word in words):
            return False
        short, long = sorted(words, key=len)
        if not re.fullmatch(r"-\w", short) or not re.fullmatch(rf"--{short[1]}[\w-]+", long, re.IGNORECASE):
            return False
        self.usage.options.append(Declaration((short, long)))
        return True

    def _option(self, node: Node, after: list[Node], *, optional: bool) -> int:
        """Notes an option; returns how many nodes after it are its values."""
        declared = read_declaration(node.text)
        if declared is None:
            return 0
        known = next((option for name in declared.names if (option := self.known(name))), None)
        if not optional:
            self.required.update(declared.names)
        taken = 0
        if "=" not in node.text and (known.takes_value if known else True):
            for value in after:
                wants = len((known.metavar or "").split()) if known and known.metavar else 1
                is_word = not value.bracket and not value.text.startswith("-") and value.text not in ("|", ",")
                is_optional = value.bracket == "[" and known is not None and _is_value(value, known)
                if taken >= max(1, wants) or not (is_word or is_optional):
                    break
                taken += 1
        alone = len(after) == 1 or (len(after) > 1 and bool(after[1].bracket))
        if known is not None and optional and not known.takes_value and alone and after[0].text.startswith("<"):
            self.usage.values[known.name] = clean_metavar(after[0].text)
            return 1
        if taken and known is None and declared.metavar is None:
            metavar = " ".join(clean_metavar(value.text) for value in after[:taken])
            declared = Declaration(declared.names, metavar=metavar)
        if known is None:
            self.usage.options.append(replace(declared, default=None))
        return taken

    def _placeholder(self, text: str) -> bool:
        """Whether a word only stands for options or for a subcommand, and is no argument."""
        if not _PLACEHOLDERS.match(text.strip("<>. ")):
            return False
        if re.search("command", text, re.IGNORECASE) and "option" not in text.lower():
            if not self.has_commands:
                return False
            self.usage.takes_command = True
        return True

    def _word(self, node: Node, *, optional: bool, many: bool) -> None:
        name = clean_metavar(node.text.strip("\"',;")).rstrip(":*+")
        if not re.search(r"\w", name):
            return
        if self._placeholder(name) or (name == "ARGS" and self.flags_first):
            return
        if name.lower() in ("args", "arg", "arguments") and self.usage.takes_command:
            return
        choices = choices_in(name)
        before = self.found.get(name)
        endless = many or node.many or before is not None or node.text.rstrip("]>").endswith(("...", "…"))
        least = max(0 if optional else 1, before.min if before else 0)
        self.found[name] = Positional(
            name, min=least, max=None if endless else 1, choices=choices if len(choices) > 1 else (), type=value_type(name, choices)
        )


def _is_bare_word(branch: list[Node]) -> bool:
    return len(branch) == 1 and bool(re.match(r"\w", branch[0].text))


def _is_value(group: Node, option: Option) -> bool:
    """Whether an optional group holds (a part of) what the option's own entry names as its value."""
    words = [node.text for branch in group.branches for node in branch]
    return option.metavar is not None and all(clean_metavar(word) in option.metavar.split() for word in words)


def _leading_option(branch: list[Node]) -> str | None:
    if branch and branch[0].text.startswith("-"):
        declared = read_declaration(branch[0].text)
        return declared.names[0] if declared else None
    if branch and branch[0].bracket and len(branch[0].branches) == 1:
        return _leading_option(branch[0].branches[0])
    return None


def _same_option(names: list[str], known: Callable[[str], Option | None]) -> bool:
    """`[-o | --output]` and `[--color | --no-color]` name one option in two ways."""
    options = [known(name) for name in names]
    return options[0] is not None and all(option is options[0] for option in options)


def usage_lines(lines: Sequence[str], path: Sequence[str] = ()) -> list[str]:
    """Whole usage lines with wraps joined, without the program's name and the subcommand's `path`.

    A line that does not begin with the program continues the one above when it is indented deeper (the first line may stand beside
    "usage:", which is six letters wide); after a blank line only lines that begin with the program go on.
    """
    joined: list[str] = []
    program = ""
    left = 0
    for line in lines:
        text = _call(re.sub(r"^(\$|>|or:|npx|\||python3? -m)\s+", "", line.strip()))
        if not text:
            left = 1000 if joined else left
            continue
        if not program:
            if text.startswith("-"):
                break
            program, left = text.split()[0], indent(line) or 5
        if text.split()[0] == program:
            joined.append(text)
        elif indent(line) > left and not (text.startswith("-") and "  " in text):
            joined[-1] = f"{joined[-1]} {text}"
        else:
            left = 1000
    return [_without(whole.split(" "), (program, *path)) for whole in joined]


_FEEDER: Final = re.compile(r"^(?:cat|echo|printf|type|curl)\s[^|]*\|\s*(?=\S)")
_INPUT: Final = re.compile(r"\s<(?:\s+(?:<[^<>]+>|[^\s<>\[\]]+)|[\w./-]+(?=\s+\d?>|\s*$))")
_OUTPUT: Final = re.compile(r"\s(?:[12&]?>{1,2}&?)\s*(?:<[^<>]+>|[^\s<>\[\]]+)")


_REMARK: Final = re.compile(r"\s\((?:where|which|e\.g\.|i\.e\.|default[: ]|see |use |note:|if |for ).*$", re.IGNORECASE)


def _call(text: str) -> str:
    """Without what is the shell's: `cat file | ` before it, `< input` and `> output` behind it are no arguments. Nor is a remark."""
    return _REMARK.sub("", _OUTPUT.sub("", _INPUT.sub("", _FEEDER.sub("", text))))


def _without(words: list[str], path: Sequence[str]) -> str:
    """Without the words of the path, which may have `[options]` between them."""
    if path and words and ":".join(path[1:]) in words[:2] and len(path) > 2:
        words = [word for word in words if word not in (path[0], ":".join(path[1:]))]  # oclif: plugins:install
    for word in path:
        if word in words and all(other.startswith(("[", "-")) or other.endswith("]") for other in words[: words.index(word)]):
            words.remove(word)
    return " ".join(words).strip()
