// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.rdma.DisniProvider;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long an opened device is known, and what becomes of its files, with a struct of the test's own and real descriptors. */
class FfmContextsTest {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment struct = arena.allocate(Layouts.IBV_CONTEXT);
    private LibC libc;
    private FfmContexts contexts;
    private int commands;
    private int events;

    @BeforeEach
    void open() throws Exception {
        DisniProvider.ensure();
        libc = LibC.load();
        contexts = new FfmContexts(libc);
        commands = libc.eventfd();
        events = libc.eventfd();
        for (String function : new String[] {"poll_cq", "req_notify_cq", "post_send", "post_recv"}) {
            put(function, 1);
        }
        struct.set(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "cmd_fd"), commands);
        struct.set(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "async_fd"), events);
        struct.set(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "num_comp_vectors"), 1);
    }

    @AfterEach
    void close() throws Exception {
        libc.close(commands);
        libc.close(events);
        arena.close();
    }

    private void put(String function, long address) {
        struct.set(ADDRESS, Layouts.offset(Layouts.IBV_CONTEXT, function), MemorySegment.ofAddress(address));
    }

    @Test
    void aContextIsTheSameAsLongAsItIsUsed() throws Exception {
        FfmContext context = contexts.of(struct);
        contexts.use(context);
        contexts.use(contexts.of(struct));
        contexts.forget(context);
        assertThat(contexts.of(struct)).isSameAs(context);
        // The struct is not read again while its context is in use.
        put("poll_cq", 0);
        assertThat(contexts.of(struct)).isSameAs(context);
    }

    @Test
    void anAddressThatComesAgainIsLookedAtAnew() throws Exception {
        FfmContext context = contexts.of(struct);
        contexts.use(context);
        contexts.forget(context);
        assertThat(contexts.of(struct)).isNotSameAs(context);
        contexts.use(contexts.of(struct));
        contexts.forget(contexts.of(struct));
        put("poll_cq", 0);
        assertThatThrownBy(() -> contexts.of(struct))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ops.poll_cq");
    }

    @Test
    void theFilesOfARemovedDeviceAreClosedWhenNobodyUsesIt() throws Exception {
        FfmContext context = contexts.of(struct);
        contexts.use(context);
        contexts.use(context);
        contexts.removed(context);
        contexts.forget(context);
        libc.raise(commands);
        assertThat(libc.lower(commands)).as("one still uses it").isTrue();

        contexts.forget(context);
        for (int descriptor : new int[] {commands, events}) {
            assertThat(libc.isDevNull(descriptor)).isTrue();
            assertThat(libc.isOpen(descriptor)).as("librdmacm will close it").isTrue();
            assertThatThrownBy(() -> libc.raise(descriptor)).hasMessageContaining("errno 9");
        }
        assertThatThrownBy(() -> contexts.of(struct))
                .isInstanceOf(IOException.class)
                .hasMessage("the RDMA device was removed");
    }

    @Test
    void thoseOfADeviceThatIsThereStayOpen() throws Exception {
        FfmContext context = contexts.of(struct);
        contexts.use(context);
        contexts.forget(context);
        libc.raise(commands);
        libc.raise(events);
        assertThat(libc.lower(commands)).isTrue();
        assertThat(libc.lower(events)).isTrue();
    }

    /** A listener has an id on the device, and nothing else. */
    @Test
    void aDeviceThatNobodyUsesIsClosedAtOnce() throws Exception {
        contexts.removed(contexts.of(struct));
        assertThat(libc.isDevNull(commands)).isTrue();
    }
}
