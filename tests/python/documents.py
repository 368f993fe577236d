"""The examples of docs/python.md and of the package's own documentation, run as they stand."""
import doctest
import os
import re
import unittest

import tenfold

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples_of(text):
    """The blocks of Python in a document."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


class Documents(unittest.TestCase):
    def test_guide(self):
        failed, tried = doctest.testfile(os.path.join(SOURCE, "docs", "python.md"), module_relative=False, optionflags=FLAGS)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 30)

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
        with open(os.path.join(SOURCE, "docs", "python.md")) as file:
            page = file.read()
        for name in tenfold.__all__:
            self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main()
