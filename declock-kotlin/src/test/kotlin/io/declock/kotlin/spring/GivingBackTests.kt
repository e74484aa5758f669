// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kotlin.spring

import io.declock.LockHandle
import io.declock.LockLostException
import io.declock.spring.aop.LockedCoroutine
import java.io.IOException
import kotlinx.coroutines.CancellationException
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.mockito.ArgumentMatchers.any
import org.mockito.ArgumentMatchers.eq
import org.mockito.Mockito.doThrow
import org.mockito.Mockito.mock
import org.mockito.Mockito.never
import org.mockito.Mockito.verify

class GivingBackTests {
    private val call = mock(LockedCoroutine::class.java)
    private val handle = mock(LockHandle::class.java)
    private val giving = GivingBackOf(call)

    @Test
    fun `a cancellation is no failure and nothing is added to it`() {
        val cancellation = CancellationException("enough")
        doThrow(LockLostException("lost")).`when`(handle).close()
        giving.back(handle, cancellation)
        verify(handle).close()
        verify(call, never()).release(eq(handle), any())
        assertThat(cancellation.suppressed).isEmpty()
    }

    @Test
    fun `a failure is given back with its lock`() {
        val failure = IOException("no paper")
        giving.back(handle, failure)
        verify(call).release(handle, failure)
    }
}
