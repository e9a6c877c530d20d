"""What a file of a table may look like, and the one sentence that each bad file ends in."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from palmette.data.files import FileContents, FileError, read_file


@pytest.fixture
def written(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def columns(contents: FileContents) -> dict[str, list[object]]:
    return contents.table.to_pydict()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(written, delimiter):
    text = "height,kind,class\n1.5,tall,yes\n2,short,no\n".replace(",", delimiter)
    contents = read_file(written("table.csv", text))
    assert columns(contents) == {"height": [1.5, 2.0], "kind": ["tall", "short"], "class": ["yes", "no"]}
    assert contents.notes == ()


def test_a_delimiter_inside_quotes_does_not_count(written):
    contents = read_file(written("table.csv", 'a;b\n"x, y, z";1\n"u, v, w";2\n'))
    assert columns(contents) == {"a": ["x, y, z", "u, v, w"], "b": [1, 2]}


@pytest.mark.parametrize("sign", ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", " ? ", '"?"'])
def test_signs_of_missing_values(written, sign):
    contents = read_file(written("table.csv", f"number,word,class\n1,a,x\n{sign},{sign},y\n3,c,x\n"))
    assert columns(contents)["number"] == [1, None, 3]
    assert columns(contents)["word"] == ["a", None, "c"]


def test_blanks_after_the_delimiter_are_no_part_of_the_values(written):
    contents = read_file(written("adult.csv", "age, work, class\n39, State-gov, <=50K\n ?, ?, >50K\n"))
    assert columns(contents) == {
        "age": [39, None],
        "work": ["State-gov", None],
        "class": ["<=50K", ">50K"],
    }


def test_numbers_words_truths_and_dates_are_told_apart(written):
    text = "i,f,w,t,d\n1,1.5,a,true,2024-01-31\n2,2e3,7b,false,2024-02-29\n"
    types = read_file(written("table.csv", text)).table.schema.types
    assert [str(kind) for kind in types] == ["int64", "double", "string", "bool", "date32[day]"]


def test_a_late_word_makes_a_column_of_words(written):
    rows = "".join(f"{number},x\n" for number in range(300_000))
    contents = read_file(written("table.csv", f"value,class\n{rows}none,y\n"))
    assert str(contents.table.schema.field("value").type) == "string"


def test_decimal_commas_where_the_delimiter_is_another(written):
    contents = read_file(written("table.csv", "a;b\n1,5;x\n-2,25;y\n"))
    assert columns(contents)["a"] == [1.5, -2.25]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_unicode(written, encoding):
    contents = read_file(written("table.csv", "größe,class\nübergroß,ж\n".encode(encoding)))
    assert columns(contents) == {"größe": ["übergroß"], "class": ["ж"]}
    assert contents.notes == ()


def test_latin_1_is_a_fallback_that_is_said(written):
    contents = read_file(written("table.csv", "größe,class\ngroß,a\n".encode("latin-1")))
    assert columns(contents) == {"größe": ["groß"], "class": ["a"]}
    assert "Latin-1" in contents.notes[0]


def test_windows_line_ends_and_blank_lines(written):
    contents = read_file(written("table.csv", "\r\na,b\r\n1,2\r\n\r\n3,4\r\n\r\n"))
    assert columns(contents) == {"a": [1, 3], "b": [2, 4]}


def test_a_quoted_value_may_hold_a_line_break(written):
    contents = read_file(written("table.csv", 'a,b\n"two\nlines",1\n"say ""so""",2\n'))
    assert columns(contents)["a"] == ["two\nlines", 'say "so"']


def test_a_nameless_column_that_counts_the_rows_is_left_out(written):
    contents = read_file(written("table.csv", ",a,b\n0,5,6\n1,7,8\n2,9,10\n"))
    assert contents.table.column_names == ["a", "b"]
    assert "left out" in contents.notes[0]


def test_a_nameless_column_of_values_gets_a_name(written):
    contents = read_file(written("table.csv", "a,,b\n1,x,3\n2,y,4\n"))
    assert contents.table.column_names == ["a", "column_2", "b"]
    assert "column_2" in contents.notes[0]


def test_a_delimiter_at_the_end_of_every_line_makes_no_column(written):
    assert read_file(written("table.csv", "a,b,\n1,2,\n3,4,\n")).table.column_names == ["a", "b"]


def test_without_a_header_columns_are_numbered(written):
    path = written("iris.data", "5.1,3.5,setosa\n4.9,3.0,setosa\n")
    assert "--no-header" in read_file(path).notes[0]
    contents = read_file(path, header=False)
    assert columns(contents) == {
        "column_1": [5.1, 4.9],
        "column_2": [3.5, 3.0],
        "column_3": ["setosa", "setosa"],
    }


def test_a_first_line_of_decimal_commas_looks_like_data(written):
    assert "--no-header" in read_file(written("table.csv", "5,1;3;a\n4,9;4;b\n")).notes[0]


@pytest.mark.parametrize("content", ["0,0,x\n1,2,y\n", "0,x,x\n1,y,z\n", "0.5,0.5,x\n1,2,y\n"])
def test_doubled_names_in_a_first_line_of_data(written, content):
    path = written("table.csv", content)
    with pytest.raises(FileError, match=r"or tell that the first line holds data \(--no-header"):
        read_file(path)
    assert read_file(path, header=False).table.column_names == ["column_1", "column_2", "column_3"]


@pytest.mark.parametrize("line", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "\nsep=;\n"])
def test_excel_names_the_delimiter_in_the_first_line(written, line):
    contents = read_file(written("table.csv", f"{line}a;b\n1, 2;x\n3, 4;y\n"))
    assert columns(contents) == {"a": ["1, 2", "3, 4"], "b": ["x", "y"]}
    assert contents.notes == ()


def test_excel_may_name_any_sign(written):
    path = written("table.csv", "sep=:\na:b\n1:x\n2:y:z\n")
    with pytest.raises(FileError, match=r"line 4: 3 fields where the first line has 2 \(fields end at a ':'\)"):
        read_file(path)
    assert columns(read_file(written("table.csv", "sep= \na b\n1 x\n"))) == {"a": [1], "b": ["x"]}


def test_comments_before_the_table_are_left_out(written):
    contents = read_file(written("table.csv", "# made by foo\na,b\n1,x\n2,y\n"))
    assert columns(contents) == {"a": [1, 2], "b": ["x", "y"]}
    assert contents.notes == ("Line 1 of 'table.csv' begins with # and holds no values: it is left out.",)

    contents = read_file(written("table.csv", "\r\n# made by foo, on a Monday,\r\n#\r\n\r\na;b\r\n1;x\r\n"))
    assert columns(contents) == {"a": [1], "b": ["x"]}
    assert contents.notes == ("Lines 2 to 3 of 'table.csv' begin with # and hold no values: they are left out.",)


def test_names_and_values_may_begin_with_the_sign_of_comments(written):
    contents = read_file(written("table.csv", "# made by foo\n#id\tcolor\n1\t#fff\n"))
    assert columns(contents) == {"#id": [1], "color": ["#fff"]}
    contents = read_file(written("table.csv", "#fff,1\n#000,2\nred,3\n"), header=False)
    assert columns(contents) == {"column_1": ["#fff", "#000", "red"], "column_2": [1, 2, 3]}
    assert contents.notes == ()


@pytest.mark.parametrize("content", ["a b c\n1 2 x\n3 4 y\n", "a:b\n1:2\n", "a\n1\n"])
def test_a_file_without_a_delimiter_says_so(written, content):
    contents = read_file(written("table.csv", content))
    assert contents.table.num_columns == 1
    assert contents.notes == (
        "There is no comma, semicolon, tab or bar in line 1 of 'table.csv': every line was read as a single value "
        "(blanks do not separate values).",
    )


def test_a_delimiter_that_is_named_but_not_there(written):
    contents = read_file(written("table.csv", "sep=;\na,b\n1,2\n"))
    assert contents.notes[0].startswith("There is no semicolon in line 2 of 'table.csv'")


def test_lines_are_counted_from_the_beginning_of_the_file(written):
    for content, message in {
        "\nsep=,\n# a comment\n\na,b\n1,2\n3\n": "line 7: 1 field where",
        '# a comment\na,b\n1,x\n2,"y\n3,z\n': "opened in line 4 is never closed",
    }.items():
        with pytest.raises(FileError, match=message):
            read_file(written("table.csv", content))


def test_an_error_keeps_the_notes_that_came_before_it(written):
    with pytest.raises(FileError, match="line 4") as raised:
        read_file(written("table.csv", "# größe\na,b\n1,2\n3\n".encode("latin-1")))
    assert raised.value.notes == (
        "'table.csv' is not UTF-8; it was read as Latin-1.",
        "Line 1 of 'table.csv' begins with # and holds no values: it is left out.",
    )
    with pytest.raises(FileError) as raised:
        read_file(written("table.csv", ""))
    assert raised.value.notes == ()


def test_the_content_decides_not_the_name(written, tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "table.csv")
    contents = read_file(tmp_path / "table.csv")
    assert (contents.format, columns(contents)) == ("Parquet", {"a": [1, 2]})
    assert "in spite of its name" in contents.notes[0]

    contents = read_file(written("table.parquet", "a,b\n1,2\n"))
    assert contents.format == "CSV"
    assert "in spite of its name" in contents.notes[0]

    contents = read_file(written("table.txt", "% a comment\n@relation r\n@attribute a real\n@data\n1\n"))
    assert (contents.format, contents.notes) == ("ARFF", ())


def test_parquet_keeps_categories_and_forgets_the_index_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": pandas.Categorical(["s", "l"], ["s", "m", "l"])}, index=["p", "q"])
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_file(tmp_path / "table.parquet").table
    assert table.column_names == ["size"]
    assert table.column("size").chunk(0).dictionary.to_pylist() == ["s", "m", "l"]


def test_decimals_of_parquet_become_doubles(tmp_path):
    column = pa.array(["1.50", None]).cast(pa.decimal128(5, 2))
    pq.write_table(pa.table({"price": column}), tmp_path / "table.parquet")
    table = read_file(tmp_path / "table.parquet").table
    assert (str(table.schema.types[0]), table.column(0).to_pylist()) == ("double", [1.5, None])


def test_doubled_names_in_parquet(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "table.parquet")
    with pytest.raises(FileError, match=r"table.parquet' has two columns named 'a': give every column its own name\.$"):
        read_file(tmp_path / "table.parquet")


ARFF = """\
% A table of every kind of attribute
@RELATION 'all kinds'
@attribute 'a name' {small, 'very large', "com,ma", '?'}
@ATTRIBUTE height REAL
@attribute "count" integer
@attribute word string
@attribute day date "yyyy-MM-dd"
@attribute class{no,yes}

@DATA
small, 1.5, 3, 'it\\'s', "2024-01-31", yes
% between the rows
'very large',?,?,?,?,no
"com,ma",1e3,5,plain,2024-02-29,yes
'?',-0.5,0,"a b",?,no
{0 'very large', 3 some, 5 yes}
{}
"""


def test_every_kind_of_arff_attribute(written):
    contents = read_file(written("table.arff", ARFF))
    assert columns(contents) == {
        "a name": ["small", "very large", "com,ma", "?", "very large", "small"],
        "height": [1.5, None, 1000.0, -0.5, 0.0, 0.0],
        "count": [3, None, 5, 0, 0, 0],
        "word": ["it's", None, "plain", "a b", "some", ""],
        "class": ["yes", "no", "yes", "no", "yes", "no"],
    }
    dictionary = contents.table.column("a name").chunk(0).dictionary.to_pylist()
    assert dictionary == ["small", "very large", "com,ma", "?"]
    assert contents.notes == ("Column 'day' holds dates, which a tree cannot use: it is left out.",)


def test_arff_rows_may_be_cut_by_tabs(written):
    head = "@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n"
    assert columns(read_file(written("t.arff", f"{head}1\tx\n2\ty\n"))) == {"a": [1, 2], "b": ["x", "y"]}


HEAD = "@relation r\n@attribute a real\n@attribute b {x, y}\n@data\n"

BAD_FILES = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b" \n\n ", "is empty"),
    "delimiter_only.csv": (b"sep=;\n", "is empty"),
    "names_only.csv": (b"a,b,class\n", "no rows"),
    "short_row.csv": (b"a,b,c\n1,2,3\n4,5\n", "line 3: 2 fields where the first line has 3"),
    "long_row.csv": (b'a,b\n1,"x\ny"\n4,5,6\n', "line 4: 3 fields where the first line has 2"),
    "twice.csv": (b"a,b,a\n1,2,3\n", "two columns named 'a'"),
    "open_quote.csv": (b'a,b\n1,x\n2,"y\n3,z\n', "opened in line 3 is never closed"),
    "binary.csv": (bytes(range(256)) * 8, "holds binary data"),
    "workbook.csv": (b"PK\x03\x04rest", "Excel"),
    "packed.csv": (b"\x1f\x8b\x08rest", "gzip"),
    "picture.csv": (b"\x89PNG\r\n", "picture"),
    "model.csv": (b"\x80\x04\x95rest", "pickle"),
    "odd_utf16.csv": (b"\xff\xfea", "binary data"),
    "torn.parquet": (b"PAR1 and no more PAR1", "damaged Parquet file"),
    "no_data.arff": (b"@relation r\n@attribute a real\n", "no @data line"),
    "no_attribute.arff": (b"@relation r\n@data\n1\n", "@data comes before any @attribute"),
    "stray.arff": (b"@relation r\nhello\n", "line 2: expected @attribute"),
    "nameless.arff": (b"@relation r\n@attribute\n", "line 2: an attribute needs a name"),
    "twice.arff": (b"@relation r\n@attribute a real\n@attribute a real\n", "declared twice"),
    "type.arff": (b"@relation r\n@attribute a frob\n@data\n", "the type 'frob' of 'a' is not known"),
    "brace.arff": (b"@relation r\n@attribute a {x, y\n@data\n", "no closing brace"),
    "no_values.arff": (b"@relation r\n@attribute a {}\n@data\n", "has no values"),
    "short.arff": (HEAD.encode() + b"1\n", "line 5: 1 value"),
    "number.arff": (HEAD.encode() + b"one,x\n", "line 5: 'one' is not a number for 'a'"),
    "undeclared.arff": (HEAD.encode() + b"1,z\n", "line 5: 'z' is not a declared value of 'b'"),
    "quote.arff": (HEAD.encode() + b"1,'x\n", "line 5: a quotation mark"),
    "sparse_index.arff": (HEAD.encode() + b"{7 x}\n", "line 5: index 7"),
    "sparse_brace.arff": (HEAD.encode() + b"{0 1\n", "line 5: a sparse row has no closing brace"),
    "sparse_entry.arff": (HEAD.encode() + b"{x}\n", "line 5: 'x' is not an index and a value"),
    "weights.arff": (HEAD.encode() + b"1,x,{0.5}\n", "weights of rows"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_ends_in_one_sentence(written, name):
    content, sentence = BAD_FILES[name]
    with pytest.raises(FileError) as raised:
        read_file(written(name, content))
    message = str(raised.value)
    assert sentence in message
    assert name in message
    assert "\n" not in message
    assert message.endswith(".")


def test_no_file_and_a_directory(tmp_path):
    with pytest.raises(FileError, match="is a directory"):
        read_file(tmp_path)
    with pytest.raises(FileError, match="There is no file"):
        read_file(tmp_path / "nowhere.csv")


HOSTILE = st.one_of(
    st.binary(max_size=60),
    st.text(",;\t|\n\r\"'?#a1.- \\ü\u2028", max_size=60).map(str.encode),
    st.text(',;#\n"a1. ', max_size=30).map(lambda rest: b"sep=" + rest.encode()),
    st.text("{},'\"? %\\x01\n", max_size=40).map(lambda rows: HEAD.encode() + rows.encode()),
    st.text("@atribue dn{},'\"\n", max_size=40).map(lambda head: b"@relation r\n@attribute " + head.encode()),
    st.binary(max_size=40).map(lambda rest: b"PAR1" + rest + b"PAR1"),
)


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(HOSTILE, st.booleans())
@example(b"\n\n,\n", True)
def test_any_bytes_are_a_table_or_a_sentence(written, content, header):
    message = ""
    try:
        table = read_file(written("any", content), header=header).table
    except FileError as error:
        message = str(error)
    assert "\n" not in message
    assert message or (table.num_rows > 0 and len(set(table.column_names)) == table.num_columns)
