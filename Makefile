# `make demo` and `make test` do all their own set-up. VENV=DIR uses another virtual environment.
export VENV ?= .venv
export CASES

.PHONY: demo check test acceptance format lint build clean

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

lint:  ## check format and lint
	@scripts/setup.sh test
	@scripts/lint.sh

format:  ## apply the fixes of clang-format and ruff
	@scripts/setup.sh test
	@scripts/lint.sh --fix

clean:  ## remove builds and the virtual environment; results stay
	rm -rf build .venv
