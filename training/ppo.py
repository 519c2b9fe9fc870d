"""Proximal policy optimisation of a language model with LoRA, a value head and an adaptive KL penalty.

Schulman et al. 2017 (clipped objective), Schulman et al. 2016 (advantages), Ziegler et al. 2019 (controller).
The reference policy is the same model with its adapter switched off, so no second copy is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class PPOSettings:
    """How a policy is trained: the paper's settings (section 4.1) first, then what it leaves open.

    Attributes:
        rank: of LoRA.
        alpha: of LoRA.
        learning_rate: of Adam.
        batch: prompts before each update.
        epochs: passes over the prompts.
        temperature: of sampling.
        top_p: of sampling.
        kl_target: KL divergence from the reference that the controller aims at, in nats per token.
        kl_start: its first coefficient.
        kl_horizon: samples over which the coefficient moves by its error.
        passes: passes over a batch in one update.
        clip: of the ratio of probabilities.
        discount: gamma of the advantages.
        trace: lambda of the advantages.
        value_weight: of the critic's loss.
        gradient_norm: gradients are scaled down to it.
        seed: for sampling and initialisation.
    """

    rank: int = 8
    alpha: int = 32
    learning_rate: float = 5e-6
    batch: int = 8
    epochs: int = 3
    temperature: float = 0.7
    top_p: float = 0.8
    kl_target: float = 0.01
    kl_start: float = 0.05
    kl_horizon: int = 1_000
    passes: int = 4
    clip: float = 0.2
    discount: float = 1.0
    trace: float = 0.95
    value_weight: float = 0.5
    gradient_norm: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """What a policy wrote: tokens, of which those from ``start`` are its own, and the reward at their end."""

    tokens: Sequence[int]
    start: int
    reward: float


@dataclass(frozen=True, slots=True)
class Update:
    """What an update saw.

    Attributes:
        reward: mean over the samples.
        kl: from the reference, in nats per token.
        kl_weight: the coefficient after it.
        loss: of the last pass.
    """

    reward: float
    kl: float
    kl_weight: float
    loss: float


class Policy(nn.Module):
    """A causal language model under LoRA with a value head on its last hidden state."""

    def __init__(
        self, model: Any, settings: PPOSettings, *, targets: Sequence[str] | str = "all-linear"
    ) -> None:
        """Put an adapter on a model.

        Args:
            model: of transformers; it may be quantised.
            settings: rank and alpha.
            targets: the layers that get one.
        """
        super().__init__()
        from peft import LoraConfig, get_peft_model

        adapter = LoraConfig(
            r=settings.rank, lora_alpha=settings.alpha, target_modules=targets, task_type="CAUSAL_LM"
        )
        self.model = get_peft_model(model, adapter)
        self.value = nn.Linear(model.config.hidden_size, 1)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)
        self.value.to(model.device)
        self.temperature = settings.temperature

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """For each token but the first its log-probability, and the value of what stands before it."""
        out = self.model(input_ids=tokens, attention_mask=mask, output_hidden_states=True, use_cache=False)
        values = self.value(out.hidden_states[-1][:, :-1].to(self.value.weight.dtype)).squeeze(-1)
        return self._chosen(out.logits, tokens), values

    @torch.no_grad()
    def reference(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """The log-probabilities without the adapter."""
        with self.model.disable_adapter():
            return self._chosen(
                self.model(input_ids=tokens, attention_mask=mask, use_cache=False).logits, tokens
            )

    def _chosen(self, logits: Tensor, tokens: Tensor) -> Tensor:
        scores = torch.log_softmax(logits[:, :-1].float() / self.temperature, dim=-1)
        return scores.gather(2, tokens[:, 1:, None]).squeeze(-1)


class PPO:
    """Updates a policy from samples; ``kl_weight`` is the coefficient as the controller has it now."""

    def __init__(self, policy: Policy, settings: PPOSettings) -> None:
        self.policy = policy
        self.settings = settings
        self.kl_weight = settings.kl_start
        trained = [each for each in policy.parameters() if each.requires_grad]
        self._trained = trained
        self._optimiser = torch.optim.Adam(trained, lr=settings.learning_rate)

    def update(self, samples: Sequence[Sample]) -> Update:
        """Learn from samples that the policy, as it is now, has written."""
        told = self.settings
        tokens, mask, own = self._padded(samples)
        with torch.no_grad():
            self.policy.eval()
            before, values = self.policy(tokens, mask)
            divergence = (before - self.policy.reference(tokens, mask)) * own
        rewards = -self.kl_weight * divergence
        last = own.shape[1] - 1 - own.flip(1).argmax(1)
        rewards[torch.arange(len(samples)), last] += torch.tensor(
            [each.reward for each in samples], device=rewards.device
        )
        advantages = self._advantages(rewards, values, own)
        returns = (advantages + values) * own
        chosen = advantages[own.bool()]
        advantages = (advantages - chosen.mean()) / (chosen.std(correction=0) + 1e-8)
        self.policy.train()
        for _ in range(told.passes):
            now, judged = self.policy(tokens, mask)
            ratio = ((now - before) * own).exp()
            clipped = ratio.clamp(1 - told.clip, 1 + told.clip)
            gain = torch.minimum(ratio * advantages, clipped * advantages)
            loss = ((-gain + told.value_weight * (judged - returns) ** 2) * own).sum() / own.sum()
            self._optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self._trained, told.gradient_norm)
            self._optimiser.step()
        kl = float(divergence.sum() / own.sum())
        self._control(kl, len(samples))
        return Update(sum(each.reward for each in samples) / len(samples), kl, self.kl_weight, loss.item())

    def _control(self, kl: float, samples: int) -> None:
        """Raise the coefficient where the policy strays further than the target, lower it where less."""
        error = min(max(kl / self.settings.kl_target - 1, -0.2), 0.2)
        self.kl_weight *= 1 + error * samples / self.settings.kl_horizon

    def _advantages(self, rewards: Tensor, values: Tensor, own: Tensor) -> Tensor:
        made, later, following = torch.zeros_like(rewards), 0.0, 0.0
        for at in reversed(range(rewards.shape[1])):
            error = rewards[:, at] + self.settings.discount * following - values[:, at]
            later = (error + self.settings.discount * self.settings.trace * later) * own[:, at]
            made[:, at] = later
            following = values[:, at] * own[:, at]
        return made

    def _padded(self, samples: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens, which of them are there, and which the policy wrote (of all but the first)."""
        longest = max(len(each.tokens) for each in samples)
        place = next(self.policy.parameters()).device
        tokens = torch.zeros(len(samples), longest, dtype=torch.long, device=place)
        mask, own = torch.zeros_like(tokens), torch.zeros(len(samples), longest, device=place)
        for row, each in enumerate(samples):
            tokens[row, : len(each.tokens)] = torch.tensor(list(each.tokens), device=place)
            mask[row, : len(each.tokens)] = 1
            own[row, each.start : len(each.tokens)] = 1
        return tokens, mask, own[:, 1:]
