"""A server on this machine with archives in the original form."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import tarfile
import threading
import zipfile

import attrs
import pytest

from graphol.downloads import catalogue


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; a file called half.* is cut off in the middle."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        if "half" not in self.path:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(b"x" * 5000)


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A folder that is on the web, and an empty cache: ``web.folder, web.url, web.cache``."""
    folder, cache = tmp_path / "web", tmp_path / "home" / "graphol"
    folder.mkdir()
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Web(folder, f"http://127.0.0.1:{server.server_port}", cache)
    server.shutdown()
    server.server_close()
    thread.join()


@attrs.frozen
class Web:
    folder: object
    url: str
    cache: object

    def offer(self, monkeypatch, name, archive, known_hash="", **counts):
        """Put an archive on the web and into the catalogue."""
        file = f"{name}.archive"
        (self.folder / file).write_bytes(archive)
        published = catalogue.CATALOGUE[name].published
        known = published.counts or catalogue.CATALOGUE[name].counts
        self.record(
            monkeypatch,
            name,
            url=f"{self.url}/{file}",
            known_hash=known_hash or "sha256:" + hashlib.sha256(archive).hexdigest(),
            counts=known._replace(**counts),
        )

    def left(self):
        return sorted(p.name for p in self.cache.iterdir()) if self.cache.exists() else []

    def record(self, monkeypatch, name, **published):
        """Change where a graph is published."""
        row = catalogue.CATALOGUE[name]
        row = attrs.evolve(row, published=attrs.evolve(row.published, **published))
        monkeypatch.setitem(catalogue.CATALOGUE, name, row)

    @staticmethod
    def tar(**files):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for name, text in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
        return buffer.getvalue()

    @staticmethod
    def zipped(**files):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return buffer.getvalue()

    @staticmethod
    def papers(name):
        """Three papers: one cites itself, two each other, and one cites a paper that is missing."""
        content = "31\t0\t1\t1\tTheory\nx-2\t1\t0\t0\tAgents\n7\t0\t0\t0\tTheory\n"
        cites = "31\tx-2\nx-2\t31\n7\t31\n7\t7\nghost\t7\n"
        return Web.tar(**{f"{name}/{name}.content": content, f"{name}/{name}.cites": cites})
