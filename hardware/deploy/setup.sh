#!/usr/bin/env bash
# Prepares a Debian or Raspberry Pi OS machine for `make demo` and `make test`, and prints each step.
#
#   hardware/deploy/setup.sh            installs missing Debian packages and .venv with the pinned Python packages, and
#                                       compiles the messages of each language
#   hardware/deploy/setup.sh --missing  only prints the missing Debian packages, one per line
#   hardware/deploy/setup.sh --missing-on-table  the same without the packages that only tests need
#   hardware/deploy/setup.sh --with PACKAGE  also installs this Debian package, such as the browser of `make room-demo`
#
# It asks no questions, except for the password of sudo on a terminal. A second run finds the stamp of the first and
# ends within a second. It works again after a change of pyproject.toml, constraints.txt, this file, the Python
# interpreter or the project's folder.
# Environment: PYTHON is the interpreter for .venv, APT_LISTS_DAYS the maximum age of package lists in days (7).
# Exit codes: 0 ready, 1 a step failed, 2 the machine lacks something that its owner must install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly VENV=.venv
readonly STAMP=$VENV/potkeeper-setup
readonly MESSAGES=controller/messages/locale
readonly LEAST_PYTHON=3.11
readonly APT_LISTS=/var/lib/apt/lists
# Package servers are slow at times. After three tries the fault is theirs.
readonly APT_RETRIES=3
# A new machine often updates itself after its first start and keeps the lock during the update.
readonly APT_LOCK_WAIT_S=600

# For the window: Kivy's wheel contains SDL2, which loads these libraries when it starts. The font has the Chinese
# characters.
readonly SCREEN_PACKAGES=(
  libmtdev1 libgl1 libgl1-mesa-dri
  libx11-6 libxcursor1 libxext6 libxfixes3 libxi6 libxrandr2 libxrender1 libxss1 fonts-wqy-microhei
)
# For badges: pyscard is built from source against PC/SC.
readonly BADGE_PACKAGES=(gcc libc6-dev swig libpcsclite-dev pcscd)
# For tests and pictures: Xvfb is an X server without a display, in which xdotool simulates touches. vpcd is a virtual
# card reader, which opens two TCP ports to the network and must not be on a table. msgfmt checks the catalogues. The tests
# of the room start PostgreSQL with a database in a temporary folder.
readonly TEST_PACKAGES=(xvfb xdotool vsmartcard-vpcd gettext postgresql)

say() { printf 'set-up: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'set-up: %s\n' "$*" >&2
  exit "$code"
}

# missing_packages NAME…: prints the names that no installed package has or provides.
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
  # One recent file of package names is enough. Docker images and new systems have none.
  fresh=$(find "$APT_LISTS" -maxdepth 1 -name '*_Packages*' -ctime "-${APT_LISTS_DAYS:-7}" -print -quit 2>/dev/null) || true
  [[ -z $fresh ]]
}

apt() {
  local as_root=()
  if ((EUID != 0)); then
    # Without a terminal nobody can enter a password.
    command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; } ||
      fail 2 "installing Debian packages needs root; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o Dpkg::Use-Pty=0 -o "Acquire::Retries=$APT_RETRIES" -o "DPkg::Lock::Timeout=$APT_LOCK_WAIT_S" \
    "$@" </dev/null
}

# After its installation, Glewlwyd has an administrator with a known password. Its unit must therefore never start, and
# its package must make no database.
readonly TAME_GLEWLWYD='mkdir -p /etc/systemd/system && ln -sfn /dev/null /etc/systemd/system/glewlwyd.service &&
  echo glewlwyd glewlwyd/config_type select No configuration | debconf-set-selections'

install_packages() {
  local options=()
  [[ " ${missing[*]} " != *" glewlwyd "* ]] || options=(-o "DPkg::Pre-Invoke::=$TAME_GLEWLWYD")
  say "Debian packages: installing ${missing[*]}"
  local updated=
  if lists_are_old; then
    say "Debian packages: the package lists are missing or old, fetching them"
    apt update
    updated=yes
  fi
  if ! apt install -y --no-install-recommends "${options[@]}" "${missing[@]}" >/dev/null; then
    [[ -z $updated ]] || fail 1 "apt-get could not install: ${missing[*]}"
    say "Debian packages: failed with the current package lists, fetching new ones"
    apt update
    apt install -y --no-install-recommends "${options[@]}" "${missing[@]}" >/dev/null ||
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
      # Use the interpreter itself, not a shim or an active virtual environment.
      "$name" -c 'import os, sys; print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))'
      return
    fi
  done
}

# Debian packages Python without headers and without venv. Other builds have both.
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

# Real pins need lgpio. It has wheels for Python up to 3.12. For later versions it is built against the library of
# Raspberry Pi OS. A machine without that library has no pins, so it needs no lgpio.
gpio_packages() {
  [[ -z $1 ]] || "$1" -c 'import sys; sys.exit(sys.version_info < (3, 13))' || return 0
  [[ -n $(missing_packages liblgpio1) ]] || missing_packages liblgpio-dev
}

# MicroPython runs the firmware of the panel boards in tests. Debian has it from version 13. The tests skip it elsewhere.
micropython_packages() {
  ! (source /etc/os-release && [[ $ID == debian ]] && ((${VERSION_ID:-0} >= 13))) 2>/dev/null || printf 'micropython\n'
}

# Glewlwyd is the OpenID Connect provider of the tests. Only the version of Debian 12 has been tried. The tests skip it
# elsewhere.
provider_packages() {
  ! (source /etc/os-release && [[ $ID == debian && ${VERSION_ID:-0} == 12 ]]) 2>/dev/null ||
    printf '%s\n' glewlwyd dbconfig-no-thanks
}

# find_missing PYTHON PACKAGE…: finds the missing packages among these and those that every machine needs.
find_missing() {
  local python=$1
  shift
  mapfile -t missing < <(
    missing_packages "${SCREEN_PACKAGES[@]}" "${BADGE_PACKAGES[@]}" "$@"
    python_packages "$python"
    gpio_packages "$python"
  )
}

# Prints everything on which the virtual environment depends. The project's folder is included because the scripts in
# .venv name their interpreter by its full path.
stamp_text() {
  printf '%s\n%s\n' "$PWD" "$1"
  sha256sum pyproject.toml constraints.txt hardware/deploy/setup.sh
}

build_venv() {
  local python=$1 extras=dev,lab,room,web
  # A copied or moved environment still points to its old folder, and an environment of an upgraded Python does not
  # start. Both are built again.
  if [[ -d $VENV ]] && ! { "$VENV/bin/python" -m pip --version >/dev/null 2>&1 &&
    grep -qF "$PWD/$VENV" "$VENV/bin/pip" "$VENV/bin/activate"; }; then
    say "$VENV: was built in another folder or does not start, building it again"
    rm -rf "$VENV"
  fi
  if [[ ! -d $VENV ]]; then
    say "$VENV: creating it with $python"
    "$python" -m venv "$VENV"
  fi
  say "$VENV: installing the Python packages that constraints.txt pins"
  [[ ! -e /usr/include/lgpio.h ]] || extras=dev,lab,room,web,pi
  # Only `make docs` installs this extra. Once it is there, its versions follow the pins as well.
  [[ ! -x $VENV/bin/mkdocs ]] || extras+=,docs
  "$VENV/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    -c constraints.txt -e ".[$extras]" </dev/null || fail 1 "pip could not install the Python packages"
}

# Compiles the messages of each language if its file has changed.
compile_messages() {
  local source
  for source in "$MESSAGES"/*/LC_MESSAGES/*.po; do
    if [[ ! ${source%.po}.mo -nt $source ]]; then
      say "messages: compiling them"
      "$VENV/bin/python" -P controller/messages/compile.py >/dev/null || fail 1 "messages: could not compile $MESSAGES"
      return
    fi
  done
}

main() {
  local began=$SECONDS python extra=
  [[ ${1:-} != --with ]] || extra=${2:?expected a Debian package after --with}
  python=$(find_python)
  if command -v dpkg-query >/dev/null; then
    if [[ ${1:-} == --missing-on-table ]]; then
      find_missing "$python"
    else
      find_missing "$python" "${TEST_PACKAGES[@]}" $(micropython_packages) $(provider_packages) ${extra:+"$extra"}
    fi
    if [[ ${1:-} == --missing* ]]; then
      ((${#missing[@]} == 0)) || printf '%s\n' "${missing[@]}"
      return
    fi
    if ((${#missing[@]})); then
      install_packages
      say "Debian packages: done after $((SECONDS - began)) s"
      python=$(find_python)
    fi
  else
    say "not a Debian system: install the equivalents of ${SCREEN_PACKAGES[*]} ${BADGE_PACKAGES[*]}" \
      "${TEST_PACKAGES[*]}"
  fi
  [[ -n $python ]] || fail 2 "expected Python $LEAST_PYTHON or later, and ${PYTHON:-python3} is" \
    "$("${PYTHON:-python3}" --version 2>/dev/null || echo missing); name another: make setup PYTHON=/path/to/python3"

  if [[ -x $VENV/bin/python && -f $STAMP && $(<"$STAMP") == "$(stamp_text "$python")" ]]; then
    compile_messages
    say "ready, nothing else has changed ($((SECONDS - began)) s)"
    return
  fi
  rm -f "$STAMP"
  build_venv "$python"
  compile_messages
  stamp_text "$python" >"$STAMP"
  say "ready after $((SECONDS - began)) s"
}

missing=()
main "$@"
