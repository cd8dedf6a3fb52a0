/* file_source_test.c - the same bytes from a map, a read, a call and a pipe */
#define _GNU_SOURCE
#include "io/file_source.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/cursor.h"
#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

#define GIB (UINT64_C(1) << 30)

/* A sanitizer's own memory does not fit under the limits set here. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ROOM_TO_LIMIT 0
#elif defined(__has_feature)
#define HAS_ROOM_TO_LIMIT !__has_feature(address_sanitizer)
#else
#define HAS_ROOM_TO_LIMIT 1
#endif

static struct tn_memory budget(void)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 0);
    return memory;
}

static struct tn_source *open_named(struct tn_scratch *scratch,
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

static void make_file(struct tn_scratch *scratch, const char *name,
                      uint64_t size)
{
    int file = openat(scratch->folder, name, O_RDWR | O_CREAT, 0666);

    assert_int_equal(ftruncate(file, (off_t)size), 0);
    for (uint64_t at = 0; at + 8 <= size; at += size / 64 + 8)
        assert_int_equal(pwrite(file, &at, 8, (off_t)at), 8);
    close(file);
}

static void reads_what_is_there(void **state)
{
    static const struct {
        uint64_t offset, size;
    } rows[] = {
        { 0, 1 },     { 0, 1000000 }, { 999999, 1 },  { 5, 65535 },
        { 5, 65536 }, { 5, 65537 },   { 1000000, 0 }, { 123456, 777 },
    };
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    uint8_t          *got     = malloc(1000000);

    (void)state;
    make_file(&scratch, "file", 1000000);
    char           *path = tn_scratch_path(&scratch, "file");
    struct tn_bytes all  = tn_load_file(path);
    for (int kind = 0; kind < 3; kind++) {
        struct tn_source *source =
            open_named(&scratch, &memory, "file", kind != 0);
        assert_int_equal(source->map != NULL, kind != 0);
        if (kind == 2)
            tn_source_close_file(source);
        assert_int_equal(tn_source_descriptor(source) >= 0, kind != 2);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct tn_error error = TN_ERROR_INIT;
            assert_int_equal(tn_source_read(source, rows[i].offset, got,
                                            (size_t)rows[i].size, &error),
                             TN_OK);
            assert_memory_equal(got, all.data + rows[i].offset,
                                (size_t)rows[i].size);
        }
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(tn_source_read(source, 999999, got, 2, &error),
                         TN_TRUNCATED);
        assert_int_equal(error.offset, 999999);
        assert_string_equal(error.file, "file");
        tn_source_close(source);
    }
    assert_int_equal(memory.used, 0);
    free((void *)(uintptr_t)all.data);
    free(path);
    free(got);
    tn_scratch_close(&scratch);
}

static bool is_resident(const uint8_t *at)
{
    /* present bit of the page's row */
    uint64_t row = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    int      map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    assert_int_equal(pread(map, &row, 8, (off_t)((uintptr_t)at / page * 8)), 8);
    close(map);
    return row >> 63;
}

/* Whole pages go, and come back as they were; what is no mapping stays. */
static void pages_that_are_let_go(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    uint64_t          page    = (uint64_t)sysconf(_SC_PAGESIZE);
    uint8_t           sum     = 0;

    (void)state;
    make_file(&scratch, "file", 64 * page);
    struct tn_source *source = open_named(&scratch, &memory, "file", true);
    for (uint64_t i = 0; i < 64; i++)
        sum = (uint8_t)(sum + source->map[i * page]);
    if (!is_resident(source->map)) { /* an emulator has other addresses */
        tn_source_close(source);
        tn_scratch_close(&scratch);
        skip();
    }
    tn_source_release_pages(source, page + 1, 8 * page);
    assert_true(is_resident(source->map + page));
    assert_false(is_resident(source->map + 2 * page));
    assert_false(is_resident(source->map + 8 * page));
    assert_true(is_resident(source->map + 9 * page));
    tn_source_release_pages(source, 60 * page, 5 * page); /* past the end */
    assert_true(is_resident(source->map + 60 * page));
    for (uint64_t i = 0; i < 64; i++)
        sum = (uint8_t)(sum - source->map[i * page]);
    assert_int_equal(sum, 0);
    tn_source_close(source);

    uint8_t *bytes = calloc(16, (size_t)page);
    memset(bytes, 7, 16 * (size_t)page);
    struct tn_source in_memory;
    tn_source_memory(&in_memory, &memory, tn_bytes(bytes, 16 * (size_t)page));
    tn_source_release_pages(&in_memory, 0, 16 * page);
    assert_int_equal(bytes[8 * page], 7);
    tn_source_close(&in_memory);
    free(bytes);
    tn_scratch_close(&scratch);
}

/* Little after a jump, more when it goes on (past a short gap and after a look
 * at the end, too), and the mapping in the end. */
static void hopping(void **state)
{
    static const uint64_t steps[][2] = { { 4096, 512 },
                                         { 4608, 1024 },
                                         { 1 << 20, 512 },
                                         { 1049088, 1024 },
                                         { 1050112, 2048 },
                                         { 1053184, 4096 },
                                         { 62 << 20, 512 },
                                         { 1057280, 8192 } };
    struct tn_memory      memory     = budget();
    struct tn_scratch     scratch    = tn_scratch_open();
    struct tn_error       error      = TN_ERROR_INIT;
    uint64_t              got, at = UINT64_C(8) << 20;

    (void)state;
    make_file(&scratch, "a", UINT64_C(64) << 20);
    struct tn_source *source = open_named(&scratch, &memory, "a", true);
    const uint8_t    *map    = source->map;
    assert_true(tn_source_hop(source));
    assert_false(tn_source_hop(source));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const uint8_t *bytes =
            tn_source_window(source, steps[i][0], 8, 8192, &got, &error);
        assert_int_equal(got, steps[i][1]);
        assert_memory_equal(bytes, map + steps[i][0], (size_t)got);
    }
    assert_true(tn_source_pin(source, 0, 1 << 16, &error) != map);
    assert_null(source->map);
    /* Hops do not go on for ever. */
    for (unsigned i = 0; i < 8192 && !source->map; i++, at += 4096)
        assert_non_null(tn_source_window(source, at, 8, 8192, &got, &error));
    assert_ptr_equal(source->map, map);
    assert_in_range(at, UINT64_C(20) << 20, UINT64_C(24) << 20);
    /* A long piece is none; and a file that is hopped over can be closed. */
    assert_true(tn_source_hop(source));
    assert_ptr_equal(tn_source_pin(source, 8, (1 << 16) + 1, &error), map + 8);
    assert_true(tn_source_hop(source));
    tn_source_close(source);
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

static void an_empty_file_is_mapped_too(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;

    (void)state;
    make_file(&scratch, "file", 0);
    struct tn_source *source = open_named(&scratch, &memory, "file", true);
    assert_int_equal(source->size, 0);
    assert_non_null(source->map);
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ source, 0, 0 }, &error);
    assert_false(tn_more(&c));
    assert_int_equal(error.status, TN_OK);
    tn_source_close(source);
    tn_scratch_close(&scratch);
}

/* The descriptor is gone afterwards, whatever it was. */
static void refuses_what_is_no_file(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_source *source;
    int               ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    int folder    = openat(scratch.folder, ".", O_RDONLY);
    int victims[] = { ends[0], ends[1], folder };
    for (int i = 0; i < 3; i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(
            tn_source_file(&source, &memory, victims[i], "it", true, &error),
            TN_INVALID);
        assert_null(source);
        assert_string_equal(error.what, "it is not a regular file");
        assert_int_equal(fcntl(victims[i], F_GETFD), -1);
    }
    struct tn_error error = TN_ERROR_INIT;
    assert_int_equal(
        tn_source_file(&source, &memory, folder, "it", true, &error), TN_IO);
    tn_scratch_close(&scratch);
}

static void a_file_cut_off_is_an_error(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    uint8_t          *got     = malloc(200000);

    (void)state;
    char *path = tn_scratch_path(&scratch, "file");
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
        struct tn_error error = TN_ERROR_INIT;
        make_file(&scratch, "file", 300000);
        struct tn_source *source =
            open_named(&scratch, &memory, "file", is_mapped);
        assert_int_equal(truncate(path, 100000), 0);
        assert_int_equal(tn_source_read(source, 50000, got, 200000, &error),
                         TN_IO);
        assert_int_equal(error.offset, 100000);
        assert_non_null(strstr(error.what, "shorter"));
        tn_source_close(source);
    }
    free(path);
    free(got);
    tn_scratch_close(&scratch);
}

/* 6 GiB through 64 MiB of data: the mapping is not ours to pay for. */
static int read_six_gib(struct tn_scratch *scratch)
{
    struct rlimit     limit  = { 64 << 20, 64 << 20 };
    struct tn_memory  memory = budget();
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_source *source;
    uint64_t          last = 0;

    if (HAS_ROOM_TO_LIMIT && setrlimit(RLIMIT_DATA, &limit) != 0)
        return 1;
    int file = openat(scratch->folder, "big", O_RDONLY);
    if (tn_source_file(&source, &memory, file, "big", true, &error) != TN_OK)
        return 2;
    if (!source->map || source->size != 6 * GIB || memory.used > 1000)
        return 3;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, &error);
    struct tn_span weights = tn_span(&c, 6 * GIB - 8);
    last                   = tn_u64(&c);
    if (weights.length != 6 * GIB - 8 || last != 42 || tn_failed(&error))
        return 4;
    tn_source_close(source);
    return memory.used == 0 ? 0 : 5;
}

static void six_gib_in_little_memory(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    uint8_t           last[8] = { 42 };
    int               status;

    (void)state;
#if SIZE_MAX < UINT64_MAX
    tn_scratch_close(&scratch);
    skip(); /* no room for such a mapping */
#endif
    int file = openat(scratch.folder, "big", O_RDWR | O_CREAT, 0666);
    assert_int_equal(pwrite(file, last, 8, (off_t)(6 * GIB - 8)), 8);
    close(file);
    pid_t child = fork();
    if (child == 0)
        _exit(read_six_gib(&scratch));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    tn_scratch_close(&scratch);
}

/* Whether there is that much address space; an emulator does not limit it. */
static bool has_space(uint64_t size)
{
    void *space = mmap(NULL, (size_t)size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return space != MAP_FAILED && munmap(space, (size_t)size) == 0;
}

/* Where the address space is too small, the file is read. */
static void an_unmappable_file_is_read(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    int               status;

    (void)state;
    make_file(&scratch, "big", 6 * GIB);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit     limit  = { GIB, GIB };
        struct tn_memory  memory = budget();
        struct tn_error   error  = TN_ERROR_INIT;
        uint64_t          first  = 1;
        struct tn_source *source;
        if (HAS_ROOM_TO_LIMIT)
            setrlimit(RLIMIT_AS, &limit);
        bool is_limited = HAS_ROOM_TO_LIMIT && !has_space(2 * GIB);
        int  file       = openat(scratch.folder, "big", O_RDONLY);
        (void)tn_source_file(&source, &memory, file, "big", true, &error);
        _exit(tn_failed(&error) || (is_limited && source->map) ||
              tn_source_read(source, 0, &first, 8, &error) || first);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tn_scratch_close(&scratch);
}

struct counter {
    int calls, fail_at;
};

static int read_counted(void *context, uint64_t offset, void *to, size_t size)
{
    struct counter *counter = context;

    if (++counter->calls == counter->fail_at)
        return ENETDOWN;
    memset(to, (int)offset & 0x7f, size);
    return 0;
}

static void callbacks(void **state)
{
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    struct counter    counter = { .fail_at = 2 };
    struct tn_source *source;
    uint8_t           got[4];

    (void)state;
    assert_int_equal(tn_source_callback(&source, &memory, 6 * GIB, read_counted,
                                        &counter, "far", &error),
                     TN_OK);
    assert_null(source->map);
    assert_int_equal(tn_source_descriptor(source), -1);
    tn_source_close_file(source); /* nothing to release */
    assert_int_equal(tn_source_read(source, 5 * GIB + 3, got, 4, &error),
                     TN_OK);
    assert_memory_equal(got, "\3\3\3\3", 4);
    assert_int_equal(tn_source_read(source, 6 * GIB - 3, got, 4, &error),
                     TN_TRUNCATED);
    assert_int_equal(counter.calls, 1); /* it never saw that one */
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_source_read(source, 77, got, 4, &error), TN_IO);
    assert_int_equal(error.offset, 77);
    assert_string_equal(error.file, "far");
    assert_non_null(strstr(error.what, strerror(ENETDOWN)));
    tn_source_close(source);
    assert_int_equal(memory.used, 0);
}

static void *feed(void *context)
{
    int     pipe = *(int *)context;
    uint8_t bytes[777];

    for (int i = 0; i < 1000; i++) {
        memset(bytes, i, sizeof bytes);
        assert_int_equal(write(pipe, bytes, sizeof bytes), sizeof bytes);
    }
    close(pipe);
    return NULL;
}

static void pipes_are_spooled(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_source *source;
    pthread_t         writer;
    int               ends[2];

    (void)state;
    setenv("TMPDIR", scratch.path, 1);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pthread_create(&writer, NULL, feed, &ends[1]), 0);
    assert_int_equal(tn_source_spool(&source, &memory, ends[0], "", &error),
                     TN_OK);
    pthread_join(writer, NULL);
    unsetenv("TMPDIR");
    assert_int_equal(source->size, 777 * 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(source->map[i * 777 + 776], (uint8_t)i);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 0);
    assert_int_equal(fcntl(ends[0], F_GETFD), 0); /* still the caller's */
    close(ends[0]);
    tn_source_close(source);
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

static void spooling_needs_a_place(void **state)
{
    struct tn_memory  memory = budget();
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_source *source;
    int               ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    setenv("TMPDIR", "/nonexistent/folder", 1);
    assert_int_equal(tn_source_spool(&source, &memory, ends[0], "", &error),
                     TN_IO);
    unsetenv("TMPDIR");
    assert_null(source);
    assert_non_null(strstr(error.what, "/nonexistent/folder"));
    close(ends[0]);
    assert_int_equal(memory.used, 0);
}

/* Its bytes would fill the disk. */
static void devices_are_not_spooled(void **state)
{
    struct tn_memory  memory = budget();
    struct tn_error   error  = TN_ERROR_INIT;
    int               zeros  = open("/dev/zero", O_RDONLY);
    struct tn_source *source;

    (void)state;
    assert_true(zeros >= 0);
    assert_int_equal(tn_source_spool(&source, &memory, zeros, "", &error),
                     TN_INVALID);
    assert_null(source);
    close(zeros);
    assert_int_equal(memory.used, 0);
}

static enum tn_status spool_nothing(struct tn_bytes   input,
                                    struct tn_memory *memory,
                                    struct tn_error  *error)
{
    struct tn_source *source = NULL;
    int               null   = open("/dev/null", O_RDONLY);

    (void)input;
    (void)tn_source_spool(&source, memory, null, "", error);
    close(null);
    tn_source_close(source);
    if (!tn_failed(error))
        (void)tn_source_callback(&source, memory, 1, read_counted, NULL, "",
                                 error);
    else
        return error->status;
    tn_source_close(source);
    return error->status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    tn_survives_no_memory(spool_nothing, tn_bytes(NULL, 0));
}

/* 1 MiB of data between holes of 1 GiB: known without reading any of it. */
static void tells_holes_from_data(void **state)
{
    struct tn_scratch scratch      = tn_scratch_open();
    struct tn_memory  memory       = budget();
    static uint8_t    mib[1 << 20] = { 1 };
    bool              is_hole      = false;

    (void)state;
    tn_skip_without_holes(&scratch);
    int file = openat(scratch.folder, "holes", O_RDWR | O_CREAT, 0666);
    assert_int_equal(ftruncate(file, (off_t)(2 * GIB)), 0);
    assert_int_equal(pwrite(file, mib, sizeof mib, (off_t)GIB), sizeof mib);
    close(file);
    struct tn_source *source = open_named(&scratch, &memory, "holes", true);
    assert_int_equal(source->extent(source, 0, 2 * GIB, &is_hole), GIB);
    assert_true(is_hole);
    assert_int_equal(source->extent(source, GIB, GIB, &is_hole), sizeof mib);
    assert_false(is_hole);
    assert_int_equal(
        source->extent(source, GIB + sizeof mib, GIB - sizeof mib, &is_hole),
        GIB - sizeof mib);
    assert_true(is_hole);
    assert_int_equal(source->extent(source, 0, 100, &is_hole), 100);
    assert_false(is_hole); /* small ones are not worth a call */
    tn_source_close(source);
    tn_scratch_close(&scratch);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(tells_holes_from_data),
        cmocka_unit_test(pages_that_are_let_go),
        cmocka_unit_test(hopping),
        cmocka_unit_test(an_empty_file_is_mapped_too),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(a_file_cut_off_is_an_error),
        cmocka_unit_test(six_gib_in_little_memory),
        cmocka_unit_test(an_unmappable_file_is_read),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(pipes_are_spooled),
        cmocka_unit_test(spooling_needs_a_place),
        cmocka_unit_test(devices_are_not_spooled),
        cmocka_unit_test(every_allocation_fails_once),
    };

    return tn_run_on_every_os(tests);
}
