"""The pydantic model that all models of a spec share: frozen, and an unknown key is answered with the nearest valid one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from clibench.errors import did_you_mean


class Strict(BaseModel):
    """Base of the spec's models."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            valid = {field.alias or name for name, field in cls.model_fields.items()}
            for key in data:
                if key not in valid and key not in cls.model_fields:
                    hint = did_you_mean(str(key), valid)
                    raise PydanticCustomError("unknown_key", "unknown key '{key}'. {hint}", {"key": str(key), "hint": hint})
        return data
