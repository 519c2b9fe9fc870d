"""How well claims are split, verified and judged: ``python -m scripts.judging [--write]``."""
