"""Recorded proofs: another process checks them again without a search, and nothing that is changed passes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import pytest
from command_line import TRUE, Run, Write, one_line

from scanproof.proofs.evidence import all_sizes
from scanproof.proofs.evidence.engines import ENGINES, FLINT, Engines
from scanproof.proofs.evidence.proof_file import Recorded, read, written
from scanproof.proofs.evidence.replay import Folder
from scanproof.proofs.evidence.verdict import Result
from scanproof.proofs.language.claim import Claim, Source
from scanproof.proofs.language.statements import equal
from scanproof.proofs.ledger import built_in
from scanproof.proofs.reading import scanning
from scanproof.proofs.search import labelling, lemmas, normal, tape, unfolding

run = command_line.run
write = command_line.write

VARIED = (
    "gd-ssm.a1-gradient+factor",
    "gd-ssm.forms+mask",
    "gd-ssm.prop1-construction+sign",
    "gd-ssm.prop4+vanishing",
    "gril.a2-construction+scale",
    "gril.eq16",
    "gril.longhorn",
    "gril.prop4.1",
    "gril.w3-minimal",
    "ssd.thm4.1-stars+excess",
    "ch9.linear-attention",
)
CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
SCAN = "gril.prop4.1"
"""Its proof has a scan, whose closed form is guessed, and goals in several cases."""
HEAD = ("{", "schema", "claim", "sizes", "terms", "kernel", "axioms", "checksum", "tape")
"""The lines of a file before those of its tape."""
Tamper = Callable[[list[Any]], Any]


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
    """A folder with the proofs of the varied claims."""
    folder = tmp_path_factory.mktemp("proofs")
    done = scanproof(1, "check", *VARIED, "--engine", "kernel", "--save-proofs", folder)
    assert done.stderr == ""
    assert {f"{id}.json" for id in VARIED} <= {path.name for path in folder.iterdir()}
    return folder


@pytest.fixture
def search_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever searches is an error."""

    def raising(*_: Any) -> Any:
        raise AssertionError("a search during a replay")

    names = ("tidy", "show_zero", "unfold_once", "residues", "ways", "_search", "_try")
    for module in (normal, unfolding, lemmas, scanning, labelling):
        for name in names:
            if hasattr(module, name):
                monkeypatch.setattr(module, name, raising)


def replayed(folder: Path, claim: Claim) -> Result:
    """At fixed sizes, and then by the recorded proof."""
    return Folder(folder, replay=True).decide(claim, Engines((FLINT,), kernel=True))


def record_of(folder: Path, id: str) -> Recorded:
    return read(Folder(folder, replay=True).file(id), id).record


def put(folder: Path, record: Recorded) -> None:
    """A file with a checksum that fits, as somebody would write it who wants to deceive."""
    Folder(folder, replay=True).file(record.claim).write_text(written(record), encoding="utf-8")


def test_another_process_checks_what_one_has_recorded(saved: Path):
    done = scanproof(
        2, "check", *VARIED, "--engine", "flint", "--replay", saved, "--format", "json"
    )
    assert done.returncode == 0
    found = [s for c in json.loads(done.stdout)["claims"] for s in (c["as_stated"], *c["amended"])]
    found = [s for s in found if s["id"] in VARIED]
    assert len(found) == len(VARIED)
    for statement in found:
        assert (statement["verdict"], statement["scope"]) == ("proved", "all-sizes")
        assert (statement["stale"], statement["tainted"]) == (False, False)
        for_all = (e["engine"] for e in statement["evidence"] if e["scope"] == "all-sizes")
        assert next(for_all) == "kernel"


def test_what_is_recorded_is_the_same_every_time(saved: Path, tmp_path: Path):
    scanproof(3, "check", *VARIED, "--engine", "kernel", "--save-proofs", tmp_path)
    assert {p.name for p in saved.iterdir()} == {p.name for p in tmp_path.iterdir()}
    for path in saved.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.mark.usefixtures("search_raises")
@pytest.mark.parametrize("id", VARIED)
def test_no_search_runs_during_a_replay(saved: Path, id: str):
    found = replayed(saved, CLAIMS[id])
    assert (found.scope, found.recorded) == ("all-sizes", "")


@pytest.mark.usefixtures("search_raises")
def test_searches_are_seen_to_be_errors():
    with pytest.raises(AssertionError, match="a search"):
        all_sizes.prove(CLAIMS[SCAN])


def test_a_file_is_json_with_a_line_of_the_tape_on_each_line(saved: Path):
    text = (saved / f"{SCAN}.json").read_text()
    record = record_of(saved, SCAN)
    assert json.loads(text)["tape"] == record.tape
    lines = [line.rstrip(",") for line in text.splitlines()]
    assert [json.loads(line) for line in lines[-len(record.tape) - 2 : -2]] == record.tape


# What is changed.


def first(lines: list[Any], *heads: Any) -> int:
    """The first line with one of these as its first or second item."""
    return next(n for n, line in enumerate(lines) if set(heads) & {str(x) for x in line[:2]})


def largest_lemma(lines: list[Any]) -> list[Any]:
    return next(line for line in lines if line[0] == "lemma")


def change_a_guess(lines: list[Any]) -> None:
    (_, (_, monomials)), *_ = largest_lemma(lines)[4]
    monomials[0][0] = "3" if monomials[0][0] != "3" else "5"


def drop_the_step_before_the_last_goal(lines: list[Any]) -> None:
    del lines[-1]


def name_an_unknown_rule(lines: list[Any]) -> None:
    lines[first(lines, "eliminate", "rename", "regroup")][1] = "believe"


def name_a_method_that_is_no_rule(lines: list[Any]) -> None:
    lines[first(lines, "eliminate", "rename", "regroup")][1:] = ["_exchange", 0, []]


def put_an_index_for_a_term(lines: list[Any]) -> None:
    largest_lemma(lines)[4][0][1] = [0, [[1, 1]]]


def put_a_float_for_a_coefficient(lines: list[Any]) -> None:
    largest_lemma(lines)[4][0][1][1][0][0] = 1.0


def name_a_rule_out_of_range(lines: list[Any]) -> None:
    step = lines[first(lines, "rewrite")]
    step[4] = ["lemma", 99]


def name_a_hypothesis_of_no_induction(lines: list[Any]) -> None:
    step = next(line for line in lines if line[1:2] == ["rewrite"] and line[4][0] != "hypothesis")
    step[4] = ["hypothesis", 1]


def name_a_variable_that_is_not_declared(lines: list[Any]) -> None:
    lines[first(lines, "eliminate")][4] = [0, [[999_999, 1]]]


def name_a_monomial_that_is_not_there(lines: list[Any]) -> None:
    lines[first(lines, "eliminate")][2] = 77


def delete_monomials_by_renaming_in_no_way(lines: list[Any]) -> None:
    lines[first(lines, "rename")][3] = []


def skip_a_million_variables(lines: list[Any]) -> None:
    lines[first(lines, "done", "lemma")][1][0] = 999_999


def count_backwards(lines: list[Any]) -> None:
    lines[first(lines, "done", "lemma")][1][0] = 1


def end_early(lines: list[Any]) -> None:
    del lines[len(lines) // 2 :]


def go_on(lines: list[Any]) -> None:
    lines.append(["normal form"])


def guess_what_is_no_guess(lines: list[Any]) -> None:
    lines[first(lines, "lemma")][0] = "theorem"


CHANGES = [
    change_a_guess,
    drop_the_step_before_the_last_goal,
    name_an_unknown_rule,
    name_a_method_that_is_no_rule,
    put_an_index_for_a_term,
    put_a_float_for_a_coefficient,
    name_a_rule_out_of_range,
    name_a_hypothesis_of_no_induction,
    name_a_variable_that_is_not_declared,
    name_a_monomial_that_is_not_there,
    delete_monomials_by_renaming_in_no_way,
    skip_a_million_variables,
    count_backwards,
    end_early,
    go_on,
    guess_what_is_no_guess,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("own_checksum", [True, False], ids=["resigned", "edited"])
def test_a_changed_tape_proves_nothing(
    saved: Path, tmp_path: Path, change: Tamper, own_checksum: bool
):
    record = record_of(saved, SCAN)
    before = json.dumps(record.tape)
    change(record.tape)
    assert json.dumps(record.tape) != before
    put(tmp_path, record)
    if not own_checksum:
        path = tmp_path / f"{SCAN}.json"
        checksum = json.loads((saved / path.name).read_text())["checksum"]
        text = json.loads(path.read_text())
        path.write_text(json.dumps({**text, "checksum": checksum}, indent=1))
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert (found.verdict, found.scope) == ("proved", "fixed-size")
    assert found.stale or found.broken
    if not own_checksum:
        assert found.broken
    assert f"{SCAN}.json:" in found.recorded
    assert "\n" not in found.recorded


def test_the_error_names_the_line(saved: Path, tmp_path: Path):
    record = record_of(saved, SCAN)
    number = first(record.tape, "eliminate")
    record.tape[number][1] = "believe"
    put(tmp_path, record)
    text = (tmp_path / f"{SCAN}.json").read_text()
    (tmp_path / f"{SCAN}.json").write_text(text.replace('"sizes"', '"sizes" '))
    found = replayed(tmp_path, CLAIMS[SCAN])
    line = 1 + next(n for n, line in enumerate(text.splitlines()) if "believe" in line)
    assert f"{SCAN}.json:{line}: expected the name of a rule, got 'believe'" in found.recorded


def text_of(saved: Path) -> str:
    return (saved / f"{SCAN}.json").read_text()


BROKEN: dict[str, Callable[[str], str | bytes]] = {
    "empty": lambda text: "",
    "truncated": lambda text: text[: len(text) // 2],
    "a list": lambda text: "[]",
    "another schema": lambda text: text.replace("scanproof.proof/1", "scanproof.proof/2"),
    "another claim": lambda text: text.replace(f'"{SCAN}"', '"gril.eq10"'),
    "a field more": lambda text: text.replace('"sizes"', '"believed": true,\n"sizes"'),
    "a field twice": lambda text: text.replace('"sizes"', '"sizes": {},\n"sizes"'),
    "a field less": lambda text: text.replace('"axioms": [],\n', ""),
    "no hash": lambda text: text.replace('"terms": "', '"terms": "x'),
    "an empty line": lambda text: text.replace('["normal form"],', "[],", 1),
    "no list": lambda text: text.replace('["normal form"],', "7,", 1),
    "a huge number": lambda text: text.replace("[0,", f"[{'9' * 5000},", 1),
    "nested deeply": lambda text: text.replace("[0,", "[" * 100_000, 1),
    "many lists": lambda text: text.replace("[0,", "[" + "[]," * 2_000_001, 1),
    "no text": lambda text: text.encode() + b"\xff",
    "nan": lambda text: text.replace("[0,", "[NaN,", 1),
    "another checksum": lambda text: text.replace('"checksum": "', '"checksum": "0')[:-1],
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_one_clear_error(saved: Path, tmp_path: Path, how: str):
    text = BROKEN[how](text_of(saved))
    path = tmp_path / f"{SCAN}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert (found.verdict, found.scope) == ("proved", "fixed-size")
    assert found.broken
    assert f"{path}:" in found.recorded
    assert len(found.recorded) < 400


def test_a_folder_for_a_file_is_refused(tmp_path: Path):
    (tmp_path / f"{SCAN}.json").mkdir()
    assert replayed(tmp_path, CLAIMS[SCAN]).broken


def test_a_large_file_is_not_read(saved: Path, tmp_path: Path):
    path = tmp_path / f"{SCAN}.json"
    path.write_text(text_of(saved))
    os.truncate(path, 2**40)
    assert "bytes" in replayed(tmp_path, CLAIMS[SCAN]).recorded


def test_the_proof_of_another_claim_is_refused(saved: Path, tmp_path: Path):
    record = record_of(saved, "gril.a2-construction+scale")
    put(tmp_path, record._replace(claim=SCAN))
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert found.scope == "fixed-size"
    assert found.stale or found.broken


def test_a_file_that_was_changed_is_refused_even_if_its_steps_are_right(
    saved: Path, tmp_path: Path
):
    path = tmp_path / f"{SCAN}.json"
    path.write_text(text_of(saved).replace('"sizes": {"N":0', '"sizes": {"N":1'))
    found = replayed(tmp_path, CLAIMS[SCAN])
    assert found.broken
    assert "checksum" in found.recorded


# What is false.


def double(x: Any) -> Any:
    from scanproof.constructs.definition import definition

    return definition(lambda x: x.sum(0))(x)


def source_claim(factor: int) -> Claim:
    paper = Source("mine", title="A layer of mine")

    @paper.claim("mine.sum", says="Σ (x + c) = Σ x + N c", given={"x": "N", "c": ""})
    def row(x: Any, c: Any, N: Any) -> Any:
        return equal(double(x + c), double(x) + c * N * factor)

    return row.claim


def test_no_change_of_a_proof_makes_it_one_of_a_false_claim(tmp_path: Path):
    true, false = source_claim(1), source_claim(2)
    folder = Folder(tmp_path, replay=False)
    assert folder.decide(true, ENGINES["kernel"]).scope == "all-sizes"
    whole = record_of(tmp_path, "mine.sum")
    rng = random.Random(7)
    for _ in range(150):
        record = whole._replace(tape=json.loads(json.dumps(whole.tape)))
        for _ in range(rng.randint(0, 3)):
            scramble(record.tape, rng)
        put(tmp_path, record)
        found = Folder(tmp_path, replay=True).decide(false, ENGINES["kernel"])
        assert found.verdict == "unknown", record.tape
        assert found.stale or found.broken


@pytest.mark.parametrize("most", range(1, 6))
def test_what_is_left_over_cannot_be_deleted_by_a_renaming_without_ways(tmp_path: Path, most: int):
    false, recorder = source_claim(2), tape.Recorder()
    with tape.using(recorder):
        assert isinstance(all_sizes.prove(false), str)
    lines = [*recorder.lines, ["goal", tape.counts(), []], ["zero"]]
    lines += [[0, "rename", k, []] for k in range(most)]
    record = Recorded("mine.sum", {"N": 1}, "0" * 64, "0" * 64, [], lines)
    put(tmp_path, record)
    found = Folder(tmp_path, replay=True).decide(false, ENGINES["kernel"])
    assert found.verdict == "unknown"
    assert f"json:{len(lines) - most + 1 + len(HEAD)}:" in found.recorded


def scramble(lines: list[Any], rng: random.Random) -> None:
    """Change something somewhere."""
    place: Any = lines
    while True:
        n = rng.randrange(len(place))
        if isinstance(place[n], list) and place[n] and rng.random() < 0.8:
            place = place[n]
            continue
        old = place[n]
        if isinstance(old, int):
            place[n] = old + rng.choice((-2, -1, 1, 2))
        elif rng.random() < 0.5:
            del place[n]
        else:
            place.insert(n, rng.choice((old, 0, 1, "1", "2", [], "clear", "cancel", "rename")))
        return


# Definitions that change.

LAYER = """
    @definition
    def layer(x):
        return (2 * x).sum(0)

    @paper.claim("{name}.layer", says="Σ 2 x_i = 2 Σ x_i", given={{"x": "N"}})
    def claim(x):
        return equal(layer(x), 2 * total(x))
"""
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


@pytest.mark.parametrize("same", ["(x * 2)", "(x + x)", "(5 * x - 3 * x)"])
def test_a_proof_for_a_definition_written_otherwise_goes_through_or_is_stale(
    run: Run, write: Write, same: str
):
    file = write(LAYER)
    assert run("check", file, "--engine", "flint", "--save-proofs", "proofs").code == 0
    write(LAYER.replace("(2 * x)", same))
    answer = run("check", file, "--engine", "flint", "--replay", "proofs", "--format", "json")
    (found,) = statements(answer).values()
    assert (answer.code, found["verdict"]) == (0, "proved")
    assert found["stale"] == (found["scope"] == "fixed-size") == ("stale" in answer.err)


def test_a_proof_that_still_goes_through_for_another_definition_is_stale(run: Run, write: Write):
    """Both sides have another factor: the steps are the same ones, but it is not the claim that was proved."""
    file = write(LAYER)
    run("check", file, "--save-proofs", "proofs")
    write(LAYER.replace("2 * ", "3 * "))
    answer = run("check", file, "--replay", "proofs", "--format", "json")
    (found,) = statements(answer).values()
    assert (found["verdict"], found["scope"], found["stale"]) == ("proved", "all-sizes", True)
    assert "the proof still goes through" in answer.err


def test_a_false_definition_is_not_proved_by_the_proof_of_a_true_one(run: Run, write: Write):
    file = write(LAYER)
    run("check", file, "--engine", "kernel", "--save-proofs", "proofs")
    write(LAYER.replace("(2 * x)", "(3 * x)"))
    answer = run("check", file, "--engine", "kernel", "--replay", "proofs", "--format", "json")
    (found,) = statements(answer).values()
    assert found["verdict"] == "unknown"
    assert found["stale"]
    assert "stale" in answer.err


def test_a_tampered_file_exits_3_and_leaves_the_verdict_of_fixed_sizes(run: Run, write: Write):
    file = write(LAYER)
    run("check", file, "--save-proofs", "proofs")
    path = Path("proofs", "mine.layer.json")
    path.write_text(path.read_text().replace('["goal"', '["believe"'))
    answer = run("check", file, "--replay", "proofs", "--format", "json")
    assert answer.code == 3
    (line,) = answer.err.splitlines()
    assert line.startswith("scanproof: mine.layer: ")
    assert "mine.layer.json:" in line
    (found,) = statements(answer).values()
    assert (found["verdict"], found["scope"]) == ("proved", "fixed-size")


def test_rows_without_a_file_are_checked_at_fixed_sizes_and_that_is_said(run: Run, write: Write):
    Path("proofs").mkdir()
    answer = run("check", write(TRUE, LAYER), "--replay", "proofs", "--format", "json")
    assert answer.code == 0
    assert {s["scope"] for s in statements(answer).values()} == {"fixed-size"}
    assert "proofs has no proof of mine.layer, mine.linear" in answer.err


def test_what_is_saved_and_replayed_is_proved_as_without(run: Run, write: Write):
    file = write(TRUE, LAYER)
    plain = run("check", file, "--format", "json")
    save = run("check", file, "--format", "json", "--save-proofs", "proofs/of/mine")
    again = run("check", file, "--format", "json", "--replay", "proofs/of/mine")
    assert statements(plain) == statements(save) == statements(again)
    assert {s["scope"] for s in statements(again).values()} == {"all-sizes"}


def test_a_folder_that_cannot_be_made_is_an_error(run: Run, write: Write):
    file = write(TRUE)
    assert "--save-proofs" in one_line(run("check", file, "--save-proofs", f"{file}/proofs"))


def test_a_folder_that_is_not_there_is_an_error(run: Run, write: Write):
    assert "--replay nowhere" in one_line(run("check", write(TRUE), "--replay", "nowhere"))


def test_saving_and_replaying_at_once_is_an_error(run: Run, write: Write):
    one_line(run("check", write(TRUE), "--replay", ".", "--save-proofs", "."))


def test_a_proof_that_cannot_be_written_is_an_error_and_the_verdict_stays(run: Run, write: Write):
    file = write(TRUE)
    Path("proofs", "mine.linear.json").mkdir(parents=True)
    answer = run("check", file, "--save-proofs", "proofs", "--format", "json")
    assert answer.code == 3
    assert "cannot write the proof" in answer.err
    assert [s["scope"] for s in statements(answer).values()] == ["all-sizes"]
    assert os.listdir("proofs") == ["mine.linear.json"]


def test_the_file_of_an_id_stays_in_its_folder(tmp_path: Path):
    folder = Folder(tmp_path, replay=True)
    names = ["a.b", "a./../../b", "a.b+c", "a.B*?:|b", "a." + "é" * 300, "a." + "é" * 301]
    files = [folder.file(name) for name in names]
    assert {path.parent for path in files} == {tmp_path}
    assert len({path.name for path in files}) == len(names)
    assert all(len(path.name) < 200 for path in files)


# What rests on what.


def test_a_row_is_tainted_by_one_that_is_not_proved_however_far(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("mine.c",)))
    found = statements(run("check", file, "--format", "json"))
    assert {id: s["tainted"] for id, s in found.items()} == {
        "mine.a": True,
        "mine.b": True,
        "mine.c": False,
    }


def test_a_row_is_not_tainted_by_one_that_is_proved(run: Run, write: Write):
    found = statements(run("check", write(rested(a=("mine.b",))), "--format", "json"))
    assert not any(s["tainted"] for s in found.values())


def test_a_row_may_rest_on_one_that_was_not_asked_for(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("gd-ssm.prop1-construction",)))
    found = statements(run("check", file, "mine.a", "--format", "json"))
    assert {id: s["tainted"] for id, s in found.items()} == {"mine.a": True}


def test_taint_is_printed(run: Run, write: Write):
    file = write(rested(a=("mine.c",)))
    assert "tainted" in run("check", file, "mine.a").out
    assert "tainted" in run("show", "mine.a", file).out


def test_claims_that_depend_on_each_other_in_a_circle_are_an_error(run: Run, write: Write):
    file = write(rested(a=("mine.b",), b=("mine.c",), c=("mine.a",)))
    line = one_line(run("check", file))
    assert "mine.a → mine.b → mine.c → mine.a" in line


def test_a_claim_that_depends_on_none_that_there_is_is_an_error(run: Run, write: Write):
    line = one_line(run("check", write(rested(a=("mine.bb",)))))
    assert "mine.a depends on 'mine.bb'" in line
