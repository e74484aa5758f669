// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Locks that code runs under, and those around it: says which owner enters locks again that such code asks for. For code that acquires locks on
 * behalf of other code, on several threads or none in particular.
 *
 * <pre>{@code
 * LockScope around = LockScope.holding(locks, current, request);  // null: none of the names is held by an explicit owner
 * LockOwner owner = around == null ? LockOwner.named("job") : around.owner();
 * LockHandle handle = locks.acquire(request, owner);
 * if (around != null) {
 *     around.checkEntered(handle);
 * }
 * LockScope inner = LockScope.of(locks, handle, owner, current); // for the code inside
 * …
 * inner.end();
 * handle.close();
 * }</pre>
 *
 * <p>An owner is used again only for names that it holds, and only until its scope has ended: work that runs side by side in one scope excludes
 * itself from all other locks, and work that outlives its scope from the scope's locks, too. Thread-safe.
 */
public final class LockScope {
    private final DistributedReadWriteLock locks;
    private final LockHandle handle;
    private final @Nullable LockOwner owner;
    private final @Nullable LockScope outer;
    private volatile boolean ended;

    private LockScope(
            DistributedReadWriteLock locks, LockHandle handle, @Nullable LockOwner owner, @Nullable LockScope outer) {
        this.locks = locks;
        this.handle = handle;
        this.owner = owner;
        this.outer = outer;
    }

    /**
     * Makes the scope of a handle that was just granted.
     *
     * @param locks what granted it; the same object for all scopes of the same locks
     * @param handle the handle
     * @param owner its explicit owner, null if that is a thread
     * @param outer the scope around, or null
     * @return the scope, to be ended before the handle is closed
     */
    public static LockScope of(
            DistributedReadWriteLock locks, LockHandle handle, @Nullable LockOwner owner, @Nullable LockScope outer) {
        return new LockScope(locks, handle, owner, outer);
    }

    /** {@return the handle} Do not close it unless you made this scope. */
    public LockHandle handle() {
        return handle;
    }

    /** {@return the explicit owner, null if that is a thread} */
    public @Nullable LockOwner owner() {
        return owner;
    }

    /** Ends this, so that its owner is not used again. Call it before the handle is closed; further calls do nothing. */
    public void end() {
        ended = true;
    }

    /**
     * {@return the scope whose owner enters the locks of {@code request} again; null if no explicit owner holds one of them, so that an owner of its
     * own asks for them} The innermost scope that has a name decides about it.
     *
     * @param locks what it asks; scopes of other locks do not count, whatever their names
     * @param innermost the scope of the code that asks, or null
     * @param request what it asks for
     * @throws IllegalStateException if some of the names are held and others are not, or by another owner: no owner could ask for all of them
     */
    public static @Nullable LockScope holding(
            DistributedReadWriteLock locks, @Nullable LockScope innermost, LockRequest request) {
        if (innermost == null) {
            return null;
        }
        LockScope entered = null;
        String free = null;
        for (String name : request.names().keySet()) {
            LockScope scope = innermost.holding(locks, name);
            if (scope == null) {
                free = name;
            } else if (entered != null && entered.owner != scope.owner) {
                throw refused(request, "two owners hold some of them");
            } else {
                entered = entered == null || scope.isInside(entered) ? scope : entered;
            }
        }
        if (entered != null && free != null) {
            throw refused(request, "it does not hold " + LockNames.quoted(free));
        }
        return entered;
    }

    private static IllegalStateException refused(LockRequest request, String why) {
        String names = request.names().keySet().stream().map(LockNames::quoted).collect(Collectors.joining(", "));
        return new IllegalStateException(
                "the code around this request holds some of the locks " + names + ", but " + why
                        + ": asked for by the owner that holds the others, such a lock would not exclude what runs beside this"
                        + " code. Ask for it in a request of its own.");
    }

    private @Nullable LockScope holding(DistributedReadWriteLock asked, String name) {
        for (LockScope scope = this; scope != null; scope = scope.outer) {
            if (scope.locks == asked && !scope.ended && scope.has(name)) {
                return scope.owner == null ? null : scope;
            }
        }
        return null;
    }

    private boolean isInside(LockScope other) {
        for (LockScope scope = this.outer; scope != null; scope = scope.outer) {
            if (scope == other) {
                return true;
            }
        }
        return false;
    }

    private boolean has(String name) {
        return handle.grants().stream().anyMatch(grant -> grant.name().equals(name));
    }

    /**
     * Checks, after this scope's owner was granted a request, that this scope and those around it have held its locks until now: otherwise the owner
     * did not enter again what it holds, but acquired anew what others of this scope may acquire by the same owner. The handle is closed then.
     *
     * @param granted what the owner was granted
     * @return {@code granted}
     * @throws LockLostException if the locks were given back or lost meanwhile
     */
    public LockHandle checkEntered(LockHandle granted) {
        if (granted.grants().stream().allMatch(grant -> isHeld(grant.name()))) {
            return granted;
        }
        LockLostException why = new LockLostException(
                "the locks around this request, which it was to enter again, were given back or lost meanwhile: "
                        + handle);
        try {
            granted.close();
        } catch (LockLostException e) {
            why.addSuppressed(e);
        }
        throw why;
    }

    private boolean isHeld(String name) {
        for (LockScope scope = this; scope != null; scope = scope.outer) {
            // The end comes before the closing, and a lock that is valid now was held all the time.
            if (scope.locks == locks
                    && scope.owner == owner
                    && scope.has(name)
                    && !scope.ended
                    && scope.handle.isValid()) {
                return true;
            }
        }
        return false;
    }
}
