"""A captured page, shown in a frame that cannot do anything."""
