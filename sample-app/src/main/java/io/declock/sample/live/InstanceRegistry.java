// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Stores the instances' snapshots for each other, in a table of the database they share. Thread-safe. */
@Component
class InstanceRegistry {
    private static final long GONE_AFTER_MILLIS = 10_000;

    private final JdbcClient jdbc;
    private final JsonMapper json;

    InstanceRegistry(JdbcClient jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json;
    }

    /** Replaces the snapshot of one instance. */
    void publish(InstanceSnapshot snapshot) {
        String text = json.writeValueAsString(snapshot);
        int updated = jdbc.sql("update shop_instance set updated_at = ?, snapshot = ? where name = ?")
                .params(snapshot.at(), text, snapshot.name())
                .update();
        if (updated == 0) {
            jdbc.sql("insert into shop_instance (name, updated_at, snapshot) values (?, ?, ?)")
                    .params(snapshot.name(), snapshot.at(), text)
                    .update();
        }
    }

    /** Returns the latest snapshots of the instances that have published one recently, by name. */
    List<InstanceSnapshot> instances() {
        return jdbc
                .sql("select snapshot from shop_instance where updated_at > ? order by name")
                .param(System.currentTimeMillis() - GONE_AFTER_MILLIS)
                .query(String.class)
                .list()
                .stream()
                .map(text -> json.readValue(text, InstanceSnapshot.class))
                .toList();
    }

    /** Removes the snapshot of an instance that ends. */
    void remove(String name) {
        jdbc.sql("delete from shop_instance where name = ?").param(name).update();
    }
}
