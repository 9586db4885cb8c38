# `make run` and `make test` each do everything on a fresh machine that has a Swift toolchain.

release_flags := -c release --static-swift-stdlib
# Packed relocations, where the C library knows them (glibc 2.36): a megabyte and a half less to read and to hold at every start.
ifneq ($(shell printf 'glibc 2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION 2>/dev/null)" | sort -CV && echo yes),)
release_flags += -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
endif
# The tests build the Swift client, which speaks WebSocket with SwiftNIO. All debug builds have this
# trait: with another set of traits, everything would be compiled again.
traits := --traits NIO
# The tests wait more than they compute: conftest.py says how many run at once. Each worker loads all
# files; compiled ones are kept, even where the environment says that Python keeps none.
pytest := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/.build/python .venv/bin/python -m pytest Tests/EndToEnd -n auto --dist worksteal

.PHONY: fuzz run test check nightly release package debug setup setup-build docs documentation format lint build unit end-to-end bench bench-build clean

run: release            ## the server on 127.0.0.1:8080 with this machine's own figures
	scripts/run.sh

test: setup lint unit end-to-end   ## everything that must be green before a change lands

# The suites that take two thirds of the processor time: random histories, simulated failures, and
# thousands of clients or stages.
long := (Histor(y|ies)|State|Random[A-Za-z]+|Looking|ManyPipelines|DeepOperator|Simulation|SharedWorld)Tests/
long := $(long)|(Cut|DiskFault|Hostile(Redis|Store))Tests/

check: setup lint build ## the quick half of `make test`, in less than five minutes
	swift test $(traits) --skip-build --parallel --skip '$(long)'
	$(pytest) -m 'not long and not browser'

nightly: setup lint     ## the long forms: more histories, more cycles, sanitizers
	scripts/nightly.sh

release: setup-build    ## an optimised server in .build/release/sluice
	swift build $(release_flags) --product sluice

package: release        ## a Debian package and a tarball in .build/package
	scripts/setup.sh package
	scripts/package.sh

debug: setup-build
	swift build $(traits)

# Everything of the debug build at once: the programs, and the bundle of the unit tests.
build:
	swift build $(traits) --build-tests

unit: build
	swift test $(traits) --skip-build --parallel

end-to-end: build
	$(pytest)

bench: bench-build      ## the graph beside OpenCombine, expressions, the server beside C
	scripts/bench.sh

bench-build: release    ## the server and the load for it, optimised
	swift build $(release_flags) --product sluice-dev

fuzz: setup-build       ## a minute of random bytes for everything that takes bytes from outside
	scripts/fuzz.sh

setup:
	scripts/setup.sh test

setup-build:
	scripts/setup.sh build

docs:                   ## the generated parts of README.md, docs/ and the articles; in .build/docs the tests of each rule
	swift build $(traits) --product sluice
	swift build $(traits) --product sluice-dev
	python3 scripts/docs.py
	python3 scripts/rules.py
	python3 scripts/wire.py
	python3 scripts/errors.py
	python3 scripts/examples.py

documentation:          ## the references of the libraries as web pages, in .build/documentation
	scripts/documentation.sh

format:                 ## the sources, and long lines of documents
	swift format --in-place --recursive --parallel Package.swift Sources Tests
	python3 scripts/fill.py

lint:                   ## the format of the sources; the size of types; walls and unsafe code; what people read; a test for each rule
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
	python3 scripts/prose.py
	python3 scripts/type_sizes.py
	python3 scripts/python_lines.py
	python3 scripts/walls.py
	python3 scripts/rules.py --check
	python3 scripts/wire.py --check
	python3 scripts/errors.py --check
	python3 scripts/mutations.py --check

clean:
	swift package clean
