"""Make the framework that the configuration names, with its parameters typed by its own class.

A framework is a dataclass; the fields are its parameters. So one of a user's own needs a YAML file in a folder given by --config-dir, and
its module in that folder or installed; nothing of the package is touched.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, cast

from omegaconf import OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue, OmegaConfBaseException

from clibench.errors import UserError, did_you_mean
from clibench.generation.framework import Framework

_TARGET = "_target_"
_MEMBERS = {
    True: ("name", "label", "uses_model", "bind"),  # bound to its context it has the rest
    False: ("name", "label", "uses_model", "check", "identity", "generate"),
}


def make_framework(settings: Mapping[str, Any], *, search: tuple[str, ...] = ()) -> Framework:
    """The framework of `settings`; `search` are further folders to import its module from. Raises UserError."""
    target = settings.get(_TARGET)
    if not isinstance(target, str):
        raise UserError("names no class", where="framework", fix="Give _target_: module.Class in its YAML file.")
    kind = _class(target, search)
    parameters = {key: value for key, value in settings.items() if key != _TARGET}
    names = [field.name for field in fields(kind)]
    try:
        made = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(kind), parameters))
    except (ConfigKeyError, ConfigAttributeError) as error:
        raise UserError("unknown key", where=f"framework.{error.full_key}", fix=did_you_mean(str(error.key), names)) from None
    except MissingMandatoryValue as error:
        key = f"framework.{error.full_key}"
        raise UserError("has no value", where=key, fix=f"Give it on the command line: {key}=...") from None
    except OmegaConfBaseException as error:
        raise UserError(str(error).splitlines()[0], where=f"framework.{error.full_key}") from None
    empty = [field.name for field in fields(kind) if getattr(made, field.name) == "" != field.default]
    if empty:
        raise UserError("is empty", where=f"framework.{empty[0]}", fix="Give it a value, or leave it out.")
    return cast(Framework, made)


def _class(target: str, search: tuple[str, ...]) -> Any:
    module_name, _, name = target.rpartition(".")
    sys.path[:0] = [folder for folder in search if folder not in sys.path]
    try:
        found = getattr(import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            f"can't be imported ({error})",
            where=f"framework._target_={target}",
            fix="Install the package that holds it, or put its module into the folder given by --config-dir.",
        ) from error
    # A field without a default is a member of the instances only.
    has = {*dir(found), *(field.name for field in fields(found))} if is_dataclass(found) else {*dir(found)}
    missing = [member for member in _MEMBERS["bind" in has] if member not in has]
    if isinstance(found, type) and missing:
        raise UserError(
            f"has no {', '.join(missing)}",
            where=f"framework._target_={target}",
            fix="A framework has the properties name, label, uses_model and the methods check, identity, generate (see the README).",
        )
    if not (isinstance(found, type) and is_dataclass(found)):
        raise UserError("is no dataclass", where=f"framework._target_={target}", fix="A framework is a dataclass of its parameters.")
    return found
