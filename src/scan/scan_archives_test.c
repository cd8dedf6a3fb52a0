/* scan_archives_test.c - members of archives, and headers that lie */
#include "scan/scan.h"

#include "scan/scan_testing.h"
#include "support/tired.h"

#define CALL "\x80\2cos\nsystem\nU\2ls\x85R."

static struct tn_memory memory;
static struct tn_error  error;

static void add(struct tn_zip_writer *zip, const char *name,
                struct tn_bytes bytes, bool is_deflated)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    tn_rope_bytes(&rope, bytes);
    if (is_deflated)
        tn_zip_add_deflated(zip, tn_text(name), &rope, 0);
    else
        tn_zip_add(zip, tn_text(name), &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

/* A zip of text and of a pickle that calls something. */
static void make(struct tn_buffer *file, const char *pickle, bool is_deflated)
{
    struct tn_zip_writer zip;

    tn_zip_writer_init(&zip, &file->sink, &memory, &error);
    add(&zip, "readme", tn_text("a text that is long enough to be packed, "
                                "packed, packed, packed"),
        is_deflated);
    add(&zip, pickle, tn_bytes(CALL, sizeof CALL - 1), is_deflated);
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
    assert_int_equal(error.status, TN_OK);
}

static void expect(struct tn_buffer *file, const char *name, const char *text)
{
    struct scan_story story;

    scan_the_bytes(tn_buffer_bytes(file), name, &memory, &story, &error);
    assert_int_equal(error.status, TN_OK);
    if (strcmp(story.text, text) != 0)
        fail_msg("%s: %s", name, story.text);
}

/* Offset of the n-th record of that signature. */
static size_t find(const struct tn_buffer *file, const char *signature, int n)
{
    for (size_t i = 0; i + 4 <= file->size; i++)
        if (memcmp(file->data + i, signature, 4) == 0 && n-- == 0)
            return i;
    fail_msg("no such record");
    return 0;
}

#define TOLD "dangerous pickle-call x.txt 18;"

static void members_are_scanned(void **state)
{
    struct tn_buffer file, outer;

    (void)state;
    for (int is_deflated = 0; is_deflated < 2; is_deflated++) {
        tn_buffer_init(&file, &memory, &error);
        make(&file, "x.txt", is_deflated);
        expect(&file, "a.zip", TOLD);
        /* In another archive. */
        tn_buffer_init(&outer, &memory, &error);
        struct tn_zip_writer zip;
        tn_zip_writer_init(&zip, &outer.sink, &memory, &error);
        add(&zip, "inner", tn_buffer_bytes(&file), is_deflated);
        tn_zip_finish(&zip);
        tn_zip_writer_done(&zip);
        expect(&outer, "b.zip", "dangerous pickle-call inner/x.txt 18;");
        tn_buffer_done(&outer);
        tn_buffer_done(&file);
    }
}

static void headers_that_lie_are_told(void **state)
{
    struct tn_buffer file;
    size_t           local, record;

    (void)state;
    tn_buffer_init(&file, &memory, &error);
    make(&file, "x.txt", false);
    local  = find(&file, "PK\3\4", 1);
    record = find(&file, "PK\1\2", 1);

    file.data[local + 30] = 'y'; /* another name */
    expect(&file, "names", "unknown zip-disagrees  127;" TOLD);
    file.data[local + 30] = 'x';

    file.data[record + 8] |= 1; /* encrypted, for those who believe it */
    expect(&file, "flags", "unknown zip-disagrees  127;" TOLD);
    file.data[record + 8] &= (uint8_t)~1u;

    file.data[record + 16] ^= 1; /* another checksum */
    expect(&file, "checksums", "unknown zip-disagrees  127;" TOLD);
    file.data[record + 16] ^= 1;

    file.data[record + 26] = 1; /* a size that the file does not have */
    expect(&file, "sizes",
           "unknown zip-disagrees  127;unknown zip-disagrees  127;" TOLD);
    file.data[record + 26] = 0;

    file.data[record + 10] = 99; /* another method */
    expect(&file, "methods",
           "unknown zip-disagrees  127;unknown zip-method  127;");
    file.data[record + 10] = 0;

    /* The directory lists one member less. */
    size_t end           = find(&file, "PK\5\6", 0);
    file.data[end + 8]   = file.data[end + 10] = 1;
    expect(&file, "hidden", "unknown zip-hidden  127;" TOLD);
    file.data[end + 8] = file.data[end + 10] = 2;

    /* No directory at all. */
    file.size = find(&file, "PK\1\2", 0);
    expect(&file, "cut",
           "unknown zip-broken  -1;unknown zip-hidden  0;unknown zip-hidden  "
           "127;" TOLD);
    tn_buffer_done(&file);
}

static void bytes_before_a_zip_are_told(void **state)
{
    struct tn_buffer file, whole;

    (void)state;
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_init(&whole, &memory, &error);
    make(&file, "x.txt", false);
    tn_buffer_add(&whole, tn_bytes("\x80\2N.", 4));
    tn_buffer_add(&whole, tn_buffer_bytes(&file));
    expect(&whole, "prefix", "unknown zip-prefix  0;" TOLD);
    tn_buffer_done(&whole);
    tn_buffer_done(&file);
}

static void put32(struct tn_buffer *file, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        file->data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* Offsets of the directory count from the first byte of the file, whatever is
 * there. */
static void move_members(struct tn_buffer *file, uint32_t by)
{
    size_t   end   = find(file, "PK\5\6", 0);
    uint32_t begin = tn_load32(file->data + end + 16);

    put32(file, end + 16, begin + by);
    for (int i = 0; i < 2; i++) {
        size_t record = find(file, "PK\1\2", i);
        put32(file, record + 42, tn_load32(file->data + record + 42) + by);
    }
}

#define LAMBDA "{\"class_name\": \"Lambda\"}"
#define OBJECTS                                                                \
    "\x93NUMPY\1\0\x3a\0{'descr': '|O8', 'fortran_order': False, 'shape': "  \
    "(1,), }\n"

/* What is before a zip is another file, of which the zip says nothing. */
static void files_that_are_two_are_seen_as_both(void **state)
{
#define BYTES(text) text, sizeof(text) - 1
    static const struct {
        const char *name, *before;
        size_t      size;
        const char *story;
    } rows[] = {
        { "a.h5", BYTES("\x89HDF\r\n\x1a\n" LAMBDA), "dangerous keras-lambda  9;" },
        { "a.npy", BYTES(OBJECTS CALL),
          "note object-array  0;dangerous pickle-call  86;" },
        { "a.7z", BYTES("7z\xbc\xaf\x27\x1c........"), "unknown closed  0;" },
    };
#undef BYTES

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_buffer file, whole;
        char             story[256];
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_init(&whole, &memory, &error);
        make(&file, "x.txt", false);
        tn_buffer_add(&whole, tn_bytes(rows[i].before, rows[i].size));
        move_members(&file, (uint32_t)rows[i].size);
        tn_buffer_add(&whole, tn_buffer_bytes(&file));
        snprintf(story, sizeof story, TOLD "unknown zip-prefix  0;%s",
                 rows[i].story);
        expect(&whole, rows[i].name, story);
        tn_buffer_done(&whole);
        tn_buffer_done(&file);
    }
}

/* HDF5 in an archive may begin after a block of the user's. */
static void blocks_before_hdf_are_skipped(void **state)
{
    struct tn_buffer     file, member;
    struct tn_zip_writer zip;
    static const uint8_t block[1024];

    (void)state;
    for (int is_deflated = 0; is_deflated < 2; is_deflated++) {
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_init(&member, &memory, &error);
        tn_buffer_add(&member, tn_bytes(block, sizeof block));
        tn_buffer_add(&member, tn_text("\x89HDF\r\n\x1a\n" LAMBDA));
        tn_zip_writer_init(&zip, &file.sink, &memory, &error);
        add(&zip, "model", tn_buffer_bytes(&member), is_deflated);
        tn_zip_finish(&zip);
        tn_zip_writer_done(&zip);
        expect(&file, "a.zip", "dangerous keras-lambda model 1033;");
        tn_buffer_done(&member);
        tn_buffer_done(&file);
    }
}

/* Bytes between members, and members that are said to be empty. */
static void what_is_not_listed_is_told(void **state)
{
    struct tn_buffer file, whole;
    size_t           end, directory;
    uint8_t          gap[64] = { 0 };

    (void)state;
    for (int is_zero = 0; is_zero < 2; is_zero++) {
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_init(&whole, &memory, &error);
        make(&file, "x.txt", false);
        directory = find(&file, "PK\1\2", 0);
        gap[40]   = is_zero ? 0 : 7;
        tn_buffer_add(&whole, tn_bytes(file.data, directory));
        tn_buffer_add(&whole, tn_bytes(gap, sizeof gap));
        tn_buffer_add(&whole,
                      tn_bytes(file.data + directory, file.size - directory));
        end = find(&whole, "PK\5\6", 0);
        put32(&whole, end + 16, (uint32_t)(directory + sizeof gap));
        expect(&whole, "gap", is_zero ? TOLD : TOLD "unknown zip-gap  252;");
        tn_buffer_done(&whole);
        tn_buffer_done(&file);
    }

    tn_buffer_init(&file, &memory, &error);
    make(&file, "x.txt", true);
    for (int n = 0; n < 2; n++) {
        size_t at =
            n ? find(&file, "PK\1\2", 0) + 24 : find(&file, "PK\3\4", 0) + 22;
        put32(&file, at, 0);
    }
    expect(&file, "empty", "unknown zip-disagrees  0;" TOLD);
    tn_buffer_done(&file);
}

static void code_in_archives_is_told(void **state)
{
    static const struct {
        const char *name, *story;
    } rows[] = {
        { "a.py", "unknown python-package  0;" },
        { "x/code/__torch__/a.py", "" },
        { "code/a.pyc", "unknown python-package  0;" },
        { "MAR-INF/MANIFEST.json", "unknown python-package  0;" },
        { "p/.data/extern_modules", "unknown python-package  0;" },
        { "a.pyx", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_buffer     file;
        struct tn_zip_writer zip;
        tn_buffer_init(&file, &memory, &error);
        tn_zip_writer_init(&zip, &file.sink, &memory, &error);
        add(&zip, rows[i].name, tn_text("text"), false);
        tn_zip_finish(&zip);
        tn_zip_writer_done(&zip);
        expect(&file, rows[i].name, rows[i].story);
        tn_buffer_done(&file);
    }
}

/* Sums of the oldest tars, as Python reads them. */
static void sums_of_tars_are_read(void **state)
{
    static const char *const sums[] = { "%06o", "0o%o", "+%o", "\t%o ",
                                        "0_%o" };

    (void)state;
    for (size_t i = 0; i < 2 * (sizeof sums / sizeof sums[0]); i++) {
        struct tn_buffer file;
        uint8_t          header[512] = "pickle";
        uint8_t          data[512]   = CALL;
        int              sum         = 8 * ' ';
        char             text[24];
        memcpy(header + 124, "00000000026", 12);
        header[500] = header[501] = 0xff;
        for (size_t n = 0; n < 512; n++)
            sum += i % 2 ? (int8_t)header[n] : header[n];
        snprintf(text, sizeof text, sums[i / 2], (unsigned)sum);
        memcpy(header + 148, text, strlen(text));
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_add(&file, tn_bytes(header, 512));
        tn_buffer_add(&file, tn_bytes(data, 512));
        expect(&file, sums[i / 2], "dangerous pickle-call pickle 18;");
        file.data[500] = 0;
        expect(&file, "wrong sum", "");
        tn_buffer_done(&file);
    }
}

static void tars_are_scanned(void **state)
{
    struct tn_buffer file;
    uint8_t          header[512] = "pickle";
    uint8_t          data[512]   = CALL;

    (void)state;
    memcpy(header + 124, "00000000026", 12);
    memcpy(header + 257, "ustar", 6);
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_add(&file, tn_bytes(header, 512));
    tn_buffer_add(&file, tn_bytes(data, 512));
    expect(&file, "a.tar", "dangerous pickle-call pickle 18;");
    file.data[156] = '2';
    expect(&file, "link", "unknown tar-link  0;dangerous pickle-call pickle 18;");
    file.data[156] = 0;
    memcpy(file.data + 124, "77777777777", 12);
    expect(&file, "size", "unknown tar-broken  0;");
    tn_buffer_done(&file);
}

/* The end of a zip in a tar is that of a member; one that is not in a member is
 * read by those who look for the end of the file. */
static void zips_in_tars_are_members(void **state)
{
    static const uint8_t zeros[512];
    struct tn_buffer     zip, file;
    uint8_t              header[512] = "weights";

    (void)state;
    tn_buffer_init(&zip, &memory, &error);
    tn_buffer_init(&file, &memory, &error);
    make(&zip, "pickle", false);
    snprintf((char *)header + 124, 12, "%011o", (unsigned)zip.size);
    memcpy(header + 257, "ustar", 6);
    tn_buffer_add(&file, tn_bytes(header, sizeof header));
    tn_buffer_add(&file, tn_buffer_bytes(&zip));
    tn_buffer_add(&file, tn_bytes(zeros, 512 - file.size % 512));
    expect(&file, "a.nemo", "dangerous pickle-call weights/pickle 18;");
    tn_buffer_add(&file, tn_bytes(zeros, 512));
    tn_buffer_add(&file, tn_buffer_bytes(&zip));
    expect(&file, "two.nemo",
           "dangerous pickle-call weights/pickle 18;unknown tar-trailing  1536;"
           "unknown zip-prefix  0;dangerous pickle-call pickle 18;");
    tn_buffer_done(&file);
    tn_buffer_done(&zip);
}

/* What replaces the name of the next member. */
static void long_names_are_judged(void **state)
{
    static const struct {
        char        type;
        const char *size, *prefix, *data, *story;
    } rows[] = {
        { 0, "00000000000", "a/b", "", "" },
        { 0, "00000000000", "../b", "", "dangerous archive-path  0;" },
        { 0, "00000000000", "/etc", "", "dangerous archive-path  0;" },
        { 'x', "00000000013", "", "11 path=ab\n", "" },
        { 'x', "00000000016", "", "14 path=../ab\n",
          "dangerous archive-path  0;" },
        { 'x', "00000000025", "", "7 a=bcd14 path=../ab\n",
          "unknown tar-broken  0;" },
        { 'x', "00000000032", "", "12 comment=\n\n14 path=../ab\n",
          "unknown tar-broken  0;" },
        { 'x', "00000000033", "", "13 comment=\n\n14 path=../ab\n",
          "dangerous archive-path  0;" },
        { 'x', "00000020000", "", "8192 comment=",
          "unknown tar-broken  0;" },
        { 'L', "00000020000", "", "a/", "unknown tar-broken  0;" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_buffer file;
        uint8_t          header[512] = "name", data[8192] = { 0 };
        char             name[24];
        header[156] = (uint8_t)rows[i].type;
        memcpy(header + 124, rows[i].size, 12);
        memcpy(header + 257, "ustar", 6);
        memcpy(header + 345, rows[i].prefix, strlen(rows[i].prefix));
        memcpy(data, rows[i].data, strlen(rows[i].data));
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_add(&file, tn_bytes(header, sizeof header));
        tn_buffer_add(&file, tn_bytes(data, sizeof data));
        snprintf(name, sizeof name, "row %zu", i);
        expect(&file, name, rows[i].story);
        tn_buffer_done(&file);
    }
}

static enum tn_status scan(struct tn_bytes input, struct tn_memory *own,
                           struct tn_error *failure)
{
    struct scan_story story;

    return scan_the_bytes(input, "a", own, &story, failure);
}

static enum tn_status scan_tired(struct tn_source *source,
                                 struct tn_memory *own,
                                 struct tn_error  *failure)
{
    struct scan_story story;
    enum tn_status    status =
        scan_the_source(source, "a", own, &story, failure);

    tn_source_close(source);
    return status;
}

static void damaged_archives_are_scanned(void **state)
{
    struct tn_buffer file;

    (void)state;
    tn_buffer_init(&file, &memory, &error);
    make(&file, "x.txt", true);
    tn_survives_every_flip(scan, tn_buffer_bytes(&file));
    tn_survives_no_memory(scan, tn_buffer_bytes(&file));
    tn_survives_failing_reads(scan_tired, tn_buffer_bytes(&file));
    tn_buffer_done(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_scanned),
        cmocka_unit_test(headers_that_lie_are_told),
        cmocka_unit_test(bytes_before_a_zip_are_told),
        cmocka_unit_test(files_that_are_two_are_seen_as_both),
        cmocka_unit_test(blocks_before_hdf_are_skipped),
        cmocka_unit_test(what_is_not_listed_is_told),
        cmocka_unit_test(code_in_archives_is_told),
        cmocka_unit_test(sums_of_tars_are_read),
        cmocka_unit_test(tars_are_scanned),
        cmocka_unit_test(zips_in_tars_are_members),
        cmocka_unit_test(long_names_are_judged),
        cmocka_unit_test(damaged_archives_are_scanned),
    };

    tn_memory_init(&memory, NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
