# Copyright The DecLock authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Starts laboratory machines. A machine is described by the file "machine" in its directory of results, runs the file
# "command" there, and leaves the command's exit code in "exit-code".

# Writes the description of a machine into directory $1; settings after it replace the defaults.
lab_describe() {
    local directory=$1
    shift
    {
        printf '%s\n' node=node1 address=10.77.0.1 "hosts='10.77.0.1=node1 10.77.0.2=node2'" mac=52:54:00:77:00:01 \
            network=user,restrict=on,ipv6=off processors=2 memory=3072 deadline=300
        for setting in "$@"; do
            printf "%s='%s'\n" "${setting%%=*}" "${setting#*=}"
        done
    } >"$directory/machine"
}

# Replaces this process by the emulator of the machine described in directory $1, with its console at standard input and output. The
# kernel options let Linux trust the time stamp counter, because asking the HPET for the time leaves the emulated processor each time,
# and skip the timer check, because on a busy host interrupts come later than that check waits for.
lab_boot() {
    # Soft-RoCE copies with the kernel's memcpy. With the features erms and fsrm, memcpy is one string instruction, which the emulator
    # executes byte by byte, so a word could be read half written. Without them it moves eight bytes at a time, as adapters do.
    local results=$1 accelerator=${DECLOCK_LAB_ACCELERATOR:-tcg} cpu=max,-erms,-fsrm tree qemu libraries
    local image project node address hosts mac network processors memory deadline
    # shellcheck source=/dev/null
    . "$results/machine"
    tree=$image/root
    rm -f "$results/exit-code" "$results/time-is-up"
    qemu=$(PATH=$PATH:$tree/usr/bin command -v qemu-system-x86_64) || {
        echo "lab: no qemu-system-x86_64 in $image or on the path; remove that directory and run ./lab prepare" >&2
        return 3
    }
    local firmware=()
    if [[ $qemu == "$tree"/* ]]; then
        libraries=$tree/usr/lib/x86_64-linux-gnu
        export LD_LIBRARY_PATH=$libraries:$libraries/pulseaudio QEMU_MODULE_DIR=$libraries/qemu
        firmware=(-L "$tree/usr/share/seabios" -L "$tree/usr/share/qemu" -L "$tree/usr/lib/ipxe/qemu")
    fi
    case $accelerator in
        tcg) accelerator=tcg,thread=multi ;;
        kvm) cpu=host ;;
    esac
    exec "$qemu" ${firmware[@]+"${firmware[@]}"} -accel "$accelerator" -cpu "$cpu" -smp "$processors" -m "$memory" \
        -nodefaults -no-reboot -display none -serial stdio \
        -kernel "$image/vmlinuz" -initrd "$image/initrd" -append "console=ttyS0 loglevel=1 panic=-1 tsc=reliable clocksource=tsc no_timer_check" \
        -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
        -virtfs "local,path=$tree,mount_tag=tools,security_model=none,readonly=on,multidevs=remap" \
        -virtfs "local,path=$results,mount_tag=results,security_model=none" \
        -netdev "$network,id=net0" -device "virtio-net-pci,netdev=net0,mac=$mac,romfile="
}

# Runs the machine described in directory $2 for at most $1 seconds and returns its command's exit code. A machine that
# ended without an exit code has failed, whatever the emulator's status is.
lab_boot_within() {
    local deadline=$1 results=$2 status=0 began=$SECONDS grace=20
    # The machine ends itself at the deadline; this time limit ends an emulator that hangs.
    timeout --foreground --signal=KILL "$((deadline + grace))" "$root/lab" boot "$results" || status=$?
    if [[ ! -f $results/exit-code ]]; then
        if [[ -f $results/time-is-up || $((SECONDS - began)) -ge $((deadline + grace)) ]]; then
            echo "lab: the machine was ended by its deadline of $deadline s, before its command was done;" \
                "to give it more time: ./lab --seconds=$((2 * deadline)) ${asked:-test}" >&2
        else
            echo "lab: the machine ended before its command did and before its deadline (emulator's status $status)" >&2
        fi
        return 70
    fi
    return "$(cat "$results/exit-code")"
}

# Runs command $3 on a machine of its own with the directory of results $1, for at most $2 seconds, with its console on this
# terminal. Further arguments are settings as for lab_describe.
lab_run() {
    local results=$1 deadline=$2 command=$3 image
    shift 3
    image=$(lab_image_or_reason) || return
    printf '%s\n' "$command" >"$results/command"
    lab_describe "$results" "image=$image" "project=$root" "deadline=$deadline" "$@"
    lab_boot_within "$deadline" "$results"
}
