"""What the gateway adds to a model call, with 32 calls in flight: straight to the scripted server, then through the gateway.

The scripted model takes half a second for an answer, as a quick model would; each of the three parts (caller, gateway, model) is a process
of its own. A call is begun every 1/32 of that time: so 32 are in flight, and they come as calls of agents do, one by one. Callers that
wait for each other's answers would fall into step, and the time that all 32 need at once would be taken for the price of one.

Several rounds, straight and through the gateway in turn, since a machine is not equally busy all the time. Last line JSON: direct_ms and
gateway_ms (medians over all calls), overhead_ms (median of the rounds' differences of medians, to be below 5), rounds_ms (each of those),
cpu_ms (the gateway's processor time a call, which a busy machine does not blur), burst_ms (what it adds to the last of 32 calls that are
begun at one instant), calls, in_flight, load (the machine's, before).

    python scripts/bench_gateway.py [ROUNDS]
    chrt -r 1 python scripts/bench_gateway.py   # on a busy machine: before all else (it takes a fifth of a processor)
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import aiohttp
import psutil

from clibench.llm.gateway import Lease, RunLimits, attach
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.models import resolve
from clibench.llm.scripted import ScriptedServer, Scripts, Turn
from clibench.llm.settings import LlmSettings, ModelSettings

IN_FLIGHT: Final = 32
CALLS: Final = 640
THINKING_S: Final = 0.5


def serve(pipe: Connection) -> None:
    """The model: says where it is, and ends when it is told to."""
    with ScriptedServer(Scripts.of(Turn(text="word " * 200)), delay_s=THINKING_S) as server:
        pipe.send(server.url)
        pipe.recv()


async def call_all(url: str, token: str, calls: int, apart_s: float) -> list[float]:
    """Seconds that each of `calls` calls took; one is begun every `apart_s`."""
    body = {"model": "m", "messages": [{"role": "user", "content": "say something " * 500}]}
    headers = {"Authorization": f"Bearer {token}"}

    async def call(http: aiohttp.ClientSession, begin: float) -> float:
        await asyncio.sleep(begin - time.perf_counter())
        started = time.perf_counter()
        async with http.post(f"{url}/chat/completions", json=body, headers=headers) as answer:
            answer.raise_for_status()
            await answer.read()
        return time.perf_counter() - started

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        await call(http, 0.0)  # the first call of a process is not what is measured
        start = time.perf_counter()
        return await asyncio.gather(*(call(http, start + apart_s * number) for number in range(calls)))


def measure(url: str, lease: Lease, gateway: psutil.Process, rounds: int) -> dict[str, float | list[float]]:
    """All rounds."""
    through = f"{lease.url}/v1"
    apart_s = THINKING_S / IN_FLIGHT
    direct_ms: list[float] = []
    gateway_ms: list[float] = []
    differences: list[float] = []
    bursts: list[float] = []
    cpu_s = 0.0
    for _ in range(rounds):
        direct = asyncio.run(call_all(url, "none", CALLS, apart_s))
        before = gateway.cpu_times()
        passed = asyncio.run(call_all(through, lease.token, CALLS, apart_s))
        after = gateway.cpu_times()
        cpu_s += after.user + after.system - before.user - before.system
        differences.append((statistics.median(passed) - statistics.median(direct)) * 1000)
        direct_ms += [seconds * 1000 for seconds in direct]
        gateway_ms += [seconds * 1000 for seconds in passed]
        together = [max(asyncio.run(call_all(*address, IN_FLIGHT, 0.0))) for address in ((url, "none"), (through, lease.token))]
        bursts.append((together[1] - together[0]) * 1000)
    return {
        "direct_ms": statistics.median(direct_ms),
        "gateway_ms": statistics.median(gateway_ms),
        "overhead_ms": statistics.median(differences),
        "rounds_ms": differences,
        "cpu_ms": cpu_s * 1000 / (CALLS * rounds),
        "burst_ms": statistics.median(bursts),
    }


def main(rounds: int = 3) -> None:
    """Measure and print."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    model = context.Process(target=serve, args=(theirs,))
    model.start()
    url = ours.recv()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(name="m", id="custom_openai/m", base_url=url, native=["openai_chat"])
        gateway = attach(Path(folder))
        run = Scope(run="bench")
        with gateway.register(run, settings, resolve(settings), LlmSettings(concurrency=2 * IN_FLIGHT), RunLimits()) as lease:
            found = measure(url, lease, psutil.Process(gateway.greet()), rounds)
        billed = Ledger(Path(folder) / "ledger.jsonl").totals("run", run).calls
        gateway.close()
    ours.send("end")
    model.join()
    print(f"{CALLS} calls a round, {IN_FLIGHT} in flight, {billed} lines in the ledger; a model that takes {THINKING_S * 1000:.0f} ms")
    print(f"straight to the model {found['direct_ms']:8.2f} ms\nthrough the gateway   {found['gateway_ms']:8.2f} ms")
    print(f"the gateway's own processor time {found['cpu_ms']:.2f} ms a call; load {load:.1f}")
    shown = {name: [round(each, 3) for each in value] if isinstance(value, list) else round(value, 3) for name, value in found.items()}
    print(json.dumps({**shown, "calls": CALLS * rounds, "in_flight": IN_FLIGHT, "load": round(load, 2)}))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
