"""Running trials, and the folder that a run leaves."""
