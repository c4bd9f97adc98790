"""The window a person sees. Widgets show values and hold no conversation."""
