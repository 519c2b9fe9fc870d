"""How accurate anchoring is: suites of cases with a known answer, and the table they give.

``python -m scripts.accuracy`` runs all of them; ``--write`` puts the table into ``docs/accuracy.md``.
"""
