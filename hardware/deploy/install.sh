#!/usr/bin/env bash
# Installs Potkeeper as the service of one table on a Raspberry Pi or another Debian machine, and prints each step.
#
#   hardware/deploy/install.sh              everything: packages, user, program, configuration, udev rules, services
#   hardware/deploy/install.sh --no-screen  without the dealer's screen, which then runs on another machine
#   hardware/deploy/install.sh --web        also the table in a browser, which opens port 8443 to the network
#   hardware/deploy/install.sh --uplink URL --token FILE --ca FILE   also the uplink, which sends the journal to the room.
#                                           FILE is the token of the table, and the certificate of the room
#   hardware/deploy/install.sh --no-start   everything, but nothing is started
#   hardware/deploy/install.sh --keep FOLDER   also keeps all packages that it fetches in this folder
#   hardware/deploy/install.sh --from FOLDER   takes all packages from this folder, and needs no internet
#   DESTDIR=FOLDER hardware/deploy/install.sh   only the files below FOLDER: no packages, no user, no root
#
# A second run installs the program as a new release beside the one in use, and updates everything else except
# /etc/potkeeper and /var/lib/potkeeper, which it does not change. `potkeeper rollback` goes back to the release before.
# Exit codes: 0 done, 1 a step failed, 2 wrong options, or the machine lacks something that its owner must install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly ROOT=${DESTDIR:-}
readonly PROGRAM=/opt/potkeeper
readonly SETTINGS=/etc/potkeeper
readonly UNITS=/etc/systemd/system
readonly REQUIREMENTS=hardware/deploy/requirements
readonly RULES=/etc/udev/rules.d
readonly POLKIT_RULES=/etc/polkit-1/rules.d
readonly ACCOUNT=potkeeper
readonly SCREEN_ACCOUNT=potkeeper-screen
readonly WEB_ACCOUNT=potkeeper-web
readonly UPLINK_ACCOUNT=potkeeper-uplink
# The group of the read-only socket, for programs that have a network.
readonly VIEW_GROUP=potkeeper-view
readonly STATE=/var/lib/potkeeper
# Groups for serial ports and pins, and for the X server's display and input devices. A machine has only some of these.
readonly ACCOUNT_GROUPS=(dialout gpio)
readonly SCREEN_GROUPS=(video render input tty)
readonly SCREEN_PACKAGES=(xserver-xorg-core xserver-xorg-input-libinput xinit)

say() { printf 'install: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'install: %s\n' "$*" >&2
  exit "$code"
}

# as_root COMMAND: runs a command as root, with sudo if necessary. With DESTDIR it runs as the current user.
as_root() {
  if [[ -n $ROOT ]] || ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

# put MODE SOURCE TARGET: writes a file of the program if it differs.
put() {
  local mode=$1 source=$2 target=$ROOT$3
  if cmp -s "$source" "$target"; then
    say "$3: up to date"
    return
  fi
  say "$3: writing it"
  as_root install -D -m "$mode" "$source" "$target"
}

# keep MODE SOURCE TARGET: writes a file of the house only if it does not exist.
keep() {
  if [[ -e $ROOT$3 ]]; then
    say "$3: the house's own, left as it is"
    return
  fi
  put "$@"
}

install_packages() {
  local missing=() package
  mapfile -t missing < <(hardware/deploy/setup.sh --missing-on-table)
  if ((screen)); then
    for package in "${SCREEN_PACKAGES[@]}"; do
      dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
  fi
  if ((${#missing[@]} == 0)); then
    say "Debian packages: all installed"
    return
  fi
  say "Debian packages: installing ${missing[*]}"
  local options=()
  if [[ -n $from ]]; then
    # The files are the packages and everything that they need.
    missing=("$from"/debian/*.deb)
  else
    as_root apt-get -qq update </dev/null
  fi
  if [[ -n $keep ]]; then
    as_root mkdir -p "$keep/debian/partial"
    options+=(-o "Dir::Cache::archives=$keep/debian" -o APT::Keep-Downloaded-Packages=true)
  fi
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends "${options[@]}" "${missing[@]}" </dev/null ||
    fail 1 "apt-get could not install: ${missing[*]}; without internet, use --from"
}

# is_member ACCOUNT GROUP: succeeds if the account is in the group.
is_member() {
  id -nG "$1" | tr ' ' '\n' | grep -qx "$2"
}

# make_account ACCOUNT GROUP…: creates a user of the system, and adds it to those groups that exist.
make_account() {
  local account=$1 group
  shift
  if id -u "$account" >/dev/null 2>&1; then
    say "user $account: exists"
  else
    say "user $account: creating it"
    as_root useradd --system --user-group --home-dir "/var/lib/$account" --shell /usr/sbin/nologin "$account"
  fi
  for group in "$@"; do
    if getent group "$group" >/dev/null && ! is_member "$account" "$group"; then
      say "user $account: adding it to the group $group"
      as_root usermod -aG "$group" "$account"
    fi
  done
}

make_accounts() {
  local group
  make_account "$ACCOUNT" "${ACCOUNT_GROUPS[@]}"
  make_account "$SCREEN_ACCOUNT" "${SCREEN_GROUPS[@]}"
  ((!web)) || make_account "$WEB_ACCOUNT"
  ((!uplink)) || make_account "$UPLINK_ACCOUNT"
  ((!web && !uplink)) || as_root groupadd --system --force "$VIEW_GROUP"
  # Earlier versions ran the screen as the user of the service.
  for group in "${SCREEN_GROUPS[@]}"; do
    if is_member "$ACCOUNT" "$group"; then
      say "user $ACCOUNT: removing it from the group $group"
      as_root gpasswd --delete "$ACCOUNT" "$group" >/dev/null
    fi
  done
}

# run_pip COMMAND OPTION…: runs pip in the new release. pip fetches no packages that are not named.
run_pip() {
  as_root "$release/venv/bin/python" -m pip "$1" --quiet --no-input --disable-pip-version-check \
    --no-deps --no-build-isolation "${@:2}" </dev/null || fail 1 "pip could not $1: ${*:2}; without internet, use --from"
}

# pip OPTION…: installs Python packages, from the folder of packages if there is one.
pip() {
  local options=()
  [[ -z $keep ]] || run_pip download --dest "$keep/python" "$@"
  [[ -z $keep$from ]] || options=(--no-index --find-links "${keep:-$from}/python")
  run_pip install "${options[@]}" "$@"
}

# Installs the library for keys at GPIO pins. A table without such keys works without it, so a failure is only reported.
install_pin_library() {
  if [[ $(uname -m) == aarch64 || -e /usr/include/lgpio.h ]]; then
    if (pip --require-hashes -r "$REQUIREMENTS/pi.txt") 2>/dev/null; then
      say "keys at GPIO pins: their library lgpio is installed"
      return
    fi
  fi
  say "keys at GPIO pins: they will not work, because their library lgpio cannot be installed here."
  say "  On Raspberry Pi OS install liblgpio-dev and run this again. Keys at the panel boards and the screen work."
}

# Chooses the folder of the new release, and removes the releases that an interrupted run has left without their note.
choose_release() {
  local folder last=0
  for folder in "$PROGRAM"/releases/*/; do
    [[ -d $folder ]] || continue
    [[ -e $folder/release.json ]] || as_root rm -rf "$folder"
    folder=$(basename "$folder")
    ((folder <= last)) || last=$folder
  done
  release=$PROGRAM/releases/$((last + 1))
}

# Installs the program into its own virtual environment, so that the source folder is not needed afterwards.
install_program() {
  local python=${PYTHON:-python3}
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail 2 "$python: expected Python 3.11 or later; name another with PYTHON=/path/to/python3 $0"
  case $("$python" -c 'import os, sys; print(os.path.realpath(sys._base_executable or sys.executable))') in
    /home/* | /root[/]*) fail 2 "$python is in a home folder, which the service cannot read: expected the system's Python" ;;
  esac
  ! [[ -e $PROGRAM/update.lock ]] || as_root flock --nonblock "$PROGRAM/update.lock" true ||
    fail 1 "$PROGRAM: an update runs; run this again when it is done"
  choose_release
  say "$release/venv: creating it with $python"
  as_root mkdir -p "$release"
  as_root "$python" -m venv "$release/venv"
  say "$release/venv: installing the Python packages with the hashes in $REQUIREMENTS, then Potkeeper"
  # pip refuses any file without a hash in the lists, and fetches no other packages to build one.
  pip --require-hashes -r "$REQUIREMENTS/build.txt"
  pip --require-hashes -r "$REQUIREMENTS/runtime.txt"
  ((!web)) || pip --require-hashes -r "$REQUIREMENTS/web.txt"
  ((!uplink)) || pip --require-hashes -r "$REQUIREMENTS/room.txt"
  install_pin_library
  # Build from a copy, because the build writes into its folder, which does not belong to root.
  copy=$(mktemp -d)
  # The build runs as root, so that only root can remove the files that it has left there.
  trap 'as_root rm -rf "$copy"' EXIT
  cp -R LICENSE README.md pyproject.toml firmware_bridge hardware controller ui "$copy"
  # pip skips a version that is already installed, although the code may be newer.
  run_pip install --force-reinstall "$copy"
  as_root chmod -R go=rX,u+w "$release"
}

# Lets the link name the new release, which is whole now, and removes all but the last three.
use_release() {
  say "$PROGRAM/current: using $release"
  as_root "$release/venv/bin/python" -P -m controller.commands.updates "$PROGRAM" "${release##*/}" ||
    fail 1 "$release could not be used"
}

# Makes the link through which people call the program. Earlier versions had a folder in this place.
link_commands() {
  [[ -L $PROGRAM/venv ]] || as_root rm -rf "$PROGRAM/venv"
  as_root ln -sfn current/venv "$PROGRAM/venv"
}

install_files() {
  put 644 README.md "$PROGRAM/README.md"
  keep 644 hardware/deploy/table.toml "$SETTINGS/table.toml"
  keep 644 hardware/deploy/levels.toml "$SETTINGS/levels.toml"
  keep 644 hardware/layout.toml "$SETTINGS/layout.toml"
  keep 644 hardware/deploy/options "$SETTINGS/options"
  put 644 hardware/deploy/70-potkeeper.rules "$RULES/70-potkeeper.rules"
  put 644 hardware/deploy/potkeeper-modules.conf /etc/modules-load.d/potkeeper.conf
  put 644 hardware/deploy/potkeeper-watchdog.conf /etc/systemd/system.conf.d/potkeeper.conf
  put 644 hardware/deploy/50-potkeeper-pcscd.rules "$POLKIT_RULES/50-potkeeper-pcscd.rules"
  put 644 hardware/deploy/potkeeper.service "$UNITS/potkeeper.service"
  if ((screen)); then
    put 644 hardware/deploy/potkeeper-screen.service "$UNITS/potkeeper-screen.service"
    put 644 hardware/deploy/potkeeper-xorg.conf /etc/X11/xorg.conf.d/99-potkeeper.conf
  fi
  if ((web)); then
    put 644 hardware/deploy/potkeeper-web.service "$UNITS/potkeeper-web.service"
    put 644 hardware/deploy/potkeeper-setup.service "$UNITS/potkeeper-setup.service"
    put 644 hardware/deploy/potkeeper-switch.path "$UNITS/potkeeper-switch.path"
    put 644 hardware/deploy/potkeeper-switch.service "$UNITS/potkeeper-switch.service"
    put 644 hardware/deploy/potkeeper-avahi.xml /etc/avahi/services/potkeeper.service
  fi
  if ((web || uplink)); then
    put 644 hardware/deploy/potkeeper-view.conf "$UNITS/potkeeper.service.d/potkeeper-view.conf"
    # Earlier versions had this file in its place.
    as_root rm -f "$ROOT$UNITS/potkeeper.service.d/potkeeper-web.conf"
  fi
  ((!uplink)) || install_uplink_files
}

# Writes the unit of the uplink, its options, the token of the table and the certificate of the room.
install_uplink_files() {
  local folder=$SETTINGS/uplink options made
  put 644 hardware/deploy/potkeeper-uplink.conf "$UNITS/potkeeper.service.d/potkeeper-uplink.conf"
  put 644 hardware/deploy/potkeeper-uplink.service "$UNITS/potkeeper-uplink.service"
  as_root install -d -m 750 "$ROOT$folder"
  [[ -z $token ]] || put 640 "$token" "$folder/token"
  [[ -z $ca ]] || put 644 "$ca" "$folder/ca.pem"
  if [[ -n $room ]]; then
    options="--room $room"
    # Only root can look into the folder.
    ! as_root test -e "$ROOT$folder/ca.pem" || options+=" --ca $folder/ca.pem"
    # With the socket, the room also shows the table live.
    options+=" --socket /run/potkeeper/room/table.sock"
    made=$(mktemp)
    printf 'POTKEEPER_UPLINK_OPTIONS="%s"\n' "$options" >"$made"
    keep 644 "$made" "$SETTINGS/uplink.conf"
    rm -f "$made"
  fi
  [[ -z $ROOT ]] || return 0
  # Only root and the uplink can read the token.
  as_root chgrp -R "$UPLINK_ACCOUNT" "$folder"
  ! as_root test -e "$folder/token" || as_root chmod 640 "$folder/token"
  # Earlier versions let the group write some of the files. Only the service may write them.
  [[ ! -d $STATE ]] || as_root chmod -R g-w "$STATE"
}

# Creates the key with which this table signs its journal. The public part must be kept in another place.
make_key() {
  if [[ -e $SETTINGS/journal.key ]]; then
    say "$SETTINGS/journal.key: the table's key exists, left as it is"
  else
    say "$SETTINGS/journal.key: creating it; keep this public key in another place, it shows if records were changed"
    as_root "$PROGRAM/current/venv/bin/potkeeper" journal key "$SETTINGS/journal.key" || fail 1 "the table's key could not be created"
  fi
  # Only root reads the key's file. systemd passes a copy to the service.
  as_root chown root:root "$SETTINGS/journal.key"
  as_root chmod 600 "$SETTINGS/journal.key"
}

start() {
  local units=(potkeeper.service) modules
  ((!screen)) || units+=(potkeeper-screen.service)
  ((!web)) || units+=(potkeeper-web.service)
  # The service makes this folder for the group of the read-only socket, which had another name in earlier versions.
  ((!web && !uplink)) || as_root rm -rf /run/potkeeper/room
  if ((uplink)); then
    if as_root test -e "$SETTINGS/uplink/token" && [[ -e $SETTINGS/uplink.conf ]]; then
      units+=(potkeeper-uplink.service)
    else
      say "systemd: potkeeper-uplink.service: not started, because it needs --uplink URL and --token FILE"
    fi
  fi
  say "kernel: loading the drivers of the serial adapters"
  mapfile -t modules < <(grep -v '^#' hardware/deploy/potkeeper-modules.conf)
  as_root modprobe --all --quiet "${modules[@]}" || true
  say "udev: reading the rules"
  as_root udevadm control --reload
  as_root udevadm trigger --subsystem-match=usb-serial --subsystem-match=tty --action=add
  say "systemd: ${units[*]}: starting now and at every boot"
  as_root systemctl daemon-reload
  as_root systemctl enable --quiet "${units[@]}"
  as_root systemctl restart "${units[@]}"
}

main() {
  while (($#)); do
    case $1 in
      --no-screen) screen=0 ;;
      --web) web=1 ;;
      --no-start) starting=0 ;;
      --uplink)
        [[ ${2:-} == wss://?* ]] || fail 2 "--uplink ${2:-}: expected the address of the room, such as wss://room:8444"
        [[ $2 != *[[:space:]\"\$\\]* ]] || fail 2 "--uplink $2: expected an address without spaces and quotes"
        room=$2 uplink=1
        shift
        ;;
      --token | --ca)
        [[ -f ${2:-} ]] || fail 2 "$1 ${2:-}: expected a file that exists"
        if [[ $1 == --token ]]; then token=$(realpath "$2"); else ca=$(realpath "$2"); fi
        shift
        ;;
      --keep | --from)
        [[ ${2:-} == /* ]] || fail 2 "$1 ${2:-}: expected an absolute path of a folder"
        if [[ $1 == --keep ]]; then keep=$2; else from=$2; fi
        shift
        ;;
      *) fail 2 "$1: expected --no-screen, --web, --uplink URL, --token FILE, --ca FILE, --no-start, --keep FOLDER or --from FOLDER" ;;
    esac
    shift
  done
  [[ -z $token$ca ]] || ((uplink)) || fail 2 "--token and --ca: expected --uplink URL as well"
  [[ -z $from || -d $from/debian && -d $from/python ]] ||
    fail 2 "--from $from: expected a folder that --keep has written"
  [[ -z $from || -z $keep ]] || fail 2 "expected --keep or --from, not both"
  if [[ -n $ROOT ]]; then
    [[ $ROOT == /* ]] || fail 2 "DESTDIR=$ROOT: expected an absolute path"
    say "below $ROOT: only files; no packages, no user, no program, nothing is started"
    install_files
    say "done"
    return
  fi
  command -v apt-get >/dev/null || fail 2 "apt-get not found: expected a Debian system"
  ((EUID == 0)) || command -v sudo >/dev/null || fail 2 "sudo not found: expected sudo, or to be run as root"
  install_packages
  make_accounts
  install_program
  use_release
  install_files
  make_key
  if ((starting)); then
    command -v systemctl >/dev/null || fail 2 "systemctl not found: expected systemd, or the option --no-start"
    start
  fi
  link_commands
  say "done; edit the table and its hardware in $SETTINGS, then try"
  say "  sudo $PROGRAM/venv/bin/potkeeper check --config $SETTINGS/table.toml --layout $SETTINGS/layout.toml --journal /var/lib/potkeeper/table.journal --key $SETTINGS/journal.key --options $SETTINGS/options --socket /run/potkeeper/table.sock"
}

screen=1
# A table that has the program for browsers keeps it when the installer runs again.
web=0
[[ ! -e $ROOT$UNITS/potkeeper-web.service ]] || web=1
# So does a table with an uplink.
uplink=0
[[ ! -e $ROOT$UNITS/potkeeper-uplink.service ]] || uplink=1
room=
token=
ca=
starting=1
keep=
from=
copy=
release=
main "$@"
