// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * ALock, the asymmetric lock of <i>Technical Report: Asymmetric Mutual Exclusion for RDMA</i> (Nelson-Slivon, Tseng, Palmieri), section 3.1,
 * algorithms 1 and 2, and the PlusCal algorithm of its appendix. It is exclusive. Clients that live with the memory node are local: they use the
 * processor's operations on the lock's words, and never the adapter. All others are remote and use verbs. Atomics of the two kinds are not atomic to each other
 * (table 1), so no word has atomics of both. A lock has three words: the tails of two MCS queues, one for the cohort of local clients and one for
 * that of remote clients, and the victim of Peterson's lock between the two cohorts.
 *
 * <ol>
 *   <li>A client swaps the tail of its cohort for itself. It compares and swaps the value that it expects, and on failure the one that it has learnt.
 *   <li>If the tail named another client, the client tells it that it is its successor, and waits to be handed the cohort's lock with a budget.
 *   <li>If the tail was zero, the client is the leader of its cohort, with the initial budget: it writes its cohort to the victim, and reads until the other
 *       cohort's tail is zero or the victim is the other cohort. Then it has the lock.
 *   <li>A client that was handed a budget of more than zero has the lock at once: its predecessor had it, and nobody else comes between.
 *   <li>A client that was handed a budget of zero does as a leader does, so that a leader of the other cohort has its turn. Then its budget is the initial one.
 *   <li>On a release, a client that knows no successor swaps itself for zero in its cohort's tail, which gives Peterson's lock back as well. If that fails,
 *       it waits to be told who has come.
 *   <li>It hands the lock to its successor, with its own budget less one.
 * </ol>
 *
 * <p>So a cohort has the lock for as many acquisitions in a row as the initial budget says, if the other cohort waits. A local client uses no verb. A remote
 * client alone uses one compare-and-swap for its cohort, and for Peterson's lock a WRITE and a READ, which travel together.
 *
 * <p>What the paper leaves open, or says in two ways:
 * <ul>
 *   <li>The victim is a cohort, as in algorithm 1; the PlusCal algorithm writes a process. Both mean the same, because one client of a cohort at a time
 *       is at the global lock.
 *   <li>The client that finds its cohort's queue empty is the leader that goes to the global lock, as in both algorithms. The text of section 3.1 has it the
 *       other way round in one sentence.
 *   <li>A client that knows its successor when it releases does not touch the tail, as in algorithm 2. The PlusCal algorithm always tries to.
 * </ul>
 *
 * <p>Where this differs from print:
 * <ul>
 *   <li>A descriptor (budget and next) lies in its client's memory, where the client sees a change without a verb, and others write to it. Here
 *       such a write is a message, as in the package {@code mcs}. So it costs the memory node nothing, as in the paper, and a client needs no memory that others reach.
 *       Between two local clients it is a store to memory that both have, and the world delivers it so.
 *   <li>A leader that has found the other cohort's tail to be set reads the victim and then the tail again in one chain: the same reads in the same order,
 *       with one round trip for two.
 *   <li>Between two rounds of reads it pauses. In print it does not say how it waits.
 * </ul>
 *
 * <p>Nothing mends a queue when a client dies: the paper assumes that none does.
 */
@NullMarked
package io.declock.protocols.alock;

import org.jspecify.annotations.NullMarked;
