"""Untrusted document text, made safe and quick to show."""

from html.parser import HTMLParser

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.collections import cleaning
from judging.collections.cleaning import (
    ELEMENTS,
    MAX_CELLS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_SPAN,
    clean_text,
)
from judging.collections.importing import import_collection
from judging.models import Document
from tests.hostile_texts import LAST_WORDS, hostile_texts

VOID = {"br", "hr"}
ALLOWED = {("td", "colspan"), ("td", "rowspan"), ("th", "colspan"), ("th", "rowspan")}


class Found(HTMLParser):
    """The elements, attributes and words of some HTML, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.words = ""
        self.open: list[str] = []
        self.depth = 0
        self.spans: list[int] = []
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        self.spans += [int(number) for _, number in attrs]
        if tag not in VOID:
            self.open.append(tag)
            self.depth = max(self.depth, len(self.open))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data

    def handle_comment(self, data):
        self.other.append(data)

    def handle_decl(self, decl):
        self.other.append(decl)

    handle_pi = unknown_decl = handle_decl


def shown(html: str) -> Found:
    """The same, after it was made safe; it must be safe, and well formed."""
    found = Found(clean_text(html, is_html=True))
    assert found.elements <= ELEMENTS
    assert found.attributes <= ALLOWED
    assert found.open == found.other == []
    return found


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
        "<script>alert(1)",
        "<style>body { display: none }</style>",
        "<style>@import url(//evil.example)",
        "<iframe src='javascript:alert(1)'>inside</iframe>",
        "<object data='data:text/html,x'>inside</object>",
        "<svg onload=alert(1)><text>inside</text><script>alert(1)</script></svg>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<template><p>inside</p></template>",
        "<title>inside</title>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></math>",
    ],
)
def test_what_runs_styles_or_loads_is_dropped_whole(html):
    found = shown(f"<p>before</p>{html}")
    for word in ("alert", "import", "inside", "display", "evil"):
        assert word not in found.words
    assert "before" in found.words


@pytest.mark.parametrize(
    "html",
    [
        "<p onclick=alert(1)>words</p>",
        "<p OnMouseOver='alert(1)' style='position:fixed' class=bar id=main name=x>words",
        "<p title=hidden lang=de dir=rtl data-x=1 aria-label=y role=alert tabindex=0>words",
        "<a href='javascript:alert(1)'>words</a>",
        "<a href='https://elsewhere.example/' target=_blank ping=//evil.example>words</a>",
        "<a href='data:text/html;base64,PHNjcmlwdD4='>words</a>",
        "<img src='https://elsewhere.example/pixel' alt=x>words",
        "<img src='data:image/png;base64,AAAA' onerror=alert(1)>words",
        "<picture><source srcset=x><img src=x></picture>words",
        "<video src=x autoplay></video><audio src=x autoplay></audio>words",
        "<embed src=x><applet code=x></applet>words",
        "<table background='//evil.example/x'><tr><td background=x width=9999>words</table>",
        "<blockquote cite='//evil.example'>words</blockquote><q cite=x></q>",
        "<form action='//evil.example'><input name=score value=1><button>words</button></form>",
        "<form id=judgment></form><input form=judgment name=score type=hidden>words",
        "<link rel=stylesheet href=//evil.example><meta http-equiv=refresh content='0;url=x'>words",
        "<base href='//evil.example/'>words",
        "<!-- a comment --><!--[if IE]><script>x</script><![endif]-->words",
        "<!DOCTYPE html><html><head></head><body bgcolor=red onload=x>words</body></html>",
        "<?php echo 1 ?>words",
        "<font size=7 color=white>words</font><marquee></marquee><blink></blink>",
        "<frameset><frame src=x></frameset>words",
        "<dialog open></dialog><details open></details><main></main><nav></nav>words",
        "<x-y onclick=alert(1)>words</x-y>",
        "<scr<script>ipt>words</scr</script>ipt>",
        # Whatever is not closed is closed; nothing closes what surrounds the document.
        "<div><p>words",
        "<table><tr><td>words",
        "<ul><li>one<li>words",
        "words</div></article></main></body></html>",
        "</p></details></form>words",
        "<b><i>words</b></i>",
        "<p>words<p",
        "<p>words<!--",
        "words<p title='",
        "<h1>words</h2>",
        "<pre>words<![CDATA[",
        "<textarea>words",
        "<select><option>words",
        "<plaintext>words",
        "<xmp>words",
        "<table>words<tr></table>",
    ],
)
def test_only_elements_to_read_by_are_left_and_the_words(html):
    assert "words" in shown(html).words


@pytest.mark.parametrize("is_html", [True, False])
def test_letters_are_not_turned_round(is_html):
    assert "\u202e" not in clean_text("read \u202eoverride\u202c it", is_html)


def test_entities_stay_what_they_are():
    html = "<p>1 &lt; 2 &amp; &lt;script&gt;alert(1)&lt;/script&gt; &copy;</p>"
    assert shown(html).words == "1 < 2 & <script>alert(1)</script> ©"


@pytest.mark.parametrize(
    "text",
    [
        *("<b>not bold</b>", "<script>alert(1)</script>", "a & b", "'\""),
        "see https://elsewhere.example/ or a@b.example",
    ],
)
def test_plain_text_is_shown_as_it_is(text):
    found = Found(clean_text(text, is_html=False))
    assert found.words == text
    assert found.elements == {"p"}
    assert not found.attributes


def test_plain_text_in_paragraphs():
    html = clean_text("one\ntwo\n\n\nthree\r\n\r\nfour", is_html=False)
    assert html == "<p>one<br>two</p>\n\n<p>three</p>\n\n<p>four</p>"


@pytest.mark.parametrize("html", [pytest.param(t, id=n) for n, t in hostile_texts().items()])
def test_hostile_pages_are_flat_and_small(html):
    """A parser puts bodies and rows into tables; nothing else may come on top of the bound."""
    found = shown(html)
    assert found.depth <= 2 * MAX_DEPTH
    assert len(clean_text(html, is_html=True)) < 4 * len(html)
    assert max(found.spans, default=0) <= MAX_SPAN


def test_a_character_by_a_long_number():
    zeros, nines = "0" * 5000, "9" * 5000
    words = shown(f"a&#{zeros}65; b&#{nines}; c&#{zeros}; d&#x{zeros}41;").words
    assert words == "aA b\ufffd c\ufffd dA"


@pytest.mark.parametrize("name", ["nested blocks", "unclosed inline", "nested tables", "foreign"])
def test_the_words_of_what_is_too_deep_stay(name):
    assert LAST_WORDS in shown(hostile_texts()[name]).words


READING = (
    "<h1>Head</h1><p>A <em>small</em> <b>text</b>, H<sub>2</sub>O<br>next</p><ul><li>one</li></ul>"
    '<table><tbody><tr><th rowspan="2">a</th><td colspan="3">b</td></tr></tbody></table>'
    "<pre>  kept  </pre><blockquote>said</blockquote>"
)


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        (READING, READING),
        # A picture leaves its words.
        (
            'a<img src=x alt="A chart of latitude &amp; time">b',
            "a [Picture: A chart of latitude &amp; time] b",
        ),
        ("a<img alt='two  words' onerror=x>b", "a [Picture: two words] b"),
        ("a<IMG ALT=one>b", "a [Picture: one] b"),
        ("a<img data-alt=x src='https://example.org/a.png'/>b", "a [Picture] b"),
        ('a<img alt="<script>x</script>">b', "a [Picture: &lt;script&gt;x&lt;/script&gt;] b"),
        ("a<svg><img alt=no></svg>b", "ab"),
        # Elements end where they began.
        ("<b>a<i>b</b>c</i>d", "<b>a<i>b</i></b>cd"),
        ("<b>a<p>b</p>c</b>", "<b>a</b><p>b</p>c"),
        ("<p>a<p>b<div>c<p>d</div>e</p>", "<p>a</p><p>b</p><div>c<p>d</p></div>e"),
        (
            "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>",
            "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>",
        ),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        ("<div>a</span></p>b</div>c", "<div>ab</div>c"),
        ("<h1>a<h2>b</h1>c", "<h1>a</h1><h2>bc</h2>"),
        ("<table><tr><td>a</div></table>b", "<table><tbody><tr><td>a</td></tr></tbody></table>b"),
        ("<svg/>a<object><object>b</object>c</object>d", "ad"),
        ("<p>1 < 2 & 3 &lt; 4</p>", "<p>1 &lt; 2 &amp; 3 &lt; 4</p>"),
        (
            "<table><tr><th>a<th>b<tr><td>c<table><tr><td>d</table>e<td>f</table>g",
            "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>c<table><tbody><tr><td>d</td></tr>"
            "</tbody></table>e</td><td>f</td></tr></tbody></table>g",
        ),
    ],
)
def test_what_html_becomes(html, safe):
    assert clean_text(html, is_html=True) == safe


def test_many_items_without_ends_are_not_deep():
    found = shown("<ul>" + "<li>one<p>two" * 500 + "</ul>")
    assert found.words == "onetwo" * 500
    assert found.depth == 3


@pytest.mark.parametrize("is_html", [True, False])
def test_what_is_too_long_is_cut_and_says_so(is_html):
    whole = clean_text("a" * MAX_LENGTH, is_html)
    assert "goes on" not in whole
    cut = clean_text("a" * MAX_LENGTH + "b", is_html)
    assert "b</p>" not in cut
    assert cut.endswith("[The document goes on. Shown are its first 500,000 characters.]</p>")


# --- kept with the document ---------------------------------------------------------------------
DOC = "<DOC>\n<DOCNO>{}</DOCNO>\n<DOCHDR>\n</DOCHDR>\n{}\n</DOC>\n"


@pytest.fixture
def page(db, files) -> Document:
    """A page from the web, as it was imported."""
    text = "<html><p onclick=x()>Some <b>words</p>"
    import_collection("home", documents=[files.write("documents", DOC.format("A", text))])
    return Document.objects.get()


def test_an_import_keeps_the_source_and_the_cleaned_form(page):
    assert page.text == "<html><p onclick=x()>Some <b>words</p>"
    assert page.html == "<p>Some <b>words</b></p>"
    assert (page.words, page.cleaner) == (2, cleaning.VERSION)


def test_hostile_pages_are_imported(db, files):
    texts = hostile_texts().values()
    path = files.write("documents", "".join(DOC.format(n, text) for n, text in enumerate(texts)))
    assert import_collection("home", documents=[path]).documents == len(texts)
    assert all(LAST_WORDS in text for text in Document.objects.values_list("text", flat=True))


def test_after_an_upgrade_documents_are_cleaned_again(page, capsys):
    call_command("clean_documents")
    Document.objects.update(cleaner=cleaning.VERSION - 1, cleaned="as it was")
    call_command("clean_documents")
    assert capsys.readouterr().out == "0 documents cleaned\n1 document cleaned\n"
    page.refresh_from_db()
    assert (page.html, page.cleaner) == ("<p>Some <b>words</b></p>", cleaning.VERSION)


def test_a_new_text_is_cleaned_anew(page, files):
    path = files.write("documents", DOC.format("A", "<html><p>Other words"))
    import_collection("home", documents=[path])
    assert Document.objects.get().html == "<p>Other words</p>"


def test_the_import_names_documents_that_are_cut(db, files, capsys):
    path = files.write("documents", DOC.format("A", "<html>" + "word " * (MAX_LENGTH // 5 + 1)))
    call_command("import_collection", "home", "--documents", path)
    said = "1 document is longer than 500,000 characters, and shown as far as that: A"
    assert said in capsys.readouterr().out
    assert Document.objects.get().words == MAX_LENGTH // 5 + 1


PIECES = st.sampled_from(
    [
        *("<script>", "</script>", "<style>", "</style>", "<svg>", "</svg>", "<math>", "<mtext>"),
        *("<p ", "<td ", "onclick=x ", "href='javascript:x'", ">", "<", "/>", "</p>", "<table>"),
        *("<!--", "-->", "<![CDATA[", "]]>", "<noscript>", "<template>", "<title>", "<textarea>"),
        *("&lt;", "&#60;", "&", "'", '"', "`", "=", "\0", "\n", "words", "</article>", "<iframe "),
        *("srcdoc=x", "<annotation-xml encoding='text/html'>", "<foreignObject>", "<desc>"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_whatever_it_is_it_becomes_safe(html):
    shown(html)
    shown(clean_text(html, is_html=True))  # and stays so when it is read again


@given(st.text(max_size=80))
def test_whatever_the_plain_text_it_is_escaped(text):
    assert Found(clean_text(text, is_html=False)).elements <= {"p", "br"}


@pytest.mark.parametrize("cell", ["<td>a", "<td>a</td>", "<td><table><td>a</table>", "<th>a</th>"])
@pytest.mark.parametrize("row", ["<tr>", "<tr><tr>", ""])
def test_a_row_has_bounded_cells_and_loses_no_words(row: str, cell: str) -> None:
    """Browsers take quadratic time for columns: 100,000 hang them for minutes."""
    html = clean_text(f"<table>{row}{cell * 3000}<tr><td>b</table>", is_html=True)
    assert shown(html).words.count("a") == 3000
    assert html.startswith("<table>")
    assert html.endswith("<tr><td>b</td></tr></tbody></table>")
    cells = html.count("<td") + html.count("<th")
    assert cells == (MAX_CELLS + 3000 if "table" in cell else MAX_CELLS) + 1
