"""`python -m clibench scripted model.script=FILE`: the scripted server as a process of its own, for several jobs or by hand."""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from clibench.errors import UserError
from clibench.llm.scripted.script import load_scripts
from clibench.llm.scripted.server import serve


def scripted(config: DictConfig) -> None:
    """Serve until interrupted. Raises UserError for a script that is not there or not one, or a port that is taken."""
    if not config.model.script:
        raise UserError("there is nothing to serve", where="model.script", fix="Name a YAML file of scripts: model.script=FILE.")
    try:
        serve(load_scripts(Path(config.model.script)), host=config.host, port=config.port)
    except OSError as error:
        raise UserError(
            f"can't listen on {config.host}:{config.port} ({error.strerror})", where="port", fix="Choose another port."
        ) from error
