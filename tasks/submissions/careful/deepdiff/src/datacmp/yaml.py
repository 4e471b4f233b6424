"""A reader for YAML documents."""

import base64
import datetime
import re
from typing import Any


class YAMLError(ValueError):
    pass


_NULL = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {
    form: value
    for names, value in ((("yes", "true", "on"), True), (("no", "false", "off"), False))
    for name in names
    for form in (name, name.capitalize(), name.upper())
}
_INT = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)")
_FLOAT = re.compile(
    r"[-+]?([0-9][0-9_]*)\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?"
)
_INF = re.compile(r"([-+]?)\.(inf|Inf|INF)")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?"
    r"(?:[ \t]*(Z|([-+])(\d\d?)(?::?(\d\d))?))?"
)
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v",
    "f": "\f", "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


def load(text: str) -> Any:
    """Return the value of the only document of a text."""
    return _Parser(text.removeprefix("\ufeff")).document()


def resolve(text: str) -> Any:
    """Return the value that a plain scalar stands for."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INT.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    if match := _INF.fullmatch(text):
        return float(match[1] + "inf")
    if text in (".nan", ".NaN", ".NAN"):
        return float("nan")
    try:
        if match := _DATE.fullmatch(text):
            return datetime.date(*map(int, match.groups()))
        if match := _TIMESTAMP.fullmatch(text):
            return _timestamp(match)
    except ValueError as error:
        raise YAMLError(f"{text}: {error}") from None
    return text


def _integer(text: str) -> int:
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    for prefix, base in (("0b", 2), ("0x", 16), ("0", 8)):
        if digits.startswith(prefix) and digits != "0":
            return sign * int(digits.removeprefix(prefix) or "0", base)
    return sign * int(digits)


def _timestamp(match: re.Match) -> datetime.datetime:
    fraction = int((match[7] or "")[:6].ljust(6, "0"))
    zone = None
    if match[8] == "Z":
        zone = datetime.timezone.utc
    elif match[8]:
        delta = datetime.timedelta(hours=int(match[10]), minutes=int(match[11] or 0))
        zone = datetime.timezone(-delta if match[9] == "-" else delta)
    return datetime.datetime(*(int(match[i]) for i in range(1, 7)), fraction, zone)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.pos = 0
        self.anchors: dict[str, Any] = {}

    # Reading characters

    def error(self, message: str) -> YAMLError:
        line = self.text.count("\n", 0, self.pos) + 1
        return YAMLError(f"line {line}, column {self.column() + 1}: {message}")

    def peek(self, offset: int = 0) -> str:
        return self.text[self.pos + offset : self.pos + offset + 1]

    def column(self) -> int:
        return self.pos - (self.text.rfind("\n", 0, self.pos) + 1)

    def is_blank_at(self, offset: int) -> bool:
        return self.peek(offset) in ("", " ", "\t", "\n")

    def at_marker(self) -> bool:
        """Tell whether a line --- or ... begins here."""
        return (
            self.column() == 0
            and self.text[self.pos : self.pos + 3] in ("---", "...")
            and self.is_blank_at(3)
        )

    def skip_spaces(self) -> None:
        while self.peek() and self.peek() in " \t":
            self.pos += 1

    def skip_comment(self) -> None:
        """Skip blanks and a comment up to the end of the line."""
        start = self.pos
        self.skip_spaces()
        if self.peek() == "#" and (self.pos > start or self.column() == 0):
            end = self.text.find("\n", self.pos)
            self.pos = len(self.text) if end < 0 else end

    def skip_empty(self) -> bool:
        """Skip up to the next content; tell whether lines were left behind."""
        lines = False
        while True:
            self.skip_comment()
            if self.peek() != "\n":
                return lines
            self.pos += 1
            lines = True

    def end_of_line(self) -> None:
        self.skip_comment()
        if self.peek() not in ("", "\n"):
            raise self.error("unexpected text")

    # Documents

    def document(self) -> Any:
        self.skip_empty()
        while self.peek() == "%" and self.column() == 0:
            self.pos = (self.text + "\n").index("\n", self.pos)
            self.skip_empty()
        if self.at_marker() and self.peek() == "-":
            self.pos += 3
        value = self.node(-1, False, True)
        self.skip_empty()
        if self.at_marker() and self.peek() == ".":
            self.pos += 3
            self.skip_empty()
        if self.peek():
            raise self.error("only one document, and nothing behind it, is expected")
        return value

    def node(self, parent: int, in_mapping: bool, compact: bool) -> Any:
        """Parse the value that stands deeper than the column of its parent.

        A list in a mapping may stand in the column of the key. Where compact
        is false, a mapping can't begin on the line of the parent.
        """
        tag = anchor = None
        while True:
            before = self.pos
            new_line = self.skip_empty()
            compact = compact or new_line
            column = self.column()
            is_item = self.peek() == "-" and self.is_blank_at(1)
            least = parent if in_mapping and is_item and new_line else parent + 1
            new_line_so_far = "\n" in self.text[before : self.pos] or column == 0
            if not self.peek() or self.at_marker() or (new_line_so_far and column < least):
                self.pos = before
                return self.finish(None if tag is None else self.tagged(tag, ""), anchor)
            if new_line_so_far and "\t" in self.text[self.pos - column : self.pos]:
                raise self.error("a tab can't indent")
            if self.peek() not in "&!":
                break
            if compact and self.key_ahead():
                break
            word = self.property_word()
            if word[0] == "&":
                anchor = word[1:]
            else:
                tag = word

        char = self.peek()
        if is_item:
            if not compact:
                raise self.error("a list can't begin here")
            value: Any = self.sequence(column)
        elif char in "|>":
            value = self.block_scalar(parent)
            return self.finish(self.tagged(tag, value) if tag else value, anchor)
        elif self.key_ahead():
            if not compact:
                raise self.error("a mapping can't begin here")
            value = self.mapping(column)
        else:
            value = self.inline(parent, tag, flow=False)
            self.end_of_line()
            return self.finish(value, anchor)
        return self.finish(value, anchor)

    def finish(self, value: Any, anchor: str | None) -> Any:
        if anchor is not None:
            self.anchors[anchor] = value
        return value

    def property_word(self) -> str:
        match = re.compile(r"[^\s,\[\]{}]+").match(self.text, self.pos)
        self.pos = match.end()
        return match[0]

    def tagged(self, tag: str, text: str) -> Any:
        name = tag.removeprefix("!!")
        try:
            if name in ("str", "!"):
                return text
            if name == "int":
                return _integer(text)
            if name == "float":
                return float(text.replace("_", ""))
            if name == "bool":
                return _BOOLEANS[text]
            if name == "null":
                return None
            if name == "binary":
                return base64.b64decode(text)
        except (KeyError, ValueError):
            pass
        raise self.error(f"no value of the tag {tag}")

    def key_ahead(self) -> bool:
        """Tell whether a key and a colon stand here on this line."""
        start = self.pos
        if self.peek() == "?" and self.is_blank_at(1):
            return True
        try:
            while self.peek() in ("&", "!"):
                self.property_word()
                self.skip_spaces()
            if self.peek() in ("", "\n", "|", ">", "%", "@", "`"):
                return False
            self.key()
            self.skip_spaces()
            found = self.peek() == ":" and self.is_blank_at(1)
            return found and "\n" not in self.text[start : self.pos]
        except YAMLError:
            return False
        finally:
            self.pos = start

    def key(self) -> Any:
        anchor = tag = None
        while self.peek() in ("&", "!"):
            word = self.property_word()
            if word[0] == "&":
                anchor = word[1:]
            else:
                tag = word
            self.skip_spaces()
        if self.peek() and self.peek() in "\"'[{*":
            value = self.inline(-1, tag, flow=False)
        else:
            text = self.plain_line(flow=False)
            value = self.tagged(tag, text) if tag else resolve(text)
        return self.finish(value, anchor)

    def mapping(self, column: int) -> dict:
        result: dict = {}
        merged: list = []
        while True:
            if self.peek() == "?" and self.is_blank_at(1):
                self.pos += 1
                key = self.node(column, False, True)
                at = self.pos
                self.skip_empty()
                if self.column() == column and self.peek() == ":" and self.is_blank_at(1):
                    self.pos += 1
                    value = self.node(column, True, True)
                else:
                    self.pos = at
                    value = None
            else:
                if not self.key_ahead():
                    raise self.error("a key is expected")
                key = self.key()
                self.skip_spaces()
                self.pos += 1  # the colon
                value = self.node(column, True, False)
            if key == "<<":
                merged += value if isinstance(value, list) else [value]
            else:
                self.put(result, key, value)
            if not self.next_entry(column):
                break
        return self.merge(result, merged)

    def merge(self, result: dict, merged: list) -> dict:
        if not merged:
            return result
        base: dict = {}
        for mapping in reversed(merged):
            if not isinstance(mapping, dict):
                raise self.error("a mapping to merge is expected")
            base.update(mapping)
        return {**base, **result}

    def put(self, mapping: dict, key: Any, value: Any) -> None:
        try:
            mapping[key] = value
        except TypeError:
            raise self.error("this can't be a key") from None

    def sequence(self, column: int) -> list:
        result = []
        while True:
            if not (self.peek() == "-" and self.is_blank_at(1)):
                raise self.error("an item of the list is expected")
            self.pos += 1
            result.append(self.node(column, False, True))
            at = self.pos
            if not self.next_entry(column):
                return result
            if not (self.peek() == "-" and self.is_blank_at(1)):
                self.pos = at  # the next key of the mapping that holds the list
                return result

    def next_entry(self, column: int) -> bool:
        """Go to the next entry in this column, if there is one."""
        at = self.pos
        self.skip_empty()
        here = self.column()
        if not self.peek() or self.at_marker() or here < column:
            self.pos = at
            return False
        if here > column:
            raise self.error("this is indented too far")
        return True

    # Scalars and flow collections

    def inline(self, parent: int, tag: str | None, flow: bool) -> Any:
        char = self.peek()
        if char == "*":
            name = self.property_word()[1:]
            if name not in self.anchors:
                raise self.error(f"undefined alias {name}")
            return self.anchors[name]
        if char == "[":
            return self.flow_sequence(parent)
        if char == "{":
            return self.flow_mapping(parent)
        if char == '"':
            text = self.double_quoted()
        elif char == "'":
            text = self.single_quoted()
        else:
            text = self.plain(parent, flow)
            return resolve(text) if tag is None else self.tagged(tag, text)
        return text if tag is None else self.tagged(tag, text)

    def plain_line(self, flow: bool) -> str:
        """Parse the part of a plain scalar on this line."""
        start = self.pos
        first = self.peek()
        stop = ",[]{}" if flow else ""
        indicator = first in ",[]{}#&*!|>'\"%@`"
        if first in "-?:" and (self.is_blank_at(1) or self.peek(1) in stop):
            indicator = True
        if not first or indicator:
            raise self.error("a value is expected")
        while char := self.peek():
            if char == "\n" or char in stop:
                break
            if char == ":" and (self.is_blank_at(1) or (flow and self.peek(1) in ",[]{}")):
                break
            if char == "#" and self.text[self.pos - 1] in " \t":
                break
            self.pos += 1
        text = self.text[start : self.pos].rstrip(" \t")
        self.pos = start + len(text)
        return text

    def plain(self, parent: int, flow: bool) -> str:
        text = self.plain_line(flow)
        while True:
            at = self.pos
            self.skip_spaces()
            if self.peek() != "\n":
                self.pos = at
                return text
            breaks = 0
            while self.peek() == "\n":
                self.pos += 1
                breaks += 1
                self.skip_spaces()
            char = self.peek()
            column = self.column()
            ends = not char or char == "#" or (not flow and column <= parent)
            self.pos -= column
            ends = ends or self.at_marker()
            self.pos += column
            if ends or (flow and char in ",[]{}:"):
                self.pos = at
                return text
            if not flow and self.key_ahead():
                raise self.error("a mapping can't begin here")
            line_start = self.pos
            while self.peek() and self.peek() != "\n":  # continued lines may begin with anything
                char = self.peek()
                if flow and char in ",[]{}":
                    break
                if char == ":" and (self.is_blank_at(1) or (flow and self.peek(1) in ",[]{}")):
                    break
                if char == "#" and self.text[self.pos - 1] in " \t":
                    break
                self.pos += 1
            line = self.text[line_start : self.pos].rstrip(" \t")
            self.pos = line_start + len(line)
            text += ("\n" * (breaks - 1) if breaks > 1 else " ") + line

    def fold_quoted(self) -> str:
        """Parse the end of a line within quotes, and what it becomes."""
        breaks = 0
        while self.peek() == "\n":
            self.pos += 1
            breaks += 1
            if self.at_marker():
                raise self.error("a quote is not closed")
            self.skip_spaces()
        return "\n" * (breaks - 1) if breaks > 1 else " "

    def single_quoted(self) -> str:
        self.pos += 1
        result = ""
        while True:
            char = self.peek()
            if not char:
                raise self.error("a quote is not closed")
            if char == "\n":
                result = result.rstrip(" \t") + self.fold_quoted()
            elif char == "'":
                self.pos += 1
                if self.peek() != "'":
                    return result
                result += "'"
                self.pos += 1
            else:
                result += char
                self.pos += 1

    def double_quoted(self) -> str:
        self.pos += 1
        result = ""
        kept = 0  # length of what is not stripped at the end of a line
        while True:
            char = self.peek()
            if not char:
                raise self.error("a quote is not closed")
            if char == '"':
                self.pos += 1
                return result
            if char == "\n":
                result = result[:kept] + result[kept:].rstrip(" \t") + self.fold_quoted()
            elif char == "\\":
                self.pos += 1
                result += self.escape()
                kept = len(result)
            else:
                result += char
                self.pos += 1

    def escape(self) -> str:
        char = self.peek()
        self.pos += 1
        if char == "\n":
            self.pos -= 1
            folded = self.fold_quoted()
            return "" if folded == " " else folded
        if char in _HEX_ESCAPES:
            digits = self.text[self.pos : self.pos + _HEX_ESCAPES[char]]
            if not re.fullmatch("[0-9a-fA-F]+", digits) or len(digits) < _HEX_ESCAPES[char]:
                raise self.error("hexadecimal digits are expected")
            self.pos += len(digits)
            return chr(int(digits, 16))
        if char not in _ESCAPES or not char:
            raise self.error("unknown escape")
        return _ESCAPES[char]

    def flow_value(self, parent: int) -> Any:
        anchor = tag = None
        while self.peek() in ("&", "!"):
            word = self.property_word()
            if word[0] == "&":
                anchor = word[1:]
            else:
                tag = word
            self.skip_empty()
        if self.peek() in (",", "]", "}"):
            value = None if tag is None else self.tagged(tag, "")
        else:
            value = self.inline(parent, tag, flow=True)
        return self.finish(value, anchor)

    def flow_pair_value(self, parent: int) -> Any:
        self.pos += 1  # the colon
        self.skip_empty()
        return None if self.peek() in (",", "]", "}") else self.flow_value(parent)

    def flow_next(self, close: str) -> bool:
        """Skip the comma in front of the next entry, or the closing bracket."""
        self.skip_empty()
        if self.peek() == ",":
            self.pos += 1
            self.skip_empty()
            if self.peek() != close:
                return True
        if self.peek() != close:
            raise self.error(f"expected , or {close}")
        self.pos += 1
        return False

    def flow_sequence(self, parent: int) -> list:
        self.pos += 1
        self.skip_empty()
        result: list = []
        if self.peek() == "]":
            self.pos += 1
            return result
        while True:
            value = self.flow_value(parent)
            self.skip_empty()
            if self.peek() == ":":
                pair: dict = {}
                self.put(pair, value, self.flow_pair_value(parent))
                value = pair
            result.append(value)
            if not self.flow_next("]"):
                return result

    def flow_mapping(self, parent: int) -> dict:
        self.pos += 1
        self.skip_empty()
        result: dict = {}
        merged: list = []
        if self.peek() == "}":
            self.pos += 1
            return result
        while True:
            if self.peek() == "?" and self.is_blank_at(1):
                self.pos += 1
                self.skip_empty()
            key = self.flow_value(parent)
            self.skip_empty()
            value = self.flow_pair_value(parent) if self.peek() == ":" else None
            if key == "<<":
                merged += value if isinstance(value, list) else [value]
            else:
                self.put(result, key, value)
            if not self.flow_next("}"):
                return self.merge(result, merged)

    def block_scalar(self, parent: int) -> str:
        match = re.compile(r"([|>])([-+]?)([1-9]?)([-+]?)").match(self.text, self.pos)
        self.pos = match.end()
        self.end_of_line()
        chomp = match[2] or match[4]
        rest = self.text[self.pos + 1 :]
        indent = parent + int(match[3]) if match[3] else None
        if match[3] and parent < 0:
            indent = int(match[3])
        lines: list[str] = []
        used = 0
        for line in re.findall(r"[^\n]*\n|[^\n]+", rest):
            bare = line.rstrip("\n")
            depth = len(bare) - len(bare.lstrip(" "))
            if bare.strip(" "):
                if indent is None and depth > parent:
                    indent = depth
                if indent is None or depth < indent:
                    break
                if indent == 0 and bare[:3] in ("---", "...") and not bare[3:].strip():
                    break
            lines.append(bare[indent:] if indent is not None else "")
            used += len(line)
        self.pos = min(self.pos + 1 + used, len(self.text))
        if self.pos > 0 and self.text[self.pos - 1] == "\n":
            self.pos -= 1
        end = len(lines)
        while end and not lines[end - 1]:
            end -= 1
        body, empty = lines[:end], len(lines) - end
        text = "\n".join(body) if match[1] == "|" else _fold(body)
        if chomp == "-" or (not body and chomp != "+"):
            return text
        return text + "\n" * (1 + empty if chomp == "+" and body else empty if chomp == "+" else 1)


def _fold(lines: list[str]) -> str:
    text = ""
    empty = 0
    previous = None
    for line in lines:
        if not line:
            empty += 1
            continue
        if previous is None:
            text += "\n" * empty
        elif line[0] in " \t" or previous[0] in " \t":
            text += "\n" * (empty + 1)
        else:
            text += "\n" * empty if empty else " "
        text += line
        previous = line
        empty = 0
    return text
