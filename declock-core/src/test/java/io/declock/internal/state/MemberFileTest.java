// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.memorynode.KeptNodes;
import io.declock.internal.memorynode.MemberList.Former;
import io.declock.internal.memorynode.MemberList.ListedMember;
import io.declock.internal.memorynode.MemberList.Outcome;
import io.declock.spi.NodeList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of members on a disk: what was told to be written survives, whatever happens to the file (rule H1). */
@Tag("slow")
@Timeout(60)
class MemberFileTest {
    private static final String ID = "mn";

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("members");
    }

    private MemberFile open() throws IOException {
        return MemberFile.open(directory, ID);
    }

    private Former reopened() throws IOException {
        try (Life life = new Life(open())) {
            return life.list.former();
        }
    }

    private static ListedMember member(int nodeId, int incarnation) {
        return new ListedMember(nodeId, incarnation, 1_000L + nodeId, incarnation, 5_000_000_000L);
    }

    /** A list that is closed at the end of a test, and whose writes are waited for. */
    private static final class Life implements AutoCloseable {
        private final MemberFile list;

        Life(MemberFile list) {
            this.list = list;
        }

        void add(ListedMember member) throws Exception {
            Told told = new Told();
            list.add(member, told);
            told.await();
        }

        void mark(long epoch) throws Exception {
            Told told = new Told();
            list.raiseMark(epoch, told);
            told.await();
        }

        void complete(boolean complete) throws Exception {
            Told told = new Told();
            list.complete(complete, told);
            told.await();
        }

        @Override
        public void close() {
            list.close();
        }
    }

    private static final class Told implements Outcome {
        private final CompletableFuture<String> told = new CompletableFuture<>();

        @Override
        public void written() {
            told.complete("");
        }

        @Override
        public void failed(String why) {
            told.complete(why);
        }

        /** Returns why it failed, or an empty text. */
        String outcome() throws Exception {
            return told.get(20, TimeUnit.SECONDS);
        }

        void await() throws Exception {
            assertThat(outcome()).isEmpty();
        }
    }

    /** Makes a list with two members. */
    private void twoMembers() throws Exception {
        try (Life life = new Life(open())) {
            life.list.begin(77);
            life.complete(true);
            life.mark(500);
            life.add(member(1, 10));
            life.add(member(2, 11));
        }
    }

    // ---------------------------------------------------------------- what survives

    @Test
    void anEmptyDirectoryTellsNothing() throws Exception {
        assertThat(reopened()).isEqualTo(Former.NOTHING);
        assertThat(reopened()).isEqualTo(Former.NOTHING);
    }

    @Test
    void theNextLifeKnowsWhatWasWritten() throws Exception {
        twoMembers();
        try (Life life = new Life(open())) {
            assertThat(life.list.former())
                    .isEqualTo(new Former(true, List.of(member(1, 10), member(2, 11)), 500, 11, Set.of(77L)));
            life.list.begin(78);
            life.list.remove(2, 11);
            life.add(member(2, 30));
            life.list.remove(2, 30);
            life.mark(400);
        }
        assertThat(reopened()).isEqualTo(new Former(true, List.of(member(1, 10)), 500, 30, Set.of(77L, 78L)));
    }

    @Test
    void theFileIsReplacedWhenItIsFullAndSaysTheSame() throws Exception {
        twoMembers();
        long length = Files.size(file());
        try (Life life = new Life(open())) {
            for (int i = 0; i < 5_000; i++) {
                life.list.remove(3, i);
                life.list.add(member(3, i + 1), new Told());
                if (i % 50 == 0) {
                    life.complete(true);
                }
            }
            life.complete(true);
        }
        assertThat(Files.size(file())).isEqualTo(length);
        assertThat(reopened().members()).containsExactly(member(1, 10), member(2, 11), member(3, 5_000));
        assertThat(reopened().highestIncarnation()).isEqualTo(5_000);
        try (Life life = new Life(open())) {
            for (int i = 0; i < 3_000; i++) {
                life.list.add(member(4, i), new Told());
            }
            life.list.remove(3, 5_000);
            life.complete(true);
        }
        assertThat(Files.size(file())).isGreaterThan(length);
        assertThat(reopened().members()).hasSize(3_002);
        try (Life life = new Life(open())) {
            for (int i = 0; i < 3_000; i++) {
                life.list.remove(4, i);
                life.complete(true);
            }
        }
        byte[] torn = content();
        torn[lastByte(torn) + 1] = 1;
        Files.write(file(), torn);
        for (int i = 0; i < 2; i++) {
            assertThat(reopened())
                    .isEqualTo(new Former(true, List.of(member(1, 10), member(2, 11)), 500, 5_000, Set.of(77L)));
        }
    }

    private static KeptNodes nodes(int awaited) {
        List<NodeList.Node> all = IntStream.range(0, 20)
                .mapToObj(i -> new NodeList.Node("mn-" + i, "tcp://host-" + i + ":7420|other-" + i + ":7420"))
                .toList();
        List<String> sources =
                all.stream().map(NodeList.Node::id).limit(awaited).toList();
        return new KeptNodes(new NodeList(7, all, all.get(19), true), sources);
    }

    @Test
    void theLastListOfMemoryNodesIsKept() throws Exception {
        twoMembers();
        for (int awaited = 19; awaited >= 0; awaited--) {
            try (Life life = new Life(open())) {
                Told told = new Told();
                life.list.keepNodes(nodes(awaited), told);
                told.await();
            }
            assertThat(reopened().nodes()).isEqualTo(nodes(awaited));
        }
        try (Life life = new Life(open())) {
            for (int i = 0; i < 3_000; i++) {
                life.list.add(member(4, i), new Told());
            }
            life.complete(true);
        }
        // The file was replaced meanwhile.
        assertThat(reopened().nodes()).isEqualTo(nodes(0));
        assertThat(reopened().members()).hasSize(3_002);
    }

    @Test
    void aFileOfTheFormatBeforeIsReadAndWrittenAnew() throws Exception {
        twoMembers();
        byte[] written = content();
        ByteBuffer header = ByteBuffer.wrap(written);
        int id = 8 + 2 + 4;
        int sum = id + 2 + header.getShort(id);
        assertThat(header.getShort(8)).isEqualTo((short) 2);
        header.putShort(8, (short) 1);
        CRC32C crc = new CRC32C();
        crc.update(written, 0, sum);
        header.putInt(sum, (int) crc.getValue());
        Files.write(file(), written);
        assertThat(reopened().members()).hasSize(2);
        assertThat(ByteBuffer.wrap(content()).getShort(8)).isEqualTo((short) 2);
        assertThat(reopened().members()).hasSize(2);
    }

    @Test
    void sixteenLivesAreRemembered() throws Exception {
        for (long life = 1; life <= 20; life++) {
            try (Life next = new Life(open())) {
                next.list.begin(life);
            }
        }
        Set<Long> last = new HashSet<>();
        IntStream.rangeClosed(5, 20).forEach(life -> last.add((long) life));
        assertThat(reopened().lives()).isEqualTo(last);
    }

    // ---------------------------------------------------------------- damaged files

    private byte[] content() throws IOException {
        return Files.readAllBytes(file());
    }

    private static int lastByte(byte[] content) {
        int last = content.length - 1;
        while (content[last] == 0) {
            last--;
        }
        return last;
    }

    @Test
    void aTornRecordIsCutOffAndTheOthersStay() throws Exception {
        twoMembers();
        byte[] whole = content();
        try (Life life = new Life(open())) {
            life.add(member(3, 12));
        }
        byte[] longer = content();
        int begin = lastByte(whole) + 1;
        int end = lastByte(longer);
        for (int at = begin + 1; at <= end; at++) {
            byte[] torn = longer.clone();
            Arrays.fill(torn, at, end + 1, (byte) 0);
            Files.write(file(), torn);
            Former former = reopened();
            assertThat(former.members()).as("torn at %s", at).containsExactly(member(1, 10), member(2, 11));
            assertThat(former.complete()).isTrue();
            assertThat(lastByte(content())).isLessThan(begin);
            try (Life life = new Life(open())) {
                life.add(member(4, 13));
            }
            assertThat(reopened().members()).containsExactly(member(1, 10), member(2, 11), member(4, 13));
        }
    }

    @Test
    void aFileOfAnotherLengthIsNotComplete() throws Exception {
        twoMembers();
        byte[] whole = content();
        for (int bytes = 64; bytes < whole.length; bytes += 997) {
            Files.write(file(), Arrays.copyOf(whole, bytes));
            assertThat(reopened().complete()).as("%s bytes", bytes).isFalse();
            assertThat(reopened().complete()).as("%s bytes, again", bytes).isFalse();
        }
        Files.write(file(), Arrays.copyOf(whole, whole.length + 1));
        assertThat(reopened().complete()).isFalse();
    }

    @Test
    void aDamagedRecordBeforeValidOnesMakesTheListIncomplete() throws Exception {
        twoMembers();
        byte[] whole = content();
        int end = lastByte(whole);
        for (int at = end - 70; at > end - 90; at--) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file(), damaged);
            assertThat(reopened().complete()).as("byte %s", at).isFalse();
        }
    }

    @Test
    void aFileOfAnotherMemoryNodeIsRefused() throws Exception {
        twoMembers();
        assertThatThrownBy(() -> MemberFile.open(directory, "other"))
                .isInstanceOf(StateDirectoryException.class)
                .hasMessageContaining("belongs to memory node 'mn'")
                .hasMessageContaining("this one is 'other'");
        assertThat(reopened().members()).hasSize(2);
    }

    @Test
    void aDamagedBeginningIsRefused() throws Exception {
        twoMembers();
        byte[] whole = content();
        for (int at = 0; at < 22; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x01;
            Files.write(file(), damaged);
            assertThatThrownBy(this::open)
                    .as("byte %s", at)
                    .isInstanceOf(StateDirectoryException.class)
                    .hasMessageContaining(file().toString());
        }
        Files.write(file(), new byte[0]);
        assertThatThrownBy(this::open).isInstanceOf(StateDirectoryException.class);
        Files.write(file(), whole);
        assertThat(reopened().members()).hasSize(2);
    }

    @Test
    void aFileOfALaterFormatIsRefused() throws Exception {
        twoMembers();
        ByteBuffer content = ByteBuffer.wrap(content());
        content.putShort(Long.BYTES, (short) 3);
        int sumAt = Long.BYTES + 2 * Short.BYTES + Integer.BYTES + ID.length();
        CRC32C sum = new CRC32C();
        sum.update(content.array(), 0, sumAt);
        content.putInt(sumAt, (int) sum.getValue());
        Files.write(file(), content.array());
        assertThatThrownBy(this::open)
                .isInstanceOf(StateDirectoryException.class)
                .hasMessageContaining("has format 3, and this release knows formats 1 to 2");
    }

    // ---------------------------------------------------------------- who may use it

    @Test
    void oneMemoryNodeAtATimeUsesADirectory() throws Exception {
        try (Life life = new Life(open())) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(StateDirectoryException.class)
                    .hasMessageContaining("is in use by another memory node");
            life.add(member(1, 1));
        }
        assertThat(reopened().members()).containsExactly(member(1, 1));
    }

    @Test
    void aDirectoryThatCannotBeMadeIsRefused() throws Exception {
        Path notADirectory = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> MemberFile.open(notADirectory.resolve("state"), ID))
                .isInstanceOf(StateDirectoryException.class)
                .hasMessageContaining("cannot be made or written");
    }

    @Test
    void nothingIsWrittenAfterTheEnd() throws Exception {
        MemberFile list = open();
        list.close();
        list.close();
        Told told = new Told();
        list.add(member(1, 1), told);
        assertThat(told.outcome()).contains("closed");
        assertThatThrownBy(() -> list.begin(1)).isInstanceOf(UncheckedIOException.class);
    }

    // ---------------------------------------------------------------- disks that fail

    @ParameterizedTest
    @ValueSource(strings = {"write", "force"})
    void aDiskThatFailsRefusesUntilItWorksAgain(String fails) throws Exception {
        FailingDisk disk = new FailingDisk();
        try (Life life = new Life(MemberFile.open(directory, ID, disk))) {
            life.complete(true);
            life.add(member(1, 1));
            disk.fails = fails;
            Told told = new Told();
            life.list.add(member(2, 2), told);
            assertThat(told.outcome())
                    .contains(file().toString(), "No space left on device", "No compute node can join");
            Told again = new Told();
            life.list.add(member(3, 3), again);
            assertThat(again.outcome()).contains("No space left on device");
            disk.fails = "";
            int replaced = disk.replaced;
            life.add(member(4, 4));
            // What the failed writes left on the disk is unknown.
            assertThat(disk.replaced).isEqualTo(replaced + 1);
        }
        Former former = reopened();
        assertThat(former.members()).containsExactly(member(1, 1), member(4, 4));
        assertThat(former.complete()).isTrue();
    }

    @Test
    void manyMembersAreForcedAtOnce() throws Exception {
        FailingDisk disk = new FailingDisk();
        try (Life life = new Life(MemberFile.open(directory, ID, disk))) {
            int before = disk.forces;
            List<Told> told = new ArrayList<>();
            for (int i = 1; i <= 500; i++) {
                told.add(new Told());
                life.list.add(member(i, i), told.get(i - 1));
            }
            for (Told each : told) {
                each.await();
            }
            assertThat(disk.forces - before).isLessThan(250);
        }
        assertThat(reopened().members()).hasSize(500);
    }

    /** At a random moment the machine stops: bytes that were not forced are there up to some point, or are not. */
    @Test
    void everyMemberThatWasToldSurvivesACrash() throws Exception {
        for (int seed = 0; seed < 150; seed++) {
            crash(new Random(seed), seed);
        }
    }

    private void crash(Random random, int seed) throws Exception {
        Path own = directory.resolve("seed" + seed);
        Map<Integer, ListedMember> told = new HashMap<>();
        Set<ListedMember> ever = new HashSet<>();
        long mark = 0;
        for (int life = 0; life < 3; life++) {
            CrashingDisk disk = new CrashingDisk(random);
            MemberFile list = MemberFile.open(own, ID, disk);
            assertThat(list.former().members()).as("seed %s", seed).containsAll(told.values());
            assertThat(ever).as("seed %s", seed).containsAll(list.former().members());
            assertThat(list.former().mark()).as("seed %s", seed).isGreaterThanOrEqualTo(mark);
            int steps = random.nextInt(60);
            int crashAfter = random.nextInt(60);
            for (int step = 0; step < steps; step++) {
                if (step == crashAfter) {
                    disk.crash();
                }
                int nodeId = 1 + random.nextInt(4);
                Told outcome = new Told();
                switch (random.nextInt(4)) {
                    case 0 -> {
                        list.remove(nodeId, incarnation(told, nodeId));
                        told.remove(nodeId);
                        continue;
                    }
                    case 1 -> {
                        list.raiseMark(mark + 1, outcome);
                        mark += outcome.outcome().isEmpty() ? 1 : 0;
                    }
                    default -> {
                        ListedMember member = member(nodeId, 1_000 * (life + 1) + step);
                        ever.add(member);
                        list.add(member, outcome);
                        if (outcome.outcome().isEmpty()) {
                            told.put(nodeId, member);
                        }
                    }
                }
            }
            disk.crash();
            list.close();
            disk.leaveWhatACrashLeaves(own.resolve("members"));
        }
    }

    private static int incarnation(Map<Integer, ListedMember> members, int nodeId) {
        ListedMember member = members.get(nodeId);
        return member == null ? 0 : member.incarnation();
    }

    /** A disk without space left, or whose force() fails. */
    private static final class FailingDisk implements MemberFile.Disk {
        private volatile String fails = "";
        private volatile int forces;
        private volatile int replaced;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
        public void replace(Path from, Path to) throws IOException {
            replaced++;
            MemberFile.Disk.LOCAL.replace(from, to);
        }

        @Override
        public FileChannel open(Path path) throws IOException {
            return new WatchedChannel(MemberFile.Disk.LOCAL.open(path)) {
                @Override
                void beforeWrite() throws IOException {
                    failIf("write");
                }

                @Override
                @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
                void beforeForce() throws IOException {
                    forces++;
                    failIf("force");
                }
            };
        }

        private void failIf(String operation) throws IOException {
            if (fails.equals(operation)) {
                throw new IOException("No space left on device");
            }
        }
    }

    /** A disk that stops with its machine. */
    private static final class CrashingDisk implements MemberFile.Disk {
        private final Random random;
        private volatile boolean crashed;
        private byte[] forced = {};
        private byte[] latest = {};

        CrashingDisk(Random random) {
            this.random = new Random(random.nextLong());
        }

        void crash() {
            crashed = true;
        }

        @Override
        public FileChannel open(Path path) throws IOException {
            FileChannel channel = MemberFile.Disk.LOCAL.open(path);
            return new WatchedChannel(channel) {
                @Override
                void beforeWrite() throws IOException {
                    failIfCrashed();
                }

                @Override
                void afterWrite() throws IOException {
                    latest = contentOf(channel);
                }

                @Override
                void beforeForce() throws IOException {
                    failIfCrashed();
                }

                @Override
                void afterForce() throws IOException {
                    forced = contentOf(channel);
                    latest = forced;
                }
            };
        }

        @Override
        public void replace(Path from, Path to) throws IOException {
            failIfCrashed();
            MemberFile.Disk.LOCAL.replace(from, to);
        }

        private void failIfCrashed() throws IOException {
            if (crashed) {
                throw new IOException("the machine has stopped");
            }
        }

        private static byte[] contentOf(FileChannel channel) throws IOException {
            ByteBuffer all = ByteBuffer.allocate((int) channel.size());
            channel.read(all, 0);
            return all.array();
        }

        /** Of the bytes that were written after the last force(), those up to some point are on the disk. */
        void leaveWhatACrashLeaves(Path file) throws IOException {
            if (forced.length != latest.length || Files.size(file) != forced.length) {
                return;
            }
            byte[] left = latest.clone();
            int keptUpTo = random.nextInt(left.length + 1);
            int changed = 0;
            while (changed < left.length && left[changed] == forced[changed]) {
                changed++;
            }
            int from = Math.max(Math.min(keptUpTo, changed + random.nextInt(60)), 0);
            System.arraycopy(forced, from, left, from, left.length - from);
            Files.write(file, left);
        }
    }
}
