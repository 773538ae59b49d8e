# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The style sheet and the script of the page. Their digests are in the content security policy, so nothing is inserted into
them. Pure.

The script writes text with textContent only, and draws 100 rows at a time, because a browser needs seconds for 10,000. It
parses long texts when the first finding is opened.
"""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #fff; --ink: #1c2126; --soft: #59626c; --line: #d9dee3; --faint: #f4f6f8; --link: #0b5cad;
  --critical: #a3123a; --high: #d6452b; --medium: #d99a1c; --low: #4c86c6; --info: #93a0ad; --unknown: #7a52b3;
  --fail: #b3122c; --fail-back: #fdf0f1; --warn: #8a5a00; --warn-back: #fdf6e5; --pass: #1b7a3d; --pass-back: #eef8f1;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14181c; --ink: #e4e8ec; --soft: #9aa5b1; --line: #323a43; --faint: #1d2329; --link: #7db8f5;
    --critical: #f0527e; --high: #ef7a55; --medium: #e0b04a; --low: #6ba3e0; --info: #76838f; --unknown: #ab8ae0;
    --fail: #ff7d8c; --fail-back: #2e191d; --warn: #eabb5c; --warn-back: #2b2415; --pass: #67c98a; --pass-back: #16281d;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
body > * { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
a { color: var(--link); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 2.2rem 0 .7rem; font-size: 1.15rem; }
h3 { margin: 1rem 0 .4rem; font-size: .95rem; }
p { margin: .4rem 0; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .87em; }
td, th, dt, dd, li, p, h1, h3 { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.small { font-size: .87rem; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 8px; top: 8px; padding: 6px 10px; background: var(--page); z-index: 2; }
.label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* the outcome */
.outcome {
  max-width: none; padding: 0; border-top: 6px solid var(--tone); border-bottom: 1px solid var(--line);
  background: var(--back);
}
.outcome > div { max-width: 1180px; margin: 0 auto; padding: 1.1rem 20px 1.2rem; }
.fail { --tone: var(--fail); --back: var(--fail-back); }
.warn { --tone: var(--warn); --back: var(--warn-back); }
.pass { --tone: var(--pass); --back: var(--pass-back); }
.outcome h1 { color: var(--tone); }
.outcome ul { margin: .6rem 0 0; padding-left: 1.2rem; }
.outcome li { margin: .15rem 0; }
.banner { margin-top: 1rem; padding: .6rem .9rem; border-left: 4px solid var(--fail); background: var(--page); }
.banner p { margin: .1rem 0; }

/* what to fix first */
ol.fixes { margin: 0; padding: 0; list-style: none; counter-reset: fix; border-top: 1px solid var(--line); }
ol.fixes > li {
  counter-increment: fix; display: grid; grid-template-columns: 2rem 6.2rem minmax(0, 1fr); gap: 0 .6rem;
  padding: .65rem 0; border-bottom: 1px solid var(--line);
}
ol.fixes > li::before { content: counter(fix); font-weight: 700; font-size: 1.1rem; color: var(--soft); }
ol.fixes p { margin: .1rem 0; }
.tag {
  display: inline-block; padding: 0 .4rem; border: 1px solid var(--line); border-radius: 3px;
  font-size: .78rem; color: var(--soft);
}
.tag.hot { border-color: var(--fail); color: var(--fail); }
.sev[class*=" s-"] { white-space: nowrap; }
.sev::before {
  content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .4em; border-radius: 2px;
  background: var(--of, var(--info));
}
.s-critical { --of: var(--critical); } .s-high { --of: var(--high); } .s-medium { --of: var(--medium); }
.s-low { --of: var(--low); } .s-info { --of: var(--info); } .s-unknown { --of: var(--unknown); }
.st-failing { color: var(--fail); font-weight: 600; }
.st-waived, .st-known, .st-below { color: var(--soft); }

/* numbers */
.panels { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2rem; margin-top: 2rem; }
.panels h3 { margin-top: 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .32rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-size: .82rem; font-weight: 600; color: var(--soft); }
.panels th, .panels td { padding: .18rem .4rem .18rem 0; border: 0; }
.panels tbody th { color: var(--ink); font-weight: 400; font-size: .9rem; white-space: nowrap; }
.panels td.bar { width: 40%; vertical-align: middle; }
td.n, th.n { text-align: right; white-space: nowrap; }
.date { white-space: nowrap; }
.word { min-width: 5.5rem; }
.file { min-width: 9rem; }
.zero { color: var(--soft); opacity: .6; }
svg { display: block; width: 100%; height: 12px; }
rect { fill: var(--of, var(--soft)); }
rect.rest { opacity: .35; }
rect.track { fill: var(--faint); }
.targets td.bar { width: 9%; vertical-align: middle; }
.targets .when { white-space: normal; min-width: 5.5rem; }
.targets .word { min-width: 8rem; }
.targets .why { padding-top: 0; color: var(--fail); font-size: .87rem; }
tr.more > td, tr.more > th { border-bottom: 0; }
.bad { color: var(--fail); font-weight: 600; }
.alarm {
  margin-top: 2rem; padding: .2rem 1rem .8rem; border: 1px solid var(--fail); border-left-width: 4px;
  background: var(--fail-back);
}
.alarm h2 { margin-top: .6rem; color: var(--fail); }

/* findings */
.filters { display: flex; flex-wrap: wrap; gap: .5rem .8rem; align-items: end; margin-bottom: .5rem; }
.filters label { display: flex; flex-direction: column; font-size: .8rem; color: var(--soft); }
.filters label.wide { flex: 1 1 16rem; }
.filters select { max-width: 20rem; }
input, select, button {
  font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 4px;
}
input, select { padding: .28rem .45rem; max-width: 100%; width: 100%; }
button { padding: .28rem .7rem; cursor: pointer; }
button:hover { border-color: var(--soft); }
th button { padding: 0; border: 0; background: none; font-weight: 600; color: var(--soft); }
th[aria-sort] button { color: var(--ink); }
th[aria-sort=ascending] button::after { content: " \\25B2"; font-size: .7em; }
th[aria-sort=descending] button::after { content: " \\25BC"; font-size: .7em; }
button.name { display: flex; padding: 0; border: 0; background: none; text-align: left; color: var(--link); }
button.name::before { content: "\\25B8"; flex: none; width: 1em; color: var(--soft); }
button.name:hover span { text-decoration: underline; }
button.name[aria-expanded=true]::before { content: "\\25BE"; }
#table table { table-layout: fixed; }
.clip { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.open .clip { display: block; }
.c-severity { width: 7rem; } .c-state { width: 6rem; } .c-change { width: 6.5rem; } .c-first_seen { width: 6.5rem; }
.c-target { width: 30%; }
tr.linked > td { background: var(--faint); }
tr.detail > td { padding: .2rem .5rem 1rem 1.5rem; background: var(--faint); }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .2rem .8rem; margin: .5rem 0; max-width: 62rem; }
dt { color: var(--soft); font-size: .87rem; }
dd { margin: 0; }
dd.text { white-space: pre-wrap; }
dd pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
details { margin: .6rem 0; }
summary { cursor: pointer; }
footer { padding-top: 1rem !important; padding-bottom: 2rem !important; }

@media (max-width: 760px) {
  body { font-size: 16px; }
  body > *, .outcome > div { padding-left: 14px; padding-right: 14px; }
  .outcome { padding: 0; }
  h1 { font-size: 1.4rem; }
  .panels { grid-template-columns: minmax(0, 1fr); gap: 1.2rem; }
  ol.fixes > li { grid-template-columns: 1.6rem minmax(0, 1fr); }
  ol.fixes > li > div { grid-column: 2; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .date { white-space: normal; }
  dt { margin-top: .4rem; }
  .filters label { flex: 1 1 40%; min-width: 0; }
  .filters select { max-width: 100%; }
  /* rows as blocks: a cell on its own line, or beside others with its label */
  table.wide thead { display: none; }
  table.wide, table.wide tbody { display: block; }
  table.wide tbody tr {
    display: flex; flex-wrap: wrap; gap: .1rem .9rem; padding: .55rem 0; border-bottom: 1px solid var(--line);
  }
  table.wide tbody td, table.wide tbody th { display: block; width: auto; padding: 0; border: 0; text-align: left; }
  table.wide .full { flex: 1 0 100%; }
  table.wide .zero, table.wide td:empty { display: none !important; }
  table.wide td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-size: .87rem; }
  table.wide tr.detail { display: block; border: 0; padding: 0; }
  table.wide tr.detail > td { padding: .2rem .6rem .8rem; }
  tr.more { border-bottom: 0 !important; padding-bottom: 0 !important; }
  #table .c-target { order: 3; }
}
@media print {
  body { font-size: 10pt; }
  .filters, .skip, #more, .screen { display: none !important; }
  .outcome, .alarm, rect, .sev::before, tr.detail > td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details::details-content { content-visibility: visible; display: block; }
  dd pre { max-height: none; }
  .clip { display: block; }
  tr, ol.fixes > li { break-inside: avoid; }
  tr.detail { break-inside: auto; }
  h2 { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
"""

SCRIPT = r"""
"use strict";
(() => {
  const CHUNK = 100;
  const SEVERITIES = ["unknown", "critical", "high", "medium", "low", "info"];
  const STATES = ["failing", "waived", "known", "below"];
  const CHANGES = ["worse", "reopened", "new", "known"];
  const FILTERS = ["text", "state", "severity", "change", "target", "tool"];
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);

  const data = read("rows");
  const column = Object.fromEntries(data.columns.map((name, at) => [name, at]));
  const get = (row, name) => data.rows[row][column[name]];
  const anchors = data.rows.map((cells) =>
    "f-" + cells[column.fingerprint] + (cells[column.index] === 1 ? "" : "-" + cells[column.index]));
  const rowOf = new Map(anchors.map((anchor, row) => [anchor, row]));
  const severalTools = new Set(data.rows.map((cells) => cells[column.tool])).size > 1;
  const body = byId("body"), more = byId("more"), count = byId("count"), every = byId("every");
  const inputs = Object.fromEntries(FILTERS.map((name) => [name, byId("by-" + name)]));
  const opened = new Set();
  let sort = {key: "", down: false}, found = [], drawn = 0, linked = -1, long = null, haystacks = null;

  const make = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const known = (list, value, prefix) => list.includes(value) ? prefix + value : "";
  const place = (row) => {
    const port = get(row, "port"), protocol = get(row, "protocol");
    const where = [[get(row, "method"), get(row, "path")].filter(Boolean).join(" ")];
    if (port !== null) where.unshift("port " + port + (protocol ? "/" + protocol : ""));
    if (get(row, "parameter")) where.push("parameter " + get(row, "parameter"));
    return where.filter(Boolean).join(", ");
  };

  /* which rows, in which order */
  const rank = (list, value) => { const at = list.indexOf(value); return at < 0 ? list.length : at; };
  const KEYS = {
    severity: (row) => rank(SEVERITIES, get(row, "severity")),
    state: (row) => rank(STATES, get(row, "state")),
    change: (row) => rank(CHANGES, get(row, "change")),
    first_seen: (row) => Date.parse(get(row, "first_seen")) || Infinity,
    name: null,
    target: null,
  };
  const order = () => {
    if (!sort.key) return;
    const way = sort.down ? -1 : 1;
    if (KEYS[sort.key]) {
      const keys = data.rows.map((_cells, row) => KEYS[sort.key](row));
      found.sort((a, b) => way * (keys[a] - keys[b]) || a - b);
      return;
    }
    /* one comparison for each different text, and numbers for the rows */
    const texts = [...new Set(found.map((row) => get(row, sort.key)))];
    texts.sort(new Intl.Collator("en", {numeric: true}).compare);
    const places = new Map(texts.map((text, at) => [text, at]));
    found.sort((a, b) => way * (places.get(get(a, sort.key)) - places.get(get(b, sort.key))) || a - b);
  };
  const haystack = (row) => {
    haystacks ??= data.rows.map((cells) => cells.flat().filter((cell) => cell !== null).join("\n").toLowerCase());
    return haystacks[row];
  };
  const filter = () => {
    const words = inputs.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const exact = FILTERS.slice(1).filter((name) => inputs[name].value !== "");
    found = [];
    for (let row = 0; row < data.rows.length; row++) {
      if (exact.every((name) => get(row, name) === inputs[name].value)
          && (!words.length || words.every((word) => haystack(row).includes(word)))) found.push(row);
    }
    order();
    /* a link leads to its finding at once, wherever it is in the list */
    const at = found.indexOf(linked);
    if (at >= CHUNK) { found.splice(at, 1); found.unshift(linked); }
  };

  /* rows */
  const cell = (className, text, label) => {
    const made = make("td", text, className);
    made.setAttribute("role", "cell");
    if (label) made.dataset.label = label;
    return made;
  };
  const draw = (row) => {
    const made = make("tr");
    made.setAttribute("role", "row");
    made.id = anchors[row];
    made.classList.toggle("linked", row === linked);
    const severity = cell("c-severity");
    severity.append(make("span", get(row, "severity"), "sev " + known(SEVERITIES, get(row, "severity"), "s-")));
    const name = cell("c-name full");
    const button = make("button", undefined, "name");
    button.append(make("span", get(row, "name") || "(no name)", "clip"));
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => toggle(row, made));
    name.append(button);
    const where = cell("c-target full");
    const rest = [place(row), severalTools ? get(row, "tool") : ""].filter(Boolean).join(" · ");
    where.append(make("span", get(row, "target"), "clip"));
    if (rest) where.append(make("span", rest, "clip soft small"));
    made.append(
      severity, name, where, cell("c-change", get(row, "change") || ""),
      cell("c-first_seen", (get(row, "first_seen") || "").slice(0, 10), "first seen"),
      cell("c-state " + known(STATES, get(row, "state"), "st-"), get(row, "state")));
    body.append(made);
    if (opened.has(row)) open(row, made);
  };
  const toggle = (row, made) => opened.has(row) ? close(row, made) : open(row, made);
  const close = (row, made) => {
    opened.delete(row);
    made.classList.remove("open");
    made.querySelector("button.name").setAttribute("aria-expanded", "false");
    if (made.nextElementSibling?.className === "detail") made.nextElementSibling.remove();
  };
  const open = (row, made) => {
    opened.add(row);
    const button = made.querySelector("button.name");
    if (button.getAttribute("aria-expanded") === "true") return;
    button.setAttribute("aria-expanded", "true");
    made.classList.add("open");
    const detail = make("tr", undefined, "detail"), inside = make("td");
    detail.setAttribute("role", "row");
    inside.setAttribute("role", "cell");
    inside.colSpan = 6;
    inside.append(facts(row));
    detail.append(inside);
    made.after(detail);
  };

  /* the details of a finding */
  const facts = (row) => {
    long ??= read("long");
    const cells = long.rows[row], list = make("dl");
    const has = (name) => { const value = cells[long.columns.indexOf(name)]; return value === undefined ? null : value; };
    const text = (name) => { const at = has(name); return at === null ? "" : long.texts[at]; };
    const add = (term, content, className) => {
      if (content === null || content === "" || content.length === 0) return;
      const definition = make("dd", undefined, className);
      if (typeof content === "object") definition.append(...[content].flat());
      else definition.textContent = String(content);
      list.append(make("dt", term), definition);
    };
    const said = (value) => value === null ? "" : value ? "yes" : "no";
    add("Why " + get(row, "state"), get(row, "reasons").join("; "));
    const waiver = has("waiver");
    if (waiver !== null) add("Waived", data.waivers[waiver]);
    add("Fix", text("recommendation"), "text");
    add("Service", has("service"));
    add("Risk", text("risk"), "text");
    add("Description", text("description"), "text");
    if (text("evidence")) add("Evidence", make("pre", text("evidence")));
    add("CVE", get(row, "cve").join(", "));
    add("CWE", has("cwe"));
    add("CVSS", has("cvss"));
    add("EPSS", has("epss"));
    add("EPSS percentile", has("epss_percentile"));
    add("Exploited", said(has("known_exploited")));
    add("Verified", said(has("verified")));
    add("References", has("references").flatMap((reference) => [link(reference), make("br")]));
    add("First seen", get(row, "first_seen"));
    add("Check", get(row, "check"));
    const id = has("scan_id"), scan = id === null ? "" : "scan " + id;
    add("Tool", get(row, "tool"));
    add("Scan", data.scan && scan ? link(data.scan.replace("{id}", id), scan) : scan);
    add("Finding", [has("workspace"), has("id") === null ? "" : "finding " + has("id"), has("status")]
      .filter(Boolean).join(", "));
    const own = make("a", get(row, "fingerprint") + (get(row, "index") === 1 ? "" : ", number " + get(row, "index")), "mono");
    own.href = "#" + encodeURIComponent(anchors[row]);
    add("Fingerprint", own);
    add("Places", has("places").flatMap((place) => [make("span", place, "mono"), make("br")]));
    return list;
  };
  const link = (reference, words = reference) => {
    if (!/^https?:\/\/[^\s\\]+$/i.test(reference)) return make("span", words);
    const made = make("a", words);
    made.href = reference;
    made.rel = "noreferrer noopener nofollow";
    return made;
  };

  /* the list */
  const drawMore = (number) => {
    const end = Math.min(found.length, drawn + number);
    for (; drawn < end; drawn++) draw(found[drawn]);
    const left = found.length - drawn;
    more.hidden = left === 0;
    more.textContent = "Show " + Math.min(CHUNK, left) + " more of " + left;
  };
  const show = () => {
    filter();
    body.replaceChildren();
    drawn = 0;
    drawMore(CHUNK);
    const all = data.rows.length;
    count.textContent = found.length === all
      ? all + (all === 1 ? " finding" : " findings") : found.length + " of " + all + " findings";
    every.disabled = found.length === 0;
  };
  const remember = () => {
    const parameters = new URLSearchParams();
    for (const name of FILTERS) if (inputs[name].value) parameters.set(name, inputs[name].value);
    try { history.replaceState(null, "", String(parameters) ? "#?" + parameters : "#findings"); } catch { /* sandboxed */ }
  };
  const clear = () => { for (const name of FILTERS) inputs[name].value = ""; };
  const follow = () => {
    let anchor = location.hash.slice(1);
    try { anchor = decodeURIComponent(anchor); } catch { /* not encoded */ }
    if (location.hash.startsWith("#?")) {
      const parameters = new URLSearchParams(location.hash.slice(2));
      clear();
      linked = -1;
      for (const name of FILTERS) inputs[name].value = parameters.get(name) ?? "";
      show();
      byId("findings").scrollIntoView();
      return;
    }
    const row = rowOf.get(anchor);
    if (row === undefined) return;
    linked = row;
    opened.add(row);
    filter();
    if (!found.includes(row)) clear();
    show();
    byId(anchors[row]).scrollIntoView();
    byId(anchors[row]).querySelector("button.name").focus({preventScroll: true});
  };

  for (const name of FILTERS.slice(1)) {
    const lists = {state: STATES, severity: SEVERITIES, change: CHANGES};
    const values = [...new Set(data.rows.map((_cells, row) => get(row, name)))].filter(Boolean);
    if (lists[name]) values.sort((a, b) => rank(lists[name], a) - rank(lists[name], b)); else values.sort();
    for (const value of values) {
      const option = make("option", value);
      option.value = value;
      inputs[name].append(option);
    }
  }
  for (const name of FILTERS)
    inputs[name].addEventListener("input", () => { linked = -1; show(); remember(); });
  byId("clear").addEventListener("click", () => { clear(); linked = -1; show(); remember(); inputs.text.focus(); });
  every.addEventListener("click", () => {
    const rows = found.slice(0, drawn), all = rows.every((row) => opened.has(row));
    for (const row of rows) (all ? close : open)(row, byId(anchors[row]));
  });
  more.addEventListener("click", () => {
    const first = drawn;
    drawMore(CHUNK);
    byId(anchors[found[first]])?.querySelector("button.name").focus();
  });
  for (const button of document.querySelectorAll("th button[data-key]")) {
    button.addEventListener("click", () => {
      const key = button.dataset.key, same = sort.key === key;
      sort = {key, down: same && !sort.down};
      for (const head of document.querySelectorAll("th[aria-sort]")) head.removeAttribute("aria-sort");
      button.parentElement.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      show();
    });
  }
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => drawMore(found.length));

  byId("plain").remove();
  byId("table").hidden = false;
  show();
  follow();
  /* the browser moves the focus away when it scrolls to the fragment of a page that has just been loaded */
  addEventListener("load", () => setTimeout(follow));
  document.documentElement.dataset.ready = "true";
})();
"""
