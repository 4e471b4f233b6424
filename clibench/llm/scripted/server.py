"""The scripted server itself: HTTP on loopback in a thread of its own, faults included, with an exact account of what it was asked.

`ScriptedServer.calls` is the first of the sources that a bill must agree with: the provider's own count.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import web

from clibench.llm.scripted.actions import calls_for
from clibench.llm.scripted.dialects import DIALECTS, Dialect, Request, encode_event
from clibench.llm.scripted.script import Fault, Reply, Script, Scripts, Turn, count_tokens

_REFUSING: Final = ("rate_limit", "server_error", "auth")


@dataclass(frozen=True)
class ServedCall:
    """One request as the server saw it. Tokens are counted only where an answer was sent in full."""

    dialect: str
    model: str
    script: str
    turn: int
    stream: bool
    fault: str
    """Kind of the fault played, empty for a good answer."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0


class ScriptedServer:
    """Plays `scripts` on 127.0.0.1. A context manager; `url` is the OpenAI base URL (ends in /v1), `root` the others'."""

    def __init__(self, scripts: Scripts, *, host: str = "127.0.0.1", port: int = 0, delay_s: float = 0.0) -> None:
        self._scripts = scripts
        self._host = host
        self._port = port
        self._delay_s = delay_s
        self._asked: Counter[tuple[str, str, int]] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._released: asyncio.Event | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self.calls: list[ServedCall] = []
        self.keys: set[str] = set()
        """Every API key that was presented, in whatever header."""
        self.requests: list[dict[str, Any]] = []
        """Every request body, as parsed."""

    @property
    def root(self) -> str:
        """`http://host:port`, for Anthropic and Gemini clients."""
        return f"http://{self._host}:{self._port}"

    @property
    def url(self) -> str:
        """`http://host:port/v1`, for OpenAI clients."""
        return f"{self.root}/v1"

    def totals(self) -> dict[str, int]:
        """Sums over all calls."""
        names = ("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens")
        return {"calls": len(self.calls)} | {name: sum(getattr(call, name) for call in self.calls) for name in names}

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._serve, name="scripted-model-server", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure:
            raise self._failure
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._loop and self._thread and self._released  # noqa: S101
        self._loop.call_soon_threadsafe(self._released.set)
        self._thread.join()

    def wait(self) -> None:
        """Block until the server ends (it does so at exit of the context, or with the process)."""
        assert self._thread  # noqa: S101
        while self._thread.is_alive():
            self._thread.join(0.5)

    def _serve(self) -> None:
        self._loop = asyncio.new_event_loop()
        try:
            self._loop.run_until_complete(self._main())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits for us
            self._failure = error
        finally:
            self._loop.close()
            self._ready.set()

    async def _main(self) -> None:
        self._released = asyncio.Event()
        app = web.Application(client_max_size=1 << 28)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._handler("openai_chat")),
                web.post("/chat/completions", self._handler("openai_chat")),
                web.post("/v1/responses", self._handler("openai_responses")),
                web.post("/v1/messages", self._handler("anthropic")),
                web.post("/v1/messages/count_tokens", self._count),
                web.post("/{version:v1|v1beta}/models/{model}:{method:generateContent|streamGenerateContent}", self._gemini),
                web.post("/{version:v1|v1beta}/models/{model}:countTokens", self._count),
                web.get("/v1/models", self._models),
                web.get("/scripted/totals", self._totals),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2, handler_cancellation=True)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._host, self._port)
            await site.start()
            self._port = runner.addresses[0][1]
            self._ready.set()
            await self._released.wait()
        finally:
            await runner.cleanup()

    def _handler(self, dialect: str) -> Any:
        async def handle(http: web.Request) -> web.StreamResponse:
            body = await http.json()
            return await self._answer(http, DIALECTS[dialect], body)

        return handle

    async def _gemini(self, http: web.Request) -> web.StreamResponse:
        body = {**await http.json(), "model": http.match_info["model"], "stream": http.match_info["method"].startswith("stream")}
        return await self._answer(http, DIALECTS["gemini"], body)

    async def _count(self, http: web.Request) -> web.Response:
        number = count_tokens(json.dumps(await http.json()))
        return web.json_response({"input_tokens": number, "totalTokens": number})

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "clibench"}]})

    async def _totals(self, _: web.Request) -> web.Response:
        return web.json_response(self.totals())

    async def _answer(self, http: web.Request, dialect: Dialect, body: dict[str, Any]) -> web.StreamResponse:
        request = dialect.read(body)
        self.requests.append(body)
        key = _key(http)
        self.keys.add(key)
        script = self._choose(request)
        if script is None:
            self.calls.append(ServedCall(request.dialect, request.model, "", 0, request.stream, "no script"))
            return web.json_response(dialect.error(400, "no script fits this request"), status=400)
        place, turn = script.turn(request.answers)
        fault = self._fault(key, script, place, turn)
        if self._delay_s:
            await asyncio.sleep(self._delay_s)
        if fault and fault.kind in _REFUSING:
            return self._refuse(dialect, request, script, place, fault)
        reply = _reply(request, turn, malformed=bool(fault and fault.kind == "malformed_tool_call"), number=len(self.calls))
        if fault and fault.kind != "malformed_tool_call":
            self.calls.append(ServedCall(request.dialect, request.model, script.name, place, request.stream, fault.kind))
            return await self._break(http, dialect, request, reply, fault)
        self.calls.append(
            ServedCall(
                request.dialect,
                request.model,
                script.name,
                place,
                request.stream,
                fault.kind if fault else "",
                reply.prompt_tokens,
                reply.cached_tokens,
                reply.completion_tokens,
                reply.reasoning_tokens,
            )
        )
        if not request.stream:
            return web.json_response(dialect.whole(reply))
        response = await _stream(http)
        await response.write(b"".join(encode_event(event) for event in dialect.events(reply)))
        await response.write_eof()
        return response

    def _choose(self, request: Request) -> Script | None:
        fitting = (
            script for script in self._scripts.scripts if script.fits(text=request.text, model=request.model, tools=bool(request.tools))
        )
        return next(fitting, None)

    def _fault(self, key: str, script: Script, place: int, turn: Turn) -> Fault | None:
        if turn.fault is None:
            return None
        self._asked[key, script.name, place] += 1
        return turn.fault if turn.fault.times < 0 or self._asked[key, script.name, place] <= turn.fault.times else None

    def _refuse(self, dialect: Dialect, request: Request, script: Script, place: int, fault: Fault) -> web.Response:
        status = {"rate_limit": 429, "auth": 401}.get(fault.kind, fault.status)
        headers = {"Retry-After": f"{fault.retry_after:g}"} if fault.retry_after is not None else {}
        self.calls.append(ServedCall(request.dialect, request.model, script.name, place, request.stream, fault.kind))
        return web.json_response(dialect.error(status, f"scripted fault: {fault.kind}"), status=status, headers=headers)

    async def _break(self, http: web.Request, dialect: Dialect, request: Request, reply: Reply, fault: Fault) -> web.StreamResponse:
        if fault.kind == "garbage":
            return web.Response(text="<html>upstream says hello</html>", content_type="application/json")
        response: web.StreamResponse
        if request.stream:
            response = await _stream(http)
            await response.write(encode_event(dialect.events(reply)[0]))
        else:
            response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "100000"})
            await response.prepare(http)
            await response.write(json.dumps(dialect.whole(reply)).encode()[:20])
        if fault.kind == "stall":
            assert self._released  # noqa: S101
            await self._released.wait()
        if http.transport:
            http.transport.abort()
        return response


def _reply(request: Request, turn: Turn, *, malformed: bool, number: int) -> Reply:
    text, tools = calls_for(turn, request.tools, request.text)
    finish: Any = "refusal" if turn.refusal else "tool" if tools else "stop"
    if turn.cut_at is not None:
        text, finish = text[: turn.cut_at], "length"
    said = text + "".join(json.dumps(call.arguments) for call in tools)
    usage = turn.usage
    completion = count_tokens(said) + usage.reasoning_tokens if usage.completion_tokens is None else usage.completion_tokens
    return Reply(
        id=f"s{number}",
        model=request.model,
        text=text,
        tools=tools,
        finish=finish,
        prompt_tokens=count_tokens(request.text) if usage.prompt_tokens is None else usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=completion,
        reasoning_tokens=usage.reasoning_tokens,
        malformed=malformed,
    )


def _key(http: web.Request) -> str:
    bearer = http.headers.get("Authorization", "").removeprefix("Bearer ")
    return http.headers.get("x-api-key") or http.headers.get("x-goog-api-key") or http.query.get("key") or bearer


async def _stream(http: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(http)
    return response


def serve(scripts: Scripts, *, host: str, port: int) -> None:
    """Serve until interrupted; the URL is printed first. For `python -m clibench scripted`."""
    with ScriptedServer(scripts, host=host, port=port) as server:
        print(server.url, flush=True)  # noqa: T201 - the address is this command's output
        try:
            server.wait()
        except KeyboardInterrupt:
            return
