"""The image that the Docker back end runs: named by what goes into it, made where it is missing.

The name is the digest of the Dockerfile and the name of the base, so that one version of clibench means one image, and a change of either
means new results. Where the base can be pulled from no image registry, it is made from the Debian archive that the host itself installs
from (debootstrap), which needs root.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.digest import digest_json
from clibench.errors import SandboxError, UserError
from clibench.sandbox.daemon import docker, server_version
from clibench.sandbox.reap import scratch_folder, scratch_lock
from clibench.sandbox.registries import host_certificates, registry_settings

log = logging.getLogger(__name__)

_FOLDER: Final = Path(__file__).parent / "images"
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_BUILD_S: Final = 1800.0


@dataclass(frozen=True)
class Image:
    """An image that is there."""

    name: str
    """What `docker run` is given."""
    digest: str
    """Of what it was made of; of the image itself where the user brought it."""


def ensure_image(base: str) -> Image:
    """Our image on the given base, built where it is missing (some minutes, once). Raises SandboxError where it can't be built."""
    digest = digest_json({"dockerfile": (_FOLDER / "Dockerfile").read_text(), "base": base})
    image = Image(f"clibench-sandbox:{digest[:16]}", digest)
    if _exists(image.name):
        return image
    with scratch_lock(digest[:16]):  # several runs that start at once build it once
        if not _exists(image.name):
            ensure_base(base)
            log.warning("building the sandbox image %s: takes some minutes, once", image.name)
            proxies = [argument for name in _PROXIES if name in os.environ for argument in ("--build-arg", name)]
            try:
                with build_context() as context:
                    build = ("build", "--quiet", "--force-rm", "--build-arg", f"BASE={base}", *proxies, "--tag", image.name, str(context))
                    docker(*build, timeout_s=_BUILD_S)
            finally:  # the stage that saw the host's settings goes, whatever became of the image
                _remove_stages()
    return image


def _remove_stages() -> None:
    """Remove what builds leave; where that fails, why the build failed is the better answer."""
    try:
        docker("image", "prune", "--force", "--filter", "label=clibench.stage", timeout_s=_BUILD_S)
    except SandboxError as error:
        log.warning("a stage of the sandbox image may be left behind: %s", error)


@contextmanager
def build_context() -> Iterator[Path]:
    """The folder that `docker build` is given: the Dockerfile, and how this host reaches the registries."""
    with scratch_folder("image") as folder:
        context = folder / "context"
        shutil.copytree(_FOLDER, context)
        certificates = host_certificates()
        settings = registry_settings("/host/certificates.pem" if certificates else None)
        if certificates is not None:
            shutil.copyfile(certificates, context / "host" / "certificates.pem")
        lines = [f"export {name}={shlex.quote(value)}\n" for name, value in sorted(settings.items())]
        (context / "host" / "registries.env").write_text("".join(lines))
        yield context


def user_image(name: str) -> Image:
    """An image of the user's own. Raises UserError where it is neither there nor can be pulled, SandboxError where the daemon is gone."""
    if not _exists(name):
        try:
            docker("pull", "--quiet", name, timeout_s=_BUILD_S)
        except SandboxError as error:
            server_version()
            raise UserError(
                f"is not there and can't be pulled: {error.what}",
                where=f"sandbox.image={name}",
                fix="Build it, or leave it empty.",
            ) from error
    return Image(name, docker("image", "inspect", "--format", "{{.Id}}", name).strip().removeprefix("sha256:"))


def ensure_base(base: str) -> None:
    """Have the base image: as it is there, else pulled, else made from the Debian archive."""
    if _exists(base):
        return
    try:
        docker("pull", "--quiet", base, timeout_s=600)
    except SandboxError as error:
        release = re.fullmatch(r"debian:([a-z]+)(?:-slim)?", base)
        if release is None:
            raise SandboxError(
                f"can't be pulled: {error.what}",
                where=f"image {base}",
                fix="Choose debian:trixie-slim, which can be made without an image registry.",
            ) from error
        log.warning("no image registry gives %s: making it with debootstrap", base)
        bootstrap(release[1], base)


def bootstrap(release: str, name: str) -> None:
    """Make a minimal Debian image from the host's own archive mirror. Raises SandboxError without root or debootstrap."""
    if os.getuid() != 0 or shutil.which("debootstrap") is None:
        raise SandboxError(
            "no image registry is reachable, and making the base image needs root and debootstrap",
            where=f"image {name}",
            fix="Run scripts/setup_docker.sh as root, or `docker pull` it where a registry is reachable.",
        )
    with scratch_folder("debootstrap") as folder:
        root = folder / "root"
        mirror = debian_mirror()
        made = subprocess.run(
            ("debootstrap", "--variant=minbase", release, str(root), *([mirror] if mirror else [])),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if made.returncode:
            lines = (made.stdout + made.stderr).decode(errors="replace").strip().splitlines()
            raise SandboxError(f"debootstrap {release} failed: {lines[-1] if lines else 'no message'}", where=f"image {name}")
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        with subprocess.Popen(("tar", "-C", str(root), "-c", "."), stdout=subprocess.PIPE) as tar:
            assert tar.stdout is not None  # noqa: S101 - a pipe was asked for
            docker("import", "-", name, stdin=tar.stdout, timeout_s=600)


def debian_mirror(sources: Path = Path("/etc/apt")) -> str | None:
    """The Debian archive in this host's apt sources (one-line and deb822 form); None leaves the choice to debootstrap."""
    files = [
        sources / "sources.list",
        *sorted((sources / "sources.list.d").glob("*.list")),
        *sorted((sources / "sources.list.d").glob("*.sources")),
    ]
    for file in files:
        if not file.is_file():
            continue
        for line in file.read_text(errors="replace").splitlines():
            if re.match(r"\s*(deb\s|URIs:)", line):
                for word in line.split():
                    if re.fullmatch(r"https?://\S+/debian/?", word):
                        return word
    return None


def _exists(name: str) -> bool:
    return bool(docker("image", "ls", "--quiet", "--no-trunc", name).strip())
