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

# Compiles the module with its tests, and what it is built on.
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

# Prints the class path of the module's tests.
lab_class_path() {
    local module=$root/declock-rdma
    if [[ ! -f $module/target/laboratory/libraries || ! -d $module/target/test-classes ]]; then
        echo "lab: the module declock-rdma is not compiled; leave out --no-build" >&2
        return 3
    fi
    printf '%s:%s:%s\n' "$module/target/test-classes" "$module/target/classes" "$(cat "$module/target/laboratory/libraries")"
}

# Prints the command that starts a Java program of the module's tests inside a machine; C1 only, because under emulation the
# second compiler costs more than it gains within a minute.
lab_java() {
    local java_home class_path
    java_home=$(lab_java_home) && class_path=$(lab_class_path) || return
    printf "exec '%s/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx%s --enable-native-access=ALL-UNNAMED -cp '%s' %s\n" \
        "$java_home" "${LAB_HEAP:-1g}" "$class_path" "$*"
}

# Runs the test classes whose names match $3 for at most $1 seconds; the reports go where Failsafe puts its own.
lab_test() {
    local deadline=$1 build=$2 pattern=$3 reports=$root/declock-rdma/target/failsafe-reports status=0 java results
    [[ $build == no ]] || lab_compile || return
    java=$(lab_java org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors \
        --details=tree --fail-if-no-tests --scan-classpath="'$root/declock-rdma/target/test-classes'" \
        --include-classname="'$pattern'" --exclude-package=io.declock.rdma.laboratory \
        --reports-dir=/lab/results/reports) || return
    results=$root/declock-rdma/target/laboratory/test
    rm -rf "$results" && mkdir -p "$results" "$reports"
    rm -f "$reports/TEST-rdma-laboratory.xml"
    lab_run "$results" "$deadline" "stty onlcr; cd '$root/declock-rdma'
set -o pipefail
($java) 2>&1 | tee /lab/results/output.txt" || status=$?
    if [[ ! -f $results/reports/TEST-junit-jupiter.xml ]]; then
        echo "lab: no report came out of the machine" >&2
        [[ $status != 0 ]] || status=71
        return "$status"
    fi
    cp "$results/reports/TEST-junit-jupiter.xml" "$reports/TEST-rdma-laboratory.xml"
    return "$status"
}

# Runs the scenarios of two machines whose names match $2, from this side of the machines.
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
