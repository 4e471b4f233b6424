"""The forms in which a file is printed."""

from typing import Callable

LANGUAGES = {
    "py": "python",
    "c": "c",
    "cpp": "cpp",
    "java": "java",
    "js": "javascript",
    "ts": "typescript",
    "html": "html",
    "css": "css",
    "xml": "xml",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "sh": "bash",
    "rb": "ruby",
}


def add_line_numbers(content: str) -> str:
    lines = content.splitlines()
    width = len(str(len(lines)))
    return "\n".join(f"{number:{width}}  {line}" for number, line in enumerate(lines, 1))


class Printer:
    """Prints files, one after the other, by means of a function that prints
    a text and a line feed."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        cxml: bool = False,
        markdown: bool = False,
        line_numbers: bool = False,
    ) -> None:
        self._write = write
        self._line_numbers = line_numbers
        self._cxml = cxml
        self._index = 1
        if cxml:
            self._print = self._print_cxml
        elif markdown:
            self._print = self._print_markdown
        else:
            self._print = self._print_plain

    def start(self) -> None:
        if self._cxml:
            self._write("<documents>")

    def end(self) -> None:
        if self._cxml:
            self._write("</documents>")

    def print_file(self, path: str, content: str) -> None:
        if self._line_numbers:
            content = add_line_numbers(content)
        self._print(path, content)

    def _print_plain(self, path: str, content: str) -> None:
        for text in (path, "---", content, "", "---"):
            self._write(text)

    def _print_cxml(self, path: str, content: str) -> None:
        self._write(f'<document index="{self._index}">')
        self._write(f"<source>{path}</source>")
        self._write("<document_content>")
        self._write(content)
        self._write("</document_content>")
        self._write("</document>")
        self._index += 1

    def _print_markdown(self, path: str, content: str) -> None:
        language = LANGUAGES.get(path.split(".")[-1], "")
        fence = "```"
        while fence in content:
            fence += "`"
        self._write(path)
        self._write(fence + language)
        self._write(content)
        self._write(fence)
