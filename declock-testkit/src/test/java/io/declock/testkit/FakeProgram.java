// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A jar with this class alone can be unpacked as an executable jar of Spring Boot is. Started otherwise, it writes what it was started with
 * into the file that its first argument names, and ends with the status that its second one says.
 */
final class FakeProgram {
    private FakeProgram() {}

    public static void main(String... arguments) throws IOException, URISyntaxException {
        if ("tools".equals(System.getProperty("jarmode"))) {
            Path own = Path.of(FakeProgram.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path directory = Files.createDirectory(Path.of(arguments[2]));
            Files.copy(own, directory.resolve(own.getFileName()));
            return;
        }
        Files.write(
                Path.of(arguments[0]),
                List.of(
                        "ends=" + System.getProperty("spring.context.exit"),
                        "home=" + System.getProperty("user.home"),
                        "temporary=" + System.getProperty("java.io.tmpdir"),
                        "given=" + System.getProperty("given"),
                        "own=" + System.getProperty("own")));
        System.exit(Integer.parseInt(arguments[1]));
    }
}
