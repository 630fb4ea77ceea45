"""A stand-alone script in the programs' own frameworks that shows two programs differ at a counterexample's inputs.

It imports the two functions, calls them on the inputs and prints both results; it needs no scanproof. It exits with 0
after showing that they differ, and says so and exits with 1 if they do not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from scanproof.constructs.errors import UsageError

from ..exact.counterexample import Counterexample
from ..language.sizes import by_name

PRELUDES = {
    "jax": """import jax

jax.config.update("jax_enable_x64", {wide})


def call_jax(function, inputs):
    arrays = [{array}(values, dtype="{format}") for values in inputs]
    return [np.asarray(leaf, dtype=float) for leaf in jax.tree.leaves({function}(*arrays))]
""",
    "torch": """import torch


def call_torch(function, inputs):
    return leaves({function}(*(torch.tensor(values, dtype=torch.{format}) for values in inputs)))


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [] if value is None else [value.detach().double().numpy()]
""",
}
"""How a function of a framework is called with lists of numbers: it returns a list of NumPy arrays."""
NEAR = {"float64": 1e-9}
"""How near results may be, relatively, that are the same number rounded; in narrower formats `NEARLY`."""
NEARLY = 1e-3


def program_script(
    program: str,
    specification: str,
    found: Counterexample,
    frameworks: tuple[str, str] = ("jax", "jax"),
    format: str = "float64",
    how: str = "",
) -> str:
    """The script's text.

    Args:
        program: "module:function".
        specification: likewise.
        found: where the two differ.
        frameworks: "jax" or "torch", of the program and of the specification.
        format: of the inputs.
        how: nothing, "compiled", or "given NumPy's arrays", for how they are run.

    Raises:
        UsageError: for functions that cannot be imported by their names.
    """
    for name in (program, specification):
        if ":" not in name or "<" in name:
            raise UsageError(
                f"a script imports both functions by name, and {name} has none; define it in a module."
            )
    sizes = by_name(found.sizes)
    compiled = {"jax": "jax.jit(function)", "torch": "torch.compile(function)"}
    preludes = [
        PRELUDES[one].format(
            wide=format == "float64",
            format=format,
            function=compiled[one] if how == "compiled" else "function",
            array="np.asarray" if how.startswith("given") else "jax.numpy.asarray",
        )
        for one in dict.fromkeys(frameworks)
    ]
    prelude = "\n\n".join(preludes)
    inputs = "\n".join(f"{name} = {_numbers(value)}" for name, value in found.inputs.items())
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
inputs = [{arguments}]
actual = call_{frameworks[0]}(program, inputs)
claimed = call_{frameworks[1]}(specification, inputs)
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
