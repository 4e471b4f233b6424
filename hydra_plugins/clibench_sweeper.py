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


class ClibenchSweeper(BasicSweeper):
    """BasicSweeper that has every job checked first, and shows all results at the end."""

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """Compose and check each job; raises what the first faulty one raises."""
        from clibench.experiment import check_sweep

        loader = self.hydra_context.config_loader  # type: ignore[union-attr]
        check_sweep([loader.load_sweep_config(self.config, list(overrides)) for overrides in batch])  # type: ignore[arg-type]

    def sweep(self, arguments: list[str]) -> Any:
        """Run all jobs, then show them together."""
        from clibench.experiment import prepare_folder, show_sweep

        assert self.config is not None  # noqa: S101 - Hydra calls setup first
        prepare_folder(Path(self.config.hydra.sweep.dir))
        batches = super().sweep(arguments)
        show_sweep([job.return_value for batch in batches for job in batch], self.config)
        return batches


ConfigStore.instance().store(
    group="hydra/sweeper",
    name="clibench",
    node=BasicSweeperConf(_target_=f"{__name__}.{ClibenchSweeper.__name__}"),
    provider="clibench",
)
