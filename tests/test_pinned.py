"""Definitions are pinned: whatever a user's file does to one of the package's, it is told, and others see no change."""

import importlib
import subprocess
import sys
import textwrap
from pathlib import Path

import command_line
import pytest
from command_line import TRUE, Run, Write, one_line

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide import row_verdicts as checking
from scanproof.proofs.decide.ledger import BrokenFile, Ledger, built_in, from_file, from_module
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.pinned import Definitions, Redefined

LEARNERS = "scanproof.constructs.learners"
DESCENT = f"from {LEARNERS} import descent\n"
LOSSES = f"from {LEARNERS} import losses\n"
WAYS = {
    "a function of a module": (
        DESCENT + "descent.gradient_descent = lambda *_: 0",
        f"changes {LEARNERS}.descent.gradient_descent",
    ),
    "a function, through sys.modules": (
        DESCENT
        + f"import sys\nsetattr(sys.modules['{LEARNERS}.descent'], 'gradient_descent', max)",
        f"changes {LEARNERS}.descent.gradient_descent",
    ),
    "a function where another module has it": (
        "from scanproof.proofs.check import arguments\narguments.truth = lambda *_: True",
        "changes scanproof.proofs.check.arguments.truth",
    ),
    "the code of a function": (
        "from scanproof.proofs.exact import engines\n"
        "engines.truth.__code__ = (lambda *_: True).__code__",
        "changes the code of scanproof.proofs.exact.engines.truth",
    ),
    "the code below a decorator": (
        DESCENT + "descent.gradient_descent.__wrapped__.__code__ = (lambda *a, **k: 0).__code__",
        f"changes the code of {LEARNERS}.descent.gradient_descent",
    ),
    "what a decorator encloses": (
        DESCENT
        + "i = descent.gradient_descent.__code__.co_freevars.index('function')\n"
        + "descent.gradient_descent.__closure__[i].cell_contents = lambda *_: 0",
        f"changes the closure of {LEARNERS}.descent.gradient_descent",
    ),
    "defaults": (
        "from scanproof.proofs.check.instances import points\npoints.find.__defaults__ = (0,)",
        "changes the defaults of scanproof.proofs.check.instances.points.find",
    ),
    "a default by keyword": (
        "from scanproof.proofs.decide.workers import run\nrun.__kwdefaults__['jobs'] = 1",
        "changes the defaults of scanproof.proofs.decide.workers.run['jobs']",
    ),
    "a signature": (
        "from scanproof.proofs.exact import engines\nengines.truth.__wrapped__ = max",
        "adds scanproof.proofs.exact.engines.truth.__wrapped__",
    ),
    "a method": (
        "from scanproof.proofs.kernel.index import Index\nIndex.__add__ = lambda a, b: a",
        "changes scanproof.proofs.kernel.index.Index.__add__",
    ),
    "a method that was none": (
        "from scanproof.proofs.kernel.index import Index\nIndex.__getattr__ = lambda a, b: 0",
        "adds scanproof.proofs.kernel.index.Index.__getattr__",
    ),
    "a property": (
        "from scanproof.proofs.language.claim import Claim\n"
        "Claim.every_size = property(lambda self: [])",
        "changes scanproof.proofs.language.claim.Claim.every_size",
    ),
    "the code of a property": (
        "from scanproof.proofs.language.claim import Claim\n"
        "Claim.every_size.fget.__code__ = (lambda self: []).__code__",
        "changes the code of scanproof.proofs.language.claim.Claim.every_size",
    ),
    "a number": (
        "from scanproof.proofs.check import beyond\nbeyond.LARGEST = 0",
        "changes scanproof.proofs.check.beyond.LARGEST",
    ),
    "an entry of a constant": (
        "from scanproof.proofs.exact.engines import ENGINES\nENGINES['all'] = ()",
        "changes scanproof.proofs.exact.engines.ENGINES['all']",
    ),
    "a field of a frozen constant": (
        LOSSES + "object.__setattr__(losses.HALF_MEAN, 'scale', 1)",
        f"changes {LEARNERS}.losses.HALF_MEAN.scale",
    ),
    "a name that hides a builtin": (
        "from scanproof.proofs.language import sizes\nsizes.min = max",
        "adds scanproof.proofs.language.sizes.min",
    ),
    "a name that is no more": (
        "from scanproof.proofs.language import sizes\ndel sizes.grid",
        "removes scanproof.proofs.language.sizes.grid",
    ),
    "a builtin": ("import builtins\nbuiltins.sum = max", "changes builtins.sum"),
    "a number of Python's": (
        "from fractions import Fraction\nFraction.__eq__ = lambda a, b: True",
        "changes fractions.Fraction.__eq__",
    ),
    "a row of a source": (
        "from scanproof.proofs.claims.gd_ssm import SOURCE\nSOURCE.rows.pop()",
        "removes scanproof.proofs.claims.gd_ssm",
    ),
    "the body of a built-in claim": (
        "from scanproof.proofs.claims.gd_ssm import SOURCE\n"
        "object.__setattr__(SOURCE.rows[0].claim, 'body', lambda: [])",
        ".claim.body",
    ),
    "a module": (
        f"import sys\n{DESCENT}sys.modules['{LEARNERS}.descent'] = sys",
        f"puts another module in the place of {LEARNERS}.descent",
    ),
    "a module that nobody has imported": (
        "import sys\nsys.modules['scanproof.constructs.unheard_of'] = sys",
        "puts another module in the place of scanproof.constructs.unheard_of",
    ),
}


def file(folder: Path, *parts: str) -> Path:
    """A claim file with one true claim and these lines."""
    path = folder / "mypaper.py"
    text = "".join(textwrap.dedent(part) for part in (command_line.HEADER, TRUE))
    path.write_text(text.format(name="mine") + "".join(parts) + "\n", encoding="utf-8")
    return path


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_replaces_a_definition_is_refused_and_the_definition_is_back(
    tmp_path: Path, way: str
):
    built_in()
    lines, told = WAYS[way]
    before, path = Definitions(), file(tmp_path, lines)
    with pytest.raises(UsageError) as error:
        from_file(path)
    assert not isinstance(error.value, BrokenFile)
    assert str(error.value).startswith(str(path))
    assert told in str(error.value)
    assert "define a function of your own" in str(error.value)
    with before.kept("what came after"):
        pass


@pytest.mark.long
def test_a_file_that_raises_after_it_has_replaced_a_definition_is_refused_for_that(tmp_path: Path):
    with pytest.raises(Redefined, match="gradient_descent"):
        from_file(file(tmp_path, DESCENT, "descent.gradient_descent = 0\n1 / 0"))


@pytest.mark.long
def test_a_module_and_a_program_are_refused_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in ("myclaims", "myprogram"):
        Path(f"{name}.py").write_text(f"{DESCENT}descent.gradient_descent = 0\n", encoding="utf-8")
    with pytest.raises(Redefined, match=r"myclaims changes .*descent\.gradient_descent"):
        from_module("myclaims")
    with pytest.raises(Redefined, match=r"myprogram changes .*descent\.gradient_descent"):
        prove("myprogram:forward", shapes="X: T f", equals="myprogram:forward")


@pytest.mark.long
@pytest.mark.parametrize(
    "lines",
    [
        "from scanproof.proofs.claims.open import window\nwindow.SHOWN['x'] = 'N'",
        "from scanproof.proofs.check import limits\nlimits.__dict__['len'] = lambda a: 1",
        "from scanproof.proofs.interpret import recursions\n"
        "f = recursions.run_recursion\nf.__code__ = (lambda *a: 0).__code__",
    ],
)
def test_a_module_that_the_file_is_the_first_to_import_is_pinned_as_well(
    tmp_path: Path, lines: str
):
    path = file(tmp_path, lines)
    script = (
        "import sys\nfrom pathlib import Path\nfrom scanproof.proofs.decide.ledger import from_file\n"
        "assert not [n for n in sys.modules if n.startswith('scanproof.proofs.claims')]\n"
        f"from_file(Path({str(path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "Redefined: " in done.stderr
    assert "mypaper.py " in done.stderr.splitlines()[-1]


BODY = """
    @paper.claim("{name}.sly", where="eq. 3", says="Σ x_i = 2 Σ x_i", given={{"x": "N"}})
    def sly(x):
        from scanproof.proofs.exact import engines
        engines.truth.__code__ = (lambda *_: True).__code__
        return equal(total(x), 2 * total(x))
"""


@pytest.mark.long
def test_a_claim_that_replaces_a_definition_while_it_runs_is_an_error_of_its_own(
    tmp_path: Path, run: Run, write: Write
):
    false = command_line.FALSE
    found = checking.check(Ledger(from_file(Path(write(TRUE, BODY, false)))), jobs=1)
    verdicts = {row["id"]: row["as_stated"]["verdict"] for row in found["claims"]}
    assert verdicts == {"mine.linear": "proved", "mine.sly": "error", "mine.square": "refuted"}
    told = found["claims"][1]["as_stated"]["reason"]
    assert "claim mine.sly changes the code of scanproof.proofs.exact.engines.truth" in told
    assert run("check", "mine.py", "--jobs", "1").code == 3


def test_the_command_line_says_it_in_one_line(run: Run, write: Write):
    path = write(TRUE, f"{DESCENT}descent.gradient_descent = None\n")
    assert f"mine.py changes {LEARNERS}.descent.gradient_descent, a definition" in one_line(
        run("check", path)
    )


ORDINARY = """
    from scanproof.constructs.layers import gril
    from scanproof.constructs.learners.descent import gradient_descent as learner
    from scanproof.proofs.claims.gd_ssm import SOURCE as theirs
    from scanproof.proofs.kernel.index import Index
    import scanproof.constructs.forms.wy

    class Mine(Index):
        def __bool__(self):
            return True

    def gradient_descent(x):
        return learner(x)

    learner_of_mine = gradient_descent
    learner_of_mine.note = "functions of one's own may change"
"""


@pytest.mark.long
def test_a_file_that_only_uses_and_extends_the_package_is_taken(run: Run, write: Write):
    assert run("check", write(TRUE, ORDINARY)).code == 0


@pytest.mark.long
def test_deciding_claims_changes_no_definition():
    importlib.import_module("scanproof.proofs.decide.proving")
    rows = built_in().rows
    pinned = Definitions()
    for row in rows[::20]:
        with pinned.kept(row.claim.id):
            decide(row.claim, ENGINES["all"])


@pytest.mark.long
@pytest.mark.parametrize("late", ["scanproof.proofs.claims.open", "scanproof.numeric.claims"])
def test_importing_everything_changes_no_definition(late: str):
    pytest.importorskip("jax")
    script = (
        "import importlib, sys\nfrom scanproof.proofs.decide.ledger import built_in\n"
        "from scanproof.proofs.exact.engines import ENGINES\n"
        "from scanproof.proofs.decide.verdict import decide\n"
        "from scanproof.proofs.language.pinned import Definitions\n"
        "pinned = Definitions()\n"
        f"with pinned.kept('it'):\n    late = importlib.import_module({late!r})\n"
        "    built_in()\n"
        "with pinned.kept('it'):\n    decide(late.SOURCE.rows[0].claim, ENGINES['all'])\n"
        "with pinned.kept('it'):\n    decide(built_in().rows[5].claim, ENGINES['all'])\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.long
def test_what_decides_is_imported_before_a_users_code_runs(write: Write):
    file = write(
        TRUE, "import sys\nprint(*(name for name in sys.modules if 'scanproof' in name))\n"
    )
    code = f"from scanproof.proofs.decide import ledger; ledger.from_file(ledger.Path({file!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {name.removeprefix("scanproof.proofs.") for name in done.stdout.split()}
    assert found >= {
        "check.certificate_file",
        "check.certificates",
        "decide.certificates",
        "decide.find",
        "decide.verdict",
        "exact.engines",
        "interpret.claims",
        "kernel.checker",
    }


@pytest.mark.long
def test_what_was_noted_is_in_no_module_where_a_users_code_would_find_it(run: Run, write: Write):
    assert run("check", write(TRUE)).code == 0
    for name, module in list(sys.modules.items()):
        if name.startswith("scanproof"):
            for one in vars(module).values():
                held = [one, *(one if type(one) in (list, tuple, set) else [])]
                held += list(one.values()) if type(one) is dict and one is not vars(module) else []
                assert not any(isinstance(inner, Definitions) for inner in held), name
