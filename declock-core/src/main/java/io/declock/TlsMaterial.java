// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one side. It always has a context, so parameters that demand a client certificate cannot exist without TLS.
 *
 * @param context called for each new connection, by the event loop that opens it: it must be thread-safe and quick, and must not return
 *     null. If it returns another context, new connections use the new certificates while open connections keep theirs.
 * @param parameters parameters of the connections; null for the context's defaults
 */
public record TlsMaterial(
        Supplier<SSLContext> context, @Nullable SSLParameters parameters) {
    /**
     * {@return TLS with one fixed context, or null without a context}
     *
     * @param context the context, or null
     * @param parameters refines it, or null
     * @throws IllegalArgumentException if there are parameters but no context: that would serve plain text although TLS was asked for
     */
    public static @Nullable TlsMaterial of(@Nullable SSLContext context, @Nullable SSLParameters parameters) {
        if (context != null) {
            return new TlsMaterial(() -> context, parameters);
        }
        if (parameters != null) {
            throw new IllegalArgumentException(
                    (parameters.getNeedClientAuth() ? "client certificates are demanded" : "TLS parameters are set")
                            + ", but there is no TLS context: name the certificate and key to use, or demand none");
        }
        return null;
    }
}
