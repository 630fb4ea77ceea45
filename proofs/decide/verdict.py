"""From a claim to its verdict: load or find a certificate, check it, report."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scanproof.constructs.arrays.definition import recording
from scanproof.constructs.errors import UsageError

from ..check.arguments import SaysNothing
from ..check.axioms import discharged
from ..check.certificate import Certificate, Unsettled
from ..check.certificates import REFUSED, check
from ..check.measured import measured
from ..check.result import Result, place
from ..exact.engines import Engines
from ..exact.scalar import DivisionByZero
from ..language import stage
from ..language.claim import Claim
from ..language.libraries import Copied
from ..search.proving import proving
from .budget import Stopped, of_machine
from .certificates import MISSING, REPLACED, Certificates, Unusable
from .complaints import complaint, failing_sizes
from .find import NOT_RUN, find, find_again

__all__ = ["NOT_RUN", "Result", "decide", "place"]

NEVER_CHECKED = ("empirical", "complexity")
NOWHERE = Certificates(read=False)
SETTLED = ("proved", "refuted")


def decide(claim: Claim, engines: Engines, certificates: Certificates = NOWHERE) -> Result:
    """The verdict on one claim, as stated or amended.

    Args:
        claim: the claim.
        engines: those that are queried where no certificate settles it; where two run they must agree.
        certificates: where certificates are looked for, and written.

    Returns:
        The result; `recorded` says what there is to say of the certificate that was there.
    """
    if claim.measured is not None:
        try:
            return measured(claim.measured)
        except Exception as error:  # a user's own measurement
            return Result("error", reason=f"the measurement raised {complaint(error)}")
    if claim.body is None:
        verdict = "not-checkable" if claim.kind in NEVER_CHECKED else "unknown"
        return Result(verdict, reason=claim.missing)
    with recording() as ran:
        try:
            result = _decided(claim, engines, certificates, ran)
        except (UsageError, DivisionByZero) as error:
            reason = f"{failing_sizes(claim, error)}{error}"
            result = Result("error", reason=reason, undefined=isinstance(error, DivisionByZero))
            result.empty = isinstance(error, SaysNothing)
        except (Stopped, Copied):
            raise
        except MemoryError as error:
            return Result("unknown", reason=str(of_machine(error)))
        except RecursionError:
            result = Result("error", reason="the claim's body recurses without end")
        except BaseException as error:
            # Where Ctrl-C is another process's to hear, what looks like one is the claim's own.
            ignores_interrupts = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            if isinstance(error, KeyboardInterrupt) and not ignores_interrupts:
                raise
            # A claim's body is foreign code: its mistake is this row's alone.
            result = Result(
                "error", reason=f"{failing_sizes(claim, error)}the claim raised {complaint(error)}"
            )
    axioms = {axiom for entry in result.evidence for axiom in entry.get("axioms", ())}
    definitions = sorted({place(function) for function in ran})
    return replace(result, definitions=definitions, unfounded=not all(map(discharged, axioms)))


def _decided(claim: Claim, engines: Engines, certificates: Certificates, ran: set[Any]) -> Result:
    with stage.within("checking its certificate"):
        recorded = _recorded(claim, engines, certificates)
    settled = recorded.verdict in SETTLED and not recorded.outdated
    if settled or not certificates.search:
        return recorded
    certificate, result = _found(claim, lambda: find(claim, engines), ran)
    if (
        result.broken
    ):  # what was read may not be the claim's own, which the search left to the check
        certificate, result = _found(claim, lambda: find(claim, engines), ran)
    if result.fails is not None:
        fails = result.fails
        certificate, result = _found(claim, lambda: find_again(claim, fails), ran)
    answer = _unconfirmed(result) if result.stale or result.broken else result
    if recorded.recorded not in ("", MISSING):
        said = {"stale": recorded.stale, "broken": recorded.broken, "recorded": recorded.recorded}
        answer = replace(answer, **said)
    if certificates.write and not isinstance(certificate, Unsettled) and _is_final(result):
        try:
            certificates.save(claim, certificate)
            old = recorded.recorded
            replaced = "" if old in ("", MISSING) else f"{REPLACED}{old}"
            answer = replace(result, recorded=replaced)
        except OSError as error:
            why = f"{certificates.file(claim)}: cannot be written: {error.strerror or error}"
            answer = replace(result, broken=True, recorded=why)
    return answer


def _unconfirmed(result: Result) -> Result:
    """What is said where the search found something that the check refuses: no file is at fault."""
    why = str(result.reason).removeprefix(REFUSED)
    reason = f"the search found a proof that the check does not confirm: {why}"
    return replace(result, reason=reason, stale=False, broken=False)


def _found(
    claim: Claim, search: Callable[[], Certificate], ran: set[Any]
) -> tuple[Certificate, Result]:
    """What is found, and the verdict it comes to; of definitions those count that ran when it was checked."""
    ran.clear()
    with stage.within("the search for a proof or a counterexample"):
        certificate = search()
    if not isinstance(certificate, Unsettled):
        ran.clear()
    with stage.within("checking what was found"):
        return certificate, check(claim, certificate, proving)


def _recorded(claim: Claim, engines: Engines, certificates: Certificates) -> Result:
    """The result of the certificate that is there; if there is none, what is to be said of it."""
    try:
        certificate = certificates.load(claim)
        if certificate is None:
            return Result("unknown", reason=MISSING, recorded=MISSING)
        result = check(claim, certificate, proving, second=len(engines.fixed) > 1)
        if _is_final(result):
            return result
        why = result.reason
    except Unusable as error:
        result, why = Result("unknown", broken=True), f"the certificate is refused: {error}"
    except Exception as error:
        # The claim's own mistake, which a search will show, or that of what is written there.
        why = f"the certificate is refused: checking it raised {type(error).__name__}: {error}"
        result = Result("unknown", broken=True)
    said = f"{certificates.file(claim)}: {_short(str(why))}"
    return replace(result, reason=why, fails=None, recorded=said)


def _is_final(result: Result) -> bool:
    """Whether the certificate has its intended verdict, which may be `unknown` with a reason."""
    return not (result.stale or result.broken or result.fails)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"
