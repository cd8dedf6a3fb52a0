"""The examples of docs/python.md."""
import doctest
import os
import sys

import pytest

pytest.importorskip("numpy")
DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))), "docs", "python.md")


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read().replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md",
                                               "python.md", 0)
    runner = doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        | doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test, out=sys.stdout.write)
    result = runner.summarize()
    assert result.failed == 0 and result.attempted > 25
