"""A scripted model: a real HTTP server on loopback that streams what a script says; it never thinks for itself.

It speaks the protocol of an OpenAI-compatible endpoint, so tests, notebooks and demonstrations go the same way as a
conversation with a real model, and it records what it was sent.
"""

from __future__ import annotations

import json
import re
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from .script import Call, Player, Scene, Script, Step, load

__all__ = ["Call", "Request", "Scene", "ScriptedModel", "Step", "load"]

Rule = Callable[[Mapping[str, Any]], str | None]
"""Says what is wrong with a request body, or None; ``status`` on the function is 400 where it has none."""


@dataclass(slots=True)
class Request:
    """What one request held and how its answer went; ``headers`` are without the authorization."""

    body: dict[str, Any]
    headers: dict[str, str]
    broke: str | None = None
    pieces_sent: int = 0
    client_gone: bool = False


class ScriptedModel:
    """Serves a script until it is closed.

    ``chunking`` is how a body is cut on the wire: ``event``, ``whole`` or ``byte:N``; ``delay_s`` passes before each
    piece and ``first_delay_s`` before the status line; ``end`` ``drop`` cuts the connection instead of ending it.
    A request that breaks one of ``rules`` is refused and takes no step.
    """

    model = "scripted"

    def __init__(
        self,
        script: Script,
        *,
        delay_s: float = 0.0,
        first_delay_s: float = 0.0,
        chunking: str = "event",
        end: str = "clean",
        rules: Sequence[Rule] = (),
    ) -> None:
        if not re.fullmatch(r"event|whole|byte:[1-9]\d*", chunking) or end not in ("clean", "drop"):
            raise ValueError(f"chunking {chunking!r} is event, whole or byte:N, and end {end!r} is clean or drop.")
        self.requests: list[Request] = []
        self.delay_s, self.first_delay_s = delay_s, first_delay_s
        self.chunking, self.end, self.rules = chunking, end, list(rules)
        self.closing = threading.Event()
        self._player = Player(script)
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """The address to give as ``base_url``; raises RuntimeError before ``start``."""
        if self._server is None:
            raise RuntimeError("The scripted model isn't running: call start(), or use it in a with statement.")
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> Self:
        """Serve from now on, on a port of its own of this machine."""
        if self._server is None:
            self.closing.clear()
            self._server = _Server(("127.0.0.1", 0), _Exchange)
            self._server.scripted = self
            threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def close(self) -> None:
        """Stop serving; answers under way break off."""
        server, self._server = self._server, None
        if server is not None:
            self.closing.set()
            server.shutdown()
            server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def record(self, request: Request) -> Step:
        """Note a request and return the step that answers it; a refusal where it broke a rule."""
        with self._lock:
            self.requests.append(request)
            for rule in self.rules:
                request.broke = rule(request.body)
                if request.broke is not None:
                    return Step(say=request.broke, status=getattr(rule, "status", 400))
            return self._player.answer(request.body)

    def pieces(self, data: bytes) -> list[bytes]:
        """Return a body as it is cut on the wire."""
        if self.chunking == "whole":
            return [data] if data else []
        if self.chunking == "event":
            return [piece for piece in re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)", data) if piece]
        size = int(self.chunking.removeprefix("byte:"))
        return [data[i : i + size] for i in range(0, len(data), size)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    scripted: ScriptedModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error here."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the caller uses
        """Say nothing: a notebook's cell is no place for an access log."""

    def do_GET(self) -> None:
        if self.path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": ScriptedModel.model, "object": "model"}]}
            self._whole(200, json.dumps(listed).encode(), {})
        else:
            self._whole(404, _error(f"nothing at {self.path}"), {})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        scripted = self.server.scripted
        if not self.path.partition("?")[0].endswith("/chat/completions"):
            self._whole(404, _error(f"nothing at {self.path}"), {})
            return
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() != "authorization"}
        request = Request(json.loads(data), headers)
        step = scripted.record(request)
        if self._left(request, scripted.first_delay_s):
            return
        if step.status != 200:
            self._whole(step.status, step.raw or _error(step.say), step.headers)
        else:
            self._stream(request, step.raw if step.raw is not None else b"".join(events(step, request.body)), step)

    def _stream(self, request: Request, data: bytes, step: Step) -> None:
        scripted = self.server.scripted
        try:
            self.send_response(200)
            for name, value in {"content-type": "text/event-stream", **step.headers}.items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in scripted.pieces(data):
                if self._left(request, scripted.delay_s):
                    return
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                request.pieces_sent += 1
            if scripted.end == "clean":
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True
        except OSError:
            request.client_gone = self.close_connection = True

    def _left(self, request: Request, seconds: float) -> bool:
        """Wait, and tell whether the client has hung up by then, or the script was closed."""
        waited, slice_s = 0.0, min(0.05, seconds)
        while not self.server.scripted.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], slice_s)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                request.client_gone = self.close_connection = True
                return True
            waited += slice_s
            if waited >= seconds:
                return False
        self.close_connection = True
        return True

    def _whole(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def events(step: Step, body: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield a step as the events of a stream."""
    yield _event({"role": "assistant", "content": ""})
    for piece in _cut(step.think, step.chunk_chars):
        yield _event({"reasoning_content": piece})
    for piece in _cut(step.say, step.chunk_chars):
        yield _event({"content": piece})
    for index, call in enumerate(step.calls):
        call_id = f"call_{len(body['messages'])}_{index}"
        function = {"name": call.name, "arguments": ""}
        yield _event({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})
        for piece in _cut(json.dumps(call.arguments, ensure_ascii=False), step.chunk_chars):
            yield _event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _event({}, step.finish or ("tool_calls" if step.calls else "stop"))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _line({**_envelope(), "choices": [], "usage": step.usage or _rough_usage(step, body)})
    yield b"data: [DONE]\n\n"


def _rough_usage(step: Step, body: Mapping[str, Any]) -> dict[str, int]:
    said = len(step.say) + len(step.think) + sum(len(json.dumps(dict(call.arguments))) for call in step.calls)
    asked, made = len(json.dumps(body["messages"])) // 4, said // 4
    return {"prompt_tokens": asked, "completion_tokens": made, "total_tokens": asked + made}


def _event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    return _line({**_envelope(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _envelope() -> dict[str, Any]:
    return {"id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0, "model": ScriptedModel.model}


def _line(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


def _cut(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]
