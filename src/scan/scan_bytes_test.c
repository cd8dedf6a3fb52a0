/* scan_bytes_test.c - what is recognised by its bytes */
#include "scan/scan.h"

#include "scan/scan_testing.h"
#include "support/tired.h"

#define NPY(descr)                                                             \
    "\x93NUMPY\1\0\x3a\0{'descr': '" descr                                      \
    "', 'fortran_order': False, 'shape': (1,), }\n"
#define CALL "\x80\2cos\nsystem\nU\2ls\x85R."

/* clang-format off */
static const struct {
    const char *name, *bytes;
    size_t      size;
    const char *story;
} cases[] = {
#define CASE(name, bytes, story) { name, bytes, sizeof(bytes) - 1, story }
    CASE("a.7z", "7z\xbc\xaf\x27\x1c....", "unknown closed  0;"),
    CASE("a.gz", "\x1f\x8b\x08.......", "unknown closed  0;"),
    CASE("a.rar", "Rar!\x1a\7\1\0....", "unknown closed  0;"),
    CASE("a.npy", NPY("<f4") "....", ""),
    CASE("objects.npy", NPY("|O8") CALL, "note object-array  0;dangerous pickle-call  86;"),
    CASE("no-objects.npy", NPY("|O8") "\0\0\0\0", "note object-array  0;unknown object-array  68;"),
    CASE("cut.npy", "\x93NUMPY\1\0\xff\xff{}", "unknown unreadable  10;"),
    CASE("config.json", "{\"layers\": [{\"class_name\": \"Lambda\"}]}", "dangerous keras-lambda  13;"),
    CASE("config.json", "{\"layers\": [{\"class_name\": \"Dense\"}]}", ""),
    CASE("model.h5", "\x89HDF\r\n\x1a\n....{\"class_name\": \"Lambda\"}", "dangerous keras-lambda  13;"),
    CASE("config.json", "{\"cl\\u0061ss_name\"\n: \"Lambda\"}", "dangerous keras-lambda  1;"),
    CASE("config.json", "{\"module\": \"os\", \"class_name\": \"X\"}", "dangerous keras-module  1;"),
    CASE("config.json", "{\"module\": \"my.layers\", \"class_name\": \"X\"}", "unknown keras-module  1;"),
    CASE("config.json", "{\"module\": \"my.layers\"}", ""),
    CASE("config.json", "{\"class_name\": \"get_file\"}", "dangerous keras-function  1;"),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"keras.src.utils\"}", "unknown keras-module  20;"),
    CASE("config.json", "\xff\xfe{\0}\0", "unknown encoding  0;"),
    CASE("a.so", "\x7f" "ELF\2\1\1", "unknown native-code  0;"),
    CASE("a.yml", "a: !!python/name:os.system", "dangerous yaml-python  -1;"),
    CASE("a.jinja", "{{ x['_' ~ y] }}", "unknown chat-template  -1;"),
    CASE("a.jinja", "__{{ x }}__", "note chat-template  -1;"),
    CASE("quoted.npy", NPY("=O8") CALL, "dangerous pickle-call  86;"),
    CASE("config.json", "{\"module\": \"keras.layers\"}", ""),
    CASE("config.json", CALL, "dangerous pickle-call  18;"),
    CASE("model.h5", "\x89HDF\r\n\x1a\n\"x{\"class_name\": \"__lambda__\"}", "dangerous keras-lambda  11;"),
    CASE("a.jinja", "{{ x.__class__ }}", "dangerous chat-template  -1;"),
    CASE("a.jinja", "{{ x |  attr('y') }}", "dangerous chat-template  -1;"),
    CASE("a.jinja", "{%- import 'y' %}", "unknown chat-template  -1;"),
    CASE("a.jinja", "{{ x | trim }}", "note chat-template  -1;"),
    CASE("a.joblib", "\x78\x9c....", "unknown closed  0;"),
    /* numpy takes the last of two. */
    CASE("twice.npy", "\x93NUMPY\1\0\x4c\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'descr': '|O8'}    \n" CALL,
         "note object-array  0;dangerous pickle-call  104;"),
    CASE("long.npy", "\x93NUMPY\1\0\x3f\0{'descr': '<f4', 'fortran_order': True, 'shape': (1L, 2L), }  \n........", ""),
    CASE("PK.pkl", "PKx\n0" "cos\nsystem\nU\2ls\x85R.", "dangerous pickle-call  21;"),
    CASE("a.joblib", "ZF0x20.....", "unknown closed  0;"),
    CASE("a.lz4", "\x02\x21\x4c\x18....", "unknown closed  0;"),
    CASE("a.sz", "\xff\x06\0\0sNaPpY....", "unknown closed  0;"),
    CASE("a.zst", "\x5e\x2a\x4d\x18\0\0\0\0", "unknown closed  0;"),
    /* A window of 512 bytes. */
    CASE("a.z", "\x18\x95\x4b\x4c\x4a\x4e\x49\x4d\x4b\x04\0\x08\x3d\x02\xc8", "unknown closed  0;"),
    CASE("h.txt", "hC is not packed in any way", ""),
    CASE("a.lzma", "\x00\0\0\x10\0\xff\xff\xff\xff\xff\xff\xff\xff\0\x12\x34\x56\x78", "unknown closed  0;"),
    CASE("a.bin", "\x00\0\0\x10\0\x05\0\0\0\0\0\0\0\0\x12\x34\x56\x78", ""),
    CASE("a.ser", "\xac\xed\0\5sr", "unknown java-objects  0;"),
    CASE("config.json", "{\"class_name\": \"TorchModuleWrapper\"}", "dangerous keras-model  1;"),
    CASE("config.json", "{\"class_name\": \"JaxLayer\"}", "unknown keras-model  1;"),
    CASE("config.json", "{\"vocabulary\": \"/x\", \"class_name\": \"StringLookup\"}", "unknown keras-file  1;"),
    CASE("config.json", "{\"vocabulary\": [\"x\"], \"class_name\": \"StringLookup\"}", ""),
    CASE("config.json", "{\"class_name\": \"TFOpLambda\", \"function\": \"io.write_file\"}", "dangerous keras-function  29;"),
    CASE("config.json", "{\"class_name\": \"TFOpLambda\", \"function\": \"numpy_function\"}", "dangerous keras-function  29;"),
    CASE("config.json", "{\"class_name\": \"TFOpLambda\", \"function\": \"data.x\"}", "unknown keras-function  29;"),
    CASE("config.json", "{\"class_name\": \"TFOpLambda\", \"function\": \"math.add\"}", ""),
    CASE("config.json", "{\"vocabulary\": \"/x\", \"function\": \"io.x\"}", ""),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"tensorflow.keras.utils\"}", "unknown keras-module  20;"),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"keras.wrappers\"}", "unknown keras-module  20;"),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"keras_mine\"}", "unknown keras-module  20;"),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"keras.src.models.functional\"}", ""),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"tensorflow.python.keras.engine.sequential\"}", ""),
    CASE("config.json", "{\"class_name\": \"X\", \"module\": \"keras\"}", ""),
    CASE("empty", "", ""),
#undef CASE
};
/* clang-format on */

static void kinds_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        scan_the_bytes(tn_bytes(cases[i].bytes, cases[i].size), cases[i].name,
                       &memory, &story, &error);
        assert_int_equal(error.status, TN_OK);
        if (strcmp(story.text, cases[i].story) != 0)
            fail_msg("%s: %s", cases[i].name, story.text);
        assert_int_equal(memory.used, 0);
    }
}

/* What is told of a file of zeros with these bytes in it; an offset below zero
 * counts from the end. */
static void images_are_not_clean(void **state)
{
    enum { SIZE = 0x11000 };
    static uint8_t bytes[SIZE];
    static const struct {
        int         at;
        const char *text;
        size_t      size;
        bool        is_closed;
    } rows[] = {
#define ROW(at, text, is_closed) { at, text, sizeof(text) - 1, is_closed }
        ROW(0x8001, "CD001", true),
        ROW(0x8001, "BEA01", true),
        ROW(0x9319, "CD001", true),
        ROW(0x8000, "CD001", false),
        ROW(SIZE - 512, "koly\0\0\0\4", true),
        ROW(SIZE - 512, "conectix", true),
        ROW(0, "QFI\xfb", true),
        ROW(0x200, "EFI PART", true),
        ROW(0x1fe, "\x55\xaa", true),
        ROW(0x438, "\x53\xef", true),
        ROW(0x400, "\xe2\xe1\xf5\xe0", true),
        ROW(0x10040, "_BHRfS_M", true),
#undef ROW
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        memset(bytes, 0, SIZE);
        memcpy(bytes + rows[i].at, rows[i].text, rows[i].size);
        scan_the_bytes(tn_bytes(bytes, SIZE), "a.bin", &memory, &story, &error);
        assert_int_equal(error.status, TN_OK);
        if (strcmp(story.text, rows[i].is_closed ? "unknown closed  0;" : ""))
            fail_msg("%x: %s", (unsigned)rows[i].at, story.text);
        assert_int_equal(memory.used, 0);
    }
    /* Two bytes where ext4 has them, with blocks of a size that it has not. */
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_memory  memory;
    struct scan_story story;
    tn_memory_init(&memory, NULL, 0);
    memset(bytes, 7, SIZE);
    memcpy(bytes + 0x438, "\x53\xef", 2);
    memcpy(bytes + 0x1fe, "\x55\xaa", 2);
    scan_the_bytes(tn_bytes(bytes, SIZE), "a.bin", &memory, &story, &error);
    assert_string_equal(story.text, "");
}

/* The name of the case that is read. */
static const char *tired_name;

static enum tn_status scan_tired(struct tn_source *source,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct scan_story story;
    enum tn_status    status =
        scan_the_source(source, tired_name, memory, &story, error);

    tn_source_close(source);
    return status;
}

/* What cannot be read is an error, and never a file without findings. */
static void reads_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tired_name = cases[i].name;
        tn_survives_failing_reads(scan_tired,
                                  tn_bytes(cases[i].bytes, cases[i].size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_recognised),
        cmocka_unit_test(images_are_not_clean),
        cmocka_unit_test(reads_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
