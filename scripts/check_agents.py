"""Drive every agent framework to a graded tool against the scripted server, and compare what server, ledger, MLflow and report say of it.

No key, no model, no network but the package registries (an agent's image is made once, which takes minutes). Ends with 1 where a framework
did not deliver a tool that passes as its recorded submission does, or where two bills differ.

    python scripts/check_agents.py [FRAMEWORK...] [--tasks=envsubst,files-to-prompt] [--outputs=DIR]
    python scripts/check_agents.py --models=gpt,kimi --tasks=sample [FRAMEWORK...] [--outputs=DIR] [--page=FILE.png]

The second is one sweep of models and frameworks (where none is named, those whose loop is on the host) over all sample tasks, as someone
with keys would start it but for `model.base_url`. `--page` keeps pictures of MLflow's pages of it (mlflow_page.py).
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import yaml
from mlflow_page import pictures

import clibench
from clibench.generation.tryout import Tried, try_out

ROOT = Path(clibench.__file__).parent.parent
TASKS = ROOT / "tasks"
HOST_SIDE = ("single_shot", "mini_swe_agent")
HEAVY = ("openhands",)
COMMANDS = ("codex", "claude_code", "gemini_cli", "qwen_code", "opencode", "aider", "gpt_engineer", "openhands")
HEAD = f"{'framework':<16}{'model':<10}{'task':<18}{'outcome':<9}  build   exec     sm  calls   prompt  compl.        USD   time  bills"
SHORT = ("envsubst", "files-to-prompt")
FENCELESS = ("envsubst", "python-dotenv")
"""For agents that take a fence within a file for its end, as the source of files-to-prompt has them."""


def main(arguments: list[str]) -> int:
    """A row a framework, model and task."""
    named = [word for word in arguments if not word.startswith("--")]
    options = dict(word[2:].partition("=")[::2] for word in arguments if word.startswith("--"))
    bad = 0
    with ExitStack() as stack:
        # One folder for all: equal tools are run once.
        outputs = Path(options.get("outputs") or stack.enter_context(tempfile.TemporaryDirectory(prefix="clibench-check-")))
        print(HEAD)
        if models := options.get("models"):
            frameworks = ",".join(named or HOST_SIDE)
            bad += show(frameworks, try_out(frameworks, chosen(options, SHORT), TASKS, outputs, model=models, arguments=["-m"]))
        for framework in () if models else named or (*HOST_SIDE, *COMMANDS):
            two = FENCELESS if framework == "gpt_engineer" else SHORT
            tasks = chosen(options, two[:1] if framework in HEAVY else two)
            bad += show(framework, try_out(framework, tasks, TASKS, outputs))
        if page := options.get("page"):
            print(*pictures(outputs, Path(page)), sep="\n")
    return 1 if bad else 0


def chosen(options: dict[str, str], default: tuple[str, ...]) -> list[str]:
    """The tasks asked for; `sample` is all of the sample."""
    asked = options.get("tasks")
    if asked == "sample":
        return list(yaml.safe_load((ROOT / "conf" / "dataset" / "sample.yaml").read_text(encoding="utf-8"))["tasks"])
    return asked.split(",") if asked else list(default)


def show(framework: str, tried: Tried) -> bool:
    """Print the rows of a framework, or of a sweep; whether something is wrong with it."""
    rows = [(job, task) for job in tried.jobs for task in job.tasks]
    agree = "equal" if tried.agrees else "DIFFER"
    for job, task in rows:
        scores = [task.scores[metric].value for metric in ("build", "exec", "sm")]
        shown = "".join(f"{value:>7.3f}" if value is not None else "      -" for value in scores)
        usage = task.usage
        bill = f"{usage.steps or 0:>7}{usage.prompt_tokens or 0:>9}{usage.completion_tokens or 0:>8}{usage.cost_usd or 0:>11.6f}"
        print(f"{job.framework:<16}{job.model:<10}{task.task:<18}{task.outcome.value:<9}{shown}{bill}{tried.seconds:>6.0f}s  {agree}")
        if task.reason:
            print(f"{'':<16}{task.reason[:300]}")
    print(f"{framework}: calls and attempts {tried.attempts}; {'; '.join(f'{name} {bill}' for name, bill in tried.bills.items())}")
    if tried.status or not rows:
        print(f"{framework} ended with status {tried.status}: {tried.said}")
    built = all((task.scores["exec"].value or 0.0) > 0.5 for _, task in rows)
    sys.stdout.flush()
    return bool(tried.status) or not rows or not built or not tried.agrees


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
