"""hodgerank serve: real processes, what they tell, and what they leave behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import httpx
import pytest
from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.cli.server_session import Start
from hodgerank.server.api_keys import SignedOut
from hodgerank.server.context import ServerConfig, ServerContext
from processes import COMMAND
from server.served import PATIENCE, Served, served

QUESTION = "Which is better?"


def with_campaign(folder: Path) -> Path:
    """A folder with the usual file, which has one campaign."""
    with Campaign.create(folder / "campaigns.db", list(range(30)), question=QUESTION):
        return folder


@pytest.fixture
def folder(tmp_path):
    return with_campaign(tmp_path)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One whose link no other test uses, and that no test ends."""
    with served(folder=with_campaign(tmp_path_factory.mktemp("served"))) as server:
        yield server


def answers(path: Path) -> int:
    with Campaign.open(path / "campaigns.db", read_only=True) as campaign:
        return campaign.counts.n_given


def work(server: Served, n: int) -> list[str]:
    """Answer so many tasks as a worker of the campaign; those that were acknowledged."""
    with server.worker("campaign") as worker:
        acknowledged = []
        turn = worker.post("/w/campaign/tasks", json={}).json()
        for _ in range(n):
            task = turn["tasks"][0]["id"]
            reply = worker.post("/w/campaign/answer", json={"task": task, "outcome": 1.0})
            assert reply.status_code == 200, reply.text
            acknowledged.append(task)
            turn = reply.json()
        return acknowledged


def test_whoever_opens_the_printed_link_first_is_the_owner(server):
    assert server.start["database"] == "campaigns.db"
    assert server.start["process"] == server.process.pid
    assert server.start["signed_out"] is None
    with server.owner() as owner:
        assert owner.get("/metrics").status_code == 200
    with server.browser() as late:
        token = server.start["owner_link"].partition("#")[2]
        assert late.post("/enter", json={"token": token}).status_code == 403
        assert late.get("/metrics").status_code == 401
        assert late.get("/healthz").json()["status"] == "ok"
    assert token not in server.said
    assert "403 POST /enter" in server.said


def test_a_second_server_and_a_taken_port_are_refused_in_words(run, server, monkeypatch):
    monkeypatch.chdir(server.folder)
    status, _, said = run("serve", "--no-browser", "--port", 0)
    assert status == 3
    assert f"is in use by process {server.process.pid}" in said
    status, _, said = run("serve", "--no-browser", "--database", "other.db", "--port", server.port)
    assert status == 3
    assert f"port {server.port} is in use by another program" in said
    assert not Path("other.db").exists()


@pytest.mark.slow
def test_who_lost_the_browser_signs_all_owners_out_at_the_start(folder):
    context = ServerContext(ServerConfig(str(folder / "campaigns.db")))
    session = context.keys.issue("session", "owner", "owner", seconds=3600)
    unused = context.keys.issue("link", "owner", "owner", seconds=3600)
    program = {"Authorization": f"Bearer {context.keys.issue('token', 'owner', 'script')}"}
    context.close()
    with served("--sign-out-owners", folder=folder) as server:
        assert server.start["signed_out"] == {"n_sessions": 1, "n_links": 1}
        with server.browser(cookies={f"hodgerank-{server.port}": session}) as browser:
            assert browser.get("/metrics").status_code == 401
            assert browser.post("/enter", json={"token": unused}).status_code == 403
            assert browser.get("/api/v1/campaigns", headers=program).status_code == 200
        with server.owner() as owner:
            assert owner.get("/metrics").status_code == 200


def test_people_are_told_how_many_were_signed_out():
    start = Start("http://a", "http://a/enter#b", None, "c.db", "media", 1, SignedOut(2, 1))
    start.show(Console(file=(told := StringIO()), width=40), is_kept=True)
    assert told.getvalue().startswith("signed out 2 owner sessions, 1 unused link\nat ")


def test_ctrl_c_ends_streams_and_leaves_nothing(folder):
    with served(folder=folder) as server:
        work(server, 3)
        with server.owner() as owner, owner.stream("GET", "/c/campaign/stream") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            until = time.monotonic() + PATIENCE
            while "hodgerank_standing_seconds{" not in owner.get("/metrics").text:
                assert time.monotonic() < until
                time.sleep(0.1)
            began = time.monotonic()
            os.killpg(server.process.pid, signal.SIGINT)  # as terminals do
            for _ in stream.iter_raw():
                pass  # to its end, which is a proper one
        assert server.wait() == 130
        assert time.monotonic() - began < 5
        assert server.is_gone()
        assert "Traceback" not in server.said
    assert answers(folder) == 3
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["campaigns.db", "campaigns.db-media", "campaigns.db.lock"]


@pytest.mark.slow
def test_a_killed_server_has_lost_nothing_and_others_go_on(folder):
    with served(folder=folder) as server:
        acknowledged = work(server, 5)
        os.killpg(server.process.pid, signal.SIGKILL)
        server.wait()
    with Campaign.open(folder / "campaigns.db") as campaign:
        [task] = campaign.lease("ann")
        campaign.answer(task, 1)
        given = [event.task for event in campaign.events() if event.kind == "answered"]
    assert given == [*acknowledged, task.id]


@pytest.mark.slow
def test_a_second_ctrl_c_ends_it_at_once(folder):
    with served(folder=folder) as server:
        # It listens before it heeds signals: whoever is answered knows that it does both.
        assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200
        # Somebody is in the middle of sending something.
        with socket.create_connection(("127.0.0.1", server.port)) as slow:
            slow.sendall(
                f"POST /enter HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Origin: {server.url}\r\nContent-Length: 100\r\n\r\n{{".encode()
            )
            time.sleep(0.3)
            for _ in range(3):  # within a moment it is one
                server.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            assert server.process.poll() is None
            server.process.send_signal(signal.SIGINT)
            assert server.wait() == 130
        assert server.is_gone()
        assert "stopping" in server.said
        assert "stopped" not in server.said


def certificate(folder: Path) -> tuple[Path, Path]:
    """One that nobody but this test trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("NO OPENSSL: TLS is not tested")
    made = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-out", made[0], "-keyout", made[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


@pytest.mark.slow
def test_over_tls_cookies_are_bound_to_the_host(folder):
    cert, key = certificate(folder)
    with served("--certificate", cert, "--key", key, folder=folder) as server:
        assert server.url.startswith("https://")
        with server.owner(verify=ssl.create_default_context(cafile=str(cert))) as owner:
            [cookie] = owner.cookies.jar
            assert cookie.name.startswith("__Host-")
            assert cookie.secure
            assert "max-age" in owner.get("/healthz").headers["strict-transport-security"]
        assert server.end(signal.SIGTERM) == 0
        assert server.is_gone()


@contextmanager
def proxy(port: int, prefix: str, *, strips: bool) -> Iterator[int]:
    """A proxy that shows a server under a path of its own; its port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            n = int(self.headers.get("Content-Length", 0))
            path = self.path.removeprefix(prefix) if strips else self.path
            connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            headers = {**self.headers, "X-Forwarded-For": "203.0.113.9",
                       "X-Forwarded-Proto": "https", "Connection": "close"}  # fmt: skip
            connection.request(self.command, path, self.rfile.read(n), headers)
            answer = connection.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            connection.close()

        do_GET = do_POST = _pass_on  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_behind_a_proxy_it_is_seen_under_a_path(folder):
    public = "https://rank.example.org/votes"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    seen = ["--behind-proxy", "--public-url", public]
    with served(*seen, "--port", port, folder=folder) as server:
        assert server.start["owner_link"].startswith(f"{public}/enter#")
        for strips in (True, False):
            with proxy(port, "/votes", strips=strips) as door:
                base = f"http://127.0.0.1:{door}/votes"
                _walk_in(server, base)
        assert "from 203.0.113.9" in server.said


def _walk_in(server: Served, base: str) -> None:
    """Look at the page as a browser does that believes to be at the public address."""
    headers = {"Host": "rank.example.org", "Origin": "https://rank.example.org"}
    with httpx.Client(headers=headers, timeout=PATIENCE) as browser:
        page = browser.get(f"{base}/enter", headers={"Accept": "text/html"})
        assert page.status_code == 200
        assert 'href="/votes/static/style.css' in page.text
        assert browser.get(f"{base}/static/style.css").status_code == 200
        refused = browser.post(f"{base}/enter", json={"token": "nothing"})
        assert refused.status_code == 403
        joined = browser.post(f"{base}/j/campaign")
        assert joined.status_code == 303
        assert joined.headers["location"] == "/votes/w/campaign"
        assert joined.headers["set-cookie"].startswith("__Host-")


@pytest.mark.slow
def test_the_demonstration_moves_within_seconds_and_is_gone_in_the_end(tmp_path):
    with served("--demo", folder=tmp_path) as server:
        place = Path(server.start["database"]).parent
        with server.owner() as owner:
            until = time.monotonic() + PATIENCE
            while not (n := _answers_told(owner)):
                assert time.monotonic() < until
                time.sleep(0.2)
            while _answers_told(owner) < n + 3:
                assert time.monotonic() < until
                time.sleep(0.2)
        with server.worker("demo") as visitor:
            turn = visitor.post("/w/demo/tasks", json={}).json()
            assert turn["step"] == "open"
            picture = turn["tasks"][0]["left"]["src"]
            assert visitor.get(picture).headers["content-type"] == "image/jpeg"
        assert place.exists()
        assert server.end(signal.SIGINT) == 130
        assert server.is_gone()
        assert not place.exists()
        assert "Traceback" not in server.said
    assert list(tmp_path.iterdir()) == []


def _answers_told(owner) -> int:
    for line in owner.get("/metrics").text.splitlines():
        if line.startswith("hodgerank_answers_total{"):
            return int(float(line.split()[-1]))
    return 0


@pytest.mark.slow
def test_two_servers_share_a_campaign_in_postgresql(postgres_url, tmp_path):
    with Campaign.create(postgres_url, list(range(30)), question=QUESTION):
        pass
    place = ["--database", postgres_url]
    with served(*place, folder=tmp_path) as one, served(*place, folder=tmp_path) as other:
        work(one, 2)
        work(other, 2)
        with one.worker("campaign") as worker:
            mine = worker.post("/w/campaign/tasks", json={}).json()
            away = httpx.URL(other.url).copy_with(path="/w/campaign/tasks")
            cookies = {
                name.replace(str(one.port), str(other.port)): value
                for name, value in worker.cookies.items()
            }
            there = httpx.post(
                away, json={}, cookies=cookies, headers={"Origin": other.url}, timeout=PATIENCE
            ).json()
            assert [task["id"] for task in there["tasks"]] == [task["id"] for task in mine["tasks"]]
        assert one.end() == other.end() == 0
        assert one.is_gone()
        assert other.is_gone()
    with Campaign.open(postgres_url, read_only=True) as campaign:
        assert campaign.counts.n_given == 4


@pytest.mark.slow
def test_people_read_links_that_are_not_broken_and_how_to_end_it(folder):
    command = [*COMMAND, "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "COLUMNS": "40"},
    ) as process:  # fmt: skip
        lines = [process.stdout.readline() for _ in range(4)]
        address = lines[0].split()[1]
        assert httpx.get(f"{address}/healthz", timeout=PATIENCE).status_code == 200
        process.terminate()
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert lines[0].startswith("at         http://127.0.0.1:")
    assert "/enter#" in lines[1]
    assert "works once" in lines[1]
    assert "campaigns.db" in lines[2]
    assert "Ctrl-C" in lines[3]
    assert "stopped" in out


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--database", "."], 3, "is a folder"),
        (["--database", "no/such/place.db"], 3, "does not exist"),
        (["--host", "192.0.2.1"], 3, "is not an address of this machine"),
        (["--key", "key.pem"], 2, "--key needs --certificate"),
        (["--certificate", "nothing.pem"], 3, "there is no file nothing.pem"),
        (["--public-url", "rank.example.org"], 2, "is not a valid public address"),
        (["--root-path", "/static"], 2, "is a path of the server itself"),
        (["--proxy", "everybody"], 2, "is not an address of a proxy"),
    ],
)
def test_what_cannot_be_is_refused_in_words(run, tmp_path, monkeypatch, options, status, words):
    monkeypatch.chdir(tmp_path)
    found, _, said = run("serve", "--no-browser", "--port", "0", *options)
    assert (found, words in said) == (status, True), said
    assert list(tmp_path.iterdir()) == []


def test_where_media_cannot_be_kept_the_database_is_closed_again(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path("taken").touch()
    status, _, said = run("serve", "--no-browser", "--port", 0, "--media", "taken")
    assert status == 3
    assert "cannot be written" in said
    assert sorted(path.name for path in folder.iterdir()) == [
        "campaigns.db", "campaigns.db.lock", "taken"
    ]  # fmt: skip


@pytest.mark.slow
def test_what_is_missing_is_named_with_the_command_that_adds_it():
    script = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from hodgerank.cli import main; main(['serve', '--no-browser'])"
    )
    end = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert end.returncode == 3
    assert 'pip install ".[server]"' in end.stderr
