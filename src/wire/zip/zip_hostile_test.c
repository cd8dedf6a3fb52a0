/*
 * zip_hostile_test.c - zips that lie, each refused where it lies
 *
 * One good zip, and rows of bytes to put into it: at a local header, at a
 * record of the directory, or at the end record.
 */
#include "wire/zip/zip.h"

#include <stdlib.h>

#include "support/hostile.h"
#include "wire/zip/zip_write.h"

static const char *const names[] = { "a.txt", "b.txt", "dir/c", "dix",
                                     "z.txt" };

struct made {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_buffer bytes;
    uint64_t         locals[5], records[5], end, directory;
};

static void remember_places(struct made *m)
{
    struct tn_source source;
    struct tn_zip    zip;

    tn_source_memory(&source, &m->memory, tn_buffer_bytes(&m->bytes));
    assert_int_equal(tn_zip_open(&zip, &source, &m->memory, NULL, &m->error),
                     TN_OK);
    for (int i = 0; i < 5; i++) {
        m->locals[i]  = tn_zip_at(&zip, (uint64_t)i)->offset;
        m->records[i] = tn_zip_at(&zip, (uint64_t)i)->record_offset;
    }
    m->directory = zip.directory_offset;
    m->end       = m->bytes.size - 22;
    tn_zip_close(&zip);
    tn_source_close(&source);
}

/* Four stored entries of ten bytes, and one deflated. */
static void make(struct made *m)
{
    static char          many[4000];
    struct tn_arena      arena;
    struct tn_rope       rope;
    struct tn_zip_writer w;

    m->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&m->memory, NULL, 0);
    tn_buffer_init(&m->bytes, &m->memory, &m->error);
    tn_zip_writer_init(&w, &m->bytes.sink, &m->memory, &m->error);
    for (int i = 0; i < 4; i++)
        tn_zip_add_bytes(&w, tn_text(names[i]), tn_text("0123456789"));
    tn_arena_init(&arena, &m->memory);
    tn_rope_init(&rope, &arena, &m->error);
    tn_rope_borrow(&rope, tn_bytes(many, sizeof many));
    tn_zip_add_deflated(&w, tn_text(names[4]), &rope, 0);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    assert_int_equal(tn_zip_finish(&w), TN_OK);
    tn_zip_writer_done(&w);
    remember_places(m);
}

static void unmake(struct made *m)
{
    tn_buffer_done(&m->bytes);
    assert_int_equal(m->memory.used, 0);
}

/* 'L': a local header, 'R': a record, 'E': the end record. */
struct place {
    char kind;
    int  index;
    int  at;
};

static uint64_t offset_of(const struct made *m, struct place place)
{
    uint64_t base = place.kind == 'L'   ? m->locals[place.index]
                    : place.kind == 'R' ? m->records[place.index]
                                        : m->end;

    return base + (uint64_t)place.at;
}

struct patch {
    struct place place;
    const char  *bytes;
    size_t       size;
};

#define P(kind, index, at, text)                                               \
    {                                                                          \
        { (kind), (index), (at) }, (text), sizeof(text) - 1                    \
    }
#define NAME(index, text) P('L', index, 30, text), P('R', index, 46, text)

static const struct {
    const char    *name;
    struct patch   patches[4];
    enum tn_status status;
    struct place   complaint;
} rows[] = {
    /* clang-format off */
    { "a good zip", { { { 0 }, NULL, 0 } }, TN_OK, { 0 } },
    { "the same name twice", { NAME(1, "a.txt") }, TN_MALFORMED, { 'R', 1, 46 } },
    { "the same name but for case", { NAME(1, "A.TXT") }, TN_MALFORMED, { 'R', 1, 46 } },
    { "the same name but for case, not of ASCII", { NAME(0, "\xc3\xa4xyz"), NAME(1, "\xc3\x84xyz") }, TN_MALFORMED, { 'R', 1, 46 } },
    { "the same name but for the order of marks", { NAME(0, "q\xcc\xa3\xcc\x87"), NAME(1, "Q\xcc\x87\xcc\xa3") }, TN_MALFORMED, { 'R', 1, 46 } },
    { "a file that is a folder", { NAME(3, "dir") }, TN_MALFORMED, { 'R', 2, 46 } },
    { "a file that is a folder but for case", { NAME(3, "DIR") }, TN_MALFORMED, { 'R', 2, 46 } },
    { "an absolute name", { NAME(0, "/.txt") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a name that goes up", { NAME(0, "../xx") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a name that goes up later", { NAME(0, "xx/..") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a name that stays", { NAME(0, "x/./x") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a backslash", { NAME(0, "..\\xx") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a drive letter", { NAME(0, "c:txt") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "an empty part", { NAME(0, "a//xx") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a zero byte in a name", { NAME(0, "a\0txt") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a name that is not UTF-8", { NAME(0, "a\xfftxt") }, TN_MALFORMED, { 'R', 0, 46 } },
    { "a folder with bytes", { NAME(0, "a.tx/") }, TN_MALFORMED, { 'R', 0, 24 } },
    { "a symbolic link", { P('R', 0, 38, "\0\0\xff\xa1") }, TN_MALFORMED, { 'R', 0, 38 } },
    { "a device", { P('R', 0, 38, "\0\0\xff\x21") }, TN_MALFORMED, { 'R', 0, 38 } },
    { "encrypted", { P('R', 0, 8, "\1\0"), P('L', 0, 6, "\1\0") }, TN_UNSUPPORTED, { 'R', 0, 8 } },
    { "strongly encrypted", { P('R', 0, 8, "\x40\0") }, TN_UNSUPPORTED, { 'R', 0, 8 } },
    { "method 12", { P('R', 0, 10, "\x0c\0"), P('L', 0, 8, "\x0c\0") }, TN_UNSUPPORTED, { 'R', 0, 10 } },
    { "an entry on another disk", { P('R', 0, 34, "\1\0") }, TN_UNSUPPORTED, { 'R', 0, 34 } },
    { "an end on another disk", { P('E', 0, 4, "\1\0") }, TN_UNSUPPORTED, { 'E', 0, 4 } },
    { "two counts", { P('E', 0, 8, "\4\0") }, TN_UNSUPPORTED, { 'E', 0, 4 } },
    { "one entry too few", { P('E', 0, 8, "\4\0\4\0") }, TN_MALFORMED, { 'R', 4, 0 } },
    { "one entry too many", { P('E', 0, 8, "\6\0\6\0") }, TN_MALFORMED, { 'E', 0, 0 } },
    { "a directory elsewhere", { P('E', 0, 16, "\1\0\0\0") }, TN_MALFORMED, { 'E', 0, 0 } },
    { "a directory of another size", { P('E', 0, 12, "\1\0\0\0") }, TN_MALFORMED, { 'E', 0, 0 } },
    { "a comment that is not there", { P('E', 0, 20, "\1\0") }, TN_TRUNCATED, { 'E', 0, 20 } },
    { "ZIP64 records that are not there", { P('E', 0, 8, "\xff\xff\xff\xff") }, TN_MALFORMED, { 'E', 0, -76 } },
    { "no record", { P('R', 1, 0, "PK\1\3") }, TN_MALFORMED, { 'R', 1, 0 } },
    { "no local header", { P('L', 1, 0, "PK\3\5") }, TN_MALFORMED, { 'L', 1, 0 } },
    { "another local name", { P('L', 1, 30, "x") }, TN_MALFORMED, { 'L', 1, 30 } },
    { "another local method", { P('L', 1, 8, "\x08") }, TN_MALFORMED, { 'L', 1, 8 } },
    { "another local crc", { P('L', 1, 14, "\0") }, TN_MALFORMED, { 'L', 1, 14 } },
    { "another local size", { P('L', 1, 22, "\1") }, TN_MALFORMED, { 'L', 1, 18 } },
    { "another local packed size", { P('L', 1, 18, "\1") }, TN_MALFORMED, { 'L', 1, 18 } },
    { "a local descriptor flag", { P('L', 1, 6, "\x08") }, TN_MALFORMED, { 'L', 1, 6 } },
    { "a descriptor that is not there", { P('L', 1, 6, "\x08"), P('R', 1, 8, "\x08") }, TN_MALFORMED, { 'L', 2, 0 } },
    { "stored in two sizes", { P('R', 0, 24, "\x0b") }, TN_MALFORMED, { 'R', 0, 20 } },
    { "data that reaches the next entry", { P('L', 1, 18, "\x0b\0\0\0\x0b"), P('R', 1, 20, "\x0b\0\0\0\x0b") }, TN_MALFORMED, { 'L', 1, 0 } },
    { "data that reaches the directory", { P('L', 4, 18, "\xff"), P('R', 4, 20, "\xff") }, TN_MALFORMED, { 'L', 4, 0 } },
    { "two records for one header", { P('R', 1, 42, "\0\0\0\0") }, TN_MALFORMED, { 'L', 0, 30 } },
    { "a header behind the directory", { P('R', 1, 42, "\xff\xff\0\0") }, TN_MALFORMED, { 'R', 1, 42 } },
    { "a bomb", { P('L', 4, 22, "\xff\xff\xff\x7f"), P('R', 4, 24, "\xff\xff\xff\x7f") }, TN_MALFORMED, { 'R', 4, 24 } },
    /* clang-format on */
};

static void lies_are_refused_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct made      m;
        struct tn_source source;
        struct tn_zip    zip;

        make(&m);
        for (int k = 0; k < 4 && rows[i].patches[k].bytes; k++)
            memcpy(m.bytes.data + offset_of(&m, rows[i].patches[k].place),
                   rows[i].patches[k].bytes, rows[i].patches[k].size);
        struct tn_guarded guarded = tn_guard(tn_buffer_bytes(&m.bytes));
        tn_source_memory(&source, &m.memory, guarded.bytes);
        tn_zip_open(&zip, &source, &m.memory, NULL, &error);
        uint64_t wanted = rows[i].complaint.kind
                              ? offset_of(&m, rows[i].complaint)
                              : TN_NOWHERE;
        if (error.status != rows[i].status || error.offset != wanted)
            fail_msg("%s: %s at %llu, not %llu: %s", rows[i].name,
                     tn_status_name(error.status),
                     (unsigned long long)error.offset,
                     (unsigned long long)wanted, error.what);
        tn_zip_close(&zip);
        tn_source_close(&source);
        tn_unguard(&guarded);
        unmake(&m);
    }
}

/* ---- limits ------------------------------------------------------------- */

static void expect_limit(struct tn_zip_options options, const char *where)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct made      m;
    struct tn_source source;
    struct tn_zip    zip;

    make(&m);
    tn_source_memory(&source, &m.memory, tn_buffer_bytes(&m.bytes));
    assert_int_equal(tn_zip_open(&zip, &source, &m.memory, &options, &error),
                     TN_LIMIT);
    assert_string_equal(error.where, where);
    tn_zip_close(&zip);
    tn_source_close(&source);
    unmake(&m);
}

static void limits_hold(void **state)
{
    (void)state;
    expect_limit((struct tn_zip_options){ .max_entries = 4 }, "");
    expect_limit((struct tn_zip_options){ .max_total = 4039 }, "z.txt");
    expect_limit((struct tn_zip_options){ .max_ratio = 10 }, "z.txt");
}

/* ---- zips of others ----------------------------------------------------- */

struct heard {
    int  count;
    char rule[64];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    (void)level;
    assert_true(finding->what[0]);
    heard->count++;
    strncpy(heard->rule, rule, sizeof heard->rule - 1);
    return 0;
}

/* Opens as a foreign zip; *heard is what was found. */
static enum tn_status open_foreign(struct made *m, struct tn_bytes bytes,
                                   struct heard *heard, struct tn_error *error)
{
    struct tn_report      report  = { .each = hear, .context = heard };
    struct tn_zip_options options = { .is_foreign = true, .report = &report };
    struct tn_source      source;
    struct tn_zip         zip;

    tn_source_memory(&source, &m->memory, bytes);
    *error = (struct tn_error)TN_ERROR_INIT;
    if (tn_zip_open(&zip, &source, &m->memory, &options, error) == TN_OK) {
        assert_int_equal(tn_zip_count(&zip), 5);
        for (uint64_t i = 0; i < 5; i++)
            assert_ptr_equal(tn_zip_find(&zip, tn_zip_at(&zip, i)->name),
                             tn_zip_at(&zip, i));
    }
    tn_zip_close(&zip);
    tn_source_close(&source);
    return error->status;
}

static void alike_names_of_others_are_findings(void **state)
{
    struct heard    heard = { 0 };
    struct tn_error error;
    struct made     m;

    (void)state;
    make(&m);
    memcpy(m.bytes.data + m.locals[1] + 30, "A.txt", 5);
    memcpy(m.bytes.data + m.records[1] + 46, "A.txt", 5);
    assert_int_equal(
        open_foreign(&m, tn_buffer_bytes(&m.bytes), &heard, &error), TN_OK);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.rule, "zip-alike-names");
    unmake(&m);
}

/* A comment may hold an end record; the directory decides. */
static void comments_are_stepped_over(void **state)
{
    (void)state;
    for (uint8_t more = 0; more <= 3; more++) {
        struct heard    heard = { 0 };
        struct tn_error error;
        struct made     m;
        uint8_t         fake[22 + 3] = "PK\5\6";

        make(&m);
        fake[20]                 = more;
        m.bytes.data[m.end + 20] = (uint8_t)(22 + more);
        tn_buffer_add(&m.bytes, tn_bytes(fake, 22u + more));
        assert_int_equal(
            open_foreign(&m, tn_buffer_bytes(&m.bytes), &heard, &error), TN_OK);
        assert_int_equal(heard.count, 0);
        unmake(&m);
    }
}

static void garbage_around_is_refused(void **state)
{
    struct heard    heard = { 0 };
    struct tn_error error;
    struct made     m;

    (void)state;
    make(&m);
    size_t size = m.bytes.size;
    tn_buffer_text(&m.bytes, "garbage");
    assert_int_equal(
        open_foreign(&m, tn_buffer_bytes(&m.bytes), &heard, &error),
        TN_MALFORMED);
    uint8_t *moved = malloc(size + 1);
    moved[0]       = 'x';
    memcpy(moved + 1, m.bytes.data, size);
    assert_int_equal(
        open_foreign(&m, tn_bytes(moved, size + 1), &heard, &error),
        TN_MALFORMED);
    assert_int_equal(error.offset, m.end + 1);
    free(moved);
    unmake(&m);
}

/* ---- damage in the data ------------------------------------------------- */

static enum tn_status use_entry(struct made *m, const char *name, int how,
                                struct tn_error *error)
{
    struct tn_source source, *entry_source;
    struct tn_zip    zip;
    struct tn_buffer to;
    uint8_t          bytes[4000];

    *error = (struct tn_error)TN_ERROR_INIT;
    tn_source_memory(&source, &m->memory, tn_buffer_bytes(&m->bytes));
    assert_int_equal(tn_zip_open(&zip, &source, &m->memory, NULL, error),
                     TN_OK);
    const struct tn_zip_entry *e = tn_zip_find(&zip, tn_text(name));
    tn_buffer_init(&to, &m->memory, error);
    if (how == 0)
        tn_zip_load(&zip, e, UINT64_MAX, &to, error);
    if (how == 1)
        tn_zip_stream(&zip, e, &to.sink, error);
    if (how == 2)
        tn_zip_verify(&zip, 2, NULL, error);
    if (how == 3 && tn_zip_source(&zip, e, &entry_source, error) == TN_OK) {
        tn_source_read(entry_source, 0, bytes, (size_t)e->size, error);
        tn_source_close(entry_source);
    }
    tn_buffer_done(&to);
    tn_zip_close(&zip);
    tn_source_close(&source);
    return error->status;
}

static void damage_is_found_with_its_entry(void **state)
{
    struct tn_error error;
    struct made     m;

    (void)state;
    make(&m);
    m.bytes.data[m.locals[2] - 1] ^= 1; /* the last byte of b.txt */
    for (int how = 0; how < 3; how++) {
        assert_int_equal(use_entry(&m, "b.txt", how, &error), TN_MALFORMED);
        assert_string_equal(error.where, "b.txt");
        assert_int_equal(error.offset % TN_ZIP_ALIGNMENT, 0);
    }
    unmake(&m);
    make(&m);
    m.bytes.data[m.directory - 3] ^= 0x55; /* of the deflated one */
    for (int how = 0; how < 4; how++) {
        assert_int_equal(use_entry(&m, "z.txt", how, &error), TN_MALFORMED);
        if (strcmp(error.where, "z.txt") != 0)
            fail_msg("%d: %s: %s", how, error.where, error.what);
    }
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_are_refused_where_they_are),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(alike_names_of_others_are_findings),
        cmocka_unit_test(comments_are_stepped_over),
        cmocka_unit_test(garbage_around_is_refused),
        cmocka_unit_test(damage_is_found_with_its_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
