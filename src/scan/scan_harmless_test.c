/* scan_harmless_test.c - which pickles are harmless at first sight, and how
 * long they are */
#include "scan/scan.h"

#include <stdlib.h>

#include "support/hostile.h"

#define DICT   "ccollections\nOrderedDict\n"
#define SYSTEM "cos\nsystem\n"
#define WHOLE  UINT64_MAX

/* clang-format off */
static const struct {
    const char *name, *bytes;
    size_t      size;
    uint64_t    length; /* 0: this has to be looked at closely                */
} cases[] = {
#define CASE(name, bytes, length) { name, bytes, sizeof(bytes) - 1, (length) == WHOLE ? sizeof(bytes) - 1 : (length) }
    CASE("data", "\x80\2}(U\1aK\1u.", WHOLE),
    CASE("data, and more after it", "\x80\2N.\x80\2" SYSTEM ".", 4),
    CASE("data without a protocol", "N.", WHOLE),
    CASE("a call", "\x80\2" DICT ")R.", WHOLE),
    CASE("a call, of protocol 0", DICT "(tR.", WHOLE),
    CASE("an object with a state", "\x80\2" "cargparse\nNamespace\n)\x81}b.", WHOLE),
    CASE("another name", "\x80\2" SYSTEM ".", 0),
    CASE("another name, after a call", "\x80\2" DICT ")R0" SYSTEM ".", 0),
    CASE("a name of texts", "\x80\4\x8c\13collections\x8c\13OrderedDict\x93)R.", WHOLE),
    CASE("a name of texts of the memo", "\x80\4\x8c\13collections\x94\x8c\13OrderedDict\x94" "00h\0h\1\x93)R.", WHOLE),
    CASE("another name of texts", "\x80\4\x8c\2os\x8c\6system\x93.", 0),
    CASE("another name of texts of the memo", "\x80\4\x8c\2os\x94\x8c\6system\x94" "00h\0h\1\x93.", 0),
    CASE("a slot that another text is put into", "\x80\4\x8c\13collections\x94" "0\x8c\2osq\0" "0h\0\x8c\6system\x93.", 0),
    CASE("a name of bytes", "\x80\4U\13collectionsU\13OrderedDict\x93.", 0),
    CASE("a name of a dropped text", "\x80\4\x8c\13collections0\x8c\13OrderedDict\x93.", 0),
    CASE("slots of lines", DICT "p0\n0g0\n(tR.", WHOLE),
    CASE("a slot that is not plain", DICT "p 0\n0g0\n(tR.", 0),
    CASE("a slot that nothing was put into", "\x80\2" DICT "0h\1.", 0),
    CASE("a slot that was skipped", "\x80\2" DICT "q\2" "0h\1.", 0),
    CASE("a slot after a gap", "\x80\2" DICT "q\2" "0h\2)R.", WHOLE),
    CASE("a slot too far away", "\x80\2" DICT "r\0\0\1\0" "0j\0\0\1\0)R.", 0),
    CASE("nothing to put", "\x80\2q\0" DICT ".", 0),
    CASE("a call of what was made", "\x80\2" DICT ")R)R.", 0),
    CASE("a call without a tuple", "\x80\2" DICT "NR.", 0),
    CASE("a state for a class", "\x80\2" DICT "}b.", 0),
    CASE("items for a name", "\x80\2" DICT "NNs.", 0),
    CASE("items for a list", "\x80\2" DICT "0](NNe.", WHOLE),
    CASE("pairs that are none", "\x80\2" DICT ")R(NNNu.", 0),
    CASE("a mark that is not there", "\x80\2" DICT "t.", 0),
    CASE("a mark that is dropped", "\x80\2" DICT "(0)R.", WHOLE),
    CASE("values below a mark are not reached", "\x80\2" DICT ")(R.", 0),
    CASE("a mark that is left", "\x80\2" DICT "(.", 0),
    CASE("values that are left", "\x80\2" DICT "N.", 0),
    CASE("an id", "\x80\2" DICT ")RQ.", WHOLE),
    CASE("an extension", "\x80\2\x82\1.", 0),
    CASE("a pickle in bytes", "\x80\4" "C\15" SYSTEM ")R" ".", 0),
    CASE("a pickle in bytes, after a name", "\x80\4" DICT ")R" "C\15" SYSTEM ")R\x86.", 0),
    CASE("a pickle in text, after a name", "\x80\4" DICT ")R" "X\20\0\0\0\xc2\x80\4" SYSTEM ")R\x86.", 0),
    CASE("strings in quotes", "(S'abc'\nS'\\n'\nV\\n\nt.", 0),
    CASE("numbers in quotes", DICT "(tR(S'\\x00\\x01'\nS'x'\nVabc\nt0.", WHOLE),
    CASE("a pickle between quotes", DICT "(tR(S'\\x80\\x02cos\\nsystem\\n)R.'\nt0.", 0),
    CASE("no end", "\x80\2" DICT ")R", 0),
    CASE("cut in a number", "\x80\2" DICT "J\1\1", 0),
    CASE("cut in a text", "\x80\2" DICT "X\xff\0\0\0a", 0),
#undef CASE
};
/* clang-format on */

static bool look(struct tn_bytes bytes, struct tn_memory *memory,
                 uint64_t *length, struct tn_error *error)
{
    struct tn_source source;

    tn_source_memory(&source, memory, bytes);
    source.name                = "";
    struct tn_scan_follower *f = tn_scan_follower_new(
        (struct tn_span){ &source, 0, bytes.size }, memory, error);
    bool is_harmless = f && tn_scan_is_harmless(f, 0, length, error);
    tn_scan_follower_free(f);
    return is_harmless;
}

/* What it is called, with all memory given back. */
static uint64_t length_of(struct tn_bytes bytes)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    uint64_t         length = 0;

    tn_memory_init(&memory, NULL, 0);
    if (!look(bytes, &memory, &length, &error))
        length = 0;
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(memory.used, 0);
    return length;
}

static void harmless_pickles_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t length = length_of(tn_bytes(cases[i].bytes, cases[i].size));
        if (length != cases[i].length)
            fail_msg("%s: %d", cases[i].name, (int)length);
    }
}

/* A source that counts what is read from it. */
struct counted {
    struct tn_source  base;
    struct tn_source *of;
    uint64_t          bytes;
};

static enum tn_status read_counted(struct tn_source *source, uint64_t offset,
                                   void *bytes, size_t size,
                                   struct tn_error *error)
{
    struct counted *counted = (struct counted *)source;

    counted->bytes += size;
    return tn_source_read(counted->of, offset, bytes, size, error);
}

/* Small pickles in a row, of which one in four is not harmless: each is found
 * where it is, also across the ends of windows, and hardly anything is read
 * twice. */
static void pickles_in_a_row_are_read_once(void **state)
{
    static const struct {
        const char *bytes;
        size_t      size;
        bool        is_harmless;
    } kinds[] = {
#define KIND(bytes, is_harmless) { bytes, sizeof(bytes) - 1, is_harmless }
        KIND("\x80\4K\1.", true),
        KIND("\x80\2" DICT ")R.", true),
        KIND(
            "\x80\4\x8c\13collections\x94\x8c\13OrderedDict\x94\x93)Rh\0h\1\x93"
            ")R\x86.",
            true),
        KIND("\x80\2" SYSTEM ".", false),
#undef KIND
    };
    enum { COUNT = 20000, ROOM = COUNT * 64 };
    uint8_t         *bytes = malloc(ROOM);
    size_t           size  = 0;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source whole;
    uint64_t         at = 0, length = 0;

    (void)state;
    assert_non_null(bytes);
    for (int i = 0; i < COUNT; size += kinds[i++ % 4].size)
        memcpy(bytes + size, kinds[i % 4].bytes, kinds[i % 4].size);
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&whole, &memory, tn_bytes(bytes, size));
    static const struct tn_source_ops counts = { .read_at = read_counted };
    struct counted source      = { { .ops = &counts, .size = size, .name = "" },
                                   &whole,
                                   0 };
    struct tn_scan_follower *f = tn_scan_follower_new(
        (struct tn_span){ &source.base, 0, size }, &memory, &error);

    assert_non_null(f);
    for (int i = 0; i < COUNT; at += kinds[i++ % 4].size) {
        bool is_harmless = tn_scan_is_harmless(f, at, &length, &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(is_harmless, kinds[i % 4].is_harmless);
        if (is_harmless)
            assert_int_equal(length, kinds[i % 4].size);
    }
    assert_int_equal(at, size);
    assert_true(source.bytes < 4 * size);
    tn_scan_follower_free(f);
    assert_int_equal(memory.used, 0);
    free(bytes);
}

/* Texts of any size before an end move it over each byte of the places where a
 * window of the reader ends. */
static void windows_end_anywhere(void **state)
{
    enum { BEGIN = (1 << 17) - 700, END = (1 << 17) + 40, ROOM = END + 100 };
    static const char head[] = "\x80\4" DICT ")RX";
    static const struct {
        const char *bytes;
        size_t      size;
        bool        is_harmless;
    } tails[] = {
#define TAIL(bytes, is_harmless) { bytes, sizeof(bytes) - 1, is_harmless }
        TAIL("\x8c\13collections\x8c\13OrderedDict\x93)R\x87.", true),
        TAIL("\x8c\2os\x8c\6system\x93)R\x87.", false),
        TAIL(DICT ")R\x87.", true),
        TAIL(SYSTEM ")R\x87.", false),
        TAIL("C\15\x80\4" SYSTEM "\x87.", false),
#undef TAIL
    };
    uint8_t *bytes = malloc(ROOM);

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, head, sizeof head - 1);
    for (uint32_t size = BEGIN; size < END; size += size % 64 ? 1 : 3)
        for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
            uint8_t *at = bytes + sizeof head - 1;
            memcpy(at, &size, 4);
            memset(at + 4, 'a', size);
            memcpy(at + 4 + size, tails[i].bytes, tails[i].size);
            uint64_t whole = sizeof head - 1 + 4 + size + tails[i].size;
            assert_int_equal(length_of(tn_bytes(bytes, (size_t)whole)),
                             tails[i].is_harmless ? whole : 0);
        }
    free(bytes);
}

/* More values, marks and slots than there is room for at first. */
static void many_values_are_followed(void **state)
{
    enum { COUNT = 5000 };
    static const char head[] = "\x80\4" DICT "\x94)R";
    uint8_t          *bytes = malloc(sizeof head + 4 * COUNT + 16), *at = bytes;

    (void)state;
    assert_non_null(bytes);
    memcpy(at, head, sizeof head - 1);
    at += sizeof head - 1;
    for (int i = 0; i < COUNT; i++) {
        memcpy(at, "(N\x94", 3);
        at += 3;
    }
    memset(at, 't', COUNT);
    at += COUNT;
    memcpy(at, "0j\x88\x13\0\0\x86.", 8); /* the last slot, which is 5000 */
    at += 8;
    size_t size = (size_t)(at - bytes);
    assert_int_equal(length_of(tn_bytes(bytes, size)), size);
    at[-7]++; /* there is none */
    at[-6]++;
    assert_int_equal(length_of(tn_bytes(bytes, size)), 0);
    free(bytes);
}

/* "Not easy to say" is no error; memory that is not there is. */
static enum tn_status read_it(struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    uint64_t length;

    if (!look(input, memory, &length, error) && !tn_failed(error))
        tn_error_set(error, TN_MALFORMED, 0, "not harmless at first sight");
    return error->status;
}

static void damaged_pickles_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes bytes = tn_bytes(cases[i].bytes, cases[i].size);
        tn_survives_every_flip(read_it, bytes);
        if (cases[i].length)
            tn_survives_no_memory(read_it, bytes);
        if (cases[i].length == cases[i].size)
            tn_refuses_every_prefix(read_it, bytes, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmless_pickles_are_found),
        cmocka_unit_test(pickles_in_a_row_are_read_once),
        cmocka_unit_test(windows_end_anywhere),
        cmocka_unit_test(many_values_are_followed),
        cmocka_unit_test(damaged_pickles_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
