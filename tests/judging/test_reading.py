"""Untrusted document text, made safe to show."""

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.reading import ELEMENTS, as_html

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
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

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
    found = Found(as_html(html, is_html=True))
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
    ],
)
def test_only_elements_to_read_by_are_left_and_the_words(html):
    assert "words" in shown(html).words


@pytest.mark.parametrize(
    "html",
    [
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
def test_broken_markup_stays_inside_its_article(html):
    """Whatever is not closed is closed; nothing closes what surrounds the document."""
    assert "words" in shown(html).words


def test_reading_elements_stay():
    html = (
        "<h1>Head</h1><p>A <em>small</em> <b>text</b>, H<sub>2</sub>O<br>next</p><ul><li>one</li>"
        '</ul><table><tbody><tr><th rowspan="2">a</th><td colspan="3">b</td></tr></tbody></table>'
        "<pre>  kept  </pre><blockquote>said</blockquote>"
    )
    assert as_html(html, is_html=True) == html


def test_entities_stay_what_they_are():
    safe = as_html(
        "<p>1 &lt; 2 &amp; &lt;script&gt;alert(1)&lt;/script&gt; &copy;</p>", is_html=True
    )
    assert Found(safe).words == "1 < 2 & <script>alert(1)</script> ©"
    assert "<script" not in safe


@pytest.mark.parametrize("text", ["<b>not bold</b>", "<script>alert(1)</script>", "a & b", "'\""])
def test_plain_text_is_shown_as_it_is(text):
    found = Found(as_html(text, is_html=False))
    assert found.words == text
    assert found.elements == {"p"}
    assert not found.attributes


def test_plain_text_in_paragraphs():
    html = as_html("one\ntwo\n\n\nthree\r\n\r\nfour", is_html=False)
    assert html == "<p>one<br>two</p>\n\n<p>three</p>\n\n<p>four</p>"


def test_plain_text_makes_no_links():
    assert "href" not in as_html("see https://elsewhere.example/ or a@b.example", is_html=False)


def test_deep_nesting_is_no_trap():
    start = time.perf_counter()
    shown("<div>" * 2_000 + "words")
    shown("<b><i><u>" * 1_000 + "words" + "</b>" * 1_000)
    shown("<table><tr><td>" * 500 + "words")
    assert time.perf_counter() - start < 5


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
    shown(as_html(html, is_html=True))  # and stays so when it is read again


@given(st.text(max_size=80))
def test_whatever_the_plain_text_it_is_escaped(text):
    assert Found(as_html(text, is_html=False)).elements <= {"p", "br"}
