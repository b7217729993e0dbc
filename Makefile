# `make demo` and `make test` do all their own set-up. VENV=DIR uses another virtual environment.
export VENV ?= .venv
export CASES

.PHONY: demo check test acceptance format lint build wheel sdist docs clean

demo:  ## measure this machine, make the report and print its path
	@scripts/demo.sh

check:  ## check a change in a few minutes: its files, their folders and those that use them
	@scripts/check.sh

test:  ## run every check
	@scripts/test.sh

acceptance:  ## run the checks that take longest
	@scripts/acceptance.sh

build:  ## build and install into the virtual environment; CASES=deep,gather builds these cases alone
	@scripts/setup.sh demo
	@scripts/build.sh

wheel:  ## make wheels in dist/, one for each Python that is here; ARCH=aarch64 cross-compiles them
	@scripts/wheel.sh $(ARCH)

sdist:  ## make the source package in dist/
	@scripts/sdist.sh

docs:  ## make the site of all pages in build/site
	@scripts/docs.sh

lint:  ## check format and lint
	@scripts/setup.sh test
	@scripts/lint.sh

format:  ## apply the fixes of clang-format and ruff
	@scripts/setup.sh test
	@scripts/lint.sh --fix

clean:  ## remove builds and the virtual environment; results stay
	rm -rf build .venv
