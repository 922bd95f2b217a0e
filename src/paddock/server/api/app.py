"""The application: the routes behind the token check, and the OpenAPI document."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Lifespan

from paddock.errors import NotFound
from paddock.models import PlanRequest, Submission
from paddock.server.api import (
    accounts,
    devices,
    error_responses,
    events,
    hosts,
    jobs,
    lists,
    load,
    me,
    notices,
    plan,
    prometheus,
    reservations,
    rules,
    session,
    single_sign_on,
    system,
    tasks,
    team,
    usage,
    violations,
    web,
)
from paddock.server.api.auth import TokenWall
from paddock.server.api.bodies import BodyLimit
from paddock.server.api.cookies import Cookies
from paddock.server.api.gate import Gate
from paddock.server.api.keys import Keys
from paddock.server.api.permissions import permit
from paddock.server.api.server import Server
from paddock.server.api.streams import Limit
from paddock.version import __version__

PREFIX = "/api/v1"


def create_app(server: Server, token: str) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        server.wakeup.attach()
        server.engine.start()
        server.watch.start()
        server.outbox.start()
        yield
        server.watch.close()
        server.outbox.close()
        server.wakeup.close()
        server.engine.close()

    app = bare_app(lifespan)
    app.state.server = server
    app.add_middleware(Limit, streams=server.streams)
    app.add_middleware(BodyLimit, limits=server.settings.upload)
    settings = server.settings
    keys = Keys(server.db, token, settings.owner, settings.team.session_days)
    public = settings.public_url or ("https://" if settings.tls_certificate else None)
    cookies = Cookies(token, str(server.home.root), public)
    app.state.gate = Gate.of(settings, keys, cookies)
    app.add_middleware(TokenWall, token=token, keys=keys, cookies=cookies)
    return app


def bare_app(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Return the routes and the document, without a server behind them."""
    # The interactive pages of FastAPI fetch scripts from the internet: they are left out.
    app = FastAPI(title="Paddock", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.router.routes.extend(_routes())
    app.add_route("/{path:path}", _page, methods=["GET", "HEAD"], include_in_schema=False)
    error_responses.install(app)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes of the API. FastAPI prepares them when they are first used, which takes a while."""
    api = APIRouter()
    checked = [Depends(permit)]
    people = (session, single_sign_on, team, me, notices, accounts, rules, violations)
    work = (lists, jobs, plan, tasks)
    for module in (*work, events, load, hosts, devices, reservations, usage, prometheus, system, *people):
        api.include_router(module.router, prefix=PREFIX, responses=error_responses.RESPONSES, dependencies=checked)
    return api.routes


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, including the models that routes read from the raw request."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, routes=app.routes)
        schemas = found["components"]["schemas"]
        for model in (Submission, PlanRequest):
            sent = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="validation")
            for name, schema in sent.pop("$defs", {}).items():
                schemas.setdefault(name, schema)
            schemas.setdefault(model.__name__, sent)
        sent = found["paths"][f"{PREFIX}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]
        del sent["schema"]["type"]  # FastAPI calls the stream a string, though the data of each event are of this type
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
        app.openapi_schema = found
    return app.openapi_schema


async def _page(request: Request) -> Response:
    found = web.serve(request.url.path, request.headers)
    if found is None:
        raise NotFound(f"There is no route {request.url.path}: docs/reference/rest.md lists those that exist.")
    return found
