"""Reports to test with: one in which everything occurs, and small ones made to measure."""

from functools import cache
from typing import Any

from scanproof import Ledger, Source, at_most, definition, determines, differs, equal
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.row_verdicts import check

KNOWN = "gd-ssm.prop1-construction"  # refuted as printed; its amendment +sign is proved
STATEMENT: dict[str, Any] = {
    "reading": None,
    "hypotheses": [],
    "scope": None,
    "reason": "because",
    "tainted": False,
    "stale": False,
    "definitions": [],
    "evidence": [],
    "counterexample": None,
    "near_misses": [],
}
COUNTEREXAMPLE = {
    "sizes": {"N": 1},
    "inputs": {"x": ["1"], "eta": "1/2"},
    "claimed": "1",
    "actual": "-1",
}


@cache
def every_kind() -> dict[str, Any]:
    """A report in which each verdict and each form of evidence occurs; do not change it."""
    source = Source("kinds", title="One of each | with <signs> & “quotes”")

    @definition
    def total(x):
        return x.sum(0)

    @source.claim(
        "kinds.proved", where="eq. 1", says="Σ c x_i = c Σ x_i", given={"x": "N", "c": ""}
    )
    def proved(x, c):
        return equal(total(x * c), total(x) * c)

    @source.claim(
        "kinds.a-name-that-is-longer-than-any-column-would-like-it-to-be",
        where="a place in the source that takes many words to say",
        kind="construction",
        says="Σ x_i² = (Σ x_i)² \\ ~ ^ { } $ & # _ % | * [x](y) `z` <b> Z̃ xᵀ ½ ‖x‖ α≤β",
        given={"x": "N"},
        reading="as it stands, with _underscores_ and *stars*",
    )
    def refuted(x):
        return equal(total(x * x), total(x) * total(x), "the\nsum")

    refuted.amend("one", "the same | for N = 1", sizes={"N": (1,)})

    @source.claim(
        "kinds.collision", kind="existence", says="Σ x² is a function of Σ x", given={"x": "N"}
    )
    def collision(x):
        return determines(total(x), total(x * x))

    @source.claim("kinds.witness", says="Σ x² is not Σ x", given={"x": "N"})
    def witness(x):
        return differs(total(x * x), total(x))

    @source.claim("kinds.bound", kind="bound", says="1 + Σ x ≤ exp(Σ x)", given={"x": "N"})
    def bound(x, xp):
        return at_most(1 + total(x), xp.exp(total(x)))

    @source.claim("kinds.error", says="it raises", given={"x": "N"})
    def error(x):
        raise ValueError("control\x00 and \x1b[31m ]]>")

    source.unchecked(
        "kinds.table", says="0.2 against 0.4", missing="a measurement", kind="empirical"
    )
    known = next(row for row in built_in().rows if row.claim.id == KNOWN)
    ledger = Ledger([source, *built_in().sources])
    return check(ledger, [*source.rows, known], jobs=1)


def statement(id: str, verdict: str, **fields: Any) -> dict[str, Any]:
    """A statement's record, refuted ones with a counterexample."""
    found = COUNTEREXAMPLE if verdict == "refuted" else None
    scope = "fixed-size" if verdict == "proved" else None
    base = {**STATEMENT, "id": id, "statement": id, "verdict": verdict, "scope": scope}
    return {**base, "counterexample": found, **fields}


def report_of(*claims: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """A report of claims a, b, …, each given by its verdict and those of its amendments."""
    records = []
    for name, (verdict, amended) in zip("abcdefgh", claims, strict=False):
        records.append(
            {
                "id": name,
                "source": "s",
                "where": "",
                "kind": "identity",
                "as_stated": statement(name, verdict),
                "amended": [statement(f"{name}+{k}", v) for k, v in amended.items()],
                "unmended": None,
                "depends_on": [],
            }
        )
    sources = {"s": {"title": "S", "arxiv": None}}
    return {"sources": sources, "claims": records, "timing": {"total": 0.0}}
