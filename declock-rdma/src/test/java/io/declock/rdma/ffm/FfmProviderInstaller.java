// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import io.declock.rdma.Providers;
import java.io.IOException;

/** DiSNI's objects ask for a provider when they are made. */
final class FfmProviderInstaller {
    private FfmProviderInstaller() {}

    static void ensure() throws IOException {
        Providers.provider("ffm");
    }
}
