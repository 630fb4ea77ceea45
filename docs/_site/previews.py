"""What a page shows of the claims that it links, before a link is followed: `_static/claims.js`, for `previews.js`."""

from __future__ import annotations

import json

from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.words import one_line, suffix

from .claim_page import anchor, badge
from .gathered import Ledger
from .titles import TITLES


def previews(ledger: Ledger) -> str:
    """A script with the title, the verdict and the words of each statement, by the end of its link."""
    shown = {
        f"{claim['id']}.html" + (f"#{anchor(suffix(statement, claim))}" if amends else ""): [
            TITLES[claim["id"]],
            badge(statement),
            one_line(statement["statement"]),
        ]
        for claim in ledger.report["claims"]
        for statement, amends in statements(claim)
    }
    return f"window.claims = {json.dumps(shown, ensure_ascii=False)};\n"
