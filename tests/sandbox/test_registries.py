"""Builds reach the registries the way the host does, and learn no password of it."""

from pathlib import Path

from clibench.sandbox.registries import host_certificates, registry_settings


def test_settings_of_pip_npm_and_go_are_passed_on_and_others_are_not(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "PIP_INDEX_URL": "https://index.example/simple",
        "npm_config_registry": "https://npm.example/",
        "GOPROXY": "https://go.example,direct",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "OPENAI_API_KEY": "sk-1",
        "npm_config_//npm.example/:_authToken": "npm_1",
        "PATH": "/usr/bin",
    }
    assert registry_settings(None, environment) == {
        "PIP_INDEX_URL": "https://index.example/simple",
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "npm_config_registry": "https://npm.example/",
        "GOPROXY": "https://go.example,direct",
        "HTTPS_PROXY": "http://proxy.example:3128",
    }


def test_a_setting_that_holds_a_password_stays_on_the_host(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PIP_INDEX_URL": "https://me:pass@index.example/simple", "GOPROXY": "https://tok@go.example"}
    assert registry_settings(None, environment) == {}


def test_configuration_files_count_below_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/pip/pip.conf").write_text("[global]\nindex-url = https://file.example/simple\n")
    (tmp_path / ".config/go").mkdir(parents=True)
    (tmp_path / ".config/go/env").write_text("GOPROXY=https://go.example\nGOBIN=/somewhere\n")
    (tmp_path / ".npmrc").write_text("# comment\nregistry=https://npm.example/\n//npm.example/:_authToken=npm_1\n")
    found = registry_settings(None, {"HOME": str(tmp_path), "GOPROXY": "off"})
    assert found["PIP_INDEX_URL"] == "https://file.example/simple"
    assert found["npm_config_registry"] == "https://npm.example/"
    assert found["GOPROXY"] == "off"
    assert "GOBIN" not in found
    assert "npm_1" not in str(found)


def test_the_bundle_of_certificates_is_the_first_that_exists(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_text("x")
    assert host_certificates({"SSL_CERT_FILE": str(tmp_path / "gone"), "PIP_CERT": str(bundle)}) == bundle
    assert host_certificates({}) is None


def test_every_client_is_told_of_the_bundle(tmp_path: Path) -> None:
    found = registry_settings("/inside/ca.pem", {"HOME": str(tmp_path), "PIP_CERT": "/host/ca.pem"})
    assert {found[name] for name in ("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")} == {"/inside/ca.pem"}
