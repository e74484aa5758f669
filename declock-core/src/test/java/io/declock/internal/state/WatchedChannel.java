// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file of the local disk; a test says what happens before and after what is written. */
abstract class WatchedChannel extends FileChannel {
    private final FileChannel channel;

    WatchedChannel(FileChannel channel) {
        this.channel = channel;
    }

    void beforeWrite() throws IOException {}

    void afterWrite() throws IOException {}

    void beforeForce() throws IOException {}

    void afterForce() throws IOException {}

    @Override
    public int write(ByteBuffer content, long position) throws IOException {
        beforeWrite();
        int written = channel.write(content, position);
        afterWrite();
        return written;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        beforeForce();
        channel.force(metaData);
        afterForce();
    }

    @Override
    public int read(ByteBuffer content, long position) throws IOException {
        return channel.read(content, position);
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        channel.truncate(size);
        return this;
    }

    @Override
    protected void implCloseChannel() throws IOException {
        channel.close();
    }

    @Override
    public int read(ByteBuffer content) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] content, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer content) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] content, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
