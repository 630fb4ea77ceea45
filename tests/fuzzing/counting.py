"""How often the kernel's rules are applied; `rewrite` is told apart by the kind of the theorem that it uses."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from scanproof.proofs.kernel.rules import Goal, Rewriting

RULES = {
    "regroup": Rewriting,
    "one_point": Rewriting,
    "divide": Rewriting,
    "rename": Rewriting,
    "number": Rewriting,
    "count": Rewriting,
    "rewrite": Rewriting,
    "cancel": Rewriting,
    "compare": Rewriting,
    "cover": Rewriting,
    "vanish": Rewriting,
    "exponents": Rewriting,
    "alike": Rewriting,
    "beside": Rewriting,
    "circle": Rewriting,
    "annul": Rewriting,
    "root": Rewriting,
    "one_place": Rewriting,
    "split": Goal,
    "clear": Goal,
}
"""Every rule, and the class that has it."""
KINDS = ("definition", "lemma", "induction hypothesis")
EVERY = (*RULES, *(f"rewrite by {kind}" for kind in KINDS))


@contextmanager
def counted() -> Iterator[Counter]:
    """A count of the steps that the kernel took while the block ran."""
    seen: Counter = Counter()

    def counting(name: str, own: Any) -> Any:
        @wraps(own)
        def method(*args: Any) -> Any:
            result = own(*args)
            seen[name] += 1
            if name == "rewrite":
                seen[f"rewrite by {args[3].name}"] += 1
            return result

        return method

    with ExitStack() as stack:
        for name, kind in RULES.items():
            stack.enter_context(patch.object(kind, name, counting(name, getattr(kind, name))))
        yield seen
