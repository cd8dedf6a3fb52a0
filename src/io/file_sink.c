/*
 * file_sink.c - sinks over the files of an output
 *
 * Blocks of another file are shared where the file system can do that. All else
 * is copied in windows through our buffer, into room that is reserved for all
 * of them at once: on ext4 that takes two thirds of the time of
 * copy_file_range, which asks for room page by page; to a stream the kernel
 * copies. Holes of the source become holes of the target: they are skipped, and
 * a file that ends in one gets its full length when it is finished.
 */
#define _DEFAULT_SOURCE
#include "io/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/expand.h"
#include "io/file_source.h"
#include "io/os.h"

/* Writes end at multiples of this: the kernel takes memory for them in blocks
 * as large as the write, if those are aligned.  1 MiB takes a quarter less time
 * where the system has free memory, and several times more on a virtual machine
 * that first gets it from its host. */
#define BUFFER_SIZE ((size_t)256 << 10)

/* From this size on, a system call is cheaper than a copy into the buffer. A
 * block of Riegeli is written this way, with its header out of the buffer. */
#define WORTH_A_CALL ((size_t)32 << 10)

/* From here on asking the kernel to copy is cheaper than copying. */
#define BIG (UINT64_C(64) << 10)

/* The most that one call copies, so that the hook is asked and signals are
 * handled between calls. */
#define MOST_A_CALL (UINT64_C(256) << 20)

void tn_file_pool_init(struct tn_file_pool *pool, struct tn_memory *memory,
                       int folder, const struct tn_fault_hook *hook)
{
    *pool = (struct tn_file_pool){ .memory  = memory,
                                   .hook    = hook,
                                   .folder  = folder,
                                   .failure = TN_ERROR_INIT,
                                   .lock    = PTHREAD_MUTEX_INITIALIZER };
}

void tn_file_pool_done(struct tn_file_pool *pool)
{
    for (int i = 0; i < TN_FILE_SLOT_COUNT; i++) {
        struct tn_file_slot *slot = &pool->slots[i];
        if (slot->holder) {
            slot->holder->slot = NULL;
            close(slot->descriptor);
        }
        tn_memory_free(pool->memory, slot->buffer, BUFFER_SIZE);
        *slot = (struct tn_file_slot){ 0 };
    }
}

int tn_file_pool_step(struct tn_file_pool *pool, const char *step,
                      const char *name)
{
    if (!pool->hook)
        return 0;
    pthread_mutex_lock(&pool->lock);
    int number = pool->hook->before(pool->hook->context, step, name);
    pthread_mutex_unlock(&pool->lock);
    return number;
}

/* Messages name the target, not the temporary file, which the user does not
 * know. */
static const char *title_of(const struct tn_file_sink *sink)
{
    return sink->title ? sink->title : sink->name;
}

static enum tn_status fail_write(const struct tn_file_sink *sink, int number,
                                 struct tn_error *error)
{
    return tn_error_errno(error, number, "cannot write %s", title_of(sink));
}

/* A non-blocking standard output is full; wait as a blocking one would. */
static void wait_for_room(int descriptor)
{
    struct pollfd full = { .fd = descriptor, .events = POLLOUT };

    (void)poll(&full, 1, -1);
}

/* Called when bytes have reached the file at `position`. */
static void advance(struct tn_file_sink *sink, uint64_t size)
{
    sink->position += size;
    sink->reach = sink->position;
}

/* Writes some bytes of `head` and, after them, of `bytes`.  Returns how many,
 * or -1. */
static ssize_t put_some(struct tn_file_sink *sink, uint64_t position,
                        struct tn_bytes head, struct tn_bytes bytes)
{
    struct iovec parts[2] = {
        { (void *)(uintptr_t)head.data, head.size },
        { (void *)(uintptr_t)bytes.data, tn_min_size(bytes.size, MOST_A_CALL) },
    };
    int number = tn_file_pool_step(sink->pool, "write", sink->name);

    if (number) {
        errno = number;
        return -1;
    }
    if (sink->is_stream)
        return writev(sink->slot->descriptor, parts, 2);
    return pwritev(sink->slot->descriptor, parts, 2, (off_t)position);
}

/* Takes up to `count` bytes off the front.  Returns how much of `count` is
 * left. */
static size_t take_off(struct tn_bytes *bytes, size_t count)
{
    size_t size = tn_min_size(count, bytes->size);

    if (size)
        *bytes = tn_bytes(bytes->data + size, bytes->size - size);
    return count - size;
}

/* Passes bytes to the caller's function. */
static enum tn_status tell(struct tn_file_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    int number = tn_file_pool_step(sink->pool, "write", sink->name);

    if (!number && bytes.size)
        number = sink->pool->write(sink->pool->write_context, bytes.data,
                                   bytes.size);
    if (number)
        return fail_write(sink, number, error);
    advance(sink, bytes.size);
    return TN_OK;
}

/* Writes to the file without the buffer. */
static enum tn_status put(struct tn_file_sink *sink, struct tn_bytes head,
                          struct tn_bytes bytes, struct tn_error *error)
{
    if (sink->pool->is_dry) {
        advance(sink, head.size + bytes.size);
        return TN_OK;
    }
    if (sink->pool->write) {
        TN_TRY(tell(sink, head, error));
        return tell(sink, bytes, error);
    }
    while (head.size || bytes.size) {
        ssize_t n = put_some(sink, sink->position, head, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN && sink->is_stream) {
            wait_for_room(sink->slot->descriptor);
            continue;
        }
        if (n < 0)
            return fail_write(sink, errno, error);
        advance(sink, (uint64_t)n);
        (void)take_off(&bytes, take_off(&head, (size_t)n));
    }
    return TN_OK;
}

/* Writes what is in the buffer, and these bytes after it. */
static enum tn_status flush_with(struct tn_file_sink *sink,
                                 struct tn_bytes bytes, struct tn_error *error)
{
    struct tn_file_slot *slot = sink->slot;
    size_t               size = slot->filled;

    slot->filled = 0;
    return put(sink, tn_bytes(slot->buffer, size), bytes, error);
}

static enum tn_status flush(struct tn_file_sink *sink, struct tn_error *error)
{
    return flush_with(sink, tn_bytes(NULL, 0), error);
}

/* Gives the slot back.  Some file systems only say at close that the disk is
 * full. */
static enum tn_status give_slot_back(struct tn_file_sink *sink,
                                     struct tn_error     *error)
{
    struct tn_file_slot *slot   = sink->slot;
    enum tn_status       status = flush(sink, error);

    if (close(slot->descriptor) != 0 && errno != EINTR && status == TN_OK)
        status = fail_write(sink, errno, error);
    slot->holder    = NULL;
    slot->last_used = 0;
    sink->slot      = NULL;
    return status;
}

static enum tn_status free_slot(struct tn_file_pool  *pool,
                                struct tn_file_slot **out,
                                struct tn_error      *error)
{
    struct tn_file_slot *slot = &pool->slots[0];

    for (int i = 1; i < TN_FILE_SLOT_COUNT; i++)
        if (pool->slots[i].last_used < slot->last_used)
            slot = &pool->slots[i];
    if (slot->holder)
        TN_TRY(give_slot_back(slot->holder, error));
    if (!slot->buffer)
        slot->buffer =
            tn_memory_resize(pool->memory, NULL, 0, BUFFER_SIZE, error);
    *out = slot;
    return error->status;
}

static void fill_slot(struct tn_file_sink *sink, struct tn_file_slot *slot,
                      int descriptor)
{
    slot->holder     = sink;
    slot->filled     = 0;
    slot->descriptor = descriptor;
    slot->last_used  = ++sink->pool->clock;
    sink->slot       = slot;
}

/* Opens the file again if another one took its slot meanwhile. */
static enum tn_status reopen(struct tn_file_sink *sink, struct tn_error *error)
{
    struct tn_file_slot *slot;

    if (sink->slot) {
        sink->slot->last_used = ++sink->pool->clock;
        return TN_OK;
    }
    TN_TRY(free_slot(sink->pool, &slot, error));
    int file = openat(sink->pool->folder, sink->name,
                      O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return fail_write(sink, errno, error);
    fill_slot(sink, slot, file);
    return TN_OK;
}

/* Each operation begins and ends here: the first failure is final. */
static enum tn_status begin(struct tn_file_sink *sink, struct tn_error *error)
{
    if (tn_failed(error))
        return error->status;
    if (tn_failed(&sink->pool->failure)) {
        *error = sink->pool->failure;
        return error->status;
    }
    return TN_OK;
}

/* The same for what takes `count` bytes more.  Nothing of them is written when
 * they are too many. */
static enum tn_status begin_bytes(struct tn_file_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    struct tn_file_pool *pool = sink->pool;
    uint64_t             sum  = 0;

    TN_TRY(begin(sink, error));
    if (!tn_add(pool->taken, count, &sum))
        sum = UINT64_MAX;
    if (pool->max_expand && sum > pool->max_expand) {
        tn_expand_refuse(sum, pool->max_expand, TN_NOWHERE, error);
        pool->failure = *error;
        return error->status;
    }
    pool->taken = sum;
    return TN_OK;
}

static enum tn_status keep(struct tn_file_pool *pool, enum tn_status status,
                           const struct tn_error *error)
{
    if (status == TN_OK)
        return status;
    pthread_mutex_lock(&pool->lock);
    if (!tn_failed(&pool->failure))
        pool->failure = *error;
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* How much more the buffer takes before it is written, so that the next write
 * begins at a multiple of its size. */
static size_t room_of(const struct tn_file_sink *sink)
{
    return BUFFER_SIZE - (size_t)(sink->position & (BUFFER_SIZE - 1)) -
           sink->slot->filled;
}

static enum tn_status write_bytes(struct tn_file_sink *sink,
                                  struct tn_bytes bytes, struct tn_error *error)
{
    TN_TRY(reopen(sink, error));
    struct tn_file_slot *slot = sink->slot;
    if (bytes.size >= WORTH_A_CALL)
        return flush_with(sink, bytes, error);
    while (bytes.size) {
        size_t size = tn_min_size(bytes.size, room_of(sink));
        memcpy(slot->buffer + slot->filled, bytes.data, size);
        slot->filled += size;
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
        if (room_of(sink) == 0)
            TN_TRY(flush(sink, error));
    }
    return TN_OK;
}

/* Writes from the memory of the source. */
static enum tn_status copy_lent(struct tn_file_sink *sink, struct tn_span span,
                                struct tn_error *error)
{
    while (span.length) {
        struct tn_bytes bytes = tn_source_take(span.source, span.offset,
                                               span.length, NULL, 0, error);
        if (!bytes.size)
            return error->status;
        write_bytes(sink, bytes, error);
        tn_source_give_back(span.source, span.offset, bytes, NULL);
        TN_TRY(error->status);
        span.offset += bytes.size;
        span.length -= bytes.size;
    }
    return TN_OK;
}

/* Copies through our buffer: for sources that are not files, for short ranges,
 * and where the kernel does not copy. */
static enum tn_status copy_windows(struct tn_file_sink *sink,
                                   struct tn_span span, struct tn_error *error)
{
    struct tn_file_slot *slot = sink->slot;

    if (span.source->lend)
        return copy_lent(sink, span, error);
    while (span.length) {
        size_t size = tn_min_size(span.length, room_of(sink));
        TN_TRY(tn_source_read(span.source, span.offset,
                              slot->buffer + slot->filled, size, error));
        slot->filled += size;
        if (room_of(sink) == 0)
            TN_TRY(flush(sink, error));
        span.offset += size;
        span.length -= size;
    }
    return TN_OK;
}

/* One way in which the kernel copies: returns how many bytes it moved, or -1
 * with errno. */
typedef ssize_t copier(struct tn_file_sink *sink, int from, off_t offset,
                       size_t size);

static ssize_t share_range(struct tn_file_sink *sink, int from, off_t offset,
                           size_t size)
{
    return tn_os->share_range(from, offset, sink->slot->descriptor,
                              (off_t)sink->position, size);
}

static ssize_t send_range(struct tn_file_sink *sink, int from, off_t offset,
                          size_t size)
{
    return tn_os->send_range(from, offset, sink->slot->descriptor, size);
}

/* Whether the kernel refuses this way of copying, rather than the copy itself.
 */
static bool is_refusal(int number)
{
    return number == EXDEV || number == EINVAL || number == ENOSYS ||
           number == EOPNOTSUPP || number == EBADF || number == EPERM ||
           number == ETXTBSY || number == ENOTTY;
}

/* Moves what it can off the front of the span.  If it returns OK and the span
 * is not empty, this way does not work here, or the source has become shorter:
 * the next way finds out. */
static enum tn_status copy_by(copier *copy, struct tn_file_sink *sink,
                              struct tn_span *span, struct tn_error *error)
{
    int from = tn_source_descriptor(span->source);

    while (span->length) {
        int number = tn_file_pool_step(sink->pool, "copy", sink->name);
        if (number)
            return fail_write(sink, number, error);
        size_t  size = tn_min_size(span->length, MOST_A_CALL);
        ssize_t n    = copy(sink, from, (off_t)span->offset, size);
        if (n == 0 || (n < 0 && is_refusal(errno)))
            return TN_OK;
        if (n < 0 && errno == EAGAIN && sink->is_stream)
            wait_for_room(sink->slot->descriptor);
        else if (n < 0 && errno != EINTR)
            return fail_write(sink, errno, error);
        if (n < 0)
            continue;
        advance(sink, (uint64_t)n);
        span->offset += (uint64_t)n;
        span->length -= (uint64_t)n;
    }
    return TN_OK;
}

/* The target shares blocks with the source. */
static bool is_block_to_block(const struct tn_file_sink *sink,
                              struct tn_span             span)
{
    return ((sink->position | span.offset) & 4095) == 0;
}

/* Reserves room for a whole range at once: if every write asks for its own
 * blocks, the copy is a quarter slower on ext4.  A file system that cannot do
 * it, or is full, will say so when it is written to. */
static enum tn_status reserve(struct tn_file_sink *sink, uint64_t size,
                              struct tn_error *error)
{
    if (sink->is_stream || size <= BUFFER_SIZE)
        return TN_OK;
    int number = tn_file_pool_step(sink->pool, "reserve", sink->name);
    if (number)
        return fail_write(sink, number, error);
    tn_os->reserve(sink->slot->descriptor, (off_t)sink->position, (off_t)size);
    return TN_OK;
}

static enum tn_status copy_data(struct tn_file_sink *sink, struct tn_span span,
                                struct tn_error *error)
{
    if (sink->is_stream)
        TN_TRY(copy_by(send_range, sink, &span, error));
    else if (is_block_to_block(sink, span))
        TN_TRY(copy_by(share_range, sink, &span, error));
    TN_TRY(reserve(sink, span.length, error));
    TN_TRY(copy_windows(sink, span, error));
    return flush(sink, error);
}

/* The answer of the system, at most `end`; `otherwise` if it does not know
 * about holes. */
static uint64_t bounded(off_t found, uint64_t end, uint64_t otherwise)
{
    if (found >= 0)
        return tn_min((uint64_t)found, end);
    return errno == ENXIO ? end : otherwise;
}

/* Past the end of a file everything is a hole: a file that was cut off would
 * turn into zeros. */
static enum tn_status check_length(struct tn_span span, struct tn_error *error)
{
    struct stat about;
    int         file = tn_source_descriptor(span.source);

    if (fstat(file, &about) != 0)
        return tn_error_errno(error, errno, "cannot read %s",
                              span.source->name);
    if ((uint64_t)about.st_size >= span.offset + span.length)
        return TN_OK;
    tn_error_set(error, TN_IO, (uint64_t)about.st_size,
                 "the file became shorter while it was read");
    tn_error_file(error, span.source->name);
    return TN_IO;
}

static enum tn_status copy_extents(struct tn_file_sink *sink,
                                   struct tn_span span, struct tn_error *error)
{
    int      from = tn_source_descriptor(span.source);
    uint64_t at   = span.offset;
    uint64_t end  = span.offset + span.length;

    TN_TRY(check_length(span, error));
    while (at < end) {
        uint64_t data = bounded(tn_os->next_data(from, (off_t)at), end, at);
        uint64_t hole = data;
        sink->position += data - at;
        if (data < end)
            hole = bounded(tn_os->next_hole(from, (off_t)data), end, end);
        struct tn_span extent = { span.source, data, hole - data };
        TN_TRY(copy_data(sink, extent, error));
        at = hole;
    }
    return TN_OK;
}

/* In a dry run, bytes of a file are not read: it is enough that they exist. */
static enum tn_status copy_nothing(struct tn_file_sink *sink,
                                   struct tn_span span, struct tn_error *error)
{
    TN_TRY(check_length(span, error));
    advance(sink, span.length);
    return TN_OK;
}

static enum tn_status write_zeros(struct tn_file_sink *sink, uint64_t count,
                                  struct tn_error *error);

/* For a source that is not a file, or a short range: a hole in it becomes a
 * hole here. */
static enum tn_status copy_runs(struct tn_file_sink *sink, struct tn_span span,
                                struct tn_error *error)
{
    bool is_hole;

    while (span.length) {
        struct tn_span part = tn_span_extent(&span, &is_hole);
        TN_TRY(is_hole ? write_zeros(sink, part.length, error)
                       : copy_windows(sink, part, error));
    }
    return TN_OK;
}

static enum tn_status splice_span(struct tn_file_sink *sink,
                                  struct tn_span span, struct tn_error *error)
{
    struct tn_source *source = span.source;

    TN_TRY(reopen(sink, error));
    if (span.length < BIG)
        return copy_runs(sink, span, error);
    TN_TRY(flush(sink, error));
    if (sink->pool->is_dry && tn_source_descriptor(source) >= 0)
        return copy_nothing(sink, span, error);
    if (tn_source_descriptor(source) >= 0 && !sink->pool->write)
        return sink->is_stream ? copy_data(sink, span, error)
                               : copy_extents(sink, span, error);
    if (source->map)
        return put(sink, tn_bytes(NULL, 0),
                   tn_bytes(source->map + span.offset, (size_t)span.length),
                   error);
    return copy_runs(sink, span, error);
}

static enum tn_status write_zeros(struct tn_file_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    TN_TRY(reopen(sink, error));
    struct tn_file_slot *slot = sink->slot;
    if (count >= TN_HOLE_MIN && !sink->is_stream) {
        TN_TRY(flush(sink, error));
        sink->position += count;
        return TN_OK;
    }
    while (count) {
        size_t size = (size_t)tn_min(count, room_of(sink));
        memset(slot->buffer + slot->filled, 0, size);
        slot->filled += size;
        if (room_of(sink) == 0)
            TN_TRY(flush(sink, error));
        count -= size;
    }
    return TN_OK;
}

static enum tn_status file_write(struct tn_sink *base, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin_bytes(sink, bytes.size, error));
    return keep(sink->pool, write_bytes(sink, bytes, error), error);
}

static enum tn_status file_splice(struct tn_sink *base, struct tn_span span,
                                  struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin_bytes(sink, span.length, error));
    return keep(sink->pool, splice_span(sink, span, error), error);
}

/* Reads into the buffer, so that the bytes are still in the processor's cache
 * when they are written: a mapping would cost a fault for each page, and a
 * second copy. */
static enum tn_status copy_shown(struct tn_file_sink *sink, struct tn_span span,
                                 struct tn_sink  *watcher,
                                 struct tn_error *error)
{
    TN_TRY(reopen(sink, error));
    struct tn_file_slot *slot = sink->slot;
    while (span.length) {
        size_t   size = tn_min_size(span.length, room_of(sink));
        uint8_t *to   = slot->buffer + slot->filled;
        TN_TRY(tn_source_read_few(span.source, span.offset, to, size, error));
        TN_TRY(tn_sink_write(watcher, tn_bytes(to, size), error));
        slot->filled += size;
        if (room_of(sink) == 0)
            TN_TRY(flush(sink, error));
        span.offset += size;
        span.length -= size;
    }
    return TN_OK;
}

/* Only splicing looks for holes. */
static enum tn_status file_show(struct tn_sink *base, struct tn_span span,
                                struct tn_sink *watcher, struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    if (span.source->extent || sink->pool->is_dry) {
        TN_TRY(tn_sink_splice(watcher, span, error));
        return file_splice(base, span, error);
    }
    TN_TRY(begin_bytes(sink, span.length, error));
    return keep(sink->pool, copy_shown(sink, span, watcher, error), error);
}

static enum tn_status file_zeros(struct tn_sink *base, uint64_t count,
                                 struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin_bytes(sink, count, error));
    return keep(sink->pool, write_zeros(sink, count, error), error);
}

/* Writes to the file without the buffer, before the end, which keeps growing; a
 * patch in a hole leaves the rest of the hole. */
static enum tn_status write_over(struct tn_file_sink *sink, uint64_t back,
                                 struct tn_bytes bytes, struct tn_error *error)
{
    TN_TRY(reopen(sink, error));
    TN_TRY(flush(sink, error));
    uint64_t position = sink->position, reach = sink->reach;
    sink->position -= back;
    enum tn_status status = put(sink, tn_bytes(NULL, 0), bytes, error);
    sink->reach           = tn_max(sink->position, reach);
    sink->position        = position;
    return status;
}

static enum tn_status make_room(struct tn_file_sink *sink, uint64_t count,
                                struct tn_error *error)
{
    if (sink->pool->is_dry || count <= BUFFER_SIZE)
        return TN_OK;
    TN_TRY(reopen(sink, error));
    TN_TRY(flush(sink, error));
    return reserve(sink, count, error);
}

static enum tn_status file_expect(struct tn_sink *base, uint64_t count,
                                  struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin(sink, error));
    return keep(sink->pool, make_room(sink, count, error), error);
}

static enum tn_status file_patch(struct tn_sink *base, uint64_t back,
                                 struct tn_bytes bytes, struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin(sink, error));
    return keep(sink->pool, write_over(sink, back, bytes, error), error);
}

/* Bytes may have been placed after the last one that was written: the file gets
 * its full length when it is finished. */
static enum tn_status step_over(struct tn_file_sink *sink, uint64_t count,
                                struct tn_error *error)
{
    TN_TRY(reopen(sink, error));
    TN_TRY(flush(sink, error));
    sink->position += count;
    return TN_OK;
}

static enum tn_status file_gap(struct tn_sink *base, uint64_t count,
                               struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    TN_TRY(begin_bytes(sink, count, error));
    return keep(sink->pool, step_over(sink, count, error), error);
}

/* The slot stays taken, so no other file is written in the meantime. */
static enum tn_status file_fill(struct tn_sink *base, uint64_t offset,
                                struct tn_bytes bytes, struct tn_error *error)
{
    struct tn_file_sink *sink = (struct tn_file_sink *)base;

    offset += sink->origin;
    while (bytes.size && !sink->pool->is_dry) {
        ssize_t n = put_some(sink, offset, tn_bytes(NULL, 0), bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return keep(sink->pool, fail_write(sink, errno, error), error);
        offset += (uint64_t)n;
        bytes = tn_bytes(bytes.data + n, bytes.size - (size_t)n);
    }
    return TN_OK;
}

static const struct tn_sink_ops file_sink_ops = {
    .write  = file_write,
    .splice = file_splice,
    .show   = file_show,
    .zeros  = file_zeros,
    .expect = file_expect,
    .patch  = file_patch,
    .gap    = file_gap,
    .fill   = file_fill,
};

static const struct tn_sink_ops stream_sink_ops = {
    .write  = file_write,
    .splice = file_splice,
    .show   = file_show,
    .zeros  = file_zeros,
};

enum tn_status tn_file_sink_init(struct tn_file_sink *sink,
                                 struct tn_file_pool *pool, const char *name,
                                 int descriptor, bool is_stream,
                                 struct tn_error *error)
{
    struct tn_file_slot *slot;

    *sink = (struct tn_file_sink){
        .sink      = { .ops = is_stream ? &stream_sink_ops : &file_sink_ops },
        .pool      = pool,
        .name      = name,
        .is_stream = is_stream,
    };
    enum tn_status status = keep(pool, free_slot(pool, &slot, error), error);
    if (status != TN_OK)
        close(descriptor);
    else
        fill_slot(sink, slot, descriptor);
    return status;
}

enum tn_status tn_file_pool_flush(struct tn_file_pool *pool,
                                  struct tn_error     *error)
{
    for (int i = 0; i < TN_FILE_SLOT_COUNT; i++) {
        struct tn_file_sink *holder = pool->slots[i].holder;
        if (!holder)
            continue;
        TN_TRY(begin(holder, error));
        TN_TRY(keep(pool, flush(holder, error), error));
    }
    return TN_OK;
}

static enum tn_status stretch(struct tn_file_sink *sink, struct tn_error *error)
{
    int number = tn_file_pool_step(sink->pool, "truncate", sink->name);

    if (!number && ftruncate(sink->slot->descriptor, (off_t)sink->position))
        number = errno;
    if (number)
        return fail_write(sink, number, error);
    sink->reach = sink->position;
    return TN_OK;
}

static enum tn_status sync_file(struct tn_file_sink *sink,
                                struct tn_error     *error)
{
    int number = tn_file_pool_step(sink->pool, "sync", sink->name);

    if (!number && fsync(sink->slot->descriptor) != 0)
        number = errno;
    if (number)
        return tn_error_errno(error, number, "cannot sync %s", title_of(sink));
    return TN_OK;
}

static enum tn_status finish(struct tn_file_sink *sink, bool is_durable,
                             struct tn_error *error)
{
    bool ends_in_hole = sink->position > sink->reach && !sink->is_stream;

    if (!sink->slot && !ends_in_hole && !is_durable)
        return TN_OK;
    TN_TRY(reopen(sink, error));
    TN_TRY(flush(sink, error));
    if (sink->position > sink->reach)
        TN_TRY(stretch(sink, error));
    if (is_durable && !sink->is_stream)
        TN_TRY(sync_file(sink, error));
    return give_slot_back(sink, error);
}

enum tn_status tn_file_sink_finish(struct tn_file_sink *sink, bool is_durable,
                                   struct tn_error *error)
{
    TN_TRY(begin(sink, error));
    return keep(sink->pool, finish(sink, is_durable, error), error);
}
