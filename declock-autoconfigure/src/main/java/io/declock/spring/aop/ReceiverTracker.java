// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.util.Arrays;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows where {@code this} is on the operand stack of one method, precisely enough to tell {@code this.call(x ? a : b)} from
 * {@code other.call()}. Where it cannot tell, it assumes another object. It counts words, not values, as the stack instructions do.
 */
abstract class ReceiverTracker extends MethodVisitor {
    /** Pops and pushes of the instructions without operand, from NOP to MONITOREXIT; '-' for those handled separately. */
    private static final String[] EFFECTS = effects();

    private boolean[] stack = new boolean[16];
    private int depth;

    ReceiverTracker() {
        super(SpringAsmInfo.ASM_VERSION);
    }

    /** The method calls another method on {@code this}. */
    abstract void calledOnThis(String owner, String name, String descriptor);

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> duplicate(1, 0);
            case Opcodes.DUP_X1 -> duplicate(1, 1);
            case Opcodes.DUP_X2 -> duplicate(1, 2);
            case Opcodes.DUP2 -> duplicate(2, 0);
            case Opcodes.DUP2_X1 -> duplicate(2, 1);
            case Opcodes.DUP2_X2 -> duplicate(2, 2);
            case Opcodes.SWAP -> {
                boolean top = pop();
                boolean below = pop();
                push(top);
                push(below);
            }
            default -> effect(EFFECTS[opcode]);
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        effect(opcode == Opcodes.NEWARRAY ? "11" : "01");
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> push(variable == 0);
            case Opcodes.ILOAD, Opcodes.FLOAD -> effect("01");
            case Opcodes.LLOAD, Opcodes.DLOAD -> effect("02");
            case Opcodes.LSTORE, Opcodes.DSTORE -> effect("20");
            case Opcodes.RET -> effect("00");
            default -> effect("10");
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        switch (opcode) {
            case Opcodes.NEW -> push(false);
            case Opcodes.CHECKCAST -> effect("00");
            default -> effect("11");
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> change(0, size);
            case Opcodes.PUTSTATIC -> change(size, 0);
            case Opcodes.GETFIELD -> change(1, size);
            default -> change(size + 1, 0);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        change((sizes >> 2) - 1, 0);
        if (opcode != Opcodes.INVOKESTATIC && pop()) {
            calledOnThis(owner, name, descriptor);
        }
        change(0, sizes & 3);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        boolean capturesThis = depth >= 1 && stack[depth - 1] && (sizes >> 2) - 1 == 1;
        for (Object argument : arguments) {
            if (capturesThis && argument instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
                calledOnThis(handle.getOwner(), handle.getName(), handle.getDesc());
            }
        }
        change((sizes >> 2) - 1, sizes & 3);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        switch (opcode) {
            case Opcodes.GOTO -> effect("00");
            case Opcodes.JSR -> effect("01");
            case Opcodes.IFEQ,
                    Opcodes.IFNE,
                    Opcodes.IFLT,
                    Opcodes.IFGE,
                    Opcodes.IFGT,
                    Opcodes.IFLE,
                    Opcodes.IFNULL,
                    Opcodes.IFNONNULL -> effect("10");
            default -> effect("20");
        }
    }

    @Override
    public void visitLdcInsn(Object value) {
        change(0, value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label dflt, Label... labels) {
        effect("10");
    }

    @Override
    public void visitLookupSwitchInsn(Label dflt, int[] keys, Label[] labels) {
        effect("10");
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        change(dimensions, 1);
    }

    /** At a branch target the depth is known; the words below that depth are assumed to be unchanged. */
    @Override
    public void visitFrame(int type, int localCount, Object[] local, int stackCount, Object[] types) {
        int words = 0;
        for (int i = 0; i < stackCount; i++) {
            words += Opcodes.LONG.equals(types[i]) || Opcodes.DOUBLE.equals(types[i]) ? 2 : 1;
        }
        while (depth < words) {
            push(false);
        }
        depth = words;
    }

    private void effect(String popsAndPushes) {
        change(popsAndPushes.charAt(0) - '0', popsAndPushes.charAt(1) - '0');
    }

    private void change(int pops, int pushes) {
        for (int i = 0; i < pops; i++) {
            pop();
        }
        for (int i = 0; i < pushes; i++) {
            push(false);
        }
    }

    private void duplicate(int words, int below) {
        boolean[] top = new boolean[words];
        boolean[] under = new boolean[below];
        for (int i = words - 1; i >= 0; i--) {
            top[i] = pop();
        }
        for (int i = below - 1; i >= 0; i--) {
            under[i] = pop();
        }
        for (boolean[] part : new boolean[][] {top, under, top}) {
            for (boolean word : part) {
                push(word);
            }
        }
    }

    private void push(boolean isThis) {
        if (depth == stack.length) {
            stack = Arrays.copyOf(stack, depth * 2);
        }
        stack[depth++] = isThis;
    }

    private boolean pop() {
        return depth > 0 && stack[--depth];
    }

    private static String[] effects() {
        String[] effects = new String[256];
        Arrays.fill(effects, "00");
        fill(effects, Opcodes.ACONST_NULL, Opcodes.ICONST_5, "01");
        fill(effects, Opcodes.LCONST_0, Opcodes.LCONST_1, "02");
        fill(effects, Opcodes.FCONST_0, Opcodes.FCONST_2, "01");
        fill(effects, Opcodes.DCONST_0, Opcodes.DCONST_1, "02");
        fill(effects, Opcodes.IALOAD, Opcodes.SALOAD, "21");
        effects[Opcodes.LALOAD] = "22";
        effects[Opcodes.DALOAD] = "22";
        fill(effects, Opcodes.IASTORE, Opcodes.SASTORE, "30");
        effects[Opcodes.LASTORE] = "40";
        effects[Opcodes.DASTORE] = "40";
        effects[Opcodes.POP] = "10";
        effects[Opcodes.POP2] = "20";
        for (int opcode = Opcodes.IADD; opcode <= Opcodes.DREM; opcode++) {
            effects[opcode] = isWide(opcode - Opcodes.IADD) ? "42" : "21";
        }
        for (int opcode = Opcodes.INEG; opcode <= Opcodes.DNEG; opcode++) {
            effects[opcode] = isWide(opcode - Opcodes.INEG) ? "22" : "11";
        }
        for (int opcode = Opcodes.ISHL; opcode <= Opcodes.LUSHR; opcode++) {
            effects[opcode] = (opcode - Opcodes.ISHL) % 2 == 1 ? "32" : "21";
        }
        for (int opcode = Opcodes.IAND; opcode <= Opcodes.LXOR; opcode++) {
            effects[opcode] = (opcode - Opcodes.IAND) % 2 == 1 ? "42" : "21";
        }
        conversions(effects);
        effects[Opcodes.LCMP] = "41";
        fill(effects, Opcodes.FCMPL, Opcodes.FCMPG, "21");
        fill(effects, Opcodes.DCMPL, Opcodes.DCMPG, "41");
        effects[Opcodes.ARRAYLENGTH] = "11";
        fill(effects, Opcodes.MONITORENTER, Opcodes.MONITOREXIT, "10");
        return effects;
    }

    private static void conversions(String[] effects) {
        for (int opcode : new int[] {Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D}) {
            effects[opcode] = "12";
        }
        for (int opcode : new int[] {Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F}) {
            effects[opcode] = "21";
        }
    }

    /** Arithmetic comes in the order int, long, float, double. */
    private static boolean isWide(int offset) {
        return offset % 2 == 1;
    }

    private static void fill(String[] effects, int from, int to, String effect) {
        Arrays.fill(effects, from, to + 1, effect);
    }
}
