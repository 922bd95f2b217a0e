"""Measure a request for the decimated curves of 300 tasks x 2,000 epochs, from a server that has just started."""

import time

from tests.support.server import ServerProcess

from benchmarks.workload import JOB, bench
from paddock.server.store import attempts, metrics

TASKS, EPOCHS = 300, 2000


def main() -> None:
    with bench(TASKS) as made:
        appender = metrics.Appender()
        with made.context.db.write() as c:
            rows = attempts.lookup(c, [(f"{JOB}-{n}", 1) for n in range(1, TASKS + 1)]).values()
            for row in rows:
                series = [(float(epoch), 1 / (epoch + 1), 1e9 + epoch) for epoch in range(EPOCHS)]
                appender.append(c, {row.attempt_id: {"val_loss": series, "loss": series}})
        made.context.db.close()
        server = ServerProcess(made.home.root).start()
        try:
            for points in (1000, 300):
                began = time.perf_counter()
                answer = server.client.get(f"/jobs/{JOB}/metrics", params={"points": points})
                seconds = time.perf_counter() - began
                curves = answer.json()
                assert len(curves) == TASKS
                assert curves[0]["total"] == EPOCHS
                which = "first request" if points == 1000 else "then"
                print(
                    f"{which}: points={points}: {seconds:.3f} s, {len(answer.content) / 1e6:.1f} MB (goal: under 1 s)"
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
