"""Does a killed search always come to the same answer? Kills (SIGKILL) and interrupts (SIGINT) at random moments.

Children are forked, so that a round costs no import; each goes on from the checkpoint of the one before. When a search
is done its answer is compared with one that nobody disturbed, and the next search begins.

    python benchmarks/kill_and_resume.py --kills 200 --interrupts 200
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sklearn.datasets import make_classification

from palmette import BestSubsetSelector, C45Classifier


def answer_of(selector: BestSubsetSelector) -> tuple[Any, ...]:
    return selector.status_, selector.error_, selector.error_bound_, tuple(selector.get_support(indices=True).tolist())


def search(data: Any, seed: int, checkpoint: Path | None, n_jobs: int) -> tuple[Any, ...]:
    tree = C45Classifier(growth="literal")
    selector = BestSubsetSelector(
        tree, random_state=seed, checkpoint=checkpoint, checkpoint_seconds=0.02, n_jobs=n_jobs
    )
    return answer_of(selector.fit(*data))


def child(data: Any, seed: int, checkpoint: Path, n_jobs: int, result: Path) -> None:
    """Searches in a process of its own and writes the answer, if it lives long enough."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        result.write_bytes(pickle.dumps(search(data, seed, checkpoint, n_jobs)))
    except KeyboardInterrupt:
        os._exit(signal.SIGINT)
    except BaseException as error:  # Whatever it is, the parent must hear of it.
        print(f"The child failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def run(data: Any, number: int, which: signal.Signals, generator: random.Random, folder: Path) -> dict[str, int]:
    """Sends the signal so many times, and checks every answer that is reached in between."""
    counts = {"sent": 0, "finished": 0, "wrong": 0, "failed": 0}
    seed = 0
    checkpoint, result = folder / "search.checkpoint", folder / "answer"
    expected = search(data, seed, None, 2)
    while counts["sent"] < number:
        result.unlink(missing_ok=True)
        n_jobs = generator.choice([1, 2])
        # A signal between the fork and the first line of the child would be raised where nobody catches it.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        process = os.fork()
        if process == 0:
            child(data, seed, checkpoint, n_jobs, result)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        time.sleep(generator.uniform(0.0, 1.0))
        os.kill(process, which)
        _, status = os.waitpid(process, 0)
        counts["sent"] += 1
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
            counts["failed"] += 1
        answer = pickle.loads(result.read_bytes()) if os.WIFEXITED(status) and result.exists() else None
        if answer is None or answer[0] == "interrupted":
            continue
        counts["finished"] += 1
        counts["wrong"] += answer != expected
        checkpoint.unlink(missing_ok=True)
        seed += 1
        expected = search(data, seed, None, 2)
    checkpoint.unlink(missing_ok=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--interrupts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    # A few seconds of search, so that a search is disturbed several times.
    data = make_classification(500, 20, n_informative=6, n_redundant=2, flip_y=0.1, random_state=0)
    generator = random.Random(options.seed)
    bad = 0
    print(f"{'signal':8} {'sent':>6} {'searches finished':>18} {'wrong answers':>14} {'failures':>9} {'seconds':>8}")
    for which, number in ((signal.SIGKILL, options.kills), (signal.SIGINT, options.interrupts)):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            counts = run(data, number, which, generator, Path(folder))
        seconds = time.perf_counter() - start
        print(
            f"{which.name:8} {counts['sent']:6} {counts['finished']:18} {counts['wrong']:14} {counts['failed']:9} "
            f"{seconds:8.0f}",
            flush=True,
        )
        bad += counts["wrong"] + counts["failed"]
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
