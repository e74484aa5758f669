// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The directory in which the instances of one user keep their database and its password, unless these are configured: a directory in the
 * user's home that no other user can read.
 */
final class ShopHome implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {
    private static final String DATABASE = "shop.database";
    private static final String PASSWORD = "spring.datasource.password";
    private static final int PASSWORD_BYTES = 24;

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        Map<String, Object> missing = new LinkedHashMap<>();
        Path home = Path.of(System.getProperty("user.home"), ".declock-shop");
        try {
            if (!environment.containsProperty(DATABASE)) {
                missing.put(DATABASE, create(home).resolve("shop").toString());
            }
            if (!environment.containsProperty(PASSWORD)) {
                missing.put(PASSWORD, password(create(home).resolve("password")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The shop cannot keep its database in " + home
                            + ": set shop.database and spring.datasource.password",
                    e);
        }
        environment.getPropertySources().addLast(new MapPropertySource("shopHome", missing));
    }

    private static Path create(Path home) throws IOException {
        try {
            Files.createDirectory(home, permissions(home, "rwx------"));
        } catch (FileAlreadyExistsException e) {
            // An earlier start made it.
        }
        return home;
    }

    private static FileAttribute<?>[] permissions(Path where, String permissions) {
        return where.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Reads the password, or makes it. It is written to a draft file first, so that an instance that starts at the same moment does not
     * read half a password.
     */
    private static String password(Path file) throws IOException {
        if (!Files.exists(file)) {
            byte[] bytes = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(bytes);
            Path draft = Files.createTempFile(file.getParent(), "password", ".tmp", permissions(file, "rw-------"));
            try {
                Files.writeString(draft, HexFormat.of().formatHex(bytes), StandardCharsets.US_ASCII);
                Files.createLink(file, draft);
            } catch (FileAlreadyExistsException e) {
                // Another instance was faster.
            } finally {
                Files.delete(draft);
            }
        }
        return Files.readString(file, StandardCharsets.US_ASCII).strip();
    }
}
