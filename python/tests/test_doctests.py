"""The examples in the docstrings run, and so do those of docs/python.md."""

import doctest
import importlib
import pkgutil

import pytest

import dpcmp


@pytest.mark.parametrize("name", sorted(m.name for m in pkgutil.iter_modules(dpcmp.__path__) if not m.name.startswith("_")) + [""])
def test_examples(name):
    try:
        module = importlib.import_module(f"dpcmp.{name}" if name else "dpcmp")
    except ImportError as error:
        pytest.skip(f"not installed: {error.name}")
    failed, _ = doctest.testmod(module)
    assert not failed
