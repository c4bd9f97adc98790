"""`lingque doctor`: is everything in place, and if not, what to do. It looks and never repairs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict

from lingque_tui.cli import checks
from lingque_tui.cli.checks import Finding
from lingque_tui.cli.columns import cells, pad
from lingque_tui.cli.surroundings import Surroundings, look_around
from lingque_tui.config.credentials import read_credentials
from lingque_tui.config.loading import Loaded
from lingque_tui.config.paths import Paths
from lingque_tui.i18n import t

_MARKS = {"ok": "✓", "note": "·", "problem": "✗"}


async def examine(
    paths: Paths, loaded: Loaded, environment: Mapping[str, str], surroundings: Surroundings | None = None
) -> tuple[Finding, ...]:
    """All findings, in the order in which one would put things right. Without `surroundings`, looks for itself."""
    if surroundings is None:
        credentials = await asyncio.to_thread(read_credentials, paths)
        surroundings = await look_around(loaded.config, environment, credentials)
    return await asyncio.to_thread(_judge, paths, loaded, environment, surroundings)


def render_findings(findings: tuple[Finding, ...]) -> str:
    width = max((cells(_title(finding)) for finding in findings), default=0)
    lines: list[str] = []
    for before, finding, after in zip((None, *findings), findings, (*findings[1:], None), strict=False):
        title = "" if before and before.area == finding.area else _title(finding)
        lines.append(f"{_MARKS[finding.state]} {pad(title, width)}  {finding.text}")
        if finding.fix and not (after and after.fix == finding.fix):  # one remedy for several ills is told once
            lines.append(f"{' ' * (width + 4)}→ {finding.fix}")
    return "\n".join([*lines, "", _verdict(findings)])


def findings_as_json(findings: tuple[Finding, ...]) -> dict[str, object]:
    return {"ok": is_healthy(findings), "findings": [asdict(finding) for finding in findings]}


def is_healthy(findings: tuple[Finding, ...]) -> bool:
    """Notes are no reason to fail: whoever uses a key has no need of a local server."""
    return all(finding.state != "problem" for finding in findings)


def _judge(paths: Paths, loaded: Loaded, environment: Mapping[str, str], found: Surroundings) -> tuple[Finding, ...]:
    return (
        *checks.check_terminal(found.terminal),
        checks.check_python(found.python),
        checks.check_sqlite(found.sqlite),
        *checks.check_store(paths),
        checks.check_tokens(found.vocabularies),
        *checks.check_config(loaded, paths),
        *checks.check_keys(found.connections, environment),
        *checks.check_servers(found.servers, is_enabled=loaded.config.discovery.enabled),
        checks.check_embedded(found.embedded),
        *checks.check_anyone_answers(found.connections, found.servers),
    )


def _title(finding: Finding) -> str:
    return t(f"doctor.area.{finding.area}")


def _verdict(findings: tuple[Finding, ...]) -> str:
    problems = sum(finding.state == "problem" for finding in findings)
    return t("doctor.verdict.problems", count=problems) if problems else t("doctor.verdict.well")
