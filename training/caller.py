"""The caller as a policy: a model of transformers that plans tool calls in turns, executed by nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from training.ppo import Policy, PPOSettings
from verifaible.crypto.planning.caller import MAX_DECISIONS, SIMULATED, STOP, Call, system_prompt, tools
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.chat import ModelTurn, Usage

#: A turn with all nine calls takes some 250 tokens.
MOST_NEW_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Episode:
    """A plan: its calls, and for each decision the tokens with the place where the model's own begin."""

    prompt: str
    calls: tuple[Call, ...]
    decisions: tuple[tuple[list[int], int], ...]


def load(name: str, settings: PPOSettings, *, adapter: str = "") -> tuple[Policy, Any]:
    """A model of the Hugging Face hub or a folder under LoRA, in 4 bits where CUDA is, and its tokenizer.

    Args:
        name: of the model.
        settings: of LoRA.
        adapter: folder of a trained adapter, to go on with or to evaluate.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    options: dict[str, Any] = {}
    if torch.cuda.is_available():
        options = {
            "device_map": "auto",
            "quantization_config": BitsAndBytesConfig(
                load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
            ),
        }
    policy = Policy(AutoModelForCausalLM.from_pretrained(name, **options), settings)
    if adapter:
        policy.model.load_adapter(adapter, "default", is_trainable=True)
    return policy, AutoTokenizer.from_pretrained(name)


def play(
    policy: Policy, tokenizer: Any, prompt: str, settings: PPOSettings, *, greedy: bool = False
) -> Episode:
    """Let the model plan for one prompt: at most six decisions, each call answered with "simulated".

    Args:
        policy: the model.
        tokenizer: its own; its chat template has to take tools.
        prompt: the question.
        settings: of sampling.
        greedy: take the likeliest token each time, as evaluation does.
    """
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system_prompt("simulated")},
        {"role": "user", "content": prompt},
    ]
    calls: list[Call] = []
    decisions = []
    for number in range(1, MAX_DECISIONS + 1):
        asked = tokenizer.apply_chat_template(
            messages, tools=_specs(), add_generation_prompt=True, tokenize=True, return_dict=False
        )
        written = _continued(policy, tokenizer, asked, settings, greedy=greedy)
        decisions.append(([*asked, *written], len(asked)))
        text = tokenizer.decode(written, skip_special_tokens=True)
        turn = with_text_calls(ModelTurn(text=text, usage=Usage()), tools(), id_prefix=f"call_{number}")
        calls += [
            Call(name=each.name, arguments=each.arguments) for each in turn.tool_calls if each.name != STOP
        ]
        if not turn.tool_calls or any(each.name == STOP for each in turn.tool_calls):
            break
        messages.append({"role": "assistant", "content": text})
        messages += [{"role": "tool", "name": each.name, "content": SIMULATED} for each in turn.tool_calls]
    return Episode(prompt, tuple(calls), tuple(decisions))


@torch.no_grad()
def _continued(
    policy: Policy, tokenizer: Any, asked: Sequence[int], settings: PPOSettings, *, greedy: bool
) -> list[int]:
    policy.eval()
    sampling = (
        {"do_sample": False}
        if greedy
        else {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p, "top_k": 0}
    )
    given = torch.tensor([list(asked)], device=policy.model.device)
    out = policy.model.generate(
        input_ids=given,
        attention_mask=torch.ones_like(given),
        max_new_tokens=MOST_NEW_TOKENS,
        pad_token_id=tokenizer.pad_token_id or tokenizer.eos_token_id,
        **sampling,
    )
    written: list[int] = out[0, len(asked) :].tolist()
    return written


def _specs() -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.description, "parameters": each.parameters},
        }
        for each in tools()
    ]
