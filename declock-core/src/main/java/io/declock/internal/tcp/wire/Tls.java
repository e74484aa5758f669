// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.TlsMaterial;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Adds TLS to a connection. */
public final class Tls {
    private static final String VERIFY_HOST = "HTTPS";

    private Tls() {}

    /** Adds TLS of the accepting side. Does nothing without TLS. */
    public static void addServer(ChannelPipeline pipeline, @Nullable TlsMaterial tls) {
        if (tls != null) {
            SSLEngine engine = tls.context().get().createSSLEngine();
            engine.setUseClientMode(false);
            SSLParameters parameters = tls.parameters();
            if (parameters != null) {
                engine.setSSLParameters(parameters);
            }
            pipeline.addLast(new SslHandler(engine));
        }
    }

    /**
     * Adds TLS of the connecting side. Does nothing without TLS.
     *
     * @param tls TLS to use; without parameters of its own the defaults apply, and the certificate must be for the host
     * @param verifyHost if false, the certificate need not be for the host, whatever the parameters say
     */
    public static void addClient(
            ChannelPipeline pipeline, @Nullable TlsMaterial tls, boolean verifyHost, String host, int port) {
        if (tls != null) {
            SSLEngine engine = tls.context().get().createSSLEngine(host, port);
            engine.setUseClientMode(true);
            SSLParameters parameters = tls.parameters();
            if (parameters != null) {
                engine.setSSLParameters(parameters);
            }
            // A copy of the parameters just set, because the given object is shared.
            SSLParameters used = engine.getSSLParameters();
            if (!verifyHost) {
                used.setEndpointIdentificationAlgorithm(null);
            } else if (parameters == null) {
                used.setEndpointIdentificationAlgorithm(VERIFY_HOST);
            }
            engine.setSSLParameters(used);
            pipeline.addLast(new SslHandler(engine));
        }
    }
}
