"""Cases, runner, reports: python -m verifaible.bench."""
