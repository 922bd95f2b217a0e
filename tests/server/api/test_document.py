"""Test the OpenAPI document, and random requests made from it."""

import copy
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance

from paddock.server.api.app import bare_app
from tests.support.server import PATIENCE, ServerProcess


def _document() -> dict[str, Any]:
    raw = copy.deepcopy(bare_app().openapi())
    # The streams do not end by themselves: they have tests of their own.
    raw["paths"].pop("/api/v1/events")
    raw["paths"].pop("/api/v1/tasks/{task}/log/follow")
    raw["paths"].pop("/api/v1/team")  # the server is used by other tests, which know no accounts
    return raw


schema = schemathesis.openapi.from_dict(_document())


@schema.parametrize()
@settings(max_examples=settings().max_examples // 5, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.filterwarnings("ignore")
def test_no_request_breaks_the_server(case: schemathesis.Case[Any], server: ServerProcess) -> None:
    case.call_and_validate(
        base_url=server.url,
        headers={"Authorization": f"Bearer {server.token}"},
        checks=[not_a_server_error, response_schema_conformance],
    )


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
