// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's objects ask for a provider when they are made. Tests that make some with nothing behind them must run on computers without the
 * RDMA libraries as well: there a provider that has nothing stands in.
 */
public final class DisniProvider {
    private DisniProvider() {}

    /** Sees to it that there is one. */
    public static void ensure() throws IOException {
        try {
            Providers.provider("ffm");
        } catch (IOException noLibraries) {
            Providers.install(new Nothing());
        }
    }

    private static final class Nothing extends RdmaProvider {
        @Override
        public @Nullable RdmaCm openCm() {
            return null;
        }

        @Override
        public @Nullable RdmaVerbs openVerbs() {
            return null;
        }

        @Override
        public int getVersion() {
            return 0;
        }
    }
}
