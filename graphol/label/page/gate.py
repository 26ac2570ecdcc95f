"""Who gets in: one check around the whole application, before anything of a request is believed.

A request is let through if its Host is ours (or else a name that leads to another machine today and
to this one tomorrow could read the page), if no other site sent it, if it knows the secret, and if
it is small. What is refused gets one line of JSON. Nothing here looks at the file system.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import attrs

from graphol.errors import one_line

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 64 * 1024
MOST_TARGET = 4096
"""Bytes of a body, and of a path with its query."""
PATIENCE = 10.0
"""Seconds until the whole body must be here."""
SAFE = ("GET", "HEAD")
METHODS = (*SAFE, "POST")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "")

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""With every answer, refusals included."""


class Refused(Exception):
    """A request that is not let in: its status, and one line."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Secret(NamedTuple):
    """What an address and a cookie must know; the one cannot be told from the other."""

    token: str
    cookie: str

    @classmethod
    def draw(cls) -> Secret:
        """256 bits each."""
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32))


@attrs.frozen
class Hosts:
    """Which names in the Host header are ours.

    >>> Hosts.of("127.0.0.1").welcome("localhost:80"), Hosts.of("127.0.0.1").welcome("evil.net")
    (True, False)
    """

    names: tuple[str, ...] = LOOPBACK
    addresses: bool = False
    """Is every numeric address ours? A number cannot be led elsewhere, as a name can."""

    @classmethod
    def of(cls, host: str, *more: str) -> Hosts:
        """Of a server that listens there."""
        own = () if host in ANY_ADDRESS else (f"[{host}]" if ":" in host else host.lower(),)
        return cls((*LOOPBACK, *own, *(name.lower() for name in more)), host in ANY_ADDRESS)

    def welcome(self, host: str) -> bool:
        """Is it one of these, with or without a port?"""
        name, colon, port = host.lower().rpartition(":")
        if not colon or host.endswith("]"):
            name, port = host.lower(), ""
        if port and not (port.isascii() and port.isdigit() and len(port) <= 5):
            return False
        return name in self.names or (self.addresses and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class Request(NamedTuple):
    """What the gate looks at."""

    method: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, list[str]]

    def only(self, name: str) -> str | None:
        """A header that may be there once."""
        found = self.headers.get(name, [])
        if len(found) > 1:
            raise Refused(400, f"the header {name} was sent {len(found)} times")
        return found[0] if found else None


@attrs.frozen(eq=False)
class Gate:
    """The application behind the checks.

    Parameters
    ----------
    app
        What answers, once a request is let in.
    secret
        What the address, a script's header or the browser's cookie must know.
    hosts
        The names by which this server may be called.
    cookie
        Its name; ports share cookies, so it holds the port.
    failed
        Told of whatever the application raises.
    """

    app: App
    secret: Secret
    hosts: Hosts
    cookie: str
    failed: Callable[[Exception], None] = lambda reason: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            raise RuntimeError(f"nothing but http is served here, got {scope['type']}")
        begun = False

        async def sealed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                have = {name for name, _ in message["headers"]}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [
                    *message["headers"], *(each for each in more if each[0] not in have)
                ]  # fmt: skip
            await send(message)

        try:
            request = _request(scope)
            self.check(request)
            entering = request.path == "/" and "token" in request.query
            if entering and request.headers.get("sec-fetch-site", ["none"])[0] in SAME:
                await self._answer(sealed, 303, b"", location="/", cookie=True)
                return
            body = await _body(request, receive)
            scope["graphol.entering"] = self.set_cookie if entering else None
            await self.app(scope, _again(body, receive), sealed)
        except Refused as reason:
            await self._refuse(sealed, reason, scope)
        except Exception as reason:
            self.failed(reason)
            if not begun:
                await self._refuse(sealed, Refused(500, "a bug of graphol; see stderr"), scope)

    def check(self, request: Request) -> None:
        """Raise :class:`Refused` unless the request may come in."""
        host, origin = request.only("host"), request.only("origin")
        if host is None or not self.hosts.welcome(host):
            raise Refused(421, "this server has another name; open the address that it printed")
        if request.method not in METHODS:
            raise Refused(405, f"{request.method[:20]} is not served here")
        if origin is not None and origin.lower() not in _own_origins(host):
            raise Refused(403, "a page of another site asked for this")
        site, mode = request.only("sec-fetch-site"), request.only("sec-fetch-mode")
        arriving = request.path == "/" and mode == "navigate" and request.method in SAFE
        if site is not None and site not in SAME and not arriving:
            raise Refused(403, "a page of another site asked for this")
        by_cookie = self._known(request)
        if request.method in SAFE:
            return
        if by_cookie and origin is None:
            raise Refused(403, "a request that changes something must say where it comes from")
        kind = (request.only("content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "the body must be JSON, with content-type: application/json")

    def _known(self, request: Request) -> bool:
        """Does it know the secret? True if by the cookie; refused if not at all."""
        bearer = request.only("authorization")
        if bearer is not None:
            scheme, _, given = bearer.partition(" ")
            if scheme.lower() == "bearer" and same(given.strip(), self.secret.token):
                return False
            raise Refused(401, "the token is another; see the address that was printed")
        if request.path == "/" and "token" in request.query:
            if same(request.query["token"], self.secret.token):
                return True
            raise Refused(401, "the token is another; open the address that was printed last")
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(request.only("cookie") or "")
        except CookieError:
            raise Refused(401, "the cookie cannot be read; open the address again") from None
        if self.cookie in jar and same(jar[self.cookie].value, self.secret.cookie):
            return True
        raise Refused(401, "a token is needed; open the address that was printed, as it is")

    @property
    def set_cookie(self) -> str:
        """The header that lets a browser in from now on."""
        return f"{self.cookie}={self.secret.cookie}; Path=/; HttpOnly; SameSite=Strict"

    async def _refuse(self, send: Send, reason: Refused, scope: Scope) -> None:
        text = json.dumps({"error": one_line(str(reason))})
        await self._answer(send, reason.status, text.encode(), close=reason.status >= 400)

    async def _answer(
        self, send: Send, status: int, body: bytes, *, location: str = "", cookie: bool = False,
        close: bool = False,
    ) -> None:  # fmt: skip
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        if location:
            headers["location"] = location
        if cookie:
            headers["set-cookie"] = self.set_cookie
        if close:
            headers["connection"] = "close"
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": body})


SAME = ("same-origin", "none")
"""Whom ``Sec-Fetch-Site`` may name: this page, or the user's own hand."""


def same(given: str, wanted: str) -> bool:
    """Are they equal? It takes as long wherever they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _own_origins(host: str) -> tuple[str, ...]:
    return f"http://{host.lower()}", f"https://{host.lower()}"


def _request(scope: Scope) -> Request:
    raw, query = scope.get("raw_path") or scope["path"].encode(), scope["query_string"]
    if len(raw) + len(query) > MOST_TARGET:
        raise Refused(414, f"the address is longer than {MOST_TARGET} bytes")
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    try:
        given = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise Refused(400, "the query of the address cannot be read") from None
    return Request(scope["method"], scope["path"], dict(given), headers)


async def _body(request: Request, receive: Receive) -> bytes:
    """All of it; no more than is allowed is ever held."""
    said = request.only("content-length")
    if said is not None and not (said.isascii() and said.isdigit()):
        raise Refused(400, "content-length is no number")
    if said is not None and (len(said) > 9 or int(said) > MOST_BODY):
        raise Refused(413, f"a request may have {MOST_BODY} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "the request ended in the middle")
                body += message.get("body", b"")
                if len(body) > MOST_BODY:
                    raise Refused(413, f"a request may have {MOST_BODY} bytes")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, f"the request was not here after {PATIENCE:g} seconds") from None


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, then what the server says."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
