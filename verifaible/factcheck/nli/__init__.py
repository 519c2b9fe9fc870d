"""A local judge: a cross-encoder that says whether a passage entails a claim (extra ``[nli]``)."""
