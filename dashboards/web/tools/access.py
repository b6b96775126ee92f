"""Whether a page that is open serves those who use the keyboard, a screen reader or little light.

What is asked of each page: every control and picture has a name in the browser's accessibility tree, and
so has whatever takes the focus; headings descend one level at a time from a single one on top; nothing
interrupts a reader; the Tab key visits everything that can be used, in the order of the page, and the
focus is seen; text stands out from what is behind it by 4.5 to 1, large text by 3 (WCAG 2.2, 1.4.3).
"""

from devtools import Failure

NAMED = {"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "image", "img",
         "region", "group", "search", "navigation", "table"}
# Roles of these come without a name as a rule.
UNNAMED = {"group", "table"}

CONTRAST = """(() => {
    const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const known = new Map();
    const parse = (color) => {
        if (!known.has(color)) {
            pen.clearRect(0, 0, 1, 1);
            pen.fillStyle = color;
            pen.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
            known.set(color, [r, g, b, a / 255]);
        }
        return known.get(color);
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const behind = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color[3] > 0) layers.push(color);
            if (color[3] === 1) break;
        }
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const found = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || node.closest('[aria-hidden=true], script, noscript, option')) continue;
        if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || node.closest('.sr, .skip')) continue;
        const style = getComputedStyle(node);
        const back = behind(node);
        const front = over(parse(style.color), back);
        const [a, b] = [light(front), light(back)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        seen += 1;
        if (ratio < (large ? 3 : 4.5)) {
            found.add(`${ratio.toFixed(2)} to 1: <${node.tagName.toLowerCase()} class="${node.className}"> ${texts.currentNode.textContent.trim().slice(0, 40)}`);
        }
    }
    return { seen, found: [...found] };
})()"""

HEADINGS = """[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
    .filter((node) => node.checkVisibility()).map((node) => [Number(node.tagName[1]), node.textContent.trim()])"""

LIVE = """[...document.querySelectorAll('[aria-live], [role=alert], [role=status], [role=log]')]
    .filter((node) => node.getAttribute('aria-live') === 'assertive' || node.getAttribute('role') === 'alert')
    .map((node) => node.outerHTML.slice(0, 80))"""

# What the Tab key has to visit, numbered in the order of the page.
STOPS = """(() => {
    const wanted = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]';
    return [...document.querySelectorAll(wanted)]
        .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility({ visibilityProperty: true }))
        .map((node, i) => { node.dataset.stop = String(i); return node.outerHTML.slice(0, 110); });
})()"""

FOCUSED = """(() => {
    const node = document.activeElement;
    if (!node || node === document.body) return null;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    return {
        stop: node.dataset.stop ?? null, what: node.outerHTML.slice(0, 110),
        seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
        marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
    };
})()"""


def contrast(page, name):
    """Text stands out in the theme that is shown."""
    told = page.value(CONTRAST)
    if told["seen"] < 5:
        raise Failure(f"{name}: hardly any text was looked at")
    if told["found"]:
        raise Failure(f"{name}: text that is hard to see:\n  " + "\n  ".join(told["found"]))


def tree(page, name):
    """What a screen reader is told."""
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    findings, controls = [], 0
    for node in nodes:
        if node["ignored"]:
            continue
        role = node.get("role", {}).get("value", "")
        text = str(node.get("name", {}).get("value", "")).strip()
        takes_focus = any(p["name"] == "focusable" and p["value"].get("value")
                          for p in node.get("properties", []))
        controls += takes_focus
        if text or role == "RootWebArea":
            continue
        if takes_focus or role in NAMED - UNNAMED:
            where = page.call("DOM.describeNode", backendNodeId=node["backendDOMNodeId"])["node"]
            attributes = where.get("attributes", [])
            findings.append(f"{role} without a name: <{where['nodeName'].lower()} {attributes}>")
    if controls < 4:
        findings.append("hardly any control was looked at")
    before = 0
    headings = page.value(HEADINGS)
    if sum(level == 1 for level, _ in headings) != 1:
        findings.append(f"not one heading on top: {headings}")
    for level, text in headings:
        if level > before + 1:
            findings.append(f"the heading “{text}” of level {level} comes below one of level {before}")
        before = level
    findings += [f"interrupts a reader: {what}" for what in page.value(LIVE)]
    if findings:
        raise Failure(f"{name} and a screen reader:\n  " + "\n  ".join(findings))


def keyboard(page, name):
    """The Tab key visits everything that can be used, once and in the order of the page."""
    # A browser goes on from where the last click was, even if the focus is gone from there.
    page.value("""(() => {
        const { body } = document;
        body.tabIndex = -1; body.focus(); body.blur(); body.removeAttribute("tabindex");
        scrollTo(0, 0); getSelection().removeAllRanges();
    })()""")
    stops = page.value(STOPS)
    visited, findings = [], []
    for _ in range(len(stops) + 5):
        page.press("Tab", 9)
        at = page.value(FOCUSED)
        if at is None or (visited and at["stop"] == visited[0]):
            break
        if at["stop"] is None:
            # A place that scrolls takes the focus by itself.
            findings.append(f"takes the focus and is no stop: {at['what']}")
            continue
        visited.append(at["stop"])
        if not at["seen"]:
            findings.append(f"is out of sight with the focus on it: {at['what']}")
        if not at["marked"]:
            findings.append(f"does not show the focus: {at['what']}")
    wanted = [str(i) for i in range(len(stops))]
    if visited != wanted:
        missed = [stops[int(i)] for i in wanted if i not in visited]
        findings.append(f"the order of the Tab key is {visited}; missed: {missed}")
    page.value("(document.activeElement?.blur(), scrollTo(0, 0))")
    if findings:
        raise Failure(f"{name} and the keyboard:\n  " + "\n  ".join(findings))
