"""The package as others get it: its wheel, its imports, its tracked files."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from test_pages import CONSOLE, FILES, TUTORIAL, python_of, without_seconds

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = {"scanproof": "cli", **{f"scanproof.{r}": r for r in ("constructs", "numeric", "proofs")}}
"""The folder at the top level of each package."""
PYTHONS = os.environ.get("SCANPROOF_PYTHONS", sys.executable).split()
"""The interpreters in whose fresh environments the wheel is tried."""
PIP = ("-m", "pip", "--disable-pip-version-check")
NOT_SOURCES = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")


def package_of(folder: Path) -> str:
    """The import name of a folder, given relative to the top level."""
    room, *inner = folder.parts
    (name,) = (package for package, place in ROOMS.items() if place == room)
    return ".".join([name, *inner])


def sources(pattern: str) -> list[Path]:
    """The files in the rooms that match `pattern`, relative to the top level."""
    return [
        file.relative_to(ROOT) for room in ROOMS.values() for file in (ROOT / room).rglob(pattern)
    ]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """The standard output of a command that must succeed, without Python paths of this process."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    shown = f"{command} exited with {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, shown
    return done.stdout


@pytest.mark.long
def test_every_folder_with_modules_has_an_init_file():
    assert {file.parent for file in sources("*.py")} == {
        file.parent for file in sources("__init__.py")
    }


def test_citation_has_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = re.findall(r"^version: (.+)$", citation, re.MULTILINE)
    assert found == [PYPROJECT["project"]["version"]]


DATA = (
    Path("proofs/report"),
    Path("numeric/export"),
    Path("numeric/studies/reproduce"),
    Path("numeric/studies/reproduce/results"),
)
"""Folders whose JSON files are schemas that the package holds."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel and an sdist: those that `make dist` built, or of this tree."""
    if given := os.environ.get("SCANPROOF_DIST"):
        return Path(given)
    folder = tmp_path_factory.mktemp("dist")
    # A copy, because building in place would touch build/, where the editable install lives.
    tree = shutil.copytree(ROOT, folder / "tree", ignore=NOT_SOURCES)
    run(sys.executable, *PIP, "wheel", "-qq", "--no-deps", "--wheel-dir", folder, tree)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("scanproof-*.whl")
    return found


@pytest.fixture(scope="module", params=PYTHONS)
def scripts(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The scripts of a virtual environment that holds the wheel alone."""
    folder = tmp_path_factory.mktemp("environment")
    run(request.param, "-m", "venv", "--without-pip", folder)
    found = folder / ("Scripts" if os.name == "nt" else "bin")
    install(found, wheel)
    return found


def install(scripts: Path, what: str | Path) -> None:
    """Into the environment of these scripts, by the pip of this one."""
    run(
        sys.executable, *PIP, "--python", scripts / "python", "install", "-qq", "--no-compile", what
    )


@pytest.mark.long
def test_wheel_holds_every_module_and_its_data(wheel: Path):
    data = {
        Path(ROOMS["scanproof"], "py.typed"),
        *(file for file in sources("*.json") if file.parent in DATA),
        *sources("*.csv"),  # recorded training runs, and their weights
        *sources("*.safetensors"),
    }
    expected = {
        "/".join([*package_of(file.parent).split("."), file.name])
        for file in {*sources("*.py"), *data}
    }
    certificates = {file for file in sources("*.json") if file.parent.name == "certificates"}
    assert len(certificates) > 300
    expected |= {
        "/".join([*package_of(file.parent.parent).split("."), "certificates", file.name])
        for file in certificates
    }
    with zipfile.ZipFile(wheel) as archive:
        assert {n for n in archive.namelist() if ".dist-info/" not in n} == expected


@pytest.mark.long
def test_wheel_without_extras_brings_no_large_library(scripts: Path):
    program = (
        "from importlib.util import find_spec as f; print(f('jax'), f('torch'), f('matplotlib'))"
    )
    assert run(scripts / "python", "-I", "-c", program).strip() == "None None None"


@pytest.mark.long
def test_installed_wheel_checks_a_claim_from_an_unrelated_folder(scripts: Path, tmp_path: Path):
    command = scripts / "scanproof"
    report = json.loads(run(command, "check", "gril.eq10", "--format", "json", cwd=tmp_path))
    assert [claim["id"] for claim in report["claims"]] == ["gril.eq10"]
    assert not any(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.skipif("SCANPROOF_DIST" not in os.environ, reason="make dist tries it")
def test_installed_wheel_passes_the_tutorial(scripts: Path, wheel: Path, tmp_path: Path):
    install(scripts, f"{wheel}[jax,export]")
    for name, page, marker in FILES:
        (tmp_path / f"{name}.py").write_text(python_of(page, marker), encoding="utf-8")
    for command, printed in CONSOLE:
        if f"$ {command}\n{printed}" in TUTORIAL:
            words = [scripts / "scanproof", *shlex.split(command)[1:]]
            done = subprocess.run(
                words, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=600
            )
            assert without_seconds(done.stdout) == without_seconds(printed), done.stderr


@pytest.mark.long
def test_sdist_holds_what_is_tracked(built: Path):
    archives = [*built.glob("scanproof-*.tar.gz")]
    if not archives:
        pytest.skip("make dist builds it")
    with tarfile.open(archives[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listed = run("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=ROOT).split("\0")
    assert {n for n in listed if n and not n.startswith(".")} - names == set()


def loaded_after(program: str, folder: Path) -> set[str]:
    """The modules of a fresh interpreter that ran `program` in an empty folder."""
    report = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    printed = run(sys.executable, "-I", "-c", program + report, cwd=folder)
    return set(json.loads(printed.splitlines()[-1]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        (
            "scanproof.constructs",
            {"sympy", "numpy", "jax", "flint", "torch", "scanproof.proofs", "scanproof.numeric"},
        ),
        ("scanproof.proofs", {"jax", "torch", "scanproof.numeric"}),
    ],
)
def test_no_module_of_a_room_imports_what_the_room_does_without(
    package: str, forbidden: set[str], tmp_path: Path
):
    modules = {
        package_of(file.parent)
        if file.stem == "__init__"
        else f"{package_of(file.parent)}.{file.stem}"
        for file in sources("*.py")
        if file.stem != "__main__"
    }
    wanted = sorted(m for m in modules if m == package or m.startswith(f"{package}."))
    loaded = loaded_after("\n".join(f"import {module}" for module in wanted), tmp_path)
    assert loaded >= set(wanted)
    assert not loaded & forbidden


@pytest.mark.long
def test_import_scanproof_loads_neither_sympy_nor_jax(tmp_path: Path):
    assert not loaded_after("import scanproof", tmp_path) & {"sympy", "jax"}


@pytest.mark.long
def test_no_tracked_file_names_a_folder_of_one_machine():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    # The checkout may belong to another user, as it does in containers.
    listed = run("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=ROOT)
    machine_path = re.compile(rb"(?<![\w.-])/(?:work|root)/")
    tracked = [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    assert [file for file in tracked if machine_path.search(file.read_bytes())] == []
