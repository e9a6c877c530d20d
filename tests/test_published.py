"""The published tables: every row is there, spot values are the paper's, and the marks add up to its wins."""

from __future__ import annotations

import pytest

from palmette import published

JMLR_2019 = [f"jmlr2019-table{number}" for number in range(1, 9)]
DATASETS = [
    *("adult", "letter", "hypo", "ionosphere", "soybean", "kr_vs_kp", "anneal", "census", "spambase"),
    *("sonar", "optdigits", "coil2000", "clean1", "clean2", "madelon", "isolet", "gisette", "p53mutants"),
    *("arcene", "dexter"),
]


def test_all_eight_tables_of_2019_are_there():
    assert set(JMLR_2019) <= set(published.available())


@pytest.mark.parametrize("name", JMLR_2019)
def test_a_table_has_one_row_per_dataset_in_the_order_of_the_paper(name):
    assert [row["dataset"] for row in published.table(name)] == DATASETS


@pytest.mark.parametrize(
    ("name", "dataset", "column", "value"),
    [
        ("jmlr2019-table1", "adult", "instances", 48842),
        ("jmlr2019-table1", "dexter", "features", 20000),
        ("jmlr2019-table1", "soybean", "dtaccept0", 1843.12),
        ("jmlr2019-table1", "kr_vs_kp", "dtaccept0", ">1h"),
        ("jmlr2019-table1", "madelon", "ratio", None),
        ("jmlr2019-table1", "clean1", "ratio", 0.006),
        ("jmlr2019-table2", "adult", "generalization_baseline", 15.76),
        ("jmlr2019-table2", "adult", "search_dtaccept0", 14.19),
        ("jmlr2019-table2", "census", "generalization_dtaccept0", None),
        ("jmlr2019-table2", "clean1", "generalization_baseline_mark", "best"),
        ("jmlr2019-table3", "madelon", "rf", 36.25),
        ("jmlr2019-table3", "isolet", "dtsbe_rf_mark", "star"),
        ("jmlr2019-table4", "ionosphere", "features_baseline", 11.44),
        ("jmlr2019-table4", "sonar", "features_baseline", 13.32),
        ("jmlr2019-table4", "clean2", "stability_dtsbe_sd", 0.09),
        ("jmlr2019-table5", "kr_vs_kp", "oct", 5.8),
        ("jmlr2019-table5", "soybean", "one_hot", "yes"),
        ("jmlr2019-table5", "coil2000", "one_hot", None),
        ("jmlr2019-table5", "p53mutants", "time_oct", 142.69),
        ("jmlr2019-table6", "coil2000", "baseline", 5.98),
        ("jmlr2019-table6", "dexter", "dtsbe_rf", 43.74),
        ("jmlr2019-table7", "dexter", "dtsbe", 1656.07),
        ("jmlr2019-table7", "madelon", "sbe", ">1h"),
        ("jmlr2019-table8", "madelon", "baseline", 30.40),
        ("jmlr2019-table8", "soybean", "rf_sd", 2.31),
    ],
)
def test_spot_values(name, dataset, column, value):
    row = next(row for row in published.table(name) if row["dataset"] == dataset)
    assert row[column] == value


@pytest.mark.parametrize(
    ("name", "columns", "wins"),
    [
        ("jmlr2019-table2", "search_baseline search_dtsbe search_dtaccept0", "0/0 13/0 7/0"),
        (
            "jmlr2019-table2",
            "generalization_baseline generalization_dtsbe generalization_dtaccept0",
            "6/4 12/1 2/2",
        ),
        ("jmlr2019-table3", "rf dtsbe_rf", "13/2 7/2"),
        ("jmlr2019-table4", "features_baseline features_dtsbe features_dtaccept0", "0/0 18/0 2/0"),
        ("jmlr2019-table4", "stability_baseline stability_dtsbe stability_dtaccept0", "20/0 0/0 0/0"),
        ("jmlr2019-table5", "baseline dtsbe oct", "3/6 16/2 1/0"),
        ("jmlr2019-table6", "baseline dtsbe dtaccept0 rf dtsbe_rf", "8/4 11/3 1/2 12/3 8/1"),
        ("jmlr2019-table8", "baseline dtsbe dtaccept0 rf dtsbe_rf", "7/6 11/3 2/2 16/1 4/5"),
    ],
)
def test_marks_add_up_to_the_wins_that_the_paper_prints(name, columns, wins):
    def count(column, mark):
        return sum(row[f"{column}_mark"] == mark for row in published.table(name))

    assert [f"{count(column, 'best')}/{count(column, 'star')}" for column in columns.split()] == wins.split()


@pytest.mark.parametrize("name", JMLR_2019)
def test_a_mean_and_its_deviation_are_both_there_or_both_missing(name):
    for row in published.table(name):
        for column in row:
            if column.endswith("_sd"):
                mean = column.removesuffix("_sd")
                assert isinstance(row[mean], float) == isinstance(row[column], float), (row["dataset"], mean)


@pytest.mark.parametrize("name", ["jmlr2019-table1", "jmlr2019-table7"])
def test_the_ratio_of_times_is_that_of_its_two_columns(name):
    for row in published.table(name):
        if isinstance(row["ratio"], float) and row["dtsbe"] >= 0.1:
            # Both times are rounded to 0.01 seconds.
            quotient = row["dtsbe"] / row["sbe"]
            assert row["ratio"] == pytest.approx(quotient, abs=0.001, rel=0.02), row["dataset"]


def test_the_table_of_2017_is_there():
    rows = published.table("icml2017-table1")
    assert len(rows) == 13
    assert rows[0]["sbe"] == 3.311
    assert published.estimate("icml2017-table1", "sonar", "optimal") == published.Estimate(25.69, 9.12)
    assert published.estimate("icml2017-table1", "gisette", "optimal") is None
    for row in rows:
        if isinstance(row["ratio"], float) and row["psbe"] >= 0.02:
            assert row["ratio"] == pytest.approx(row["psbe"] / row["sbe"], abs=0.001), row["dataset"]


@pytest.mark.parametrize("name", ["jmlr2019-text", "icml2017-text"])
def test_a_number_of_the_text_comes_with_the_words(name):
    for row in published.table(name):
        assert isinstance(row["value"], float)
        assert row["words"]
        assert published.stated(row["study"], row["quantity"]) == row["value"]
    with pytest.raises(KeyError, match="has no number"):
        published.stated("jmlr2019-figure8", "least_ratio")


def test_an_estimate_carries_mean_deviation_and_mark():
    assert published.estimate("jmlr2019-table2", "hypo", "generalization_baseline") == published.Estimate(
        0.42, 0.32, "best"
    )
    assert published.estimate("jmlr2019-table2", "madelon", "search_dtaccept0") is None


def test_unknown_names_are_told_what_there_is():
    with pytest.raises(ValueError, match="jmlr2019-table1"):
        published.table("jmlr2019-table9")
    with pytest.raises(KeyError, match="adult"):
        published.estimate("jmlr2019-table2", "adlut", "generalization_baseline")
    with pytest.raises(TypeError):
        published.table("jmlr2019-table1")[0]["rf"] = 1.0
