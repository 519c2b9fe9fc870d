"""How accurate anchoring is: suites of cases with a known answer, and the table they give.

``python -m scripts.accuracy`` runs all of them; ``make measure`` keeps what it prints in ``docs/results``.
"""
