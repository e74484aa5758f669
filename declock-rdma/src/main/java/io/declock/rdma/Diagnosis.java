// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.fabric.AdapterException;
import io.declock.rdma.disni.DisniUnavailableException;
import io.declock.rdma.ffm.NativeCallException;
import io.declock.rdma.verbs.Errno;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Says in a user's terms why RDMA does not work here, and what to do. */
final class Diagnosis {
    private Diagnosis() {}

    static AdapterException of(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return new AdapterException("RDMA cannot be used: " + message, action(failure, message), failure);
    }

    /** Returns what went wrong, and what to do if a native call did. */
    static String explain(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return nativeCall(failure) == null ? message : message + ". " + action(failure, message);
    }

    private static String action(IOException failure, String message) {
        if (failure instanceof DisniUnavailableException missing) {
            return missing.action();
        }
        NativeCallException call = nativeCall(failure);
        if (call == null) {
            return message.startsWith("cannot load")
                    ? "Install rdma-core's libraries (Debian: libibverbs1 librdmacm1 ibverbs-providers), or use tcp:// in the"
                            + " addresses of memory nodes."
                    : "Correct what the message says, or use tcp:// in the addresses of memory nodes.";
        }
        if (call.errno() == Errno.EACCES.number() || call.errno() == Errno.EPERM.number()) {
            return "Let this process's user read and write /dev/infiniband/uverbs* and /dev/infiniband/rdma_cm (in a container, pass"
                    + " the devices in).";
        }
        if (call.errno() == Errno.ENOMEM.number()) {
            return "Raise the limit of locked memory: 'ulimit -l unlimited', LimitMEMLOCK=infinity in a systemd unit, or"
                    + " --ulimit memlock=-1 for a container.";
        }
        if (call.errno() == Errno.ENODEV.number()) {
            return "See whether 'rdma link' lists a device whose state is ACTIVE, and load its driver; without an adapter,"
                    + " 'rdma link add rxe0 type rxe netdev eth0' makes a Soft-RoCE device. Or use tcp:// in the addresses of"
                    + " memory nodes.";
        }
        if (call.errno() == Errno.EADDRNOTAVAIL.number()) {
            return "Set declock.rdma.address to an address of the RDMA device's network interface.";
        }
        return "See what the manual page of " + call.function()
                + " says, or use tcp:// in the addresses of memory nodes.";
    }

    private static @Nullable NativeCallException nativeCall(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NativeCallException call) {
                return call;
            }
        }
        return null;
    }
}
