"""The process as a client of its own kernel: it knocks on the shell and hears the outputs; it never runs code."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import zmq

from .collector import Collector

REQUEST = "nephele_nb_run_request"
END = "nephele_nb_run_end"
_HELLO = "nephele_nb_hello"
_TOPIC = b"nephele_nb"
_JOIN_S = 5.0


class SelfClient:
    """Two sockets of our own to the kernel we live in, opened when first needed."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._lock = threading.Lock()
        self._client: Any = None
        self._shell: Any = None
        self._joined = threading.Event()
        self._closed = False
        self._collectors: dict[str, Collector] = {}

    def knock(self, job_id: str) -> None:
        """Ask for the main thread, behind what waits there already; our own message type is not aborted by errors."""
        self._open()
        with self._lock:
            self._client.session.send(self._shell, REQUEST, {"job": job_id})

    def header(self, collector: Collector) -> dict[str, Any]:
        """Return a parent message for one run; outputs published under it go to the collector alone."""
        self._open()
        message: dict[str, Any] = self._kernel.session.msg("execute_request", {"code": "", "silent": False})
        self._collectors[message["header"]["msg_id"]] = collector
        return message

    def forget(self, parent: Mapping[str, Any]) -> None:
        """Stop listening for one run; what it publishes later reaches nobody."""
        self._collectors.pop(parent["header"]["msg_id"], None)

    def end(self, parent: Mapping[str, Any]) -> None:
        """Publish the mark behind which no output of a run comes any more."""
        self._publish(END, parent)

    def close(self) -> None:
        """Let the listener end and close the sockets."""
        self._closed = True
        with self._lock:
            if self._shell is not None:
                self._shell.close(linger=0)

    def _open(self) -> None:
        with self._lock:
            if self._client is not None:
                return
            self._client = self._connect()
            self._shell = self._client.connect_shell()
            heard = self._client.connect_iopub()
            heard.setsockopt(zmq.RCVTIMEO, 1000)
            threading.Thread(target=self._listen, args=(heard,), name="nephele-outputs", daemon=True).start()
        self._greet()

    def _connect(self) -> Any:
        from ipykernel import get_connection_file
        from jupyter_client.blocking.client import BlockingKernelClient

        context: zmq.Context[Any] = zmq.Context()
        # A slow listener must not lose outputs: nothing is dropped on our side of the channel.
        context.setsockopt(zmq.RCVHWM, 0)
        client = BlockingKernelClient(connection_file=get_connection_file(), context=context)
        client.load_connection_file()
        return client

    def _greet(self) -> None:
        """Publish until the listener hears it: a subscription takes a moment to reach the kernel."""
        parent = self._kernel.session.msg(_HELLO, {})
        deadline = time.monotonic() + _JOIN_S
        while not self._joined.is_set() and time.monotonic() < deadline:
            self._publish(_HELLO, parent)
            self._joined.wait(0.02)

    def _publish(self, kind: str, parent: Mapping[str, Any]) -> None:
        session = self._kernel.session
        session.send(self._kernel.iopub_socket, kind, {"id": uuid4().hex}, parent=parent, ident=_TOPIC)

    def _listen(self, socket: Any) -> None:
        session = self._client.session
        while not self._closed:
            try:
                _, frames = session.feed_identities(socket.recv_multipart(copy=True))
            except zmq.Again:
                continue
            self._joined.set()
            # Most of what is published is the user's own: only the parent's id is read of that.
            if len(frames) < 5 or not any(key.encode() in frames[2] for key in list(self._collectors)):
                continue
            self._deliver(session.deserialize(frames))
        socket.close(linger=0)

    def _deliver(self, message: Mapping[str, Any]) -> None:
        collector = self._collectors.get(message["parent_header"].get("msg_id", ""))
        if collector is None:
            return
        if message["msg_type"] == END:
            collector.end()
        else:
            collector.hear(message["msg_type"], message["content"])
