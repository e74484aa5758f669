// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shop that is killed takes no accepted order with it, also if it is the instance that has the database's file open. */
@Tag("slow")
class KilledShopTest {
    private static final int ORDERS = 20;

    @TempDir
    Path home;

    @Test
    void acceptedOrdersAreInTheDatabase() throws Exception {
        try (ShopProcess shop = ShopProcess.start(home)) {
            for (int i = 0; i < ORDERS; i++) {
                assertThat(order(shop.port())).isEqualTo(201);
            }
            shop.kill();
        }
        assertThat(lampsLeft()).isEqualTo(1_000 - ORDERS);
    }

    private static int order(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"product\":\"lamp\",\"quantity\":1}"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private int lampsLeft() throws Exception {
        Path own = home.resolve(".declock-shop");
        String password = Files.readString(own.resolve("password")).strip();
        try (var connection = DriverManager.getConnection("jdbc:h2:file:" + own.resolve("shop"), "sa", password);
                var statement = connection.createStatement();
                var row = statement.executeQuery("select stock from product where id = 'lamp'")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }
}
