// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

/**
 * Why values of ShiftLock's paper are different here. Where a figure is not of the report itself, it is of the same load with ten million locks, with one thing changed that the text names.
 */
final class ShiftLockReasons {
    /** Of algorithm 1's MCS. */
    static final String HAND_OVER =
            "MCS of algorithm 1 hands the lock over by a message, in 1.1 µs here; ShiftLock of algorithm 3 executes an atomic, waits for it (1.8 µs), and then sends the message. So the queue of the most popular lock moves more than twice as fast with MCS, and the memory node's adapter is its limit. "
                    + "In the paper the latencies of table 3 make 8.5 million acquisitions/s of ShiftLock with half readers, and thus 5.2 million of MCS: 3.5 µs for each holder of the most popular lock, for which 5.5% of all ask. That is an atomic and a message (2.5 and 1 µs). "
                    + "The MCS of the paper's published code counts the release by an atomic before it hands over. 'MCS, counting' does that and waits for it, and the order is the paper's; without waiting it has 14.2 million/s instead of 6.2. "
                    + "Time of the clients' processors does not turn the order: with 250, 500 and 1,000 ns for each verb, completion and message, sent or received, ShiftLock has 0.718, 0.789 and 0.832 times the throughput of algorithm 1's MCS.";

    /** Of the MCS that counts. */
    static final String COUNTING =
            "With 95% readers ShiftLock's limit here is the memory node's adapter, which executes the 29 million atomics/s of table 3; that of MCS are its clients, whose processors take no time here. With 250 ns for each verb, completion and message, sent or received, ShiftLock has 8.2 million acquisitions/s with half readers and 14.2 with 95%, where table 3 makes 8.5 and 14.7 (the adapter is fitted to the second), and the factors over the MCS that counts are 1.76 and 3.06; with 500 ns they are 1.87 and 3.94.";

    /** Of CAS with back-off. */
    static final String GROWING_PAUSES =
            "The limit of a client's pauses grows with its own share of retries, and until the limits have grown the lock is under siege: the longer one measures, the more acquisitions a second there are, 92,950 in the first 5 s, 144,000 in the first 6 s, and 245,900 in the first 10 s. With 1 µs of the clients' processors for each verb and completion the first 10 s have 136,300, with 93.8% retries. The paper says neither how long it measures nor what its processors take.";

    static final String PAUSE_OF_DSLR =
            "DSLR here pauses 1,862 ns for each ticket before its own, as in ShiftLock's published code. With ten million locks a pause of 25 ns makes 7.87 READs with half readers, and 5.2 million acquisitions/s instead of 6.3; with 95% readers it makes 0.34, where 4.9 times ShiftLock's are 0.98 in the paper.";

    static final String NO_LIMIT =
            "Readers read the entry all the time while they wait, here every 3.7 µs, and without a limit most clients wait as readers: 3.8 READs for each acquisition, with which the memory node's adapter is busy all the time. If a READ costs its adapter 1 ns instead of 16, throughput without a limit is 0.938 times that with 32, and with a pause of 5 µs it is 0.879. "
                    + "In the published code a writer hands the lock over without the atomic of algorithm 3; with that it is 0.940. None of them reaches the paper's 3% more. The plot of this figure in the first commit of the authors' artifact has the same throughput for every limit, from one writer on.";

    static final String TATP =
            "Nearly all locks of TATP are free here: there are 0.01 READs and at most 0.02 messages for each acquisition, and 240 clients keep the memory node's adapter busy all the time with two atomics for each lock, whichever lock it is. So all locks have the same latencies, most of them the adapter's queue, also if the clients' processors take 1,000 ns for each verb and completion (17.28 and 17.30 µs with ShiftLock and DSLR). "
                    + "With READs and WRITEs of 64 bytes for each lock inside, as in the paper's published code, the medians of ShiftLock and DSLR are 14.34 and 14.34 µs, and 19.98 and 20.00 µs. The plot of this figure in the first commit of the authors' artifact has both curves on each other for the first transaction, DSLR's before ShiftLock's for the second, and DSLR's goodput above ShiftLock's.";

    static final String WORST = "The worst of the paper is RMA-RW, which is not here; the worst here is CAS-B.";

    private ShiftLockReasons() {}
}
