# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The style sheet of the page. Its digest is in the content security policy, so nothing is inserted into it. Pure."""

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
