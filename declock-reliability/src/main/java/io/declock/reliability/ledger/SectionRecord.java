// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.ledger;

import io.declock.simulation.RecordedHold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One recorded critical section.
 *
 * @param hold the time from the first to the last moment at which the lock was certainly held
 * @param asked when the lock was requested, in nanoseconds
 * @param lost whether the process learnt that the lock was lost before it left
 */
public record SectionRecord(RecordedHold hold, long asked, boolean lost) {
    /** Suffix of ledgers' file names. */
    public static final String SUFFIX = ".ledger";
    /** Suffix of the file names of ledgers that serve one load only. */
    public static final String LOAD_SUFFIX = ".load" + SUFFIX;

    /** Reads every ledger of a directory; for processes that still run, the records so far. */
    public static List<SectionRecord> readAll(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .flatMap(file -> read(file).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads and deletes the ledgers of loads. */
    static List<SectionRecord> takeLoads(Path directory) {
        List<SectionRecord> sections = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(LOAD_SUFFIX)).toList()) {
                sections.addAll(read(file));
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sections;
    }

    private static List<SectionRecord> read(Path file) {
        ByteBuffer slots;
        try {
            slots = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path name = file.getFileName();
        String process = name == null ? "" : name.toString().replace(SUFFIX, "");
        List<SectionRecord> sections = new ArrayList<>();
        for (int at = 0; at < slots.capacity(); at += Ledger.SLOT_BYTES) {
            long state = slots.getLong(at + Ledger.STATE);
            if (state != Ledger.FREE) {
                sections.add(of(slots, at, process, state == Ledger.LOST));
            }
        }
        return sections;
    }

    private static SectionRecord of(ByteBuffer slots, int at, String process, boolean lost) {
        long lockAndMode = slots.getLong(at + Ledger.LOCK_AND_MODE);
        RecordedHold hold = new RecordedHold(
                String.format(Locale.ROOT, "lock-%d", lockAndMode >> 1),
                (lockAndMode & 1) == 1,
                slots.getLong(at + Ledger.TOKEN),
                process + "/" + slots.getLong(at + Ledger.OWNER),
                slots.getLong(at + Ledger.ENTERED),
                slots.getLong(at + Ledger.VALID));
        return new SectionRecord(hold, slots.getLong(at + Ledger.ASKED), lost);
    }
}
