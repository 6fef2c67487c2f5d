#!/usr/bin/env bash
# Installs the room on a machine with Debian 12 or later, and prints each step.
#
#   hardware/deploy/room/install-room.sh ADDRESS   everything: PostgreSQL with checksums, user, database, program,
#                                                  certificate for this address of the machine, services
#   hardware/deploy/room/install-room.sh --no-start ADDRESS   everything, but the services are not started
#   hardware/deploy/room/install-room.sh --remove  removes services and program; keeps database, settings and users
#   DESTDIR=FOLDER hardware/deploy/room/install-room.sh ADDRESS   only the units and options below FOLDER
#
# ADDRESS is an IP address or a name, at which the tables connect. A second run installs the program again. It changes
# neither the database, nor files in /etc/potkeeper-room and /var/lib/potkeeper-room that exist.
# Exit codes: 0 done, 1 a step failed, 2 wrong options, or the machine lacks something that its owner must decide.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly ROOT=${DESTDIR:-}
readonly PROGRAM=/opt/potkeeper-room
readonly SETTINGS=/etc/potkeeper-room
readonly UNITS=/etc/systemd/system
readonly REQUIREMENTS=hardware/deploy/requirements/room-machine.txt
readonly ACCOUNT=potkeeper-room
readonly PIT_ACCOUNT=potkeeper-pit
readonly DATABASE=potkeeper_room
readonly SERVICES=(potkeeper-room potkeeper-room-derive potkeeper-pit)
readonly PACKAGES=(postgresql python3 python3-venv openssl)
readonly DAYS=3650 # The certificate is valid for ten years.

say() { printf 'install-room: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'install-room: %s\n' "$*" >&2
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

# as_postgres COMMAND: runs a command as the owner of the database cluster.
as_postgres() {
  as_root env --chdir=/ runuser -u postgres -- "$@"
}

# put SOURCE TARGET: writes a file of the program if it differs.
put() {
  if cmp -s "$1" "$ROOT$2"; then
    say "$2: up to date"
  else
    say "$2: writing it"
    as_root install -D -m 644 "$1" "$ROOT$2"
  fi
}

# write_options LINE TARGET: writes a file of the house only if it does not exist.
write_options() {
  if [[ -e $ROOT$2 ]]; then
    say "$2: the house's own, left as it is"
    return
  fi
  say "$2: writing it"
  as_root install -d "$(dirname "$ROOT$2")"
  printf '%s\n' "$1" | as_root tee "$ROOT$2" >/dev/null
}

install_packages() {
  local missing=() package
  for package in "${PACKAGES[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say "Debian packages: all installed"
    return
  fi
  say "Debian packages: installing ${missing[*]}"
  as_root apt-get -qq update </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" \
    </dev/null || fail 1 "apt-get could not install: ${missing[*]}"
}

make_account() {
  if id -u "$1" >/dev/null 2>&1; then
    say "user $1: exists"
  else
    say "user $1: creating it"
    as_root useradd --system --user-group --home-dir "/var/lib/$1" --shell /usr/sbin/nologin "$1"
  fi
}

# Makes the folder of the room and its file of the tables, which has no table yet.
make_folder() {
  local folder=/var/lib/$ACCOUNT
  as_root install -d -m 700 -o "$ACCOUNT" -g "$ACCOUNT" "$folder"
  as_root test -e "$folder/tables.toml" ||
    as_root install -m 600 -o "$ACCOUNT" -g "$ACCOUNT" /dev/null "$folder/tables.toml"
}

# query SQL: prints the result of a query.
query() {
  as_postgres psql --no-psqlrc --tuples-only --no-align --dbname postgres --command "$1" </dev/null
}

# Turns the checksums of the cluster on, which needs a stop of PostgreSQL. A cluster with other databases is not stopped.
enable_checksums() {
  local version name others
  if [[ $(query 'SHOW data_checksums') == on ]]; then
    say "PostgreSQL: its checksums are on"
    return
  fi
  others=$(query "SELECT string_agg(datname, ', ') FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'")
  [[ -z $others ]] || fail 2 "PostgreSQL: its checksums are off, and it has the databases $others, so it is not stopped." \
    "Turn them on with pg_checksums as the README of the room says, and run this again"
  read -r version name _ < <(pg_lsclusters --no-header)
  say "PostgreSQL: turning on the checksums of the cluster $version/$name"
  as_root systemctl stop "postgresql@$version-$name"
  as_postgres "/usr/lib/postgresql/$version/bin/pg_checksums" --enable \
    -D "$(pg_conftool -s "$version" "$name" show data_directory)" >/dev/null ||
    fail 1 "PostgreSQL: its checksums could not be turned on"
  as_root systemctl start "postgresql@$version-$name"
}

# Creates the role and the database. Existing ones stay as they are.
make_database() {
  as_root systemctl start postgresql
  enable_checksums
  if [[ $(query "SELECT 1 FROM pg_roles WHERE rolname = '$ACCOUNT'") == 1 ]]; then
    say "PostgreSQL: the role $ACCOUNT exists"
  else
    say "PostgreSQL: creating the role $ACCOUNT"
    as_postgres createuser "$ACCOUNT"
  fi
  if [[ $(query "SELECT 1 FROM pg_database WHERE datname = '$DATABASE'") == 1 ]]; then
    say "PostgreSQL: the database $DATABASE exists, left as it is"
  else
    say "PostgreSQL: creating the database $DATABASE"
    as_postgres createdb --owner="$ACCOUNT" "$DATABASE"
  fi
}

# pip OPTION…: installs Python packages into the new environment. pip fetches no packages that are not named.
pip() {
  as_root "$release/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --no-deps \
    --no-build-isolation "$@" </dev/null || fail 1 "pip could not install: $*"
}

# Installs the program into a new virtual environment, and lets the link name it once it is whole.
install_program() {
  local old
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail 2 "python3: expected Python 3.11 or later"
  old=$(readlink "$PROGRAM/current" || true)
  release=$PROGRAM/$(date +%Y%m%d-%H%M%S)
  say "$release: installing the Python packages with the hashes in $REQUIREMENTS, then Potkeeper"
  as_root mkdir -p "$PROGRAM"
  as_root python3 -m venv "$release"
  pip --require-hashes -r hardware/deploy/requirements/build.txt
  pip --require-hashes -r "$REQUIREMENTS"
  # Build from a copy, because the build writes into its folder, which does not belong to root.
  copy=$(mktemp -d)
  trap 'as_root rm -rf "$copy"' EXIT
  cp -R LICENSE README.md pyproject.toml firmware_bridge hardware controller ui "$copy"
  pip "$copy"
  as_root chmod -R go=rX,u+w "$release"
  as_root ln -sfn "$release" "$PROGRAM/current.new"
  as_root mv -T "$PROGRAM/current.new" "$PROGRAM/current"
  # Keep the environment before, which programs still use until they restart.
  for folder in "$PROGRAM"/2*/; do
    folder=${folder%/}
    [[ $folder == "$release" || $folder == "$old" ]] || as_root rm -rf "$folder"
  done
}

# Creates the certificate for the tables, unless the house has one.
make_certificate() {
  local name=DNS:$address
  if [[ -e $SETTINGS/room.key ]]; then
    say "$SETTINGS/room.pem: exists, left as it is"
    return
  fi
  [[ ! $address =~ ^[0-9.]+$|: ]] || name=IP:$address
  say "$SETTINGS/room.pem: creating a certificate for $address"
  as_root install -d "$SETTINGS"
  as_root openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$DAYS" -subj /CN=room \
    -addext "subjectAltName=$name" -out "$SETTINGS/room.pem" -keyout "$SETTINGS/room.key" 2>/dev/null ||
    fail 1 "openssl could not make a certificate for $address"
  as_root chmod 600 "$SETTINGS/room.key"
  as_root chmod 644 "$SETTINGS/room.pem"
}

install_files() {
  local service
  put README.md "$PROGRAM/README.md"
  for service in "${SERVICES[@]}"; do
    put "hardware/deploy/room/$service.service" "$UNITS/$service.service"
  done
  write_options "POTKEEPER_ROOM_OPTIONS=\"--host 0.0.0.0 --live /run/$ACCOUNT --metrics 8446\"" "$SETTINGS/room.conf"
}

start() {
  say "systemd: ${SERVICES[*]}: starting now and at every boot"
  as_root systemctl daemon-reload
  as_root systemctl enable --quiet "${SERVICES[@]}"
  as_root systemctl restart "${SERVICES[@]}"
}

remove() {
  local service
  for service in "${SERVICES[@]}"; do
    [[ -e $ROOT$UNITS/$service.service ]] || continue
    say "$UNITS/$service.service: removing it"
    [[ -n $ROOT ]] || as_root systemctl disable --quiet --now "$service"
    as_root rm -f "$ROOT$UNITS/$service.service"
  done
  as_root rm -rf "$ROOT$PROGRAM"
  [[ -n $ROOT ]] || as_root systemctl daemon-reload
  say "done; the database $DATABASE, $SETTINGS and /var/lib/$ACCOUNT are left as they are"
}

main() {
  while (($#)); do
    case $1 in
      --no-start) starting=0 ;;
      --remove) removing=1 ;;
      -*) fail 2 "$1: expected ADDRESS, --no-start or --remove" ;;
      *)
        [[ -z $address && $1 =~ ^[0-9A-Za-z.:-]+$ ]] || fail 2 "$1: expected one address, such as 10.0.0.5 or room.example"
        address=$1
        ;;
    esac
    shift
  done
  [[ -z $ROOT || $ROOT == /* ]] || fail 2 "DESTDIR=$ROOT: expected an absolute path"
  if ((removing)); then
    remove
    return
  fi
  [[ -n $address ]] || fail 2 "expected the address of this machine, at which the tables connect, such as 10.0.0.5"
  if [[ -n $ROOT ]]; then
    say "below $ROOT: only units and options"
    install_files
    say "done"
    return
  fi
  command -v apt-get >/dev/null || fail 2 "apt-get not found: expected a Debian system"
  command -v systemctl >/dev/null || fail 2 "systemctl not found: expected systemd"
  ((EUID == 0)) || command -v sudo >/dev/null || fail 2 "sudo not found: expected sudo, or to be run as root"
  install_packages
  make_account "$ACCOUNT"
  make_account "$PIT_ACCOUNT"
  make_folder
  make_database
  install_program
  make_certificate
  install_files
  ((!starting)) || start
  say "done; add each table with its public key, as the user of the room:"
  say "  sudo runuser -u $ACCOUNT -- $PROGRAM/current/bin/potkeeper room add NAME --key FILE --tables /var/lib/$ACCOUNT/tables.toml"
}

starting=1
removing=0
address=
copy=
release=
main "$@"
