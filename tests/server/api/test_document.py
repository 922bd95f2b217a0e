"""Test the OpenAPI document, and random requests made from it."""

import copy
from collections.abc import Iterator
from http.cookiejar import DefaultCookiePolicy
from itertools import count
from typing import Any

import httpx2
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation.meta import TestPhase
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import response_schema_conformance

from paddock.server.api.app import bare_app
from tests.support.server import PATIENCE, ServerProcess, running

# Beside random requests there are some 10,000 of the limits of each field, of which a quarter is sent; all of them with
# --hypothesis-profile=thorough.
EVERY = 4 if settings().max_examples < 100 else 1
SETTINGS = settings(max_examples=settings().max_examples // 5, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server of its own: random requests leave saved views, rules and jobs, which other tests would find."""
    limits = {"upload__max_bytes": 200_000, "upload__max_files": 20}
    with running(
        tmp_path_factory.mktemp("document") / "home", local__slots=2, runner__grace_seconds=1, **limits
    ) as made:
        yield made


# It would be split into a test per operation by `schema.parametrize()`, but that makes all requests when tests are
# collected, which takes ten seconds, and each worker of pytest-xdist collects all tests.
@pytest.mark.filterwarnings("ignore")
def test_no_request_breaks_the_server(server: ServerProcess, subtests: pytest.Subtests) -> None:
    with requests.Session() as session:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

        made = count()

        def check(case: schemathesis.Case[Any]) -> None:
            if case.meta and case.meta.phase.name is TestPhase.COVERAGE and next(made) % EVERY:
                return
            case.call_and_validate(
                base_url=server.url,
                session=session,
                headers={"Authorization": f"Bearer {server.token}"},
                checks=[not_a_server_error, response_schema_conformance],
            )

        for each in get_all_tests(schema=_schema(), test_func=check, settings=SETTINGS, given_kwargs={}):
            assert isinstance(each, Ok), each
            operation, test = each.ok()
            with subtests.test(operation.label):
                test()


def _schema() -> BaseSchema:
    raw = copy.deepcopy(bare_app().openapi())
    # The streams do not end by themselves: they have tests of their own.
    raw["paths"].pop("/api/v1/events")
    raw["paths"].pop("/api/v1/tasks/{task}/log/follow")
    raw["paths"].pop("/api/v1/team")  # with accounts, the token of the server would not be enough
    return schemathesis.openapi.from_dict(raw)


def test_document_describes_submissions(server: ServerProcess) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    raw = httpx2.get(f"{server.url}/openapi.json", headers=headers, timeout=PATIENCE).json()
    body = raw["paths"]["/api/v1/jobs"]["post"]["requestBody"]["content"]
    assert set(body) == {"application/json", "multipart/form-data"}
    name = body["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert "spec" in raw["components"]["schemas"][name]["properties"]
    text = str(raw)
    for reference in [part.split("'")[0] for part in text.split("#/components/schemas/")[1:]]:
        assert reference in raw["components"]["schemas"]
