// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application that uses locks. */
@SpringBootApplication
public class ShopApplication {}
