"""How far do the judges of SM agree with people? A stratified sample of output pairs for two annotators, and Cohen's kappa."""

from __future__ import annotations

from analysis.answer import Answer, Question


def answer(_question: Question) -> Answer:
    """What is known of the judges' agreement."""
    return Answer("Judge agreement", ("No annotated sample of output pairs is at hand.",))


if __name__ == "__main__":
    from analysis.app import main

    main("judge_agreement")
