"""Finding the files that a path stands for."""

import os
from fnmatch import fnmatch
from typing import Iterator

from .options import Options


class Finder:
    """Finds the files of one path after the other; patterns of .gitignore
    files stay in force from one path to the next."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._gitignore_patterns: list[str] = []

    def files(self, path: str) -> Iterator[str]:
        self._read_gitignore(os.path.dirname(path))
        if not os.path.isdir(path):
            yield path
            return
        for folder, folders, names in os.walk(path):
            self._read_gitignore(folder)
            folders[:] = sorted(name for name in folders if self._keeps_folder(name))
            for name in sorted(names):
                if self._keeps_file(name):
                    yield os.path.join(folder, name)

    def _read_gitignore(self, folder: str) -> None:
        if self._options.ignore_gitignore:
            return
        path = os.path.join(folder, ".gitignore")
        if not os.path.isfile(path):
            return
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                pattern = line.strip()
                if pattern and not pattern.startswith("#"):
                    self._gitignore_patterns.append(pattern)

    def _keeps_folder(self, name: str) -> bool:
        if self._is_hidden(name):
            return False
        for pattern in self._gitignore_patterns:
            if fnmatch(name, pattern.removesuffix("/")):
                return False
        return self._options.ignore_files_only or not self._is_ignored(name)

    def _keeps_file(self, name: str) -> bool:
        if self._is_hidden(name):
            return False
        if any(fnmatch(name, pattern) for pattern in self._gitignore_patterns):
            return False
        if self._is_ignored(name):
            return False
        extensions = self._options.extensions
        return not extensions or name.endswith(tuple(extensions))

    def _is_hidden(self, name: str) -> bool:
        return name.startswith(".") and not self._options.include_hidden

    def _is_ignored(self, name: str) -> bool:
        return any(fnmatch(name, pattern) for pattern in self._options.ignore_patterns)
