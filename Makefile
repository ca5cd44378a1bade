# Every target does its own set-up in .venv: Python >= 3.11 with venv, make and PyPI are enough.

PYTHON ?= python3
# One more place to look for torch, such as pytorch.org's index of CPU builds.
TORCH_INDEX ?=
# 1 stops rather than take a CUDA build of torch on a Linux machine without a GPU.
REQUIRE_CPU ?=
# More arguments for pytest: make test ARGS="tests/clients -x"
ARGS ?=
# Of make bench: a recording, an index, another place of its encoder, and where to write.
RECORDING ?=
BENCH_INDEX ?=
ENCODER ?=
OUTPUT ?= .bench
# Of make train-demo: the folder of data with the report model (standin/), the recording of the
# studies that are held out (traces/) and the lists of studies (openi/), where to write, and more
# arguments.
DATA ?= $(or $(SDR_TEST_DATA),../shared/data)
TRAIN_OUTPUT ?= .train
TRAIN ?=

export TORCH_INDEX REQUIRE_CPU
export GOAL := $(firstword $(MAKECMDGOALS))
# No run depends on a model hub.
export HF_HUB_OFFLINE := 1

BIN := .venv/bin
PINS := pyproject.toml constraints.txt .ci/install.py
CORPUS := .cache/NLMCXR_reports.tgz
INDEX := .cache/openi-minilm.sdr
IMAGE := .cache/synthetic-chest.png

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo bench train-demo train-data test check format lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: .venv/demo.stamp $(INDEX) $(IMAGE) ## build an index of the Open-i reports and decode an image with it
	$(BIN)/sdr-decode generate $(IMAGE) --index $(INDEX) --client demo --k 8 --seed 7

bench: .venv/bench.stamp ## compare all policies and selectors on RECORDING with BENCH_INDEX
	@test -n "$(RECORDING)" -a -n "$(BENCH_INDEX)" || { echo "error: found no recording or index; give make bench RECORDING=FILE BENCH_INDEX=NAME.sdr" >&2; exit 2; }
	@mkdir -p .cache
	$(BIN)/python -m benchmarks.report $(RECORDING) --index $(BENCH_INDEX) \
		$(if $(ENCODER),--encoder $(ENCODER)) --embeddings .cache/bench-$(notdir $(BENCH_INDEX)).parquet -o $(OUTPUT)

train-demo: train-data .venv/train.stamp $(CORPUS) ## train a small report model with rewards by GRPO
	$(BIN)/python -m benchmarks.training $(DATA)/standin $(CORPUS) $(DATA)/traces/standin_val.jsonl.gz \
		--exclude-ids $(DATA)/openi/splits.json#val --exclude-ids $(DATA)/openi/splits.json#test \
		-o $(TRAIN_OUTPUT) $(TRAIN)

train-data:
	@for needed in standin traces/standin_val.jsonl.gz openi/splits.json; do \
		test -e "$(DATA)/$$needed" || { echo "error: found no $(DATA)/$$needed; give make train-demo DATA=FOLDER, one that holds a report model in standin/, traces/standin_val.jsonl.gz and openi/splits.json" >&2; exit 2; }; done

test: .venv/dev.stamp ## run every test
	@.ci/browser
	$(BIN)/python -m pytest $(ARGS)

check: .venv/dev.stamp ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/dev.stamp ## format, and fix what ruff can fix
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lock: ## remake constraints.txt with the newest versions
	PYTHON=$(PYTHON) .ci/lock

clean: ## remove everything that make made
	rm -rf .venv .cache .bench .train .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are older than the pins when a pin moved, and then pip runs again.
.venv/demo.stamp: $(PINS) | $(BIN)/python
	$(BIN)/python .ci/install.py demo
	@touch $@

.venv/dev.stamp: $(PINS) | $(BIN)/python
	$(BIN)/python .ci/install.py demo dev bench openai gemini mistral dicom concepts train
	@touch $@ .venv/demo.stamp .venv/bench.stamp .venv/train.stamp

.venv/bench.stamp: $(PINS) | $(BIN)/python
	$(BIN)/python .ci/install.py bench
	@touch $@

.venv/train.stamp: $(PINS) | $(BIN)/python
	$(BIN)/python .ci/install.py demo bench train
	@touch $@ .venv/demo.stamp .venv/bench.stamp

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("error: found Python %d.%d; Python 3.11 or newer is needed: make PYTHON=python3.12 ..." % v[:2])'
	$(PYTHON) -m venv --clear .venv

# Kept once made; `make clean` or deleting one makes it anew.
$(CORPUS): | .venv/demo.stamp
	@mkdir -p $(@D)
	$(BIN)/sdr-index fetch openi -o $@

$(INDEX): | $(CORPUS)
	$(BIN)/sdr-index build $(CORPUS) -o $@ --encoder all-MiniLM-L6-v2

$(IMAGE): | .venv/demo.stamp
	@mkdir -p $(@D)
	$(BIN)/python -m benchmarks.demo_image $@

include .ci/vllm.mk
