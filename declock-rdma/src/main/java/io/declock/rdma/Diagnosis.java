// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.rdma.disni.DisniUnavailableException;
import io.declock.rdma.ffm.NativeCallException;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.AdapterException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Explains in a user's terms why RDMA does not work, and what to do. */
final class Diagnosis {
    private Diagnosis() {}

    static AdapterException of(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return new AdapterException("RDMA cannot be used: " + message, action(failure, message), failure);
    }

    /** Returns the failure's message, and what to do if a native call failed. */
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
                    : "Correct the problem that the message describes, or use tcp:// in the addresses of memory nodes.";
        }
        if (call.errno() == Errno.EACCES.number() || call.errno() == Errno.EPERM.number()) {
            return "Allow this process's user to read and write /dev/infiniband/uverbs* and /dev/infiniband/rdma_cm (pass the devices"
                    + " to a container).";
        }
        if (call.errno() == Errno.ENOMEM.number()) {
            return "Raise the limit of locked memory: 'ulimit -l unlimited', LimitMEMLOCK=infinity in a systemd unit, or"
                    + " --ulimit memlock=-1 for a container.";
        }
        if (call.errno() == Errno.ENODEV.number()) {
            return "Check whether 'rdma link' lists a device whose state is ACTIVE, and load its driver; without an adapter,"
                    + " 'rdma link add rxe0 type rxe netdev eth0' makes a Soft-RoCE device. Or use tcp:// in the addresses of"
                    + " memory nodes.";
        }
        if (call.errno() == Errno.EADDRNOTAVAIL.number()) {
            return "Set declock.rdma.address to an address of the RDMA device's network interface.";
        }
        return "See the manual page of " + call.function() + ", or use tcp:// in the addresses of memory nodes.";
    }

    /** Explains why {@code what} rejected a connection, as far as the provider shows the reason. */
    static String rejected(String what, CmEvent event, VerbsBackend backend) {
        String said = Rejection.read(event.privateData());
        String unsaid = backend.readsPrivateData()
                ? "no process listens there, or no queue pair is free (reason " + event.status() + ")"
                : "the provider '" + backend.name() + "' does not show the reason; the memory node's log has it";
        return what + " rejected the RDMA connection: " + (said.isEmpty() ? unsaid : said);
    }

    /** Explains why a connection to {@code what} was not established, and what to check. */
    static String notConnected(String what, CmEvent event) {
        String hint = switch (event.type()) {
            case RDMA_CM_EVENT_ADDR_ERROR ->
                "no RDMA device leads there; check the address, 'rdma link', and declock.rdma.device";
            case RDMA_CM_EVENT_ROUTE_ERROR -> "no route leads there for RDMA";
            case RDMA_CM_EVENT_UNREACHABLE ->
                "the other side does not answer; check that UDP port 4791 (RoCE) is open and that both sides"
                        + " use the same GID type and a matching MTU";
            default -> "check that the devices of both sides match (GID type, MTU)";
        };
        return "connecting to " + what + " by RDMA failed with " + event.describe() + ": " + hint;
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
