"""The package registries as an agent's container may see them: PyPI, npm and Go's proxy behind one Unix socket, all but the oracle.

It speaks the registries' own protocols over plain HTTP and fetches from the registries that the host uses, so that it sees which package
each request is for, as a proxy of encrypted connections could not. Addresses in the registries' answers (wheels, tarballs) are replaced by
its own, and only what such an answer named, or the registry's own scheme of paths gives, can be fetched: there is no way through it to
anywhere else. Every file that passes, and every refusal, is noted here, on the host, where no agent can change the note.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import socketserver
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, unquote, urlsplit

from clibench.digest import digest_bytes
from clibench.generation.packages import NAMES, Download, is_oracle
from clibench.generation.registry_pages import Rewrite, npm_page, pypi_page
from clibench.generation.registry_upstreams import Upstreams
from clibench.llm.ledger import now
from clibench.sandbox.registries import host_certificates
from clibench.tasks.task import Oracle

PORT: Final = 8198
"""Where it is found inside."""
SOCKET: Final = "registries.sock"
_ROOT: Final = f"http://127.0.0.1:{PORT}"
_TIMEOUT_S: Final = 120.0
_ABSENT: Final = 404


def agent_environment(upstreams: Upstreams) -> dict[str, str]:
    """What tells pip, uv, npm and Go of it."""
    return {
        "PIP_INDEX_URL": f"{_ROOT}/pypi/simple",
        "UV_DEFAULT_INDEX": f"{_ROOT}/pypi/simple",
        "npm_config_registry": f"{_ROOT}/npm/",
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_omit_lockfile_registry_resolved": "true",  # a lock file with this address would be of no use outside
        "GOPROXY": f"{_ROOT}/go",
        "GOSUMDB": upstreams.sumdb or "off",
        "GONOSUMDB": upstreams.nosumdb,
    }


class RegistryMirror:
    """A context manager: serves on `folder`/registries.sock, in threads of this process."""

    def __init__(self, folder: Path, oracle: Oracle | None, upstreams: Upstreams) -> None:
        self._folder = folder
        self._oracle = oracle
        self.upstreams = upstreams
        self._files: dict[str, tuple[str, str, str]] = {}
        self._downloads: list[Download] = []
        self._lock = threading.Lock()
        context = ssl.create_default_context(cafile=str(found) if (found := host_certificates()) else None)
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))

    def __enter__(self) -> Self:
        # A socket's path has at most 107 bytes, and a scratch folder's is long: it is bound by way of a descriptor of the folder.
        handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._server = _Server(f"/proc/self/fd/{handle}/{SOCKET}", _handler(self))
        finally:
            os.close(handle)
        (self._folder / SOCKET).chmod(0o666)  # the container's user is another one
        threading.Thread(target=self._server.serve_forever, name="registries", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def downloads(self) -> tuple[Download, ...]:
        """What was asked for until now."""
        with self._lock:
            return tuple(self._downloads)

    def note(self, registry: str, package: str, file: str, outcome: str, size: int = 0, detail: str = "") -> None:
        """Keep a download; one refusal of each package is enough, clients ask again and again."""
        with self._lock:
            told = any((known.registry, known.package, known.outcome) == (registry, package, "refused") for known in self._downloads)
            if outcome != "refused" or not told:
                self._downloads.append(Download(now(), registry, package, file, outcome, size, detail))

    def refuses(self, registry: str, package: str) -> bool:
        """Whether it is the oracle's."""
        return self._oracle is not None and is_oracle(self._oracle, registry, package)

    def replaced(self, registry: str, package: str, url: str) -> str:
        """Our address of a file that an answer about `package` named."""
        plain, _, fragment = url.partition("#")
        key = digest_bytes(f"{registry} {package} {plain}".encode())[:24]
        self._files[key] = (registry, package, plain)
        return f"{_ROOT}/files/{key}/{quote(urlsplit(plain).path.rpartition('/')[2])}" + (f"#{fragment}" if fragment else "")

    def file(self, key: str) -> tuple[str, str, str] | None:
        """Registry, package and address of a file that was named."""
        return self._files.get(key)

    def open(self, urls: tuple[str, ...], headers: Mapping[str, str]) -> HTTPResponse:
        """The answer of the first upstream that has it. Raises HTTPError of the last one, or OSError."""
        failure: Exception = urllib.error.HTTPError("", _ABSENT, "no registry of this kind", None, None)  # type: ignore[arg-type]
        for url in urls:
            if urlsplit(url).scheme not in ("http", "https"):
                continue
            try:
                answer: HTTPResponse = self._opener.open(urllib.request.Request(url, headers=dict(headers)), timeout=_TIMEOUT_S)  # noqa: S310
            except urllib.error.HTTPError as error:
                failure = error
                if error.code not in (404, 410):
                    raise
            else:
                return answer
        raise failure


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def _handler(mirror: RegistryMirror) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _Request(mirror, self).answer()

        do_HEAD = do_GET  # noqa: N815 - the library's names

        def log_message(self, *words: Any) -> None:
            """Nothing: downloads are noted."""

    return Handler


class _Request:
    """One request; every part of its path is checked before anything is asked of a registry."""

    def __init__(self, mirror: RegistryMirror, http: BaseHTTPRequestHandler) -> None:
        self._mirror = mirror
        self._http = http

    def answer(self) -> None:
        """Route it."""
        path = unquote(self._http.path.partition("?")[0])
        parts = path.removeprefix("/").removesuffix("/").split("/")
        if not path.startswith("/") or any(part in ("", ".", "..") or not part.isprintable() for part in parts):
            self._say(400, "not a path of a package registry")
            return
        match parts:
            case ["pypi", "simple", name]:
                self._page("pypi", name, tuple(f"{root}/{name}/" for root in self._mirror.upstreams.pypi), pypi_page)
            case ["files", key, file]:
                self._file(key, file)
            case ["npm", *rest] if rest and rest[0] != "-":
                self._npm(rest)
            case ["go", "sumdb", host, *rest] if host == self._mirror.upstreams.sumdb_host and rest:
                self._sumdb(host, "/".join(rest))
            case ["go", *module, "@v", file]:
                self._go("/".join(module), f"@v/{file}")
            case ["go", *module, "@latest"]:
                self._go("/".join(module), "@latest")
            case _:
                self._say(_ABSENT, "nothing but packages of PyPI, npm and Go can be reached from here")

    def _npm(self, rest: list[str]) -> None:
        length = 2 if rest[0].startswith("@") and len(rest) > 1 else 1
        name, more = "/".join(rest[:length]), rest[length:]
        roots = self._mirror.upstreams.npm
        if len(more) == 2 and more[0] == "-":
            self._pass_on("npm", name, more[1], tuple(f"{root}/{name}/-/{quote(more[1])}" for root in roots))
        elif len(more) <= 1:
            end = "".join(f"/{quote(word)}" for word in more)
            self._page("npm", name, tuple(f"{root}/{quote(name, safe='@')}{end}" for root in roots), npm_page)
        else:
            self._say(_ABSENT, "no such thing of npm's can be reached from here")

    def _go(self, escaped: str, what: str) -> None:
        module = re.sub("!([a-z])", lambda found: found[1].upper(), escaped)
        if not NAMES["go"].fullmatch(module.lower()):
            self._say(400, "not a module path")
            return
        urls = tuple(f"{root}/{escaped}/{quote(what, safe='/@!')}" for root in self._mirror.upstreams.go)
        self._pass_on("go", module, what.removeprefix("@v/"), urls, noted=what.endswith(".zip"))

    def _sumdb(self, host: str, rest: str) -> None:
        """Hashes of modules: by Go's proxy, else by the database itself."""
        if rest == "supported":
            self._say(200, "")
            return
        quoted = quote(rest, safe="/@!+")
        urls = (*(f"{root}/sumdb/{host}/{quoted}" for root in self._mirror.upstreams.go), f"https://{host}/{quoted}")
        self._pass_on("go", "", f"sumdb/{rest}", urls, noted=False)

    def _file(self, key: str, file: str) -> None:
        known = self._mirror.file(key)
        if known is None:
            self._say(_ABSENT, "no answer about a package named this file")
            return
        registry, package, url = known
        metadata = ".metadata" if file.endswith(".metadata") and not url.endswith(".metadata") else ""
        self._pass_on(registry, package, file, (url + metadata,), noted=not metadata)

    def _page(self, registry: str, name: str, urls: tuple[str, ...], rewrite: Rewrite) -> None:
        """An answer about a package, with our addresses in it."""
        if not self._admitted(registry, name):
            return
        accept = self._http.headers.get("Accept")
        answer = self._fetched(registry, name, "", urls, {"Accept": accept} if accept else {}, noted=True)
        if answer is None:
            return
        with answer:
            try:
                body = answer.read()
                if answer.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                kind = answer.headers.get("Content-Type", "application/octet-stream")
                body = rewrite(body, answer.url, lambda url: self._mirror.replaced(registry, name, url))
            except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError) as error:
                self._mirror.note(registry, name, "", "failed", detail=repr(error)[:200])
                self._say(502, "the registry's answer can't be read")
                return
        self._send(200, {"Content-Type": kind, "Content-Length": str(len(body))}, body)

    def _pass_on(self, registry: str, package: str, file: str, urls: tuple[str, ...], *, noted: bool = True) -> None:
        """A file, as it comes."""
        if package and not self._admitted(registry, package):
            return
        answer = self._fetched(registry, package, file, urls, {}, noted=noted)
        if answer is None:
            return
        passed = 0
        with answer:
            kept = {name: answer.headers[name] for name in ("Content-Type", "Content-Length", "Content-Encoding") if name in answer.headers}
            self._send(200, kept, b"")
            try:
                while self._http.command != "HEAD" and (chunk := answer.read(1 << 16)):
                    self._http.wfile.write(chunk)
                    passed += len(chunk)
            except (OSError, HTTPException) as error:
                self._mirror.note(registry, package, file, "failed", passed, repr(error)[:200])
                return
        if noted and self._http.command != "HEAD":
            self._mirror.note(registry, package, file, "fetched", passed)

    def _admitted(self, registry: str, name: str) -> bool:
        if not NAMES[registry].fullmatch(name.lower() if registry == "go" else name):
            self._say(400, "not a name of a package")
            return False
        if self._mirror.refuses(registry, name):
            self._mirror.note(registry, name, "", "refused")
            self._say(403, f"{name} is the tool that is to be built: it can't be installed here")
            return False
        return True

    def _fetched(
        self, registry: str, name: str, file: str, urls: tuple[str, ...], headers: Mapping[str, str], *, noted: bool
    ) -> HTTPResponse | None:
        try:
            return self._mirror.open(urls, {"Accept-Encoding": "identity", "User-Agent": "clibench", **headers})
        except urllib.error.HTTPError as error:
            self._say(error.code if 400 <= error.code < 500 else 502, f"the registry says {error.code} {error.reason}")
            detail = "" if error.code in (404, 410) else f"status {error.code}"  # a name that does not exist is no failure
        except (OSError, HTTPException, ValueError) as error:
            self._say(502, "the registry can't be reached")
            detail = repr(error)[:200]
        if noted and detail:
            self._mirror.note(registry, name, file, "failed", detail=detail)
        return None

    def _say(self, status: int, words: str) -> None:
        npm = self._http.path.startswith("/npm/")
        body = (json.dumps({"error": words}) if npm else f"{words}\n" if words else "").encode()
        kind = "application/json" if npm else "text/plain; charset=utf-8"
        self._send(status, {"Content-Type": kind, "Content-Length": str(len(body))}, body)

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        with suppress(OSError):
            self._http.send_response(status)
            for name, value in headers.items():
                self._http.send_header(name, value)
            self._http.end_headers()
            if body and self._http.command != "HEAD":
                self._http.wfile.write(body)
