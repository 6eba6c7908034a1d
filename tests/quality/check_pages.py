#!/usr/bin/env python3
"""Opens pages of `wattune report` in Chromium, without network, and looks at them as readers do.

    check_pages.py PROGRAM [FOLDER]

PROGRAM is `wattune`. With FOLDER, pages and screenshots are kept there. There is a page of each kind of result. Each is
looked at in both colour schemes and three widths. Nothing may be printed on the console, nothing may be requested, and
nothing may be wider than the window. axe-core may find nothing serious by any of its rules. Sorting, filters, keys, the
mouse and printing do what they promise, and so does a page whose scripts are off. 200 hostile texts stay texts. The
times until pages are usable are printed, and not judged. Exit status 77 if Chromium, its driver, pdftotext or Selenium
is missing (tools/install-dependencies check).
"""
import base64
import contextlib
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "pages" / "bin" / "python"  # where tools/install-dependencies puts Selenium and axe-core
WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")
AXE_SECONDS = 240  # longest time of axe-core on one page
SKIPPED = 77

try:
    from selenium import webdriver
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    if PYTHON.exists() and pathlib.Path(sys.executable) != PYTHON:
        sys.exit(subprocess.run([PYTHON, *sys.argv], check=False).returncode)
    print("Selenium is missing: tools/install-dependencies check")
    sys.exit(SKIPPED)

found = []


def expect(condition, text):
    """Notes a fault."""
    if not condition:
        found.append(text)
        print("FAULT", text, flush=True)


def cache(count, name="gemm", parameters=6, energies=False, message="RuntimeFailedConfig"):
    """Returns a cache of Kernel Tuner with so many configurations, of which every tenth failed."""
    names = [f"P{i}" for i in range(parameters - 1)] + (["nvml_gr_clock"] if energies else ["LAST"])
    values = [[1, 2, 4, 8, 16, 32]] * parameters
    entries = {}
    for number in range(count):
        places = [number // 6**i % 6 for i in range(parameters)]
        chosen = [values[i][place] for i, place in enumerate(places)]
        entry = dict(zip(names, chosen))
        slow = 1.0 + sum((place - 2) ** 2 for place in places) / 10 + number * 7919 % 101 / 1000
        entry["time"] = message if number % 10 == 9 else slow
        entry["times"] = [] if number % 10 == 9 else [slow, slow * 1.01, slow * 0.99]
        if energies and number % 10 != 9:
            entry["nvml_energy"] = slow * (1 + (places[-1] - 3) ** 2 / 20)
        entries[",".join(map(str, chosen))] = entry
    return {"device_name": "Some GPU", "kernel_name": name, "problem_size": "1024", "tune_params_keys": names,
            "tune_params": dict(zip(names, values)), "objective": "time", "cache": entries}


HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
OWN = "document.title='owned'"
HOSTILE_PARTS = (HOSTILE, f"<img src=x onerror={OWN}>", f"\"><svg onload={OWN}>", f"'-{OWN}-'",
                 "</style><style>*{all:unset}",
                 "<!--", "]]>", "&lt;b&gt;", f"javascript:{OWN}", f"</table></main><script>{OWN}</script>",
                 "<base href=http://example.com>", "\u2028\u2029", "\u202ereversed", "\x1b[2J",
                 f"<iframe srcdoc='<script>parent.{OWN}</script>'>", "{{7*7}}${7*7}")


def hostile_texts():
    """Returns 200 different texts that would run a script, or spoil a page, if they were taken for HTML."""
    return [HOSTILE_PARTS[i % 16] + str(i) + HOSTILE_PARTS[i // 16] for i in range(200)]


def hostile_cache():
    """Returns a cache in which names, messages and the 200 values of a parameter are hostile."""
    texts = hostile_texts()
    entries = {}
    for number, text in enumerate(texts):
        fails = number % 10 == 9
        entries[str(number)] = {HOSTILE: text, "b": number % 4, "time": text if fails else 1.0 + number / 100,
                                "times": [] if fails else [1.0 + number / 100]}
    return {"device_name": HOSTILE, "kernel_name": HOSTILE, "problem_size": HOSTILE, "tune_params_keys": [HOSTILE, "b"],
            "tune_params": {HOSTILE: texts, "b": [0, 1, 2, 3]}, "objective": "time", "cache": entries}


def tuner_report():
    """Returns what a tuner in an application writes (docs/formats/json.md)."""
    key = {"key": {"rows": 1024}, "best": {"block": 64}, "time_ms": 0.25, "calls": 500, "explored": 12, "failed": 1,
           "state": "tuned", "failures": [{"status": "compile", "message": HOSTILE, "configuration": {"block": 1}}]}
    return {"wattune_tuner": 1, "running_ms": 1e4, "saved_ms": 900, "longest_stall_ms": 2.5, "histogram": [0, 0, 3, 7],
            "stalls_ms": {"loading": 20, "screening": 30}, "loads": 4, "loads_in_gaps": 3, "notes": [HOSTILE],
            "kernels": [{"kernel": "scale", "calls": 500, "explored": 12, "wrong_results": 0, "keys": [key]}]}


def printed_by(program, *arguments):
    return subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True).stdout


def inputs(program, folder):
    """Writes result files; returns the arguments of `wattune report` by the name of the page."""
    written = {"thousand": cache(1000), "large": cache(20000), "energy": cache(216, "energy", 3, energies=True),
               "hostile": hostile_cache(), "empty": cache(0), "failed": cache(0), "tuner": tuner_report()}
    written["failed"]["cache"] = {"1": {**{f"P{i}": 1 for i in range(5)}, "LAST": 1, "time": "CompilationFailedConfig"}}
    for name, contents in written.items():
        (folder / f"{name}.json").write_text(json.dumps(contents))
    pages = {name: [str(folder / f"{name}.json")] for name in written}
    for name, arguments in (("methods", ["analyze", *pages["energy"], "--methods"]),
                            ("scores", ["score", "--strategy", "random,greedy_ils", "--spaces", *pages["energy"],
                                        "--repeats", "3", "--clock", "evaluations", "--quiet"])):
        (folder / f"{name}.json").write_text(printed_by(program, *arguments))
        pages[name] = [str(folder / f"{name}.json")]
    pages["several"] = [pages["hostile"][0], pages["energy"][0], pages["failed"][0]]
    for name, file in (("gemm", "docs/results/h200/gemm.journal.jsonl"), ("wisdom", "tests/older/app.wisdom"),
                       ("queue", "docs/results/h200/corun/orders_of_policies.json"),
                       ("joules", "docs/results/h200/corun/queue_for_energy.json"),
                       ("tenants", "docs/results/h200/tenants/kepler-mandel-gather-5ms.json"),
                       ("pairs", "tests/older/corun.jsonl")):
        pages[name] = [str(ROOT / file)]
    return pages


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(AXE_SECONDS)
    driver.set_page_load_timeout(AXE_SECONDS)
    return driver


def set_view(driver, width, scheme, media=""):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def open_page(driver, page):
    driver.get("file://" + str(page))


def look_at_logs(driver, name):
    """Checks that the console is empty and that nothing but the file was requested."""
    for entry in driver.get_log("browser"):
        expect(False, f"{name}: on the console: {entry['message']}")
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            expect(url.startswith("file:///"), f"{name}: requested {url}")


def keep_screenshot(driver, folder, name):
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
        "x": 0, "y": 0, "width": driver.execute_script("return innerWidth"), "scale": 1,
        "height": min(6000, driver.execute_script("return document.documentElement.scrollHeight"))}})
    (folder / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))


def run_axe(driver, name, axe):
    """Lets axe-core look at the page; serious and critical findings are faults."""
    driver.execute_script(axe)
    options = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    result = driver.execute_async_script(
        "const done = arguments[1]; axe.run(document, arguments[0]).then(done, e => done({error: String(e)}));", options)
    expect("error" not in result, f"{name}: axe: {result.get('error')}")
    for violation in result.get("violations", []):
        line = f"{name}: axe: {violation['impact']} {violation['id']}: {violation['nodes'][0]['html'][:160]}"
        if violation["impact"] in ("serious", "critical"):
            expect(False, line)
        else:
            print("note", line)


def check_views(driver, name, page, axe, keep):
    """Opens a page, and looks at it in every width and scheme."""
    set_view(driver, WIDTHS[0], SCHEMES[-1])
    open_page(driver, page)
    for scheme in SCHEMES:
        for width in WIDTHS:
            view = f"{name} {scheme} {width}"
            set_view(driver, width, scheme)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            expect(wide <= width, f"{view}: {wide} pixels wide")
            if keep:
                keep_screenshot(driver, keep, f"{name}-{scheme}-{width}")
        if scheme == "light" or name == "gemm":
            run_axe(driver, f"{name} {scheme}", axe)
    look_at_logs(driver, name)


def texts_of_column(driver, column):
    return driver.execute_script(
        "return [...document.querySelectorAll('.trials tbody tr')].map(row => row.cells[arguments[0]].textContent.trim())", column)


def check_clicks(driver, page):
    """Sorts, filters and turns pages of the table of Trials, by mouse and by keys."""
    set_view(driver, 1280, "light")
    open_page(driver, page)
    titles = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".trials thead th")]
    time_column = titles.index("time (ms)")
    before = [float(text) for text in texts_of_column(driver, time_column)]
    expect(len(before) == 900 and before == sorted(before), "the table is not that of the best 1,000")
    button = driver.find_elements(By.CSS_SELECTOR, ".trials thead th button")[time_column]
    button.click()
    button.click()
    expect(driver.find_elements(By.CSS_SELECTOR, ".trials th[aria-sort=descending]"), "no title says descending")
    after = [text for text in texts_of_column(driver, time_column)]
    expect(float(after[0]) == max(before) and len(after) == 1000, "two clicks on a title do not sort backwards")
    button.send_keys(Keys.ENTER)
    expect(float(texts_of_column(driver, time_column)[0]) == min(before), "Enter on a title does not sort")
    choice = Select(driver.find_elements(By.CSS_SELECTOR, ".explorer select")[0])
    choice.select_by_visible_text("4")
    shown = texts_of_column(driver, titles.index("P0"))
    expect(shown and set(shown) == {"4"}, "a choice does not filter the table")
    condition = driver.find_element(By.CSS_SELECTOR, ".explorer input")
    condition.send_keys("time < 2.5, P1 >= 4")
    expect(all(float(text) < 2.5 for text in texts_of_column(driver, time_column)), "a condition does not filter")
    expect(all(int(text) >= 4 for text in texts_of_column(driver, titles.index("P1"))), "a second condition does not")
    condition.send_keys(", nosuch = 1")
    expect("No column has this name" in driver.find_element(By.CSS_SELECTOR, ".explorer .status").text,
           "a wrong condition gets no line")
    driver.find_element(By.XPATH, "//button[text()='Show all']").click()
    expect(len(texts_of_column(driver, 0)) == 1000, "`Show all` does not show all")
    canvas = driver.find_element(By.CSS_SELECTOR, ".explorer canvas")
    canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    told = driver.find_element(By.CSS_SELECTOR, ".plot + .status").text
    expect(told.startswith("# 2, time (ms)"), f"arrow keys do not tell the second best: {told!r}")
    check_plots(driver)
    summary = driver.find_element(By.CSS_SELECTOR, "details summary")
    summary.send_keys(Keys.ENTER)
    expect(driver.find_elements(By.CSS_SELECTOR, "details[open] table"), "Enter does not open a table behind a picture")
    look_at_logs(driver, "clicks")


def check_plots(driver):
    """Moves the mouse over a plot, and goes from line to line of the parallel coordinates by keys."""
    scatter, parallel = driver.find_elements(By.CSS_SELECTOR, ".explorer canvas")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", scatter)
    steps = [(x, y) for x in range(-400, 401, 40) for y in range(-120, 121, 24)]
    tip = driver.find_element(By.CSS_SELECTOR, ".plot .tip")
    for x, y in steps:
        ActionChains(driver, duration=0).move_to_element_with_offset(scatter, x, y).perform()
        if tip.is_displayed():
            break
    expect("time (ms)" in tip.text and "P0" in tip.text, f"the mouse over a plot tells nothing: {tip.text!r}")
    parallel.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    told = driver.find_elements(By.CSS_SELECTOR, ".plot + .status")[1].text
    expect(told.startswith("# 2, time (ms)"), f"arrow keys do not go along the parallel coordinates: {told!r}")


def check_hostile(driver, page):
    """Finds each of the 200 hostile texts as a text, in a choice and in the table of what its value reaches."""
    set_view(driver, 1280, "light")
    open_page(driver, page)
    texts = hostile_texts()
    expect(len(set(texts)) == 200, "the hostile texts are not 200 different ones")
    shown = driver.execute_script(
        "return [...document.querySelectorAll('.explorer select')[0].options].map(option => option.text)")[1:]
    cells = driver.execute_script(
        "return [...document.querySelector('#values details tbody').rows].map(row => row.cells[0].textContent)")
    plain = lambda text: "".join(" " if not each.isprintable() else each for each in text).split()
    for kind, found_texts in (("choice", shown), ("table", cells)):
        missing = {" ".join(plain(text)) for text in texts} - {" ".join(plain(text)) for text in found_texts}
        expect(len(found_texts) == 200 and not missing, f"{len(missing)} hostile texts are in no {kind}: {missing}")
    expect("owned" != driver.title and not driver.find_elements(By.CSS_SELECTOR, "img, iframe, base"),
           "a hostile text became a part of the page")
    look_at_logs(driver, "hostile texts")


def check_paging(driver, page):
    set_view(driver, 1280, "light")
    open_page(driver, page)
    driver.find_element(By.XPATH, "//button[text()='Next rows']").click()
    expect(texts_of_column(driver, 0)[0] == "1001", "the next rows do not begin at 1001")
    look_at_logs(driver, "paging")


def check_without_scripts(driver, page):
    """Reads a page whose scripts are off: the summaries and the best 1,000 are there."""
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    open_page(driver, page)
    document = driver.execute_cdp_cmd("DOM.getDocument", {"depth": 1})["root"]["nodeId"]
    count = lambda query: len(driver.execute_cdp_cmd("DOM.querySelectorAll",
                                                     {"nodeId": document, "selector": query})["nodeIds"])
    expect(count(".trials tbody tr") == 1000, "without scripts the best 1,000 are not there")
    expect(count("canvas") == 0 and count("th button") == 0, "scripts are not off")
    for query in ("#answer .card", "#next .command", "#failures td", "#history svg", "#importance svg", "#values details"):
        expect(count(query) > 0, f"without scripts there is no {query}")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def print_page(driver, page, folder):
    """Prints a page; returns its words and how many of them lie outside of the paper."""
    set_view(driver, 1280, "dark")
    open_page(driver, page)
    pdf = folder / "printed.pdf"
    printed = driver.execute_cdp_cmd("Page.printToPDF",
                                     {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.7})
    pdf.write_bytes(base64.b64decode(printed["data"]))
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    words, outside, width = set(), 0, 0.0
    for line in boxes.splitlines():
        if "<page " in line:
            width = float(line.split('width="')[1].split('"')[0])
        elif "<word " in line:
            words.add(html.unescape(line.split(">")[1].split("<")[0]))
            outside += float(line.split('xMax="')[1].split('"')[0]) > width
    return words, outside


def check_print(driver, name, page, folder):
    """Prints a page: all tables are open and inside of the paper, and each number of each table is in the PDF."""
    words, outside = print_page(driver, page, folder)
    expect(outside == 0, f"{name}: {outside} printed words lie outside of the paper")
    cells = driver.execute_script(
        "return [...document.querySelectorAll('td:not(.t)')].map(cell => cell.textContent.trim())")
    numbers = {word for cell in cells for word in cell.split() if any(each.isdigit() for each in word)}
    missing = sorted(number for number in numbers if number not in words)
    expect(not missing, f"{name}: {len(missing)} of {len(numbers)} numbers are not in the PDF: {missing[:5]}")
    look_at_logs(driver, f"printing of {name}")


def check_printed_parts(folder):
    """Finds the parts of the page that was printed last in the order of the questions, and titles on each page."""
    text = subprocess.run(["pdftotext", "-layout", folder / "printed.pdf", "-"], capture_output=True, text=True,
                          check=True).stdout
    parts = ("What won", "How sure that is", "What it is worth", "How near the limit", "What to do next",
             "wattune export", "Failures", "time of the best so far", "median time", "Commands")
    places = [text.find(part) for part in parts]
    is_row = re.compile(r"\s*=?\d+\s+\d+\.\d").match
    of_rows = [page for page in text.split("\f") if sum(map(bool, map(is_row, page.splitlines()))) > 30]
    titled = sum("time (ms)" in page for page in of_rows)
    expect(len(of_rows) > 5 and titled == len(of_rows), f"{titled} of {len(of_rows)} printed pages of rows have titles")
    expect(-1 not in places and places[:-3] == sorted(places[:-3]), f"the PDF lacks parts, or has another order: {places}")


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check_contrast(driver, page):
    """Computes the contrast of each colour of texts and pictures on each ground."""
    open_page(driver, page)
    for scheme in SCHEMES:
        set_view(driver, 1280, scheme)
        colour = lambda name: driver.execute_script(
            "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()", "--" + name)
        for ground in ("ground", "card", "soft"):
            for ink in ("ink", "quiet", "accent", "orange", "blue", "sky", "red", "green", "pink", "amber"):
                light, dark = sorted((luminance(colour(ground)), luminance(colour(ink))), reverse=True)
                contrast = (light + 0.05) / (dark + 0.05)
                expect(contrast >= 4.5, f"{scheme}: {ink} on {ground} has a contrast of {contrast:.2f}")


def usable_after(driver, page):
    """Returns the seconds from the request to the end of the script."""
    set_view(driver, 1280, "light")
    open_page(driver, page)
    return driver.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    missing = [tool for tool in ("chromium", "chromedriver", "pdftotext") if shutil.which(tool) is None]
    axe = next(iter(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")), None)
    if missing or axe is None:
        print(f"Missing: {', '.join(missing) or 'axe-core'} (tools/install-dependencies check)")
        return SKIPPED
    keep = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    with contextlib.ExitStack() as stack:
        folder = keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        pages = {}
        for name, files in inputs(program, folder).items():
            pages[name] = folder / f"{name}.html"
            subprocess.run([program, "report", *files, "--output", pages[name], "--overwrite"], check=True)
        driver = browser()
        stack.callback(driver.quit)
        begun = time.monotonic()
        step = lambda name: print(f"{time.monotonic() - begun:6.1f} s  {name}", flush=True)
        axe_text = axe.read_text()
        for name in pages:
            if name not in ("large", "thousand"):
                check_views(driver, name, pages[name], axe_text, keep)
        step(f"views of {len(pages) - 2} pages")
        check_hostile(driver, pages["hostile"])
        check_contrast(driver, pages["gemm"])
        check_clicks(driver, pages["thousand"])
        step("hostile texts, contrast, clicks and keys")
        run_axe(driver, "thousand", axe_text)
        step("axe-core on 1,000")
        check_paging(driver, pages["large"])
        check_without_scripts(driver, pages["large"])
        step("paging, scripts off")
        for name in ("tenants", "methods", "joules", "thousand"):
            check_print(driver, name, pages[name], folder)
        check_printed_parts(folder)
        step("printing")
        for name in ("thousand", "large"):
            size = pages[name].stat().st_size / 1e6
            print(f"{name}: {size:.2f} MB, usable after {usable_after(driver, pages[name]):.2f} s")
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
