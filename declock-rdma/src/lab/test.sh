# Copyright The DecLock authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs Java inside a machine: the class path, the launcher, and the integration tests of the module.

# Prints the home of a JDK 25 or newer.
lab_java_home() {
    local home version
    for home in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/*25* /opt/*jdk*25* "$HOME"/.sdkman/candidates/java/25* \
        "$(dirname "$(dirname "$(readlink -f "$(command -v java || echo /)")")")"; do
        [[ -n $home && -x $home/bin/java ]] || continue
        version=$("$home/bin/java" -version 2>&1 | sed -n '/version "/{s/.*version "\([0-9]*\).*/\1/p;q}')
        if [[ -n $version && $version -ge 25 ]]; then
            readlink -f "$home"
            return
        fi
    done
    echo "lab: no JDK 25 found (JAVA_HOME, JAVA25_HOME, /usr/lib/jvm, /opt, ~/.sdkman)" >&2
    return 3
}

# Compiles the module with its tests, and the modules that it depends on.
lab_compile() {
    local maven=(./mvnw) java_home
    java_home=$(lab_java_home) || return
    echo "lab: compiling ..." >&2
    (
        cd "$root"
        export JAVA_HOME=${JAVA_HOME:-$java_home}
        if ! ./mvnw -v >/dev/null 2>&1 && command -v mvn >/dev/null; then
            maven=(mvn)
        fi
        "${maven[@]}" -q -pl declock-rdma -am -DskipTests -Dspotless.check.skip package >&2
    )
}

# Prints the class path of the module's tests, which consists of jars only.
lab_class_path() {
    local target=$root/declock-rdma/target jar jars=()
    for jar in "$target"/declock-rdma-*-tests.jar "$target"/declock-rdma-*.jar; do
        [[ ! -f $jar || " ${jars[*]-} " == *" $jar "* ]] || jars+=("$jar")
    done
    if [[ ! -f $target/laboratory/libraries || ${#jars[@]} -lt 2 ]]; then
        echo "lab: the module declock-rdma is not compiled; leave out --no-build" >&2
        return 3
    fi
    printf '%s:%s:%s\n' "${jars[0]}" "${jars[1]}" "$(cat "$target/laboratory/libraries")"
}

# Prints the names of the test classes of class path $2 that run inside machines and match pattern $3; without one, all of them.
lab_test_classes() {
    local java_home=$1 class_path=$2 pattern=${3:-.*IT}
    "$java_home/bin/jar" tf "${class_path%%:*}" | sed -n 's:/:.:g; s:IT[.]class$:IT:p' | grep -v '[.]laboratory[.]' |
        grep -xE -- "$pattern"
}

# C1 only: under emulation C2 costs more than it gains within a minute, and once, with two processors, a JVM crashed at the entry of a
# method compiled by C1 whose code C2 was just replacing.
lab_java_options="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED"

# Prints the option that names the archive of loaded classes, and makes the archive if it does not exist. The archive halves the start
# time of a JVM in a machine.
lab_class_archive() {
    local java_home=$1 class_path=$2 archive key tests
    key=$(printf '%s\n' "$java_home" "$class_path" "$(stat -c '%Y %s' $(tr : ' ' <<<"$class_path"))" | sha256sum | cut -c1-16)
    archive=$root/declock-rdma/target/laboratory/classes-$key.jsa
    if [[ ! -f $archive ]]; then
        rm -f "$root"/declock-rdma/target/laboratory/classes-*.jsa
        tests=$(lab_test_classes "$java_home" "$class_path" | paste -sd' ')
        # shellcheck disable=SC2086
        printf 'rehearse %s\nexit\n' "$tests" | timeout 120 "$java_home/bin/java" $lab_java_options -Xmx256m -Xlog:disable \
            -XX:ArchiveClassesAtExit="$archive.$$" -cp "$class_path" \
            io.declock.rdma.laboratory.program.Participant rehearsal >&2 && mv "$archive.$$" "$archive" || {
            echo "lab: the archive of classes could not be made; continuing without it" >&2
            return 0
        }
    fi
    printf -- '-XX:SharedArchiveFile=%s -Xlog:disable' "$archive"
}

# Prints the command that starts a Java program of the module's tests inside a machine.
lab_java() {
    local java_home class_path archive
    java_home=$(lab_java_home) && class_path=$(lab_class_path) && archive=$(lab_class_archive "$java_home" "$class_path") || return
    printf "exec '%s/bin/java' %s %s -XX:ErrorFile=/lab/results/crash-%%p.log -Xmx%s -cp '%s' %s\n" \
        "$java_home" "$lab_java_options" "$archive" "${LAB_HEAP:-512m}" "$class_path" "$*"
}

# Enables the tests of DiSNI's native library, with the library in directory $DECLOCK_LAB_DISNI. The library is copied into the project,
# because a machine sees only the project and the system's directories.
lab_use_disni() {
    local directory=$root/declock-rdma/target/laboratory/disni
    rm -rf "$directory" && mkdir -p "$directory" && cp -L "$DECLOCK_LAB_DISNI/libdisni.so" "$directory" || return
    lab_java_options+=" --add-exports java.base/sun.nio.ch=ALL-UNNAMED"
    lab_java_options+=" -Djava.library.path='$directory' -Ddeclock.test.disni='$directory'"
}

# Runs the test classes whose names match $3 for at most $1 seconds; the reports go to Failsafe's directory of reports.
lab_test() {
    local deadline=$1 build=$2 pattern=$3 reports=$root/declock-rdma/target/failsafe-reports status=0 java java_home results class_path
    local tests selected=()
    [[ $build == no ]] || lab_compile || return
    java_home=$(lab_java_home) && class_path=$(lab_class_path) && tests=$(lab_test_classes "$java_home" "$class_path" "$pattern") || {
        echo "lab: no test class matches $pattern" >&2
        return 2
    }
    # Without the library these tests are left out here, and DisniIT reports that they were not run.
    if [[ -n ${DECLOCK_LAB_DISNI:-} ]]; then
        lab_use_disni || return
    else
        tests=$(grep -v '[.]Disni[^.]*$' <<<"$tests") || {
            echo "lab: these tests need DECLOCK_LAB_DISNI" >&2
            return 2
        }
    fi
    # Each is named, because an emulated processor takes long to look into all classes.
    while read -r test; do
        selected+=("--select-class=$test")
    done <<<"$tests"
    java=$(lab_java org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors \
        --details=tree --fail-if-no-tests --include-classname="'.*'" "${selected[@]}" \
        --reports-dir=/lab/results/reports) || return
    results=$root/declock-rdma/target/laboratory/test
    rm -rf "$results" && mkdir -p "$results" "$reports"
    rm -f "$reports/TEST-rdma-laboratory.xml"
    lab_run "$results" "$deadline" "stty onlcr; cd '$root/declock-rdma'
set -o pipefail
($java) 2>&1 | tee /lab/results/output.txt" || status=$?
    if [[ ! -f $results/reports/TEST-junit-jupiter.xml ]]; then
        echo "lab: the machine left no test report" >&2
        [[ $status != 0 ]] || status=71
        return "$status"
    fi
    cp "$results/reports/TEST-junit-jupiter.xml" "$reports/TEST-rdma-laboratory.xml"
    return "$status"
}

# Runs the scenarios of two machines whose names match $2; the test itself runs on the host.
lab_two() {
    local build=$1 pattern=$2 java_home class_path
    [[ $build == no ]] || lab_compile || return
    lab_image_or_reason >/dev/null || return
    java_home=$(lab_java_home) && class_path=$(lab_class_path) || return
    cd "$root/declock-rdma" || return
    DECLOCK_REQUIRE_ALL=true "$java_home/bin/java" -cp "$class_path" org.junit.platform.console.ConsoleLauncher execute \
        --disable-banner --details=tree --fail-if-no-tests \
        --select-class=io.declock.rdma.laboratory.TwoMachinesIT --include-methodname=".*#($pattern)"
}

# Measures part $3 of the figures, or all, in two machines, each for at most $1 seconds, and prints a table. Latencies are measured with
# one caller, so a single processor is enough: on it both of the JVM's compilers can be used, and no second emulated processor competes
# for the host's.
lab_figures() {
    local deadline=$1 build=$2 part=$3 options=$lab_java_options
    [[ $part == all || $part == latencies || $part == loads || $part =~ ^field(-hot|-zipf)?$ ]] || { usage >&2 && return 2; }
    [[ $build == no ]] || lab_compile || return
    if [[ $part == all || $part == latencies ]]; then
        lab_java_options=${options/-XX:TieredStopAtLevel=1/}
        lab_figures_of "$deadline" latencies processors=1 || return
    fi
    lab_java_options=$options
    if [[ $part == all || $part == loads ]]; then
        lab_figures_of "$deadline" loads || return
    fi
    if [[ $part == field* ]]; then
        LAB_HEAP=1g lab_figures_of "$deadline" "$part"
    fi
}

# Prints part $2 of the table, measured in a machine with the settings in the further arguments.
lab_figures_of() {
    local deadline=$1 part=$2 results java
    java=$(lab_java io.declock.rdma.laboratory.program.Figures "$part") || return
    results=$root/declock-rdma/target/laboratory/figures-$part
    rm -rf "$results" && mkdir -p "$results"
    lab_run "$results" "$deadline" "set -o pipefail
($java) 2>&1 | tee /lab/results/output.txt | sed -un 's/^FIGURE  //p'" "${@:3}"
}
