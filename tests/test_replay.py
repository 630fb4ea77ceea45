"""Certificates in files: another process checks them again without a search, and nothing that is changed passes."""

import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import command_line
import pytest
from certificates import CLAIMS, lines, mutated, of_a_false_problem, steps
from command_line import TRUE, Run, Write, one_line
from edits import Change, Key, add, append, at, clear, drop, put, same
from forged import at as index
from forged import mono

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import absolute
from scanproof.proofs.check.all_sizes import Proof, Stale, equations_of
from scanproof.proofs.check.certificate import AllSizes, Argument
from scanproof.proofs.check.certificate_file import read, written
from scanproof.proofs.check.formulas import formulas, hash_of
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.row_verdicts import homes
from scanproof.proofs.decide.verdict import Result, decide
from scanproof.proofs.exact.engines import FLINT, Engines
from scanproof.proofs.kernel.files import LIMIT
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import at_most, equal
from scanproof.proofs.search import (
    all_sizes,
    closed_forms,
    labelling,
    lemmas,
    normal,
    unfolding,
    witnesses,
    zero,
)
from scanproof.proofs.search.bounds import finding, goals

BOUNDS = (
    "open.mask-decays-at-most-1",
    "ssd.thm5.1+mask-error",
    "ssd.thm5.1+drift",
    "ssd.thm5.2-qnorm",
    "ssd.thm5.2-qsmall+uniform",
)
VARIED = (
    "gd-ssm.a1-gradient+factor",
    "gd-ssm.forms+mask",
    "gd-ssm.prop1-construction+sign",
    "gd-ssm.prop4+needs-vanishing",
    "gd-ssm.prop4+vanishing",
    "gril.a2-construction+scale",
    "gril.eq16",
    "gril.longhorn",
    "gril.prop4.1",
    "gril.w3-minimal",
    "ssd.remark4.1-ssd-x",
    "ssd.thm4.1-stars+excess",
    "ch9.linear-attention",
    *BOUNDS,
    "ch9.span",
)
"""Some are proved by equations, some by bounds, some by witnesses, and the last by equations and a witness."""
SEARCHED = (
    *("gd-ssm.prop1-construction+sign", "gril.eq16", "gril.prop4.1"),
    *("gd-ssm.prop4+needs-vanishing", "ssd.remark4.1-ssd-x", "ch9.span"),
    *("open.mask-decays-at-most-1", "ssd.thm5.2-qnorm"),
)
"""Of them, some of each kind that are soon found: a bound of ssd.thm5.1 is searched for a minute and a half."""
SCAN = "gril.prop4.1"
"""Its proof has a scan, whose closed form is shown by induction, and goals in several cases."""
BOTH = Engines((FLINT,), kernel=True)
ALONE = Engines(kernel=True)


def scanproof(seed: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, in which sets have another order."""
    return subprocess.run(
        [sys.executable, "-m", "scanproof", *map(str, arguments)],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the proofs of the varied claims that are in the repository."""
    folder, there = tmp_path_factory.mktemp("proofs"), Certificates(homes=homes(built_in()))
    for id in VARIED:
        file = there.file(CLAIMS[id])
        assert file is not None
        shutil.copy(file, folder)
    return folder


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the proofs of some claims as another process finds and writes them."""
    folder = tmp_path_factory.mktemp("searched")
    done = scanproof(1, "check", *SEARCHED, "--from-scratch", "--certificates", folder, "--save")
    assert done.stderr == ""
    assert {f"{id}.json" for id in SEARCHED} <= {path.name for path in folder.iterdir()}
    return folder


@pytest.fixture
def search_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever searches is an error."""

    def raising(*_: Any, **__: Any) -> Any:
        raise AssertionError("a search during a replay")

    searches = (closed_forms, labelling, lemmas, normal, unfolding, zero, finding, goals)
    names = {"tidy", "show_zero", "unfold_once", "ways", "_search", "_try", "settle"}
    names |= {"find", "bounded", "certificate", "ways", "begun", "goal_of"}
    names |= {"show", "conditions", "find_witnesses", "drawn", "fitted"}
    for module in (*searches, all_sizes, witnesses):
        for name in names & set(vars(module)):
            monkeypatch.setattr(module, name, raising)


def replayed(folder: Path, claim: Claim) -> Result:
    """By the certificate alone."""
    return decide(claim, BOTH, Certificates(folder, search=False))


def saved_to(folder: Path, claim: Claim) -> Result:
    return decide(claim, ALONE, Certificates(folder, read=False, write=True))


def file_of(folder: Path, id: str) -> Path:
    found = Certificates(folder).file(CLAIMS.get(id, replace(CLAIMS[SCAN], id=id)))
    assert found is not None
    return found


def recorded(folder: Path, id: str) -> AllSizes:
    """What a file says of all sizes."""
    found = read(file_of(folder, id), id)
    assert isinstance(found, Argument)
    return next(one for one in found.by if isinstance(one, AllSizes))


def rewrite(folder: Path, id: str, one: AllSizes) -> None:
    """A file as somebody would write it who wants to deceive."""
    file_of(folder, id).write_text(written(Argument(id, (one,))), encoding="utf-8")


@pytest.mark.long
def test_another_process_checks_what_one_has_recorded(searched: Path):
    done = scanproof(
        2,
        "check",
        *SEARCHED,
        "--engine",
        "flint",
        "--certificates",
        searched,
        "--offline",
        "--format",
        "json",
    )
    assert done.returncode == 0
    found = [s for c in json.loads(done.stdout)["claims"] for s in (c["as_stated"], *c["amended"])]
    found = [s for s in found if s["id"] in SEARCHED]
    assert len(found) == len(SEARCHED)
    for statement in found:
        assert (statement["verdict"], statement["scope"]) == ("proved", "all-sizes")
        assert not statement["stale"]  # but tainted where it rests on a row that has no file here
        for_all = (e["engine"] for e in statement["evidence"] if e["scope"] == "all-sizes")
        assert next(for_all) == "kernel"


@pytest.mark.long
def test_what_is_recorded_is_the_same_every_time(searched: Path, tmp_path: Path):
    scanproof(3, "check", *SEARCHED, "--from-scratch", "--certificates", tmp_path, "--save")
    assert {p.name for p in searched.iterdir()} == {p.name for p in tmp_path.iterdir()}
    for path in searched.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.mark.parametrize("id", VARIED)
def test_what_is_read_is_written_as_it_was(saved: Path, id: str):
    assert written(read(file_of(saved, id), id)) == (saved / f"{id}.json").read_text()


@pytest.mark.long
@pytest.mark.usefixtures("search_raises")
@pytest.mark.parametrize("id", VARIED)
def test_no_search_runs_during_a_replay(saved: Path, id: str):
    found = replayed(saved, CLAIMS[id])
    assert (found.scope, found.recorded) == ("all-sizes", "")


@pytest.mark.usefixtures("search_raises")
@pytest.mark.parametrize(
    "id", [SCAN, "ssd.remark4.1-ssd-x", "gd-ssm.prop4+needs-vanishing", *BOUNDS]
)
def test_searches_are_seen_to_be_errors(id: str):
    with pytest.raises(AssertionError, match="a search"):
        all_sizes.prove(CLAIMS[id])


def test_a_file_is_json_with_a_theorem_on_each_line(saved: Path):
    text = (saved / f"{SCAN}.json").read_text()
    trace = recorded(saved, SCAN).trace
    assert trace is not None
    assert all_sizes_in(json.loads(text))["equations"] == trace
    every = [line.rstrip(",") for line in text.splitlines()]
    first = every.index('"theorems": [') + 1
    found = [json.loads(line) for line in every[first : first + len(trace["theorems"])]]
    assert found == trace["theorems"]


def all_sizes_in(file: Any) -> dict[str, Any]:
    return next(one for one in file["by"] if one["is"] == "all-sizes")


@pytest.mark.long
def test_a_file_holds_all_that_a_claim_says(saved: Path):
    both = recorded(saved, "ch9.span")
    assert both.trace is not None
    assert len(both.witnesses) == 1
    for part in (replace(both, trace=None), replace(both, witnesses=())):
        assert isinstance(all_sizes.checked(CLAIMS["ch9.span"], part), str)


# What is changed.


def first_step(rule: str) -> Key:
    return lambda trace: steps(trace, rule)[0]


def first_lemma(trace: Any) -> Any:
    """The claims of the first induction."""
    return lines(trace, "induction")[0][3]


def expect_one_line(found: Result, id: str) -> None:
    """Nothing is settled by a file, and why is one short line that names it."""
    assert (found.verdict, found.scope) == ("unknown", None)
    assert found.broken or found.stale
    assert f"{id}.json:" in found.recorded
    assert "\n" not in found.recorded
    assert len(found.recorded) < 400


CHANGES: dict[str, Change] = {
    "a rule of no name": put(first_step("eliminate"), 0, "believe"),
    "a float for a coefficient": put(first_lemma, 0, 1, 1, 0, 0, 1.0),
    "another lemma": put(first_lemma, 0, 1, 1, 0, 0, "3/7"),
    "the last line left out": drop("theorems", -1),
    "another problem": put("problem", "statements", 0, 1, 1, []),
    "larger sizes, of which it would be true": add("problem", "sizes", 0, 2, 1),
}
"""Of each kind one: what else is refused stands in `arena`."""


@pytest.mark.long
@pytest.mark.parametrize("how", CHANGES)
def test_a_changed_file_proves_nothing_and_where_one_searches_that_is_said_beside_the_verdict(
    saved: Path, tmp_path: Path, how: str
):
    certificate = recorded(saved, SCAN)
    before = json.dumps(certificate.trace)
    CHANGES[how](certificate.trace)
    assert json.dumps(certificate.trace) != before
    rewrite(tmp_path, SCAN, certificate)
    found = replayed(tmp_path, CLAIMS[SCAN])
    expect_one_line(found, SCAN)
    assert found.stale == (how in ("another problem", "larger sizes, of which it would be true"))
    assert found.broken != found.stale
    again = decide(CLAIMS[SCAN], ALONE, Certificates(tmp_path))
    assert (again.verdict, again.scope) == ("proved", "all-sizes")
    assert again.recorded


@pytest.mark.long
def test_the_error_names_the_theorem(saved: Path, tmp_path: Path):
    certificate = recorded(saved, SCAN)
    assert certificate.trace is not None
    step = steps(certificate.trace, "eliminate")[0]
    step[0] = "believe"
    number = next(
        k for k, line in enumerate(certificate.trace["theorems"]) if "believe" in json.dumps(line)
    )
    rewrite(tmp_path, SCAN, certificate)
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert f"theorem {number}: expected the name of a rule, got 'believe'" in found.recorded


def text_of(saved: Path) -> str:
    return (saved / f"{SCAN}.json").read_text()


BROKEN: dict[str, Callable[[str], str | bytes]] = {
    "empty": lambda text: "",
    "truncated": lambda text: text[: len(text) // 2],
    "cut at its end": lambda text: text.rstrip()[:-1],
    "a list": lambda text: "[]",
    "a number": lambda text: "7",
    "null": lambda text: "null",
    "an object without fields": lambda text: "{}",
    "another format": lambda text: text.replace("certificate/2", "certificate/3"),
    "another format of the proof": lambda text: text.replace("trace/1", "trace/2"),
    "another claim": lambda text: text.replace(f'"{SCAN}"', '"gril.eq10"'),
    "no claim": lambda text: text.replace(f'"{SCAN}"', "null"),
    "a field more": lambda text: text.replace('"witnesses"', '"believed": true,\n"witnesses"'),
    "a field twice": lambda text: text.replace('"witnesses"', '"witnesses": [],\n"witnesses"'),
    "a field of the proof twice": lambda text: text.replace(
        '"theorems"', '"theorems": [],\n"theorems"'
    ),
    "a field less": lambda text: text.replace(',\n"witnesses": []', ""),
    "a field of the proof less": lambda text: text.replace('"formals"', '"more"'),
    "a list for the proof": lambda text: text.replace(
        '"equations": {', '"equations": [{', 1
    ).replace('},\n"bounds"', '}],\n"bounds"'),
    "a list for the bounds": lambda text: text.replace('"bounds": null', '"bounds": []'),
    "bounds of a claim that says none": lambda text: text.replace('"bounds": null', '"bounds": {}'),
    "no bounds": lambda text: text.replace('"bounds": null,\n', ""),
    "a witness that is none": lambda text: text.replace('"witnesses": []', '"witnesses": [7]'),
    "a witness without fields": lambda text: text.replace('"witnesses": []', '"witnesses": [{}]'),
    "witnesses that are none": lambda text: text.replace('"witnesses": []', '"witnesses": null'),
    "an empty line": lambda text: text.replace('["equation",', '[],["equation",', 1),
    "no list": lambda text: text.replace('["equation",', '7,["equation",', 1),
    "a huge number": lambda text: text.replace("[0,", f"[{'9' * 5000},", 1),
    "a long number": lambda text: text.replace("[0,", f"[{'9' * 300},", 1),
    "a float": lambda text: text.replace("[0,", "[0.0,", 1),
    "a power of ten": lambda text: text.replace("[0,", "[1e999,", 1),
    "nested deeply": lambda text: text.replace("[0,", "[" * 100_000, 1),
    "nested and closed": lambda text: text.replace("[0,", f"[{'[' * 5000}{']' * 5000},0,", 1),
    "many lists": lambda text: text.replace("[0,", "[" + "[]," * 2_000_001, 1),
    "no text": lambda text: text.encode() + b"\xff",
    "half a letter": lambda text: text.replace('"format"', '"\\ud800"', 1),
    "nan": lambda text: text.replace("[0,", "[NaN,", 1),
    "infinity": lambda text: text.replace("[0,", "[-Infinity,", 1),
    "more than one value": lambda text: f"{text}{text}",
}


@pytest.mark.long_cases(
    "many lists",
    "another format of the proof",
    "a field of the proof less",
    "bounds of a claim that says none",
    "an empty line",
    "no list",
    "a long number",
)
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_one_clear_error(saved: Path, tmp_path: Path, how: str):
    text = BROKEN[how](text_of(saved))
    assert text != text_of(saved)
    path = tmp_path / f"{SCAN}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = replayed(tmp_path, CLAIMS[SCAN])
    expect_one_line(found, SCAN)
    assert f"{path}:" in found.recorded


def test_a_folder_for_a_file_is_refused(tmp_path: Path):
    (tmp_path / f"{SCAN}.json").mkdir()
    assert replayed(tmp_path, CLAIMS[SCAN]).broken


def test_a_large_file_is_not_read(saved: Path, tmp_path: Path):
    path = tmp_path / f"{SCAN}.json"
    path.write_text(text_of(saved))
    os.truncate(path, 2**40)
    assert f"more than {LIMIT} bytes" in replayed(tmp_path, CLAIMS[SCAN]).recorded


@pytest.mark.long
@pytest.mark.parametrize("other", [id for id in VARIED if id != SCAN])
def test_the_proof_of_another_claim_is_stale(saved: Path, tmp_path: Path, other: str):
    rewrite(tmp_path, SCAN, recorded(saved, other))
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert found.verdict == "unknown"
    assert found.stale or found.broken


# What is changed of witnesses, of two inputs and of bounds.


def first_input(one: Any) -> Any:
    return next(iter(one["inputs"].values()))


WITNESSES: dict[str, Change] = {
    "a difference of 0": put("gaps", 0, 2, "0"),
    "another difference": put("gaps", 0, 2, "12345/7"),
    "another power": add("gaps", 0, 1, 0, 1),
    "a power less": drop("gaps", 0, 1, -1),
    "a huge power": put("gaps", 0, 1, 0, 10**6),
    "another entry": put("gaps", 0, 0, 10**6),
    "an entry before the first": put("gaps", 0, 0, -1),
    "no difference": clear("gaps"),
    "one more difference": append("gaps", same("gaps", 0)),
    "inputs that are all 0": lambda one: [put(0, "0")(value) for value in one["inputs"].values()],
    "an input over 0": put(first_input, 0, "1/0"),
    "an input that is a number": put(first_input, 0, 1),
    "an input at no place": append(first_input, "9"),
    "an input less": lambda one: one["inputs"].popitem(),
    "an input more": put("inputs", "believed", ["1"]),
    "no inputs": clear("inputs"),
    "no proof": put("trace", None),
    "a proof without lines": put("trace", "theorems", []),
    "a proof of another number": clear("trace", "problem", "statements"),
    "one field more": put("believed", True),
    "one field less": drop("gaps"),
}
COLLISIONS: dict[str, Change] = {
    "twice the same inputs": put("second", same("first")),
    "another difference": put("gap", 2, "3"),
    "a difference of 0": put("gap", 2, "0"),
    "another statement": put("statement", 1),
    "a statement counted from behind": put("statement", -1),
    "a statement that is true": put("statement", True),
    "other inputs": put("second", "w", 0, "-2"),
    "an input less": lambda one: one["first"].popitem(),
    "an input more": put("second", "believed", ["1"]),
    "no proof": put("trace", {}),
    "a field less": drop("gap"),
}
INEQUALITIES: dict[str, Change] = {
    "another goal": put("goals", 0, 3, 1, 0, 0, "1/2"),
    "a larger least size": put("equations", "problem", "sizes", 0, 2, 7),
    "no steps": clear("steps"),
    "one field less": drop("steps"),
}
"""Of each kind one: what else is refused stands in test_inequalities."""
CHANGED = [
    *(("ch9.span", ("witnesses", 0), how) for how in WITNESSES.items()),
    *(("gd-ssm.prop4+needs-vanishing", ("witnesses", 0), how) for how in COLLISIONS.items()),
    *(("ssd.thm5.2-qnorm", ("bounds",), how) for how in INEQUALITIES.items()),
]


@pytest.mark.short("ch9.span-a huge power")
@pytest.mark.parametrize(
    ("id", "place", "change"),
    [(id, place, change) for id, place, (_, change) in CHANGED],
    ids=[f"{id}-{how}" for id, _, (how, _) in CHANGED],
)
def test_what_was_changed_in_a_file_shows_nothing(
    saved: Path, tmp_path: Path, id: str, place: tuple[Key, ...], change: Change
):
    file = json.loads((saved / f"{id}.json").read_text())
    before = json.dumps(file)
    change(at(all_sizes_in(file), place))
    assert json.dumps(file) != before
    (tmp_path / f"{id}.json").write_text(json.dumps(file))
    expect_one_line(replayed(tmp_path, CLAIMS[id]), id)


@pytest.mark.long
def test_a_bound_is_told_as_it_was_found(saved: Path):
    """What the report says of it comes from the steps that were checked."""
    for id in BOUNDS:
        found, own = all_sizes.prove(CLAIMS[id]), replayed(saved, CLAIMS[id])
        assert isinstance(found, Proof)
        assert [e for e in own.evidence if e["scope"] == "all-sizes"] == found.entries()
        assert found.entries()[0]["method"] in ("bound-chain", "sum-of-squares")


@pytest.mark.long
def test_a_bound_is_not_proved_by_that_of_a_weaker_one(tmp_path: Path):
    """The certificate of |y| ≤ n C is put there for |y| ≤ n C / 2, with its own problem and with the other."""
    weak, strong = (bound_claim(by) for by in (Fraction(1), Fraction(1, 2)))
    found = all_sizes.find(weak)
    assert not isinstance(found, str)
    own = found.certificate.bounds
    assert own is not None
    assert isinstance(all_sizes.checked(weak, found.certificate), Proof)
    assert isinstance(all_sizes.checked(strong, found.certificate), Stale)
    forged = replace(found.certificate, statement=hash_of(strong))
    assert isinstance(all_sizes.checked(strong, forged), Stale)
    for goal in own["goals"]:
        (pair,) = goal[3][1]
        pair[0] = "1/2"
    assert "refused" in str(all_sizes.checked(strong, forged))


# What is false.


@definition
def layer(x: Any) -> Any:
    return x.sum(0)


def bound_claim(factor: Fraction) -> Claim:
    """|Σ x_i| ≤ factor · n · C, of |x_i| ≤ C."""
    row = Source("mine", title="Mine").claim(
        "mine.bound",
        says="it",
        kind="bound",
        given={"x": "n", "C": ""},
        assuming={"|x_i| ≤ C": lambda x, C: at_most(absolute(x), C)},
    )
    return row(lambda x, C, n: at_most(absolute(layer(x)), n * C * factor)).claim


def source_claim(factor: int) -> Claim:
    paper = Source("mine", title="A layer of mine")

    @paper.claim("mine.sum", says="Σ (x + c) = Σ x + N c", given={"x": "N", "c": ""})
    def row(x: Any, c: Any, N: Any) -> Any:
        return equal(layer(x + c), layer(x) + c * N * factor)

    return row.claim


def test_no_change_of_a_proof_makes_it_one_of_a_false_claim(tmp_path: Path):
    true, false = source_claim(1), source_claim(2)
    assert saved_to(tmp_path, true).scope == "all-sizes"
    whole = recorded(tmp_path, "mine.sum")
    assert whole.trace is not None
    rng = random.Random(7)
    for _ in range(100):
        rewrite(
            tmp_path, "mine.sum", named(false, mutated(whole.trace, rng, whole.trace["theorems"]))
        )
        found = replayed(tmp_path, false)
        assert found.verdict == "unknown"
        assert found.stale or found.broken


@pytest.mark.long
def test_a_proof_that_is_told_the_false_problem_does_not_show_it(tmp_path: Path):
    """The file says what the false claim says; its steps are those of the true one, changed at random."""
    assert saved_to(tmp_path, source_claim(1)).scope == "all-sizes"
    own = recorded(tmp_path, "mine.sum").trace
    assert own is not None
    other = _problem_of(source_claim(2))
    rng = random.Random(8)
    for _ in range(100):
        changed = mutated({**own, "problem": other}, rng, own["theorems"])
        rewrite(tmp_path, "mine.sum", named(source_claim(2), changed))
        found = replayed(tmp_path, source_claim(2))
        assert (found.verdict, found.stale, found.broken) == ("unknown", False, True)


def test_a_false_claim_is_not_proved_by_a_denominator_of_the_files_own(tmp_path: Path):
    """A name of the claim is itself and 0 · 1/0, by induction. All that times 0, which is said not to be 0, is 0."""
    other = _problem_of(source_claim(2))
    left, right = other["statements"][0]
    ((name, where),) = left[1][0][3]
    assert (where, len(left[1]), len(right[1])) == ([], 1, 1)
    gone = [["regroup", 0, []]]
    both = [mono("1", (name,)), mono("1", ("1/'900",), guards=[index(plus=-1)])]
    lemma = ["induction", index(900), index(901), [[[name, []], [[900], both]]], [[gone, gone]]]
    way = [["rewrite", 0, 0, 0, [[900, index()]]], ["clear", 2, 0], ["regroup", 3, []]]
    most = max(function[2] for function in other["functions"])
    formals = [902 + k for k in range(most)]
    declared = {
        "positions": [
            [900, "t", index(), index(plus=1)],
            [901, "t", index(), index()],
            *[[v, "p"] for v in formals],
        ],
        **{"states": [], "functions": [["1/'900", "1/", 0, []]], "recursions": []},
        "formals": formals,
    }
    trace = {"format": "scanproof.trace/1", "problem": other, "declared": declared}
    rewrite(
        tmp_path,
        "mine.sum",
        named(source_claim(2), {**trace, "theorems": [lemma, ["equation", way]]}),
    )
    found = replayed(tmp_path, source_claim(2))
    assert (found.verdict, found.broken) == ("unknown", True)


def named(claim: Claim, trace: Any) -> AllSizes:
    """A proof of equations that names the claim's statement."""
    return AllSizes(trace, statement=hash_of(claim))


def _problem_of(claim: Claim) -> Any:
    """What a claim says, in the kernel's words."""
    from scanproof.proofs.interpret.writing import problem_to
    from scanproof.proofs.search.proving import proving

    with proving() as current:
        problem, _ = problem_to(equations_of(formulas(claim, current)))
    return json.loads(json.dumps(problem))


@pytest.mark.long
@pytest.mark.parametrize("id", [SCAN, "gril.eq16", "gd-ssm.forms+mask"])
def test_a_file_with_a_false_problem_is_stale(saved: Path, tmp_path: Path, id: str):
    certificate = recorded(saved, id)
    assert certificate.trace is not None
    rewrite(tmp_path, id, replace(certificate, trace=of_a_false_problem(certificate.trace)))
    found = replayed(tmp_path, CLAIMS[id])
    assert (found.verdict, found.stale) == ("unknown", True)


# Definitions that change.

LAYER = """
    @definition
    def layer(x):
        return (2 * x).sum(0)

    @paper.claim("{name}.layer", says="Σ 2 x_i = 2 Σ x_i", given={{"x": "N"}})
    def claim(x):
        return equal(layer(x), 2 * total(x))
"""
OFFLINE = ("--certificates", "proofs", "--offline")
RESTED = """
    @paper.claim("{name}.a", says="a", given={{"x": "N"}}, depends_on={a})
    def a(x):
        return equal(total(2 * x), 2 * total(x))

    @paper.claim("{name}.b", says="b", given={{"x": "N"}}, depends_on={b})
    def b(x):
        return equal(total(3 * x), 3 * total(x))

    paper.unchecked("{name}.c", says="c", missing="nobody has a proof", depends_on={c})
"""


def statements(answer: command_line.Answer) -> dict[str, dict[str, Any]]:
    return {c["id"]: c["as_stated"] for c in json.loads(answer.out)["claims"]}


def rested(a: tuple[str, ...] = (), b: tuple[str, ...] = (), c: tuple[str, ...] = ()) -> str:
    text = textwrap.dedent(RESTED)
    for name, ids in {"a": a, "b": b, "c": c}.items():
        text = text.replace(f"depends_on={{{name}}}", f"depends_on={ids}")
    return text


@pytest.mark.long
@pytest.mark.parametrize("same", ["(x * 2)", "(x + x)", "(5 * x - 3 * x)"])
def test_a_proof_for_a_definition_written_otherwise_goes_through_or_is_stale(
    run: Run, write: Write, same: str
):
    file = write(LAYER)
    assert run("check", file, "--certificates", "proofs", "--save").code == 0
    write(LAYER.replace("(2 * x)", same))
    answer = run("check", file, *OFFLINE, "--format", "json")
    (found,) = statements(answer).values()
    assert answer.code == 0
    assert found["stale"] == (found["verdict"] == "unknown") == ("stale" in answer.err)


@pytest.mark.long
def test_a_proof_whose_steps_would_do_for_another_definition_is_stale(run: Run, write: Write):
    """Both sides have another factor: the steps are the same ones, but it is not the claim that was proved."""
    file = write(LAYER)
    run("check", file, "--certificates", "proofs", "--save")
    write(LAYER.replace("2 * ", "3 * "))
    answer = run("check", file, *OFFLINE, "--format", "json")
    (found,) = statements(answer).values()
    assert (found["verdict"], found["stale"]) == ("unknown", True)
    assert "mine.layer is stale: " in answer.err
    assert answer.code == 0


@pytest.mark.long
def test_what_is_stale_is_found_again_and_renewed_where_one_asks_for_it(run: Run, write: Write):
    file = write(LAYER)
    run("check", file, "--save")
    path = Path("certificates", "mine.layer.json")
    before = path.read_text()
    write(LAYER.replace("2 * ", "3 * "))
    for options in ((), ("--save",)):
        answer = run("check", file, *options, "--format", "json")
        (found,) = statements(answer).values()
        assert (found["verdict"], found["scope"]) == ("proved", "all-sizes")
        told = "mine.layer: replaced: " if options else "mine.layer is stale: "
        assert told in answer.err
        assert ("--save" in answer.err) == (path.read_text() == before) == (not options)
    assert run("check", file, "--offline").err == ""


@pytest.mark.long
def test_a_false_definition_is_not_proved_by_the_proof_of_a_true_one(run: Run, write: Write):
    file = write(LAYER)
    run("check", file, "--certificates", "proofs", "--save")
    write(LAYER.replace("(2 * x)", "(3 * x)"))
    found = statements(run("check", file, *OFFLINE, "--format", "json"))["mine.layer"]
    assert (found["verdict"], found["stale"]) == ("unknown", True)
    found = statements(run("check", file, "--certificates", "proofs", "--format", "json"))
    assert found["mine.layer"]["verdict"] == "refuted"


@pytest.mark.long
def test_a_tampered_file_exits_3_and_the_claim_is_searched_again(run: Run, write: Write):
    file = write(LAYER)
    run("check", file, "--save")
    path = Path("certificates", "mine.layer.json")
    path.write_text(path.read_text().replace('["equation"', '["believe"'))
    answer = run("check", file, "--format", "json")
    assert answer.code == 3
    (line,) = answer.err.splitlines()
    assert line.startswith("scanproof: mine.layer: ")
    assert "mine.layer.json:" in line
    (found,) = statements(answer).values()
    assert (found["verdict"], found["scope"]) == ("proved", "all-sizes")
    answer = run("check", file, "--offline", "--format", "json")
    assert (answer.code, statements(answer)["mine.layer"]["verdict"]) == (3, "unknown")


@pytest.mark.long
def test_rows_without_a_file_are_unknown_where_nothing_is_searched(run: Run, write: Write):
    answer = run("check", write(TRUE, LAYER), "--offline", "--format", "json")
    assert answer.code == 0
    assert {s["verdict"] for s in statements(answer).values()} == {"unknown"}
    assert "there is no certificate of mine.layer, mine.linear" in answer.err


@pytest.mark.long
def test_what_is_saved_and_checked_again_is_what_is_found_from_scratch(run: Run, write: Write):
    file = write(TRUE, LAYER)
    cold = run("check", file, "--format", "json")
    save = run("check", file, "--format", "json", "--certificates", "proofs/of/mine", "--save")
    again = run("check", file, "--format", "json", "--certificates", "proofs/of/mine", "--offline")
    scratch = run("check", file, "--format", "json", "--from-scratch")
    every = [statements(one) for one in (cold, save, again, scratch)]
    assert every[1:] == every[:-1]
    assert {s["scope"] for s in every[0].values()} == {"all-sizes"}


def test_a_folder_that_cannot_be_made_is_an_error(run: Run, write: Write):
    file = write(TRUE)
    answer = run("check", file, "--certificates", f"{file}/proofs", "--save")
    assert "cannot write there" in one_line(answer)


@pytest.mark.long
def test_a_folder_that_is_not_there_is_an_error(run: Run, write: Write):
    answer = run("check", write(TRUE), "--certificates", "nowhere")
    assert "--certificates nowhere" in one_line(answer)


@pytest.mark.long
@pytest.mark.parametrize("other", ["--save", "--from-scratch"])
def test_what_is_not_searched_is_neither_saved_nor_found(run: Run, write: Write, other: str):
    assert "give one of them" in one_line(run("check", write(TRUE), "--offline", other))


@pytest.mark.long
def test_a_certificate_that_cannot_be_written_is_an_error_and_the_verdict_stays(
    run: Run, write: Write
):
    file = write(TRUE)
    Path("certificates", "mine.linear.json").mkdir(parents=True)
    answer = run("check", file, "--save", "--from-scratch", "--format", "json")
    assert answer.code == 3
    assert "cannot be written" in answer.err
    assert [s["scope"] for s in statements(answer).values()] == ["all-sizes"]
    assert os.listdir("certificates") == ["mine.linear.json"]


def test_the_file_of_an_id_stays_in_its_folder(tmp_path: Path):
    names = ["a.b", "a./../../b", "a.b+c", "a.B*?:|b", "a." + "é" * 300, "a." + "é" * 301]
    files = [file_of(tmp_path, name) for name in names]
    assert {path.parent for path in files} == {tmp_path}
    assert len({path.name for path in files}) == len(names)
    assert all(len(path.name) < 200 for path in files)


# What rests on what.


@pytest.mark.long
def test_a_row_is_tainted_by_one_that_is_not_proved_however_far(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("mine.c",)))
    found = statements(run("check", file, "--format", "json"))
    assert {id: s["tainted"] for id, s in found.items()} == {
        "mine.a": True,
        "mine.b": True,
        "mine.c": False,
    }


@pytest.mark.long
def test_a_row_is_not_tainted_by_one_that_is_proved(run: Run, write: Write):
    found = statements(run("check", write(rested(a=("mine.b",))), "--format", "json"))
    assert not any(s["tainted"] for s in found.values())


@pytest.mark.long
def test_a_row_may_rest_on_one_that_was_not_asked_for(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("gd-ssm.prop1-construction",)))
    found = statements(run("check", file, "mine.a", "--format", "json"))
    assert {id: s["tainted"] for id, s in found.items()} == {"mine.a": True}


@pytest.mark.long
def test_taint_is_printed(run: Run, write: Write):
    file = write(rested(a=("mine.c",)))
    assert "tainted" in run("check", file, "mine.a").out
    assert "tainted" in run("show", file, "mine.a").out


def test_claims_that_depend_on_each_other_in_a_cycle_are_an_error(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("mine.c",), c=("mine.a",)))
    line = one_line(run("check", file))
    assert "mine.a → mine.b → mine.c → mine.a" in line


@pytest.mark.long
def test_a_claim_that_depends_on_none_that_there_is_is_an_error(run: Run, write: Write):
    line = one_line(run("check", write(rested(a=("mine.bb",)))))
    assert "mine.a depends on 'mine.bb'" in line


# What a file may not choose: where a claim is run, who gives a second opinion, what is said.

ODD = """
    @definition
    def dot(x):
        return (x * x).sum()

    def kind(x):
        return type(getattr(x, "entries", np.zeros(1)).flat[0]).__name__

    @paper.claim("{name}.odd", says="odd", given={{"x": "N"}}, sizes={{"N": (1, 2, 3, 4, 5, 6)}})
    def odd(x, N):
        return equal(dot(x), x @ x + CHANGE)
"""
HIDDEN = {
    "a listed size that is asked for in secret": "(1 if type(N) is int and N == 4 else 0)",
    "an engine that sees another claim": "(1 if 'Ratio' not in kind(x) and N == 2 else 0)",
}


@pytest.mark.long
@pytest.mark.parametrize("how", HIDDEN)
def test_no_certificate_makes_a_verdict_better_than_a_search_does(run: Run, write: Write, how: str):
    """Certificates of a true claim, with parts left out, lie beside one that differs where it is hard to see."""
    file = write(ODD.replace("CHANGE", "0"))
    run("check", file, "--save")
    (path,) = Path("certificates").iterdir()
    whole = json.loads(path.read_text())
    text = Path(file).read_text().replace("+ 0)", f"+ {HIDDEN[how]})")
    Path(file).write_text("import numpy as np\n" + text)
    own = statements(run("check", file, "--from-scratch", "--format", "json"))["mine.odd"]
    assert own["verdict"] != "proved"
    for left in (("all-sizes",), ("fixed-sizes",), ("all-sizes", "fixed-sizes")):
        by = [one for one in whole["by"] if one["is"] in left][:2]
        path.write_text(json.dumps({**whole, "by": by}))
        for options in ((), ("--offline",)):
            got = statements(run("check", file, *options, "--format", "json"))["mine.odd"]
            assert got["verdict"] in (own["verdict"], "unknown", "error"), (left, options)


@pytest.mark.long
@pytest.mark.parametrize("bad", ["a folder", "a pipe", "no text", "unsettled", "another kind"])
def test_what_is_no_certificate_is_named_and_the_claim_is_searched(
    run: Run, write: Write, bad: str
):
    file = write(TRUE)
    Path("certificates").mkdir()
    path = Path("certificates", "mine.linear.json")
    if bad == "a folder":
        path.mkdir()
    elif bad == "a pipe":
        os.mkfifo(path)
    elif bad == "no text":
        path.write_bytes(b"\xff\xfe\x00")
    elif bad == "unsettled":
        path.write_text(
            '{"format":"scanproof.certificate/2","is":"unsettled","claim":"mine.linear","why":"so"}'
        )
    else:
        by = '{"is":"limits","sizes":{"N":1},"part":0}'
        head = '"format":"scanproof.certificate/2","is":"refutation","claim":"mine.linear"'
        path.write_text(f'{{{head},"by":{by},"near_misses":[]}}')
    for options in ((), ("--save",)):
        answer = run("check", file, *options, "--format", "json")
        assert statements(answer)["mine.linear"]["scope"] == "all-sizes"
        assert "mine.linear.json" in answer.err
        assert statements(answer)["mine.linear"]["reason"] != "so"
