"""Word Hydra's and OmegaConf's errors in one line that names the valid choices and the nearest one.

What is not recognised here stays as Hydra worded it, on one line: still bad input, still exit status 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import TypeVar

from hydra.errors import ConfigCompositionException, HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue, OmegaConfBaseException, ValidationError

from clibench.errors import ClibenchError, UserError, did_you_mean

E = TypeVar("E", bound=BaseException)


@contextmanager
def explained(verb: str) -> Iterator[None]:
    """Raise a UserError in place of what Hydra or OmegaConf raises about a configuration."""
    try:
        yield
    except (HydraException, OmegaConfBaseException) as error:
        ours = _cause(error, ClibenchError)
        if ours is not None:
            raise ours from None
        raise _reworded(error, verb) from None


def refuse_nonsense(config: DictConfig, parent: str = "") -> None:
    """Raise a UserError for what OmegaConf lets pass and nobody means.

    That is a key that the schema does not have (`+key=value` adds it, and nothing would read it), an empty text where the schema has
    another (`submission=$UNSET` would be the current folder), and a number that no file of results could hold (nan, inf).
    """
    kind = OmegaConf.get_type(config)
    known = {field.name: field for field in fields(kind)} if is_dataclass(kind) else None
    for name in config:
        key = str(name)
        if known is not None and key not in known:
            raise UserError("unknown key", where=f"{parent}{key}", fix=did_you_mean(key, known))
        if OmegaConf.is_missing(config, key) or OmegaConf.is_interpolation(config, key):
            continue
        value = config[name]
        if isinstance(value, DictConfig):
            refuse_nonsense(value, f"{parent}{key}.")
        elif isinstance(value, float) and not isfinite(value):
            raise UserError(f"is {value}", where=f"{parent}{key}", fix="Give a finite number.")
        elif value == "" and known is not None and known[key].default != "":
            raise UserError("is empty", where=f"{parent}{key}", fix="Give it a value, or leave it out.")


def _reworded(error: Exception, verb: str) -> UserError:
    if isinstance(error, MissingConfigException):
        return _unknown_choice(error)
    if isinstance(error, OverrideParseException):
        return UserError(f"can't be read as key=value: {_reason(error)}", where=str(error.override))
    inner = _cause(error, OmegaConfBaseException)
    if isinstance(inner, ConfigAttributeError | ConfigKeyError):
        return _unknown_key(inner)
    if isinstance(inner, ValidationError):
        path = inner.full_key or ""
        if "is not a ListConfig, list or tuple" in str(inner):
            return UserError("takes a list", where=path, fix=f"Write '{path}=[A]' or '{path}=[A,B]', quoted from the shell.")
        return UserError(_reason(inner), where=path)
    missing = re.search(r"Missing mandatory value: (\S+)", str(inner))
    if isinstance(inner, MissingMandatoryValue) or missing:
        key = inner.full_key if isinstance(inner, MissingMandatoryValue) else missing[1] if missing else ""
        return UserError("has no value", where=key or "", fix=f"Give it on the command line: {verb} {key}=...")
    if isinstance(error, ConfigCompositionException):
        return _no_default(error)
    return UserError(" ".join(str(error).split()))


def _unknown_choice(error: MissingConfigException) -> UserError:
    group, _, choice = (error.missing_cfg_file or "").rpartition("/")
    options = [option for option in error.options or [] if not option.startswith("schema_")]
    if not group:
        return UserError(_reason(error))
    return UserError("no such choice", where=f"{group}={choice}", fix=did_you_mean(choice, options))


def _unknown_key(error: OmegaConfBaseException) -> UserError:
    parent = error.parent_node
    valid = [str(key) for key in parent] if isinstance(parent, DictConfig) else []
    return UserError("unknown key", where=error.full_key or str(error.key), fix=did_you_mean(str(error.key), valid))


def _no_default(error: ConfigCompositionException) -> UserError:
    text = str(error)
    found = re.search(r"To append to your default list use (\S+)", text)
    if found:
        return UserError("is not part of the configuration by default", where=found[1].lstrip("+"), fix=f"Write {found[1]}.")
    return UserError(_reason(error))


def _cause(error: BaseException | None, kind: type[E]) -> E | None:
    """The first exception of `kind` in the chain that led to `error`, itself included."""
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def _reason(error: Exception) -> str:
    """First line of a message."""
    return str(error).strip().splitlines()[0].strip() if str(error).strip() else type(error).__name__
