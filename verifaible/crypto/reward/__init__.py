"""The reward of a plan of tool calls: a judge's scores and a check by rules (Coinvisor, section 3.1.2)."""
