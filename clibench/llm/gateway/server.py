"""The gateway's process: its sockets, its runs and its life.

It lives as long as a process of clibench holds a connection to its control socket. The kernel closes that connection when its owner dies,
however it dies: the runs that it registered are then closed, their calls cancelled, and with the last owner the gateway itself ends.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web
from omegaconf import OmegaConf

from clibench.errors import ClibenchError, StoreError
from clibench.llm.cache import AnswerCache, agent_key
from clibench.llm.client import CHARACTERS_PER_TOKEN, load_litellm
from clibench.llm.faults import CallError
from clibench.llm.gateway import translate
from clibench.llm.gateway.calls import Asked, Calls, error_body
from clibench.llm.gateway.runs import Run, RunClosedError, RunLimits, RunLog, account_json
from clibench.llm.gateway.runtime import GATEWAY_LOCK, end_held, remove_runtime
from clibench.llm.gateway.wire import WIRES, Body
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.models import resolve
from clibench.llm.settings import LlmSettings, ModelSettings

LINGER_S: Final = 3.0
"""How long it waits for a new owner after the last one has gone."""
KEEP_ALIVE_S: Final = 15.0
"""How often a held stream says that it is still there: agents give up on a silent one."""


class Server:
    """The process's state."""

    def __init__(self, runtime: Path, outputs: Path) -> None:
        self._runtime = runtime
        self._outputs = outputs
        self._ledger = Ledger(outputs / "ledger.jsonl")
        self._runs: dict[str, Run] = {}
        self._busy: dict[str, set[asyncio.Task[Any]]] = {}
        self._owners = 0
        self._unowned = asyncio.Event()
        self._url = ""
        self._calls: Calls | None = None

    async def serve(self, ready: int) -> None:
        """Serve until nobody owns it; a byte is written to the file descriptor `ready` when it can be connected to."""
        control_path, data_path = self._runtime / "control.sock", self._runtime / "llm" / "llm.sock"
        data_path.parent.mkdir(mode=0o755, exist_ok=True)
        for stale in (control_path, data_path):
            stale.unlink(missing_ok=True)
        async with _session(trust_env=False) as near, _session(trust_env=True) as far:
            self._calls = Calls(near, far, self._ledger)
            runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
            await runner.setup()
            control = await asyncio.start_unix_server(self._control, control_path)
            try:
                await web.UnixSite(runner, str(data_path)).start()
                data_path.chmod(0o666)  # the container's user is another one; what may be asked is decided by the token
                site = web.TCPSite(runner, "127.0.0.1", 0)
                await site.start()
                address = next(address for address in runner.addresses if isinstance(address, tuple))
                self._url = f"http://127.0.0.1:{address[1]}"
                os.write(ready, b"1")
                os.close(ready)
                async with self._unowned_for_good():
                    control.close()
                    await runner.cleanup()
                    remove_runtime(self._runtime)
            finally:
                control.close()
                await runner.cleanup()

    @asynccontextmanager
    async def _unowned_for_good(self) -> AsyncIterator[None]:
        """Waits until nobody owns it; within the block nobody can come to own it."""
        self._unowned.set()
        while True:
            await self._unowned.wait()
            await asyncio.sleep(LINGER_S)
            # A new owner is greeted while it holds the start lock: with the lock here and no owner, there is none on its way.
            with end_held(self._runtime) as free:
                if free and self._owners == 0:
                    yield
                    return

    # --- control -------------------------------------------------------------------------------------------------------------------------

    async def _control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._owners += 1
        self._unowned.clear()
        mine: set[str] = set()
        try:
            while line := await reader.readline():
                try:
                    answer = self._command(json.loads(line), mine)
                except ClibenchError as error:
                    answer = {"error": error.message, "exit_code": error.exit_code}
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            for token in mine:
                self._end(token)
            self._owners -= 1
            if self._owners == 0:
                self._unowned.set()
            writer.close()

    def _command(self, body: dict[str, Any], mine: set[str]) -> dict[str, Any]:
        if body["op"] == "hello":
            return {"hello": os.getpid()}
        if body["op"] == "register":
            run = self._register(body)
            mine.add(run.token)
            return {"token": run.token, "url": self._url, "socket": str(self._runtime / "llm"), "log": str(run.log.path)}
        run = self._runs[body["token"]]
        if body["op"] == "close":
            self._end(run.token)
        totals = self._ledger.totals("run", run.scope)
        return account_json(run, asdict(totals))

    def _register(self, body: dict[str, Any]) -> Run:
        llm: LlmSettings = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(LlmSettings), body["llm"]))  # type: ignore[assignment]
        model: ModelSettings = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(ModelSettings), body["model"]))  # type: ignore[assignment]
        scope = Scope(**body["scope"])
        run = Run(
            scope=scope,
            model=resolve(model),
            key=body["key"],
            settings=llm,
            limits=RunLimits(**body["limits"]),
            cache=AnswerCache(Path(llm.cache_dir or self._outputs / "llm_cache"), llm.cache, agent_key),
            log=RunLog(self._outputs / "gateway" / f"{scope.run}.jsonl"),
        )
        self._runs[run.token] = run
        self._busy[run.token] = set()
        return run

    def _end(self, token: str) -> None:
        self._runs[token].close("ended", "it has ended")
        self._runs[token].log.forget()
        for task in self._busy[token]:
            task.cancel()

    # --- data ----------------------------------------------------------------------------------------------------------------------------

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 28)
        for root in ("/v1", ""):
            app.router.add_post(f"{root}/chat/completions", self._handler("openai_chat"))
            app.router.add_post(f"{root}/responses", self._handler("openai_responses"))
            app.router.add_post(f"{root}/messages", self._handler("anthropic"))
            app.router.add_post(f"{root}/messages/count_tokens", self._count)
            app.router.add_get(f"{root}/models", self._models)
        for version in ("v1", "v1beta"):
            app.router.add_post(f"/{version}/models/{{model}}:{{method:generateContent|streamGenerateContent}}", self._handler("gemini"))
            app.router.add_post(f"/{version}/models/{{model}}:countTokens", self._count)
        return app

    def _handler(self, dialect: str) -> Any:
        async def handle(http: web.Request) -> web.StreamResponse:
            run = self._run_of(http)
            if run is None:
                return web.json_response(error_body(dialect, 401, "unknown token: ask the harness for one"), status=401)
            try:
                raw = await http.read()
                body = json.loads(raw)
                if not isinstance(body, dict):
                    raise ValueError("not an object")
            except ValueError:
                return web.json_response(error_body(dialect, 400, "the request is not a JSON object"), status=400)
            stream = bool(body.get("stream")) or http.match_info.get("method", "").startswith("stream")
            task = asyncio.current_task()
            assert task  # noqa: S101
            self._busy[run.token].add(task)
            try:
                return await Exchange(self, http, run, dialect, body, len(raw), stream=stream).answer()
            finally:
                self._busy[run.token].discard(task)

        return handle

    def _run_of(self, http: web.Request) -> Run | None:
        bearer = http.headers.get("Authorization", "").removeprefix("Bearer ")
        presented = http.headers.get("x-api-key") or http.headers.get("x-goog-api-key") or http.query.get("key") or bearer
        return self._runs.get(presented)

    async def _count(self, http: web.Request) -> web.Response:
        if self._run_of(http) is None:
            return web.json_response(error_body("anthropic", 401, "unknown token"), status=401)
        number = len(await http.read()) // CHARACTERS_PER_TOKEN
        return web.json_response({"input_tokens": number, "totalTokens": number})

    async def _models(self, http: web.Request) -> web.Response:
        run = self._run_of(http)
        if run is None:
            return web.json_response(error_body("openai_chat", 401, "unknown token"), status=401)
        entry = {"id": run.model.upstream_name, "object": "model", "created": 0, "owned_by": run.model.provider}
        return web.json_response({"object": "list", "data": [entry]})

    @property
    def calls(self) -> Calls:
        """The metered calls."""
        assert self._calls  # noqa: S101
        return self._calls

    @property
    def url(self) -> str:
        """Its own address on loopback."""
        return self._url


class Exchange:
    """One request of an agent and its answer."""

    def __init__(self, server: Server, http: web.Request, run: Run, dialect: str, body: Body, size: int, *, stream: bool) -> None:
        self._server = server
        self._http = http
        self._run = run
        self._dialect = dialect
        self._body = body
        self._size = size
        self._stream = stream
        self._response: web.StreamResponse | None = None

    async def answer(self) -> web.StreamResponse:
        """The whole exchange, faults worded in the agent's dialect."""
        direct = self._dialect == "openai_chat" or self._dialect in self._run.model.native
        try:
            return await (self._direct() if direct else self._translated())
        except RunClosedError as error:
            return self._failed(403, error.message)
        except CallError as error:
            # 403 where the run is closed with it: asking again would be of no use.
            status = 403 if self._run.closed_by else error.status if error.status is not None else 503
            return self._failed(status, error.message)
        except StoreError as error:
            self._run.close("outage", error.message, passing=error.passing)
            return self._failed(503, error.message)

    async def _direct(self) -> web.StreamResponse:
        live = self._stream and not self._run.settings.hold_streams
        told = self._http.headers.get(translate.SPOKEN_HEADER, "")
        spoken = told if told in WIRES else self._dialect  # an agent may send the header too
        asked = Asked(self._dialect, spoken, self._body, self._size, self._stream, self._http.headers, self._write if live else None)
        if not self._stream:
            return web.json_response((await self._server.calls.answer(self._run, asked)).body)
        task = asyncio.ensure_future(self._server.calls.answer(self._run, asked))
        try:
            while not (await asyncio.wait({task}, timeout=KEEP_ALIVE_S))[0]:
                await self._write(b": keep-alive\n\n")
            whole = task.result()
        finally:
            task.cancel()
        if not live:
            await self._write(b"".join(whole.events))
        return await self._finish()

    async def _translated(self) -> web.StreamResponse:
        self._run.check_open()
        await asyncio.to_thread(load_litellm)  # the first time takes seconds
        try:
            if not self._stream:
                return web.json_response(await translate.whole(self._run, self._server.url, self._dialect, self._body))
            async for event in translate.events(self._run, self._server.url, self._dialect, self._body):
                await self._write(event)
        except Exception as error:  # noqa: BLE001 - litellm's are of dozens of types
            self._run.check_open()
            return self._failed(translate.status_of(error), str(error).splitlines()[0][:500])
        return await self._finish()

    async def _write(self, data: bytes) -> None:
        if self._response is None:
            self._response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
            await self._response.prepare(self._http)
        await self._response.write(data)

    async def _finish(self) -> web.StreamResponse:
        if self._response is None:
            await self._write(b"")
        assert self._response  # noqa: S101
        await self._response.write_eof()
        return self._response

    def _failed(self, status: int, message: str) -> web.StreamResponse:
        if self._response is None:
            return web.json_response(error_body(self._dialect, status, message), status=status)
        if self._http.transport:
            self._http.transport.abort()  # a status can't be sent any more: the agent sees a broken stream
        return self._response


def _session(*, trust_env: bool) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), trust_env=trust_env)


def main(runtime: Path, outputs: Path, ready: int) -> None:
    """Run the process; ends at once where another one serves these outputs already."""
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    with (runtime / GATEWAY_LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(runtime, outputs, ready))


async def _serve(runtime: Path, outputs: Path, ready: int) -> None:
    await Server(runtime, outputs).serve(ready)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
