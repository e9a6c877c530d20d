"""The result of a study as text, CSV, JSON, frame and plot: no row is lost, and differences are in standard errors."""

from __future__ import annotations

import csv
import io
import json
import statistics

import pytest

from palmette.reproduce import Claim, Reproduction, Row
from palmette.reproduce.rows import mean_row

ROWS = (
    Row("sonar", "error in %", "tree", 26.0, 3.0, 10, 10, 22.0, 4.0),
    Row("sonar", "error in %", "forest", 18.0, None, 1, 10, 18.42, 0.9),
    Row("letter", "error in %", "tree", published=12.5, published_standard_error=0.1, status="over the limit"),
    Row("letter", "error in %", "forest", published=">1h", status="no data"),
    Row("adult", "error in %", "tree", published=15.0, status="not asked for"),
    Row("adult", "error in %", "forest", published=14.0, status="not asked for"),
)


@pytest.fixture
def result():
    claims = (Claim("Forests win.", True, "1 of 1"), Claim("Trees are small.", None))
    return Reproduction("x-table1", "A title", "A claim.", ROWS, claims, ("A note.",))


def test_the_difference_is_in_standard_errors_of_both(result):
    assert ROWS[0].difference == pytest.approx(4.0 / 5.0)
    assert all(row.difference is None for row in ROWS[1:])


def test_the_text_names_every_dataset_status_and_claim(result):
    text = result.table()
    for word in ("26.00 ± 3.00", "22.00", "+0.8", "over the limit", "no data", ">1h", "18.00 (1 of 10)", "agrees"):
        assert word in text
    assert "Not asked for: adult." in text
    assert "not judged: Trees are small." in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_blocks_keep_to_the_width_where_one_strategy_fits(result, width):
    lines = result.table(width).splitlines()
    block = lines[lines.index("Error in %") + 1 :]
    assert max(map(len, block[:3])) <= max(width, 48)
    assert sum("forest" in line for line in block) == 1


def test_markdown_has_one_line_per_dataset(result):
    lines = result.markdown().splitlines()
    assert sum(line.startswith("| sonar") for line in lines) == 1
    assert sum(line.startswith("| letter") for line in lines) == 1


def test_csv_and_json_and_frame_hold_every_row(result, tmp_path):
    rows = list(csv.DictReader(io.StringIO(result.to_csv(tmp_path / "rows.csv"))))
    assert [row["dataset"] for row in rows] == [row.dataset for row in ROWS]
    assert (tmp_path / "rows.csv").read_text() == result.to_csv()
    data = json.loads(result.to_json(tmp_path / "rows.json"))
    assert data["rows"][0]["difference"] == pytest.approx(0.8)
    assert [row["status"] for row in data["rows"]] == [row.status for row in ROWS]
    assert len(result.frame()) == len(ROWS)


def test_the_plot_is_written(result, tmp_path):
    pytest.importorskip("matplotlib")
    result.plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_runs_on_one_fold_count_once_in_the_standard_error():
    values, folds = [1.0, 3.0, 5.0, 7.0], [0, 0, 1, 1]
    row = mean_row("iris", "nodes", "Ardennes", values, planned=4, folds=folds)
    assert (row.ours, row.n) == (4.0, 4)
    assert row.standard_error == pytest.approx(2.0)  # of the folds' means, 2 and 6
    alone = mean_row("iris", "nodes", "Ardennes", values, planned=4)
    assert alone.standard_error == pytest.approx(statistics.stdev(values) / 2)


def test_json_knows_no_nan():
    row = Row("sonar", "error in %", "tree", float("nan"), float("inf"), 1, 1)
    (written,) = json.loads(Reproduction("x", "A title", "A claim.", (row,)).to_json(), parse_constant=pytest.fail)[
        "rows"
    ]
    assert written["ours"] is None
    assert written["standard_error"] is None
