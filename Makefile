# The two commands of a newcomer, and a developer's shortcuts. CMake does the building (CMakePresets.json).
.PHONY: help demo check check-all tidy build install wheel lab bench format fuzz clean
PREFIX ?= /usr/local

help:
	@echo "make demo    install what is missing, build, tune a kernel on the best device here, show the result"
	@echo "make check   install what is missing, build, run the tests of every commit"
	@echo "make check-all  also all tests under sanitizers, clang-tidy over everything, and the fuzzers"
	@echo "make tidy    clang-tidy alone"
	@echo "make build   build build/release/bin/wattune"
	@echo "make install PREFIX=~/.local   build the C++ library too, and install all of it there (/usr/local)"
	@echo "make wheel   build the Python package into dist/"
	@echo "make lab     build the programs that measure Wattune itself and repeat papers' experiments"
	@echo "make bench   measure search spaces and the tuner's own overhead"
	@echo "make format  format the sources"
	@echo "make fuzz    run each fuzzer for FUZZ_SECONDS (60)"
	@echo "make clean   remove build/"

demo: build
	tools/demo

build:
	tools/install-dependencies build
	cmake --preset release -DWATTUNE_BUILD_TESTS=OFF -DWATTUNE_BUILD_EXAMPLES=OFF -B build/release
	cmake --build --preset release --target programs

install: build
	cmake --build --preset release
	cmake --install build/release --prefix $(PREFIX)

wheel:
	tools/install-dependencies wheel
	python3 -m pip wheel --no-deps --wheel-dir dist .

check:
	tools/install-dependencies check
	tools/check

check-all:
	tools/install-dependencies fuzz
	tools/check all

tidy:
	tools/install-dependencies check
	cmake --preset tidy
	python3 tests/quality/check_tidy.py

lab:
	tools/install-dependencies check
	cmake --preset release -DWATTUNE_BUILD_TESTS=ON -DWATTUNE_BUILD_LAB=ON
	cmake --build --preset release --target lab_programs

bench: lab
	build/release/bin/space_benchmark ../shared/data/spaces
	build/release/bin/perf_tuner_overhead

format:
	git ls-files '*.h' '*.cc' | xargs clang-format-15 -i

fuzz:
	tools/install-dependencies fuzz
	tools/fuzz $(or $(FUZZ_SECONDS),60)

clean:
	rm -rf build
