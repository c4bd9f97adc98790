"""Values and words of the conversation: standard library only, no effects."""
