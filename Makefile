# A bare `make` lists what there is to make.
PYTHON ?= python3
BIN = .venv/bin
# What is installed has the hash that stands in the list. uv does not read which package index pip is
# told of, and where it finds nothing pip tries.
HASHED = --quiet --require-hashes -r
INSTALL = sh -c '$(BIN)/uv pip install --python $(BIN)/python $(HASHED) "$$0" || $(BIN)/python -m pip install $(HASHED) "$$0"'
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
BENCHMARKS = judging_peers parse_runs linear_readers evaluate_runs import_runs document_post unit_cpu slow_clients ranking_latency load hostile_texts recompute_scale resampling report_scale more_measures significance time_biased monitor_viewer prediction_powered model_run
BENCHMARKS_OF_DATA = workspace_pages upload_collection
NO_WORDS = .venv var tests docs bench client
# What the site runs on where there are no containers.
DEBIAN = caddy debootstrap pgbouncer postgresql-15 prometheus redis-server
.PHONY: help .venv run demo demo-data picture test nightly looks fault-test fuzz-test check docs secrets lock messages bench acceptance production-test

help:
	@awk -F ' *## ' '/^[a-z.-]+:.*## / { split($$1, name, ":"); printf "make %-12s %s\n", name[1], $$2 }' $(MAKEFILE_LIST)

.venv: .venv/installed  ## the environment alone

run: .venv  ## web server, worker and clock, on PORT=8000
	@$(BIN)/python -m embedded

demo: .venv  ## the same, with a finished study, and one two thirds done to judge in
	@$(BIN)/python -m embedded --demo

demo-data: .venv  ## the demo's runs and its finished study, anew from its texts and labels
	@$(BIN)/python -m demo.make_runs
	@var=$$(mktemp -d) && VAR_DIR=$$var $(BIN)/python -m demo.make_archive; status=$$?; rm -rf $$var; exit $$status

picture: .venv/installed-dev  ## the README's, of a demo that runs on PORT=8000
	@$(BIN)/python -m demo.make_picture

test: .venv/installed-dev  ## every test, a process for each processor; DATA= for real collections too
	@$(BIN)/python -m pytest -p tests.measured -n logical --dist loadfile --no-loadscope-reorder -m "not nightly and not whole and not production"

nightly: .venv/installed-dev  ## faults, killed servers, made-up bytes and requests, rules taken away: what takes a CPU for minutes
	@$(BIN)/python -m pytest -n logical --dist loadfile --no-loadscope-reorder -m "nightly and not whole"
	@$(BIN)/python -m tests.seeded_faults

looks: .venv/installed-dev  ## every state of a worker's way, checked, and as pictures in var/looks or LOOKS=folder
	@LOOKS="$(LOOKS)" $(BIN)/python -m pytest tests/browser/test_states.py

fault-test: .venv/installed-dev  ## a crowd while everything goes wrong, for MINUTES=5, from SEED=
	@$(BIN)/python -m tests.faults $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

fuzz-test: .venv/installed-dev  ## hostile bytes for every reader, for at most MINUTES=60; READER= for one, SEED=
	@$(BIN)/python -m tests.fuzzing $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) \
		$(if $(READER),--reader "$(READER)")

check: .venv/installed-dev  ## formatting, lint, types, imports, migrations, deployment settings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run --skip-checks
	$(BIN)/python manage.py draw_states --check
	$(BIN)/python manage.py draw_measures --check
	$(BIN)/python manage.py draw_analyses --check
	HTTPS=on $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

docs: .venv/installed-dev  ## the documentation as a site, in var/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

secrets:  ## a folder of random secrets for docker-compose.yml; those that are there stay
	@mkdir -p -m 700 secrets
	@for name in $$(sed -n 's|.*{file: ./secrets/\(.*\)}|\1|p' docker-compose.yml); do \
		[ -e secrets/$$name ] || openssl rand -hex 32 >secrets/$$name || exit; done

lock: .venv/installed  ## requirements*.txt, complete and with hashes, from the names in requirements*.in
	$(LOCK) requirements.in --output-file requirements.txt
	$(LOCK) requirements-image.in --constraints requirements.txt --output-file requirements-image.txt
	$(LOCK) requirements-dev.in --constraints requirements.txt --output-file requirements-dev.txt
	$(LOCK) requirements-uv.in --output-file requirements-uv.txt

messages: .venv/installed  ## words of workers' pages, from the sources into locale/; needs GNU gettext
	$(BIN)/python manage.py makemessages --locale de --add-location file --no-wrap --no-obsolete $(NO_WORDS:%=--ignore %)
	$(BIN)/python manage.py compilemessages $(NO_WORDS:%=--ignore %)

bench: .venv/installed-dev  ## each benchmark, printing a ratio; DATA= for those of real collections too
	@for name in $(BENCHMARKS) $(if $(DATA),$(BENCHMARKS_OF_DATA)); do $(BIN)/python -m bench.$$name $(DATA) || exit; done

# These two may take hours. What has passed of this commit is not run again, and after an hour of tests
# they end with 2: the same command goes on. Delete var/passed for all of it.
AT = $$(git describe --always --dirty --abbrev=40 --exclude '*')
LONG = $(BIN)/python -m pytest -p tests.goes_on --at-most 60

acceptance: .venv/installed-dev  ## the real collections, in DATA=folder; goes on where it was cut
	@test -d "$(DATA)" || { echo "name the folder of the collections: make acceptance DATA=folder"; exit 1; }
	@command -v pdflatex >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends \
		texlive-latex-extra texlive-fonts-recommended >/dev/null; }
	@DATA="$(DATA)" $(LONG) --passed var/passed/acceptance.$(AT) -m "acceptance or whole"

production-test: .venv/installed-dev  ## the site on Debian's servers, then faults while DATA=folder is judged; goes on where it was cut
	@test -d "$(DATA)" || { echo "name the folder of the collections: make production-test DATA=folder"; exit 1; }
	@dpkg -s $(DEBIAN) >/dev/null 2>&1 || { apt-get update -qq && \
		RUNLEVEL=1 SYSTEMD_OFFLINE=1 apt-get install -y -qq --no-install-recommends $(DEBIAN) >/dev/null; }
	@passed=var/passed/production.$(AT); \
		$(LONG) --nothing-skipped --passed $$passed tests/production && { [ -e $$passed.over ] || \
		{ DATA="$(DATA)" $(BIN)/python -m tests.faults --full && touch $$passed.over; }; }

.venv/installed: requirements.txt requirements-uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check $(HASHED) requirements-uv.txt
	$(INSTALL) requirements.txt
	@touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(INSTALL) requirements-dev.txt
	$(BIN)/python -m tests.setup_browser
	@touch $@
