// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;

/** DiSNI's provider on the loaded libraries. Thread-safe. */
final class FfmProvider extends RdmaProvider {
    /** The version of DiSNI's native interface that this provider replaces. */
    private static final int VERSION = 41;

    private final FfmCm cm;
    private final FfmVerbs verbs;

    FfmProvider(FfmLibraries libraries) {
        this.cm = new FfmCm(libraries);
        this.verbs = new FfmVerbs(libraries);
    }

    FfmCm cm() {
        return cm;
    }

    FfmVerbs verbs() {
        return verbs;
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }
}
