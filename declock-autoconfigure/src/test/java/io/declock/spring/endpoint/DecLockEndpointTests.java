// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.declock.ComputeNodeMonitor;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The list of locks is bounded, whatever is asked for. */
class DecLockEndpointTests {
    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {"none, 1000", "5, 5", "0, 1", "-7, 1", "10000, 10000", "2147483647, 10000"})
    void noRequestListsMoreThanTenThousandLocks(Integer asked, int listed) {
        ComputeNodeMonitor monitor = mock();
        given(monitor.locks(anyInt())).willReturn(List.of());

        assertThat(new DecLockEndpoint(monitor).locks(asked).held()).isEmpty();

        verify(monitor).locks(listed);
    }
}
