"""A loop over a size is one node only if its turns leave nothing to the next ones that the loop does not follow."""

import inspect
import linecache
from types import ModuleType

import pytest
import turns_that_keep_state as in_torch

from scanproof.proofs.check.sizes_beyond import nearby
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.jaxpr import python_loops
from scanproof.proofs.doors.jaxpr.python_loops import WithLoops
from scanproof.proofs.doors.program import _door
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

FOR_TORCH = "import torch as xp\nfrom torch.utils._pytree import tree_leaves\n"
FOR_JAX = "import jax.numpy as xp\nfrom jax.tree_util import tree_leaves\n"


def for_jax() -> ModuleType:
    """The same loops on JAX's arrays."""
    text = inspect.getsource(in_torch)
    assert text.count(FOR_TORCH) == 1
    text, name = text.replace(FOR_TORCH, FOR_JAX), "<turns that keep state, in JAX>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    module = ModuleType("turns_in_jax")
    exec(compile(text, name, "exec"), vars(module))
    return module


in_jax = for_jax()
LIST = "rows, a list to which turns append, in a loop over a size at"
CHANGED = {
    "counter": "n[0]",
    "closure": "n",
    "of_dict": "d['k']",
    "of_set": "s",
    "by_setdefault": "d['k']",
    "of_generator": "n",
    "of_iterator": "n",
    "of_count": "n",
    "of_object": "cache.n",
    "of_bound_method": "step.n",
    "of_slots": "holder.n",
    "of_namespace": "holder.n",
    "of_global": "COUNT",
    "of_deque": "d",
    "in_closure": "rows",
    "of_tensor": "n",
}
IN_TORCH = {
    "window": f"deleting items of {LIST}",
    "full_cache": f"the length of {LIST}",
    "first_rows": f"the length of {LIST}",
    "first_rows_caught": f"the length of {LIST}",
    "stacked_so_far": LIST,
    "stacked_length": f"stack of {LIST}",
    "leaves_so_far": f"the items of {LIST}",
    "sliced_in_place": f"an item of {LIST}",
    "cleared": f"the length of {LIST}",
    "of_append": f"the length of {LIST}",
    "in_text": "it asks for the text of a size at",
    **{name: f"a turn changes {one} at" for name, one in CHANGED.items()},
}
IN_JAX = {
    "window_anew": "rows, a list for which a turn gives another value",
    "by_setdefault": "a turn changes d at",
    "popped": f"the length of {LIST}",
    "first_rows_caught": f"the length of {LIST}",
    "leaves_so_far": f"the items of {LIST}",
    "cleared": f"the length of {LIST}",
    "in_text": "a text of the number of a turn",
    "of_dict": "writing an item of a dictionary",
    **{
        name: f"a turn changes {CHANGED[name]} at"
        for name in ("counter", "closure", "of_generator", "of_object")
    },
}
TRUE = {"appended": "doubled", "two_lists": "two_lists_at_once", "constants": "doubled"}


def refusal(function, framework: str) -> str:
    shape = whole(Size("T", 1)), whole(Size("d", 1))
    with pytest.raises(Refused) as error:
        _door(function, framework).lowered([Input("x", shape)])
    return str(error.value)


@pytest.mark.short(16)
@pytest.mark.parametrize("name", IN_TORCH)
def test_a_loop_for_torch_whose_turns_keep_state_is_refused_by_its_name(name):
    assert IN_TORCH[name] in refusal(getattr(in_torch, name), "torch")


@pytest.mark.short(3)
@pytest.mark.parametrize("name", IN_JAX)
def test_a_loop_in_jax_whose_turns_keep_state_is_refused_by_its_name(name):
    assert IN_JAX[name] in refusal(WithLoops(getattr(in_jax, name)), "jax")


MODULES = {"torch": in_torch, "jax": in_jax}


def decided(framework: str, name: str, other: str):
    one, specification = (getattr(MODULES[framework], n) for n in (name, other))
    return prove(one, shapes="x: T d", equals=specification, framework=framework).result


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(
    ("framework", "name"),
    [
        *(("torch", n) for n in ("window", "first_rows", "counter", "of_deque", "in_text")),
        *(("jax", n) for n in ("window_anew", "in_text", "closure")),
    ],
)
def test_what_turns_keep_proves_nothing(framework, name):
    found = decided(framework, name, "last_four" if name == "of_deque" else "ident")
    assert found.verdict in ("refuted", "unknown"), found.reason


@pytest.mark.long
@pytest.mark.parametrize("framework", MODULES)
@pytest.mark.parametrize("name", TRUE)
def test_a_loop_that_appends_and_reads_constants_is_proved(framework, name):
    found = decided(framework, name, TRUE[name])
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


def test_a_negative_number_in_the_code_is_tried_as_a_size():
    assert {399, 400, 401, 402} <= set(nearby({-400}))


@pytest.mark.long
@pytest.mark.parametrize("framework", MODULES)
def test_lists_are_followed_again_where_memories_were_forgotten(framework):
    function = MODULES[framework].cleared
    python_loops._through.cache_clear()
    for _ in range(2):
        given = WithLoops(function) if framework == "jax" else function
        assert LIST in refusal(given, framework)
        python_loops._through.cache_clear()
