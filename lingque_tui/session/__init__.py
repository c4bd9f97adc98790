"""The engine: takes verbs, emits events. No screen, no SDK, no SQL in here."""
