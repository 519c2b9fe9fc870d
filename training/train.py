"""Train a caller: ``python -m training.train --prompts FILE --judge MODEL --out DIR`` (docs/crypto.md)."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import asdict
from pathlib import Path

import click
import torch

from training.caller import Episode, load, play
from training.ppo import PPO, PPOSettings, Sample
from verifaible.console.options import api_option, base_url_option, read_settings
from verifaible.crypto.planning.caller import read_prompts
from verifaible.crypto.planning.reward import Reward, reward_of
from verifaible.crypto.runs import opened
from verifaible.errors import RunError
from verifaible.llm.catalogue import Api


@click.command()
@click.option(
    "--model", default="Salesforce/Llama-xLAM-2-8b-fc-r", show_default=True, help="Model or folder."
)
@click.option(
    "--prompts", required=True, type=click.Path(path_type=Path), help="As training.prompts writes them."
)
@click.option("--judge", required=True, help="A name as for `verifaible bench --model`.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the adapter and the log."
)
@base_url_option
@api_option
def main(
    *,
    model: str,
    prompts: Path,
    judge: str,
    out: Path,
    base_url: str | None,
    api: Api | None,
) -> None:
    """Train MODEL to plan tool calls; a plan that the judge failed for is left out of its batch."""
    settings = PPOSettings()  # the paper's
    torch.manual_seed(settings.seed)
    questions = [each.prompt for each in read_prompts(prompts)]
    policy, tokenizer = load(model, settings)
    learner = PPO(policy, settings)
    out.mkdir(parents=True, exist_ok=True)
    (out / "settings.json").write_text(
        json.dumps({"model": model, "judge": judge, **asdict(settings)}, indent=1)
    )
    drawn = random.Random(settings.seed)
    with (out / "log.jsonl").open("a") as log:
        for epoch in range(1, settings.epochs + 1):
            drawn.shuffle(questions)
            for start in range(0, len(questions), settings.batch):
                batch = questions[start : start + settings.batch]
                episodes = [play(policy, tokenizer, each, settings) for each in batch]
                rewards = asyncio.run(_rewards(judge, episodes, base_url, api))
                samples = [
                    Sample(tokens, own, given.reward)
                    for episode, given in zip(episodes, rewards, strict=True)
                    if given.reward is not None
                    for tokens, own in episode.decisions
                    if len(tokens) > own
                ]
                failed = [given.error for given in rewards if given.reward is None]
                if not samples:
                    raise RunError(f"The judge gave no reward for a whole batch: {'; '.join(failed[:1])}")
                told = {"epoch": epoch, "start": start, "samples": len(samples), "failed": len(failed)}
                told |= asdict(learner.update(samples))
                log.write(json.dumps(told) + "\n")
                log.flush()
                click.echo(told)
            policy.model.save_pretrained(out / f"epoch-{epoch}")


async def _rewards(
    judge: str, episodes: list[Episode], base_url: str | None, api: Api | None
) -> list[Reward]:
    async with opened(judge, read_settings(base_url), api, limited=False, temperature=0.0) as model:
        asked = (
            reward_of(row, each.prompt, each.calls, model.client) for row, each in enumerate(episodes, 1)
        )
        return list(await asyncio.gather(*asked))


if __name__ == "__main__":
    main()
