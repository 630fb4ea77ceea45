"""Functions of PyTorch as nodes: they compute what PyTorch computes, their questions about sizes are refused, and
pairs of them are proved."""

from __future__ import annotations

import inspect
import re
from typing import Any

import aten_programs as programs
import numpy as np
import pytest
import torch_doors
import torch_programs

torch = pytest.importorskip("torch")

from scanproof.proofs.doors.aten import formats, modules, program, refusal  # noqa: E402
from scanproof.proofs.doors.aten.refusal import Decided, Refused  # noqa: E402
from scanproof.proofs.doors.aten.tracing import Given  # noqa: E402
from scanproof.proofs.doors.aten.writing import _kept  # noqa: E402
from scanproof.proofs.readings.floats import Floats  # noqa: E402
from scanproof.proofs.statement import making, nodes  # noqa: E402
from scanproof.proofs.statement.formats import Format  # noqa: E402
from scanproof.proofs.statement.whole import Size, whole  # noqa: E402

WHOLE = Format("int", 64)


def inputs(shapes: str) -> list[nodes.Input]:
    """New inputs; `ids` are whole numbers."""
    found = []
    for part in re.split(r",\s*(?=\w+\s*:)", shapes):
        name, text = part.split(":")
        lengths = tuple(map(length, text.split()))
        held = (WHOLE,) if name == "ids" else ()
        found.append(nodes.Input(name.strip(), lengths, *held))
    return found


def length(text: str) -> Any:
    found: Any = 1
    for factor in text.split("*"):
        found = found * (int(factor) if factor.isdigit() else whole(Size(factor, 1)))
    return found


def differences(function: Any, shapes: str, every: int = 3) -> float:
    """The greatest difference between PyTorch's numbers and the nodes', relative to theirs, at a few sizes."""
    given = inputs(shapes)
    read = program.read(
        function, given, [torch.int64 if n.name == "ids" else torch.float64 for n in given]
    )
    names = sorted(
        {s.name for one in given for n in one.shape if not isinstance(n, int) for s in n.symbols}
    )
    rng, worst = np.random.default_rng(0), 0.0
    for k in range(every):
        sizes = {name: int(rng.integers(1, 5)) if k else 1 for name in names}
        reading = Floats(sizes, {})
        values = {}
        for one in given:
            shape = tuple(map(reading.whole, one.lengths))
            values[one.name] = (
                rng.integers(0, 3, shape) if one.name == "ids" else rng.normal(size=shape)
            )
        reading = Floats(sizes, {n: v.astype(float) for n, v in values.items()})
        wanted = torch.utils._pytree.tree_leaves(
            function(*(torch.as_tensor(v) for v in values.values()))
        )
        for one, other in zip(read.outputs, wanted, strict=True):
            theirs = other.detach().double().numpy()
            found = np.asarray(reading(one), float)
            assert found.shape == theirs.shape
            worst = max(
                worst, float(np.max(np.abs(found - theirs) / (1 + np.abs(theirs)), initial=0))
            )
    return worst


@pytest.fixture(autouse=True)
def double():
    """States that a function makes are of its default format."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.sample(2)
@pytest.mark.short("[slope_of_its_own-x]")
@pytest.mark.parametrize(("name", "shapes"), programs.COMPUTED, ids=lambda one: one.split(":")[0])
def test_nodes_compute_what_pytorch_computes(name, shapes):
    assert differences(getattr(programs, name), shapes) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize(("name", "shapes"), programs.LONG, ids=lambda one: one.split(":")[0])
def test_so_do_those_of_longer_programs(name, shapes):
    assert differences(getattr(programs, name), shapes) < 1e-9


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize(("name", "shapes"), programs.ROWS, ids=lambda one: one.split(":")[0])
def test_programs_of_the_field_compute_what_pytorch_computes(name, shapes):
    function = getattr(torch_programs, name, None) or getattr(torch_doors, name)
    assert differences(function() if isinstance(function, type) else function, shapes) < 1e-9


@pytest.mark.short(3)
@pytest.mark.parametrize(("name", "shapes", "words"), programs.REFUSED)
def test_what_is_not_read_is_refused_with_its_line(name, shapes, words):
    with pytest.raises(Refused, match=words) as caught:
        program.read(getattr(programs, name), inputs(shapes))
    assert "aten_programs.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "relation_said", "number"),
    [
        ("longer_than_three", "≥ 0", "T − 4"),
        ("one_is_another", "≠ 0", "T − 1"),
        ("asks_for_its_number", "= 0", "T − 7"),
    ],
)
def test_a_question_that_holds_at_some_sizes_is_a_condition_with_its_line(
    name, relation_said, number
):
    with pytest.raises(Decided, match=r"depends on the sizes") as caught:
        program.read(getattr(programs, name), inputs("x: T d"))
    assert (caught.value.relation, repr(caught.value.number)) == (relation_said, number)
    assert "aten_programs.py:" in str(caught.value)


@pytest.mark.long
def test_nodes_without_a_value_where_pytorch_has_one_are_a_case_of_their_own():
    """With aligned corners PyTorch's own decomposition divides 0 by 0 where there is one row."""

    def corners(x):
        return torch.nn.functional.interpolate(
            x[None, None], tuple(x.shape), mode="bilinear", align_corners=True
        )

    with pytest.raises(Decided, match="does something else where"):
        program.read(corners, inputs("x: T d"))


def test_a_trace_says_for_which_formats_it_holds_and_what_it_takes_for_granted():
    single = program.read(programs.only_single, inputs("x: T"), [torch.float32])
    wide = program.read(programs.only_single, inputs("x: T"), [torch.float64])
    assert (single.formats, wide.formats) == (("float32",), ("float64",))
    assert single.outputs != wide.outputs
    assert program.read(programs.decayed, inputs("x: T")).assumes == (
        "literals are the numbers that they mean: 0.95 is 19/20",
    )


def test_constants_of_a_narrower_format_are_among_those_that_a_program_computes_in():
    narrow = torch.tensor([0.1], dtype=torch.float32)
    given = [Given((2,), torch.float64)]
    assert formats.chosen(lambda x: x * narrow, given, {}).coarsest == "float32"
    assert formats.chosen(lambda x: x * 0.1, given, {}).coarsest == "float64"


def test_parameters_of_a_module_are_inputs():
    function = modules.of_module(torch.nn.Linear(3, 2))
    assert [*inspect.signature(function).parameters] == ["input", "weight", "bias"]
    given = inputs("x: T 3, weight: 2 3, bias: 2")
    read = program.read(function, given, [torch.float64] * 3)
    rng = np.random.default_rng(0)
    shapes = {"x": (4, 3), "weight": (2, 3), "bias": 2}
    values = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    wanted = values["x"] @ values["weight"].T + values["bias"]
    np.testing.assert_allclose(Floats({"T": 4}, values)(read.outputs[0]), wanted)


@pytest.mark.long
def test_a_function_is_as_it_was_after_it_is_read():
    before = programs.delta.__code__
    program.read(programs.delta, inputs(programs.DELTA))
    assert programs.delta.__code__ is before
    assert not any(name.startswith("_scanproof") for name in vars(programs))


def test_a_version_that_was_not_tested_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.99.0")
    with pytest.raises(Refused, match=r"^PyTorch 2\.99 is installed; functions are read with "):
        refusal.torch()


def test_parts_beside_one_another_are_kept_with_those_between_them() -> None:
    """Of parts of n, m − n and k entries those from m on are the last, though m ≥ n is not seen."""
    n, m, k = map(length, "nmk")
    parts = [nodes.Input(name, (size,)) for name, size in (("a", n), ("b", m - n), ("c", k))]
    joined = making.joined(parts, 0)
    assert _kept(joined, 0, m, k) is parts[2]
