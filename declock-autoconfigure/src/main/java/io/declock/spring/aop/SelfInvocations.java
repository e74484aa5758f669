// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of locked methods on {@code this}, which bypass the proxy and therefore the lock, by reading the class files of a bean's
 * class and its superclasses. It does not find calls that are not visible there (from nested classes, by reflection). Stateless.
 */
final class SelfInvocations {
    private static final Logger LOG = LoggerFactory.getLogger(SelfInvocations.class);

    /** Kotlin's compiler puts the body of an open suspending function into a static method, whose first parameter is the object. */
    private static final String SUSPENDING_BODY = "$suspendImpl";

    private SelfInvocations() {}

    /**
     * One such call.
     *
     * @param caller name of the calling method
     * @param callerSignature its name and descriptor
     * @param line line number, 0 if unknown
     * @param locked the locked method that is called
     */
    record SelfInvocation(String caller, String callerSignature, int line, Method locked) {}

    /** Finds the calls of any of {@code locked} within {@code type} and its superclasses. */
    static List<SelfInvocation> find(Class<?> type, Collection<Method> locked) {
        Map<String, Method> bySignature = new HashMap<>();
        locked.forEach(method -> bySignature.put(signature(method), method));
        List<SelfInvocation> found = new ArrayList<>();
        for (Class<?> read = type; read != null && read != Object.class; read = read.getSuperclass()) {
            try (InputStream bytes = read.getResourceAsStream(ClassUtils.getClassFileName(read))) {
                if (bytes != null) {
                    new ClassReader(bytes).accept(new Scan(bySignature, read, found), ClassReader.SKIP_FRAMES);
                }
            } catch (IOException | RuntimeException e) {
                LOG.debug("The class file of {} could not be searched for self-invocations", read.getName(), e);
            }
        }
        return found;
    }

    static String signature(Method method) {
        return method.getName() + Type.getMethodDescriptor(method);
    }

    private static final class Scan extends ClassVisitor {
        private final Map<String, Method> locked;
        private final Class<?> type;
        private final List<SelfInvocation> found;

        Scan(Map<String, Method> locked, Class<?> type, List<SelfInvocation> found) {
            super(SpringAsmInfo.ASM_VERSION);
            this.locked = locked;
            this.type = type;
            this.found = found;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            boolean isBridge = (access & Opcodes.ACC_BRIDGE) != 0;
            if (isStatic && name.endsWith(SUSPENDING_BODY)) {
                Type[] arguments = Type.getArgumentTypes(descriptor);
                return new Calls(
                        name.substring(0, name.length() - SUSPENDING_BODY.length()),
                        Type.getMethodDescriptor(
                                Type.getReturnType(descriptor), Arrays.copyOfRange(arguments, 1, arguments.length)));
            }
            return isStatic || isBridge ? null : new Calls(name, descriptor);
        }

        private boolean isOwnClass(String internalName) {
            for (Class<?> own = type; own != null && own != Object.class; own = own.getSuperclass()) {
                if (Type.getInternalName(own).equals(internalName)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isOwnClass(Type value) {
            return value.getSort() == Type.OBJECT && isOwnClass(value.getInternalName());
        }

        /**
         * Collects the calls of one method. Their receiver can only be {@code this} unless the method gets another object of the class from
         * somewhere: a parameter, a field, a call, a cast. Where it does, nothing is reported.
         */
        private final class Calls extends MethodVisitor {
            private final String name;
            private final String descriptor;
            private final List<SelfInvocation> calls = new ArrayList<>();
            private boolean mayMeetAnother;
            private boolean isRestoring;
            private int line;

            Calls(String name, String descriptor) {
                super(SpringAsmInfo.ASM_VERSION);
                this.name = name;
                this.descriptor = descriptor;
                for (Type argument : Type.getArgumentTypes(descriptor)) {
                    meets(argument);
                }
            }

            private void meets(Type value) {
                mayMeetAnother |= isOwnClass(value);
            }

            @Override
            public void visitLineNumber(int number, Label start) {
                line = number;
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String fieldDescriptor) {
                // A suspended function gets its own objects back from such a field of its continuation.
                isRestoring = opcode == Opcodes.GETFIELD && field.startsWith("L$");
                if (opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC) {
                    meets(Type.getType(fieldDescriptor));
                }
            }

            @Override
            public void visitTypeInsn(int opcode, String internalName) {
                boolean isRestored = opcode == Opcodes.CHECKCAST && isRestoring;
                isRestoring = false;
                if (!isRestored && (opcode == Opcodes.CHECKCAST || opcode == Opcodes.NEW)) {
                    meets(Type.getObjectType(internalName));
                }
            }

            @Override
            public void visitMethodInsn(
                    int opcode, String owner, String calledName, String calledDescriptor, boolean isInterface) {
                meets(Type.getReturnType(calledDescriptor));
                if (opcode != Opcodes.INVOKESTATIC) {
                    calls(owner, calledName, calledDescriptor);
                }
            }

            @Override
            public void visitInvokeDynamicInsn(String factory, String captured, Handle bootstrap, Object... arguments) {
                boolean capturesOwn =
                        Type.getArgumentTypes(captured).length == 1 && isOwnClass(Type.getArgumentTypes(captured)[0]);
                for (Object argument : arguments) {
                    if (capturesOwn && argument instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
                        calls(handle.getOwner(), handle.getName(), handle.getDesc());
                    }
                }
            }

            private void calls(String owner, String calledName, String calledDescriptor) {
                Method called = locked.get(calledName + calledDescriptor);
                boolean recursion = calledName.equals(name) && calledDescriptor.equals(descriptor);
                if (called != null && !recursion && isOwnClass(owner)) {
                    calls.add(new SelfInvocation(readable(name), name + descriptor, line, called));
                }
            }

            @Override
            public void visitEnd() {
                if (!mayMeetAnother) {
                    found.addAll(calls);
                }
            }
        }

        /** Returns the name of the enclosing method for the body of a lambda, which is a separate method in the class file. */
        private static String readable(String name) {
            String[] parts = name.split("\\$", -1);
            return parts.length == 3 && parts[0].equals("lambda") ? parts[1] : name;
        }
    }
}
