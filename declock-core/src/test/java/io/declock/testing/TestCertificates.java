// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates made by the JDK's keytool. */
public final class TestCertificates {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private TestCertificates() {}

    /** Makes a key pair for a host, or address if it begins with a digit, in a new key store in the folder. */
    public static KeyStore create(Path folder, String alias, String host) throws Exception {
        Path file = folder.resolve(alias + ".p12");
        String san = (Character.isDigit(host.charAt(0)) ? "ip:" : "dns:") + host;
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        alias,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + alias,
                        "-ext",
                        "san=" + san,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(alias + ".log").toFile())
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    /** Returns a context that shows the key of one store and trusts the certificates of others. */
    public static SSLContext context(KeyStore own, KeyStore... trusted) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, PASSWORD);
        for (KeyStore store : trusted) {
            String alias = store.aliases().nextElement();
            trust.setCertificateEntry(alias, store.getCertificate(alias));
        }
        TrustManagerFactory trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusts.init(trust);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusts.getTrustManagers(), null);
        return context;
    }
}
