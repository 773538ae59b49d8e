# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The script of the page. Its digest is in the content security policy, so nothing is inserted into it. Pure.

It writes text with textContent only, and draws 100 rows at a time, because a browser needs seconds for 10,000. It parses long
texts when the first finding is opened.
"""

from __future__ import annotations

SCRIPT = r"""
"use strict";
(() => {
  const CHUNK = 100;
  const SEVERITIES = ["unknown", "critical", "high", "medium", "low", "info"];
  const STATES = ["failing", "waived", "known", "below"];
  const CHANGES = ["worse", "reopened", "new", "known"];
  const byId = (id) => document.getElementById(id);
  const FILTERS = ["text", "state", "severity", "change", "target", "tool", "team"].filter((name) => byId("by-" + name));
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
    add("Owner", [get(row, "team"), has("contact"), has("channel")].filter(Boolean).join(", "));
    add("First seen", get(row, "first_seen"));
    add("Begins to fail", has("due"));
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
