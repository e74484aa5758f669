// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;

/**
 * A node id with its incarnation.
 *
 * @param nodeId node id
 * @param incarnation incarnation of that node id
 */
public record MemberId(int nodeId, int incarnation) {
    void write(ByteBuf out) {
        out.writeShortLE(nodeId).writeIntLE(incarnation);
    }

    static MemberId read(FrameBody body) throws BadFrameException {
        return new MemberId(body.u16(), body.i32());
    }
}
