"""Test what the list of jobs needs over REST: pins, saved views, several jobs at once, why tasks failed."""

from tests.support.server import ServerProcess

SLEEP = "import time; time.sleep(600)"


def _ids(server: ServerProcess, **query: str) -> list[str]:
    return [job["id"] for job in server.client.get("/jobs", params=query).json()["items"]]


def test_pinned_jobs_come_first_in_every_order(server: ServerProcess) -> None:
    old, new = (server.submit("print(1)", name=f"{name} pins", tags=["pins"]) for name in "ab")
    assert _ids(server, tag="pins") == [new, old]
    pinned = server.client.patch(f"/jobs/{old}", json={"pinned": True}).json()
    assert pinned["pinned"]
    assert pinned["tags"] == ["pins"]
    for sort in ("-created", "-name", "name"):
        assert _ids(server, tag="pins", sort=sort) == [old, new]
    server.client.patch(f"/jobs/{old}", json={"pinned": False})
    assert _ids(server, tag="pins") == [new, old]


def test_the_same_for_several_jobs(server: ServerProcess) -> None:
    jobs = [server.submit(SLEEP, name=name) for name in ("one", "two")]

    def act(act: str, tag: str | None = None, also: tuple[str, ...] = ()) -> list[tuple[str, bool]]:
        body = {"act": act, "jobs": [*jobs, *also], "tag": tag}
        return [(one["job"], one["done"]) for one in server.post("/jobs/bulk", body)]

    done = [(job, True) for job in jobs]
    assert act("tag", "night") == done
    assert act("tag", "night") == done  # once is enough
    assert act("tag", "day") == done
    assert act("untag", "night", ("zzzzzzzz",)) == [*done, ("zzzzzzzz", False)]
    assert [server.get(f"/jobs/{job}")["tags"] for job in jobs] == [["day"], ["day"]]
    act("pin")
    act("hold")
    assert all(server.get(f"/jobs/{job}")["pinned"] and server.get(f"/jobs/{job}")["held"] for job in jobs)
    act("release")
    assert act("stop") == done
    for job in jobs:
        assert {task["state"] for task in server.wait(job)} == {"stopped"}
    assert act("remove") == done
    assert all(server.client.get(f"/jobs/{job}").status_code == 404 for job in jobs)
    missing = server.post("/jobs/bulk", {"act": "pin", "jobs": jobs})
    assert [one["done"] for one in missing] == [False, False]
    assert "There is no job" in missing[0]["message"]


def test_requests_for_several_jobs_are_bounded(server: ServerProcess) -> None:
    many = {"act": "pin", "jobs": ["a"] * 501}
    assert server.client.post("/jobs/bulk", json=many).status_code == 422
    assert server.client.post("/jobs/bulk", json={"act": "pin", "jobs": []}).status_code == 422
    assert "tag" in server.client.post("/jobs/bulk", json={"act": "tag", "jobs": ["a"]}).json()["error"]["fields"]


def test_saved_views(server: ServerProcess) -> None:
    view = {"name": "failed / tonight", "state": "error", "q": "resnet", "sort": "name"}
    saved = server.client.put("/views", json=view).json()
    assert [one | view for one in saved] == saved
    assert server.get("/views") == saved
    changed = server.client.put("/views", json=view | {"q": "vit"}).json()
    assert [one["q"] for one in changed] == ["vit"]
    assert server.client.put("/views", json=view | {"state": "asleep"}).status_code == 422
    assert server.client.put("/views", json=view | {"name": " "}).status_code == 422
    assert server.client.delete("/views/failed%20%2F%20tonight").status_code == 204
    assert server.client.delete("/views/failed%20%2F%20tonight").status_code == 404
    assert server.get("/views") == []


OOM = """
import sys
n = int(sys.argv[sys.argv.index("--n") + 1])
if n == 4:
    raise KeyError("label")
if n < 4:
    raise RuntimeError(f"CUDA out of memory. Tried to allocate {n}.50 MiB")
"""


def test_the_list_contains_why_tasks_failed(server: ServerProcess) -> None:
    spec = {"params": {"n": [1, 2, 3, 4, 5]}, "convention": "flags", "retries": {"gpu_oom": 0, "user_error": 0}}
    body = {"spec": spec | {"name": "why they failed", "parallel": 2}, "files": {"train.py": OOM}}
    job = server.post("/jobs", body, 201)["id"]
    server.wait(job)
    (shown,) = [one for one in server.get("/jobs")["items"] if one["id"] == job]
    assert shown["counts"]["error"] == 4
    failure = shown["failure"]
    assert "CUDA out of memory" in failure["reason"]
    assert (failure["tasks"], failure["others"]) == (3, 1)
