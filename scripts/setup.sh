#!/usr/bin/env bash
# Installs what `make demo` or `make test` needs and this machine lacks: setup.sh demo|test
# System packages come from apt where it may be used, Python packages go into the virtual environment.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

packages=(g++ git python3-venv python3-dev libhwloc-dev liburing-dev libopenblas0-pthread)
extras=(report gpu)
if [[ $1 == test ]]; then
    packages+=(libgtest-dev g++-aarch64-linux-gnu openmpi-bin libopenmpi-dev shellcheck)
    # Ubuntu's chromium is an empty package that asks for a snap; the report test says what it lacks.
    grep -q '^ID=debian' /etc/os-release && packages+=(chromium)
    extras+=(test dev)
fi

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install_packages() {
    local missing=() package
    for package in "${packages[@]}"; do
        installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    step "System packages: ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0)
    if ((EUID != 0)); then
        apt=(sudo -n "${apt[@]}")
        sudo -n true 2>/dev/null || fail \
            "These packages are missing, and installing them needs root. Paste this, then try again:" \
            "    sudo apt-get install ${missing[*]}"
    fi
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# Succeeds without a network when every package is already there.
pip_install() { "$VENV/bin/python" -m pip install -q --disable-pip-version-check "$@"; }

install_python_packages() {
    local required
    required=$(python3 scripts/requirements.py "${extras[@]}")
    if [[ -x $VENV/bin/python ]] && pip_install --no-index -r <(echo "$required") 2>/dev/null; then
        return
    fi
    step "Python packages into $VENV"
    [[ -x $VENV/bin/python ]] || python3 -m venv "$VENV"
    if pip_install -r <(echo "$required"); then
        return
    fi
    echo "Packages could not be fetched; looking at those of the system."
    python3 -m venv --system-site-packages "$VENV"
    pip_install --no-index -r <(echo "$required") || fail \
        "Without a network these Python packages must be there already:" "${required//$'\n'/ }" \
        "If another virtual environment has them, name it: make $1 VENV=/path/of/it"
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    install_packages
else
    echo "No apt here. Debian's names of what must be installed: ${packages[*]}"
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "Python 3.10 or later is needed."
install_python_packages "$1"
