"""Connections break, servers restart, addresses are wrong: nothing is lost, doubled or leaked."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote

import pytest

from campaign.client.middlemen import CuttingProxy, answering
from hodgerank.campaign import RemoteCampaign
from hodgerank.campaign.client import connection
from hodgerank.campaign.client import connection as connection_module
from hodgerank.errors import CampaignError, InvalidArgument, MissingDependency

TOKEN = "t0ken-of-nobody"


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    """Wait less between tries."""
    monkeypatch.setattr(connection_module, "WAITS", (0.0, 0.01, 0.01, 0.01))


@pytest.fixture
def proxy(live):
    proxy = CuttingProxy(live.url)
    yield proxy
    proxy.close()


def kinds(campaign):
    return [event.kind for event in campaign.events()]


# What gets no answer


def test_an_answer_whose_receipt_got_lost_is_sent_again_and_counts_once(live, clients, proxy):
    campaign = live.campaign()
    client = clients.of(campaign, url=proxy.url)
    [task] = client.lease("ann")
    proxy.cut_after = 1
    receipt = client.answer(task, 1)
    assert (receipt.is_counted, receipt.is_repeated) == (True, True)
    [task] = client.lease("ann")
    proxy.cut_before = 2
    assert not client.answer(task, 1).is_repeated
    assert kinds(campaign).count("answered") == 2


def test_a_lease_that_got_lost_is_the_same_again(live, clients, proxy):
    campaign = live.campaign()
    client = clients.of(campaign, url=proxy.url)
    proxy.cut_after = 2
    assert len(client.lease("ann", 3)) == 3
    assert kinds(campaign).count("issued") == 3


def test_what_would_happen_twice_is_not_sent_again(live, clients, proxy):
    campaign = live.campaign()
    client = clients.of(campaign, url=proxy.url)
    for _ in range(2):
        [task] = client.lease("ann")
        client.answer(task, 1)
    proxy.cut_after = 1
    with pytest.raises(CampaignError, match="cannot be reached"):
        client.undo("ann")
    assert kinds(campaign).count("undone") == 1
    proxy.cut_before = 1
    with pytest.raises(CampaignError, match="cannot be reached"):
        client.add(["one more"])
    assert len(campaign.items) == 8


def test_after_some_tries_it_gives_up(live, clients, proxy, monkeypatch):
    monkeypatch.setattr(connection, "RESTARTING", connection.WAITS)
    campaign = live.campaign()
    client = clients.of(campaign, url=proxy.url)
    proxy.cut_before = 100
    with pytest.raises(CampaignError, match="cannot be reached"):
        client.lease("ann")
    assert proxy.cut_before == 100 - 5


def test_connections_are_kept_and_shared_by_threads(live, clients, proxy):
    campaign = live.campaign([str(k) for k in range(30)])
    client = clients.of(campaign, url=proxy.url)
    for _ in range(20):
        assert client.counts.n_items == 30
    assert proxy.n_connections <= 3  # a stalled machine lets one grow old
    with ThreadPoolExecutor(8) as pool:
        leased = list(pool.map(lambda k: client.lease(f"w{k}", 2), range(40)))
    assert len({task.id for tasks in leased for task in tasks}) == 80
    assert all(task.worker == f"w{k}" for k, tasks in enumerate(leased) for task in tasks)
    assert proxy.n_connections <= 10


def test_a_connection_that_the_server_closed_meanwhile_does_no_harm(live, clients, proxy):
    campaign = live.campaign()
    client = clients.of(campaign, url=proxy.url)
    proxy.hang_up()
    assert client.lease("ann")
    proxy.hang_up()
    client.ban("ann")
    assert campaign.workers()[0].is_banned


def test_what_must_not_be_sent_twice_has_a_connection_of_its_own(live, clients, proxy):
    client = clients.of(live.campaign(), url=proxy.url)
    before = proxy.n_connections
    for name in ("one more", "and another"):
        client.add([name])
    assert proxy.n_connections == before + 2


def test_a_process_does_not_share_the_connections_of_its_parent(live, clients, proxy):
    client = clients.of(live.campaign(), url=proxy.url)
    assert client.counts.n_items == 8
    before = proxy.n_connections
    parents = client._connection._keeping, client._connection._forgetting
    client._connection._process = -1  # as after a fork
    assert client.counts.n_items == 8
    assert proxy.n_connections == before + 1
    for parent in parents:
        parent.close()


def test_what_is_under_way_ends_before_the_connection_is_closed(live, clients):
    campaign = live.campaign()
    client = clients.of(campaign)
    events = client.events()
    first = next(events)
    client.leave()
    assert [first, *events] == list(campaign.events())
    with pytest.raises(CampaignError, match="is closed: open it again"):
        _ = client.counts


def test_a_log_that_broke_off_is_taken_up_where_it_was(live, clients, monkeypatch):
    campaign = live.campaign()
    client = clients.of(campaign)
    lines = client._connection.lines
    broken = iter([3, 4])

    def breaking(*path, query):
        most = next(broken, 1000)
        for number, line in enumerate(lines(*path, query=query)):
            if number == most:
                raise connection_module.ConnectionLost("gone")
            yield line

    monkeypatch.setattr(client._connection, "lines", breaking)
    assert client.ranking().items == campaign.ranking().items


# Who does not answer as expected


def test_nobody_there_is_said_in_words():
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    with pytest.raises(CampaignError, match="connection refused"):
        RemoteCampaign(f"http://127.0.0.1:{port}", "x", token=TOKEN)
    with pytest.raises(CampaignError, match="cannot be reached"):
        RemoteCampaign("https://nowhere.invalid", "x", token=TOKEN)


def test_who_does_not_answer_in_time_is_taken_for_gone():
    with socket.create_server(("127.0.0.1", 0)) as door:
        url = f"http://127.0.0.1:{door.getsockname()[1]}"
        with pytest.raises(CampaignError, match="did not respond in time"):
            RemoteCampaign(url, "x", token=TOKEN, timeout=0.05)


def test_a_redirection_is_not_followed_and_the_token_stays_here():
    with answering(lambda there: _respond(there, 200, "{}")) as (elsewhere, seen_there):

        def redirect(here: BaseHTTPRequestHandler) -> None:
            here.send_response(307)
            here.send_header("Location", f"{elsewhere}/api/v1/campaigns")
            here.send_header("Content-Length", "0")
            here.end_headers()

        with answering(redirect) as (url, seen):
            with pytest.raises(CampaignError, match=f"redirects to {elsewhere}"):
                RemoteCampaign(url, "x", token=TOKEN)
            assert seen[0]["Authorization"] == f"Bearer {TOKEN}"
        assert seen_there == []


@pytest.mark.parametrize("id", [".", "..", "../tokens", "a/b", "a b?#%"])
def test_no_name_leads_to_another_address(id):
    paths = []

    def respond(there: BaseHTTPRequestHandler) -> None:
        paths.append(there.path)
        _respond(there, 200, "{}", kind="application/json")

    with answering(respond) as (url, _):
        RemoteCampaign(url, id, token=TOKEN).leave()
    [path] = paths
    assert path.startswith("/api/v1/campaigns/")
    assert unquote(path.removeprefix("/api/v1/campaigns/")) == id
    assert path.count("/") == 4


def test_an_address_that_is_too_long_is_refused(live):
    with pytest.raises(InvalidArgument, match="request cannot be sent"):
        RemoteCampaign(live.url, "x" * 100_000, token=TOKEN)


@pytest.mark.parametrize("status", [200, 404, 500])
def test_another_program_at_the_address_is_noticed(status):
    with (
        answering(lambda there: _respond(there, status, "<html>Hello</html>")) as (url, _),
        pytest.raises(CampaignError, match="not from hodgerank serve"),
    ):
        RemoteCampaign(url, "x", token=TOKEN)


def test_a_gateway_whose_server_restarts_is_asked_again(live, clients):
    campaign = live.campaign()
    client = clients.of(campaign)
    statuses = [502, 503, 504, 429]

    def respond(there: BaseHTTPRequestHandler) -> None:
        if statuses:
            _respond(there, statuses.pop(0), "a page", ("Retry-After", "0"))
        else:
            _respond(there, 200, '{"tasks": []}', kind="application/json")

    with answering(respond) as (url, _):
        behind = connection_module.Connection(
            connection_module.Address("http", "127.0.0.1", int(url.rpartition(":")[2]), ""),
            TOKEN,
            5,
        )
        client._connection.close()
        client._connection = behind
        assert client.lease("ann") == []
    assert statuses == []


def _respond(there, status, content, *headers, kind="text/html"):
    body = content.encode()
    there.send_response(status)
    for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
        there.send_header(name, value)
    there.end_headers()
    there.wfile.write(body)


# Secrets


def test_certificates_are_checked(tmp_path):
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem"
    )
    subprocess.run(command.split(), check=True, capture_output=True, cwd=tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")

    class Silent(HTTPServer):
        def handle_error(self, *_) -> None:
            pass

    with Silent(("localhost", 0), BaseHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(CampaignError, match="its certificate is not trusted"):
            RemoteCampaign(f"https://localhost:{server.server_port}", "x", token=TOKEN)
        thread.join()


def test_certificates_are_loaded_for_tls_only(monkeypatch):
    monkeypatch.setattr(ssl, "create_default_context", lambda: pytest.fail("it was loaded"))
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    with pytest.raises(CampaignError, match="connection refused"):
        RemoteCampaign(f"http://127.0.0.1:{port}", "x", token=TOKEN)


def test_the_token_goes_through_no_proxy_of_the_environment(live, clients, proxy, monkeypatch):
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv(name.upper(), proxy.url)
    assert clients.of(live.campaign()).counts.n_items == 8
    assert proxy.n_connections == 0


def test_without_the_client_the_extra_is_named(live, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingDependency, match=r'pip install "\.\[campaign\]"'):
        RemoteCampaign(live.url, "x", token=TOKEN)


def test_a_token_is_not_sent_to_another_machine_in_the_open():
    with pytest.raises(InvalidArgument, match="would send the token unencrypted"):
        RemoteCampaign("http://rank.example.org", "x", token=TOKEN)


def test_messages_have_no_token_in_them(live):
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    for url in (live.url, f"http://127.0.0.1:{port}"):
        with pytest.raises(CampaignError) as error:
            RemoteCampaign(url, "x", token=TOKEN)
        assert TOKEN not in str(error.value)
        assert error.value.__cause__ is None


@pytest.mark.parametrize("token", ["", " ", "a\nb", "a\r\nX: y", "ключ", "\x00"])
def test_what_is_no_token_is_refused_before_it_is_sent(live, token):
    with pytest.raises(InvalidArgument, match="this is not a valid token"):
        RemoteCampaign(live.url, "x", token=token)
