// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ValueCodec;
import io.declock.ValueCodecs;

/** The codecs of the library, for applications without Jackson. */
final class BasicValueCodecs implements ValueCodecs {
    @Override
    public <T> ValueCodec<T> of(Class<T> type) {
        return ValueCodec.of(type);
    }
}
