"""What ``verifaible crypto recompute`` does."""

from __future__ import annotations

import json

import click

from verifaible.config import Settings
from verifaible.crypto.sandbox.calculating import recompute_program
from verifaible.crypto.sandbox.running import Sandbox
from verifaible.evidence.computed.sealed import PROGRAM, computed_sources
from verifaible.evidence.given.sources import SourceTexts
from verifaible.evidence.store.store import Store


async def recompute_all(settings: Settings, *, as_json: bool) -> bool:
    """Run the programs of a store again; whether each gave what it had given.

    Raises:
        ConfigError: Pyodide is not there.
        StoreError: the store cannot be read.
    """
    store = Store.open(settings)
    captures = [
        item.sha256 for entry in store.custody.entries() for item in entry.items if item.kind == "capture"
    ]
    programs = [
        source for source, function in computed_sources(store, dict.fromkeys(captures)) if function == PROGRAM
    ]
    faults = []
    async with Sandbox(settings) as box:
        for source in programs:
            if fault := await recompute_program(source, SourceTexts(store), box):
                faults.append(fault)
                click.echo(fault, err=True)
    told = {"programs": len(programs), "same": len(programs) - len(faults), "faults": faults}
    same = f"{told['same']} of {told['programs']} programs gave the same again"
    click.echo(json.dumps(told, indent=2) if as_json else same)
    return not faults
