"""Decimal signs and thousands separators: what has two readings follows the other columns, and is always said."""

from __future__ import annotations

import pytest

from palmette.data.files import FileContents, read_file

LEFT_AS_TEXT = (
    "The commas in 'a' may be decimal points or separate thousands, and the other columns do not tell: they were left "
    "as text. Instead of 1,036, write 1036 or 1.036."
)
READ_AS_POINTS = (
    "The dots in 'a' were read as decimal points, but may separate thousands, and the other columns do not tell: if "
    "1.036 is meant to be 1036, write that."
)


@pytest.fixture
def read(tmp_path):
    def read(columns: dict[str, list[str]], delimiter: str, *, quote: str = '"') -> FileContents:
        path = tmp_path / "table.csv"
        rows = [list(columns), *zip(*columns.values(), strict=True)]
        quoted = [[f"{quote}{value}{quote}" for value in row] for row in rows]
        path.write_text("".join(delimiter.join(row) + "\n" for row in quoted))
        return read_file(path)

    return read


def typed(contents: FileContents, name: str) -> tuple[str, list[object]]:
    return str(contents.table.schema.field(name).type), contents.table.column(name).to_pylist()


@pytest.mark.parametrize(("delimiter", "quote"), [(",", '"'), (";", '"'), (";", ""), ("\t", ""), ("|", "")])
class TestEveryDelimiter:
    def test_commas_beside_decimal_points_are_thousands(self, read, delimiter, quote):
        contents = read(
            {"a": ["999", "1,036", "-12,345"], "b": ["0.5", "1.5", "2.5"], "t": ["x", "y", "x"]}, delimiter, quote=quote
        )
        assert typed(contents, "a") == ("int64", [999, 1036, -12345])
        assert contents.notes == (
            "The commas in 'a' were read as thousands separators: 'b' shows that they are not decimal points.",
        )

    def test_dots_beside_decimal_commas_are_thousands(self, read, delimiter, quote):
        contents = read(
            {"a": ["1.421", "737", "?"], "b": ["2,5", "1,25", "0"], "t": ["x", "y", "x"]}, delimiter, quote=quote
        )
        assert typed(contents, "a") == ("int64", [1421, 737, None])
        assert typed(contents, "b") == ("double", [2.5, 1.25, 0.0])
        assert contents.notes == (
            "The commas in 'b' were read as decimal points.",
            "The dots in 'a' were read as thousands separators: 'b' shows that they are not decimal points.",
        )

    def test_commas_beside_decimal_commas_are_decimal_too(self, read, delimiter, quote):
        contents = read({"a": ["1,036", "737"], "b": ["2,5", "1,25"]}, delimiter, quote=quote)
        assert typed(contents, "a") == ("double", [1.036, 737.0])
        assert contents.notes == (
            "The commas in 'b' were read as decimal points.",
            "The commas in 'a' were read as decimal points, as in 'b', but could separate thousands.",
        )

    def test_dots_beside_decimal_points_are_decimal_too(self, read, delimiter, quote):
        contents = read({"a": ["1.036", "737"], "b": ["1.5", "2.5"]}, delimiter, quote=quote)
        assert typed(contents, "a") == ("double", [1.036, 737.0])
        assert contents.notes == ()

    def test_commas_alone_stay_text(self, read, delimiter, quote):
        contents = read({"a": ["1,036", "737"], "b": ["1", "2"]}, delimiter, quote=quote)
        assert typed(contents, "a") == ("string", ["1,036", "737"])
        assert contents.notes == (LEFT_AS_TEXT,)

    def test_columns_that_disagree_do_not_tell(self, read, delimiter, quote):
        columns = {"a": ["1,036", "737"], "b": ["0.5", "2.5"], "c": ["0,5", "2,5"]}
        contents = read(columns, delimiter, quote=quote)
        assert typed(contents, "a") == ("string", ["1,036", "737"])
        assert (typed(contents, "b")[1], typed(contents, "c")[1]) == ([0.5, 2.5], [0.5, 2.5])
        assert contents.notes == ("The commas in 'c' were read as decimal points.", LEFT_AS_TEXT)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_dots_alone_are_decimal_points_with_a_note(read, delimiter):
    contents = read({"a": ["737", "1.036"], "b": ["1", "2"]}, delimiter)
    assert typed(contents, "a") == ("double", [737.0, 1.036])
    assert contents.notes == (READ_AS_POINTS,)


def test_dots_between_commas_need_no_note(read):
    contents = read({"a": ["737", "1.036"], "b": ["1", "2"]}, ",", quote="")
    assert typed(contents, "a") == ("double", [737.0, 1.036])
    assert contents.notes == ()


@pytest.mark.parametrize(
    ("texts", "numbers", "kind"),
    [
        (["0,123", "1,234"], [0.123, 1.234], "decimal points"),
        (["1234,567", "1,234"], [1234.567, 1.234], "decimal points"),
        (["1,5", "1,234"], [1.5, 1.234], "decimal points"),
        (["1,234e3", "2"], [1234.0, 2.0], "decimal points"),
        (["1,234,567", "1,234"], [1234567, 1234], "thousands separators"),
        (["1,234.5", "+1,234"], [1234.5, 1234.0], "thousands separators"),
    ],
)
def test_a_column_that_tells_by_itself(read, texts, numbers, kind):
    contents = read({"a": texts, "b": ["x", "y"]}, ";")
    assert typed(contents, "a")[1] == numbers
    assert contents.notes == (f"The commas in 'a' were read as {kind}.",)


def test_dots_and_commas_in_one_column(read):
    contents = read({"price": ["1.234,50", "7,25"], "count": ["1.036", "7"]}, ";")
    assert typed(contents, "price") == ("double", [1234.5, 7.25])
    assert typed(contents, "count") == ("int64", [1036, 7])
    assert contents.notes[:2] == (
        "The commas in 'price' were read as decimal points.",
        "The dots in 'price' were read as thousands separators.",
    )


def test_numbers_of_parts_beside_decimal_points_stay_text(read):
    contents = read({"part": ["1.234.567", "1.234.568"], "weight": ["0.5", "2.25"]}, ";")
    assert typed(contents, "part") == ("string", ["1.234.567", "1.234.568"])
    assert contents.notes == ()


def test_a_late_value_tells(read):
    """The dots of the first rows could separate thousands; those of the last row cannot."""
    contents = read({"a": ["1.036"] * 5000 + ["1.5"], "b": ["1,036"] * 5001}, ";", quote="")
    assert typed(contents, "a")[1][-2:] == [1.036, 1.5]
    assert typed(contents, "b") == ("int64", [1036] * 5001)


@pytest.mark.parametrize("texts", [["1,2,3", "4,5,6"], ["1,23", "x"], ["12,34,567", "1"], ["1.5", "1,5"], [",", "1"]])
def test_what_is_no_number_stays_text(read, texts):
    contents = read({"a": texts, "b": ["1", "2"]}, ";")
    assert typed(contents, "a") == ("string", texts)
    assert contents.notes == ()
