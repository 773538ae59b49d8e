# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Each target makes .venv if need be and starts the nox session of its own name.

SESSIONS := demo test service docs bench matrix faults fuzz mutants replay
PYTHONS := python3.14 python3.13 python3.12 python3.11 python3.10 python3
NOX := .venv/bin/python -m nox --non-interactive

.PHONY: help $(SESSIONS)

help:
	@echo "make demo     show the collection at work against a local service"
	@echo "make test     the checks, and the tests on the newest ansible-core that runs here"
	@echo "make matrix   all checks and tests that make test leaves out"
	@echo "make faults   every module against every fault of the local service"
	@echo "make fuzz     random inputs for everything that parses, for an hour"
	@echo "make mutants  the small mistakes in pure files that no unit test notices"
	@echo "make replay   tests on the forms of a recording, RECORDING=path"
	@echo "make service  run the local service until interrupted"
	@echo "make docs     build the documentation site"
	@echo "make bench    run the benchmarks"

$(SESSIONS): .venv/ready
	@exec $(NOX) --session $@ $(and $(filter replay,$@),$(RECORDING),-- $(abspath $(RECORDING)))

# An existing .venv is used, also one that uv has made without pip.
.venv/ready: requirements.txt
	@if .venv/bin/python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then \
	  .venv/bin/python -m ensurepip >/dev/null && \
	  .venv/bin/python -m pip install --quiet --requirement requirements.txt && touch $@; \
	  exit; \
	fi; \
	for python in $(PYTHONS); do \
	  if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then \
	    echo "Setting up .venv with $$($$python --version)"; \
	    $$python -m venv --clear .venv && .venv/bin/python -m pip install --quiet --requirement requirements.txt && touch $@; \
	    exit; \
	  fi; \
	done; \
	echo "No working Python 3.10 or later with the venv module was found: install one (tried $(PYTHONS))." >&2; \
	exit 1
