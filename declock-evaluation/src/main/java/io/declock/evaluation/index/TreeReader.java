// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** One client's lookups and scans of a tree, without locks. Not thread-safe. */
final class TreeReader {
    private final TreeMemory memory;
    private final Descent descent;
    private final TreeObserver observer;

    TreeReader(TreeMemory memory, Descent descent, TreeObserver observer) {
        this.memory = memory;
        this.descent = descent;
        this.observer = observer;
    }

    /**
     * Looks a key up.
     *
     * @param then gets its value, null if it has none
     */
    void lookUp(long key, Consumer<@Nullable Long> then) {
        long begun = memory.world().now();
        descent.find(
                key,
                0,
                node -> lookUp(node, key, value -> {
                    observer.found(key, value, begun, memory.world().now());
                    then.accept(value);
                }));
    }

    private void lookUp(int node, long key, Consumer<@Nullable Long> then) {
        memory.readLeaf(node, leaf -> {
            if (key >= leaf.high()) {
                descent.wentAside();
                lookUp(leaf.sibling(), key, then);
                return;
            }
            int slot = leaf.find(key);
            if (slot != Leaf.NONE) {
                then.accept(leaf.value(slot));
            } else if (leaf.isIntact()) {
                then.accept(null);
            } else {
                // The entry that is being written may be the key's.
                lookUp(node, key, then);
            }
        });
    }

    /**
     * Counts entries from a key on, leaf by leaf.
     *
     * @param most number of entries after which it ends
     * @param then gets the number of entries
     */
    void scan(long from, int most, IntConsumer then) {
        long begun = memory.world().now();
        descent.find(from, 0, node -> scan(node, new Scan(from, most, 0, begun), then));
    }

    /**
     * A scan under way.
     *
     * @param from where it goes on
     * @param most entries that it still looks for
     * @param found entries that it has
     */
    private record Scan(long from, int most, int found, long begun) {}

    private void scan(int node, Scan scan, IntConsumer then) {
        memory.readLeaf(node, leaf -> {
            if (!leaf.isIntact()) {
                scan(node, scan, then);
                return;
            }
            if (scan.from() >= leaf.high()) {
                scan(leaf.sibling(), scan, then);
                return;
            }
            SortedMap<Long, Long> entries = leaf.entries().tailMap(scan.from());
            observer.scanned(
                    scan.from(),
                    leaf.high(),
                    entries,
                    scan.begun(),
                    memory.world().now());
            int found = scan.found() + entries.size();
            if (found >= scan.most() || leaf.sibling() == TreeLayout.NONE) {
                then.accept(Math.min(found, scan.most()));
            } else {
                scan(leaf.sibling(), new Scan(leaf.high(), scan.most(), found, scan.begun()), then);
            }
        });
    }
}
