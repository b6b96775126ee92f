#!/usr/bin/env python3
"""Walks the live pages in a real browser, and takes their pictures.

    dashboards/web/tools/browse.py ELOMILL PICTURES [--readme FOLDER] [--large PROGRAM]

ELOMILL is the built command; it runs a whole house in a folder that goes with the walk: Postgres, the
coordinator, a worker that plays. The walk is that of somebody who looks on, signs in and acts, and it
fails when a page does not show what it has to, complains of anything (an exception, a console error, a
report of the content policy), asks another host for anything, or shuts out whoever uses the keyboard, a
screen reader or little light (`access.py`). PICTURES gets each page light, dark
and as wide as a phone. --readme writes the pictures of the README. --large names the example of the
coordinator that serves a tune of 10,000 parameters, whose page is walked and measured, too.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import access
from devtools import Browser, Failure

LIVE = "document.querySelector('[data-link=live]')"
KNOWN = ["lmp_base", "lmp_scale", "rfp_margin", "lmr_base", "lmr_divisor", "futility_margin",
         "aspiration_delta", "null_margin"]
LOOKS = {"light": (1440, 1000, "light"), "dark": (1440, 1000, "dark"), "phone": (390, 844, "light")}


class House:
    """`elomill up`, and commands that ask it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.process = subprocess.Popen(
            [program, "up", "--data-dir", folder, "--listen", "127.0.0.1:0", "--slots", "2", "--json"],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise Failure("the house does not open")
        self.url = json.loads(line)["url"]

    def command(self, *words):
        done = subprocess.run([self.program, *words, "--data-dir", self.folder], text=True,
                              stdout=subprocess.PIPE, check=True)
        return done.stdout

    def ask(self, *words):
        """What a command says with --json."""
        return json.loads(self.command(*words, "--json"))

    def file(self, kind, text, *words):
        """Files a run from the text of its file: its number."""
        path = pathlib.Path(self.folder) / "run.toml"
        path.write_text(text)
        return self.ask(kind, str(path), *words)["id"]

    def close(self):
        self.process.send_signal(2)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def run_file(name, game, nodes, rest):
    return f'name = "{name}"\ngame = "{game}"\nseed = 1\nlease_pairs = 8\nbook = "builtin"\n' \
           f"[limit]\nnodes = {nodes}\nmax_plies = 200\nhash_kib = 1024\n{rest}"


def tune_file(pairs, nodes, name="eight search parameters of xiangqi", optimizer="bqr"):
    parameters = "".join(f'[[parameter]]\nname = "{p}"\nr_end = 0.015\n' for p in KNOWN)
    return run_file(name, "xiangqi", nodes, f"[tune]\npairs = {pairs}\noptimizer = \"{optimizer}\"\n{parameters}")


def values(table, **numbers):
    return f"[{table}]\n" + "".join(f"{name} = {value}\n" for name, value in numbers.items())


SPRT = '[sprt]\nelo0 = 0\nelo1 = 20\nalpha = 0.05\nbeta = 0.05\nmodel = "normalized"\n'


class Walk:
    """The browser, the house and where pictures go."""

    def __init__(self, browser, house, pictures, readme):
        self.browser, self.house = browser, house
        self.pictures, self.readme = pictures, readme
        self.page = browser.page()
        self.shots = 0
        self.lacking = []

    def go(self, path, live=True):
        self.page.go(self.house.url + path)
        if live:
            self.page.wait(LIVE)

    def text(self, name):
        return self.page.value(f"document.querySelector('[data-f=\"{name}\"]').textContent")

    def expect(self, expression, what):
        if not self.page.value(expression):
            shown = self.page.value("document.querySelector('main')?.innerText?.slice(0, 2000)")
            raise Failure(f"{what}: not {expression} on {self.page.value('location.href')}\n{shown}")

    def shoot(self, name, ready="true", readme=None, still=True):
        """The page that is open, in each look. Wider than its window no page may be. One that is not
        still gets and loses rows during hundreds of presses of a key; its order is that of its kind."""
        for look, (width, height, theme) in LOOKS.items():
            self.page.look(width, height, theme)
            self.page.wait(ready)
            time.sleep(0.4)
            self.expect("document.documentElement.scrollWidth <= innerWidth + 1",
                        f"{name} {look} is wider than its window")
            self.page.shot(self.pictures / f"{name}-{look}.png")
            self.shots += 1
            self.try_access(access.contrast, f"{name} {look}")
        self.page.look(*LOOKS["light"])
        self.try_access(access.tree, name)
        if still:
            self.try_access(access.keyboard, name)
        if readme and self.readme:
            time.sleep(0.5)
            self.page.value("scrollTo(0, 0)")
            self.page.shot(self.readme / f"{readme}.png", whole=False)

    def try_access(self, what, name):
        """Everything that a page lacks is told at the end, not only what is found first."""
        try:
            what(self.page, name)
        except Failure as failure:
            self.lacking.append(str(failure))

    def check(self):
        """Nobody complained, and nobody else was asked for anything."""
        self.page.value("new Promise((done) => setTimeout(done, 200))")
        if complaints := self.page.complaints():
            raise Failure("the pages complain:\n  " + "\n  ".join(complaints))
        if self.lacking:
            raise Failure("\n".join(self.lacking))
        hosts = self.page.hosts - {"data"}
        if hosts != {self.house.url.split("/")[2]}:
            raise Failure(f"the pages asked other hosts: {hosts}")

    # --- the walk itself ---

    def watchfulness(self):
        """What the walk relies on: that a complaint would be heard, and that the policy stands."""
        page = self.browser.page()
        page.go(self.house.url + "/")
        page.value("""(() => {
            console.error('heard');
            const script = document.createElement('script');
            script.textContent = 'window.broken = true';
            document.head.append(script);
            const picture = new Image();
            picture.src = 'http://127.0.0.1:9/x.png';
        })()""")
        page.value("new Promise((done) => setTimeout(done, 300))")
        told = " ".join(page.complaints())
        if "heard" not in told or told.count("Content Security Policy") < 2:
            raise Failure(f"complaints are not heard: {told}")
        if page.value("window.broken"):
            raise Failure("an inline script ran in spite of the policy")
        page.close()

    def overview_to_tune(self, tune):
        self.go("/")
        link = f'a[href="/runs/{tune}"]'
        self.page.wait(f"document.querySelector('{link}')")
        self.page.click(link)
        self.page.wait(f"location.pathname === '/runs/{tune}' && {LIVE}")
        # Live: the number of pairs moves while nobody does anything.
        self.page.wait("/^[1-9]/.test(document.querySelector('[data-f=pairs]').textContent)")
        before = self.text("pairs")
        self.page.wait(f"document.querySelector('[data-f=pairs]').textContent !== {json.dumps(before)}")
        self.expect("document.querySelector('[data-f=chart] canvas')", "a chart is drawn")

    def sign_in(self):
        self.expect("!document.querySelector('[name=reason]')", "a stranger has no forms")
        link = self.house.ask("login")["url"]
        self.go(link.removeprefix(self.house.url), live=False)
        self.page.click("main form button")
        self.page.wait(f"location.pathname === '/' && {LIVE}")
        self.expect("document.querySelector('[data-f=visitor]').textContent.includes('admin')", "signed in")
        self.expect("!document.cookie", "scripts see no session")
        # The link is used up.
        answer = self.page.value(f"fetch({json.dumps(link)}).then((answer) => answer.status)")
        # The browser complains of that answer, which was asked for; of nothing else.
        self.page.value("new Promise((done) => setTimeout(done, 300))")
        if any("410" not in told for told in self.page.complaints()):
            raise Failure(f"the sign-in complains: {self.page.complaints()}")
        self.page.complaints().clear()
        if answer != 410:
            raise Failure(f"the link of a used sign-in answers {answer}")

    def state(self, state):
        self.page.wait(f"document.querySelector('[data-f=state]').textContent === '{state}' && {LIVE}")

    def act(self, run):
        self.go(f"/runs/{run}")
        self.state("running")
        self.page.click("details[data-when=running] > summary")
        self.page.type("form[action$='/pause'] [name=reason]", "the browser looks & <waits>")
        self.page.click("form[action$='/pause'] button")
        self.state("paused")
        self.page.wait("document.querySelector('[data-f=reason]').textContent.startsWith('the browser looks & <waits>')")
        # Another window sees it without being reloaded.
        self.page.click("form[action$='/resume'] button")
        self.state("running")

    def stopped_test(self, run):
        self.go(f"/runs/{run}")
        self.page.wait("/^[1-9]/.test(document.querySelector('[data-f=pairs]').textContent)")
        stop = "details:has(form[action$='/stop'])"
        self.page.click(f"{stop} > summary")
        self.page.type("form[action$='/stop'] [name=reason]", "seen enough")
        self.page.click("form[action$='/stop'] button")
        self.state("stopped")
        self.page.wait("document.querySelector('[data-f=verdict-word]').textContent === 'No verdict'")
        self.expect("document.querySelector('[data-f=verdict]').dataset.verdict === 'open'",
                    "a test stopped by hand does not show as passed")

    def sign_out(self):
        self.go("/")
        self.page.click("form[action='/sign-out'] button")
        self.page.wait("document.querySelector('a.corner[href=\"/sign-in\"]')")

    def keyboard(self):
        """The first stop of the keyboard leads past the head to the content, and focus is seen."""
        self.go("/")
        self.page.press("Tab", 9)
        self.expect("document.activeElement.className === 'skip'", "the first stop skips the head")
        self.page.press("Enter", 13)
        self.page.press("Tab", 9)
        self.expect("document.querySelector('main').contains(document.activeElement)", "and leads into the content")

    def over(self, run):
        """Waits until a run is over."""
        until = time.monotonic() + 600
        while self.house.ask("runs", "show", str(run))["state"] in ("running", "paused"):
            if time.monotonic() > until:
                raise Failure(f"run {run} does not end")
            time.sleep(0.3)


def games(walk, run, game):
    """A stored game on its board, gone through by keyboard, and the pair as files."""
    walk.go(f"/runs/{run}/games", live=False)
    walk.page.wait("document.querySelector('tbody a[href*=\"/games/\"]')")
    if game == "xiangqi":
        walk.shoot("games")
    walk.page.click("tbody a[href*=\"/games/\"]")
    walk.page.wait("document.querySelector('.position') && document.querySelector('.move')")
    men = "document.querySelectorAll('.position > g').length"
    before = walk.page.value("document.querySelector('[data-f=position-text]').textContent")
    for _ in range(3):
        walk.page.press("ArrowRight", 39)
    walk.expect("document.querySelector('.move[aria-current] .dim').textContent === '3'", "three moves on")
    walk.expect("new URL(location.href).searchParams.get('ply') === '3'", "a link to the third move")
    walk.expect(f"document.querySelector('[data-f=position-text]').textContent !== {json.dumps(before)}", "another position")
    walk.expect(f"{men} >= 3", "men stand on the board")
    if game == "xiangqi":
        walk.page.wait("document.querySelector('[data-f=eval-chart] canvas')")
        walk.expect("/depth [0-9]+ · .* nodes · [0-9.]+ m?s/.test(document.querySelector('.move[aria-current]').textContent)", "what the search said")
    walk.expect("document.querySelector('[data-f=said]').textContent.startsWith('Move 3 of')", "the move is said")
    walk.shoot(f"board-{game}", readme="board" if game == "xiangqi" else None)
    walk.page.press("End", 35)
    walk.page.press("Home", 36)
    walk.expect("!document.querySelector('.move[aria-current]')", "back at the opening")
    for form, words in (("pgn", "[Event "), ("record", "(;GM[Othello]" if game == "othello" else "position ")):
        text = walk.page.value(f"fetch(document.querySelector('a[href$=\"/{form}\"]').href).then((answer) => answer.text())")
        if not text.startswith(words):
            raise Failure(f"the {form} of a game of {game} is {text[:200]}")


def tune_page(walk, run):
    """Filter, copy, replay."""
    walk.go(f"/runs/{run}?filter=margin")
    walk.page.wait("document.querySelector('[data-f=found]').textContent === '3 of 8 parameters'")
    walk.expect("document.querySelector('[data-f=params]').rows.length === 3", "three rows")
    walk.page.type("[data-f=filter]", "lmr")
    walk.page.wait("document.querySelector('[data-f=found]').textContent === '2 of 8 parameters'")
    walk.expect("location.search === '?filter=lmr'", "the filter is part of the address")
    walk.page.type("[data-f=filter]", "nothing of the kind")
    walk.page.wait("document.querySelector('[data-f=found]').textContent === '0 of 8 parameters'")
    walk.go(f"/runs/{run}")
    walk.page.wait("document.querySelector('[data-f=found]').textContent === '8 parameters'")
    walk.page.click("[data-f=copy] summary")
    said = {}
    for form in ("setoption", "options", "toml", "openbench", "fishtest"):
        walk.page.value(f"""(() => {{
            const select = document.querySelector('[data-f=copy-form]');
            document.querySelector('[data-f=copy-text]').value = '';
            select.value = '{form}';
            select.dispatchEvent(new Event('change'));
        }})()""")
        said[form] = walk.page.wait("document.querySelector('[data-f=copy-text]').value")
    for form, words in {"setoption": "setoption name rfp_margin value ", "options": "option.rfp_margin=",
                        "toml": "rfp_margin = ", "openbench": "rfp_margin, int, ", "fishtest": "rfp_margin,"}.items():
        if words not in said[form]:
            raise Failure(f"{form} is {said[form]}")
    walk.page.type("[data-f=iteration-pairs]", "100")
    walk.page.click("[data-f=iteration-form] button")
    walk.page.wait("document.querySelector('[data-f=iteration-rows]').rows.length === 8")
    walk.expect("/^After \\d+ pairs, in \\d+ reports/.test(document.querySelector('[data-f=iteration-sum]').textContent)", "a time")
    walk.expect("document.querySelector('[data-f=fork-command]').textContent.startsWith('elomill runs fork')", "a way on")
    walk.page.type("form[action$='/fork'] [name=pairs]", "8")
    walk.page.click("form[action$='/fork'] button")
    walk.page.wait(f"location.pathname.startsWith('/runs/') && location.pathname !== '/runs/{run}' && {LIVE}")
    walk.expect(f"document.querySelector('.spec a[href=\"/runs/{run}\"]')", "the fork names its source")
    walk.go(f"/runs/{run}")
    breakdown(walk)


def slopes(walk, nodes):
    """What a tune by spsa has won is estimated beside it."""
    run = walk.house.file("tune", tune_file(48, nodes, "the same by slopes", "spsa"))
    walk.over(run)
    walk.go(f"/runs/{run}")
    walk.page.wait("/Elo$/.test(document.querySelector('[data-f=gain]').textContent)")
    walk.expect("/^95 %: [+−±].* to [+−±]/.test(document.querySelector('[data-f=gain-range]').textContent)", "its interval")


def breakdown(walk):
    walk.page.value("document.querySelector('[data-f=breakdown]').scrollIntoView()")
    walk.page.wait("document.querySelector('[data-f=by-worker] a[href^=\"/workers/\"]')")
    walk.page.wait("document.querySelector('[data-f=by-end]').rows.length > 0 && document.querySelector('[data-f=by-opening]').rows.length > 0")
    walk.page.value("scrollTo(0, 0)")


def numbers(walk):
    """The table behind the charts, and the file that it gives."""
    folder = tempfile.mkdtemp(prefix="elomill-files-")
    walk.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    walk.page.click("[data-f=numbers] summary")
    walk.page.wait("document.querySelector('[data-f=numbers] tbody').rows.length > 1")
    walk.page.click("[data-f=numbers] .downloads button")
    until = time.monotonic() + 60
    while not (found := list(pathlib.Path(folder).glob("*.csv"))):
        if time.monotonic() > until:
            raise Failure("no file was written")
        time.sleep(0.1)
    lines = found[0].read_text().splitlines()
    shutil.rmtree(folder)
    if not lines[0].startswith("pairs,") or len(lines) < 3 or not lines[1].split(",")[0].isdigit():
        raise Failure(f"the file is {lines[:3]}")


def overview_filters(walk, tune):
    """Three runs are tunes: this one, its fork and the one by slopes."""
    walk.go("/?kind=tune")
    walk.page.wait(f"document.querySelectorAll('.runs .run').length === 3 && document.querySelector('a[href=\"/runs/{tune}\"]')")
    walk.page.type("[name=q]", "no such name")
    walk.page.wait("document.querySelector('.runs .empty')")
    walk.expect("new URL(location.href).searchParams.get('q') === 'no such name'", "the words are part of the address")


def exclusion(walk, run):
    """What an exclusion would change is shown before it is made; it is made, and taken back."""
    walk.go(f"/runs/{run}")
    breakdown(walk)
    walk.page.click("[data-f=by-worker] a[href*='/exclude']")
    walk.page.wait("location.pathname.endsWith('/exclude') && document.querySelector('tbody td.strong')")
    walk.expect("document.querySelector('tbody td.strong').textContent === '0'", "no pairs would be left")
    walk.shoot("exclude")
    for belief in ("exclude", "include"):
        walk.page.type("[name=reason]", f"the browser tries to {belief}")
        walk.page.click("main form button")
        walk.page.wait(f"location.pathname === '/runs/{run}' && {LIVE}")
        if belief == "exclude":
            walk.page.wait("document.querySelector('[data-f=warning]').textContent.includes('do not count')")
            worker = walk.house.ask("workers")["id"]
            walk.go(f"/workers/{worker}/include?run={run}", live=False)
        else:
            walk.page.wait("document.querySelector('[data-f=warning]').hidden")


def people(walk, run):
    """Workers, one of them, and its owner."""
    walk.go("/workers")
    link = "[data-f=workers] a[href^='/workers/']"
    walk.page.wait(f"document.querySelector(\"{link}\")")
    walk.page.wait("document.querySelector('[data-f=workers] a[href^=\"/owners/\"]')")
    walk.shoot("workers")
    walk.page.click(link)
    walk.page.wait(f"location.pathname.startsWith('/workers/') && {LIVE}")
    walk.page.wait("[...document.querySelector('[data-f=shares]').rows].some((row) => /pairs? moved the LLR by [+−±]/.test(row.textContent))")
    walk.shoot("worker")
    walk.page.click("p.facts a[href^='/owners/']")
    walk.page.wait(f"location.pathname.startsWith('/owners/') && {LIVE} && document.querySelector('[data-f=shares] a')")


def crowned(walk):
    """Two tests that pass, one on top of the other, and a match against the start."""
    house = walk.house
    # As strong as their bases, they pass against hypotheses that lie far below and above.
    sprt = SPRT.replace("elo1 = 20", "elo1 = 50").replace("elo0 = 0", "elo0 = -200")
    file = lambda name, a, b, rest: run_file(name, "xiangqi", 60, a + b + rest)
    first = house.file("test", file("first champion", values("candidate", rfp_margin=61), values("base", rfp_margin=60), sprt + "[test]\nmax_pairs = 4000\n"))
    walk.over(first)
    second = house.file("test", file("second champion", values("candidate", rfp_margin=62), values("base", rfp_margin=61), sprt + "[test]\nmax_pairs = 4000\n"))
    match = house.file("test", file("against the start", values("candidate", rfp_margin=62), values("base", rfp_margin=60), "[test]\npairs = 40\n"))
    walk.over(second)
    walk.over(match)
    told = [house.ask("runs", "show", str(run)) for run in (first, second)]
    accepted = sum(run["progress"]["test"]["verdict"] == "accepted" for run in told)
    walk.go("/progress", live=False)
    walk.page.wait("document.querySelector('main .card')")
    if accepted == 2:
        walk.page.wait("document.querySelector('main canvas')")
        walk.expect(f"document.querySelector('a[href=\"/runs/{second}\"]') && document.querySelector('a[href=\"/runs/{match}\"]')",
                    "each step is linked to its test, and the match stands below")
    else:
        raise Failure(f"of two tests that had to pass {accepted} did")
    walk.shoot("progress", readme="progress")


def whole(walk):
    house = walk.house
    long = 1600 if walk.readme else 480
    nodes = 150 if walk.readme else 100
    tune = house.file("tune", tune_file(long, nodes))
    walk.watchfulness()
    walk.overview_to_tune(tune)
    walk.sign_in()
    walk.act(tune)
    candidate = values("candidate", rfp_margin=60, futility_margin=70)
    other = house.file("test", run_file("a test to be stopped", "xiangqi", 100,
                                        candidate + SPRT + "[test]\nmax_pairs = 100000\n"))
    walk.stopped_test(other)
    walk.over(tune)
    tune_page(walk, tune)
    numbers(walk)
    walk.go(f"/runs/{tune}")
    breakdown(walk)
    walk.shoot("tune", LIVE, readme="tune")
    test = house.file("test", run_file("wider margins", "xiangqi", nodes,
                                       candidate + SPRT + f"[test]\nmax_pairs = {long}\n"), "--keep-evals")
    walk.over(test)
    walk.go(f"/runs/{test}")
    breakdown(walk)
    numbers(walk)
    walk.go(f"/runs/{test}")
    breakdown(walk)
    walk.shoot("test", LIVE, readme="test")
    games(walk, test, "xiangqi")
    for game in ("chess", "shogi", "othello"):
        run = house.file("test", run_file(f"a match of {game}", game, 60, values("candidate", lmr_base=0.5) + "[test]\npairs = 4\n"))
        walk.over(run)
        games(walk, run, game)
    race = house.file("test", run_file("three margins", "xiangqi", 60, "".join(
        f'[[candidate]]\nname = "margin {margin}"\n[candidate.values]\nrfp_margin = {margin}\n' for margin in (50, 70, 90))
        + SPRT + "[race]\nmax_pairs = 60\n"))
    walk.over(race)
    walk.go(f"/runs/{race}")
    walk.page.wait("document.querySelector('[data-f=chart] canvas') && document.querySelector('[data-f=readout]').textContent.startsWith('now: margin 50')")
    numbers(walk)
    breakdown(walk)
    walk.shoot("race", LIVE)
    slopes(walk, nodes)
    crowned(walk)
    people(walk, test)
    exclusion(walk, race)
    overview_filters(walk, tune)
    walk.go("/")
    walk.shoot("overview", LIVE, readme="overview")
    walk.keyboard()
    walk.sign_out()
    walk.check()


def large(walk, program):
    """A tune of 10,000 parameters: what its page takes, and that its filter finds each of them."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        told = json.loads(process.stdout.readline())
        page = walk.page = walk.browser.page()
        walk.house = type("Large", (), {"url": told["url"]})
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""
            window.longest = 0;
            new PerformanceObserver((list) => {
                for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
            }).observe({type: 'longtask', buffered: true});""")
        began = time.monotonic()
        walk.go(f"/runs/{told['run']}")
        page.wait("document.querySelector('[data-f=found]').textContent === '200 of 10,000 parameters' && document.querySelector('[data-f=chart] canvas')")
        opened = time.monotonic() - began
        walk.expect("document.querySelector('[data-f=params]').rows.length === 200", "200 rows")
        first = page.value("window.longest")
        page.value("window.longest = 0")
        for _ in range(5):
            before = walk.text("pairs")
            page.wait(f"document.querySelector('[data-f=pairs]').textContent !== {json.dumps(before)}")
        update = page.value("window.longest")
        page.value("window.longest = 0")
        began = time.monotonic()
        page.type("[data-f=filter]", "weight_of_987")
        page.wait("document.querySelector('[data-f=found]').textContent === '11 of 10,000 parameters'")
        found = time.monotonic() - began
        walk.expect("document.querySelector('[data-f=params] [data-c=name]').textContent === 'weight_of_987'", "it is found")
        filtering = page.value("window.longest")
        page.type("[data-f=filter]", "weight")
        page.wait("document.querySelector('[data-f=found]').textContent === '200 of 10,000 parameters'")
        page.click("[data-scale=absolute]")
        page.wait("document.querySelector('[data-scale=absolute]').getAttribute('aria-pressed') === 'true'")
        walk.shoot("large", LIVE, still=False)
        print(f"10,000 parameters: open {opened:.2f} s; longest task of the page while opening {first:.0f} ms, "
              f"at an update {update:.0f} ms, while filtering {filtering:.0f} ms; a filter answers in {found:.2f} s")
        walk.check()
    finally:
        process.stdin.close()
        process.wait(60)


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("elomill")
    words.add_argument("pictures", type=pathlib.Path)
    words.add_argument("--readme", type=pathlib.Path)
    words.add_argument("--large")
    words.add_argument("--chromium", default="chromium")
    asked = words.parse_args()
    folder = tempfile.mkdtemp(prefix="elomill-browse-")
    # Postgres runs as another user where this one is root, and keeps its own folder closed.
    os.chmod(folder, 0o755)
    # The house and the browser are closed whatever happens.
    house = browser = None
    try:
        house = House(asked.elomill, folder)
        browser = Browser(asked.chromium)
        walk = Walk(browser, house, asked.pictures, asked.readme)
        whole(walk)
        if asked.large:
            large(walk, asked.large)
        print(f"the walk is done; {walk.shots} pictures in {asked.pictures}")
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"browse.py: {failure}", file=sys.stderr)
        if browser:
            walk.page.shot(asked.pictures / "failure.png")
            print("  " + "\n  ".join(walk.page.complaints()), file=sys.stderr)
        return 1
    finally:
        if browser:
            browser.close()
        if house:
            house.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
