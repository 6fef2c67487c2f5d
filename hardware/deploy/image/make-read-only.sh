#!/bin/sh
# Makes the system read-only from the next boot on. cloud-init runs this script at the end of the first boot.
set -eu
touch /etc/cloud/cloud-init.disabled
sed -i 's| / ext4 rw,| / ext4 ro,|' /etc/fstab
