"""What `prove` finds of a rule."""

import time
from dataclasses import dataclass

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.proving import prove

from . import RULES
from .rule import Function, Rule

BY_NAME = {rule.name: rule for rule in RULES}


@dataclass(frozen=True)
class Answer:
    """What was found of an equation."""

    verdict: str
    """proved (for all sizes), fixed sizes, refuted or unknown."""
    reason: str
    seconds: float
    """CPU time, past imports."""


def warmed_up() -> None:
    """Import what a first proof imports."""
    prove(lambda A: A, shapes="A: n", equals=lambda A: A)


def answer_to(job: tuple[str, bool]) -> Answer:
    """Of the rule with this name, or of its false variant."""
    name, variant = job
    rule = BY_NAME[name]
    return answer(rule, rule.false if variant else rule.right)


def answer(rule: Rule, equals: Function) -> Answer:
    """Whether the rule's left side equals this one."""
    started = time.process_time()
    try:
        found = prove(rule.left, shapes=rule.shapes, equals=equals, sizes=rule.sizes).result
        verdict, reason = found.verdict, found.reason or ""
        if verdict == "proved" and found.scope != "all-sizes":
            verdict = "fixed sizes"
    except UsageError as error:
        verdict, reason = "unknown", str(error)
    return Answer(verdict, reason, time.process_time() - started)
