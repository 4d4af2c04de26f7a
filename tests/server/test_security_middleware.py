from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.security_middleware import MOST_BODY_BYTES

OWN = "http://localhost:8000"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    place = tmp_path_factory.mktemp("context") / "campaigns.db"
    context = ServerContext(ServerConfig(str(place), public_url="https://rank.example.org/votes"))
    with TestClient(create_app(context), base_url=OWN) as client:
        yield client


def enter(client, **headers):
    accept = {"accept": "application/json"}
    return client.post("/enter", json={"token": "x"}, headers=accept | headers)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "null", "authorization": ""},
        {"origin": "http://localhost:8001"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": OWN},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    ],
)
def test_what_pages_of_others_send_is_not_done(client, headers):
    answer = enter(client, **headers)
    assert answer.status_code == 403
    assert "another site" in answer.json()["detail"]


@pytest.mark.parametrize("site", [{}, {"sec-fetch-site": "same-origin"}])
def test_tls_of_a_proxy_that_is_not_believed_is_told_and_nothing_is_done(client, site):
    answer = enter(client, origin="https://localhost:8000", **site)
    assert answer.status_code == 403
    assert "--behind-proxy" in answer.json()["detail"]


@pytest.mark.parametrize("headers", [{"origin": OWN}, {"sec-fetch-site": "same-origin"}])
def test_what_own_pages_send_is_heard(client, headers):
    assert "has been used" in enter(client, **headers).json()["detail"]


@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1:9", "[::1]:8000", "rank.example.org"]
)
def test_addresses_and_the_public_name_are_own_hosts(client, host):
    assert client.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "", "[", "a b", "localhost:99999999", "[::1]:x"],
)
def test_a_name_that_anybody_can_point_here_is_refused(client, host):
    answer = client.get("/healthz", headers={"host": host})
    assert answer.status_code == 421
    assert "--public-url" in answer.json()["detail"]


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    answer = client.post(
        "/enter",
        content=b"x",
        headers={"origin": OWN, "content-length": str(MOST_BODY_BYTES + 1)},
    )
    assert answer.status_code == 413


def test_a_body_that_does_not_say_its_length_is_bounded_too(client):
    def endless():
        for _ in range(2 * MOST_BODY_BYTES // 65536):
            yield b" " * 65536

    headers = {"origin": OWN, "content-type": "application/json"}
    assert client.post("/enter", content=endless(), headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/enter", "/nothing", "/static/style.css", "/healthz", "/new"])
def test_every_answer_has_the_headers(client, path):
    headers = client.get(path, headers={"accept": "text/html"}).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in headers


def test_pages_are_not_kept_by_caches(client):
    assert client.get("/enter").headers["cache-control"] == "no-store"


def test_files_whose_address_changes_with_them_are(client):
    assert "immutable" in client.get("/static/style.css").headers["cache-control"]


def test_a_secure_connection_stays_secure(client):
    assert "strict-transport-security" not in client.get("/healthz").headers
    answer = client.get("https://localhost:8000/healthz")
    assert answer.headers["strict-transport-security"].startswith("max-age=31536000")


def test_a_mistake_of_the_server_is_told_without_its_inside(client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /path")

    monkeypatch.setattr(client.app.state.context.keys, "redeem", fail)
    answer = enter(client, origin=OWN)
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text
    assert "secret /path" in caplog.text


def test_what_is_wrong_with_a_request_is_told_by_rfc_9457(client):
    answer = client.post("/enter", json={"token": 3}, headers={"origin": OWN})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert said["status"] == 422
    assert said["title"]
    assert said["errors"][0]["where"] == "body/token"
