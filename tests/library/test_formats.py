"""Each kind of file gives its words, its title and what it says of itself; a broken one says why."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import docx
import pytest
from pypdf import PdfWriter

from nephele_nb.library.documents import Document, Unreadable, decoded
from nephele_nb.library.formats import read_document
from nephele_nb.library.notebooks import ALL_OUTPUT, CELL_OUTPUT


def pdf(*lines: str, title: str = "") -> bytes:
    """Return a real PDF with one page of text a line, made by hand so that no printer is needed."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for line in lines:
        stream = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET".encode("latin-1")
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 <<"
            b" /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>" % (len(objects) + 2)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % k for k in kids))
    objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (len(objects) + 1, len(objects))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, table, trailer, start,
    )  # fmt: skip


def read(path: Path, data: bytes | str) -> Document:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_document(path)


def test_a_pdf_gives_its_pages(tmp_path: Path) -> None:
    found = read(tmp_path / "a.pdf", pdf("A pelican on page one", "A stork on page two", title="Birds"))
    assert (found.title, found.text) == ("Birds", "A pelican on page one\n\nA stork on page two")
    assert read(tmp_path / "named.pdf", pdf("x")).title == "named"


def test_a_pdf_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    whole = pdf("A pelican")
    for data, said in [(b"%PDF-1.4 broken", "not a PDF"), (b"", "not a PDF"), (pdf(), "pictures of text")]:
        with pytest.raises(Unreadable, match=said):
            read(tmp_path / "a.pdf", data)
    for cut in range(0, len(whole), 37):
        try:
            assert "pelican" in read(tmp_path / "a.pdf", whole[:cut]).text
        except Unreadable:
            continue
    writer = PdfWriter(BytesIO(whole))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = BytesIO()
    writer.write(locked)
    with pytest.raises(Unreadable, match="locked by a password"):
        read(tmp_path / "a.pdf", locked.getvalue())


def test_a_word_document_gives_headings_tables_and_properties(tmp_path: Path) -> None:
    made = docx.Document()
    made.core_properties.title = "Quarterly memo"
    made.core_properties.created = datetime(2025, 3, 1, tzinfo=UTC)
    made.add_heading("Sales", level=1)
    made.add_paragraph("华东仓库 sold\tless")
    made.add_heading("Why", level=2)
    made.add_table(1, 2).rows[0].cells[1].text = "in a cell"
    made.save(str(tmp_path / "m.docx"))
    found = read_document(tmp_path / "m.docx")
    assert (found.title, found.created) == ("Quarterly memo", datetime(2025, 3, 1, tzinfo=UTC).timestamp())
    assert found.text == "# Sales\n\n华东仓库 sold\tless\n\n## Why\n\nin a cell"


def test_a_word_document_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    path = tmp_path / "m.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", '<!DOCTYPE x [<!ENTITY a "aa">]><w>&a;</w>')
    with pytest.raises(Unreadable, match="entities"):
        read_document(path)
    for data in (b"", b"PK\x03\x04rest", b"\x00" * 100):
        with pytest.raises(Unreadable, match="not a Word document"):
            read(path, data)


def cell(kind: str, source: object, outputs: list[dict] | None = None) -> dict:
    return {"cell_type": kind, "source": source, "outputs": outputs or []}


def test_a_notebook_gives_markdown_code_and_the_start_of_outputs(tmp_path: Path) -> None:
    long = [{"output_type": "stream", "name": "stdout", "text": ["x" * 40 + "\n"] * 500}]
    cells = [
        cell("code", "# not a heading\nprint(1)", [{"output_type": "stream", "text": ["\x1b[31mone\x1b[0m\n"]}]),
        cell("markdown", ["# Lab\n", "text"]),
        cell("code", "", long),
        cell("code", "df", [
            {"output_type": "display_data", "data": {"text/plain": "a table", "image/png": "AAAA" * 1000}},
            {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["z" * 9000]},
        ]),
        *[cell("code", f"long({i})", long) for i in range(60)],
    ]  # fmt: skip
    book = {"cells": cells, "metadata": {"language_info": {"name": "julia"}}}
    found = read(tmp_path / "n.ipynb", json.dumps(book))
    assert found.title == "Lab"
    assert found.text.startswith("```julia\n# not a heading\nprint(1)\n```\n\n```text\none\n```\n\n# Lab\ntext\n\n")
    assert "a table\nValueError: bad" in found.text
    assert "AAAA" not in found.text
    assert "zzz" not in found.text
    assert found.text.count("long(") == 60
    assert f"… ({500 * 41 - 1 - CELL_OUTPUT} more characters)" in found.text
    assert found.text.count("x") < ALL_OUTPUT + CELL_OUTPUT
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"]}]}]}
    assert read(tmp_path / "old.ipynb", json.dumps(old)) == Document("old", "```python\na = 1\n```")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{"source": "x"}]}', '{"cells": ["x"]}'])
def test_what_is_no_notebook_says_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unreadable, match="not a notebook"):
        read(tmp_path / "n.ipynb", text)


def test_a_page_gives_what_its_reader_sees(tmp_path: Path) -> None:
    html = (
        "<html><head><title>The\n page</title><style>p{}</style></head><body><h1>Top</h1><p>one <b>two</b></p>"
        "<svg><title>no</title></svg><a href='other page.html'>next</a> <a href='https://x.org'>out</a>"
        "<table><tr><td>a</td><td>b</td></tr></table><script>evil()</script></body></html>"
    )
    found = read(tmp_path / "p.html", html)
    assert found.title == "The page"
    assert found.text.split("\n") == ["# Top", "", "one two", "[next](other%20page.html) out", "", "a b"]
    latin = '<meta charset="iso-8859-1"><p>caf\xe9</p>'.encode("latin-1")
    assert read(tmp_path / "l.html", latin).text == "café"
    big5 = "<meta charset=big5><p>華東</p>".encode("big5")
    assert read(tmp_path / "b.htm", big5).text == "華東"
    lying = '<meta charset="ascii"><p>华东</p>'.encode()
    assert read(tmp_path / "b.htm", lying).text == "华东"
    assert read(tmp_path / "broken.html", "<p>a <b <i>c</p></div></p>").text


@pytest.mark.parametrize("left_open", ["<a ", "<p\n", "<!-- x ", '<a href="', "<?x ", "<![CDATA[ x"])
@pytest.mark.parametrize("end", ["", "'\"></p>last"])
def test_a_page_whose_tags_never_end_is_read_as_text_without_looking_for_each_end(
    tmp_path: Path, left_open: str, end: str
) -> None:
    """Where each is sought to the end of the page this takes hours."""
    found = read(tmp_path / "open.html", "<h1>Top</h1><!-- hidden --><p>words</p>" + left_open * 200_000 + end)
    assert found.text.startswith("# Top")
    assert "words" in found.text
    assert "hidden" not in found.text
    assert found.text.endswith(end[-4:])


def test_markdown_says_its_title_tags_and_dates(tmp_path: Path) -> None:
    head = "---\ntags: tea, '#rain'\ncreated: 2025-03-01\nupdated: 2025-04-01T10:00:00+08:00\n---\n"
    found = read(tmp_path / "a.md", f"{head}```\n# no\n```\n# Yes #\nx")
    assert (found.title, found.created) == ("Yes", datetime(2025, 3, 1, tzinfo=UTC).timestamp())
    assert found.updated == datetime(2025, 4, 1, 2, tzinfo=UTC).timestamp()
    assert read(tmp_path / "b.md", "").title == "b"


def test_other_encodings_of_the_east_are_refused_and_not_guessed() -> None:
    text = "東京の倉庫で在庫がなくなりました。" * 20
    assert decoded(text.encode("euc-jp")) == text
    with pytest.raises(Unreadable):
        decoded(text.encode("shift-jis"))
    with pytest.raises(Unreadable):
        decoded(("華東倉庫的烏龍茶在三月斷貨了十幾天，供應商延誤。" * 20).encode("big5"))
    assert decoded(("华东仓库的乌龙茶在三月断货了十几天。" * 20).encode("gb18030")).startswith("华东仓库")
    with pytest.raises(Unreadable):
        decoded(b"\x00\x01binary")


def test_korean_text_of_windows_and_marked_text_of_any_width() -> None:
    korean = "안녕하세요. 지난 분기 매출이 감소한 이유는 날씨와 휴일 때문입니다.\n"
    for encoding in ("euc-kr", "utf-16", "utf-32", "utf-8-sig"):
        assert decoded(korean.encode(encoding)) == korean
    japanese = "売上高は第一四半期に減少しました。\n"
    assert decoded(japanese.encode("iso2022_jp")) == japanese
    chinese = "销售额在第一季度下降，原因是天气和假期。\n"
    assert decoded(chinese.encode("gbk")) == chinese
    assert decoded("姓名,城市\n张三,北京\n".encode("gbk")) == "姓名,城市\n张三,北京\n"


@pytest.mark.parametrize("raw", [b"\xff\xfea\x00b", b"\xff\xfe\x00\xd8a\x00", "ab".encode("utf-32")[:-1]])
def test_damaged_text_is_refused_and_not_patched(raw: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        decoded(raw)
