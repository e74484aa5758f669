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

/** The functions of {@code libibverbs.so.1} that are used, under their C names. Each has a manual page. Thread-safe. */
final class LibIbverbs {
    final Function ibv_get_device_name;
    final Function ibv_query_device;
    final Function ibv_query_port;
    final Function ibv_alloc_pd;
    final Function ibv_dealloc_pd;
    final Function ibv_reg_mr;
    final Function ibv_dereg_mr;
    final Function ibv_create_comp_channel;
    final Function ibv_destroy_comp_channel;
    final Function ibv_create_cq;
    final Function ibv_destroy_cq;
    final Function ibv_get_cq_event;
    final Function ibv_ack_cq_events;
    final Function ibv_query_qp;
    final Function ibv_modify_qp;

    LibIbverbs(NativeLibrary library) throws IOException {
        ibv_get_device_name = library.bindPointer("ibv_get_device_name", ADDRESS);
        ibv_query_device = library.bindInt("ibv_query_device", ADDRESS, ADDRESS);
        ibv_query_port = library.bindInt("ibv_query_port", ADDRESS, JAVA_BYTE, ADDRESS);
        ibv_alloc_pd = library.bindPointer("ibv_alloc_pd", ADDRESS);
        ibv_dealloc_pd = library.bindInt("ibv_dealloc_pd", ADDRESS);
        ibv_reg_mr = library.bindPointer("ibv_reg_mr", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
        ibv_dereg_mr = library.bindInt("ibv_dereg_mr", ADDRESS);
        ibv_create_comp_channel = library.bindPointer("ibv_create_comp_channel", ADDRESS);
        ibv_destroy_comp_channel = library.bindInt("ibv_destroy_comp_channel", ADDRESS);
        ibv_create_cq = library.bindPointer("ibv_create_cq", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
        ibv_destroy_cq = library.bindInt("ibv_destroy_cq", ADDRESS);
        ibv_get_cq_event = library.bindInt("ibv_get_cq_event", ADDRESS, ADDRESS, ADDRESS);
        ibv_ack_cq_events = library.bind("ibv_ack_cq_events", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT));
        ibv_query_qp = library.bindInt("ibv_query_qp", ADDRESS, ADDRESS, JAVA_INT, ADDRESS);
        ibv_modify_qp = library.bindInt("ibv_modify_qp", ADDRESS, ADDRESS, JAVA_INT);
    }

    static LibIbverbs load() throws IOException {
        return new LibIbverbs(NativeLibrary.load("libibverbs.so.1"));
    }
}
