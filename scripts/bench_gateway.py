"""What the gateway adds to a model call, with 32 calls in flight: straight to the scripted server, then through the gateway.

The scripted model takes half a second for an answer, as a quick model would; each of the three parts (caller, gateway, model) is a process
of its own. Last line JSON: direct_ms and gateway_ms (medians), overhead_ms (their difference, to be below 5), cpu_ms (the
gateway's processor time a call, which a busy machine does not blur), calls, in_flight.

    python scripts/bench_gateway.py
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import aiohttp
import psutil

from clibench.llm.gateway import RunLimits, attach
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


async def call_all(url: str, token: str) -> list[float]:
    """Seconds that each of CALLS calls took, IN_FLIGHT at once."""
    body = {"model": "m", "messages": [{"role": "user", "content": "say something " * 500}]}
    headers = {"Authorization": f"Bearer {token}"}
    seconds: list[float] = []

    async def worker(http: aiohttp.ClientSession, number: int) -> None:
        await asyncio.sleep(THINKING_S * number / IN_FLIGHT)  # in flight together, but not in step
        for _ in range(CALLS // IN_FLIGHT):
            started = time.perf_counter()
            async with http.post(f"{url}/chat/completions", json=body, headers=headers) as answer:
                answer.raise_for_status()
                await answer.read()
            seconds.append(time.perf_counter() - started)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        await asyncio.gather(*(worker(http, number) for number in range(IN_FLIGHT)))
    return seconds


def main() -> None:
    """Measure and print."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    model = context.Process(target=serve, args=(theirs,))
    model.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(name="m", id="custom_openai/m", base_url=url, native=["openai_chat"])
        gateway = attach(Path(folder))
        run = Scope(run="bench")
        with gateway.register(run, settings, resolve(settings), LlmSettings(concurrency=IN_FLIGHT), RunLimits()) as lease:
            direct = asyncio.run(call_all(url, "none"))
            process = psutil.Process(gateway.greet())
            before = process.cpu_times()
            through = asyncio.run(call_all(f"{lease.url}/v1", lease.token))
            after = process.cpu_times()
        billed = Ledger(Path(folder) / "ledger.jsonl").totals("run", run).calls
        gateway.close()
    ours.send("end")
    model.join()
    direct_ms, gateway_ms = (statistics.median(seconds) * 1000 for seconds in (direct, through))
    print(f"{CALLS} calls, {IN_FLIGHT} in flight, {billed} lines in the ledger; a model that takes {THINKING_S * 1000:.0f} ms")
    print(f"straight to the model {direct_ms:8.2f} ms\nthrough the gateway   {gateway_ms:8.2f} ms")
    cpu_ms = (after.user + after.system - before.user - before.system) * 1000 / CALLS
    print(f"the gateway's own processor time {cpu_ms:.2f} ms a call")
    result = {"direct_ms": direct_ms, "gateway_ms": gateway_ms, "overhead_ms": gateway_ms - direct_ms, "cpu_ms": cpu_ms}
    print(json.dumps({**{name: round(value, 3) for name, value in result.items()}, "calls": CALLS, "in_flight": IN_FLIGHT}))


if __name__ == "__main__":
    main()
