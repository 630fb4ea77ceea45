"""Programs for torch that may raise are read as they go on; and other kinds of public code."""

import pytest

from scanproof.proofs.decide.proving import prove

torch = pytest.importorskip("torch")

RAISING = {
    "of_positive": ("doubled", "x: n", ["it does not raise AssertionError at "]),
    "of_numbers": (
        "doubled",
        "x: n",
        ["it does not raise RuntimeError at ", "it does not raise ValueError at "],
    ),
    "mean_where": ("mean_of_chosen", "v: n, m: n bool", ["it does not raise ValueError at "]),
}
KINDS = {
    "rotation": ("rotation_by_parts", "a: n"),
    "attention": ("attention_by_hand", "q: n h m d, k: n h l d, v: n h l e"),
    "squares_of_distances": ("squares_multiplied_out", "x: n d, y: m d"),
    "into_its_argument": ("of_its_argument", "state: n d, x: n d"),
}


def answer(program, specification, shapes):
    pair = (f"raising_in_torch:{one}" for one in (program, specification))
    return prove(next(pair), equals=next(pair), shapes=shapes).result


@pytest.mark.long
@pytest.mark.parametrize("name", RAISING)
def test_a_program_that_may_raise_is_proved_where_it_does_not_and_it_is_said(name):
    specification, shapes, said = RAISING[name]
    result = answer(name, specification, shapes)
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason
    taken = [one for entry in result.evidence for one in entry.get("assumes", ())]
    for text in said:
        assert any(one.startswith(text) and "raising_in_torch.py:" in one for one in taken)


@pytest.mark.long
def test_a_program_that_may_raise_is_refuted_where_it_differs():
    assert answer("of_positive", "tripled", "x: n").verdict == "refuted"


@pytest.mark.parametrize("name", ["by_its_sum", "of_few"])
def test_a_question_both_of_whose_answers_go_on_at_some_sizes_is_refused(name):
    assert "a number of an array is asked at " in answer(name, "doubled", "x: n").reason


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        *("after_an_error_of_tracing", "after_an_error_that_is_gone", "after_a_question"),
        *("by_the_kind_of_a_size", "of_several_entries", "by_a_truth_that_is_kept"),
    ],
)
def test_what_raises_only_where_it_is_traced_is_not_taken_not_to_raise(name):
    assert answer(name, "doubled", "x: n").verdict != "proved"


@pytest.mark.long
def test_an_error_that_the_program_catches_is_none():
    assert answer("that_is_caught", "doubled", "x: n").verdict == "refuted"


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_other_kinds_are_proved_at_all_sizes(name):
    result = answer(name, *KINDS[name])
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


@pytest.mark.long
def test_a_function_of_torchscript_is_read_as_it_was_written():
    import raising_in_torch as programs

    with pytest.warns(DeprecationWarning):
        scripted = torch.jit.script(programs.unscripted)
        at_labels = torch.jit.script(programs.at_labels)
    for program, plain, shapes in (
        (scripted, programs.unscripted, "x: n d, b: d"),
        (at_labels, programs.by_one_hot, "z: n C, y: n in C"),
    ):
        result = prove(program, equals=plain, shapes=shapes, framework="torch").result
        assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


@pytest.mark.long
def test_entries_of_a_diagonal_are_written_in_jax():
    jnp = pytest.importorskip("jax.numpy")

    def jittered(x):
        return x.at[jnp.diag_indices(x.shape[0])].add(1e-6)

    def plus_unit(x):
        return x + 1e-6 * jnp.eye(x.shape[0])

    result = prove(jittered, equals=plus_unit, shapes="x: n n", framework="jax").result
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason
