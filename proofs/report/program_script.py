"""A stand-alone script in the programs' own frameworks that shows two programs differ at a counterexample's inputs.

It imports the two functions, calls them on the inputs and prints both results; it needs no scanproof. It exits with 0
after showing that they differ, and says so and exits with 1 if they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scanproof.constructs.errors import UsageError

from ..decide import targets
from ..exact.counterexample import Counterexample
from ..language.sizes import BOOL, by_name, format_of

PRELUDES = {
    "jax": """import jax

jax.config.update("jax_enable_x64", {wide})


def call_jax(function, inputs):
    arrays = [{array}(values, dtype=dtype_of(values, "{format}")) for values in inputs]
    return {{
        f"{{name}}{{k or ''}}": np.asarray(leaf, dtype=float)
        for name, one in outputs({function}(*arrays)).items()
        for k, leaf in enumerate(jax.tree.leaves(one))
    }}
""",
    "torch": """import torch


def call_torch(function, inputs):
    arrays = [torch.tensor(values, dtype=dtype_of(values, torch.{format})) for values in inputs]
    found = outputs({function}(*arrays))
    return {{name: one.detach().double().numpy() for name, one in found.items()}}
""",
}
"""How a function of a framework is called with lists of numbers: it returns NumPy arrays by the outputs' names."""
NEAR = {"float64": 1e-9}
"""How near results may be, relatively, that are the same number rounded; in narrower formats `NEARLY`."""
NEARLY = 1e-3


SCRIPT = '''"""{program} and {specification} differ: a counterexample at {where}.

Run it where both modules can be imported. Exit status 0: it has shown that the two differ.
"""

import dataclasses
import importlib
import sys

import numpy as np
{prelude}

def dtype_of(values, reals):
    return reals if np.asarray(values).dtype.kind == "f" else None  # labels and truths have their own


def outputs(value, name=""):
    if value is None:
        return {{}}
    if isinstance(value, dict):
        value = {{key: value[key] for key in sorted(value)}}
    elif dataclasses.is_dataclass(value):
        value = {{one.name: getattr(value, one.name) for one in dataclasses.fields(value)}}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    elif isinstance(value, (tuple, list)):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return {{name: value}}
    each = [outputs(one, f"{{name}}.{{key}}") for key, one in value.items()]
    return {{name: leaf for one in each for name, leaf in one.items()}}


def named(module, path):
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


sys.path.insert(0, ".")
{folders}program = {first}
specification = {second}
{inputs}
inputs = [{arguments}]
actual = call_{of_first}(program, inputs)
claimed = call_{of_second}(specification, inputs)
names = actual if set(actual) == set(claimed) else claimed
actual, claimed = list(actual.values()), [claimed[name] for name in names]
print("the program gives ", *actual)
print("the specification ", *claimed)
near = {near}
same = len(actual) == len(claimed) and all(
    one.shape == other.shape and np.allclose(one, other, rtol=near, atol=near)
    for one, other in zip(actual, claimed)
)
if same:
    raise SystemExit("the two agree here")
print("the two differ")
'''
"""What is written, without what the two programs and the inputs are."""


def program_script(
    program: str,
    specification: str,
    found: Counterexample,
    frameworks: tuple[str, str] = ("jax", "jax"),
    format: str = "float64",
    how: str = "",
    calls: tuple[str, str] | None = None,
    shapes: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The script's text.

    Args:
        program: "module:function".
        specification: likewise.
        found: where the two differ.
        frameworks: "jax" or "torch", of the program and of the specification.
        format: of the inputs.
        how: nothing, "compiled", or "given NumPy's arrays", for how they are run.
        calls: their arguments as Python has them, where the inputs in their order are not all.
        shapes: of the inputs, by which labels and truths are told from real numbers.

    Raises:
        UsageError: for functions that cannot be imported by their names.
    """
    for name in (program, specification):
        if ":" not in name or "<" in name or "(" in name or name.startswith("__main__:"):
            raise UsageError(
                f"a script imports both functions by name, and {name} has none; define it in a module."
            )
    places = [targets.place(name) for name in (program, specification)]
    if places[0].module == places[1].module and len({*map(targets.file_of, places)}) > 1:
        raise UsageError(
            f"a script imports both functions by their modules' names, and {program} and {specification} lie in two "
            "of one name; rename a file."
        )
    folders = {one.folder for one in places} - {None, Path.cwd().resolve()}
    names = [f'named("{one.module}", "{one.attribute}")' for one in places]
    arguments = ", ".join(found.inputs)
    sides = [
        f"lambda {arguments}: {one}({call})" if call != arguments else one
        for one, call in zip(names, calls or (arguments, arguments), strict=True)
    ]
    return SCRIPT.format(
        program=program,
        specification=specification,
        where=by_name(found.sizes) or "these inputs",
        prelude="\n\n".join(_prelude(one, format, how) for one in dict.fromkeys(frameworks)),
        folders="".join(f"sys.path.insert(0, {one!r})\n" for one in sorted(map(str, folders))),
        first=sides[0],
        second=sides[1],
        inputs="\n".join(
            f"{name} = {_written(value, format_of(shapes.get(name, '')))}"
            for name, value in found.inputs.items()
        ),
        arguments=arguments,
        of_first=frameworks[0],
        of_second=frameworks[1],
        near=NEAR.get(format, NEARLY),
    )


def _prelude(framework: str, format: str, how: str) -> str:
    compiled = {"jax": "jax.jit(function)", "torch": "torch.compile(function)"}
    return PRELUDES[framework].format(
        wide=format == "float64",
        format=format,
        function=compiled[framework] if how == "compiled" else "function",
        array="np.asarray" if how.startswith("given") else "jax.numpy.asarray",
    )


def _written(value: Any, format: str) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(one, format) for one in value)}]"
    if format:
        return str(bool(value) if format == BOOL else int(value))
    exact = Fraction(value)
    return f"{float(exact.numerator)}" + (
        f" / {exact.denominator}" if exact.denominator != 1 else ""
    )
