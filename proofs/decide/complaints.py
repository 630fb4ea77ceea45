"""What a claim's own code raised, in one line that says what to do instead.

A claim is run on arrays of symbols. Where Python, or a library, complains of them in words of its own, the line says
what it is that a claim cannot do with them.
"""

from __future__ import annotations

import re

from scanproof.constructs.errors import text_of

from ..interpret.questions import raised_at, shown
from ..refute.own_text import is_own

ARRAY = r"'?(?:ExactArray|KernelArray|Dual)'?"
ADVICE = (
    (
        rf"unhashable type: {ARRAY}",
        "an array of symbols is no key: use no set, dictionary or cache of arrays",
    ),
    (
        rf"not supported between instances of .*{ARRAY}|truth value",
        "an array of symbols is not compared: state the condition in assuming=, or take both cases as claims",
    ),
    (
        rf"(?:argument must be|cannot be (?:interpreted|converted)|can't convert|only .* arrays).*{ARRAY}",
        "an array of symbols is no plain number: leave out float(), int() and the math module",
    ),
    (
        rf"{ARRAY} object does not support item (?:assignment|deletion)",
        "an array of symbols is not written into: make a new one, by xp.stack, build or a mask",
    ),
    (
        rf"{ARRAY} object has no attribute",
        "arrays of a claim have + - * / @ **, .T, .shape, .sum(axis=…) and indexing; xp has functions such as exp",
    ),
    (rf"{ARRAY} object is not callable", "an array is not called: an operator is missing"),
)
"""What is complained of, and what to do instead."""


def complaint(error: BaseException) -> str:
    """The error's name, the line of the user's that it came from, its words, and what to do."""
    text = text_of(error)
    advice = next((words for pattern, words in ADVICE if re.search(pattern, text, re.S)), "")
    text = re.sub(r"ExactArray|KernelArray|Dual\b", "array", text)
    said = f"{type(error).__name__}{_where(error)}{f': {text}' if text else ''}"
    return f"{said}; {advice}" if advice else said


def _where(error: BaseException) -> str:
    """The last line of the user's own that ran; if there is none, the last of a definition."""
    found, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_own(trace.tb_frame.f_globals.get("__name__"), code.co_filename):
            found = f" at {shown(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found or raised_at(error)
