#!/usr/bin/env bash
# Installs what a target of make needs and this machine lacks: setup.sh demo|test|acceptance|docs
# System packages come from apt if it may be used, Python packages go into the virtual environment.
# Without root, a compiler and the packages of PyPI are enough: other missing packages are named, and left out.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

packages=(g++ git python3-venv python3-dev) # nothing is built without these
optional=(gfortran libcurl4-openssl-dev libhwloc-dev liburing-dev libopenblas0-pthread)
extras=(report gpu)
if [[ $1 == test || $1 == acceptance ]]; then
    optional+=(ccache libgtest-dev g++-aarch64-linux-gnu openmpi-bin libopenmpi-dev)
    # Ubuntu's chromium is an empty package that asks for a snap; the report test names what it lacks.
    grep -q '^ID=debian' /etc/os-release && optional+=(chromium)
    extras+=(table formats city comfort test dev)
fi
if [[ $1 == acceptance ]]; then
    optional+=(debootstrap slurm-wlm munge) # a cluster of this machine; its tests start and stop the daemons
fi

if [[ $1 == docs ]]; then
    optional+=(doxygen)
    extras+=(docs)
fi

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

may_install() { ((EUID == 0)) || sudo -n true 2>/dev/null; }

# Prints the missing tools of the required packages; any source counts: modules of a cluster, conda, a toolchain.
lacking() {
    command -v g++ >/dev/null || echo "    g++ (12 or later)"
    command -v git >/dev/null || echo "    git"
    local python
    if ! python=$(command -v python3); then
        echo "    python3 (3.10 or later)"
        return
    fi
    python3 -c 'import venv, ensurepip' 2>/dev/null || echo "    venv and ensurepip of $python"
    [[ -f $(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ||
        echo "    Python.h, the headers of $python"
}

require_tools() {
    local missing
    missing=$(lacking)
    [[ -z $missing ]] || fail "Missing:" "$missing" "$1" "    $2"
}

leave_out() {
    echo "Left out, since apt needs root here: $*"
    echo "\`watari probe\` reports what that leaves unsupported; docs/install.md says what each is for."
}

install_packages() {
    local missing=() extra=() package
    for package in "${packages[@]}"; do
        installed "$package" || missing+=("$package")
    done
    for package in "${optional[@]}"; do
        installed "$package" || extra+=("$package")
    done
    ((${#missing[@]} + ${#extra[@]})) || return 0
    if ! may_install; then
        require_tools "Installing needs root. Paste this, or load a module that has them; then try again:" \
            "sudo apt-get install ${packages[*]}"
        ((${#extra[@]} == 0)) || leave_out "${extra[@]}"
        return 0
    fi
    missing+=("${extra[@]}")

    step "System packages: ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0)
    if ((EUID != 0)); then
        apt=(sudo -n "${apt[@]}")
    fi
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# Succeeds without a network when every package is already there. Python compiles the modules that it
# imports, a small part of these packages.
pip_install() { "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-compile "$@"; }

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
    require_tools "No apt here. Debian's names of what must be installed:" "${packages[*]}"
    leave_out "${optional[@]}"
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "Python 3.10 or later is needed."
install_python_packages "$1"
