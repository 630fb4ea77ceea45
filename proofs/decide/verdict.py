"""From a claim to its verdict: interpret, find, check, report."""

from __future__ import annotations

from scanproof.constructs.definition import recording

from ..check import all_sizes
from ..check.certificates import check
from ..check.result import Result, place
from ..exact.engines import Engines
from ..exact.scalar import DivisionByZero
from ..interpret.questions import raised_at
from ..language.claim import Claim
from ..language.errors import UsageError
from .find import NOT_RUN, Prover, find, find_again

__all__ = ["NOT_RUN", "Result", "decide", "place"]

NEVER_CHECKED = ("empirical", "complexity")


def decide(claim: Claim, engines: Engines, prove: Prover | None = None) -> Result:
    """The verdict on one claim, as stated or amended.

    Args:
        claim: the claim.
        engines: where two run they must agree.
        prove: gives the kernel's proof, or tells why there is none; it is searched for if nothing else is said.
    """
    if claim.body is None:
        verdict = "not-checkable" if claim.kind in NEVER_CHECKED else "unknown"
        return Result(verdict, reason=claim.missing)
    with recording() as ran:
        try:
            result = check(claim, find(claim, engines, prove or all_sizes.prove))
            if result.fails is not None:
                result = check(claim, find_again(claim, result.fails))
        except (UsageError, DivisionByZero) as error:
            result = Result("error", reason=str(error))
        except RecursionError:
            result = Result("error", reason="the claim's body recurses without end")
        except (Exception, SystemExit) as error:
            # A claim's body is foreign code: its mistake is this row's alone.
            result = Result(
                "error",
                reason=f"the claim raised {type(error).__name__}{raised_at(error)}: {error}",
            )
    result.definitions = sorted({place(function) for function in ran})
    # The kernel may stop before it runs the body.
    unread = not engines.fixed and result.verdict == "unknown"
    if not ran and result.verdict != "error" and not unread:
        reason = "no definition ran: call a layer or learner of scanproof.constructs, or mark yours @definition"
        return Result("error", reason=reason)
    return result
