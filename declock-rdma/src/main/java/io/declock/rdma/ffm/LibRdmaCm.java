// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.declock.rdma.ffm.NativeLibrary.Function;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;

/** The functions of {@code librdmacm.so.1} that are used, under their C names. Each has a manual page. Thread-safe. */
final class LibRdmaCm {
    final Function rdma_create_event_channel;
    final Function rdma_destroy_event_channel;
    final Function rdma_create_id;
    final Function rdma_destroy_id;
    final Function rdma_set_option;
    final Function rdma_bind_addr;
    final Function rdma_listen;
    final Function rdma_resolve_addr;
    final Function rdma_resolve_route;
    final Function rdma_create_qp;
    final Function rdma_destroy_qp;
    final Function rdma_connect;
    final Function rdma_accept;
    final Function rdma_reject;
    final Function rdma_disconnect;
    final Function rdma_get_cm_event;
    final Function rdma_ack_cm_event;

    LibRdmaCm(NativeLibrary library) throws IOException {
        rdma_create_event_channel = library.bindPointer("rdma_create_event_channel");
        rdma_destroy_event_channel = library.bind("rdma_destroy_event_channel", FunctionDescriptor.ofVoid(ADDRESS));
        rdma_create_id = library.bindInt("rdma_create_id", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
        rdma_destroy_id = library.bindInt("rdma_destroy_id", ADDRESS);
        rdma_set_option = library.bindInt("rdma_set_option", ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG);
        rdma_bind_addr = library.bindInt("rdma_bind_addr", ADDRESS, ADDRESS);
        rdma_listen = library.bindInt("rdma_listen", ADDRESS, JAVA_INT);
        rdma_resolve_addr = library.bindInt("rdma_resolve_addr", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
        rdma_resolve_route = library.bindInt("rdma_resolve_route", ADDRESS, JAVA_INT);
        rdma_create_qp = library.bindInt("rdma_create_qp", ADDRESS, ADDRESS, ADDRESS);
        rdma_destroy_qp = library.bind("rdma_destroy_qp", FunctionDescriptor.ofVoid(ADDRESS));
        rdma_connect = library.bindInt("rdma_connect", ADDRESS, ADDRESS);
        rdma_accept = library.bindInt("rdma_accept", ADDRESS, ADDRESS);
        rdma_reject = library.bindInt("rdma_reject", ADDRESS, ADDRESS, JAVA_BYTE);
        rdma_disconnect = library.bindInt("rdma_disconnect", ADDRESS);
        rdma_get_cm_event = library.bindInt("rdma_get_cm_event", ADDRESS, ADDRESS);
        rdma_ack_cm_event = library.bindInt("rdma_ack_cm_event", ADDRESS);
    }

    static LibRdmaCm load() throws IOException {
        return new LibRdmaCm(NativeLibrary.load("librdmacm.so.1"));
    }
}
