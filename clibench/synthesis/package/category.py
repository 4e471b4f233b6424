"""The domain of a tool, one of the paper's nine (Table II), by words in its summary, keywords and README."""

from __future__ import annotations

import re
from typing import Final

DEFAULT: Final = "Utility Libraries"

_WORDS: Final = {
    "Database Interaction": r"sql|sqlite|database|postgres\w*|mysql|mongo\w*|redis|quer(?:y|ies)|orm|schema migration",
    "Machine Learning": r"llms?|machine learning|neural|training|prompts?|tokens?|embedding|model weights|gpt|claude|ai",
    "Networking Tools": r"https?|network\w*|dns|proxy|tcp|udp|ip address\w*|cidr|subnet|ssh|kubernetes|ingress|urls?",
    "Testing": r"tests?|testing|lint\w*|coverage|mock\w*|assert\w*|fixtures?|check(?:s|er)?|validat\w+|complexity",
    "Web Development": r"html|css|javascript|browser\w*|frontend|web|svg|minif\w+|webpack|react|typescript",
    "Batch File Processing": r"files?|director(?:y|ies)|folders?|rename|replace|licen[cs]e headers?|codebase|bulk|batch|merge|concatenate",
    "Data Analysis & Processing": r"csv|tsv|data|json|yaml|toml|xml|pars\w+|convert\w*|transform\w*|statistics|tables?|logs?|records?",
    "System Tools": r"environment variables?|env|shell|process\w*|system|disk|cron|archive|compress\w*|time ?zones?|terminal",
}
_PATTERNS: Final = {name: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) for name, words in _WORDS.items()}


def category_of(summary: str, keywords: tuple[str, ...], text: str) -> str:
    """The domain whose words are the most frequent; summary and keywords count more than the text."""
    head = " ".join((summary, *keywords))
    scores = {name: 5 * len(pattern.findall(head)) + min(len(pattern.findall(text[:4000])), 8) for name, pattern in _PATTERNS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= 3 else DEFAULT
