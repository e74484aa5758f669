# Copyright The DecLock authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Makes what a laboratory machine is started from: a kernel, an initial RAM disk and the programs that this machine lacks,
# all from Debian's packages. Nothing is installed and no root is needed: packages are downloaded and unpacked into a
# directory of the user's cache, named after the versions in it.

# What host and guest need besides bash, coreutils and a JDK. Of these and of what they depend on, only what is not
# installed already is downloaded.
LAB_PACKAGES=(
    qemu-system-x86 linux-image-amd64 busybox-static cpio kmod
    rdma-core ibverbs-utils rdmacm-utils perftest ibverbs-providers libibverbs1 librdmacm1 iproute2
    libibverbs-dev librdmacm-dev
)
# In no need of an order: dependencies are put before what needs them. Soft-RoCE uses crc32 by name, so nothing depends on
# crc32_generic, and without it the rxe device is made but does not work.
LAB_MODULES=(virtio_pci virtio_net 9pnet_virtio 9p overlay crc32_generic ib_uverbs rdma_ucm rdma_rxe)

lab_cache() {
    printf '%s\n' "${DECLOCK_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/declock/laboratory}"
}

# Says what this machine lacks for preparing a laboratory; nothing if it lacks nothing.
lab_obstacle() {
    local program
    [[ $(uname -s)/$(uname -m) == Linux/x86_64 ]] || {
        echo "a Linux machine with an x86-64 processor"
        return
    }
    for program in apt-get apt-cache dpkg-deb flock timeout gzip sha256sum; do
        command -v "$program" >/dev/null || {
            echo "the program $program (the laboratory is made of Debian's packages: run it on Debian or in a container of it)"
            return
        }
    done
}

# apt-get with the user's own lists where the system's do not do; downloading as the user it was started by.
lab_own=()
lab_apt() {
    local program=$1
    shift
    "$program" -o APT::Sandbox::User="$(id -un)" ${lab_own[@]+"${lab_own[@]}"} "$@"
}
lab_own_lists() {
    local state
    state=$(lab_cache)/apt
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    lab_own=(-o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state" -o Debug::NoLocking=1)
    echo "lab: reading Debian's lists of packages ..." >&2
    lab_apt apt-get -qq update
}

# Prints "name version" of each package to unpack: the missing ones, and the kernel in any case (it is never installed here).
lab_missing_packages() {
    local simulated kernel
    simulated=$(lab_apt apt-get -s --no-install-recommends install "${LAB_PACKAGES[@]}" 2>/dev/null) || return 1
    kernel=$(lab_apt apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p;T;q')
    [[ -n $kernel ]] || return 1
    {
        sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1 \3/p' <<<"$simulated" |
            grep -Ev '^(linux-image-|linux-base |initramfs-tools|klibc-utils |libklibc )'
        printf '%s %s\n' "$kernel" "$(lab_apt apt-cache policy "$kernel" | sed -n 's/^ *Candidate: //p')"
        # Not to be had from the host's files: the guest starts from these before it sees them.
        printf '%s %s\n' busybox-static "$(lab_apt apt-cache policy busybox-static | sed -n 's/^ *Candidate: //p')"
    } | LC_ALL=C sort -u
}

lab_download() {
    local list=$1 directory=$2 name version wanted=()
    while read -r name version; do
        wanted+=("$name=$version")
    done <"$list"
    mkdir -p "$directory"
    (cd "$directory" && lab_apt apt-get -qq download "${wanted[@]}") >&2
}

# Unpacks every package of directory $1 into the tree $2, with /bin, /sbin and /lib inside /usr, as Debian has them.
lab_unpack() {
    local deb name
    mkdir -p "$2"
    for deb in "$1"/*.deb; do
        dpkg-deb -x "$deb" "$2" || return 1
    done
    for name in bin sbin lib lib64; do
        if [[ -d $2/$name && ! -L $2/$name ]]; then
            mkdir -p "$2/usr/$name"
            cp -a "$2/$name/." "$2/usr/$name/" && rm -rf "${2:?}/$name" || return 1
        fi
    done
}

# Prints the files of module $2 and of what it needs, in the order of loading, from the modules of directory $1.
lab_module_files() {
    local modules=$1 name=${2//-/_} line file
    line=$(awk -F: -v name="$name" '{ n = $1; sub(/.*\//, "", n); sub(/\.ko.*/, "", n); gsub(/-/, "_", n) } n == name' \
        "$modules/modules.dep")
    if [[ -z $line ]]; then
        awk -v name="$name" '{ n = $1; sub(/.*\//, "", n); sub(/\.ko.*/, "", n); gsub(/-/, "_", n) } n == name { found = 1 }
            END { exit !found }' "$modules/modules.builtin" && return 0
        echo "lab: the kernel has no module $name" >&2
        return 1
    fi
    # modules.dep names the nearest first.
    for file in $(printf '%s\n' ${line#*:} | tac) "${line%%:*}"; do
        printf '%s\n' "$file"
    done
}

# Makes the initial RAM disk: busybox, the modules, and init.
lab_make_initrd() {
    local root=$1 target=$2 release modules tree file name number=100 seen=' ' list cpio kmod
    release=$(basename "$(echo "$root"/usr/lib/modules/*)")
    modules=$root/usr/lib/modules/$release
    cpio=$(PATH=$PATH:$root/usr/bin command -v cpio)
    kmod=$(PATH=$PATH:$root/usr/bin command -v kmod)
    (exec -a depmod "$kmod" -b "$root/usr" "$release") || return 1
    tree=$(mktemp -d "$target.XXXXXX")
    mkdir -p "$tree"/{bin,modules,proc,sys,dev,results,host,tools,upper,root}
    cp "$root/usr/bin/busybox" "$tree/bin/busybox"
    cp "$LAB_SOURCE/init" "$tree/init"
    chmod 755 "$tree/init"
    for name in "${LAB_MODULES[@]}"; do
        list=$(lab_module_files "$modules" "$name") || return 1
        for file in $list; do
            [[ $seen != *" $file "* ]] || continue
            seen+="$file "
            name=$tree/modules/$number-$(basename "${file%%.ko*}").ko
            case $file in
                *.xz) xz -dc "$modules/$file" >"$name" ;;
                *.zst) zstd -qdc "$modules/$file" >"$name" ;;
                *) cp "$modules/$file" "$name" ;;
            esac || return 1
            number=$((number + 1))
        done
    done
    (cd "$tree" && find . | "$cpio" --quiet -o -H newc -R 0:0) | gzip -1 >"$target" || return 1
    rm -rf "$tree"
}

# Makes image $2 of the packages listed in file $1; status 2 when they could not be downloaded.
lab_build() {
    local list=$1 image=$2 work release
    work=$(mktemp -d "$image.XXXXXX")
    cp "$list" "$work/packages.txt"
    echo "lab: downloading $(wc -l <"$list") packages from Debian's mirror (once) ..." >&2
    lab_download "$list" "$work/packages" || return 2
    echo "lab: unpacking ..." >&2
    lab_unpack "$work/packages" "$work/root" || return 1
    rm -rf "$work/packages"
    release=$(basename "$(echo "$work"/root/usr/lib/modules/*)")
    mv "$work/root/boot/vmlinuz-$release" "$work/vmlinuz"
    lab_make_initrd "$work/root" "$work/initrd" || return 1
    # What the guest needs of the kernel is in the initial RAM disk now.
    rm -rf "$work/root/boot" "$work/root/usr/lib/modules" "$work/root/usr/share/"{doc,man,locale,info}
    chmod 755 "$work"
    mv "$work" "$image"
}

# Prints the directory of the image: that of today's versions, made if need be. Where that fails for want of a network, the
# newest one at hand.
lab_image() {
    local cache list key image status=0
    cache=$(lab_cache)
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
    list=$(mktemp "$cache/list.XXXXXX")
    if ! lab_missing_packages >"$list" || [[ ! -s $list ]]; then
        lab_own_lists && lab_missing_packages >"$list" || : >"$list"
    fi
    if [[ -s $list ]]; then
        key=$(cat "$list" "$LAB_SOURCE/init" "$LAB_SOURCE/prepare.sh" | sha256sum | cut -c1-16)
        image=$cache/$key
        if [[ ! -d $image ]]; then
            lab_build "$list" "$image" || status=$?
            # Lists that are older than the mirror name packages it no longer has.
            if [[ $status == 2 && ${#lab_own[@]} == 0 ]] && lab_own_lists && lab_missing_packages >"$list"; then
                status=0
                lab_build "$list" "$image" || status=$?
            fi
            rm -rf "$image".??????
            [[ $status == 0 || $status == 2 ]] || return 1
        fi
    fi
    rm -f "$list"
    if [[ -z ${image:-} || ! -d $image ]]; then
        image=$(ls -td "$cache"/*/initrd 2>/dev/null | head -n 1)
        image=${image%/initrd}
        [[ -n $image ]] || {
            echo "lab: Debian's packages could not be had (is deb.debian.org reachable?)" >&2
            return 1
        }
        echo "lab: Debian's packages could not be had; going on with an earlier image" >&2
    fi
    flock -u 9
    printf '%s\n' "$image"
}

# Prints the directory of an image that is there already; fails when none is.
lab_image_at_hand() {
    local found
    found=$(ls -td "$(lab_cache)"/*/initrd 2>/dev/null | head -n 1)
    [[ -n $found ]] && printf '%s\n' "${found%/initrd}"
}
