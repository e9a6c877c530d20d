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


IJCNN_2012 = [f"ijcnn2012-table{number}" for number in (1, 2, 3)]


def test_the_three_tables_of_2012_have_the_same_datasets():
    datasets = [[row["dataset"] for row in published.table(name)] for name in IJCNN_2012]
    assert datasets[0] == datasets[1] == datasets[2]
    assert len(datasets[0]) == 18
    assert [row["features"] for row in published.table(IJCNN_2012[0])] == [
        row["all"] for row in published.table(IJCNN_2012[1])
    ]


@pytest.mark.parametrize(
    ("column", "line"),
    [
        *(("rf_rrf", "4/6/8"), ("rf_rboost", "3/6/9"), ("rf_cfs", "2/14/2"), ("rf_fcbf", "0/16/2")),
        *(("c45_rrf", "1/1/16"), ("c45_rboost", "2/0/16"), ("c45_cfs", "5/3/10"), ("c45_fcbf", "3/3/12")),
    ],
)
def test_marks_of_2012_add_up_to_the_wins_losses_and_ties_that_the_paper_prints(column, line):
    marks = [row[f"{column}_mark"] for row in published.table("ijcnn2012-table3")]
    assert "/".join(str(marks.count(mark)) for mark in ("better", "worse", None)) == line


def test_spot_values_of_2012():
    rows = {name: {row["dataset"]: row for row in published.table(name)} for name in IJCNN_2012}
    assert rows["ijcnn2012-table1"]["arrhythmia"]["classes"] == 13
    assert rows["ijcnn2012-table2"]["madelon"]["rboost"] == 76.9
    assert rows["ijcnn2012-table2"]["arcene"]["fcbf"] == 35.1
    assert rows["ijcnn2012-table3"]["clean1"]["c45_rrf"] == 0.746
    assert rows["ijcnn2012-table3"]["hill_valley"]["rf_cfs"] == 0.489


def test_table_3_of_2017():
    table = published.table("cec2017-table3")
    assert len(table) == 10
    by_name = {row["dataset"]: row for row in table}
    assert by_name["vehicle"]["legal_nodes"] == 422.8
    assert by_name["tep_fea"]["ardennes_height"] == 2.0
    assert by_name["wine"]["j48_nodes_sd"] == 0.98
    # The text of the paper: against LEGAL-Tree, and against J48.
    accuracies = [(row["ardennes_accuracy"], row["legal_accuracy"], row["j48_accuracy"]) for row in table]
    assert sum(ours > legal for ours, legal, _ in accuracies) == 8
    assert (sum(a > c for a, _, c in accuracies), sum(a == c for a, _, c in accuracies)) == (4, 3)
    assert sum(row["ardennes_height"] < row["legal_height"] for row in table) == 9
    assert all(row["ardennes_nodes"] < row["legal_nodes"] for row in table)
