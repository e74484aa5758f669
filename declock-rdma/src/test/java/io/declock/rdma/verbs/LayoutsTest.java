// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.StructLayout;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Offsets and sizes as gcc 12 compiled them from the headers of rdma-core 44 for x86-64 Linux. */
class LayoutsTest {
    static Stream<Arguments> sizes() {
        return Stream.of(
                Arguments.of(Layouts.IBV_SGE, 16),
                Arguments.of(Layouts.IBV_SEND_WR, 128),
                Arguments.of(Layouts.IBV_RECV_WR, 32),
                Arguments.of(Layouts.IBV_WC, 48),
                Arguments.of(Layouts.IBV_QP_INIT_ATTR, 64),
                Arguments.of(Layouts.IBV_QP_ATTR, 144),
                Arguments.of(Layouts.IBV_DEVICE_ATTR, 232),
                Arguments.of(Layouts.IBV_MR, 48),
                Arguments.of(Layouts.IBV_CONTEXT, 280),
                Arguments.of(Layouts.RDMA_CONN_PARAM, 24),
                Arguments.of(Layouts.RDMA_CM_EVENT, 80),
                Arguments.of(Layouts.SOCKADDR_IN, 16),
                Arguments.of(Layouts.SOCKADDR_IN6, 28),
                Arguments.of(Layouts.POLLFD, 8));
    }

    static Stream<Arguments> offsets() {
        return Stream.of(
                Arguments.of(
                        Layouts.IBV_SEND_WR,
                        "wr_id 0 next 8 sg_list 16 num_sge 24 opcode 28 send_flags 32"
                                + " imm_data 36 remote_addr 40 compare_add 48 swap 56 rkey 64"),
                Arguments.of(Layouts.IBV_RECV_WR, "wr_id 0 next 8 sg_list 16 num_sge 24"),
                Arguments.of(Layouts.IBV_SGE, "addr 0 length 8 lkey 12"),
                Arguments.of(Layouts.IBV_WC, "wr_id 0 status 8 opcode 12 vendor_err 16 byte_len 20 qp_num 28"),
                Arguments.of(
                        Layouts.IBV_QP_INIT_ATTR,
                        "send_cq 8 recv_cq 16 srq 24 max_send_wr 32 max_recv_wr 36"
                                + " max_send_sge 40 max_recv_sge 44 max_inline_data 48 qp_type 52 sq_sig_all 56"),
                Arguments.of(
                        Layouts.IBV_QP_ATTR,
                        "qp_state 0 qp_access_flags 32 max_rd_atomic 126"
                                + " max_dest_rd_atomic 127 min_rnr_timer 128 timeout 130 retry_cnt 131 rnr_retry 132"),
                Arguments.of(
                        Layouts.IBV_DEVICE_ATTR,
                        "max_mr_size 80 max_qp 108 max_qp_wr 112 max_cqe 132 max_pd 140"
                                + " max_qp_rd_atom 144 max_qp_init_rd_atom 156 atomic_cap 164"),
                Arguments.of(Layouts.IBV_PORT_ATTR, "state 0 max_mtu 4 active_mtu 8 gid_tbl_len 12"),
                Arguments.of(Layouts.IBV_MR, "context 0 pd 8 addr 16 length 24 handle 32 lkey 36 rkey 40"),
                Arguments.of(Layouts.IBV_QP, "pd 16 send_cq 24 recv_cq 32 handle 48 qp_num 52 state 56 qp_type 60"),
                Arguments.of(Layouts.IBV_CQ, "context 0 channel 8 cq_context 16 handle 24 cqe 28"),
                Arguments.of(
                        Layouts.IBV_CONTEXT,
                        "poll_cq 96 req_notify_cq 104 post_send 208 post_recv 216 cmd_fd 264"
                                + " async_fd 268 num_comp_vectors 272"),
                Arguments.of(
                        Layouts.RDMA_CM_ID,
                        "verbs 0 channel 8 context 16 qp 24 src_addr 32 dst_addr 160 ps 344" + " port_num 348"),
                Arguments.of(
                        Layouts.RDMA_CONN_PARAM,
                        "private_data 0 private_data_len 8 responder_resources 9"
                                + " initiator_depth 10 flow_control 11 retry_count 12 rnr_retry_count 13 srq 14 qp_num 16"),
                Arguments.of(
                        Layouts.RDMA_CM_EVENT,
                        "id 0 listen_id 8 event 16 status 20 private_data 24"
                                + " private_data_len 32 responder_resources 33 initiator_depth 34 qp_num 40"));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void structsHaveTheirSize(StructLayout struct, long bytes) {
        assertThat(struct.byteSize()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("offsets")
    void fieldsAreWhereTheyAreInC(StructLayout struct, String fieldsAndOffsets) {
        String[] words = fieldsAndOffsets.split(" ");
        for (int i = 0; i < words.length; i += 2) {
            assertThat(Layouts.offset(struct, words[i])).as(words[i]).isEqualTo(Long.parseLong(words[i + 1]));
        }
    }
}
