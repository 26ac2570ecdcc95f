"""A table of rounds: what it may say, and the line of what it may not."""

from __future__ import annotations

import gzip

import pytest

from graphol.errors import InputError
from graphol.formats.stream_file import read_stream


@pytest.fixture
def read(tmp_path):
    def written(content, name="s.csv"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_stream(file)

    return written


def test_three_headers(read):
    rounds = read("node,context,sign\na,u,+1\nb,u,1\na,v,-1\n")
    assert rounds.nodes == ["a", "b", "a"] and rounds.signs.tolist() == [1, 1, -1]
    assert rounds.contexts == ["u", "u", "v"] and rounds.times is None
    assert rounds.lines == [2, 3, 4]
    rounds = read("node,time,sign\na,-5,1\nb,-5,1\na,+900000000000000000,-1\n")
    assert rounds.times.tolist() == [-5, -5, 9 * 10**17] and rounds.contexts is None
    assert read("node,sign\na,1\n\nb,-1\n").times.tolist() == [0, 1]
    assert read("node,sign\na,1\n\nb,-1\n").lines == [2, 4]


def test_the_same_in_other_forms(read):
    text = "node,time,sign\na,1,+1\nb,2,-1\n"
    wanted = read(text)[1:3]
    for content, name in (
        (text.replace(",", "\t"), "s.tsv"),
        (text.replace(",", " , "), "s.txt"),
        (text.replace("\n", "\r\n"), "s.csv"),
        (b"\xef\xbb\xbf" + text.encode(), "s.csv"),
        (gzip.compress(text.encode()), "s.csv.gz"),
        ("SIGN,Node,time\n+1,a,1\n-1,b,2\n", "s.csv"),
    ):
        found = read(content, name)[1:3]
        assert found[0] == wanted[0] and found[1].tolist() == wanted[1].tolist()
    noted = read(text.replace("sign", "sign,note").replace("1\n", "1,x\n")).notes
    assert len(noted) == 1 and noted[0].startswith("column 'note' of")


BAD = {
    "empty": ("", "is empty; it needs a header node,sign"),
    "only a header": ("node,sign\n", "has a header but no rows"),
    "no sign": ("node,context\na,u\n", "the header must be node,sign[,context][,time]"),
    "a slip": ("node,tme,sign\na,1,1\n", "unknown column 'tme': did you mean 'time'?"),
    "both": ("node,context,time,sign\na,u,1,1\n", "has both a context and a time"),
    "zero": ("node,sign\na,0\n", "line 2: the sign must be +1, 1 or -1, got '0'"),
    "plus": ("node,sign\na,1\nb,+\n", "line 3: the sign must be +1, 1 or -1, got '+'"),
    "float": ("node,sign\na,1.0\n", "line 2: the sign must be +1, 1 or -1, got '1.0'"),
    "no value": ("node,sign\na,\n", "line 2: the sign must be +1, 1 or -1, got ''"),
    "script": ("node,sign\na,１\n", "line 2: the sign must be"),
    "no node": ("node,sign\n,1\n", "line 2: the node is empty"),
    "no context": ("node,context,sign\na,,1\n", "line 2: the context is empty"),
    "no time": ("node,time,sign\na,,1\n", "line 2: '' is not a whole number"),
    "a date": ("node,time,sign\na,2020-01-01,1\n", "line 2: '2020-01-01' is not a whole number"),
    "half": ("node,time,sign\na,1.5,1\n", "line 2: '1.5' is not a whole number"),
    "1_0": ("node,time,sign\na,1_0,1\n", "line 2: '1_0' is not a whole number"),
    "digits": (f"node,time,sign\na,{'9' * 19},1\n", "has more than 18 digits"),
    "back": (
        "node,time,sign\na,5,1\n\nb,4,1\n",
        "line 4: the time 4 is before 5 of the line above",
    ),
    "width": ("node,sign\na,1,2\n", "line 2: 3 field(s), but the header has 2"),
    "header again": ("node,sign\na,1\nnode,sign\n", "line 3 repeats the header"),
    "latin-1": (b"node,sign\n\xe9,1\n", "line 2: not UTF-8"),
}


@pytest.mark.parametrize(("content", "says"), BAD.values(), ids=BAD)
def test_bad_tables(read, content, says):
    with pytest.raises(InputError) as caught:
        read(content)
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["s.json", "s", "s.gz"])
def test_files_that_are_no_tables(read, name):
    with pytest.raises(InputError, match=r"a stream of rounds ends in .csv .tsv .txt"):
        read("node,sign\na,1\n", name)
