# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The page as a Jinja2 template. Pure.

Whatever is inserted is escaped, on one line and cut, see ``template`` of html.py, which has the filters. The filter text is
for another length. Only the style sheet, the script and the policy are inserted as markup, and all of them are constants.
"""

from __future__ import annotations

TEMPLATE = r"""
{%- macro known(severity) %}{% if severity in SUMMARY %} s-{{ severity }}{% endif %}{% endmacro %}
{%- macro mark(severity) %}<span class="sev{{ known(severity) }}">{{ severity }}</span>{% endmacro %}
{%- macro heads() %}{% for title in varargs %}<th scope="col">{{ title }}</th>{% endfor %}{% endmacro %}
{%- macro named(row, longest) -%}
<a href="{{ row|link }}">{{ row.name|text(longest) or "(no name)" }}</a>
{%- endmacro %}
{%- macro web(url, words) -%}
{% if url|address %}<a href="{{ url|address }}" rel="noreferrer noopener nofollow">{{ words }}</a>
{%- else %}{{ words }}{% endif %}
{%- endmacro %}
{%- macro why(row) %}{{ row.reasons|map("text")|join("; ") or "no reason is recorded" }}{% endmacro %}
{%- macro left_out(found, words) -%}
{% if found|length > MOST_LINES %}<p>{{ (found|length - MOST_LINES)|counted(words) }} in gate.json.</p>{% endif %}
{%- endmacro %}
{%- macro file(waiver) %}<code>{{ waiver.file }}:{{ waiver.line }}</code>{% endmacro %}
{%- macro matcher(waiver) %}<code>{{ waiver.matcher.items()|map("join", ": ")|join(", ") }}</code>{% endmacro %}
{%- macro waiver_table(title, found) %}
<table class="wide" aria-label="Waivers"><thead><tr>
{#- #}{{ heads(title, "Status", "Reason", "Owner", "Waives", "File") }}</tr></thead>
<tbody>
{% for waiver, is_bad, rows in found[:MOST_LINES] %}
<tr><td data-label="{{ title|lower }}"><span class="{% if is_bad %}bad {% endif %}date">
{{- waiver.expires|text(26) }}</span></td><td class="date">{{ waiver.status|text(20)|replace("_", " ") }}</td>
{#- #}<td class="full">{{ waiver.reason }}</td><td class="file" data-label="owner">{{ waiver.owner }}</td><td class="full">
{%- if rows %}
{{- mark(rows[0].severity) }} {{ named(rows[0], 120) }}
{%- if rows|length > 1 %} and {{ (rows|length - 1)|counted("more finding") }}{% endif %}
{% else %}{{ matcher(waiver) }}{% endif %}
</td><td class="full file">{{ file(waiver) }}</td></tr>
{% endfor %}
</tbody></table>{{ left_out(found, "more waiver") }}
{% endmacro %}
{%- macro missing(title, found) %}
{% if found %}
<details><summary>{{ title }}: {{ found|length }}</summary><ul>
{%- for each in found[:MOST_LINES] %}
<li>{{ mark(each.severity) }} {{ each.name|text(200) }}, {{ each.target }}, {{ each.tool }}<span class="soft small">
{%- if each.get("reason") %} {{ each.reason }},{% endif %} last seen {{ each.last_seen|moment or "unknown" }}</span></li>
{% endfor %}
</ul>{% if found|length > MOST_LINES %}<p>{{ found|length - MOST_LINES }} more in gate.json.</p>{% endif %}</details>
{% endif %}
{% endmacro %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ CONTENT_SECURITY_POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{{ headline(document) }}</title>
<style>{{ STYLE }}</style>
</head>
<body>
<a class="skip" href="#findings">Skip to the findings</a>
{% set tools = tools_of(document)|select|join(", ") %}
{% set build, commit = origin_of(document, "build"), origin_of(document, "commit") %}
{% set scan_url = origin_of(document, "scan_url") %}
<header class="outcome {{ document.verdict if document.verdict in VERDICTS else FAIL }}"><div>
<p class="soft small">Security gate
{%- for each in (document.workspace, tools) if each %} · {{ each }}{% endfor %}
{#- the end of a URL is the number of the build #}
{%- if build %} · {{ web(build, "build " ~ build.rstrip("/").rpartition("/")[2]|text(100)) }}{% endif %}
{%- if commit %} · commit <code>{{ commit[:12] }}</code>{% endif %} · {{ document.generated|moment }}</p>
<h1>{{ headline(document) }}</h1>
<ul>{% for each in sentences(document) %}<li>{{ each }}</li>{% endfor %}</ul>
{% if document.outcome != PASSED %}
<p>{{ web(document.see.outcome, "What to do") }}</p>
{% endif %}
{% set seen = controls(document) %}
{% if seen %}
<p class="small">{{ seen[0] }}{% for each in seen[1:MOST_ROWS] %}<br>{{ each }}{% endfor %}</p>
{% endif %}
{% if not is_whole(document) %}
{% set bad = document.targets|rejectattr("outcome", "in", WHOLE)|list|length %}
<div class="banner" role="note"><p><strong>This run is not complete.</strong>
{% if bad %}{{ bad }} of {{ document.targets|length|counted("scan") }} could not be judged. {% endif %}
Findings may be missing, so a target without findings is not proven clean.</p></div>
{% elif document.coverage == UNPROVEN %}
<div class="banner" role="note"><p>The findings come from a saved file, which does not prove that everything was scanned.</p>
</div>
{% endif %}
</div></header>
<main>
{% set found = fixes(document) %}
{% if found %}
<section aria-labelledby="fix">
<h2 id="fix">Fix first</h2>
<ol class="fixes">
{% for fix in found[:MOST_FIXES] %}
{% set row, advice = fix.first, fix.first.recommendation|advice %}
<li><div class="sev{{ known(row.severity) }}">{{ row.severity }}</div><div>
{#- #}<p><strong>{{ named(row, 200) }}</strong>
{% if row.known_exploited %}<span class="tag hot">known to be exploited</span>{% endif %}
{% if is_new(row) %} <span class="tag hot">{{ row.change }}</span>{% endif %}
{% for key in ("cvss", "epss") if row[key] is not none %} <span class="tag">{{ key|upper }} {{ row[key] }}</span>{% endfor %}
</p><p class="small">{{ row|place }}
{%- if tools_of(document)|length > 1 and row.tool %} · {{ row.tool }}{% endif %}
{%- if fix.number > 1 %} · {{ fix.number|counted("finding") }} of this kind{% endif %}
{%- if fix.targets > 1 %} on {{ fix.targets|counted("target") }}{% endif %}
{%- if fix.owners %} · {{ fix.owners }}{% endif %}</p>
{%- if advice %}<p>{{ advice }}</p>{% endif %}
<p class="soft small">Fails because {{ why(row) }}.</p></div></li>
{% endfor %}
</ol>
{%- if found|length > MOST_FIXES %}
<p><a href="#?state=failing">{{ found|length - MOST_FIXES }} more to fix</a></p>
{%- endif %}

</section>
{% endif %}
{% set number = document.waivers.expired|length %}
{% if number %}
<section class="alarm" aria-labelledby="expired">
<h2 id="expired">{{ number|counted("expired waiver") }}: what {% if number == 1 %}it{% else %}they{% endif %}
 waived counts again</h2>
{{ waiver_table("Expired", expired(document)) }}</section>
{% endif %}
{% set found = coming(document) %}
{% if found %}
<section aria-labelledby="coming">
<h2 id="coming">Begins to fail</h2><ul>
{%- for day, text in found[:MOST_LINES] %}
<li><span class="date">{{ day }}</span>: {{ text }}</li>
{%- endfor %}</ul>{{ left_out(found, "more waiver or finding") }}
</section>
{% endif %}
{% set unseen = document.get("unseen", ()) %}
{% if document.findings or document.gone or unseen %}
<section class="panels" aria-label="Numbers">
{% for title, found in bars(document).items() %}
{% if found %}
{% set scale = 200 / (found|map(attribute="number")|max or 1) %}
<div><h3>{{ title }}</h3><table aria-label="{{ title }}"><thead class="label"><tr>
{#- #}{{ heads("Kind", "Bar", "Findings", "Failing") }}
{#- #}</tr></thead>
<tbody>
{% for bar in found %}
<tr><th scope="row">{% if bar.key == "severity" %}{{ mark(bar.label) }}{% else %}{{ bar.label }}{% endif %}</th><td class="bar
{%- if bar.key == "severity" %} s-{{ bar.label }}{% endif %}">
{#- #}<svg viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true">
{#- #}<rect class="rest" width="{{ (bar.number * scale)|round(1) }}" height="12"/>
{#- #}<rect width="{{ (bar.failing * scale)|round(1) }}" height="12"/></svg></td><td class="n">
{%- if not bar.number %}<span class="soft">0</span>
{%- elif bar.key %}<a href="{{ {bar.key: bar.label}|query }}">{{ bar.number }}</a>
{%- else %}{{ bar.number }}{% endif %}</td>
{#- #}<td class="n small">{% if bar.failing %}<span class="bad">{{ bar.failing }} failing</span>{% endif %}</td></tr>
{% endfor %}
</tbody></table></div>
{% else %}
<div><h3>{{ title }}</h3><p class="small">The findings were compared with no baseline, so none is called new or known.</p></div>
{% endif %}
{% endfor %}
</section>
{% endif %}
{% set found = targets(document) %}
{% if found %}
{% set now = document.generated|iso_moment %}
{% set most = namespace(number=1) %}
{% for each in found %}{% set most.number = [most.number, each.numbers.values()|sum]|max %}{% endfor %}
<section aria-labelledby="by-targets">
<h2 id="by-targets">Targets</h2>
<table class="wide targets" aria-label="Targets"><thead><tr>{{ heads("Target", "Tool", "Outcome") }}
{%- for title in ("Scanned", "Failing") + SUMMARY %}<th scope="col" class="n">{{ title }}</th>{% endfor %}
<th scope="col"><span class="label">Bar</span></th></tr></thead>
<tbody>
{% for each in found[:MOST_LINES] %}
{% set pair, numbers, failing = each.pair, each.numbers, each.failing.values()|sum %}
{% set reasons = () if pair.outcome in WHOLE else pair.reasons %}
<tr{% if reasons %} class="more"{% endif %}><th scope="row" class="full"><a href="{{ {"target": pair.target|line}|query }}">
{{- pair.target|text or "unknown target" }}</a></th><td class="word">{{ pair.tool }}</td>
{#- #}<td class="date"><span{% if pair.outcome != PASSED %} class="bad"{% endif %}>{{ pair.outcome|text(40) }}</span></td>
{#- #}<td class="n when" data-label="scanned">
{%- if pair.scan_id is none %}never
{%- else %}{{ web(scan_url.replace("{id}", pair.scan_id|string), pair.age|before(now)) }}{% endif %}</td>
{#- #}<td class="n {% if failing %}bad{% else %}zero{% endif %}" data-label="failing">{{ failing }}</td>
{%- for name in SUMMARY %}
<td class="n {% if not numbers[name] %}zero{% endif %}" data-label="{{ name }}">{{ numbers[name] }}</td>
{%- endfor %}
<td class="bar full"><svg viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true">
{%- set at = namespace(x=0) %}
{%- for name in SUMMARY if numbers[name] %}
{%- set width = (numbers[name] * 200 / most.number)|round(2) %}
<rect class="s-{{ name }}" x="{{ "%g"|format(at.x) }}" width="{{ width }}" height="12"/>
{%- set at.x = at.x + width %}
{%- endfor %}
</svg></td></tr>
{% if reasons %}
<tr><td class="why full" colspan="{{ 6 + SUMMARY|length }}">
{%- for each in reasons %}{% if not loop.first %}<br>{% endif %}{{ each }}{% endfor %}</td></tr>
{% endif %}
{% endfor %}
</tbody></table>{{ left_out(found, "more target") }}
</section>
{% endif %}
{% set used, doubled, unused = waivers(document), document.waivers.doubled, document.waivers.unused %}
{% if used or doubled or unused %}
<section aria-labelledby="waived">
<h2 id="waived">Waived</h2>
{% if used %}{{ waiver_table("Until", used) }}{% endif %}
{% if doubled %}
<h3>Findings that several waivers match</h3><ul>
{%- for each in doubled[:MOST_LINES] %}
<li><code>{{ each.fingerprint }}</code>:
{%- for waiver in each.waivers %}{% if not loop.first %},{% endif %} {{ file(waiver) }}{% endfor %}</li>
{%- endfor %}</ul>
{% endif %}
{% if unused %}
<h3>Unused waivers: no finding matches them</h3><ul>
{%- for each in unused[:MOST_LINES] %}
<li>{{ file(each) }}: {{ matcher(each) }}, {{ each.reason }} ({{ each.owner }}, until {{ each.expires|text(40) }})</li>
{%- endfor %}</ul>
{% endif %}
</section>
{% endif %}
<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
{% set least = (document.get("policy") or {}).get("fail_on") %}
<p class="small">
{%- if least is not none %}<strong>fail_on: {{ least }}</strong>
{%- if least == NONE %} means that no severity fails by itself.{% else %} is the lowest severity that fails.{% endif %}<br>
{%- endif %}
<strong>below</strong> means that the policy does not count the finding, mostly because its severity is lower.</p>
<div id="table" hidden>
<div class="filters" role="search" aria-label="Filter the findings">
{#- #}<label class="wide">Text<input type="search" id="by-text" autocomplete="off" spellcheck="false"
 placeholder="name, path, check, CVE, fingerprint"></label>
{%- for name in ("state", "severity", "change", "target", "tool") + (("team",) if document.owners else ()) %}
<label>{{ name|capitalize }}<select id="by-{{ name }}"><option value="">all</option></select></label>
{%- endfor %}
<button type="button" id="clear">Clear</button></div>
<p class="soft small"><span id="count" role="status"></span>
 <button type="button" id="every" class="screen">Open or close the details shown</button></p>
<table class="wide" role="table" aria-label="Findings"><thead><tr role="row">
{%- for key, title in COLUMNS.items() %}
<th scope="col" role="columnheader" class="c-{{ key }}"><button type="button" data-key="{{ key }}">{{ title }}</button></th>
{%- endfor %}
</tr></thead><tbody id="body"></tbody></table>
<p><button type="button" id="more" hidden></button></p>
</div>
{% set failing = (document.findings|selectattr("state", "eq", FAILING)|list)[:MOST_ROWS] %}
<div id="plain"><p>{{ document.findings|length|counted("finding") }}:
{%- for state, number in by_state(document).items() %}{% if not loop.first %},{% endif %} {{ number }} {{ state }}{% endfor %}.
{%- if failing %} Without JavaScript, this page lists the first {{ failing|length }} failing ones.{% endif %}</p>
{% if failing %}
<table aria-label="Failing findings"><thead><tr>{{ heads("Severity", "Finding", "Where", "Change", "Why") }}</tr></thead>
<tbody>
{% for row in failing %}
<tr id="{{ row|anchor }}"><td>{{ mark(row.severity) }}</td><td>{{ row.name|text(200) }}</td><td>{{ row|place }}</td>
{#- #}<td class="word">{{ row.change }}</td><td>{{ why(row) }}</td></tr>
{% endfor %}
</tbody></table>
{% endif %}
</div>
</section>
</main>
<footer>
{{ missing("Gone since the baseline", document.gone) }}
{{- missing("Not seen by this scan", unseen) }}
<details><summary>Policy, baseline and sources</summary><dl>
{%- for title, value in facts(document).items() if value %}
<dt>{{ web(document.see.policy.get(title[7:], ""), title) }}</dt><dd>{{ value|text(2000) }}</dd>{% endfor %}
</dl></details>
</footer>
{#- Jinja2 writes JSON that no parser of HTML takes for markup #}
<script type="application/json" id="rows">{"columns":{{ TABLE|tojson }},"waivers":{{ waived(document)|tojson }},"scan":
{#- #}{{ scan_url|tojson }},"rows":[
{%- for each in table(document) %}{% if not loop.first %},{% endif %}{{ (each|tojson)[1:-1] }}{% endfor %}]}</script>
<script type="application/json" id="long">{"columns":{{ DETAILS|tojson }},"rows":[
{%- set found, texts = details(document) %}
{%- for each in found %}{% if not loop.first %},{% endif %}{{ (each|tojson)[1:-1] }}{% endfor %}],"texts":[
{%- for each in texts %}{% if not loop.first %},{% endif %}{{ (each|tojson)[1:-1] }}{% endfor %}]}</script>
<script>{{ SCRIPT }}</script>
</body>
</html>
"""
