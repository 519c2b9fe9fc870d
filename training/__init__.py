"""How a model is trained to plan tool calls (Coinvisor, section 3.1); see docs/crypto.md."""
