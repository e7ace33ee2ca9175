#!/usr/bin/env bash
# Runs a command in Debian 13 (trixie), which carries the Swift and the Java
# that older releases lack:
#
#     .ci/trixie.sh FOLDER COMMAND...
#
# Its root is made once, in ${NEWT_FOLD_CI_CACHE:-~/.cache/newt-fold-ci}. The
# command sees the project at /project and FOLDER at /usr/local, both
# read-only, and a /tmp of its own that is gone when it ends.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=gcc,junit4,libc6-dev,libgoogle-gson-java,make,openjdk-25-jdk-headless,swiftlang

folder=$1
shift
cache=${NEWT_FOLD_CI_CACHE:-$HOME/.cache/newt-fold-ci}
# Another list of packages is another root.
root=$cache/trixie-$(cksum <<<"$packages" | cut -d' ' -f1)

mkdir -p "$cache"
exec 9>"$root.lock"
flock 9
if [ ! -d "$root" ]; then
    apt-get update
    apt-get install -y debootstrap debian-archive-keyring
    # The mirror that this machine uses, whichever it is.
    # shellcheck disable=SC2016 # apt-get fills these in.
    mirror=$(apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' \
        'Created-By: Packages' | sed -n 's/^Debian main //p' | sort -u | head -n 1)
    echo "making $root from Debian 13"
    rm -rf "$root.partial"
    debootstrap --variant=minbase --include="$packages" trixie "$root.partial" "$mirror" \
        >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
    rm -f "$root.partial"/var/cache/apt/archives/*.deb
    mkdir "$root.partial/project"
    mv "$root.partial" "$root"
fi
exec 9>&-

# In a mount namespace of its own: however this ends, nothing stays mounted.
# shellcheck disable=SC2016 # The inner shell expands.
exec unshare --mount --propagation private bash -euc '
    root=$1 folder=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$PWD" "$root/project"
    mount -o remount,ro,bind "$root/project"
    mount --bind "$folder" "$root/usr/local"
    mount -o remount,ro,bind "$root/usr/local"
    exec chroot "$root" /usr/bin/env -i HOME=/tmp LANG=C.UTF-8 PATH=/usr/bin:/bin "$@"
' trixie "$root" "$folder" "$@"
