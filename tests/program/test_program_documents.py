import subprocess
import sys

from conftest import ROOT


def test_the_examples_of_the_documents_run_and_print_what_is_shown():
    done = subprocess.run([sys.executable, ROOT / "scripts/docs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
