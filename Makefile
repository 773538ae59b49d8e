# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Each target makes .venv if need be. Most start the nox session of their name.

SESSIONS := demo service docs bench faults fuzz mutants replay
COMMANDS := test matrix
LOOP := unit play target
PYTHONS := python3.14 python3.13 python3.12 python3.11 python3.10 python3
NOX := .venv/bin/python -m nox --non-interactive
# for the inner loop, which does not start nox
HERE := $(CURDIR)/.nox/loop/ansible_collections/scanops/scanner
TOOLS := HOME="$(CURDIR)/.nox/home" ANSIBLE_HOME="$(CURDIR)/build/ansible" PATH="$(CURDIR)/.nox/newest/bin:$(CURDIR)/.nox/interpreters:$$PATH"

.PHONY: help $(SESSIONS) $(COMMANDS) $(LOOP)

help:
	@echo "make demo     show the collection at work against a local service"
	@echo "make test     the checks, and the tests that are not slow, in six minutes on two processors"
	@echo "make unit     unit tests: T=tests/unit/plugins/... A='-k wait -vv'"
	@echo "make play     playbooks on the local service: T=tests/plays/... A=..."
	@echo "make target   an integration target: T=gate A=-v"
	@echo "make matrix   all checks and tests, on every ansible-core: CELL=2.19 runs one of its cells"
	@echo "make faults   every module against every fault of the local service"
	@echo "make fuzz     random inputs for everything that parses, for an hour"
	@echo "make mutants  the small mistakes in pure files that no unit test notices"
	@echo "make replay   tests on the forms of a recording, RECORDING=path"
	@echo "make service  run the local service until interrupted"
	@echo "make docs     build the documentation site"
	@echo "make bench    run the benchmarks"

$(SESSIONS): .venv/ready
	@exec $(NOX) --session $@ $(and $(filter replay,$@),$(RECORDING),-- $(abspath $(RECORDING)))

# The counts are the last line, after what nox says.
$(COMMANDS): .venv/ready
	@rm -f build/$@.txt; $(NOX) --session $@ $(and $(filter matrix,$@),$(CELL),-- $(CELL)); status=$$?; \
	cat build/$@.txt; exit $$status

unit: .nox/loop/ready
	@cd "$(HERE)" && exec env $(TOOLS) PYTHONPATH="$(CURDIR)/.nox/loop" python -m pytest -q $(or $(T),tests/unit -n 2 -m "not slow") $(A)

play: .nox/loop/ready
	@cd "$(HERE)" && exec env $(TOOLS) PYTHONPATH="$(CURDIR)/.nox/loop" python -m pytest -q $(or $(T),tests/plays -n 2 -m "not slow") $(A)

target: .nox/loop/ready
	@exec env $(TOOLS) python tests/sessions/target.py $(T) $(A)

.nox/loop/ready: .venv/ready pyproject.toml requirements.txt
	@$(NOX) --session loop && touch $@

# An existing .venv is used, also one that uv has made without pip.
.venv/ready: requirements.txt
	@if .venv/bin/python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then \
	  .venv/bin/python -m ensurepip >/dev/null && \
	  .venv/bin/python -m pip install --quiet --constraint requirements.txt nox antsibull-nox && touch $@; \
	  exit; \
	fi; \
	for python in $(PYTHONS); do \
	  if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then \
	    echo "Setting up .venv with $$($$python --version)"; \
	    $$python -m venv --clear .venv && .venv/bin/python -m pip install --quiet --constraint requirements.txt nox antsibull-nox && touch $@; \
	    exit; \
	  fi; \
	done; \
	echo "No working Python 3.10 or later with the modules venv and ensurepip was found (tried $(PYTHONS)). Install one," >&2; \
	echo "on Debian and Ubuntu with its package python3-venv." >&2; \
	exit 1
