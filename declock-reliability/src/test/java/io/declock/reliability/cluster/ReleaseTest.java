// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.tcp.wire.Wire;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The former releases that are kept are those that this release promises to work with, and what is kept of them is what was built. */
class ReleaseTest {
    /** Fails where a new version of the protocol was made and no release of the one before was kept. CONTRIBUTING.md says how to keep it. */
    @Test
    void oneReleaseIsKeptOfEachFormerVersionThatThisReleaseSpeaks() {
        List<Integer> spoken =
                IntStream.range(Wire.OLDEST_VERSION, Wire.VERSION).boxed().toList();
        assertThat(Release.former()).extracting(Release::wireVersion).isEqualTo(spoken);
    }

    static List<Release> former() {
        return Release.former();
    }

    @ParameterizedTest
    @MethodSource("former")
    void aKeptJarIsTheOneThatWasBuilt(Release release) throws Exception {
        assertThat(release.isUnchanged()).isTrue();
        assertThat(release.number("VERSION")).isEqualTo(release.wireVersion());
    }

    @ParameterizedTest
    @MethodSource("former")
    void aProgramOfAFormerReleaseLoadsNothingOfThePresentCore(Release release) {
        assertThat(release.classPath()).contains(release.core()).doesNotContain(Release.PRESENT.core());
        assertThat(Release.PRESENT.classPath()).contains(Release.PRESENT.core()).doesNotContain(release.core());
    }
}
