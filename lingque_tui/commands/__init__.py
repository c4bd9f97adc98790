"""Slash commands: one file each, found by the registry that menu, completion and `/help` all read."""
