"""The cases of verifaible's bench, and the archives of the offline web that they are played on; data only."""
