"""Test POST /prune: what would be deleted, and that it is."""

import pytest

from tests.support.server import ServerProcess, wait_for


def listed(server: ServerProcess, **asked: object) -> dict[tuple[str, str], int]:
    report = server.post("/prune", asked)
    assert report["problems"] == []
    assert report["dry_run"] is asked.get("dry_run", False)
    return {(one["kind"], one["what"]): one["bytes"] for one in report["items"]}


def test_a_dry_run_and_then_the_journals(server: ServerProcess) -> None:
    job = server.submit("print('val_loss: 0.5')")
    server.wait(job)
    folder = server.home.job(job)
    found = wait_for(lambda: listed(server, dry_run=True, jobs_days=0).get(("job", job)))
    assert found >= (folder.root / "job.json").stat().st_size
    assert listed(server, dry_run=True, journals_days=0)["journals", job] <= found
    assert ("job", job) not in listed(server, dry_run=True), "by default no job goes"
    assert folder.claims.exists()
    assert ("journals", job) in listed(server, journals_days=0)
    assert not folder.claims.exists()
    assert server.get(f"/jobs/{job}")["counts"]["finished"] == 1
    assert server.log_of(job) == "val_loss: 0.5\n"
    server.post(f"/jobs/{job}/restart")
    [task] = server.wait(job)
    assert (task["state"], task["attempt"], task["best_value"]) == ("finished", 2, 0.5)
    assert server.get("/health")["set_aside"] == 0


def test_a_job_that_runs_is_not_listed(server: ServerProcess) -> None:
    job = server.submit("import time; print('on', flush=True); time.sleep(600)")
    server.wait_state(job, "running")
    found = listed(server, jobs_days=0, attempts_days=0, journals_days=0, runners_days=0, dry_run=True)
    assert job not in {what for _, what in found}
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_without_a_body_the_settings_count(server: ServerProcess) -> None:
    report = server.post("/prune")
    assert report["totals"] == []
    assert report["bytes"] == 0


@pytest.mark.parametrize("body", [{"jobs_days": -1}, {"jobs_days": "soon"}, {"days": 3}, {"dry_run": "maybe"}, [1]])
def test_what_is_wrong_is_refused(server: ServerProcess, body: object) -> None:
    answer = server.client.post("/prune", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["code"] == "invalid_input"


def test_it_needs_the_token(server: ServerProcess) -> None:
    answer = server.client.post("/prune", json={}, headers={"Authorization": "Bearer wrong"})
    assert answer.status_code == 401
