"""Test the OpenAPI document, and random requests made from it."""

import copy
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import httpx2
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import response_schema_conformance

from paddock.server.api.app import bare_app
from tests.support.server import PATIENCE, ServerProcess

SETTINGS = settings(max_examples=settings().max_examples // 5, deadline=None, suppress_health_check=list(HealthCheck))


# It would be split into a test per operation by `schema.parametrize()`, but that makes all requests when tests are
# collected, which takes ten seconds, and each worker of pytest-xdist collects all tests.
@pytest.mark.filterwarnings("ignore")
def test_no_request_breaks_the_server(server: ServerProcess, subtests: pytest.Subtests) -> None:
    with requests.Session() as session:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

        def check(case: schemathesis.Case[Any]) -> None:
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
    raw["paths"].pop("/api/v1/team")  # the server is used by other tests, which know no accounts
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
