"""The pytest plugin: each claim of a claim file is a test, whose outcome is its verdict."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import FALSE, HEADER, MENDED, RAISING, TRUE, UNKNOWN

import scanproof
from scanproof import _providers, constructs, proofs

pytest_plugins = ["pytester"]

FIXED = """
    @paper.claim("{name}.fixed", says="(Σ x_i)² = Σ x_i Σ x_i", given={{"x": "N"}}, sizes={{"N": (1, 2)}})
    def fixed(x):
        return equal(total(x) ** 2, total(x) * sum(x[i] for i in range(x.shape[0])))
"""
LAW = """
    from scanproof import Layer

    layer = Layer(lambda _, s, x: (s + x, x), state="d", token="d")
    paper.law(
        "{name}.law",
        layer.chunked(lambda _, s, x: (s + sum(x[t] for t in range(x.shape[0])), x)),
        sizes={{"C": (1, 2), "d": (1, 2)}},
    )
"""
Project = Callable[..., Path]


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Modules that a pytest within this process imports would be others in the next."""
    rooms = [pkgutil.walk_packages(r.__path__, f"{r.__name__}.") for r in (constructs, proofs)]
    for one in (*pkgutil.iter_modules(scanproof.__path__, "scanproof."), *rooms[0], *rooms[1]):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)
    _providers.sources()


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Writes a claim file into the folder in which pytest is to run."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider -W default")
    for name in ("claims", "mine"):  # modules of these tests, and of others
        monkeypatch.delitem(sys.modules, name, raising=False)

    def write(*parts: str, file: str = "claims.py", name: str = "mine") -> Path:
        path = pytester.path / file
        path.parent.mkdir(exist_ok=True)
        text = "".join(textwrap.dedent(part) for part in (HEADER, *parts)).format(name=name)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """By node id, the word that -rA has for it."""
    lines = re.findall(r"^([A-Z]+) (\S+::\S+)", result.stdout.str(), re.MULTILINE)
    return {id: word for word, id in lines}


@pytest.mark.long
def test_the_outcome_of_each_claim_is_its_verdict(pytester: pytest.Pytester, project: Project):
    project(TRUE, MENDED, FIXED, UNKNOWN)
    pytester.makepyfile(test_own="def test_own(): pass")
    result = pytester.runpytest_inprocess("-rA")
    assert outcomes(result) == {
        "claims.py::mine.linear": "PASSED",
        "claims.py::mine.square": "FAILED",
        "claims.py::mine.square+one": "FAILED",  # it fails at N = 2, beyond the sizes that it lists
        "claims.py::mine.fixed": "PASSED",
        "claims.py::mine.open": "XFAIL",
        "test_own.py::test_own": "PASSED",
    }
    said = result.stdout.str()
    assert "XFAIL claims.py::mine.open - unknown: nobody has a proof" in said
    assert "mine.fixed: proved at fixed sizes, not for all:" in said
    assert "FAILED claims.py::mine.square - Failed: refuted: 5 against the claimed 9" in said
    assert "Traceback" not in said
    assert result.ret == 1


@pytest.mark.long
def test_a_law_that_is_proved_at_fixed_sizes_passes_with_a_warning_at_its_line(
    pytester: pytest.Pytester, project: Project, run: Callable[..., tuple[int, str, str]]
):
    path = project(LAW)
    line = path.read_text("utf-8").splitlines().index("paper.law(") + 1
    result = pytester.runpytest_inprocess("-rA")
    assert outcomes(result) == {"claims.py::mine.law": "PASSED"}
    said = result.stdout.str()
    assert re.search(rf"claims.py:{line}: ClaimWarning: mine.law: proved at fixed sizes", said)
    assert f'file="claims.py" line="{line}"' in run("check", "claims.py", "--format", "junit")[1]


@pytest.mark.long
def test_a_failure_shows_the_counterexample_as_the_command_prints_it(
    pytester: pytest.Pytester, project: Project, run: Callable[..., tuple[int, str, str]]
):
    project(FALSE)
    said = pytester.runpytest_inprocess().stdout.str()
    shown = run("show", "claims.py", "mine.square")[1]
    (part,) = re.findall(r"Counterexample\n(?:    .*\n)+", shown)
    assert "x = [1, 2]" in part
    assert part in said
    assert "scanproof show claims.py mine.square --script" in said


@pytest.mark.long
@pytest.mark.parametrize("how", ["option", "setting", "runxfail"])
def test_what_is_not_proved_for_all_sizes_fails_if_one_says_so(
    pytester: pytest.Pytester, project: Project, how: str
):
    project(FIXED, UNKNOWN)
    pytester.makeini("[pytest]\n" + "scanproof_fail = unknown fixed-sizes\n" * (how == "setting"))
    given = {"option": ["--scanproof-fail", "unknown,fixed-sizes"], "runxfail": ["--runxfail"]}
    result = pytester.runpytest_inprocess("-rA", *given.get(how, []))
    fixed = "PASSED" if how == "runxfail" else "FAILED"
    assert outcomes(result) == {"claims.py::mine.fixed": fixed, "claims.py::mine.open": "FAILED"}
    assert "unknown: nobody has a proof" in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scanproof-fail", "refuted"], "allowed: unknown, fixed-sizes"),
        (["--scanproof-time-limit", "soon"], "give a number of seconds greater than 0"),
        (["--scanproof-time-limit", "-1"], "give a number of seconds greater than 0"),
        (["--scanproof-memory-limit", "much"], "give an amount of memory greater than 0"),
    ],
)
def test_a_wrong_option_is_one_clear_line(
    pytester: pytest.Pytester, project: Project, arguments: list[str], said: str
):
    project(TRUE)
    result = pytester.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


@pytest.mark.long
def test_a_claim_that_takes_too_long_is_unknown(pytester: pytest.Pytester, project: Project):
    project(TRUE.replace("return", "import time; time.sleep(60); return"))
    result = pytester.runpytest_inprocess("-rA", "--scanproof-time-limit", "0.2")
    assert "XFAIL claims.py::mine.linear - unknown: not decided within 0.2 s" in result.stdout.str()


@pytest.mark.long
def test_a_claim_that_takes_too_much_memory_is_unknown(pytester: pytest.Pytester, project: Project):
    project(TRUE.replace("return", "held = [bytes(10**6) for _ in range(10**6)]; return"))
    pytester.makeini("[pytest]\nscanproof_memory_limit = 500M\n")
    result = pytester.runpytest_inprocess("-rA")
    said = "XFAIL claims.py::mine.linear - unknown: not decided within 500 MB of memory"
    assert said in result.stdout.str()


@pytest.mark.long
def test_a_claim_that_ends_its_process_fails_alone(pytester: pytest.Pytester, project: Project):
    project(TRUE, RAISING.replace("raise ValueError", "import os; os._exit(3); print"))
    result = pytester.runpytest_inprocess("-rA")
    assert outcomes(result) == {
        "claims.py::mine.linear": "PASSED",
        "claims.py::mine.raises": "FAILED",
    }
    assert "ended with exit code 3" in result.stdout.str()


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    ["raise ValueError('no')", "import sys; sys.exit(2)", "def f(:", "Source('a', 3, 4, 5, 6)"],
)
def test_a_file_that_raises_is_one_clear_line(
    pytester: pytest.Pytester, project: Project, text: str
):
    path = project(TRUE, file="claims_a.py")
    path.write_text(f"from scanproof import Source\n{text}\n", encoding="utf-8")
    project(TRUE, file="claims_b.py", name="other")
    result = pytester.runpytest_inprocess("-rA", "--continue-on-collection-errors")
    assert outcomes(result) == {"claims_b.py::other.linear": "PASSED"}
    assert re.search(r"^E?\s*\S*claims_a.py line 2", result.stdout.str(), re.MULTILINE)
    assert "Traceback" not in result.stdout.str()
    assert result.ret == 1


@pytest.mark.long
def test_only_claim_files_that_import_scanproof_are_run(
    pytester: pytest.Pytester, project: Project
):
    (pytester.path / "claims.py").write_text("raise SystemExit('insurance')", encoding="utf-8")
    (pytester.path / "app_claims.py").write_text("import scanproof", encoding="utf-8")
    project(TRUE, file="mine.py")
    for arguments, ids in ([], set()), (["mine.py"], {"mine.py::mine.linear"}):
        assert outcomes(pytester.runpytest_inprocess("-rA", *arguments)).keys() == ids
    pytester.makeini("[pytest]\nscanproof_files = mine.py\n")
    assert outcomes(pytester.runpytest_inprocess("-rA")).keys() == {"mine.py::mine.linear"}
    pytester.makeini("[pytest]\nscanproof_files =\n")
    assert outcomes(pytester.runpytest_inprocess("-rA", "mine.py")) == {}


@pytest.mark.long
def test_claims_are_chosen_as_tests_are(pytester: pytest.Pytester, project: Project):
    project(TRUE, FALSE)
    for arguments in (["claims.py::mine.linear"], ["-k", "linear"]):
        assert outcomes(pytester.runpytest_inprocess("-rA", *arguments)) == {
            "claims.py::mine.linear": "PASSED"
        }
    assert outcomes(pytester.runpytest_inprocess("-rA", "-m", "not scanproof")) == {}


@pytest.mark.long
def test_a_process_without_claim_files_imports_nothing_of_scanproof(pytester: pytest.Pytester):
    pytester.makepyfile(
        """
        import sys

        def test_what_is_imported():
            own = {name for name in sys.modules if name.partition(".")[0] == "scanproof"}
            assert own == {
                "scanproof",
                "scanproof._pytest_plugin",
                "scanproof.proofs",
                "scanproof.proofs.decide",
                "scanproof.proofs.decide.claim_files",
            }
            assert not {"numpy", "sympy", "flint", "jax", "typer"} & sys.modules.keys()
        """
    )
    arguments = ("-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:jaxtyping")
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=1)


@pytest.mark.long
def test_scanproof_runs_as_it_is_written(
    pytester: pytest.Pytester, project: Project, monkeypatch: pytest.MonkeyPatch
):
    """pytest rewrites packages that have a plugin; an editable install is spared, so here it is asked to."""
    pytester.makepyfile(early="import pytest\n\npytest.register_assert_rewrite('scanproof')\n")
    project(
        TRUE, "\nfrom scanproof.proofs.kernel import checker\n\nprint(type(checker.__loader__))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    result = pytester.runpytest_subprocess("-s", "-p", "early")
    result.assert_outcomes(passed=1)
    assert "SourceFileLoader" in result.stdout.str()


@pytest.mark.long
def test_equal_names_in_two_folders_are_two_files(pytester: pytest.Pytester, project: Project):
    claim = TRUE.replace("total(x) * c)", "total(x) * c * helper.ONE)")
    for folder, one in (("a", 1), ("b", 2)):
        path = project(claim, file=f"{folder}/claims.py", name=folder)
        path.write_text(f"import helper\n{path.read_text('utf-8')}", encoding="utf-8")
        (path.parent / "helper.py").write_text(f"ONE = {one}\n", encoding="utf-8")
    assert outcomes(pytester.runpytest_inprocess("-rA")) == {
        "a/claims.py::a.linear": "PASSED",
        "b/claims.py::b.linear": "FAILED",
    }
    assert "helper" not in sys.modules or "ONE" not in vars(sys.modules["helper"])


@pytest.mark.long
def test_what_differs_from_the_lock_file_fails_if_one_says_so(
    pytester: pytest.Pytester, project: Project, run: Callable[..., tuple[int, str, str]]
):
    project(TRUE, FIXED)
    pytester.makeini("[pytest]\nscanproof_locked = true\n")
    result = pytester.runpytest_inprocess("-rA")
    assert set(outcomes(result).values()) == {"FAILED"}
    assert "there is none; `scanproof check claims.py --lock` writes it anew" in result.stdout.str()
    assert run("check", "claims.py", "--lock")[0] == 0
    result = pytester.runpytest_inprocess("-rA")
    assert set(outcomes(result).values()) == {"PASSED"}
    project(TRUE.replace("total(x) * c)", "c * total(x))"), FIXED)
    result = pytester.runpytest_inprocess("-rA")
    assert outcomes(result) == {
        "claims.py::mine.linear": "FAILED",
        "claims.py::mine.fixed": "PASSED",
    }
    assert "not what scanproof.lock says: claims.py::linear changed" in result.stdout.str()


@pytest.mark.long
def test_claims_run_in_processes_of_xdist(pytester: pytest.Pytester, project: Project):
    project(FALSE, FIXED)
    result = pytester.runpytest_subprocess("-rA", "-n", "1")
    result.assert_outcomes(passed=1, failed=1, warnings=1)
    assert "Counterexample\n    N = 2\n    x = [1, 2]\n" in result.stdout.str()


@pytest.mark.long
def test_claims_stand_beside_the_examples_that_sybil_runs(
    pytester: pytest.Pytester, project: Project
):
    project(TRUE)
    pytester.makeconftest(
        """
        from sybil import Sybil
        from sybil.parsers.markdown import PythonCodeBlockParser

        pytest_collect_file = Sybil([PythonCodeBlockParser()], patterns=["*.md", "*.py"]).pytest()
        """
    )
    pytester.makefile(".md", page="```python\nassert 1 + 1 == 2\n```\n")
    result = pytester.runpytest_inprocess("-rA")
    result.assert_outcomes(passed=2)
    assert outcomes(result)["claims.py::mine.linear"] == "PASSED"
