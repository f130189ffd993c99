"""One turn of the peers: jupyter_client from the start of a kernel to its first reply, nbclient for cells. Prints JSON."""

import asyncio
import json
import sys
from time import perf_counter

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

cells, flood = int(sys.argv[1]), sys.argv[2]


def start():
    begun = perf_counter()
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    wanted = client.execute("1")
    while client.get_shell_msg(timeout=60)["parent_header"].get("msg_id") != wanted:
        pass
    taken = perf_counter() - begun
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    return taken * 1000


async def run():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("1")]
    client = NotebookClient(notebook, kernel_name="python3", timeout=120)
    times = []
    async with client.async_setup_kernel():
        for index in range(cells + 3):
            begun = perf_counter()
            await client.async_execute_cell(nbformat.v4.new_code_cell("1"), 0)
            if index >= 3:
                times.append((perf_counter() - begun) * 1000)
        begun = perf_counter()
        cell = await client.async_execute_cell(nbformat.v4.new_code_cell(flood), 0)
        taken = (perf_counter() - begun) * 1000
        size = sum(len(output["text"]) for output in cell["outputs"])
    return {"cells": times, "flood": taken, "floodBytes": size}


started = start()
print(json.dumps({"start": started, **asyncio.run(run())}))
