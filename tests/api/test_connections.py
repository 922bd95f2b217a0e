"""Connections that are kept."""

import http.client
import time
from urllib.parse import urlsplit

from tests.support.server import ServerProcess


def test_one_that_was_idle_is_used_again(server: ServerProcess) -> None:
    """For longer than clients and their libraries keep one: else they would lose what they ask for."""
    kept = http.client.HTTPConnection(urlsplit(server.url).netloc)
    kept.connect()
    opened = kept.sock
    for pause in (0, 7):
        time.sleep(pause)
        kept.request("GET", "/api/v1/version", headers={"Authorization": f"Bearer {server.token}"})
        with kept.getresponse() as answer:
            assert answer.status == 200
            answer.read()
        assert kept.sock is opened
    kept.close()
