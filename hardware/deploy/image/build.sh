#!/usr/bin/env bash
# Builds a disk image of a table: Debian with the program, for a computer with UEFI and the processor of this machine.
# The table needs no internet. cloud-init sets up its first boot from three files on the first partition.
#
#   hardware/deploy/image/build.sh IMAGE                as root
#   hardware/deploy/image/build.sh --read-only IMAGE    the system is read-only from the second boot on
#   hardware/deploy/image/build.sh --keep-files IMAGE   also keeps the files of the partitions in IMAGE.files
#   hardware/deploy/image/build.sh --layout             only prints the partitions for sfdisk, without root
#
# Environment: RELEASE is the release of Debian (trixie), MIRROR the address of its archive. PIP_INDEX_URL and PIP_CERT
# are used as usual.
# Exit codes: 0 done, 1 a step failed, 2 wrong options, or the machine lacks something that its owner must install.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly PROJECT=$HERE/../../..
readonly RELEASE=${RELEASE:-trixie}

# The system. The packages of the program are installed by install.sh.
readonly PACKAGES=(
  systemd systemd-sysv libpam-systemd dbus udev kmod e2fsprogs initramfs-tools "linux-image-$(dpkg --print-architecture)"
  systemd-boot-efi cloud-init openssh-server sudo libnss-myhostname systemd-timesyncd iproute2 tzdata less nano
  zstd python3-venv ca-certificates
)
# Files of the project that install.sh needs.
readonly PROGRAM=(LICENSE README.md pyproject.toml firmware_bridge hardware controller ui)
# Folders of the table's partition. All else is the system, which can be read-only.
readonly FOLDERS=(etc/potkeeper opt/potkeeper var/lib/potkeeper var/lib/potkeeper-screen var/log/journal)
readonly TABLE_MOUNT=/srv/potkeeper
# Sizes in MiB. Together they fit on a card of 16 GB. Three releases take 0.7 GB, the journal and its archive 1 to 2 GB.
readonly START_MIB=1
readonly BOOT_MIB=512
readonly ROOT_MIB=4096
readonly TABLE_MIB=6144
# cloud-init reads its files from the partition with this name.
readonly BOOT_LABEL=CIDATA
readonly ROOT_LABEL=table-system
readonly TABLE_LABEL=table-data
# Programs of this machine, each with its Debian package.
readonly TOOLS=(
  debootstrap:debootstrap sfdisk:fdisk mkfs.vfat:dosfstools mcopy:mtools mkfs.ext4:e2fsprogs unshare:util-linux
)

say() { printf 'image: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'image: %s\n' "$*" >&2
  exit "$code"
}

print_layout() {
  local boot=$START_MIB
  local root=$((boot + BOOT_MIB))
  local table=$((root + ROOT_MIB))
  printf '%s\n' "label: gpt" \
    "start=${boot}MiB, size=${BOOT_MIB}MiB, type=uefi, name=boot" \
    "start=${root}MiB, size=${ROOT_MIB}MiB, type=linux, name=system" \
    "start=${table}MiB, size=${TABLE_MIB}MiB, type=linux, name=table"
}

check_machine() {
  ((EUID == 0)) || fail 2 "expected to be run as root, because the files of the system belong to root"
  local tool packages=()
  for tool in "${TOOLS[@]}"; do
    command -v "${tool%%:*}" >/dev/null || packages+=("${tool##*:}")
  done
  ((${#packages[@]} == 0)) || fail 2 "programs are missing; run: apt-get install ${packages[*]}"
}

# in_system COMMAND…: runs a command in the new system.
in_system() {
  unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" \
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
    ${PIP_INDEX_URL:+"PIP_INDEX_URL=$PIP_INDEX_URL"} PIP_CERT=/tmp/certificates.crt "$@"
}

make_system() {
  say "system: installing Debian $RELEASE"
  debootstrap --variant=minbase "$RELEASE" "$root" ${MIRROR:+"$MIRROR"} >"$files/debootstrap.log" ||
    fail 1 "debootstrap failed, see $files/debootstrap.log"
  cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
  write_fstab
  # dpkg need not flush every file to the disk, because a build that is interrupted starts again.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/image"
  # The start of the system checks its file system only if the kernel's packages find the type of the file system here.
  install -D -m 644 /dev/stdin "$root/etc/initramfs-tools/conf.d/potkeeper" <<<FSTYPE=ext4
  say "system: installing the kernel and the packages of every machine"
  in_system apt-get -qq update
  in_system apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${PACKAGES[@]}" \
    >"$files/packages.log" 2>&1 ||
    fail 1 "apt-get failed, see $files/packages.log"
}

write_fstab() {
  local folder
  {
    printf '%s\n' "LABEL=$ROOT_LABEL / ext4 rw,noatime 0 1" \
      "LABEL=$BOOT_LABEL /boot/firmware vfat ro,nofail 0 0" \
      "LABEL=$TABLE_LABEL $TABLE_MOUNT ext4 noatime 0 2" \
      "tmpfs /tmp tmpfs mode=1777,nosuid,nodev 0 0" "tmpfs /var/tmp tmpfs mode=1777,nosuid,nodev 0 0"
    for folder in "${FOLDERS[@]}"; do
      echo "$TABLE_MOUNT/$folder /$folder none bind 0 0"
    done
  } >"$root/etc/fstab"
}

install_program() {
  say "program: running install.sh in the system"
  local name
  mkdir "$root/tmp/potkeeper"
  for name in "${PROGRAM[@]}"; do
    cp -R "$PROJECT/$name" "$root/tmp/potkeeper"
  done
  cp "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/tmp/certificates.crt"
  in_system /tmp/potkeeper/hardware/deploy/install.sh --no-start || fail 1 "install.sh failed"
  # Each table makes its own keys and its own identity at its first boot.
  rm -f "$root/etc/dpkg/dpkg.cfg.d/image" "$root"/etc/potkeeper/journal.key* "$root"/etc/ssh/ssh_host_* "$root/etc/resolv.conf"
  : >"$root/etc/machine-id"
  rm -rf "$root"/tmp/* "$root/root/.cache" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
}

set_up_boot() {
  say "first boot: cloud-init and the table's key"
  local folder
  install -m 644 "$HERE/cloud.cfg" "$root/etc/cloud/cloud.cfg.d/90-potkeeper.cfg"
  install -m 644 "$HERE/potkeeper-key.service" "$root/etc/systemd/system/potkeeper-key.service"
  if ((read_only)); then
    install -D -m 755 "$HERE/make-read-only.sh" "$root/var/lib/cloud/scripts/per-instance/make-read-only.sh"
  fi
  systemctl --quiet --root="$root" enable \
    systemd-networkd.service potkeeper-key.service potkeeper.service potkeeper-screen.service
  # A table without a network would wait for two minutes.
  systemctl --quiet --root="$root" mask systemd-networkd-wait-online.service
  mkdir -p "$root/boot/firmware" "$root$TABLE_MOUNT"
  for folder in "${FOLDERS[@]}"; do
    mkdir -p "$root/$folder" "$table/$(dirname "$folder")"
    mv "$root/$folder" "$table/$folder"
    mkdir "$root/$folder"
  done
}

# Copies the kernel, its loader, and the files of cloud-init to the first partition, which every computer can edit.
collect_boot_files() {
  local efi=$root/usr/lib/systemd/boot/efi source
  mkdir -p "$boot/EFI/BOOT" "$boot/loader/entries"
  for source in "$efi"/systemd-boot{x64,aa64}.efi; do
    [[ ! -e $source ]] || cp "$source" "$boot/EFI/BOOT/$(basename "${source/systemd-}" | tr '[:lower:]' '[:upper:]')"
  done
  cp -L "$root/vmlinuz" "$root/initrd.img" "$HERE"/{user-data,meta-data,network-config} "$boot"
  printf '%s\n' "timeout 0" >"$boot/loader/loader.conf"
  printf '%s\n' "title Potkeeper" "linux /vmlinuz" "initrd /initrd.img" \
    "options root=LABEL=$ROOT_LABEL ro quiet console=ttyS0 console=tty1" >"$boot/loader/entries/potkeeper.conf"
}

# make_ext4 LABEL FOLDER START SIZE: makes a file system with the files of the folder in the image. Sizes are in MiB.
make_ext4() {
  mkfs.ext4 -q -F -L "$1" -d "$2" -E "offset=$(($3 * 1024 * 1024))" "$image" "$4M" 2>"$files/mkfs.log" ||
    fail 1 "mkfs.ext4: $(<"$files/mkfs.log")"
}

write_image() {
  say "$image: writing it"
  rm -f "$image"
  # The second table of the partitions is in the last MiB.
  truncate -s "$((START_MIB + BOOT_MIB + ROOT_MIB + TABLE_MIB + 1))M" "$image"
  print_layout | sfdisk --quiet "$image"
  # With its own choice of clusters, FAT would be for a disk of the size of the whole image.
  mkfs.vfat -F 32 -s 8 -n "$BOOT_LABEL" --offset "$((START_MIB * 2048))" "$image" "$((BOOT_MIB * 1024))" >"$files/mkfs.log" 2>&1 ||
    fail 1 "mkfs.vfat: $(<"$files/mkfs.log")"
  mcopy -s -i "$image@@${START_MIB}M" "$boot"/* ::
  make_ext4 "$ROOT_LABEL" "$root" "$((START_MIB + BOOT_MIB))" "$ROOT_MIB"
  make_ext4 "$TABLE_LABEL" "$table" "$((START_MIB + BOOT_MIB + ROOT_MIB))" "$TABLE_MIB"
}

main() {
  local keep_files=0
  while (($#)); do
    case $1 in
      --layout)
        print_layout
        return
        ;;
      --read-only) read_only=1 ;;
      --keep-files) keep_files=1 ;;
      -*) fail 2 "$1: expected --read-only, --keep-files or --layout" ;;
      *) image=$1 ;;
    esac
    shift
  done
  [[ -n $image ]] || fail 2 "expected the file of the image, such as build/image/table.img"
  check_machine
  mkdir -p "$(dirname "$image")"
  image=$(realpath "$image")
  files=$image.files root=$files/root table=$files/table boot=$files/boot
  rm -rf "$files"
  mkdir -p "$files"
  make_system
  install_program
  set_up_boot
  collect_boot_files
  write_image
  ((keep_files)) || rm -rf "$files"
  say "done; edit user-data on its first partition, and write the image to a disk"
}

read_only=0
image=
main "$@"
