"""`audit [task=ID]`: what the cases of frozen tasks are worth, shown, and with save=true stored beside them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

from clibench.audit.audit import audit_task, audit_to_json
from clibench.audit.stability import stability_to_json
from clibench.audit.stored import kept, write_audit
from clibench.audit_tables import show
from clibench.config import AuditConfig, JudgeChoice, OutputChoice
from clibench.errors import ClibenchError, UserError
from clibench.evaluation.params import CompareParams
from clibench.experiment import compare_params, prepare_folder
from clibench.selection import load_by_ids, select_tasks
from clibench.tasks.task import Task

if TYPE_CHECKING:
    from clibench.audit.mutants.workshop import Tools


def audit(config: DictConfig) -> None:
    """Audit, store where asked, and show.

    Raises UserError for a task that is not there or a judge that is a model. What ends the mutants of one task (its oracle can't be
    installed, a fault of the harness) is raised when all others are done; the command then goes on where it was.
    """
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, AuditConfig)  # noqa: S101 - named by conf/audit.yaml
    if settings.judge.name is not JudgeChoice.rules:
        raise UserError("an audit asks no model", where=f"judge={settings.judge.name.value}", fix="Use judge=rules.")
    for name, number in (
        ("mutants", settings.mutants),
        ("mutant_cases", 1 if settings.mutant_cases is None else settings.mutant_cases - 1),
    ):
        if number < 0:
            raise UserError("is too small", where=name, fix="mutants is 0 or more; mutant_cases 1 or more, or null for all.")
    params = compare_params(settings.judge)
    tasks = select_tasks(settings) if settings.task is None else load_by_ids(settings.tasks_dir, (settings.task,))
    audits, bodies, problems = [], [], []
    with _tools(settings) as tools:
        for task in tasks:
            audits.append(audit_task(task, params))
            body = audit_to_json(audits[-1]) | {"stability": stability_to_json(task)}
            try:
                if tools is not None:
                    body |= _run(task, tools, settings, params)
            except ClibenchError as error:
                problems.append(error)
            body |= kept(task, body)
            bodies.append(body)
            if settings.save and task.folder is not None:
                write_audit(task.folder, body)
    if settings.output is OutputChoice.json:
        sys.stdout.write(json.dumps(bodies, indent=2) + "\n")
    else:
        show(audits, bodies)
    if problems:
        raise problems[0]


def _run(task: Task, tools: Tools, settings: AuditConfig, params: CompareParams) -> dict[str, Any]:
    """The parts of an audit that run the oracle."""
    from clibench.audit.mutants.audit import Plan, audit_mutants
    from clibench.audit.mutants.tally import audit_to_json as mutants_to_json
    from clibench.audit.oracle_check import check_oracle, check_to_json

    def say(text: str) -> None:
        print(f"{task.id}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - progress

    parts: dict[str, Any] = {}
    if settings.oracle_check:
        parts["oracle_check"] = check_to_json(check_oracle(task, tools, params, say))
    if settings.mutants:
        plan = Plan(settings.mutants, settings.mutant_cases, settings.seed)
        parts["mutants"] = mutants_to_json(audit_mutants(task, tools, plan, params, say))
    return parts


@contextmanager
def _tools(settings: AuditConfig) -> Iterator[Tools | None]:
    """The sandbox and the store, closed in the end; None where nothing is run."""
    if not settings.mutants and not settings.oracle_check:
        yield None
        return
    from clibench.audit.mutants.workshop import Tools
    from clibench.sandbox.choose import make_sandbox
    from clibench.store import Store

    outputs = Path(settings.outputs).expanduser()
    prepare_folder(outputs)
    store = Store(outputs / "store")
    store.sweep()
    sandbox = make_sandbox(settings.sandbox, outputs)
    try:
        workers = settings.sandbox.workers or os.cpu_count() or 1
        yield Tools(store, sandbox, settings.sandbox, sandbox.describe(), workers)
    finally:
        sandbox.close()
