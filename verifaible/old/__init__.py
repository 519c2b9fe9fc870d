"""Numbers and units by the names of the first edition, read by the new readers, till judging has moved."""
