"""A stand-alone script in the programs' own framework that shows two programs differ at a counterexample's inputs.

It imports the two functions, calls them on the inputs and prints both results; it needs no scanproof. It exits with 0
after showing that they differ, and says so and exits with 1 if they do not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from scanproof.constructs.errors import UsageError

from ..exact.counterexample import Counterexample

PRELUDES = {
    "jax": """import jax

jax.config.update("jax_enable_x64", {wide})

import jax.numpy as jnp


def array(values):
    return jnp.asarray(values, dtype="{format}")


def leaves(value):
    return [np.asarray(leaf, dtype=float) for leaf in jax.tree.leaves(value)]
""",
    "torch": """import torch


def array(values):
    return torch.tensor(values, dtype=torch.{format})


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [] if value is None else [value.detach().double().numpy()]
""",
}
"""What a framework needs: how arrays are made, and what a function returned as a list of NumPy arrays."""
NEAR = {"float64": 1e-9}
"""How near results may be, relatively, that are the same number rounded; in narrower formats `NEARLY`."""
NEARLY = 1e-3


def program_script(
    program: str,
    specification: str,
    found: Counterexample,
    framework: str = "jax",
    format: str = "float64",
) -> str:
    """The script's text.

    Args:
        program: "module:function".
        specification: likewise.
        found: where the two differ.
        framework: "jax" or "torch".
        format: of the inputs.

    Raises:
        UsageError: for functions that cannot be imported by their names.
    """
    for name in (program, specification):
        if ":" not in name or "<" in name:
            raise UsageError(
                f"a script imports both functions by name, and {name} has none; define it in a module."
            )
    sizes = ", ".join(f"{name} = {value}" for name, value in found.sizes.items())
    prelude = PRELUDES[framework].format(wide=format == "float64", format=format)
    inputs = "\n".join(f"{name} = array({_numbers(value)})" for name, value in found.inputs.items())
    arguments = ", ".join(found.inputs)
    return f'''"""{program} and {specification} differ: a counterexample at {sizes or "these inputs"}.

Run it where both modules can be imported. Exit status 0: it has shown that the two differ.
"""

import importlib
import sys

import numpy as np
{prelude}

def named(text):
    module, _, path = text.partition(":")
    found = importlib.import_module(module.removesuffix(".py").replace("/", "."))
    for part in path.split("."):
        found = getattr(found, part)
    return found


sys.path.insert(0, ".")
program, specification = named("{program}"), named("{specification}")
{inputs}
actual, claimed = leaves(program({arguments})), leaves(specification({arguments}))
print("the program gives ", *actual)
print("the specification ", *claimed)
near = {NEAR.get(format, NEARLY)}
same = len(actual) == len(claimed) and all(
    one.shape == other.shape and np.allclose(one, other, rtol=near, atol=near)
    for one, other in zip(actual, claimed)
)
if same:
    raise SystemExit("the two agree here")
print("the two differ")
'''


def _numbers(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    exact = Fraction(value)
    return f"{float(exact.numerator)}" + (
        f" / {exact.denominator}" if exact.denominator != 1 else ""
    )
