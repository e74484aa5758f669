// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one side. There is none without a context, so parameters that demand a client's certificate cannot be there without TLS.
 *
 * @param context asked for each new connection, by the event loop that opens it: it must be thread-safe, quick, and must not return null.
 *     One that returns another context lets new connections use new certificates while those that stand go on with theirs.
 * @param parameters refines it; null for the context's defaults
 */
public record TlsMaterial(
        Supplier<SSLContext> context, @Nullable SSLParameters parameters) {
    /**
     * Returns TLS with one context for good, or null without a context.
     *
     * @throws IllegalArgumentException if there are parameters and no context, which would mean to serve plain text where TLS was asked for
     */
    public static @Nullable TlsMaterial of(@Nullable SSLContext context, @Nullable SSLParameters parameters) {
        if (context != null) {
            return new TlsMaterial(() -> context, parameters);
        }
        if (parameters != null) {
            throw new IllegalArgumentException(
                    (parameters.getNeedClientAuth() ? "client certificates are demanded" : "TLS is refined")
                            + ", but there is no TLS context: name the certificate and key to use, or demand none");
        }
        return null;
    }
}
