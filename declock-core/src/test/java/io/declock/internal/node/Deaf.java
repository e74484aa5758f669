// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;

/** Hears of sessions and does nothing. */
final class Deaf implements MemoryNodeLink.Listener {
    @Override
    public void joined(MemoryNodeLink link, NodeSession session) {}

    @Override
    public void down(MemoryNodeLink link) {}

    @Override
    public void reclaimProposed(NodeSession session, long round, long[] records) {}
}
