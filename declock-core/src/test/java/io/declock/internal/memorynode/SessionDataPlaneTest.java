// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections of one session that end, follow one another, and are cut (rules B2 and G1). */
class SessionDataPlaneTest {
    private final List<String> events = new ArrayList<>();
    private final SessionDataPlane plane = new SessionDataPlane("1.1 ('a')", () -> events.add("cut"));

    private Runnable event(String what) {
        return () -> events.add(what);
    }

    @Test
    void theNextConnectionWaitsForTheVerbsOfTheLastOne() {
        DataPlaneGate last = plane.gate();
        assertThat(last.enter()).isTrue();
        assertThat(plane.detach(event("detached"))).isTrue();
        assertThat(last.enter()).isFalse();
        assertThat(plane.isConnected()).isFalse();
        assertThatThrownBy(plane::reattach).isInstanceOf(IllegalStateException.class);
        assertThat(events).isEmpty();
        last.exit();
        assertThat(events).containsExactly("detached");
        DataPlaneGate next = plane.reattach();
        assertThat(next).isNotSameAs(last).isSameAs(plane.gate());
        assertThat(plane.isConnected()).isTrue();
        assertThat(plane.gate().enter()).isTrue();
        assertThat(last.enter()).isFalse();
    }

    @Test
    void oneCallEndsAConnectionAndEachLearnsOfIt() {
        plane.gate().enter();
        assertThat(plane.detach(event("first"))).isTrue();
        assertThat(plane.detach(event("second"))).isFalse();
        plane.gate().exit();
        assertThat(plane.detach(event("third"))).isFalse();
        assertThat(events).containsExactly("first", "second", "third");
    }

    @Test
    void aCutIsDoneWhenTheLastVerbIsAndThenForGood() {
        plane.gate().enter();
        plane.cut(event("first"));
        plane.cut(event("second"));
        assertThat(plane.isCutting()).isTrue();
        assertThat(plane.isCut()).isFalse();
        assertThat(plane.reattach()).isNull();
        assertThat(events).isEmpty();
        plane.gate().exit();
        assertThat(plane.isCut()).isTrue();
        assertThat(events).containsExactly("first", "second", "cut");
        plane.cut(event("late"));
        assertThat(plane.detach(event("detached"))).isFalse();
        assertThat(events).containsExactly("first", "second", "cut", "late", "detached");
        assertThat(plane.reattach()).isNull();
    }

    @Test
    void aCutGoesOnWhereADetachmentEnds() {
        plane.gate().enter();
        plane.detach(event("detached"));
        plane.cut(event("after the cut"));
        assertThat(plane.detach(event("detached during the cut"))).isFalse();
        assertThat(events).isEmpty();
        plane.gate().exit();
        assertThat(events).containsExactly("after the cut", "detached during the cut", "cut", "detached");
    }

    @Test
    void aCutWaitsForTheAdapterAlsoWithoutAConnection() {
        List<Runnable> adapter = new ArrayList<>();
        plane.attach(adapter::add);
        plane.detach(event("detached"));
        assertThat(adapter).isEmpty();
        plane.cut(event("after the cut"));
        assertThat(adapter).hasSize(1);
        assertThat(plane.isCut()).isFalse();
        adapter.get(0).run();
        assertThat(plane.isCut()).isTrue();
        assertThat(events).containsExactly("detached", "after the cut", "cut");
    }

    @Test
    void aStepThatThrowsKeepsNoOtherFromRunning() {
        plane.cut(() -> {
            throw new IllegalStateException("on purpose");
        });
        plane.cut(event("late"));
        assertThat(events).containsExactly("cut", "late");
    }
}
