"""The numbers of an answer, and the data that each rests on."""
