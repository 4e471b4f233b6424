"""Three small package registries on loopback, each with one tool that is the oracle and one library that is not."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIBRARY, ORACLE = "small-library", "real-greeter"


def wheel(name: str) -> tuple[str, bytes]:
    """A wheel with one module."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": "WORD = 'from the index'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    return f"{module}-1.0-py3-none-any.whl", _zip(files)


def tarball(name: str) -> bytes:
    """An npm package with one module."""
    buffer = io.BytesIO()
    files = {
        "package/package.json": json.dumps({"name": name, "version": "1.0.0"}),
        "package/index.js": "module.exports = 'from the registry'\n",
    }
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def pages(root: str) -> dict[str, tuple[str, bytes]]:
    """Content type and body by path. Files lie apart from the pages, as with the real ones."""
    found: dict[str, tuple[str, bytes]] = {"/secret": ("text/plain", b"nothing of a registry")}
    for name in (LIBRARY, ORACLE):
        file, data = wheel(name)
        digest = hashlib.sha256(data).hexdigest()
        found[f"/py/files/{file}"] = ("application/zip", data)
        found[f"/py/simple/{name}/"] = ("text/html", f'<a href="../../files/{file}#sha256={digest}">{file}</a>'.encode())
        tgz = tarball(name)
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(tgz).digest()).decode()
        version = {"name": name, "version": "1.0.0", "dist": {"tarball": f"{root}/tgz/{name}-1.0.0.tgz", "integrity": integrity}}
        body = {"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        found[f"/tgz/{name}-1.0.0.tgz"] = ("application/octet-stream", tgz)
        found[f"/npm/{name}"] = ("application/json", json.dumps(body).encode())
    for module in ("example.com/Library", "example.com/greeter"):
        escaped, mod = module.replace("L", "!l"), f"module {module}\n"
        files = {"go.mod": mod, "word.go": "package word\n\nconst Word = 1\n"}
        archive = _zip({f"{module}@v1.0.0/{path}": text for path, text in files.items()})
        info = json.dumps({"Version": "v1.0.0", "Time": "2026-01-01T00:00:00Z"}).encode()
        found[f"/go/{escaped}/@v/list"] = ("text/plain", b"v1.0.0\n")
        found[f"/go/{escaped}/@latest"] = found[f"/go/{escaped}/@v/v1.0.0.info"] = ("application/json", info)
        found[f"/go/{escaped}/@v/v1.0.0.mod"] = ("text/plain", mod.encode())
        found[f"/go/{escaped}/@v/v1.0.0.zip"] = ("application/zip", archive)
    return found


@contextmanager
def registries() -> Iterator[tuple[str, list[str]]]:
    """Their address, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            kind, body = served.get(self.path, ("", b""))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        root = f"http://127.0.0.1:{server.server_address[1]}"
        served = pages(root)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield root, asked
        server.shutdown()


def _zip(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return buffer.getvalue()
