#!/usr/bin/env bash
# Removes what install.sh has installed, and prints each step.
#
#   hardware/deploy/uninstall.sh          removes services, udev rules and program, keeps configuration and journals
#   hardware/deploy/uninstall.sh --purge  also removes configuration, journals and the users: all records are lost
#   DESTDIR=FOLDER hardware/deploy/uninstall.sh [--purge]   only the files below FOLDER
#
# Debian packages stay. A second run does nothing. The exit codes are those of install.sh.
set -euo pipefail

readonly ROOT=${DESTDIR:-}
readonly UNITS=(potkeeper-update-watch.service potkeeper-uplink.service potkeeper-web.service potkeeper-setup.service
  potkeeper-switch.path potkeeper-switch.service potkeeper-screen.service potkeeper.service)
readonly DROP_INS=/etc/systemd/system/potkeeper.service.d
readonly OURS=("${UNITS[@]/#//etc/systemd/system/}"
  /etc/udev/rules.d/70-potkeeper.rules /etc/polkit-1/rules.d/50-potkeeper-pcscd.rules
  /etc/modules-load.d/potkeeper.conf /etc/systemd/system.conf.d/potkeeper.conf
  "$DROP_INS/potkeeper-view.conf" "$DROP_INS/potkeeper-web.conf" "$DROP_INS/potkeeper-uplink.conf" /etc/X11/xorg.conf.d/99-potkeeper.conf
  /etc/avahi/services/potkeeper.service /opt/potkeeper)
readonly OF_THE_HOUSE=(/etc/potkeeper /var/lib/potkeeper /var/lib/potkeeper-screen /var/lib/potkeeper-web
  /var/lib/potkeeper-setup)
readonly ACCOUNTS=(potkeeper potkeeper-screen potkeeper-web potkeeper-uplink)
readonly GROUP=potkeeper-view

say() { printf 'uninstall: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'uninstall: %s\n' "$*" >&2
  exit "$code"
}

as_root() {
  if [[ -n $ROOT ]] || ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

drop() {
  local path
  for path in "$@"; do
    if [[ -e $ROOT$path ]]; then
      say "$path: removing it"
      as_root rm -rf -- "$ROOT$path"
    fi
  done
}

stop_units() {
  local unit
  for unit in "${UNITS[@]}"; do
    if [[ -e /etc/systemd/system/$unit ]]; then
      say "systemd: $unit: stopping it"
      as_root systemctl disable --quiet --now "$unit"
    fi
  done
}

remove_accounts() {
  local account
  for account in "${ACCOUNTS[@]}"; do
    if id -u "$account" >/dev/null 2>&1; then
      say "user $account: removing it"
      as_root userdel "$account"
    fi
  done
  ! getent group "$GROUP" >/dev/null || as_root groupdel "$GROUP"
}

main() {
  local purge=0 argument
  for argument in "$@"; do
    case $argument in
      --purge) purge=1 ;;
      *) fail 2 "$argument: expected --purge" ;;
    esac
  done
  [[ -z $ROOT || $ROOT == /* ]] || fail 2 "DESTDIR=$ROOT: expected an absolute path"
  [[ -n $ROOT ]] || ! command -v systemctl >/dev/null || stop_units
  drop "${OURS[@]}"
  # The folder stays if the house has files of its own in it.
  [[ ! -d $ROOT$DROP_INS ]] || as_root rmdir --ignore-fail-on-non-empty "$ROOT$DROP_INS"
  ((!purge)) || drop "${OF_THE_HOUSE[@]}"
  if [[ -z $ROOT ]]; then
    ! command -v systemctl >/dev/null || as_root systemctl daemon-reload
    ((!purge)) || remove_accounts
  fi
  say "done"
}

main "$@"
