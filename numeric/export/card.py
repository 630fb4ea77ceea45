"""`README.md` of an export: its model card in the form of the Hugging Face hub, from the manifest alone."""

from __future__ import annotations

import json
from typing import Any

from .folder import FORWARD
from .parts import IN_TURN, domain_in_words, rule_in_words
from .targets import TARGETS

LIBRARIES = {"hf-mamba2": "transformers", "mamba-ssm": "mamba-ssm"}
"""The hub's names of libraries; other targets have none there."""
TAGS = ("in-context-learning", "linear-regression", "gradient-descent", "constructed-weights")
CARD = """\
---
{header}
---

# {rule} on the examples of the prompt

These weights were constructed, not trained. {does}

- **Claim.** `{id}`: {statement} Verdict when exported: {verdict}.{beyond}
- **Learner.** {formula}, {steps}, η = {eta}, from {start}.{data}
- **Certificate.** {certificate}
- **Format.** {dtype}; the certificate is for weights and arithmetic of this format.
- **Sizes.** {sizes}.

## How to load it

```python
{loading}
```

Tokens are `{tokens}`: a raw token holds {held}. `encoding.safetensors` makes embeddings of them and
predictions of outputs. `{forward}` is all of that in NumPy, in a file by itself: `python {forward}` tries it.

## Limits

- The certificate covers {covers}.
- Nothing is said of other data, of another format, or of arithmetic that rounds more than it (such as TF32).
- It predicts {predicts}. It knows no language, and token numbers mean nothing.

`manifest.json` holds all of this for programs, with a hash of each file; `scanproof identify .` finds out from the
weights alone what they do.
"""


def card(manifest: dict[str, Any]) -> str:
    """The card."""
    learner, tokens, target = manifest["learner"], manifest["tokens"], manifest["target"]
    construction, certificate = manifest["construction"], manifest["certificate"]
    count, in_turn = learner["steps"], learner["rule"] == IN_TURN
    steps = rule_in_words(learner["rule"], count)
    zero = all(w == "0" for row in learner["W0"] for w in row)
    proved = construction["verdict"] == "proved"
    return CARD.format(
        header="\n".join(_header(manifest)),
        rule=steps.capitalize(),
        does=(
            f"Given examples (x, y) and a query x, the model predicts what {steps} on those "
            f"examples would{'' if proved else ', by a statement that is not proved'}."
        ),
        id=construction["id"],
        statement=construction["statement"].rstrip(".") + ".",
        verdict=construction["verdict"],
        beyond="".join(f" Beyond it: {text}." for text in construction["beyond"]),
        formula=f"W ← W − η {'' if in_turn else 'Σ_j '}x_j (Wᵀx_j − y_j)ᵀ",
        steps="for each example in turn"
        if in_turn
        else ("once" if count == 1 else f"{count} times"),
        eta=learner["step_size"],
        start="W = 0" if zero else "the W0 of `manifest.json`",
        data="" if learner["data"] == "any" else f" For {learner['data']}, y = Wᵀx, alone.",
        certificate=_certificate(certificate),
        dtype=target["dtype"],
        sizes=", ".join(f"{name} {size}" for name, size in manifest["sizes"].items()),
        loading=TARGETS[target["name"]].loading.format(out="."),
        tokens=tokens["name"],
        held=", ".join(f"{name} ({width})" for name, width in tokens["raw"]),
        forward=FORWARD,
        covers=certificate["covers"].removesuffix("."),
        predicts="for the query"
        if tokens["predicts"] == "last"
        else "at every example, for the next input",
    )


def _header(manifest: dict[str, Any]) -> list[str]:
    """YAML; its texts are written as JSON, which YAML takes."""
    target = manifest["target"]
    library = LIBRARIES.get(target["name"])
    tags = [*TAGS, manifest["family"], target["dtype"]]
    return [
        *([f"library_name: {library}"] if library else []),
        "tags:",
        *(f"- {json.dumps(tag)}" for tag in tags),
    ]


def _certificate(certificate: dict[str, Any]) -> str:
    bound, attained = certificate["absolute"], certificate.get("attained")
    if bound is None:
        return "None: no finite bound is known."
    domain = domain_in_words(certificate["domain"])
    said = f"|prediction − learner| ≤ {bound:.4g} for all data with {domain}."
    if attained:
        said += f" The largest prediction there is at least {attained:.4g}."
    most = certificate["magnitude"]
    if most is not None and bound > most:
        said += " The bound is more than any prediction is, so that it says nothing of them."
    return said
