// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** The frames about lists of memory nodes that replace one another; since version {@value Wire#LISTS_VERSION}. */
public final class NodeListFrames {
    private NodeListFrames() {}

    /** Writes ASK_NODES. */
    public static void writeAskNodes(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.ASK_NODES, request);
    }

    /** Reads ASK_NODES: the number of the request. */
    public static int readAskNodes(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes PROPOSE_NODES. */
    public static void writeProposeNodes(ByteBuf out, int request, NodeList list) {
        request(out, FrameType.PROPOSE_NODES, request, list);
    }

    /** Reads PROPOSE_NODES. */
    public static Numbered<NodeList> readProposeNodes(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), list(body)));
    }

    /** Writes DECLARE_NODES. */
    public static void writeDeclareNodes(ByteBuf out, int request, NodeList list) {
        request(out, FrameType.DECLARE_NODES, request, list);
    }

    /** Reads DECLARE_NODES. */
    public static Numbered<NodeList> readDeclareNodes(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), list(body)));
    }

    private static void request(ByteBuf out, FrameType type, int request, NodeList list) {
        int start = FrameWriter.begin(out, type, request);
        list(out, list);
        FrameWriter.end(out, start);
    }

    /** Writes AWAIT_GIVEN_UP. */
    public static void writeAwaitGivenUp(ByteBuf out, int request, long number) {
        int start = FrameWriter.begin(out, FrameType.AWAIT_GIVEN_UP, request);
        out.writeLongLE(number);
        FrameWriter.end(out, start);
    }

    /** Reads AWAIT_GIVEN_UP: the number of the list. */
    public static Numbered<Long> readAwaitGivenUp(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), body.i64()));
    }

    /** Writes TAKE_OVER. */
    public static void writeTakeOver(ByteBuf out, int request, GivenUp word) {
        int start = FrameWriter.begin(out, FrameType.TAKE_OVER, request);
        FrameWriter.text(out, word.source());
        out.writeLongLE(word.number());
        out.writeLongLE(word.epoch());
        FrameWriter.end(out, start);
    }

    /** Reads TAKE_OVER. */
    public static Numbered<GivenUp> readTakeOver(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new GivenUp(body.text(), body.i64(), body.i64())));
    }

    /** Writes NODES. */
    public static void writeNodes(ByteBuf out, NodeList list) {
        int start = FrameWriter.begin(out, FrameType.NODES);
        list(out, list);
        FrameWriter.end(out, start);
    }

    /** Reads NODES. */
    public static NodeList readNodes(FrameBody body) throws BadFrameException {
        return body.end(list(body));
    }

    /**
     * Writes NODES_STATE.
     *
     * @param request number of the request, 0 before JOINED
     */
    public static void writeNodesState(ByteBuf out, int request, NodeListState state) {
        int start = FrameWriter.begin(out, FrameType.NODES_STATE, request);
        list(out, state.list());
        out.writeShortLE(state.awaited().size());
        state.awaited().forEach(id -> FrameWriter.text(out, id));
        out.writeShortLE(state.undeclared());
        FrameWriter.text(out, state.obstacle());
        FrameWriter.end(out, start);
    }

    /** Reads NODES_STATE. */
    public static Numbered<NodeListState> readNodesState(FrameBody body) throws BadFrameException {
        int request = body.i32();
        NodeList list = list(body);
        int count = count(body);
        List<String> awaited = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            awaited.add(body.text());
        }
        return body.end(new Numbered<>(request, new NodeListState(list, awaited, body.u16(), body.text())));
    }

    /**
     * GIVEN_UP.
     *
     * @param epoch epoch that no lock has exceeded
     */
    public record GaveUp(long epoch) {}

    /** Writes GIVEN_UP. */
    public static void writeGivenUp(ByteBuf out, int request, GaveUp word) {
        epoch(out, FrameType.GIVEN_UP, request, word.epoch());
    }

    /** Reads GIVEN_UP. */
    public static Numbered<GaveUp> readGivenUp(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new GaveUp(body.i64())));
    }

    /**
     * TAKEN_OVER.
     *
     * @param epoch full epoch of the records of restored holds
     */
    public record TakenOver(long epoch) {}

    /** Writes TAKEN_OVER. */
    public static void writeTakenOver(ByteBuf out, int request, TakenOver taken) {
        epoch(out, FrameType.TAKEN_OVER, request, taken.epoch());
    }

    /** Reads TAKEN_OVER. */
    public static Numbered<TakenOver> readTakenOver(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new TakenOver(body.i64())));
    }

    private static void epoch(ByteBuf out, FrameType type, int request, long epoch) {
        int start = FrameWriter.begin(out, type, request);
        out.writeLongLE(epoch);
        FrameWriter.end(out, start);
    }

    private static void list(ByteBuf out, NodeList list) {
        out.writeLongLE(list.number());
        out.writeByte(list.added() ? 1 : 0);
        node(out, list.changed());
        out.writeShortLE(list.nodes().size());
        list.nodes().forEach(node -> node(out, node));
    }

    private static void node(ByteBuf out, NodeList.Node node) {
        FrameWriter.text(out, node.id());
        FrameWriter.text(out, node.address());
    }

    private static NodeList list(FrameBody body) throws BadFrameException {
        long number = body.i64();
        boolean added = body.u8() != 0;
        NodeList.Node changed = node(body);
        int count = count(body);
        List<NodeList.Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(node(body));
        }
        return new NodeList(number, nodes, changed, added);
    }

    private static int count(FrameBody body) throws BadFrameException {
        int count = body.u16();
        if (count > NodeSet.MAX_SIZE) {
            throw new BadFrameException(count + " memory nodes where at most " + NodeSet.MAX_SIZE + " are allowed");
        }
        return count;
    }

    private static NodeList.Node node(FrameBody body) throws BadFrameException {
        return new NodeList.Node(body.text(), body.text());
    }
}
