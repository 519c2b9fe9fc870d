"""VerifAIble Bench as a task of Inspect AI (extra ``[inspect]``): our cases, tools and scores, any model."""
