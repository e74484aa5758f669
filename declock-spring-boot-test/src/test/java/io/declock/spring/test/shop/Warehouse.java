// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test.shop;

import org.springframework.stereotype.Component;

/** A part of the application that has nothing to do with locks. */
@Component
public class Warehouse {}
