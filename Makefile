# The front door.  CMake does the work; see CMakePresets.json.
#
#   make            the command at build/tenon, and libtenon beside it
#   make demo       make a small model and look at it, check it, convert it
#   make test       build with sanitizers and run every test
#   make bench      measure against peers and limits; prints a table
#   make fuzz       run every fuzzer for FUZZ_SECONDS (60) seconds
#   make soak       run what never ends for MINUTES (60): random models before
#                   and after conversion, sweeps, fuzzers; goes on next time
#   make install    PREFIX=/usr/local, DESTDIR=, PYTHON=python3: which is to
#                   find the package
#   make uninstall  what the last install wrote; DESTDIR=
#   make wheel      the Python package as a wheel and as sources; ARCH=arm64
#   make deb        Debian packages
#   make static     the command without any shared library
#   make dist       sources, bill of materials, SHA-256 of all of these
#                   (these four write to build/release)
#   make release-test  installs and tries them where nothing else is

PREFIX       ?= /usr/local
DESTDIR      ?=
PYTHON       ?= python3
FUZZ_SECONDS ?= 60
MINUTES      ?= 60
ARCH         ?= $(shell dpkg --print-architecture 2>/dev/null || echo amd64)
JOBS         ?= $(shell nproc)

.PHONY: all bootstrap release demo test bench fuzz soak install uninstall \
        wheel deb static dist release-test clean

all: release

bootstrap:
	@tools/bootstrap build

release: bootstrap
	@cmake --preset release >build.log 2>&1 || { cat build.log; exit 1; }
	@mkdir -p build && mv build.log build/configure.log
	@cmake --build build -j$(JOBS) --target libtenon tenon_static tenon_command \
	    -- --quiet

demo: release
	@examples/demo.sh build/tenon

test: release
	@tools/bootstrap test
	@tools/bootstrap processors || echo "without compilers for other processors"
	@tools/test $(JOBS)

bench: release
	@tools/bootstrap bench
	@bench/run build

fuzz:
	@tools/bootstrap fuzz
	@tools/fuzz $(FUZZ_SECONDS)

soak: release
	@tools/bootstrap test
	@tools/bootstrap fuzz
	@tests/engines/install build/engines
	@cmake --build build -j$(JOBS) --target convert_many -- --quiet
	@tools/soak $(MINUTES)

install: release
	@DESTDIR="$(DESTDIR)" PYTHON="$(PYTHON)" \
	    cmake --install build --prefix "$(PREFIX)" --strip

uninstall:
	@DESTDIR="$(DESTDIR)" cmake -DMANIFEST=build/install_manifest.txt \
	    -P cmake/uninstall.cmake

wheel: bootstrap
	@tools/bootstrap package
	@TENON_WHEEL_ARCH=$(ARCH) /usr/bin/python3 -B tools/wheel_backend.py wheel build/release
	@/usr/bin/python3 -B tools/wheel_backend.py sdist build/release

deb: bootstrap
	@tools/bootstrap deb
	@/usr/bin/python3 -B tools/release.py deb

static: bootstrap
	@tools/bootstrap package
	@/usr/bin/python3 -B tools/release.py static

dist: bootstrap
	@tools/bootstrap package
	@/usr/bin/python3 -B tools/release.py dist

release-test:
	@tools/bootstrap release
	@tests/release/run.sh

clean:
	rm -rf build
