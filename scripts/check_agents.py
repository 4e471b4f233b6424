"""Drive every agent framework to a graded tool against the scripted server, and compare what server, ledger, MLflow and report say of it.

No key, no model, no network but the package registries (an agent's image is made once, which takes minutes). Ends with 1 where a framework
did not deliver a tool that passes as its recorded submission does, or where two bills differ.

    python scripts/check_agents.py [FRAMEWORK...] [--tasks=envsubst,files-to-prompt]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import clibench
from clibench.generation.tryout import Tried, try_out

ROOT = Path(clibench.__file__).parent.parent
HOST_SIDE = ("single_shot", "mini_swe_agent")
COMMANDS = ("codex", "claude_code", "gemini_cli", "qwen_code", "opencode", "aider", "gpt_engineer", "openhands")


def main(arguments: list[str]) -> int:
    """A row a framework."""
    named = [argument for argument in arguments if not argument.startswith("--tasks=")]
    tasks = [argument.partition("=")[2].split(",") for argument in arguments if argument.startswith("--tasks=")]
    print(f"{'framework':<16}{'task':<18}{'outcome':<9}  build   exec     sm  calls   prompt  compl.        USD   time  bills", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="clibench-check-") as outputs:  # one for all: equal tools are run once
        for framework in named or (*HOST_SIDE, *COMMANDS):
            chosen = tasks[0] if tasks else ["envsubst", "files-to-prompt"] if framework in HOST_SIDE else ["envsubst"]
            bad += show(framework, try_out(framework, chosen, ROOT / "tasks", Path(outputs)))
    return 1 if bad else 0


def show(framework: str, tried: Tried) -> bool:
    """Print the rows of a framework; whether something is wrong with it."""
    tasks = [task for job in tried.jobs for task in job.tasks]
    for task in tasks:
        scores = [task.scores[metric].value for metric in ("build", "exec", "sm")]
        shown = "".join(f"{value:>7.3f}" if value is not None else "      -" for value in scores)
        usage = task.usage
        bill = f"{usage.steps or 0:>7}{usage.prompt_tokens or 0:>9}{usage.completion_tokens or 0:>8}{usage.cost_usd or 0:>11.6f}"
        agree = "equal" if tried.agrees else "DIFFER"
        print(f"{framework:<16}{task.task:<18}{task.outcome.value:<9}{shown}{bill}{tried.seconds:>6.0f}s  {agree}")
        if task.reason:
            print(f"{'':<16}{task.reason[:300]}")
    if not tried.agrees:
        print(f"{'':<16}calls and attempts {tried.attempts}; {tried.bills}")
    if tried.status or not tasks:
        print(f"{framework:<16}ended with status {tried.status}: {tried.said}")
    built = all((task.scores["exec"].value or 0.0) > 0.5 for task in tasks)
    sys.stdout.flush()
    return bool(tried.status) or not tasks or not built or not tried.agrees


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
