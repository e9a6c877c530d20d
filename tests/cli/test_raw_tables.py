"""Tables as they come from other programs: read sensibly, and what was decided is said."""

from __future__ import annotations

import random

import pytest


def table(delimiter=",", point=".", newline="\n", overcast="overcast"):
    """A table of the weather: 150 rows whose class needs the outlook and the humidity."""
    generator = random.Random(0)
    lines = [delimiter.join(("outlook", "humidity", "play"))]
    for _ in range(150):
        outlook, humidity = generator.choice(("sunny", overcast, "rain")), generator.randint(500, 999) / 10
        play = "yes" if outlook == overcast or (outlook == "sunny" and humidity <= 75) else "no"
        lines.append(delimiter.join((outlook, str(humidity).replace(".", point), play)))
    return newline.join(lines) + newline


KINDS = {
    "a byte-order mark": (("\ufeff" + table()).encode(), None),
    "Windows lines": (table(newline="\r\n").encode(), None),
    "old Mac lines": (table(newline="\r").encode(), None),
    "semicolons": (table(";").encode(), None),
    "tabs": (table("\t").encode(), None),
    "decimal commas": (table(";", ",").encode(), "The commas in 'humidity' were read as decimal points."),
    "UTF-16": (table().encode("utf-16"), None),
    "Latin-1": (table(overcast="bewölkt").encode("latin-1"), "is not UTF-8; it was read as Latin-1."),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_table_in_another_dress(run, tmp_path, kind):
    content, note = KINDS[kind]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    result = run("select", path)
    assert result.code == 0
    assert "table.csv: 150 samples, 2 features, 2 classes of 'play'" in result.out
    assert "outlook, humidity" in result.out
    assert "humidity <= " in result.out
    assert note is None or note in result.err


def test_quoted_decimal_commas_and_thousands(run, tmp_path):
    path = tmp_path / "table.csv"
    rows = (f'"{number % 10},5","{number % 9 + 1},000",{"x" if number % 10 > 4 else "y"}' for number in range(90))
    path.write_text("share,salary,class\n" + "\n".join(rows) + "\n")
    result = run("tree", path)
    assert "The commas in 'share' were read as decimal points." in result.err
    assert "share <= 4.5" in result.out or "share <= 5" in result.out


def test_a_quoted_newline(run, tmp_path):
    path = tmp_path / "table.csv"
    rows = (f'{number % 7},"two\nlines {number % 3}",{"x" if number % 3 else "y"}' for number in range(60))
    path.write_text("a,b,class\n" + "\n".join(rows) + "\n")
    result = run("tree", path)
    assert "60 samples" in result.out
    assert r"b = two\nlines 0" in result.out


def test_everything_at_once(run, tmp_path):
    """Strings, missing values, dates, a constant, a counter, a column of ten thousand categories."""
    generator = random.Random(1)
    lines = ["day,when,customer,outlook,humidity,planet,number,play"]
    for number in range(30_000):
        outlook, humidity = generator.choice(("sunny", "overcast", "rain")), generator.randint(50, 99)
        play = "yes" if outlook == "overcast" or (outlook == "sunny" and humidity <= 75) else "no"
        shown = "" if generator.random() < 0.03 else outlook
        measured = "NA" if generator.random() < 0.02 else humidity
        day = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}"
        when = f"{number % 28 + 1}.{number % 12 + 1}.{2000 + number % 24}"
        lines.append(f"{day},{when},c{generator.randrange(10_000)},{shown},{measured},Earth,{number},{play}")
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    page = tmp_path / "page.html"
    result = run("select", path, "--report", page, "--report-seconds", 0.5, "--time-limit", 60)
    assert result.code == 0
    notes = (
        "Column 'day' holds dates or times, which a tree cannot use: it is left out.",
        "Column 'when' holds dates or times, which a tree cannot use (--categorical keeps it as text): it is left out.",
        "categories, on which a tree splits by chance (--categorical keeps it): it is left out.",
        "Column 'number' counts the rows: is it a feature?",
        "Column 'planet' holds a single value: no tree asks for it.",
    )
    html = page.read_text(encoding="utf-8").replace("&#39;", "'")
    for note in notes:
        assert note in result.err
        assert note in html
    assert "4 features" in result.out
    assert "outlook, humidity" in result.out
    assert "values missing" in html
    assert "1 constant column" in html


def test_a_target_of_thousands_of_classes(run, tmp_path):
    path = tmp_path / "table.csv"
    rows = (f"{number * 7 % 11},c{number % 3000}" for number in range(6000))
    path.write_text("a,class\n" + "\n".join(rows) + "\n")
    result = run("select", path)
    assert result.code == 0
    assert "The target 'class' has 3000 classes in 6000 rows: is it the right one?" in result.err


def test_a_target_of_zeros_and_ones_written_as_floats(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,class\n" + "".join(f"{number % 10},{float(number % 10 > 4)}\n" for number in range(60)))
    result = run("tree", path)
    assert "60 samples, 1 feature, 2 classes of 'class'" in result.out
    assert "a > 4: 1 (30.0)" in result.out


def test_too_many_features_for_a_complete_search(run, tmp_path):
    path = tmp_path / "table.csv"
    names = ",".join(f"f{place}" for place in range(2100))
    rows = (",".join(str((row * place) % 3) for place in range(2100)) + f",{row % 2}" for row in range(20))
    path.write_text(f"{names},class\n" + "\n".join(rows) + "\n")
    result = run("select", path)
    assert result.code == 2
    assert "at most 2,048: --strategy backward takes any number." in result.err


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("tree", []),
        ("tree", ["--rules"]),
        ("select", []),
        ("select", ["--strategy", "oblivion"]),
        ("select", ["--strategy", "rrf"]),
        ("compare", ["--strategies", "tree", "--repeats", "1", "--folds", "2"]),
    ],
)
def test_no_name_commands_the_terminal(run, tmp_path, verb, words):
    red = "\x1b[31mred"
    rows = [f"{number},{number // 30},{'ab'[number // 30]}" for number in range(60)]
    path = tmp_path / f"{red}.csv"
    path.write_text("\n".join([f"{red},{red} too,{red} class", *rows]) + "\n")
    result = run(verb, path, *words)
    assert result.code == 0, result.err
    assert "Column '\\x1b[31mred' counts the rows" in result.err
    assert "\x1b" not in result.out + result.err
    missing = run(verb, path, *words, "--drop", "\x1b[32mgreen")
    assert missing.code == 2
    assert "has no column '\\x1b[32mgreen'" in missing.err
    assert "\x1b" not in missing.err
