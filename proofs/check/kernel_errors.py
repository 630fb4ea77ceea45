"""What keeps a claim from being proved, in words about the claim.

The kernel speaks of its own terms: guards, bound indices, scopes. Where it refuses a step, whoever wrote the claim is
told which line of it is not followed, and not which of the kernel's rules was broken.
"""

from __future__ import annotations

import re

from ..interpret.questions import shown
from ..kernel.errors import KernelError, TooHard
from ..language.place import own_line

NOT_FOLLOWED = "it makes a formula that scanproof does not follow"
NO_STEP = "a step that the search tries is none of a proof"


def refusal(error: KernelError) -> str:
    """The error's words, but for those that are the kernel's own about a term or a step."""
    trace, module = error.__traceback__, ""
    while trace is not None:
        module, trace = trace.tb_frame.f_globals.get("__name__", ""), trace.tb_next
    if isinstance(error, TooHard) or ".kernel." not in module:
        return placed(error)
    at = claim_line(error)
    return f"{NOT_FOLLOWED}{at}" if at else NO_STEP


def placed(error: BaseException) -> str:
    """The error's words, with the line of the claim that they are about, if they do not name one."""
    text = re.sub(r"KernelArray|Recorded", "array", str(error))
    return text if re.search(r"\.py:\d", text) else f"{text}{claim_line(error)}"


def claim_line(error: BaseException) -> str:
    """The last line of the claim's own file that the error came through: " at mine.py:12"."""
    own = own_line(error.__traceback__)
    return "" if own is None else f" at {shown(own[0])}:{own[1]}"
