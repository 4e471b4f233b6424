"""A doctor that says all is well where it is not is worse than none: each thing that can be missing is taken away once."""

from __future__ import annotations

from pathlib import Path

import pytest

from clibench.doctor import TOOLCHAINS, Level, disk_space, kernel_features, keys, outputs_work, toolchains


def kernel(folder: Path, switches: dict[str, str], *, overlay: bool = True) -> Path:
    """A /proc of a kernel like this."""
    folder.joinpath("filesystems").write_text("nodev\ttmpfs\n" + ("nodev\toverlay\n" if overlay else ""))
    for name, value in switches.items():
        path = folder / "sys" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"{value}\n")
    return folder


def test_a_kernel_that_has_all_is_well(tmp_path: Path) -> None:
    assert [finding.level for finding in kernel_features(kernel(tmp_path, {"kernel/unprivileged_userns_clone": "1"}))] == [
        Level.OK,
        Level.OK,
    ]


def test_a_kernel_without_overlay_is_a_warning_that_says_what_happens_then(tmp_path: Path) -> None:
    first, _ = kernel_features(kernel(tmp_path, {}, overlay=False))
    assert (first.level, "copy isolation" in first.fix) == (Level.WARN, True)


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("kernel/unprivileged_userns_clone", "0"),
        ("user/max_user_namespaces", "0"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
    ],
)
def test_switched_off_namespaces_come_with_the_switch_that_allows_them(tmp_path: Path, switch: str, value: str) -> None:
    _, finding = kernel_features(kernel(tmp_path, {switch: value}))
    assert finding.level is Level.WARN
    assert switch.replace("/", ".") in finding.fix


def test_a_toolchain_that_is_missing_is_named_with_its_package_and_fails_only_where_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "go").write_text("")
    (tmp_path / "go").chmod(0o755)
    found = dict(zip(TOOLCHAINS, toolchains(needed=True), strict=True))
    assert {language: finding.level for language, finding in found.items()} == {
        "python": Level.FAIL,
        "javascript": Level.FAIL,
        "go": Level.OK,
    }
    assert "nodejs npm" in found["javascript"].fix
    assert [finding.level for finding in toolchains(needed=False)] == [Level.WARN, Level.WARN, Level.OK]


def test_outputs_that_cannot_be_written_fail(tmp_path: Path) -> None:
    assert outputs_work(tmp_path / "outputs").level is Level.OK
    (tmp_path / "file").write_text("")
    assert outputs_work(tmp_path / "file").level is Level.FAIL


def test_the_disk_is_that_of_the_outputs_even_before_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    class Usage:
        free = 100 << 20

    def usage(folder: Path) -> type[Usage]:
        asked.append(folder)
        return Usage

    monkeypatch.setattr("shutil.disk_usage", usage)
    assert disk_space(tmp_path / "a" / "b").level is Level.FAIL
    assert asked == [tmp_path]


def test_keys_are_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MOONSHOT_API_KEY", "sk-very-secret")
    finding = keys()
    assert (finding.level, finding.detail) == (Level.OK, "MOONSHOT_API_KEY")
