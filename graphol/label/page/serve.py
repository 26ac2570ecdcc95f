"""The server: a socket, a thread, and impatience with whoever does not get to the point."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphol.errors import UsageError, one_line
from graphol.label.page.app import application
from graphol.label.page.gate import ANY_ADDRESS, PATIENCE, Hosts, Secret
from graphol.label.session import Session

PORT = 8765
"""Where it listens unless it is taken: answers that wait in a browser find their way back."""
MOST_HEAD = 16 * 1024
"""Bytes of the line and the headers of a request."""
MOST_CONNECTIONS = 100


class Impatient(H11Protocol):
    """Ends a connection on which no whole request head comes, and any beyond the most there are."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The first request must come soon."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """So must the rest of one that has begun."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, reason: Exception | None) -> None:
        """Nothing to wait for."""
        self._stop_waiting()
        super().connection_lost(reason)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(PATIENCE, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.conn.their_state is h11.IDLE:
            self.transport.abort()


class Serving:
    """A session on a port, until it is stopped.

    Parameters
    ----------
    session
        What is served.
    host, port
        Where; without a port, one that is free.
    failed
        Told in one line of a bug.
    """

    def __init__(
        self,
        session: Session,
        host: str = "127.0.0.1",
        port: int | None = None,
        *,
        failed: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.session, self.secret, self.host = session, Secret.draw(), host
        self._socket = listening(host, port)
        self.port: int = self._socket.getsockname()[1]
        named = () if host not in ANY_ADDRESS else (socket.gethostname(),)
        app = application(
            session, self.secret, hosts=Hosts.of(host, *named), port=self.port, failed=failed
        )
        for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        config = uvicorn.Config(
            app, http=Impatient, ws="none", lifespan="off", loop="asyncio", log_config=None,
            access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=15,
            timeout_graceful_shutdown=1, h11_max_incomplete_event_size=MOST_HEAD, backlog=128,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """What to open, the token included."""
        return f"{self.origin}/?token={self.secret.token}"

    @property
    def origin(self) -> str:
        """The same without path and token."""
        host = "127.0.0.1" if self.host in ANY_ADDRESS else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def _run(self) -> None:
        asyncio.run(self._server.serve([self._socket]))

    def wait(self) -> None:
        """Until the server ends, or Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def stop(self) -> None:
        """No more requests; those under way get a second. The session stays open."""
        self._server.should_exit = True
        self._thread.join(5.0)
        if not self._thread.is_alive():  # or else the server is still at it, and closes it
            self._socket.close()


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens; on the usual port, or any that is free."""
    try:
        family = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM)[0][0]
    except OSError as reason:
        raise UsageError(
            f"--host {host} is no address of this machine: {reason.strerror}"
        ) from None
    for each in (PORT, 0) if port is None else (port,):
        try:
            return socket.create_server((host, each), family=family, backlog=128)
        except OSError as reason:
            taken = reason.errno == errno.EADDRINUSE
            if taken and port is None:
                continue
            said = "it is taken; leave --port out, or name another" if taken else os.strerror(
                reason.errno or 0
            )  # fmt: skip
            raise UsageError(one_line(f"cannot listen on {host} port {each}: {said}")) from None
    raise UsageError(f"no port of {host} is free")
