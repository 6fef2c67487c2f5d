#!/usr/bin/env bash
# Makes a fresh Debian or Raspberry Pi OS machine ready for `make demo` and `make test`, and says what it does.
#
#   hardware/deploy/setup.sh            Debian packages that are missing, then .venv with the pinned Python packages
#   hardware/deploy/setup.sh --missing  only print the Debian packages that are missing, one on a line
#
# It asks nothing but, on a terminal, what sudo asks. A second run finds its stamp and ends within a second; a change
# of pyproject.toml, constraints.txt, this file, the Python in use or the place of the project has it done again.
# Environment: PYTHON names the interpreter to build .venv with; APT_LISTS_DAYS the age at which package lists are
# fetched anew (7). Exit codes: 0 ready, 1 a step failed, 2 this machine lacks something that only its owner can give.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly VENV=.venv
readonly STAMP=$VENV/potkeeper-setup
readonly LEAST_PYTHON=3.11
readonly APT_LISTS=/var/lib/apt/lists
# Package servers answer slowly at times; three tries, then it is their fault.
readonly APT_RETRIES=3
# A new machine often updates itself after its first start, and holds the lock while it does.
readonly APT_LOCK_WAIT_S=600

# The window: Kivy's wheel brings SDL2, which links or opens these when it starts. The X server is for screens that
# nobody looks at (tests, pictures); xdotool is the finger in its tests. The font has the letters of Chinese.
readonly SCREEN_PACKAGES=(
  xvfb xdotool libmtdev1 libgl1 libgl1-mesa-dri
  libx11-6 libxcursor1 libxext6 libxfixes3 libxi6 libxrandr2 libxrender1 libxss1 fonts-wqy-microhei
)
# Badges: pyscard is built from source against PC/SC; vpcd is a card reader without hardware.
readonly BADGE_PACKAGES=(gcc libc6-dev swig libpcsclite-dev pcscd vsmartcard-vpcd)

say() { printf 'set-up: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'set-up: %s\n' "$*" >&2
  exit "$code"
}

# The names given that no installed package has or provides.
missing_packages() {
  dpkg-query -W -f='${db:Status-Status}\t${Package}, ${Provides}\n' |
    awk -F'\t' -v wanted="$*" '
      $1 == "installed" {
        count = split($2, names, /, */)
        for (i = 1; i <= count; i++) { sub(/[ :(].*/, "", names[i]); have[names[i]] = 1 }
      }
      END {
        count = split(wanted, names, " ")
        for (i = 1; i <= count; i++) if (!(names[i] in have)) print names[i]
      }'
}

lists_are_old() {
  local fresh
  # One file of package names that is young enough will do; docker images and new systems have none.
  fresh=$(find "$APT_LISTS" -maxdepth 1 -name '*_Packages*' -ctime "-${APT_LISTS_DAYS:-7}" -print -quit 2>/dev/null) || true
  [[ -z $fresh ]]
}

apt() {
  local as_root=()
  if ((EUID != 0)); then
    # Without a terminal nobody can type a password.
    command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; } ||
      fail 2 "installing Debian packages needs root; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o Dpkg::Use-Pty=0 -o "Acquire::Retries=$APT_RETRIES" -o "DPkg::Lock::Timeout=$APT_LOCK_WAIT_S" \
    "$@" </dev/null
}

install_packages() {
  say "Debian packages: installing ${missing[*]}"
  local updated=
  if lists_are_old; then
    say "Debian packages: the package lists are missing or old, fetching them"
    apt update
    updated=yes
  fi
  if ! apt install -y --no-install-recommends "${missing[@]}" >/dev/null; then
    [[ -z $updated ]] || fail 1 "apt-get could not install: ${missing[*]}"
    say "Debian packages: that failed with the package lists at hand, fetching new ones"
    apt update
    apt install -y --no-install-recommends "${missing[@]}" >/dev/null ||
      fail 1 "apt-get could not install: ${missing[*]}"
  fi
}

new_enough() {
  command -v "$1" >/dev/null &&
    "$1" -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$LEAST_PYTHON'.split('.'))))" 2>/dev/null
}

find_python() {
  local name
  for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if new_enough "$name"; then
      # The interpreter itself, not a shim or a virtual environment that happens to be active.
      "$name" -c 'import os, sys; print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))'
      return
    fi
  done
}

# Debian ships Python without its headers and without what builds virtual environments; other builds have both.
python_packages() {
  local python=$1
  if [[ -z $python ]]; then
    [[ -n ${PYTHON:-} ]] || command -v python3 >/dev/null || printf '%s\n' python3 python3-venv python3-dev
    return
  fi
  [[ $python == /usr/bin/* ]] || return 0
  "$python" -c 'import ensurepip, venv' 2>/dev/null || printf '%s\n' "$(basename "$python")-venv"
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    printf '%s\n' "$(basename "$python")-dev"
}

# Real pins need lgpio. It is ready-built for Python up to 3.12; later on Raspberry Pi OS, which has its library,
# it is built against that. A machine without the library has no pins to drive, and does without.
gpio_packages() {
  [[ -z $1 ]] || "$1" -c 'import sys; sys.exit(sys.version_info < (3, 13))' || return 0
  [[ -n $(missing_packages liblgpio1) ]] || missing_packages liblgpio-dev
}

find_missing() {
  local python=$1
  mapfile -t missing < <(
    missing_packages "${SCREEN_PACKAGES[@]}" "${BADGE_PACKAGES[@]}"
    python_packages "$python"
    gpio_packages "$python"
  )
}

# What the virtual environment was made from and where it lies: its scripts name their interpreter by full path.
stamp_text() {
  printf '%s\n%s\n' "$PWD" "$1"
  sha256sum pyproject.toml constraints.txt hardware/deploy/setup.sh
}

build_venv() {
  local python=$1 extras=dev,report
  # A copied or moved environment still points to where it was built, and an upgraded Python leaves one behind
  # that does not start: both are built anew.
  if [[ -d $VENV ]] && ! { "$VENV/bin/python" -m pip --version >/dev/null 2>&1 &&
    grep -qF "$PWD/$VENV" "$VENV/bin/pip" "$VENV/bin/activate"; }; then
    say "$VENV: was built elsewhere or does not start, building it anew"
    rm -rf "$VENV"
  fi
  if [[ ! -d $VENV ]]; then
    say "$VENV: creating it with $python"
    "$python" -m venv "$VENV"
  fi
  say "$VENV: installing the Python packages that constraints.txt pins"
  [[ ! -e /usr/include/lgpio.h ]] || extras=dev,pi,report
  "$VENV/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    -c constraints.txt -e ".[$extras]" </dev/null || fail 1 "pip could not install the Python packages"
}

main() {
  local began=$SECONDS python
  python=$(find_python)
  if command -v dpkg-query >/dev/null; then
    find_missing "$python"
    if [[ ${1:-} == --missing ]]; then
      ((${#missing[@]} == 0)) || printf '%s\n' "${missing[@]}"
      return
    fi
    if ((${#missing[@]})); then
      install_packages
      say "Debian packages: done after $((SECONDS - began)) s"
      python=$(find_python)
    fi
  else
    say "not a Debian system: the equivalents of ${SCREEN_PACKAGES[*]} ${BADGE_PACKAGES[*]} have to be there"
  fi
  [[ -n $python ]] || fail 2 "Python $LEAST_PYTHON or later is needed and ${PYTHON:-python3} is" \
    "$("${PYTHON:-python3}" --version 2>/dev/null || echo missing); name another: make setup PYTHON=/path/to/python3"

  if [[ -x $VENV/bin/python && -f $STAMP && $(<"$STAMP") == "$(stamp_text "$python")" ]]; then
    say "ready, nothing has changed ($((SECONDS - began)) s)"
    return
  fi
  rm -f "$STAMP"
  build_venv "$python"
  stamp_text "$python" >"$STAMP"
  say "ready after $((SECONDS - began)) s"
}

missing=()
main "$@"
