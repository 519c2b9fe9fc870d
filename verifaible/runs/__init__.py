"""What every evaluation needs: lines that survive a kill, folders of runs, budgets, kept replies."""
