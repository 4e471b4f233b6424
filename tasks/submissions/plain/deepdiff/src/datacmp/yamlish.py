"""A small YAML reader for block and flow collections and scalars."""

import re


class YamlError(ValueError):
    pass


INT = re.compile(r"[-+]?(0|[1-9][0-9_]*)$")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*\.[0-9]*)([eE][-+]?[0-9]+)?$|[-+]?[0-9]+[eE][-+]?[0-9]+$")
ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b",
    "f": "\f", "v": "\v", '"': '"', "\\": "\\", "/": "/", " ": " ",
}


def scalar(text):
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if INT.match(text):
        return int(text.replace("_", ""))
    if re.match(r"0x[0-9a-fA-F]+$", text):
        return int(text, 16)
    if re.match(r"0o[0-7]+$", text):
        return int(text, 8)
    if FLOAT.match(text):
        return float(text.replace("_", ""))
    if text.lower() in (".inf", "+.inf", "-.inf"):
        return float(text.lower().replace(".", ""))
    if text.lower() == ".nan":
        return float("nan")
    return text


def quoted(text, pos):
    """Read a quoted string at pos; return value and position behind it, or None."""
    quote = text[pos]
    pos += 1
    out = []
    while pos < len(text):
        c = text[pos]
        if quote == "'" and c == "'":
            if text[pos + 1:pos + 2] == "'":
                out.append("'")
                pos += 2
                continue
            return "".join(out), pos + 1
        if quote == '"' and c == '"':
            return "".join(out), pos + 1
        if quote == '"' and c == "\\":
            e = text[pos + 1:pos + 2]
            if e in ("x", "u", "U"):
                n = {"x": 2, "u": 4, "U": 8}[e]
                try:
                    out.append(chr(int(text[pos + 2:pos + 2 + n], 16)))
                except ValueError:
                    raise YamlError("bad escape")
                pos += 2 + n
                continue
            if e == "\n":
                pos += 2
                while text[pos:pos + 1] in (" ", "\t"):
                    pos += 1
                continue
            if e not in ESCAPES:
                raise YamlError("unknown escape")
            out.append(ESCAPES[e])
            pos += 2
            continue
        if c == "\n":
            m = re.compile(r"[ \t]*(\n[ \t]*)+").match(text, pos)
            breaks = m.group(0).count("\n")
            while out and out[-1] in (" ", "\t"):
                out.pop()
            out.append(" " if breaks == 1 else "\n" * (breaks - 1))
            pos = m.end()
            continue
        out.append(c)
        pos += 1
    return None


class Flow:
    """Reads flow collections from a text."""

    def __init__(self, text, pos=0):
        self.text = text
        self.pos = pos

    def blanks(self):
        while True:
            m = re.compile(r"\s*").match(self.text, self.pos)
            self.pos = m.end()
            if self.text[self.pos:self.pos + 1] == "#" and (m.group(0) or self.pos == 0):
                end = self.text.find("\n", self.pos)
                self.pos = len(self.text) if end < 0 else end
            else:
                return

    def peek(self):
        self.blanks()
        if self.pos >= len(self.text):
            raise EOFError
        return self.text[self.pos]

    def value(self):
        c = self.peek()
        if c == "[":
            return self.sequence()
        if c == "{":
            return self.mapping()
        if c in "'\"":
            result = quoted(self.text, self.pos)
            if result is None:
                raise EOFError
            self.pos = result[1]
            return result[0]
        m = re.compile(r"(?:[^,\[\]{}:#]|:(?![\s,\[\]{}]|$)|(?<!\s)#)*").match(self.text, self.pos)
        self.pos = m.end()
        return scalar(" ".join(m.group(0).split()))

    def sequence(self):
        self.pos += 1
        items = []
        while True:
            if self.peek() == "]":
                self.pos += 1
                return items
            item = self.value()
            if self.peek() == ":":
                self.pos += 1
                item = {item: None if self.peek() in ",]" else self.value()}
            items.append(item)
            c = self.peek()
            if c == ",":
                self.pos += 1
            elif c != "]":
                raise YamlError("expected , or ]")

    def mapping(self):
        self.pos += 1
        result = {}
        while True:
            if self.peek() == "}":
                self.pos += 1
                return result
            key = self.value()
            value = None
            if self.peek() == ":":
                self.pos += 1
                if self.peek() not in ",}":
                    value = self.value()
            if isinstance(key, (list, dict)):
                raise YamlError("key is not a scalar")
            result[key] = value
            c = self.peek()
            if c == ",":
                self.pos += 1
            elif c != "}":
                raise YamlError("expected , or }")


KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\[\]{}"'&*!|>%@`,](?:[^:#]|:(?=\S)|(?<=\S)#)*?)\s*:(?=\s|$)""")


def strip_comment(text):
    if text.startswith("#"):
        return ""
    m = re.search(r"\s#", text)
    return (text[:m.start()] if m else text).rstrip()


class Parser:
    def __init__(self, text):
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.pos = 0
        self.anchors = {}

    def peek(self):
        while self.pos < len(self.lines):
            line = self.lines[self.pos]
            content = line.lstrip(" ")
            if content.strip() == "" or content.startswith("#"):
                self.pos += 1
                continue
            if content.startswith("\t"):
                raise YamlError("tab in indentation")
            return len(line) - len(content), content.rstrip()
        return None

    def document(self):
        while (head := self.peek()) and head[1].startswith("%"):
            self.pos += 1
        if head and head[1].startswith("---"):
            self.lines[self.pos] = "   " + head[1][3:]
        value = self.block(0)
        head = self.peek()
        if head and head[1] == "...":
            self.pos += 1
            head = self.peek()
        if head:
            raise YamlError(f"line {self.pos + 1}: unexpected content")
        return value

    def block(self, least):
        head = self.peek()
        if head is None or head[0] < least or head[1] == "...":
            return None
        indent, content = head
        if content == "-" or content.startswith("- "):
            return self.sequence(indent)
        if KEY.match(content):
            return self.mapping(indent)
        self.pos += 1
        return self.inline(content, least - 1)

    def sequence(self, indent):
        items = []
        while (head := self.peek()) and head[0] == indent and (head[1] == "-" or head[1].startswith("- ")):
            rest = head[1][1:].lstrip()
            if strip_comment(rest) == "":
                self.pos += 1
                items.append(self.block(indent + 1))
            elif rest == "-" or rest.startswith("- ") or KEY.match(rest):
                offset = indent + len(head[1]) - len(rest)
                self.lines[self.pos] = " " * offset + rest
                items.append(self.block(offset))
            else:
                self.pos += 1
                items.append(self.inline(rest, indent))
        if head and head[0] > indent:
            raise YamlError(f"line {self.pos + 1}: bad indentation")
        return items

    def mapping(self, indent):
        result = {}
        merged = {}
        while (head := self.peek()) and head[0] == indent:
            m = KEY.match(head[1])
            if not m:
                if head[1] == "...":
                    break
                raise YamlError(f"line {self.pos + 1}: expected a key")
            name = m.group(1)
            key = quoted(name, 0)[0] if name[0] in "'\"" else scalar(name)
            rest = head[1][m.end():].strip()
            self.pos += 1
            value = self.inline(rest, indent, True)
            if name == "<<" and isinstance(value, dict):
                merged.update(value)
            elif key in result:
                raise YamlError(f"duplicate key {name}")
            else:
                result[key] = value
        if head and head[0] > indent:
            raise YamlError(f"line {self.pos + 1}: bad indentation")
        return {**merged, **result}

    def inline(self, rest, indent, in_mapping=False):
        """Read the value that starts with rest, inside of something at indent."""
        if (m := re.match(r"&(\S+)\s*", rest)):
            value = self.inline(rest[m.end():], indent, in_mapping)
            self.anchors[m.group(1)] = value
            return value
        if (m := re.match(r"\*(\S+)$", strip_comment(rest))):
            if m.group(1) not in self.anchors:
                raise YamlError(f"unknown alias {m.group(1)}")
            return self.anchors[m.group(1)]
        if (m := re.match(r"!!?(\S*)\s*", rest)):
            value = self.inline(rest[m.end():], indent, in_mapping)
            return str(value) if m.group(1) == "str" else value
        if strip_comment(rest) == "":
            head = self.peek()
            if head and in_mapping and head[0] == indent and (head[1] == "-" or head[1].startswith("- ")):
                return self.sequence(indent)
            return self.block(indent + 1)
        if rest[0] in "|>":
            return self.block_scalar(rest, indent)
        if rest[0] in "[{'\"":
            return self.flow(rest)
        if rest[0] in "@`%]},":
            raise YamlError(f"line {self.pos}: unexpected {rest[0]}")
        text = strip_comment(rest)
        while (head := self.peek()) and head[0] > indent and text == rest.rstrip():
            rest = head[1]
            more = strip_comment(rest)
            if KEY.match(more):
                raise YamlError(f"line {self.pos + 1}: unexpected key")
            text = rest = text + " " + more
            self.pos += 1
        if re.search(r":(\s|$)", text):
            raise YamlError(f"line {self.pos}: unexpected :")
        return scalar(text)

    def flow(self, text):
        while True:
            flow = Flow(text)
            try:
                value = flow.value()
                break
            except EOFError:
                if self.pos >= len(self.lines):
                    raise YamlError("unexpected end")
                text += "\n" + self.lines[self.pos].strip()
                self.pos += 1
        if strip_comment(text[flow.pos:].strip()):
            raise YamlError(f"line {self.pos}: unexpected content")
        return value

    def block_scalar(self, head, indent):
        m = re.match(r"([|>])([-+]?)([1-9]?)([-+]?)\s*(#.*)?$", head)
        if not m:
            raise YamlError(f"line {self.pos}: bad block scalar")
        style, chomp = m.group(1), m.group(2) or m.group(4)
        width = max(indent, 0) + int(m.group(3)) if m.group(3) else None
        lines = []
        while self.pos < len(self.lines):
            line = self.lines[self.pos]
            if line.strip():
                n = len(line) - len(line.lstrip(" "))
                if width is None:
                    if n <= indent:
                        break
                    width = n
                if n < width:
                    break
                lines.append(line[width:])
            else:
                lines.append(line[width:] if width is not None else "")
            self.pos += 1
        trailing = 0
        while lines and lines[-1] == "":
            lines.pop()
            trailing += 1
        if style == "|":
            text = "\n".join(lines)
        else:
            text = ""
            for i, line in enumerate(lines):
                if i == 0:
                    text = line
                elif line == "":
                    text += "\n"
                elif line[0] in " \t" or lines[i - 1][:1] in (" ", "\t"):
                    text += "\n" + line
                elif lines[i - 1] == "":
                    text += line
                else:
                    text += " " + line
        if chomp == "-":
            return text
        if chomp == "+":
            return text + "\n" * max(trailing, 1)
        return text + "\n" if text else text


def loads(text):
    return Parser(text.removeprefix("\ufeff")).document()
