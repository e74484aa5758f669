// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other machines, and other users of this machine, reach nothing of a shop that was started without any setting but its page. */
@Tag("slow")
class ExposureTest {
    @TempDir
    Path home;

    private ShopProcess shop;

    @BeforeEach
    void start() throws Exception {
        shop = ShopProcess.start(home);
    }

    @AfterEach
    void stop() throws InterruptedException {
        shop.close();
    }

    @Test
    void onlyItsOwnUserOnThisMachineReachesIt() throws Exception {
        InetSocketAddress database = databaseServer();
        for (int port : List.of(shop.port(), database.getPort())) {
            connect("127.0.0.1", port);
            // A program that listens on every interface answers here, too.
            assertThatThrownBy(() -> connect("127.0.0.2", port))
                    .as("port %d", port)
                    .isInstanceOf(ConnectException.class);
        }
        Path own = home.resolve(".declock-shop");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.resolve("password"))))
                .isEqualTo("rw-------");
        String url = "jdbc:h2:file:" + own.resolve("shop") + ";AUTO_SERVER=TRUE;IFEXISTS=TRUE";
        assertThatThrownBy(() -> DriverManager.getConnection(url, "sa", "").close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Wrong user name or password");
        String password = Files.readString(own.resolve("password")).strip();
        assertThat(password).hasSizeGreaterThan(40);
        DriverManager.getConnection(url, "sa", password).close();
    }

    /** H2 tells other processes of the same user where the one that opened the file serves it. */
    private InetSocketAddress databaseServer() throws IOException {
        Properties told = new Properties();
        try (var lock = Files.newInputStream(home.resolve(".declock-shop/shop.lock.db"))) {
            told.load(lock);
        }
        String server = told.getProperty("server");
        return InetSocketAddress.createUnresolved(
                "127.0.0.1", Integer.parseInt(server.substring(server.lastIndexOf(':') + 1)));
    }

    private static void connect(String host, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), 2_000);
        }
    }
}
