"""The folders at the top level are the rooms of the package `scanproof`; all else stands in pyproject.toml."""

from setuptools import find_packages, setup

ROOMS = ("constructs", "numeric", "proofs")
setup(
    package_dir={"scanproof": "cli", **{f"scanproof.{room}": room for room in ROOMS}},
    packages=[
        "scanproof",
        *(f"scanproof.{room}" for room in ROOMS),
        *(f"scanproof.{room}.{inner}" for room in ROOMS for inner in find_packages(room)),
    ],
)
