"""`headrace doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.options import AsJson, ProjectFolder, project_at


def command(
    port: Annotated[int | None, typer.Option(help="Check too that this port is free for the broker.")] = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Check this machine, and say what is wrong and how to mend it."""
    from headrace.broker.server import Broker
    from headrace.cli.output import print_json
    from headrace.supply.selftest import self_test

    here = project_at(project)
    own = Broker(here).status()
    findings = self_test(broker_port=None if own.up and own.port == port else port, folder=here.root)
    if json:
        print_json([finding.as_dict() for finding in findings])
    else:
        for finding in findings:
            print(f"{finding.verdict:<4}  {finding.check:<12}  {finding.message}")
            if finding.fix:
                print(f"{'':<6}{'':<12}  hint: {finding.fix}")
    if any(finding.verdict == "fail" for finding in findings):
        raise typer.Exit(4)
