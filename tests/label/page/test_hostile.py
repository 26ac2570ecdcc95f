"""Requests of somebody who should not come in: none does, none is obeyed, none breaks anything."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import socket
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from graphol.label.page.gate import MOST_BODY, Hosts
from tests.label.page.conftest import EVIL

BODY = json.dumps(
    {"node": "n5", "kind": "label", "value": "tea", "token": "token-hostile", "annotator": "eve"}
).encode()
JSON = {"Content-Type": "application/json"}


class Attempt(NamedTuple):
    """One hostile request, and what it may be answered with."""

    name: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    allowed: tuple[int, ...]


def wrong_tokens(served) -> Iterator[Attempt]:
    token, cookie = served.secret.token, served.secret.cookie
    port = served.port
    odd = (
        "", "x", token[:-1], token + "x", token.swapcase(), cookie, "null", "undefined", "é" * 40,
        token[::-1], "0" * len(token), "A" * 5000, "../" * 20, "' OR 1=1 --", "%00",
        token.encode().hex(),
    )  # fmt: skip
    for k, each in enumerate(odd):
        latin = each.encode().decode("latin-1")
        for name, headers, path in (
            ("bearer", {"Authorization": f"Bearer {latin}"}, "/api/answer"),
            ("basic", {"Authorization": f"Basic {token}"}, "/api/answer"),
            ("cookie", {"Cookie": f"graphol_{port}={latin}"}, "/api/answer"),
            ("other cookie", {"Cookie": f"graphol_{port + 1}={cookie}"}, "/api/answer"),
            ("query", {}, f"/api/answer?token={token}"),
        ):
            yield Attempt(
                f"token {k} {name}", "POST", path, headers | JSON, BODY, (400, 401, 403, 414, 431)
            )
        if each.isascii() and " " not in each and len(each) < 1000:
            yield Attempt(f"address {k}", "GET", f"/?token={each}", {}, None, (400, 401))
    yield Attempt("none", "POST", "/api/answer", JSON, BODY, (401,))


def foreign_pages(served) -> Iterator[Attempt]:
    cookie = {"Cookie": f"graphol_{served.port}={served.secret.cookie}"} | JSON
    own = f"127.0.0.1:{served.port}"
    for origin in (
        "http://evil.net", "https://evil.net", "null", "", f"http://{own}.evil.net",
        f"http://evil.net:{served.port}", f"http://localhost:{served.port}",
        f"http://127.0.0.1:{served.port + 1}", "http://127.0.0.1", f"ftp://{own}", f"//{own}",
        f"http://{own}/", f"http://user@{own}", f"http://{own}, http://evil.net", "file://",
        "chrome-extension://abcdef", f"http://{own}%00", "http://[::1]", f"ws://{own}", own,
    ):  # fmt: skip
        for method, path in (
            ("POST", "/api/answer"),
            ("POST", "/api/classes"),
            ("GET", "/api/next"),
        ):
            body = BODY if method == "POST" else None
            yield Attempt(
                f"origin {origin!r} {path}", method, path, cookie | {"Origin": origin}, body, (403,)
            )
    for site in ("cross-site", "same-site", "nonsense"):
        yield Attempt(
            f"site {site}", "GET", "/api/export", cookie | {"Sec-Fetch-Site": site}, None, (403,)
        )
    yield Attempt("no origin", "POST", "/api/undo", cookie, BODY, (403,))
    fine = cookie | {"Origin": f"http://{own}"}
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        yield Attempt(
            f"form {kind}", "POST", "/api/answer", fine | {"Content-Type": kind}, BODY, (415,)
        )


def other_names(served) -> Iterator[Attempt]:
    """What a name that leads here today would send, with all that a browser knows."""
    known = {"Authorization": f"Bearer {served.secret.token}"} | JSON
    for host in (
        "evil.net", f"evil.net:{served.port}", "localhost.evil.net", "127.0.0.1.evil.net",
        "evil.net@127.0.0.1", "0.0.0.0", "127.0.0.2", "[::2]", "127.1", "2130706433", "", " ",
        "localhost:port", "localhost:999999", "127.0.0.1,evil.net", "LOCALHOST.", "[::1", "::1",
        "127.0.0.1:80:80", "example.org#127.0.0.1", "\xe9vil.net",
    ):  # fmt: skip
        for method, path in (("POST", "/api/answer"), ("GET", "/api/next"), ("GET", "/")):
            body = BODY if method == "POST" else None
            yield Attempt(
                f"host {host!r} {path}", method, path, known | {"Host": host}, body, (400, 421)
            )


def paths(served) -> Iterator[Attempt]:
    known = {"Authorization": f"Bearer {served.secret.token}"}
    for path in (
        "/../../../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/page.css/../../gate.py", "/page.html", "/gate.py", "/static/../gate.py",
        "/..\\..\\windows\\win.ini", "/page.js%00.png", "/file:///etc/passwd", "/.git/config",
        "/api/../gate.py", "/api/picture/../../etc/passwd", "http://evil.net/api/next", "/.env",
        "/%ff%fe", "/api/next/", "/API/NEXT", "/api//next", "/p.graphol", "/api/next;x=1", "*",
        "/%c0%ae%c0%ae/etc/passwd", "/api/" + "a" * 3000, "/" + "a/" * 1500, "/" + "%41" * 3000,
    ):  # fmt: skip
        yield Attempt(f"path {path[:40]}", "GET", path, known, None, (400, 404, 414, 421, 431))
    for node in (
        "../../../../etc/passwd", "/etc/passwd", "a.png", "..%2fsecret.png", "secret.png", "n3",
        "pictures%2fa.png", "%00", "n1%00.png", "file:%2f%2f%2fetc%2fpasswd", "n1%0d%0aX: y",
    ):  # fmt: skip
        yield Attempt(
            f"picture {node}",
            "GET",
            f"/api/picture?node={node.replace(' ', '%20')}",
            known,
            None,
            (400,),
        )
    for what in (
        "../labels",
        "labels%00",
        "sqlite_master",
        "%27%3BDROP%20TABLE%20event",
        "__init__",
    ):
        yield Attempt(f"export {what}", "GET", f"/api/export?what={what}", known, None, (400,))
    for number in ("-1", "1e9", "1 OR 1=1", "99999999999999999999", "0x10", "", "NaN", "%D9%A1"):
        yield Attempt(
            f"events {number}",
            "GET",
            f"/api/events?after={number.replace(' ', '%20')}",
            known,
            None,
            (400,),
        )


def bodies(served) -> Iterator[Attempt]:
    known = {"Authorization": f"Bearer {served.secret.token}"} | JSON
    for k, body in enumerate(
        (
            b"", b"[]", b"null", b"1", b'"x"', b"{", b"{}" * 100, b"\xff\xfe", b"[" * 60_000,
            b'{"node":' * 5000, b'{"node": NaN}', b'{"node": Infinity}', b'{"node": 1e999}',
            b'{"node": ' + b"9" * 10_000 + b"}", b'{"node": "\\ud800"}', b"\x00" * 1000,
            b'{"node": {"$ne": null}}', b'{"node": ["n0"]}', b'{"node": true}', b"<xml/>",
            b'{"kind": "label", "value": {"a": 1}, "node": "n0", "token": "token-body"}',
            b'{"kind": "bit", "value": ["tea", 1], "node": "n0", "token": "token-body"}',
            b'{"kind": "label", "value": 10000, "node": "n0", "token": "token-body"}',
            b'{"kind": "label", "value": "tea", "node": "n0", "token": "' + b"x" * 60_000 + b'"}',
            b'{"kind": "label", "value": "tea", "node": "n0", "token": "a\\u0000bcdefgh"}',
            b'{"kind": ["label"], "value": "tea", "node": "n0", "token": "token-body"}',
            b'{"kind": "undo", "value": null, "node": "n0", "token": "token-body"}',
            b'{"kind": "skip", "node": "n0", "token": "token-body", "annotator": {"a": "b"}}',
            b'{"kind": "skip", "node": "n0", "token": "token-body", "annotator": "\\ud800"}',
            b'{"kind": "skip", "node": "n0", "token": "token-body", "annotator": "%s"}'
            % (b"x" * 999),
        )
    ):  # fmt: skip
        yield Attempt(f"body {k}", "POST", "/api/answer", known, body, (400,))
    for size in (MOST_BODY + 1, 10 * MOST_BODY):
        yield Attempt(f"size {size}", "POST", "/api/answer", known, b" " * size, (413,))
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "GRAPHOL", "get"):
        yield Attempt(f"method {method}", method, "/api/next", known, None, (400, 405))
    for path in ("/api/next", "/page.css", "/"):
        yield Attempt(f"post {path}", "POST", path, known, b"{}", (405,))
    yield Attempt("get answer", "GET", "/api/answer?node=n0&kind=skip", known, None, (405,))
    for name in ("", " ", EVIL + "\n", "a\x00b", "\u202eevil", "x" * 201):
        body = json.dumps({"name": name, "token": "token-class"}).encode()
        yield Attempt(f"class {name[:8]!r}", "POST", "/api/classes", known, body, (400,))


def test_three_hundred_hostile_requests(served):
    """Nothing of them is in the log, and the page goes on."""
    attempts = [
        each
        for part in (wrong_tokens, foreign_pages, other_names, paths, bodies)
        for each in part(served.serving)
    ]
    assert len(attempts) >= 300
    before, seen = served.get("/api/events?limit=1")["last"], []
    for each in attempts:
        try:
            found = served.ask(each.method, each.path, each.body, each.headers)
        except (http.client.HTTPException, ConnectionError) as reason:
            if isinstance(reason, ValueError):
                raise
            seen.append(each.name)  # the server hung up, which is an answer too
            continue
        assert found.status in each.allowed, (each.name, found)
        said = found.body.decode()
        for secret in (served.serving.secret.token, served.serving.secret.cookie, "root:"):
            assert secret not in said, each.name
        assert "Traceback" not in said and "/site-packages/" not in said
        if found.body and found.headers.get("content-type") == "application/json":
            assert set(found.json) == {"error"} and "\n" not in found.json["error"], each.name
            assert found.headers["x-content-type-options"] == "nosniff"
    assert len(seen) <= 20, seen
    assert served.get("/api/events?limit=1")["last"] == before


def test_no_byte_is_obeyed_that_is_no_http(served):
    for raw in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n",
        b"\r\n" * 100, b"\x00" * 999,
        b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Content-Length: 9\r\n\r\n",
        b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /api/next HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        b"Connection: upgrade\r\n\r\n",
    ):  # fmt: skip
        with socket.create_connection(("127.0.0.1", served.serving.port), timeout=10) as wire:
            try:
                wire.sendall(raw)
                wire.shutdown(socket.SHUT_WR)
                head = wire.recv(1000)
            except ConnectionError:
                continue
            assert head == b"" or int(head.split()[1]) >= 400, (raw[:50], head)
    assert served.get("/api/classes")


def test_a_hundred_megabytes_are_not_read(served):
    """Neither announced nor in pieces that do not say how many they are."""
    head = (
        f"POST /api/answer HTTP/1.1\r\nHost: {served.host}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {served.serving.secret.token}\r\n"
    ).encode()
    piece = b"%x\r\n%s\r\n" % (65536, b" " * 65536)
    for how, part in (
        (b"Content-Length: 100000000", b" " * 65536),
        (b"Transfer-Encoding: chunked", piece),
    ):
        with socket.create_connection(("127.0.0.1", served.serving.port), timeout=10) as wire:
            wire.sendall(head + how + b"\r\n\r\n")
            sent, said = 0, b""
            with contextlib.suppress(ConnectionError):
                while sent < 100_000_000:
                    wire.sendall(part)
                    sent += 65536
            with contextlib.suppress(ConnectionError):
                said = wire.recv(1000)
            assert sent < 20_000_000 and (said == b"" or b"413" in said.split(b"\r\n")[0])
    assert served.get("/api/classes")


def test_slow_and_idle_connections_are_ended(served, monkeypatch):
    monkeypatch.setattr("graphol.label.page.serve.PATIENCE", 0.2)
    monkeypatch.setattr("graphol.label.page.gate.PATIENCE", 0.2)
    token = served.serving.secret.token
    half = f"POST /api/answer HTTP/1.1\r\nHost: {served.host}\r\n"
    for sent in (
        "", "GET / HTT", half, half + f"Authorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    ):  # fmt: skip
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", served.serving.port), timeout=10) as wire:
            wire.sendall(sent.encode())
            said = wire.recv(1000)
            assert said == b"" or b" 408 " in said.split(b"\r\n")[0]
            assert time.monotonic() - begin < 5


def test_many_connections_do_not_keep_others_out_for_long(served, monkeypatch):
    monkeypatch.setattr("graphol.label.page.serve.PATIENCE", 0.3)
    wires = [
        socket.create_connection(("127.0.0.1", served.serving.port), timeout=10) for _ in range(150)
    ]
    try:
        for _ in range(50):
            try:
                assert served.get("/api/classes")
                break
            except (ConnectionError, http.client.HTTPException):
                time.sleep(0.1)
        else:
            pytest.fail("nobody gets in any more")
    finally:
        for wire in wires:
            wire.close()


def test_the_token_leaves_the_address(served):
    found = served.ask("GET", f"/?token={served.serving.secret.token}", headers={})
    assert (found.status, found.headers["location"], found.body) == (303, "/", b"")
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert served.serving.secret.token not in cookie
    inside = served.ask("GET", "/", headers={"Cookie": cookie.partition(";")[0]})
    assert inside.status == 200 and b"graphol label" in inside.body


def test_a_link_on_another_site_may_lead_here_but_nothing_else(served):
    """A terminal in a browser is another site; what it links to is opened, the token known."""
    arriving = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    entry = f"/?token={served.serving.secret.token}"
    found = served.ask("GET", entry, headers=arriving)
    assert found.status == 200 and "set-cookie" in found.headers
    for path, headers in (
        ("/", arriving | served.cookie), ("/api/next", arriving | served.cookie),
        (entry, arriving | {"Sec-Fetch-Mode": "no-cors"}),
    ):  # fmt: skip
        status = served.ask("GET", path, headers=headers).status
        assert status == (200 if path == "/" else 403)


def test_cookie_and_origin_let_the_page_in(served):
    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{served.serving.port}"
        headers = served.cookie | JSON | {"Host": host, "Origin": f"http://{host}"}
        body = json.dumps({"name": "ann"}).encode()
        assert served.ask("POST", "/api/annotator", body, headers).status == 200


@pytest.mark.parametrize(
    ("listening", "named", "welcome"),
    [
        ("127.0.0.1", "localhost:9", True), ("127.0.0.1", "[::1]:9", True),
        ("127.0.0.1", "10.0.0.1", False), ("10.0.0.1", "10.0.0.1:9", True),
        ("10.0.0.1", "10.0.0.2:9", False), ("::1", "[::1]", True), ("fe80::1", "[fe80::1]:9", True),
        ("0.0.0.0", "10.9.8.7:9", True), ("0.0.0.0", "evil.net", False), ("::", "[fe80::2]", True),
        ("box.lan", "BOX.lan:9", True), ("0.0.0.0", "1.2.3.4.evil.net", False),
    ],
)  # fmt: skip
def test_names_of_a_server(listening, named, welcome):
    assert Hosts.of(listening).welcome(named) is welcome


def test_every_answer_has_the_policy(served):
    for method, path in itertools.product(("GET", "HEAD", "POST"), ("/", "/nowhere", "/api/next")):
        found = served.ask(method, path)
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert found.headers["cache-control"] == "no-store"
        assert found.headers["referrer-policy"] == "no-referrer" and "server" not in found.headers
