"""Every Python example of the documents runs, and so do the notebooks."""

import json
import os
import re
import sys

import pytest
from conftest import ROOT
from optional import optional

nbclient = optional("nbclient")
nbformat = optional("nbformat")


def blocks(document: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / document).read_text(), re.M | re.S)


@pytest.mark.parametrize("document, number", [(name, i) for name in ["README.md", "docs/python.md", "docs/spark.md"] for i in range(len(blocks(name)))])
def test_examples_run(document, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if ".plot(" in blocks(document)[number]:
        pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    exec(compile(blocks(document)[number], f"{document}, example {number + 1}", "exec"), {"__name__": "example"})


def test_the_readme_has_a_ten_line_example():
    (example,) = blocks("README.md")
    assert len(example.strip().splitlines()) <= 10


@pytest.mark.parametrize("name", ["first_release", "choosing"])
def test_notebooks_run(name, tmp_path):
    book = nbformat.read(ROOT / f"examples/{name}.ipynb", as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "notebooks are kept without output"
    kernel = tmp_path / "share/jupyter/kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}))
    os.environ["JUPYTER_PATH"] = str(tmp_path / "share/jupyter")
    # The kernel draws without a window, as this process does.
    client = nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    done = client.execute(env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    pictures = [output for cell in done.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert len(pictures) == 2
