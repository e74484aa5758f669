// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.TlsMaterial;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;

/**
 * The TLS context of an SSL bundle, made anew when the bundle was: with {@code reload-on-update} its registry has another one after the
 * files have changed. New connections use that; those that stand go on. Thread-safe.
 */
final class ReloadedTls implements Supplier<SSLContext> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedTls.class);

    private final Supplier<@Nullable SslBundle> bundles;
    private volatile Made made;

    private record Made(SslBundle bundle, SSLContext context) {}

    private ReloadedTls(Supplier<@Nullable SslBundle> bundles, SslBundle first) {
        this.bundles = bundles;
        this.made = new Made(first, first.createSslContext());
    }

    /**
     * Returns TLS as the bundle that is configured asks for it, null if none is.
     *
     * @param client whether it is for connecting, and not for accepting
     */
    static @Nullable TlsMaterial of(DecLockConnectionDetails details, boolean client) {
        SslBundle bundle = details.getSslBundle();
        return bundle == null
                ? null
                : new TlsMaterial(
                        new ReloadedTls(details::getSslBundle, bundle), TcpFabricFactory.parameters(bundle, client));
    }

    @Override
    public SSLContext get() {
        Made last = made;
        try {
            SslBundle now = bundles.get();
            if (now != null && now != last.bundle) {
                last = new Made(now, now.createSslContext());
                made = last;
                LOG.info("New connections use the SSL bundle as it is now");
            }
        } catch (RuntimeException e) {
            // Better the old certificate, which may still be valid, than none.
            LOG.warn("The SSL bundle cannot be used as it is now; new connections go on with the one before", e);
        }
        return last.context;
    }
}
