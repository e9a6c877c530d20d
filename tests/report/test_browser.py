"""The page in headless Chromium: no error, the tree moves, zooms and answers, dark and phone suit."""

from __future__ import annotations

import shutil

import pytest

from palmette import render_report

pytestmark = pytest.mark.slow

OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    with api.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(executable_path=chromium, args=OPTIONS, timeout=120_000)
        except api.Error as error:
            pytest.skip(f"chromium does not start here: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Opens HTML offline; what the console says or the page asks for from elsewhere is a failure at the end."""
    complaints = []
    contexts = []

    def opened(html, **options):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(offline=True, **{"viewport": {"width": 1200, "height": 900}, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith("file:") or complaints.append(asked.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def tree_page(large_tree):
    classifier, X, y = large_tree
    return render_report(classifier, X, y, source="large")


def view(page):
    """What the drawing shows: left, top, width, height."""
    return [float(number) for number in page.locator("svg.tree").get_attribute("viewBox").split()]


def middle(page):
    box = page.locator(".stage").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_dragging_pans(visit, tree_page):
    page = visit(tree_page)
    page.locator(".stage").scroll_into_view_if_needed()
    before = view(page)
    x, y = middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y + 60, steps=5)
    page.mouse.up()
    after = view(page)
    scale = before[2] / page.locator(".stage").bounding_box()["width"]
    assert after[2:] == pytest.approx(before[2:], rel=1e-3)
    assert after[0] - before[0] == pytest.approx(150 * scale, abs=6 * scale)
    assert after[1] - before[1] == pytest.approx(-60 * scale, abs=6 * scale)
    assert page.locator(".details").is_hidden()


def test_wheel_buttons_and_keys_zoom(visit, tree_page):
    page = visit(tree_page)
    page.locator(".stage").scroll_into_view_if_needed()
    x, y = middle(page)
    before = view(page)
    page.mouse.move(x, y)
    page.locator(".stage").evaluate("stage => stage.focus({ preventScroll: true })")
    page.mouse.wheel(0, -300)
    page.wait_for_function("width => document.querySelector('svg.tree').viewBox.baseVal.width < width", arg=before[2])
    closer = view(page)
    page.locator("[data-do=out]").click()
    assert view(page)[2] > closer[2]
    page.locator("[data-do=fit]").click()
    whole = view(page)
    assert whole[2] > closer[2]
    page.locator(".stage").evaluate("stage => stage.focus({ preventScroll: true })")
    page.keyboard.press("+")
    assert view(page)[2] < whole[2]
    at = view(page)
    page.keyboard.press("ArrowRight")
    assert view(page)[0] > at[0]
    page.keyboard.press("0")
    assert view(page) == pytest.approx(whole, abs=0.5)


def test_the_wheel_scrolls_the_page_before_the_tree_is_chosen(visit, tree_page):
    page = visit(tree_page)
    page.evaluate("document.querySelector('.stage').scrollIntoView()")
    before = view(page)
    page.mouse.move(*middle(page))
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(300)
    assert view(page) == before


def test_a_click_shows_the_rule(visit, large_tree, tree_page):
    classifier, _, _ = large_tree
    page = visit(tree_page)
    root = page.locator(".node").first
    root.click()
    details = page.locator(".details")
    assert "All samples begin here" in details.inner_text()
    assert "1,500 samples" in details.inner_text()
    page.locator("[data-do=fit]").click()
    place = next(node for node in range(classifier.n_nodes_) if classifier.tree_.feature[node] < 0)
    page.locator(".node").nth(place).click(force=True)
    shown = [item.inner_text() for item in details.locator(".rule li").all()]
    assert shown
    expected = str(classifier.to_rules()[0]).split(" then ")[0].removeprefix("if ").replace("<=", "≤")
    assert " and ".join(shown) == expected
    assert page.locator(".edge.on").count() == len(classifier.tree_.path(place))


def test_keys_walk_along_the_branches(visit, wine_page):
    page = visit(wine_page)
    page.locator(".stage").focus()
    page.keyboard.press("Enter")
    assert "All samples begin here" in page.locator(".details").inner_text()
    page.keyboard.press("ArrowDown")
    first = page.locator(".details .rule").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".details .rule").inner_text() != first
    page.keyboard.press("ArrowUp")
    assert "All samples begin here" in page.locator(".details").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".details").is_hidden()


def test_light_and_dark(visit, wine_page):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page = visit(wine_page, color_scheme="light")
    assert paper(page) == "rgb(255, 255, 255)"
    page.locator("#scheme").click()
    dark = paper(page)
    assert dark == "rgb(20, 25, 30)"
    assert page.locator("#scheme").inner_text() == "Light"
    page.emulate_media(media="print")
    assert paper(page) == "rgb(255, 255, 255)"
    other = visit(wine_page, color_scheme="dark")
    assert paper(other) == dark
    other.locator("#scheme").click()
    assert paper(other) == "rgb(255, 255, 255)"


def test_a_phone_has_no_sideways_scrolling(visit, wine_page, tree_page):
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    for html in (wine_page, tree_page):
        page = visit(html, **phone)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.locator(".node").first.tap()
        assert "All samples begin here" in page.locator(".details").inner_text()


def test_long_tables_unfold(visit, tree_page):
    page = visit(tree_page)
    table = page.locator("#rules table")
    folded = table.locator("tbody tr:visible").count()
    page.locator("#rules button.more").click()
    assert table.locator("tbody tr:visible").count() > folded


def test_it_prints(visit, wine_page):
    page = visit(wine_page)
    assert page.pdf(format="A4").startswith(b"%PDF-")
