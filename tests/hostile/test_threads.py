"""Other threads and processes at work on the same tables and models."""

from __future__ import annotations

import pytest

from hostile.inputs import (
    run_apart,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.threads
def test_a_table_that_another_thread_changes_while_it_is_read() -> None:
    run_apart("""
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.integers(0, 100, (20_000, 4)).astype(float))
        y = rng.integers(0, 2, 20_000)
        others = [rng.normal(size=X.shape) * 1e9, rng.integers(0, 100, X.shape).astype(float), np.full(X.shape, np.nan)]
        stop = False
        def change():
            while not stop:
                for other in others:
                    X[:] = other
        thread = threading.Thread(target=change)
        thread.start()
        answers = 0
        for round in range(30):
            for model in (C45Classifier(max_depth=4, n_jobs=round % 3 + 1),
                          C45ForestClassifier(n_estimators=2, max_depth=3)):
                try:
                    answers += len(model.fit(X, y).predict(X)) == 20_000
                except ValueError as error:
                    assert "not a tree" in str(error), error
        stop = True
        thread.join()
        assert answers
    """)


@pytest.mark.threads
def test_fits_in_several_threads_at_once() -> None:
    run_apart("""
        from concurrent.futures import ThreadPoolExecutor
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        expected = C45Classifier().fit(X, y)
        def work(n_jobs):
            tree = C45Classifier(n_jobs=n_jobs).fit(X, y)
            assert tree.tree_ == expected.tree_
            forest = C45ForestClassifier(n_estimators=4, n_jobs=n_jobs, random_state=0).fit(X, y)
            return forest.predict_proba(X[:100]).tobytes()
        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(work, [1, 2, 3, 1, 2, 3, 4, 5]))) == 1
    """)


@pytest.mark.threads
def test_one_model_predicts_for_several_threads_at_once() -> None:
    run_apart("""
        from concurrent.futures import ThreadPoolExecutor
        import pickle
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        model = pickle.loads(pickle.dumps(C45ForestClassifier(n_estimators=4, n_jobs=2).fit(X, y)))
        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(lambda _: model.predict_proba(X).tobytes(), range(12)))) == 1
    """)


def test_a_fit_in_a_forked_child() -> None:
    run_apart("""
        import multiprocessing
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5000, 10)), rng.integers(0, 3, 5000)
        def work(n_jobs):
            return C45Classifier(n_jobs=n_jobs).fit(X, y).predict_proba(X).tobytes()
        expected = work(2)
        with multiprocessing.get_context("fork").Pool(3) as pool:
            assert set(pool.map_async(work, [1, 2, 3, 4]).get(60)) == {expected}
    """)
