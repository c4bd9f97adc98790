"""Whoever answers: any server that speaks OpenAI's protocol, the embedded model, and a scripted one for tests."""
