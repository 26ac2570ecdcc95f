"""The application: the page's own four files, and the routes of the JSON interface."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphol.errors import GrapholError, InputError, in_one_line, one_line
from graphol.label.page.gate import App, Gate, Hosts, Secret
from graphol.label.page.routes import ROUTES, Asked, Download, Endpoint
from graphol.label.session import Session

OWN = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/draw.js": ("draw.js", "text/javascript; charset=utf-8"),
    "/talk.js": ("talk.js", "text/javascript; charset=utf-8"),
}
"""Every file that is served, by its address: read once, when the server starts."""


def application(
    session: Session,
    secret: Secret,
    *,
    hosts: Hosts | None = None,
    port: int = 0,
    failed: Callable[[str], None] = lambda text: None,
) -> App:
    """The session behind its gate.

    Parameters
    ----------
    session
        Whose project it is.
    secret
        What a request must know.
    hosts
        By which names the server may be called; by default those of this machine to itself.
    port
        Of the server; cookies are named after it.
    failed
        Told in one line of a bug.
    """
    routes = [_own(address, *each) for address, each in OWN.items()]
    routes += [_route(session, f"graphol_name_{port}", each, failed) for each in ROUTES]
    inner = Starlette(routes=routes, exception_handlers={HTTPException: _nothing_here})
    inner.router.redirect_slashes = False
    return Gate(
        inner,
        secret,
        hosts or Hosts(),
        f"graphol_{port}",
        lambda reason: failed(f"a request failed: {in_one_line(reason)}"),
    )


def _own(address: str, name: str, kind: str) -> Route:
    content = (files(__package__) / name).read_bytes()

    async def give(request: Request) -> Response:
        found = Response(content, media_type=kind)
        if cookie := request.scope.get("graphol.entering"):
            found.headers["set-cookie"] = cookie
        return found

    return Route(address, give, methods=["GET"])


def _route(
    session: Session, cookie: str, endpoint: Endpoint, failed: Callable[[str], None]
) -> Route:
    async def answer(request: Request) -> Response:
        try:
            given = _body(await request.body()) if endpoint.method == "POST" else {}
            for key, value in request.query_params.multi_items():
                given.setdefault(key, value)
            usual = _named(request.cookies.get(cookie, "")) or session.default_annotator
            name = given.pop("annotator", None)
            asked = Asked(given, usual if name is None else name)
            found = await run_in_threadpool(endpoint.answer, session, asked)
        except InputError as reason:
            return _json({"error": one_line(str(reason))}, 503)  # a file that is busy: try again
        except GrapholError as reason:
            return _json({"error": one_line(str(reason))}, 400)
        except Exception as reason:
            failed(f"{endpoint.path} failed: {in_one_line(reason)}")
            return _json({"error": "a bug of graphol; see stderr"}, 500)
        if isinstance(found, Download):
            return _download(found)
        answered = _json(found)
        if asked.renamed is not None:
            answered.headers["set-cookie"] = (
                f"{cookie}={quote(asked.renamed, safe='')}; Path=/; HttpOnly; SameSite=Strict; "
                "Max-Age=31536000"
            )
        return answered

    return Route(endpoint.path, answer, methods=[endpoint.method])


def _body(raw: bytes) -> dict[str, Any]:
    """An object of JSON; whatever else it is becomes one line."""
    try:
        found = json.loads(raw or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise GrapholError("the body is not JSON that can be read") from None
    if not isinstance(found, dict):
        raise GrapholError("the body must be an object of JSON, such as {}")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(text)


def _named(cookie: str) -> str | None:
    try:
        return unquote(cookie, errors="strict") or None
    except UnicodeDecodeError:
        return None


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value, allow_nan=False), status, media_type="application/json")


def _download(found: Download) -> Response:
    """A file for the user to keep, or a picture; neither can run anything."""
    response = Response(found.content, media_type=found.kind)
    response.headers["content-security-policy"] = "default-src 'none'; sandbox"
    if found.name:
        response.headers["content-disposition"] = (
            f"attachment; filename*=UTF-8''{quote(found.name, safe='')}"
        )
    return response


async def _nothing_here(request: Request, reason: Exception) -> Response:
    status = getattr(reason, "status_code", 404)
    text = "there is nothing here; GET /api lists what there is"
    return _json({"error": text if status == 404 else "not this way; GET /api says how"}, status)
