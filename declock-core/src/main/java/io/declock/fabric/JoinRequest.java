// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric;

/**
 * What a compute node says when it joins a memory node.
 *
 * @param processId identifies the process across its memory nodes and sessions
 * @param name what the process calls itself, for people
 * @param peerAddress {@code host:port} where it accepts peer messages, empty for none
 * @param nodeSetDigest digest of the stable ids of the configured memory nodes, 0 while they are not known yet
 * @param highestEpoch highest full epoch this process has seen on that memory node, so that a restarted one starts above
 * @param leaseNanos lease asked for
 */
public record JoinRequest(
        long processId, String name, String peerAddress, long nodeSetDigest, long highestEpoch, long leaseNanos) {}
