"""Runs notebooks of a folder with nbclient on the same kernel, and prints the outputs of their code cells as JSON."""

import json
import os
import sys

import nbformat
from nbclient import NotebookClient

folder, names = sys.argv[1], sys.argv[2:]
os.environ["COLUMNS"] = "80"
told = {}
for name in names:
    notebook = nbformat.read(os.path.join(folder, name + ".ipynb"), 4)
    timeout = 3 if name == "Interrupt" else 120
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=timeout,
        interrupt_on_timeout=True,
        allow_errors=True,
        resources={"metadata": {"path": folder}},
    ).execute()
    told[name] = [
        {"outputs": cell.get("outputs", []), "execution_count": cell.get("execution_count")}
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
print(json.dumps(told))
