"""How long a page of results is before anything on it is opened."""

from playwright.sync_api import Page

from tests.browser.gallery import WIDTHS

HIGHEST = {1280: 4000, 390: 7200}  # pixels, by width; on a phone panels stand below each other
OF_PICTURES = {1280: 4600, 390: 13000}  # the same, of a page of twenty
MOST_WORDS = 600  # outside tables, forms and navigation
WORDS_OF_PICTURES = 750  # with a caption each
MOST_BYTES = 300_000  # of HTML
WORDS = r"""() => {
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    let words = 0;
    while (texts.nextNode()) {
        const around = texts.currentNode.parentElement;
        if (!around.closest("table, form, nav, svg") && around.checkVisibility())
            words += texts.currentNode.textContent.split(/\s+/).filter(word => word).length;
    }
    return words;
}"""


def too_long(
    page: Page, highest: dict[int, int] = HIGHEST, most_words: int = MOST_WORDS
) -> list[str]:
    """What is too long on the page that is open, at the widths of a desk and a phone."""
    wrong = []
    for width, size in WIDTHS.items():
        page.set_viewport_size(size)  # type: ignore[arg-type]
        height, wide = page.evaluate(
            "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        if height > highest[width]:
            wrong.append(f"{page.url}: {height} pixels high at {width}")
        if wide > width:
            wrong.append(f"{page.url}: {wide} pixels wide at {width}")
    if (words := page.evaluate(WORDS)) > most_words:
        wrong.append(f"{page.url}: {words} words")
    if (sent := len(page.request.get(page.url).body())) > MOST_BYTES:
        wrong.append(f"{page.url}: {sent:,} bytes")
    return wrong
