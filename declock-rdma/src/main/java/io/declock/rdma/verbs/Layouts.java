// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/**
 * The structs of {@code infiniband/verbs.h} and {@code rdma/rdma_cma.h} in the layout of 64-bit Linux, field by field, with their
 * C names. Programs compile these layouts in, so they are as fixed as the libraries' {@code so.1}. In structs that only the libraries
 * allocate, the fields after the last one used here are left out.
 */
public final class Layouts {
    /** {@code struct ibv_sge}, see ibv_post_send(3). */
    public static final StructLayout IBV_SGE =
            structLayout(JAVA_LONG.withName("addr"), JAVA_INT.withName("length"), JAVA_INT.withName("lkey"));

    /**
     * {@code struct ibv_send_wr} with its union {@code wr} as {@code wr.atomic}; {@code wr.rdma} has {@code remote_addr} at the same
     * offset and its key in {@code rdma_rkey}, which is the first half of {@code compare_add}.
     */
    public static final StructLayout IBV_SEND_WR = structLayout(
            JAVA_LONG.withName("wr_id"),
            ADDRESS.withName("next"),
            ADDRESS.withName("sg_list"),
            JAVA_INT.withName("num_sge"),
            JAVA_INT.withName("opcode"),
            JAVA_INT.withName("send_flags"),
            JAVA_INT.withName("imm_data"),
            JAVA_LONG.withName("remote_addr"),
            JAVA_LONG.withName("compare_add"),
            JAVA_LONG.withName("swap"),
            JAVA_INT.withName("rkey"),
            paddingLayout(60));

    /** {@code struct ibv_recv_wr}, see ibv_post_recv(3). */
    public static final StructLayout IBV_RECV_WR = structLayout(
            JAVA_LONG.withName("wr_id"),
            ADDRESS.withName("next"),
            ADDRESS.withName("sg_list"),
            JAVA_INT.withName("num_sge"),
            paddingLayout(4));

    /** {@code struct ibv_wc}, see ibv_poll_cq(3). */
    public static final StructLayout IBV_WC = structLayout(
            JAVA_LONG.withName("wr_id"),
            JAVA_INT.withName("status"),
            JAVA_INT.withName("opcode"),
            JAVA_INT.withName("vendor_err"),
            JAVA_INT.withName("byte_len"),
            JAVA_INT.withName("imm_data"),
            JAVA_INT.withName("qp_num"),
            JAVA_INT.withName("src_qp"),
            JAVA_INT.withName("wc_flags"),
            paddingLayout(8));

    /** {@code struct ibv_qp_init_attr}, see ibv_create_qp(3); {@code cap} is written out. */
    public static final StructLayout IBV_QP_INIT_ATTR = structLayout(
            ADDRESS.withName("qp_context"),
            ADDRESS.withName("send_cq"),
            ADDRESS.withName("recv_cq"),
            ADDRESS.withName("srq"),
            JAVA_INT.withName("max_send_wr"),
            JAVA_INT.withName("max_recv_wr"),
            JAVA_INT.withName("max_send_sge"),
            JAVA_INT.withName("max_recv_sge"),
            JAVA_INT.withName("max_inline_data"),
            JAVA_INT.withName("qp_type"),
            JAVA_INT.withName("sq_sig_all"),
            paddingLayout(4));

    /** {@code struct ibv_qp_attr}, see ibv_query_qp(3). */
    public static final StructLayout IBV_QP_ATTR = structLayout(
            JAVA_INT.withName("qp_state"),
            JAVA_INT.withName("cur_qp_state"),
            JAVA_INT.withName("path_mtu"),
            JAVA_INT.withName("path_mig_state"),
            JAVA_INT.withName("qkey"),
            JAVA_INT.withName("rq_psn"),
            JAVA_INT.withName("sq_psn"),
            JAVA_INT.withName("dest_qp_num"),
            JAVA_INT.withName("qp_access_flags"),
            paddingLayout(
                    90), // cap, ah_attr, alt_ah_attr, pkey_index, alt_pkey_index, en_sqd_async_notify, sq_draining
            JAVA_BYTE.withName("max_rd_atomic"),
            JAVA_BYTE.withName("max_dest_rd_atomic"),
            JAVA_BYTE.withName("min_rnr_timer"),
            JAVA_BYTE.withName("port_num"),
            JAVA_BYTE.withName("timeout"),
            JAVA_BYTE.withName("retry_cnt"),
            JAVA_BYTE.withName("rnr_retry"),
            paddingLayout(11));

    /** {@code struct ibv_device_attr} up to {@code atomic_cap}, with room for the rest, see ibv_query_device(3). */
    public static final StructLayout IBV_DEVICE_ATTR = structLayout(
            paddingLayout(80), // fw_ver, node_guid, sys_image_guid
            JAVA_LONG.withName("max_mr_size"),
            paddingLayout(20), // page_size_cap, vendor_id, vendor_part_id, hw_ver
            JAVA_INT.withName("max_qp"),
            JAVA_INT.withName("max_qp_wr"),
            JAVA_INT.withName("device_cap_flags"),
            JAVA_INT.withName("max_sge"),
            JAVA_INT.withName("max_sge_rd"),
            JAVA_INT.withName("max_cq"),
            JAVA_INT.withName("max_cqe"),
            JAVA_INT.withName("max_mr"),
            JAVA_INT.withName("max_pd"),
            JAVA_INT.withName("max_qp_rd_atom"),
            JAVA_INT.withName("max_ee_rd_atom"),
            JAVA_INT.withName("max_res_rd_atom"),
            JAVA_INT.withName("max_qp_init_rd_atom"),
            JAVA_INT.withName("max_ee_init_rd_atom"),
            JAVA_INT.withName("atomic_cap"),
            paddingLayout(64));

    /** {@code struct ibv_port_attr} up to {@code gid_tbl_len}, with room for the rest, see ibv_query_port(3). */
    public static final StructLayout IBV_PORT_ATTR = structLayout(
            JAVA_INT.withName("state"),
            JAVA_INT.withName("max_mtu"),
            JAVA_INT.withName("active_mtu"),
            JAVA_INT.withName("gid_tbl_len"),
            paddingLayout(48));

    /** {@code struct ibv_mr}, see ibv_reg_mr(3). */
    public static final StructLayout IBV_MR = structLayout(
            ADDRESS.withName("context"),
            ADDRESS.withName("pd"),
            ADDRESS.withName("addr"),
            JAVA_LONG.withName("length"),
            JAVA_INT.withName("handle"),
            JAVA_INT.withName("lkey"),
            JAVA_INT.withName("rkey"),
            paddingLayout(4));

    /** {@code struct ibv_pd}. */
    public static final StructLayout IBV_PD =
            structLayout(ADDRESS.withName("context"), JAVA_INT.withName("handle"), paddingLayout(4));

    /** {@code struct ibv_comp_channel}, see ibv_create_comp_channel(3). */
    public static final StructLayout IBV_COMP_CHANNEL =
            structLayout(ADDRESS.withName("context"), JAVA_INT.withName("fd"), JAVA_INT.withName("refcnt"));

    /** The beginning of {@code struct ibv_cq}, see ibv_create_cq(3). */
    public static final StructLayout IBV_CQ = structLayout(
            ADDRESS.withName("context"),
            ADDRESS.withName("channel"),
            ADDRESS.withName("cq_context"),
            JAVA_INT.withName("handle"),
            JAVA_INT.withName("cqe"));

    /** The beginning of {@code struct ibv_qp}, see ibv_create_qp(3). */
    public static final StructLayout IBV_QP = structLayout(
            ADDRESS.withName("context"),
            ADDRESS.withName("qp_context"),
            ADDRESS.withName("pd"),
            ADDRESS.withName("send_cq"),
            ADDRESS.withName("recv_cq"),
            ADDRESS.withName("srq"),
            JAVA_INT.withName("handle"),
            JAVA_INT.withName("qp_num"),
            JAVA_INT.withName("state"),
            JAVA_INT.withName("qp_type"));

    /** The beginning of {@code struct ibv_context}; of its {@code ops} only the functions that verbs.h calls inline. */
    public static final StructLayout IBV_CONTEXT = structLayout(
            ADDRESS.withName("device"),
            paddingLayout(88), // ops begins here, at 8
            ADDRESS.withName("poll_cq"),
            ADDRESS.withName("req_notify_cq"),
            paddingLayout(96),
            ADDRESS.withName("post_send"),
            ADDRESS.withName("post_recv"),
            paddingLayout(40),
            JAVA_INT.withName("cmd_fd"),
            JAVA_INT.withName("async_fd"),
            JAVA_INT.withName("num_comp_vectors"),
            paddingLayout(4));

    /** {@code struct rdma_event_channel}, see rdma_create_event_channel(3). */
    public static final StructLayout RDMA_EVENT_CHANNEL = structLayout(JAVA_INT.withName("fd"));

    /** The beginning of {@code struct rdma_cm_id}, see rdma_create_id(3). */
    public static final StructLayout RDMA_CM_ID = structLayout(
            ADDRESS.withName("verbs"),
            ADDRESS.withName("channel"),
            ADDRESS.withName("context"),
            ADDRESS.withName("qp"),
            MemoryLayout.sequenceLayout(128, JAVA_BYTE).withName("src_addr"),
            MemoryLayout.sequenceLayout(128, JAVA_BYTE).withName("dst_addr"),
            paddingLayout(56), // the rest of struct rdma_route
            JAVA_INT.withName("ps"),
            JAVA_BYTE.withName("port_num"),
            paddingLayout(3));

    /** {@code struct rdma_conn_param}, see rdma_connect(3). */
    public static final StructLayout RDMA_CONN_PARAM = structLayout(
            ADDRESS.withName("private_data"),
            JAVA_BYTE.withName("private_data_len"),
            JAVA_BYTE.withName("responder_resources"),
            JAVA_BYTE.withName("initiator_depth"),
            JAVA_BYTE.withName("flow_control"),
            JAVA_BYTE.withName("retry_count"),
            JAVA_BYTE.withName("rnr_retry_count"),
            JAVA_BYTE.withName("srq"),
            paddingLayout(1),
            JAVA_INT.withName("qp_num"),
            paddingLayout(4));

    /** {@code struct rdma_cm_event} with {@code param.conn}, see rdma_get_cm_event(3). */
    public static final StructLayout RDMA_CM_EVENT = structLayout(
            ADDRESS.withName("id"),
            ADDRESS.withName("listen_id"),
            JAVA_INT.withName("event"),
            JAVA_INT.withName("status"),
            ADDRESS.withName("private_data"),
            JAVA_BYTE.withName("private_data_len"),
            JAVA_BYTE.withName("responder_resources"),
            JAVA_BYTE.withName("initiator_depth"),
            JAVA_BYTE.withName("flow_control"),
            JAVA_BYTE.withName("retry_count"),
            JAVA_BYTE.withName("rnr_retry_count"),
            JAVA_BYTE.withName("srq"),
            paddingLayout(1),
            JAVA_INT.withName("qp_num"),
            paddingLayout(36));

    /** {@code struct sockaddr_in}, see ip(7). */
    public static final StructLayout SOCKADDR_IN = structLayout(
            JAVA_SHORT.withName("sin_family"),
            JAVA_SHORT.withName("sin_port"),
            MemoryLayout.sequenceLayout(4, JAVA_BYTE).withName("sin_addr"),
            paddingLayout(8));

    /** {@code struct sockaddr_in6}, see ipv6(7). */
    public static final StructLayout SOCKADDR_IN6 = structLayout(
            JAVA_SHORT.withName("sin6_family"),
            JAVA_SHORT.withName("sin6_port"),
            JAVA_INT.withName("sin6_flowinfo"),
            MemoryLayout.sequenceLayout(16, JAVA_BYTE).withName("sin6_addr"),
            JAVA_INT.withName("sin6_scope_id"));

    /** {@code struct pollfd}, see poll(2). */
    public static final StructLayout POLLFD =
            structLayout(JAVA_INT.withName("fd"), JAVA_SHORT.withName("events"), JAVA_SHORT.withName("revents"));

    private Layouts() {}

    /** Returns the offset of a field in bytes. */
    public static long offset(StructLayout struct, String field) {
        return struct.byteOffset(PathElement.groupElement(field));
    }
}
