"""Citations of pages that frameworks fill over sockets: real servers, in an environment of their own."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import venv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.browser.citing import Bench
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.replay import replay
from verifaible.net.web import Web

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.nightly]

INSTALL_S, START_S = 300, 60
APPS = {
    "bokeh": """
from bokeh.io import curdoc
from bokeh.layouts import column
from bokeh.models import Button, Div
shown, button = Div(text="<p>Nothing yet.</p>"), Button(label="Compute")
button.on_click(lambda: setattr(shown, "text", "<p>The total is 42.5 tons.</p>"))
curdoc().add_root(column(shown, button))
""",
    "gradio": """
import os
import gradio
with gradio.Blocks(analytics_enabled=False) as app:
    shown, button = gradio.Markdown("Nothing yet."), gradio.Button("Compute")
    button.click(lambda: "The total is 42.5 tons.", None, shown)
app.launch(server_name="127.0.0.1", server_port=int(os.environ["PORT"]))
""",
    "streamlit": """
import streamlit as st
st.write("The total is 42.5 tons." if st.button("Compute") else "Nothing yet.")
""",
}
COMMANDS = {
    "bokeh": "-m bokeh serve {app} --port {port} --address 127.0.0.1 --allow-websocket-origin 127.0.0.1:{port}",
    "gradio": "{app}",
    "streamlit": "-m streamlit run {app} --server.port {port} --server.address 127.0.0.1 --server.headless true "
    "--browser.gatherUsageStats false",
}
PATHS = {"bokeh": "/app", "gradio": "/", "streamlit": "/"}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the frameworks; VERIFAIBLE_APPS names one that is there already."""
    if given := os.environ.get("VERIFAIBLE_APPS"):
        return Path(given)
    folder = tmp_path_factory.mktemp("apps")
    venv.create(folder, with_pip=True)
    found = folder / "bin" / "python"
    try:
        subprocess.run(
            [found, "-m", "pip", "install", "-q", *APPS], check=True, capture_output=True, timeout=INSTALL_S
        )
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"The frameworks cannot be installed here: {error}")
    return found


@asynccontextmanager
async def serving(python: Path, name: str, folder: Path) -> AsyncIterator[str]:
    """A framework's server, until the end of the block; its address."""
    app = folder / "app.py"
    app.write_text(APPS[name])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = COMMANDS[name].format(app=app, port=port).split()
    log = (folder / "log").open("wb")
    process = await asyncio.create_subprocess_exec(
        python, *command, cwd=folder, stdout=log, stderr=log, env={**os.environ, "PORT": str(port)}
    )
    try:
        async with asyncio.timeout(START_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.1)
                else:
                    writer.close()
                    break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()
        log.close()


@pytest.mark.parametrize("name", list(APPS))
async def test_what_a_framework_computed_at_a_click(
    name: str, python: Path, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser
) -> None:
    bench = Bench(tmp_path, settings, live_web, browser)
    steps = [
        {"type": "wait", "text": "Nothing yet."},
        {"type": "click", "elementText": "Compute"},
        {"type": "wait", "text": "42.5"},
    ]
    async with serving(python, name, tmp_path) as url:
        citation = await bench.cite(url + PATHS[name], steps, quote="The total is 42.5 tons.")
    check = await replay(citation, bench.store, browser, settings)
    assert check.verdict == "verified", check.message
