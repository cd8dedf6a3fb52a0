/*
 * generate_wire.h - protobuf straight to a file, for messages of any size
 *
 *   struct message  a message small enough to build in place (a node, the
 *                   head of a tensor); may end in a "tail", a byte string
 *                   that is counted in every length but written elsewhere
 *   struct file     a 1 MiB window in front of a descriptor; remembers the
 *                   first error and the offset of the next byte.  Without a
 *                   descriptor it is a ruler: it only counts, which is how
 *                   the length of a message that fits nowhere is learnt
 *
 * A tail must be the last thing in each of the messages that enclose it.
 * ONNX and TensorFlow both allow that with fields in ascending order, as
 * raw_data and tensor_content have the highest number in use.
 */
#ifndef TENON_BENCH_GENERATE_WIRE_H
#define TENON_BENCH_GENERATE_WIRE_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WIRE_VARINT = 0, WIRE_LEN = 2, WIRE_I32 = 5 };
enum { VARINT_MAX = 10, WINDOW_SIZE = 1 << 20, MESSAGE_SIZE = 8192 };

static inline void store_le32(uint8_t *to, uint32_t value)
{
    value = htole32(value); /* gcc 12 makes a detour of four byte stores */
    memcpy(to, &value, sizeof value);
}

/* Returns the number of bytes written, at most VARINT_MAX. */
static inline size_t store_varint(uint8_t *to, uint64_t value)
{
    size_t size = 0;

    for (; value >= 0x80; value >>= 7)
        to[size++] = (uint8_t)(value | 0x80);
    to[size++] = (uint8_t)value;
    return size;
}

/* --- messages ---------------------------------------------------------- */

struct message {
    size_t   size;
    uint64_t tail; /* bytes that follow, and that every open length counts */
    uint8_t  bytes[MESSAGE_SIZE];
};

static inline void message_clear(struct message *m)
{
    m->size = 0;
    m->tail = 0;
}

/* Room for n more bytes.  Not having it is a mistake in this program. */
static inline uint8_t *message_room(struct message *m, size_t n)
{
    if (m->tail != 0 || n > sizeof m->bytes - m->size) {
        fprintf(stderr, "generate: a message is too long, or goes on "
                        "after its tail\n");
        abort();
    }
    return m->bytes + m->size;
}

static inline void message_varint(struct message *m, uint64_t value)
{
    m->size += store_varint(message_room(m, VARINT_MAX), value);
}

static inline void message_tag(struct message *m, uint32_t field, uint32_t wire)
{
    message_varint(m, (uint64_t)field << 3 | wire);
}

static inline void message_int(struct message *m, uint32_t field, int64_t value)
{
    message_tag(m, field, WIRE_VARINT);
    message_varint(m, (uint64_t)value);
}

static inline void message_float(struct message *m, uint32_t field, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    message_tag(m, field, WIRE_I32);
    store_le32(message_room(m, 4), bits);
    m->size += 4;
}

static inline void message_copy(struct message *m, const void *from,
                                size_t size)
{
    memcpy(message_room(m, size), from, size);
    m->size += size;
}

static inline void message_bytes(struct message *m, uint32_t field,
                                 const void *bytes, size_t size)
{
    message_tag(m, field, WIRE_LEN);
    message_varint(m, size);
    message_copy(m, bytes, size);
}

static inline void message_text(struct message *m, uint32_t field,
                                const char *text)
{
    message_bytes(m, field, text, strlen(text));
}

/* The string `scope` + `leaf`: nearly every name is one of those, and two
 * copies are several times cheaper than a printf. */
static inline void message_name(struct message *m, uint32_t field,
                                const char *scope, const char *leaf)
{
    size_t scope_size = strlen(scope), leaf_size = strlen(leaf);

    message_tag(m, field, WIRE_LEN);
    message_varint(m, scope_size + leaf_size);
    message_copy(m, scope, scope_size);
    message_copy(m, leaf, leaf_size);
}

/* Open a nested message; hand the result to message_end(). */
static inline size_t message_begin(struct message *m, uint32_t field)
{
    message_tag(m, field, WIRE_LEN);
    return m->size;
}

/* The length goes in front of what is already there, in its shortest form:
 * most nested messages are short, so most moves are too. */
static inline void message_end(struct message *m, size_t begin)
{
    uint8_t  length[VARINT_MAX];
    size_t   body = m->size - begin;
    size_t   size = store_varint(length, body + m->tail);
    uint64_t tail = m->tail;

    m->tail = 0;
    message_room(m, size);
    memmove(m->bytes + begin + size, m->bytes + begin, body);
    memcpy(m->bytes + begin, length, size);
    m->size += size;
    m->tail = tail;
}

/* Announce a bytes field of `size` bytes, which the caller writes. */
static inline void message_tail(struct message *m, uint32_t field,
                                uint64_t size)
{
    message_tag(m, field, WIRE_LEN);
    message_varint(m, size);
    m->tail = size;
}

/* --- files ------------------------------------------------------------- */

struct file {
    int      fd;     /* -1: a ruler                                      */
    int      error;  /* errno of the first failure, then all is ignored */
    uint64_t offset; /* of the next byte                                 */
    size_t   fill;   /* bytes in the window that are not written yet     */
    uint8_t *window; /* WINDOW_SIZE bytes; NULL for a ruler              */
};

static inline void file_flush(struct file *f)
{
    const uint8_t *at = f->window;

    while (f->fill > 0 && f->error == 0) {
        ssize_t n = write(f->fd, at, f->fill);

        if (n < 0 && errno != EINTR)
            f->error = errno;
        if (n > 0) {
            at += n;
            f->fill -= (size_t)n;
        }
    }
    f->fill = 0;
}

static inline bool file_is_ruler(const struct file *f)
{
    return f->fd < 0;
}

static inline void file_bytes(struct file *f, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    f->offset += size;
    while (size > 0 && !file_is_ruler(f)) {
        size_t room = WINDOW_SIZE - f->fill;
        size_t n    = size < room ? size : room;

        memcpy(f->window + f->fill, from, n);
        f->fill += n;
        from += n;
        size -= n;
        if (f->fill == WINDOW_SIZE)
            file_flush(f);
    }
}

/* Bytes that read as zero and take no space.  A file must not end in one. */
static inline void file_hole(struct file *f, uint64_t size)
{
    f->offset += size;
    if (file_is_ruler(f) || size == 0)
        return;
    file_flush(f);
    if (f->error == 0 && lseek(f->fd, (off_t)f->offset, SEEK_SET) < 0)
        f->error = errno;
}

/* What `m` holds so far, without a frame.  Its tail is the caller's. */
static inline void file_message(struct file *f, const struct message *m)
{
    file_bytes(f, m->bytes, m->size);
}

/* The tag and length of a field whose bytes follow. */
static inline void file_field(struct file *f, uint32_t field, uint64_t length)
{
    uint8_t bytes[2 * VARINT_MAX];
    size_t  size = store_varint(bytes, (uint64_t)field << 3 | WIRE_LEN);

    size += store_varint(bytes + size, length);
    file_bytes(f, bytes, size);
}

/* `m` as field number `field`; a tail has to follow. */
static inline void file_put(struct file *f, uint32_t field,
                            const struct message *m)
{
    file_field(f, field, m->size + m->tail);
    file_message(f, m);
}

#endif
