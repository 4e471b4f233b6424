"""The gateway: the only thing that an agent's sandbox reaches, and the only one that holds a provider's key.

One process on the host for each outputs folder serves all jobs of a sweep: four dialects over a Unix socket (bind-mounted into containers
without network) and over loopback (for agents whose loop runs on the host), a token a run, a line in the ledger for every attempt.

    attach.py    what clibench calls: find or start the process, register a run, ask how it went
    runtime.py   the folder of its sockets, and who may make and remove it
    server.py    the process: sockets, runs, life time
    calls.py     one metered call: limits, budget, cache, retries, ledger
    upstream.py  one attempt: straight to the provider, or through litellm
    translate.py the dialects that a provider does not speak, by litellm, back into the gateway's own chat endpoint
    wire.py      bodies, events, errors and token counts of the dialects
"""

from clibench.llm.gateway.attach import Account, Gateway, Lease, attach
from clibench.llm.gateway.runs import RunLimits

__all__ = ["Account", "Gateway", "Lease", "RunLimits", "attach"]
