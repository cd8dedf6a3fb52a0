/* file_sink_test.c - bytes, ranges and holes arrive as they were sent */
#define _GNU_SOURCE
#include "io/file_sink.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/buffer.h"
#include "io/file_source.h"
#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* A byte that depends on where it is, so that a shifted copy shows. */
static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 131 + (offset >> 8) * 7 + (offset >> 16));
}

static void fill(int file, uint64_t offset, uint64_t size)
{
    uint8_t *bytes = malloc((size_t)size);

    assert_non_null(bytes);
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = byte_at(offset + i);
    assert_int_equal(pwrite(file, bytes, (size_t)size, (off_t)offset), size);
    free(bytes);
}

static struct tn_source *open_source(struct tn_scratch *scratch,
                                     struct tn_memory *memory, const char *name,
                                     bool is_mapped)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *source;
    int               file = openat(scratch->folder, name, O_RDONLY);

    assert_int_equal(
        tn_source_file(&source, memory, file, name, is_mapped, &error), TN_OK);
    return source;
}

static int read_pattern(void *context, uint64_t offset, void *to, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = byte_at(offset + i);
    return 0;
}

/* The kinds of sources a range can come from. */
static struct tn_source *source_of_kind(struct tn_scratch *scratch,
                                        struct tn_memory *memory, int kind,
                                        uint64_t size)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *source;

    if (kind == 0) {
        assert_int_equal(tn_source_callback(&source, memory, size, read_pattern,
                                            NULL, "", &error),
                         TN_OK);
        return source;
    }
    /* In memory, so on another file system than the target. */
    int file = kind == 4
                   ? memfd_create("from", 0)
                   : openat(scratch->folder, "from", O_RDWR | O_CREAT, 0666);
    fill(file, 0, size);
    if (kind == 4) {
        assert_int_equal(
            tn_source_file(&source, memory, file, "from", false, &error),
            TN_OK);
        return source;
    }
    close(file);
    source = open_source(scratch, memory, "from", kind != 1);
    if (kind == 3)
        tn_source_close_file(source);
    return source;
}

struct rig {
    struct tn_memory    memory;
    struct tn_error     error;
    struct tn_file_pool pool;
    struct tn_file_sink file;
};

static void set_up(struct rig *rig, struct tn_scratch *scratch, int descriptor,
                   bool is_stream)
{
    rig->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&rig->memory, NULL, 0);
    tn_file_pool_init(&rig->pool, &rig->memory, scratch->folder, NULL);
    assert_true(descriptor >= 0);
    assert_int_equal(tn_file_sink_init(&rig->file, &rig->pool, "to", descriptor,
                                       is_stream, &rig->error),
                     TN_OK);
}

static int create(struct tn_scratch *scratch)
{
    return openat(scratch->folder, "to", O_RDWR | O_CREAT | O_TRUNC, 0666);
}

static void write_and_splice(struct rig *rig, struct tn_source *source,
                             uint64_t length)
{
    struct tn_sink *sink = &rig->file.sink;

    (void)tn_sink_write(sink, tn_text("head"), &rig->error);
    (void)tn_sink_splice(sink, (struct tn_span){ source, 3, length },
                         &rig->error);
    (void)tn_sink_zeros(sink, 70 * KIB, &rig->error);
    (void)tn_sink_write(sink, tn_text("tail"), &rig->error);
    (void)tn_sink_zeros(sink, 5, &rig->error);
    assert_int_equal(rig->error.status, TN_OK);
    assert_int_equal(sink->offset, 4 + length + 70 * KIB + 4 + 5);
}

/* The same, and somebody looks on. */
static void write_and_show(struct rig *rig, struct tn_source *source,
                           uint64_t length)
{
    struct tn_sink  *sink = &rig->file.sink;
    struct tn_span   span = { source, 3, length };
    struct tn_buffer seen;

    tn_buffer_init(&seen, &rig->memory, &rig->error);
    (void)tn_sink_write(sink, tn_text("head"), &rig->error);
    (void)tn_sink_show(sink, span, &seen.sink, &rig->error);
    (void)tn_sink_zeros(sink, 70 * KIB, &rig->error);
    (void)tn_sink_write(sink, tn_text("tail"), &rig->error);
    (void)tn_sink_zeros(sink, 5, &rig->error);
    assert_int_equal(rig->error.status, TN_OK);
    assert_int_equal(sink->offset, 4 + length + 70 * KIB + 4 + 5);
    assert_int_equal(seen.size, length);
    for (uint64_t i = 0; i < length; i++)
        if (seen.data[i] != byte_at(3 + i))
            fail_msg("byte %llu that was shown", (unsigned long long)i);
    tn_buffer_done(&seen);
}

static void check_result(struct tn_bytes got, uint64_t length)
{
    const uint8_t *at = got.data;

    assert_int_equal(got.size, 4 + length + 70 * KIB + 4 + 5);
    assert_memory_equal(at, "head", 4);
    at += 4;
    for (uint64_t i = 0; i < length; i++)
        if (at[i] != byte_at(3 + i))
            fail_msg("byte %llu of the range", (unsigned long long)i);
    at += length;
    for (uint64_t i = 0; i < 70 * KIB; i++)
        assert_int_equal(at[i], 0);
    assert_memory_equal(at + 70 * KIB, "tail\0\0\0\0\0", 9);
}

static void ranges_of_every_source(void **state)
{
    static const uint64_t lengths[] = { 1,         64 * KIB - 1,  64 * KIB,
                                        256 * KIB, 300 * KIB + 1, 3 * MIB };
    struct tn_scratch     scratch   = tn_scratch_open();
    struct rig            rig;

    (void)state;
    for (int way = 0; way < 10; way++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            set_up(&rig, &scratch, create(&scratch), false);
            struct tn_source *source =
                source_of_kind(&scratch, &rig.memory, way / 2, lengths[i] + 10);
            (way % 2 ? write_and_show : write_and_splice)(&rig, source,
                                                          lengths[i]);
            assert_int_equal(tn_file_sink_finish(&rig.file, true, &rig.error),
                             TN_OK);
            tn_source_close(source);
            tn_file_pool_done(&rig.pool);
            assert_int_equal(rig.memory.used, 0);

            char           *path = tn_scratch_path(&scratch, "to");
            struct tn_bytes got  = tn_load_file(path);
            check_result(got, lengths[i]);
            free((void *)(uintptr_t)got.data);
            free(path);
        }
    tn_scratch_close(&scratch);
}

static int count_reserves(void *context, const char *step, const char *path)
{
    int *left = context;

    (void)path;
    return strcmp(step, "reserve") == 0 && --*left == 0 ? ENOSPC : 0;
}

/* A range that goes through windows asks for room once; a disk that is full is
 * a failure then, too. */
static void room_for_a_range(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (int full_at = 1; full_at <= 2; full_at++) {
        struct rig           rig;
        int                  left = full_at;
        struct tn_fault_hook hook = { count_reserves, &left };
        set_up(&rig, &scratch, create(&scratch), false);
        rig.pool.hook = &hook;
        struct tn_source *source =
            source_of_kind(&scratch, &rig.memory, 1, MIB);
        struct tn_span range = { source, 3, MIB - 3 };
        enum tn_status status =
            tn_sink_splice(&rig.file.sink, range, &rig.error);
        assert_int_equal(left, full_at - 1);
        assert_int_equal(status, full_at == 1 ? TN_IO : TN_OK);
        tn_source_close(source);
        tn_file_pool_done(&rig.pool);
    }
    tn_scratch_close(&scratch);
}

struct drain {
    int      pipe;
    uint8_t *bytes;
    size_t   size;
};

static void *drain_slowly(void *context)
{
    struct drain *drain = context;
    ssize_t       n;

    while ((n = read(drain->pipe, drain->bytes + drain->size, 5000)) > 0)
        drain->size += (size_t)n;
    return NULL;
}

/* Blocking and not: the writer has to wait for the reader. */
static void pipes_take_everything(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    uint64_t          length  = 700 * KIB + 5;

    (void)state;
    for (int i = 0; i < 8; i++) {
        int          ends[2];
        pthread_t    reader;
        struct drain drain = { .bytes = malloc(2 * MIB) };
        struct rig   rig;

        assert_int_equal(pipe2(ends, i & 4 ? O_NONBLOCK : 0), 0);
        fcntl(ends[0], F_SETFL, 0);
        drain.pipe = ends[0];
        assert_int_equal(pthread_create(&reader, NULL, drain_slowly, &drain),
                         0);
        set_up(&rig, &scratch, ends[1], true);
        struct tn_source *source =
            source_of_kind(&scratch, &rig.memory, i & 3, length + 10);
        write_and_splice(&rig, source, length);
        assert_int_equal(tn_file_sink_finish(&rig.file, true, &rig.error),
                         TN_OK);
        pthread_join(reader, NULL);
        check_result(tn_bytes(drain.bytes, drain.size), length);
        tn_source_close(source);
        tn_file_pool_done(&rig.pool);
        close(ends[0]);
        free(drain.bytes);
    }
    tn_scratch_close(&scratch);
}

/* Those that wait in the buffer and those that do not; returns how many bytes
 * they are. */
static size_t write_sizes(struct rig *rig)
{
    static const size_t sizes[] = { 24, 65512,  24, 32767,  32768,
                                    3,  262144, 24, 600000, 5 };
    uint8_t            *bytes   = malloc(MIB);
    size_t              at      = 0;

    assert_non_null(bytes);
    for (size_t i = 0; i < MIB; i++)
        bytes[i] = byte_at(i);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; at += sizes[i++])
        assert_int_equal(tn_sink_write(&rig->file.sink,
                                       tn_bytes(bytes + at, sizes[i]),
                                       &rig->error),
                         TN_OK);
    free(bytes);
    assert_int_equal(tn_file_sink_finish(&rig->file, false, &rig->error),
                     TN_OK);
    tn_file_pool_done(&rig->pool);
    return at;
}

static void check_sizes(struct tn_bytes got, size_t size)
{
    assert_int_equal(got.size, size);
    for (size_t i = 0; i < size; i++)
        if (got.data[i] != byte_at(i))
            fail_msg("byte %zu", i);
}

/* In a pipe that takes a part of the buffer, or all of it and a part of what
 * goes behind it. */
static void sizes_into_a_pipe(struct tn_scratch *scratch)
{
    struct drain drain = { .bytes = malloc(2 * MIB) };
    pthread_t    reader;
    struct rig   rig;
    int          ends[2];

    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    fcntl(ends[0], F_SETFL, 0);
    drain.pipe = ends[0];
    assert_int_equal(pthread_create(&reader, NULL, drain_slowly, &drain), 0);
    set_up(&rig, scratch, ends[1], true);
    size_t size = write_sizes(&rig);
    pthread_join(reader, NULL);
    check_sizes(tn_bytes(drain.bytes, drain.size), size);
    close(ends[0]);
    free(drain.bytes);
}

static void short_and_long_in_order(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char             *path    = tn_scratch_path(&scratch, "to");
    struct rig        rig;

    (void)state;
    set_up(&rig, &scratch, create(&scratch), false);
    size_t          size = write_sizes(&rig);
    struct tn_bytes got  = tn_load_file(path);
    check_sizes(got, size);
    free((void *)(uintptr_t)got.data);
    free(path);
    sizes_into_a_pipe(&scratch);
    tn_scratch_close(&scratch);
}

/* Filled from behind, and the last gap not at all: that is zeros. */
static void gaps_that_are_filled_later(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct rig        rig;

    (void)state;
    set_up(&rig, &scratch, create(&scratch), false);
    struct tn_sink *sink = &rig.file.sink;
    tn_sink_write(sink, tn_text("one "), &rig.error);
    tn_sink_gap(sink, 4, &rig.error);
    tn_sink_write(sink, tn_text("three "), &rig.error);
    tn_sink_gap(sink, 5, &rig.error);
    tn_sink_fill(sink, 14, tn_text("fo"), &rig.error);
    tn_sink_fill(sink, 16, tn_text("ur"), &rig.error);
    tn_sink_fill(sink, 4, tn_text("two "), &rig.error);
    assert_int_equal(sink->offset, 19);
    assert_int_equal(tn_file_sink_finish(&rig.file, true, &rig.error), TN_OK);
    char           *path = tn_scratch_path(&scratch, "to");
    struct tn_bytes got  = tn_load_file(path);
    assert_int_equal(got.size, 19);
    assert_memory_equal(got.data, "one two three four", 19);
    free((void *)(uintptr_t)got.data);
    free(path);
    tn_file_pool_done(&rig.pool);
    tn_scratch_close(&scratch);
}

/* What cannot seek has no gaps. */
static void no_gaps_in_a_stream(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct rig        rig;

    (void)state;
    set_up(&rig, &scratch, create(&scratch), true);
    assert_false(tn_sink_can_fill(&rig.file.sink));
    assert_int_equal(tn_sink_gap(&rig.file.sink, 4, &rig.error), TN_INVALID);
    tn_file_pool_done(&rig.pool);
    tn_scratch_close(&scratch);
}

/* `tenon ... >>file`: neither kind of kernel copy works on such a file. */
static void appending_to_a_file(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    uint64_t          length  = 700 * KIB + 5;
    struct rig        rig;

    (void)state;
    int file =
        openat(scratch.folder, "to", O_WRONLY | O_CREAT | O_APPEND, 0666);
    set_up(&rig, &scratch, file, true);
    struct tn_source *source =
        source_of_kind(&scratch, &rig.memory, 2, length + 10);
    write_and_splice(&rig, source, length);
    assert_int_equal(tn_file_sink_finish(&rig.file, true, &rig.error), TN_OK);
    char           *path = tn_scratch_path(&scratch, "to");
    struct tn_bytes got  = tn_load_file(path);
    check_result(got, length);
    free((void *)(uintptr_t)got.data);
    free(path);
    tn_source_close(source);
    tn_file_pool_done(&rig.pool);
    tn_scratch_close(&scratch);
}

/* Data at both ends of 5 GiB and in the middle, a lot of it in one place;
 * nothing in between. */
static void make_sparse(struct tn_scratch *scratch)
{
    int file = openat(scratch->folder, "from", O_RDWR | O_CREAT, 0666);

    fill(file, 0, 10000);
    fill(file, GIB, 2 * MIB);
    fill(file, 3 * GIB - 5, 10);
    fill(file, 5 * GIB - 100, 100);
    assert_int_equal(ftruncate(file, (off_t)(5 * GIB + 12345)), 0);
    close(file);
}

static void check_sparse(struct tn_scratch *scratch, uint64_t shift)
{
    static const uint64_t places[] = { 0,           9999,
                                       10000,       GIB - 1,
                                       GIB,         GIB + 2 * MIB - 1,
                                       3 * GIB - 5, 3 * GIB + 4,
                                       3 * GIB + 5, 5 * GIB - 1,
                                       5 * GIB };
    struct stat           about;
    int                   file = openat(scratch->folder, "to", O_RDONLY);

    assert_int_equal(fstat(file, &about), 0);
    assert_int_equal(about.st_size, shift + 5 * GIB + 12345);
    assert_true(about.st_blocks * 512 < (blkcnt_t)(3 * MIB));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint8_t  byte;
        uint64_t at      = places[i];
        bool     is_data = at < 10000 || (at >= GIB && at < GIB + 2 * MIB) ||
                       (at >= 3 * GIB - 5 && at < 3 * GIB + 5) ||
                       (at >= 5 * GIB - 100 && at < 5 * GIB);
        assert_int_equal(pread(file, &byte, 1, (off_t)(at + shift)), 1);
        assert_int_equal(byte, is_data ? byte_at(at) : 0);
    }
    close(file);
}

static void holes_stay_holes(void **state)
{
    static const uint64_t shifts[] = { 0, 4096, 7 };
    struct tn_scratch     scratch  = tn_scratch_open();

    (void)state;
    tn_skip_without_holes(&scratch);
    make_sparse(&scratch);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        struct rig rig;
        set_up(&rig, &scratch, create(&scratch), false);
        struct tn_source *source =
            open_source(&scratch, &rig.memory, "from", i % 2);
        (void)tn_sink_zeros(&rig.file.sink, shifts[i], &rig.error);
        assert_int_equal(
            tn_sink_splice(&rig.file.sink,
                           (struct tn_span){ source, 0, source->size },
                           &rig.error),
            TN_OK);
        assert_int_equal(tn_file_sink_finish(&rig.file, false, &rig.error),
                         TN_OK);
        tn_source_close(source);
        tn_file_pool_done(&rig.pool);
        check_sparse(&scratch, shifts[i]);
    }
    tn_scratch_close(&scratch);
}

/* A file that is nothing but a hole has its length all the same, also when it
 * had to give its slot away meanwhile. */
static void a_hole_alone(void **state)
{
    struct tn_scratch   scratch = tn_scratch_open();
    struct tn_file_sink others[TN_FILE_SLOT_COUNT];
    struct rig          rig;
    struct stat         about;

    (void)state;
    set_up(&rig, &scratch, create(&scratch), false);
    assert_int_equal(tn_sink_zeros(&rig.file.sink, 6 * GIB, &rig.error), TN_OK);
    for (int i = 0; i < TN_FILE_SLOT_COUNT; i++) {
        char name[2] = { (char)('0' + i), 0 };
        int  file    = openat(scratch.folder, name, O_CREAT | O_WRONLY, 0666);
        assert_int_equal(tn_file_sink_init(&others[i], &rig.pool, "other", file,
                                           false, &rig.error),
                         TN_OK);
    }
    assert_null(rig.file.slot);
    assert_int_equal(tn_file_sink_finish(&rig.file, false, &rig.error), TN_OK);
    assert_int_equal(fstatat(scratch.folder, "to", &about, 0), 0);
    assert_int_equal(about.st_size, 6 * GIB);
    assert_int_equal(about.st_blocks, 0);
    tn_file_pool_done(&rig.pool);
    tn_scratch_close(&scratch);
}

/* A file that is cut off while it is copied must not arrive as zeros. */
static void a_source_cut_short(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct rig        rig;

    (void)state;
    set_up(&rig, &scratch, create(&scratch), false);
    struct tn_source *source = source_of_kind(&scratch, &rig.memory, 1, MIB);
    char             *path   = tn_scratch_path(&scratch, "from");
    assert_int_equal(truncate(path, 1000), 0);
    free(path);
    assert_int_equal(tn_sink_splice(&rig.file.sink,
                                    (struct tn_span){ source, 0, MIB },
                                    &rig.error),
                     TN_IO);
    assert_int_equal(rig.error.offset, 1000);
    assert_string_equal(rig.error.file, "from");
    struct tn_error later = TN_ERROR_INIT;
    assert_int_equal(tn_sink_write(&rig.file.sink, tn_text("x"), &later),
                     TN_IO);
    tn_source_close(source);
    tn_file_pool_done(&rig.pool);
    tn_scratch_close(&scratch);
}

/* The limit stands in for a full disk: a signal less, an errno more. */
static void a_file_too_large(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    int               status;

    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = { 100000, 100000 };
        struct rig    rig;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        set_up(&rig, &scratch, create(&scratch), false);
        for (int i = 0; i < 1000 && !tn_failed(&rig.error); i++)
            (void)tn_sink_write(&rig.file.sink,
                                tn_bytes(scratch.path, sizeof scratch.path),
                                &rig.error);
        (void)tn_file_sink_finish(&rig.file, false, &rig.error);
        _exit(rig.error.status == TN_IO && strstr(rig.error.what, "to: ") ? 0
                                                                          : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_every_source),
        cmocka_unit_test(room_for_a_range),
        cmocka_unit_test(pipes_take_everything),
        cmocka_unit_test(short_and_long_in_order),
        cmocka_unit_test(gaps_that_are_filled_later),
        cmocka_unit_test(no_gaps_in_a_stream),
        cmocka_unit_test(appending_to_a_file),
        cmocka_unit_test(holes_stay_holes),
        cmocka_unit_test(a_hole_alone),
        cmocka_unit_test(a_source_cut_short),
        cmocka_unit_test(a_file_too_large),
    };

    return tn_run_on_every_os(tests);
}
