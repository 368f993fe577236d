"""The examples of docs/python.md and of the package's own documentation, run as they stand."""
import doctest
import importlib
import os
import re
import unittest

import tenfold

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(SOURCE, "docs", "python.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def functions_without_example(module, page):
    """Names of public functions that no example on a page calls."""
    with open(page) as file:
        calls = "".join(one.source for one in doctest.DocTestParser().get_examples(file.read()))
    return [name for name in module.__all__ if not isinstance(getattr(module, name), type)
            and f"{module.__name__}.{name}(" not in calls]


def has_torch():
    try:
        return bool(importlib.import_module("torch"))
    except ImportError:
        return False


def examples_of(text):
    """The blocks of Python in a document."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


class Documents(unittest.TestCase):
    def test_guide(self):
        failed, tried = doctest.testfile(PAGE, module_relative=False, optionflags=FLAGS)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 30)
        with open(PAGE) as file:
            blocks = examples_of(file.read())
        self.assertTrue(blocks)
        for block in blocks:
            if "torch" not in block or has_torch():
                exec(compile(block, PAGE, "exec"), {})

    def test_readme(self):
        with open(os.path.join(SOURCE, "README.md")) as file:
            blocks = examples_of(file.read())
        self.assertTrue(blocks)
        for block in blocks:
            if "mpi4py" not in block:  # those are dist_documents'
                exec(compile(block, "README.md", "exec"), {})

    def test_everything_is_documented(self):
        for name in tenfold.__all__:
            self.assertTrue(getattr(tenfold, name).__doc__, name)
        with open(PAGE) as file:
            page = file.read()
        for name in tenfold.__all__:
            self.assertIn(name, page)
        self.assertEqual(functions_without_example(tenfold, PAGE), [])


if __name__ == "__main__":
    unittest.main()
