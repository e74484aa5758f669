// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates made by the JDK's keytool. */
public final class TestCertificates {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private TestCertificates() {}

    /** Makes a key pair for a host, or address if it begins with a digit, in a new key store {@code alias.p12} in the folder. */
    public static KeyStore create(Path folder, String alias, String host) throws Exception {
        Path file = folder.resolve(alias + ".p12");
        String san = (Character.isDigit(host.charAt(0)) ? "ip:" : "dns:") + host;
        ProcessBuilder keytool = new ProcessBuilder(
                Commands.program("keytool"),
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
                file.toString());
        ChildProcess.Finished made = ChildProcess.run(keytool, PATIENCE);
        if (made.status() != 0) {
            throw new IllegalStateException("keytool failed: " + made.text());
        }
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

    /** Returns the certificate of a store as PEM. */
    public static String certificatePem(KeyStore store, String alias) throws Exception {
        return pem("CERTIFICATE", store.getCertificate(alias).getEncoded());
    }

    /** Returns the private key of a store as PEM. */
    public static String keyPem(KeyStore store, String alias) throws Exception {
        return pem("PRIVATE KEY", store.getKey(alias, PASSWORD).getEncoded());
    }

    private static String pem(String what, byte[] content) {
        String text = Base64.getMimeEncoder().encodeToString(content);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
