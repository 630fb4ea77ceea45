"""From a claim and a certificate to the verdict, by evaluating the claim at what the certificate names."""

from __future__ import annotations

from ..interpret.session import Sessions
from ..language.claim import Claim
from .arguments import argued
from .certificate import Certificate, Refutation, Unsettled
from .given import Broken, Doubtful, OfAnother, Refused
from .refutations import refuted
from .result import Result

REFUSED = "the certificate is refused: "


def check(
    claim: Claim, certificate: Certificate, session: Sessions, second: bool = False
) -> Result:
    """The verdict, no better than `unknown` where the certificate does not show what it says.

    Args:
        claim: the claim.
        certificate: what is said to settle it.
        session: opens a session to read the claim in with symbols for sizes.
        second: whether sympy has to agree with flint at a few small sizes, whatever the certificate says, where there
            is no proof for all sizes.

    Raises:
        UsageError: if the claim itself is at fault, whatever its certificate.
    """
    try:
        if certificate.claim != claim.id:
            raise Refused(f"it is one of {certificate.claim}")
        if isinstance(certificate, Unsettled):
            return Result("unknown", reason=certificate.why, doubtful=certificate.doubtful)
        if isinstance(certificate, Refutation):
            return refuted(claim, certificate)
        return argued(claim, certificate, session, second)
    except Doubtful as error:
        return Result("unknown", reason=str(error), doubtful=True)
    except OfAnother as error:
        return Result("unknown", reason=str(error), stale=True)
    except Refused as error:
        broken = isinstance(error, Broken)
        reason = f"{REFUSED}{error}"
        return Result("unknown", reason=reason, stale=not broken, broken=broken)
