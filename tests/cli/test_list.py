"""`palmette datasets` lists what `palmette tree` can be given by name."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq


def test_the_bundled_sets_are_listed(run):
    result = run("datasets")
    assert result.code == 0
    for name, rows in [("breast_cancer", "569"), ("digits", "1,797"), ("iris", "150"), ("wine", "178")]:
        (line,) = [line for line in result.out.splitlines() if line.startswith(name)]
        assert rows in line
        assert "scikit-learn" in line
    assert "PALMETTE_DATA" in result.err
    assert "OpenML" in result.err


def test_the_folder_is_listed(run, tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [1], "class": ["x"]}), tmp_path / "mine.parquet")
    monkeypatch.setenv("PALMETTE_DATA", str(tmp_path))
    result = run("datasets")
    (line,) = [line for line in result.out.splitlines() if line.startswith("mine")]
    assert "PALMETTE_DATA" in line
    assert f"PALMETTE_DATA is {tmp_path}." in result.err


def test_a_bad_folder(run, monkeypatch):
    monkeypatch.setenv("PALMETTE_DATA", "/nowhere")
    result = run("datasets")
    assert (result.code, result.out) == (2, "")
    assert result.err == "palmette: PALMETTE_DATA names '/nowhere', which is no folder.\n"
