// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import java.io.IOException;

/** The loaded libraries. Loading and binding takes a few hundred milliseconds, once. Thread-safe. */
record FfmLibraries(LibIbverbs verbs, LibRdmaCm cm, LibC libc, FfmContexts contexts) {
    static FfmLibraries load() throws IOException {
        LibC libc = LibC.load();
        return new FfmLibraries(LibIbverbs.load(), LibRdmaCm.load(), libc, new FfmContexts(libc));
    }
}
