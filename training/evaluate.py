"""Write the calls of a model with greedy decoding, and measure them as ``verifaible crypto plan`` does."""

from __future__ import annotations

import json
from pathlib import Path

import click

from training.caller import load, play
from training.ppo import PPOSettings
from verifaible.crypto.planning.caller import read_calls, read_prompts
from verifaible.crypto.planning.measure import report


@click.command()
@click.option(
    "--model", default="Salesforce/Llama-xLAM-2-8b-fc-r", show_default=True, help="Model or folder."
)
@click.option("--adapter", default="", help="Folder of a trained adapter; none: the model as it is.")
@click.option("--prompts", required=True, type=click.Path(path_type=Path), help="Annotated prompts.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File of calls.")
def main(model: str, adapter: str, prompts: Path, out: Path) -> None:
    """Let a model plan for annotated prompts, and print precision, recall and F1."""
    settings, annotated = PPOSettings(), read_prompts(prompts)
    policy, tokenizer = load(model, settings, adapter=adapter)
    made = []
    for each in annotated:
        episode = play(policy, tokenizer, each.prompt, settings, greedy=True)
        made.append(
            {"prompt": each.prompt, "tool_call": [call.model_dump(mode="json") for call in episode.calls]}
        )
        out.write_text(json.dumps([*made], ensure_ascii=False, indent=1), encoding="utf-8")
    report(annotated, [read_calls(out, annotated)], published=False).show(as_json=False)


if __name__ == "__main__":
    main()
