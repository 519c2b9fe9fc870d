"""Training tried on a CPU in seconds: a tiny random model learns a toy task (``make train-smoke``).

The task is to write tokens of one half of the vocabulary. Nothing is downloaded; the learning rate is that of
a toy. Prints the first and the last mean reward, and fails where the reward does not rise.
"""

from __future__ import annotations

import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from training.ppo import PPO, Policy, PPOSettings, Sample

_VOCABULARY, _PROMPT, _WRITTEN, _UPDATES = 32, 4, 8, 14
#: A random model writes half of its tokens right; one that learns soon writes most of them right.
_LEAST_RISE = 0.2


def main() -> int:
    """Train, print, and say whether the reward rose."""
    started = time.monotonic()
    settings = PPOSettings(learning_rate=1e-2, batch=32, kl_target=0.5, kl_start=0.01)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    config = LlamaConfig(
        vocab_size=_VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        initializer_range=0.2,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=None,
    )
    policy = Policy(LlamaForCausalLM(config), settings)
    learner = PPO(policy, settings)
    means = []
    for _ in range(_UPDATES):
        made = learner.update(_written(policy, settings))
        means.append(made.reward)
        print(f"reward {made.reward:.3f}, KL {made.kl:.3f} nats a token, weight {made.kl_weight:.4f}")
    rose = means[-1] - means[0] >= _LEAST_RISE
    print(
        f"mean reward: first {means[0]:.3f}, last {means[-1]:.3f}; {time.monotonic() - started:.1f} s"
        f"{'' if rose else '; it did not rise'}"
    )
    return not rose


@torch.no_grad()
def _written(policy: Policy, settings: PPOSettings) -> list[Sample]:
    prompts = torch.randint(_VOCABULARY, (settings.batch, _PROMPT))
    policy.eval()
    texts = policy.model.generate(
        input_ids=prompts,
        attention_mask=torch.ones_like(prompts),
        do_sample=True,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=0,
        max_new_tokens=_WRITTEN,
    )
    return [
        Sample(row, _PROMPT, sum(token < _VOCABULARY // 2 for token in row[_PROMPT:]) / _WRITTEN)
        for row in texts.tolist()
    ]


if __name__ == "__main__":
    sys.exit(main())
