"""The sandbox's configuration answers a wrong value before any work starts."""

from typing import Any

import pytest

from clibench.errors import UserError
from clibench.sandbox.interface import Limits
from clibench.sandbox.settings import SandboxConfig


def test_the_defaults_are_valid() -> None:
    assert SandboxConfig().backend == "auto"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"backend": "dokcer"}, "sandbox.backend: unknown value 'dokcer'. Did you mean 'docker'?"),
        ({"isolation": "chroot"}, "sandbox.isolation: unknown value 'chroot'. Valid: auto, copy, overlay."),
        ({"workers": -1}, "sandbox.workers: must be 0 (all processors) or more, is -1"),
        ({"build_timeout_s": 0}, "sandbox.build_timeout_s: must be more than 0, is 0"),
        ({"limits": Limits(memory_mb=0)}, "sandbox.limits.memory_mb: must be more than 0, is 0"),
    ],
)
def test_a_wrong_value_names_the_key_and_what_is_valid(values: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        SandboxConfig(**values)
    assert caught.value.message.startswith(expected)
