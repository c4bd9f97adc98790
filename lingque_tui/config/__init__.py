"""Settings, where they come from, and where things live."""
