"""The table of targets: what they take, and the versions that are called tested because these tests ran with them."""

from importlib import metadata

import pytest

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts.families import FAMILIES
from scanproof.numeric.export import targets
from scanproof.numeric.export.targets import TARGETS
from scanproof.numeric.export.tensors import NAMES

TESTED = [(name, package) for name, target in TARGETS.items() for package in target.tested]


def test_every_family_has_a_target_and_every_target_a_family_that_is_known():
    known = {*FAMILIES, "mamba2", "delta-net"}
    assert {family for target in TARGETS.values() for family in target.families} == known
    for family in known:
        assert targets.for_family(family)


def test_dtypes_are_those_that_files_can_hold():
    for target in TARGETS.values():
        assert set(target.dtypes) <= set(NAMES.values())
        assert targets.dtype(target, None) == target.dtypes[0]
        with pytest.raises(UsageError, match=target.name):
            targets.dtype(target, "float8")


@pytest.mark.parametrize(("name", "package"), TESTED, ids=[" ".join(pair) for pair in TESTED])
def test_the_version_at_hand_is_listed_as_tested(name, package):
    try:
        version = metadata.version(package).split("+")[0]
    except metadata.PackageNotFoundError:
        pytest.skip(f"the target {name} is tested with {package}, which is not installed here")
    listed = TARGETS[name].tested[package]
    assert version in listed, (
        f"{name} is tested with {package} {', '.join(listed)}, and not with {version}: if the target's tests pass, add "
        "it to numeric/export/targets.py"
    )
