// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

/**
 * DSLR, the bakery lock of <i>Distributed Lock Management with RDMA: Decentralization without Starvation</i> (SIGMOD 2018), sections 4.4 to
 * 4.9, 5.1 and A.3. One word has four counters of 16 bits: {@code nX} and {@code nS}, the exclusive and shared tickets that have been served, and {@code
 * maxX} and {@code maxS}, those that have been drawn.
 *
 * <ol>
 *   <li>A client draws a ticket: one fetch-and-add to {@code maxX} or {@code maxS}. The former value of the word is its ticket.
 *   <li>A reader has the lock when {@code nX} is its ticket's {@code maxX}, a writer when {@code nS} is its ticket's {@code maxS} as well.
 *   <li>Otherwise it reads the word again and again. It pauses for a time that grows with the number of tickets before its own (DSLR), or
 *       with the number of its attempts (DSLR+, as in DecLock's paper).
 *   <li>A release is one fetch-and-add to {@code nX} or {@code nS}. A client whose lease is over does not release: others take its turn away.
 *   <li>If neither {@code nX} nor {@code nS} has changed for two leases, a holder has died, and a waiter takes its turn away, with one
 *       compare-and-swap of what it has read. A reader sets {@code nX} to its own turn. A writer ends its own turn, too, and draws another ticket.
 *   <li>A client whose turn was taken away sees {@code nX} beyond its ticket and draws another one.
 *   <li>Counters must not run over. The client with the last ticket sets the word to zero after its release, as soon as all tickets have been
 *       served. A client that draws one beyond takes it back and waits for that.
 *   <li>A client may ask for a lease of several slots, if the lock is set so: it draws as many tickets side by side, releases as many, and may hold the lock for as many leases. Waiters then
 *       have the patience of two leases for each ticket before their own.
 *   <li>A client that has lost its turn, or has found no ticket, may be set to draw again after a random pause, which doubles up to a limit.
 * </ol>
 *
 * <p>Where this differs from the printed algorithms 1 to 3:
 * <ul>
 *   <li>A client compares its ticket with {@code nX} only to learn that its turn was taken away. The printed line compares {@code nS} as well,
 *       which counts other readers of the same turn: a slow reader would give up a ticket that nobody has taken away, and nobody would ever
 *       release it.
 *   <li>A reader that takes a turn away leaves {@code nS} alone. The printed line counts all readers before it as gone, also those of its own
 *       turn, which would have to learn of that from {@code nS}. Readers that really are gone cost the next writer two leases.
 *   <li>A client that draws a ticket beyond the last draws none again before the word is zero. The printed one draws again after a back-off, which keeps
 *       the word from being swapped; a setting has it so, but even then a client that has seen no ticket served for four leases goes over to waiting.
 *   <li>A lease ends two leases after the client looked in vain for its turn, if that is earlier. As printed it lasts from the acquisition on: a client that looks more seldom than once in a
 *       lease could hold the lock beside one that has taken its turn away.
 *   <li>A client that has lost its turn goes on by itself, and tells its application how often it did so.
 * </ul>
 *
 * <p>As in the paper, a message that travels for longer than a lease breaks the lock: a release that comes after the turn was taken away moves
 * the turn of another client on, and no token protects the data.
 */
@NullMarked
package io.declock.protocols.dslr;

import org.jspecify.annotations.NullMarked;
