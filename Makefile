# SPDX-License-Identifier: BSD-3-Clause
# Short names for what CMake's presets do. PRESET picks another: `make build PRESET=cuda`.
PRESET ?= host
PREFIX ?= $(HOME)/.local
BUILD := build/$(PRESET)

# The demo's heat map needs matplotlib: Debian's Python has it once `deps` has run, whatever python3 comes first.
PYTHON ?= $(shell /usr/bin/python3 -c 'import matplotlib' 2>/dev/null && echo /usr/bin/python3 || echo python3)
# Passed on to CMake's configuration, such as CMAKE_ARGUMENTS=-DOCTILE_WERROR=ON.
CMAKE_ARGUMENTS ?=
# Whether a build is configured with the tests and, for them, the paper's own products.
TESTS ?= ON
# Whether the compiler is given several files at once: it takes half the time, if all of them are compiled.
TOGETHER ?= OFF
# How many files of a target that is, at most.
AT_ONCE ?= 8
# What a build makes, such as octile_program; everything without one.
TARGETS ?=
# Sets of packages beyond those of a build, for cmake/debian-packages.
PACKAGES ?=

# The folder of the data sets, and what `make bench` tells the program: BENCH_ARGUMENTS= measures all pairs.
OCTILE_DATA ?= ../shared/data
BENCH_ARGUMENTS ?= --pairs=20
BENCH_DATA := build/bench_data

# The program that `make figures` measures with, and whether it measures at all.
OCTILE ?= $(BUILD)/apps/octile/octile
MEASURE ?= yes

# How long `make soak` runs.
MINUTES ?= 30

# The faults that `make planted` plants, by regular expressions for their names; all without one.
PLANTED ?=

# The test programs that `make races` builds and runs: those in which threads share something.
RACES_TESTS ?= parallel gram solve_graphs views_at_once certified gram_operator memory batch_packing read_smiles device_certificate

# The test programs that `make coverage` builds and runs, such as "expression graph"; all tests without one.
COVERAGE_TESTS ?=
space := $(subst ,, )

# The Python of the package. Debian's has headers and virtual environments once `deps` has run.
PACKAGE_PYTHON ?= /usr/bin/python3

# Whether `make test` ends with the tests of the Python package, where that can be built and pip has a network.
PYTHON_TESTS ?= $(if $(filter host,$(PRESET)),yes,no)

.PHONY: help demo test soak fuzz planted debug races coverage cuda kernels python python-cuda bench bench-smoke figures reference deps configure build install format format-check tidy clean
.DEFAULT_GOAL := help

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: override TARGETS := octile_program
demo: build ## Compute the Gram matrix of a few drug molecules and draw it
	OCTILE=$(BUILD)/apps/octile/octile PYTHON=$(PYTHON) examples/demo/run

test: build ## Build and run all tests (PYTHON_TESTS=no: without those of the Python package)
	ctest --preset $(PRESET) --parallel $(shell nproc)
ifeq ($(PYTHON_TESTS),yes)
	PYTHON=$(PACKAGE_PYTHON) python/check --if-possible $(BUILD)
endif

soak: build ## Change files at random for MINUTES=30, and keep those that break a promise in output/soak
	tests/hostile/soak $(BUILD)/tests/test_mutations $(MINUTES) output/soak

fuzz: override PACKAGES += --races
fuzz: ## Make files by libFuzzer for MINUTES=30, and keep those that break a promise in output/fuzz
	$(MAKE) configure PRESET=host-fuzz PACKAGES="$(PACKAGES)"
	cmake --build --preset host-fuzz --target fuzz_readers
	mkdir -p output/fuzz/corpus
	OCTILE_FUZZ_SAMPLES=output/fuzz/corpus build/host-fuzz/tests/fuzz_readers -max_len=4096 -timeout=120 -rss_limit_mb=4096 \
	  -max_total_time=$$(($(MINUTES) * 60)) -artifact_prefix=output/fuzz/ output/fuzz/corpus

planted: deps ## Plant faults in a copy, one after the other, and see that the tests catch each (PLANTED= names some)
	tests/planted/run $(foreach argument,$(CMAKE_ARGUMENTS),--cmake=$(argument)) $(PLANTED)

debug: ## The same under sanitizers and bounds checks
	$(MAKE) test PRESET=host-debug

races: override PACKAGES += --races
races: ## Run tests of what threads share under the thread sanitizer (RACES_TESTS= names other test programs)
	$(MAKE) configure PRESET=host-races PACKAGES="$(PACKAGES)"
	cmake --build --preset host-races --target $(addprefix test_,$(RACES_TESTS))
	ctest --preset host-races -R '^($(subst $(space),|,$(strip $(RACES_TESTS))))$$'

coverage: ## Count the lines that tests run, by folder (COVERAGE_TESTS= names some test programs)
	$(MAKE) configure PRESET=host-coverage
	cmake --build --preset host-coverage $(if $(COVERAGE_TESTS),--target $(addprefix test_,$(COVERAGE_TESTS)))
	find build/host-coverage -name '*.gcda' -delete
	ctest --preset host-coverage --parallel $(shell nproc) -LE packages -E '^(install|train)_' \
	  $(if $(COVERAGE_TESTS),-R '^($(subst $(space),|,$(strip $(COVERAGE_TESTS))))$$')
	cmake/coverage build/host-coverage

cuda: ## Build the library and the program for NVIDIA GPUs (`make build PRESET=cuda` builds the tests too)
	$(MAKE) build PRESET=cuda TESTS=OFF TOGETHER=ON AT_ONCE=16

python: override PACKAGES += --python
python: override TARGETS := octile octile_program
python: build ## Build a wheel of the Python package, install it into a fresh environment and test it there
	PYTHON=$(PACKAGE_PYTHON) python/check $(BUILD)

python-cuda: ## Build the wheel for NVIDIA GPUs, octile-cu13, and test it where there is one
	$(MAKE) python PRESET=cuda TESTS=OFF

kernels: ## Print registers, shared memory and spills of the CUDA kernels
	$(MAKE) configure PRESET=cuda
	cmake --build --preset cuda --target octile_kernel_report

ifeq ($(wildcard $(OCTILE_DATA)/peer),)
bench:
	@echo "octile: nothing measured: there are no data sets in '$(OCTILE_DATA)' (OCTILE_DATA=... names their folder)"
else
bench: override PACKAGES += --bench
bench: override CMAKE_ARGUMENTS += -DOCTILE_BUILD_BENCH=ON
bench: build ## Measure pairs/s on real graphs, if OCTILE_DATA has them, into output/bench.json
	$(PYTHON) bench/prepare_data "$(OCTILE_DATA)" $(BENCH_DATA)
	mkdir -p output
	OCTILE_COMMIT="$$(git describe --always --dirty 2>/dev/null)" OMP_PROC_BIND=spread OMP_PLACES=threads \
	  $(BUILD)/bench/octile_bench_solve --data=$(BENCH_DATA) --benchmark_out=output/bench.json $(BENCH_ARGUMENTS)
endif

bench-smoke: override PACKAGES += --bench
bench-smoke: override CMAKE_ARGUMENTS += -DOCTILE_BUILD_BENCH=ON
bench-smoke: build ## Run every bench once on little, to see that it runs and its answers are right
	ctest --preset $(PRESET) -L bench

figures: ## Draw docs/figures from bench/results, after measuring again what this machine can (MEASURE=no: nothing)
ifneq ($(MEASURE),no)
ifneq ($(and $(wildcard $(OCTILE_DATA)/peer),$(wildcard $(OCTILE))),)
figures: $(BENCH_DATA)/proteins.jsonl
	$(PYTHON) bench/figures/measure_orders $(OCTILE) "$(OCTILE_DATA)" $(BENCH_DATA) bench/results/orders.json
else
	@echo "octile: orders as stored: to measure them takes $(OCTILE) and data sets in '$(OCTILE_DATA)'"
endif
	OCTILE_COMMIT="$$(git describe --always --dirty 2>/dev/null)" bench/measure_host $(BUILD)/bench bench/results
endif
	$(PYTHON) -B bench/figures/draw bench/results docs/figures

$(BENCH_DATA)/proteins.jsonl:
	$(PYTHON) bench/prepare_data "$(OCTILE_DATA)" $(BENCH_DATA)

reference: ## Write a reference of the public headers into build/reference/html, with Doxygen
	cmake/reference build/reference

deps: ## Install the Debian packages that are missing
	@cmake/debian-packages $(PACKAGES)

configure: deps
	cmake --preset $(PRESET) -DOCTILE_BUILD_KOKKOS=ON -DOCTILE_BUILD_TESTS=$(TESTS) -DOCTILE_PAPER=$(TESTS) -DCMAKE_UNITY_BUILD=$(TOGETHER) -DCMAKE_UNITY_BUILD_BATCH_SIZE=$(AT_ONCE) $(CMAKE_ARGUMENTS)

build: configure ## Build without running anything
	cmake --build --preset $(PRESET) $(addprefix --target ,$(TARGETS))

install: override TARGETS := octile octile_program
install: build ## Install into PREFIX (~/.local)
	cmake --install $(BUILD) --prefix "$(PREFIX)"

format: ## Lay out the sources
	cmake/check-format --fix

format-check: ## Say which sources are not laid out
	cmake/check-format

tidy: configure ## Run clang-tidy
	cmake/check-tidy $(BUILD)

clean: ## Remove the builds, and keep downloads and dependencies
	rm -rf build/host build/host-debug build/cuda
