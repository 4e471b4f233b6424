"""The sweeper: every job of a sweep is composed and checked before the first one starts, and the table comes when the last has ended.

Otherwise it is Hydra's basic sweeper, and any launcher (basic, joblib, submitit, Ray) works with it. It lies in this name space because
Hydra takes plugins from nowhere else. Hydra imports it in every application of the environment: so nothing of clibench until it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper, BasicSweeperConf
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser


class ClibenchSweeper(BasicSweeper):
    """BasicSweeper that has every job checked first, and shows all results at the end."""

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """Nothing: all have been checked."""

    def sweep(self, arguments: list[str]) -> Any:
        """Compose and check all jobs, before as much as a folder is made; run them; then show them together."""
        from clibench.experiment import check_sweep, prepare_folder, show_sweep

        assert self.config is not None and self.hydra_context is not None  # noqa: S101 - Hydra calls setup first
        loader = self.hydra_context.config_loader
        overrides = OverridesParser.create(config_loader=loader).parse_overrides([*self._parse_config(), *arguments])
        batches = self.split_arguments(overrides, None)
        check_sweep([loader.load_sweep_config(self.config, list(job)) for batch in batches for job in batch])
        prepare_folder(Path(self.config.hydra.sweep.dir))
        done = super().sweep(arguments)
        show_sweep([job.return_value for batch in done for job in batch], self.config)
        return done


ConfigStore.instance().store(
    group="hydra/sweeper",
    name="clibench",
    node=BasicSweeperConf(_target_=f"{__name__}.{ClibenchSweeper.__name__}"),
    provider="clibench",
)
