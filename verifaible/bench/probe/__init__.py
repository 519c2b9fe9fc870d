"""What a model can do, before a run is paid for."""
