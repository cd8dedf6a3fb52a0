/* npy_test.c - headers, and numpy as the judge of both directions */
#define _GNU_SOURCE
#include "wire/npy/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/hostile.h"

/* A whole file: prefix, dict, data. */
static struct tn_bytes make_file(const char *prefix, const char *dict,
                                 size_t data)
{
    struct tn_bytes head = tn_hex(prefix);
    size_t          size = strlen(dict);
    uint8_t        *all  = calloc(1, head.size + 4 + size + data);

    assert_non_null(all);
    memcpy(all, head.data, head.size);
    free((void *)head.data);
    size_t at = head.size;
    if (at == 8) { /* the length is ours to fill in */
        unsigned width = all[6] == 1 ? 2 : 4;
        for (unsigned i = 0; i < width; i++)
            all[at++] = (uint8_t)(size >> 8 * i);
    }
    memcpy(all + at, dict, size);
    return tn_bytes(all, at + size + data);
}

#define MAGIC "93 4e 55 4d 50 59 "
#define V1    MAGIC "01 00"
#define V2    MAGIC "02 00"
#define V3    MAGIC "03 00"
#define HEAD  "{'descr': '<f4', 'fortran_order': False, 'shape': "

/* clang-format off */
static const struct {
    const char    *name, *prefix, *dict;
    size_t         data;
    enum tn_status status;
    uint64_t       offset; /* of the complaint, or of the data */
} cases[] = {
    { "plain", V1, HEAD "(2, 3), }\n", 24, TN_OK, 70 },
    { "2.0", V2, HEAD "(2, 3), }\n", 24, TN_OK, 72 },
    { "3.0", V3, HEAD "(2, 3), }\n", 24, TN_OK, 72 },
    { "scalar", V1, HEAD "()}", 4, TN_OK, 63 },
    { "vector", V1, HEAD "(2,)}", 8, TN_OK, 65 },
    { "longs", V1, HEAD "(2L, 3L)}", 24, TN_OK, 69 },
    { "other order and quotes", V1, "{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<f4\"}", 4, TN_OK, 59 },
    { "empty", V1, HEAD "(0, 9223372036854775807, 9)}", 0, TN_OK, 88 },
    { "more after it", V1, HEAD "(1,)}", 5, TN_OK, 65 },
    { "nothing", "", "", 0, TN_TRUNCATED, 0 },
    { "no magic", "93 4e 55 4d 50 58 01 00", "", 0, TN_MALFORMED, 0 },
    { "version 4", MAGIC "04 00", "", 0, TN_UNSUPPORTED, 6 },
    { "version 1.1", MAGIC "01 01", "", 0, TN_UNSUPPORTED, 6 },
    { "no length", MAGIC "01 00 05", "", 0, TN_TRUNCATED, 9 },
    { "length past the end", MAGIC "01 00 50 00", "{}", 0, TN_TRUNCATED, 10 },
    { "4 GiB of header", MAGIC "02 00 ff ff ff ff", "{}", 0, TN_LIMIT, 8 },
    { "no dict", V1, "", 0, TN_MALFORMED, 10 },
    { "empty dict", V1, "{}", 0, TN_MALFORMED, 12 },
    { "unclosed", V1, HEAD "(2,)", 8, TN_MALFORMED, 64 },
    { "unclosed shape", V1, HEAD "(2,", 8, TN_MALFORMED, 63 },
    { "unclosed string", V1, "{'descr", 0, TN_MALFORMED, 17 },
    { "escape", V1, "{'de\\x73cr': '<f4'}", 0, TN_MALFORMED, 14 },
    { "no comma", V1, "{'descr': '<f4' 'shape': (1,)}", 0, TN_MALFORMED, 26 },
    { "unknown key", V1, "{'descr': '<f4', 'order': 1}", 0, TN_MALFORMED, 27 },
    { "key twice", V1, "{'descr': '<f4', 'descr': '<f4'}", 0, TN_MALFORMED, 27 },
    { "a call", V1, "{'shape': exit()}", 0, TN_MALFORMED, 20 },
    { "a number, no tuple", V1, HEAD "(2)}", 8, TN_MALFORMED, 62 },
    { "negative", V1, HEAD "(-2,)}", 8, TN_MALFORMED, 61 },
    { "past 2^63", V1, HEAD "(0, 9223372036854775808)}", 0, TN_MALFORMED, 64 },
    { "far past 2^64", V1, HEAD "(999999999999999999999999999999999,)}", 8, TN_MALFORMED, 61 },
    { "past 2^64", V1, HEAD "(18446744073709551616,)}", 8, TN_MALFORMED, 61 },
    { "bytes past 2^64", V1, HEAD "(4294967296, 4294967296)}", 8, TN_MALFORMED, 85 },
    { "data cut short", V1, HEAD "(3,)}", 11, TN_TRUNCATED, 65 },
    { "after the dict", V1, HEAD "(1,)} 5", 4, TN_MALFORMED, 66 },
    { "not a truth", V1, "{'fortran_order': 1}", 0, TN_MALFORMED, 28 },
    { "structures", V1, "{'descr': [('a', '<f4')]}", 0, TN_UNSUPPORTED, 20 },
    { "objects", V1, "{'descr': '|O'}", 0, TN_UNSUPPORTED, 20 },
    { "dates", V1, "{'descr': '<M8[ns]'}", 0, TN_UNSUPPORTED, 20 },
    { "long doubles", V1, "{'descr': '<f16'}", 0, TN_UNSUPPORTED, 20 },
    { "no type", V1, "{'descr': ''}", 0, TN_UNSUPPORTED, 20 },
    { "native order", V1, "{'descr': '=f4'}", 0, TN_UNSUPPORTED, 20 },
    { "huge item", V1, "{'descr': '<f99999999999999999999'}", 0, TN_UNSUPPORTED, 20 },
};
/* clang-format on */

static void headers_are_read_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_npy   npy;
        struct tn_bytes file =
            make_file(cases[i].prefix, cases[i].dict, cases[i].data);
        struct tn_guarded guarded = tn_guard(file);
        struct tn_cursor  c       = tn_cursor_bytes(guarded.bytes, 0, &error);
        tn_npy_read(&c, &npy);
        uint64_t offset = error.status ? error.offset : npy.data.offset;
        if (error.status != cases[i].status || offset != cases[i].offset)
            fail_msg("%s: status %d at %d: %s", cases[i].name, error.status,
                     (int)offset, error.what);
        if (error.status == TN_OK)
            assert_true(npy.data.length <= cases[i].data);
        tn_unguard(&guarded);
        free((void *)file.data);
    }
}

static void fields_are_what_they_say(void **state)
{
    static const struct {
        const char   *descr;
        enum tn_dtype dtype;
        uint64_t      item_size;
        bool          is_big_endian, is_utf32;
    } types[] = {
        { "<f4", TN_FLOAT32, 4, false, false },
        { ">f8", TN_FLOAT64, 8, true, false },
        { "|b1", TN_BOOL, 1, false, false },
        { "|u1", TN_UINT8, 1, false, false },
        { "|i1", TN_INT8, 1, false, false },
        { "i4", TN_INT32, 4, false, false },
        { ">i2", TN_INT16, 2, true, false },
        { "<u8", TN_UINT64, 8, false, false },
        { "<c16", TN_COMPLEX128, 16, false, false },
        { "|V2", TN_BFLOAT16, 2, false, false },
        { "|S5", TN_STRING, 5, false, false },
        { "<U3", TN_STRING, 12, false, true },
        { ">U3", TN_STRING, 12, true, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_npy   npy;
        char            dict[128];
        snprintf(dict, sizeof dict,
                 "{'descr': '%s', 'fortran_order': True, 'shape': (2, 1)}",
                 types[i].descr);
        struct tn_bytes  file = make_file(V1, dict, 32);
        struct tn_cursor c    = tn_cursor_bytes(file, 0, &error);
        assert_int_equal(tn_npy_read(&c, &npy), TN_OK);
        assert_int_equal(npy.dtype, types[i].dtype);
        assert_int_equal(npy.item_size, types[i].item_size);
        assert_int_equal(npy.is_big_endian, types[i].is_big_endian);
        assert_int_equal(npy.is_utf32, types[i].is_utf32);
        assert_true(npy.is_fortran);
        assert_int_equal(npy.rank, 2);
        assert_int_equal(npy.dims[0], 2);
        assert_int_equal(npy.dims[1], 1);
        assert_int_equal(npy.data.length, 2 * npy.item_size);
        free((void *)file.data);
    }
}

static void rank_has_a_limit(void **state)
{
    (void)state;
    for (unsigned rank = 64; rank <= 65; rank++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_npy   npy;
        char            dict[256] = HEAD "(";
        for (unsigned i = 0; i < rank; i++)
            strcat(dict, "1,");
        strcat(dict, ")}");
        struct tn_bytes  file = make_file(V1, dict, 4);
        struct tn_cursor c    = tn_cursor_bytes(file, 0, &error);
        assert_int_equal(tn_npy_read(&c, &npy), rank > 64 ? TN_LIMIT : TN_OK);
        free((void *)file.data);
    }
}

static enum tn_status read_npy(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(input, 0, error);
    struct tn_npy    npy;

    (void)memory;
    return tn_npy_read(&c, &npy);
}

static void files_survive_hostility(void **state)
{
    struct tn_bytes file = make_file(V1, HEAD "(2, 3), }  \n", 24);

    (void)state;
    tn_survives_hostility(read_npy, file);
    free((void *)file.data);
}

static enum tn_status write_npy(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    static const uint64_t dims[] = { 2, 3 };
    struct tn_buffer      to;

    (void)input;
    tn_buffer_init(&to, memory, error);
    tn_npy_write(&to, TN_FLOAT32, 2, dims);
    tn_buffer_done(&to);
    return error->status;
}

static void writing_survives_poverty(void **state)
{
    (void)state;
    tn_survives_no_memory(write_npy, tn_bytes("", 0));
}

/* What is written is read back, aligned, for every type and many ranks. */
static void headers_read_back(void **state)
{
    static uint64_t dims[4096];

    (void)state;
    for (unsigned i = 0; i < 4096; i++)
        dims[i] = UINT64_C(10000000000000000000) + i;
    for (unsigned type = 0; type < TN_DTYPE_COUNT; type++) {
        static const uint32_t ranks[] = { 0, 1, 2, 5, 64, 4096 };
        for (unsigned k = 0; k < 6; k++) {
            struct tn_error  error = TN_ERROR_INIT;
            struct tn_memory memory;
            struct tn_buffer to;
            tn_memory_init(&memory, NULL, 0);
            tn_buffer_init(&to, &memory, &error);
            enum tn_status status =
                tn_npy_write(&to, (enum tn_dtype)type, ranks[k], dims);
            if (tn_dtype_size((enum tn_dtype)type) == 0) {
                assert_int_equal(status, TN_UNSUPPORTED);
                continue;
            }
            assert_int_equal(status, TN_OK);
            assert_int_equal(to.size % 64, 0);
            assert_int_equal(to.data[to.size - 1], '\n');
            assert_int_equal(to.data[6], ranks[k] == 4096 ? 2 : 1);
            tn_buffer_done(&to);
        }
    }
}

#define PYTHON "/usr/bin/python3"

static bool has_numpy(void)
{
    bool has = system(PYTHON " -c 'import numpy' 2>/dev/null") == 0;

    if (!has)
        print_message("skipped: no numpy to judge\n");
    return has;
}

/* Runs a script with the folder as its argument; it must exit with 0. */
static void run_python(const char *folder, const char *script)
{
    char command[4096];

    assert_true((size_t)snprintf(command, sizeof command,
                                 PYTHON " - '%s' <<'PYTHON'\n%s\nPYTHON\n",
                                 folder, script) < sizeof command);
    assert_int_equal(system(command), 0);
}

static const struct {
    enum tn_dtype dtype;
    const char   *numpy;
} judged[] = {
    { TN_FLOAT32, "<f4" },   { TN_FLOAT64, "<f8" },     { TN_FLOAT16, "<f2" },
    { TN_BFLOAT16, "V2" },   { TN_FLOAT8E4M3FN, "u1" }, { TN_FLOAT8E8M0, "u1" },
    { TN_FLOAT4E2M1, "u1" }, { TN_INT8, "i1" },         { TN_INT16, "<i2" },
    { TN_INT32, "<i4" },     { TN_INT64, "<i8" },       { TN_INT4, "i1" },
    { TN_UINT2, "u1" },      { TN_UINT8, "u1" },        { TN_UINT16, "<u2" },
    { TN_UINT32, "<u4" },    { TN_UINT64, "<u8" },      { TN_BOOL, "?" },
    { TN_COMPLEX64, "<c8" }, { TN_COMPLEX128, "<c16" }, { TN_QINT32, "<i4" },
};

#define JUDGED (sizeof judged / sizeof judged[0])

static void write_judged(const char *folder, size_t index, uint32_t rank)
{
    static const uint64_t dims[] = { 2, 3, 1 };
    struct tn_error       error  = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_buffer      to;
    uint64_t              count = 1;
    char                  path[256];

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&to, &memory, &error);
    assert_int_equal(tn_npy_write(&to, judged[index].dtype, rank, dims), TN_OK);
    for (uint32_t i = 0; i < rank; i++)
        count *= dims[i];
    for (uint64_t i = 0; i < count * tn_dtype_size(judged[index].dtype); i++)
        tn_buffer_byte(&to, judged[index].dtype == TN_BOOL ? i % 2
                                                           : (uint8_t)(i + 1));
    snprintf(path, sizeof path, "%s/%zu-%u.npy", folder, index, rank);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(to.data, 1, to.size, file), to.size);
    fclose(file);
    tn_buffer_done(&to);
}

static void numpy_loads_what_we_write(void **state)
{
    char folder[] = "/tmp/tenon-npy-XXXXXX";
    char script[4096];
    int  n;

    (void)state;
    if (!has_numpy())
        return;
    assert_non_null(mkdtemp(folder));
    n = snprintf(script, sizeof script,
                 "import sys, numpy as np, shutil\ntypes = [");
    for (size_t i = 0; i < JUDGED; i++) {
        for (uint32_t rank = 0; rank <= 3; rank++)
            write_judged(folder, i, rank);
        n += snprintf(script + n, sizeof script - (size_t)n, "'%s', ",
                      judged[i].numpy);
    }
    snprintf(script + n, sizeof script - (size_t)n, "%s",
             "]\n"
             "for i, t in enumerate(types):\n"
             "    for rank in range(4):\n"
             "        a = np.load(f'{sys.argv[1]}/{i}-{rank}.npy')\n"
             "        assert a.dtype == np.dtype(t), (a.dtype, t)\n"
             "        assert a.shape == (2, 3, 1)[:rank], a.shape\n"
             "        assert a.flags.c_contiguous\n"
             "        want = bytes(k % 2 if t == '?' else k + 1\n"
             "                     for k in range(a.nbytes))\n"
             "        assert a.tobytes() == want, (t, rank)\n"
             "shutil.rmtree(sys.argv[1])\n");
    run_python(folder, script);
}

/* The manifest numpy writes beside its files: what each one holds. */
static void read_judged(const char *folder, const char *line)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_npy   npy;
    char            name[32], type[32], path[256], dims[64];
    int             big, fortran, major;
    unsigned        sum;

    assert_int_equal(sscanf(line, "%31s %31s %d %d %d %63s %u", name, type,
                            &big, &fortran, &major, dims, &sum),
                     7);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct tn_bytes  file = tn_load_file(path);
    struct tn_cursor c    = tn_cursor_bytes(file, 0, &error);
    if (tn_npy_read(&c, &npy) != TN_OK)
        fail_msg("%s: %s", line, error.what);
    assert_string_equal(tn_dtype_name(npy.dtype), type);
    assert_int_equal(npy.is_big_endian, big);
    assert_int_equal(npy.is_fortran, fortran);
    assert_int_equal(npy.major, major);
    char mine[64] = "x";
    for (uint32_t i = 0; i < npy.rank; i++)
        snprintf(mine + strlen(mine), sizeof mine - strlen(mine), "%dx",
                 (int)npy.dims[i]);
    assert_string_equal(mine, dims);
    for (uint64_t i = 0; i < npy.data.length; i++)
        sum -= file.data[npy.data.offset + i];
    assert_int_equal(sum, 0);
    assert_false(tn_more(&c));
    free((void *)file.data);
}

static void we_read_what_numpy_saves(void **state)
{
    static const char script[] =
        "import sys, numpy as np\n"
        "from numpy.lib import format\n"
        "out = open(sys.argv[1] + '/manifest', 'w')\n"
        "names = dict(f2='float16', f4='float32', f8='float64', i1='int8',\n"
        "    i2='int16', i4='int32', i8='int64', u1='uint8', u2='uint16',\n"
        "    u4='uint32', u8='uint64', b1='bool', c8='complex64',\n"
        "    c16='complex128', S5='string', U3='string', V2='bfloat16')\n"
        "k = 0\n"
        "for t, name in names.items():\n"
        "  for order in '<>':\n"
        "    for shape in (), (3,), (2, 3), (4, 1, 2), (0, 2):\n"
        "      for o in 'CF':\n"
        "        for v in (1, 0), (2, 0), (3, 0):\n"
        "          n = int(np.prod(shape))\n"
        "          a = np.arange(n).reshape(shape)\n"
        "          a = np.array(a if t != 'V2' else a.astype('u2'),\n"
        "                       order=o)\n"
        "          a = a.view('V2') if t == 'V2' else a.astype(order + t,\n"
        "                                                      order='K')\n"
        "          path = f'{k}.npy'\n"
        "          with open(f'{sys.argv[1]}/{path}', 'wb') as f:\n"
        "            format.write_array(f, a, version=v)\n"
        "          fortran = a.flags.f_contiguous and not "
        "a.flags.c_contiguous\n"
        "          dims = 'x' + ''.join(f'{d}x' for d in shape)\n"
        "          print(path, name, int(a.dtype.str[0] == '>'),\n"
        "                int(fortran), v[0], dims,\n"
        "                sum(a.tobytes()), file=out)\n"
        "          k += 1\n";
    char folder[] = "/tmp/tenon-npy-XXXXXX";
    char path[64], line[256];
    int  count = 0;

    (void)state;
    if (!has_numpy())
        return;
    assert_non_null(mkdtemp(folder));
    run_python(folder, script);
    snprintf(path, sizeof path, "%s/manifest", folder);
    FILE *manifest = fopen(path, "r");
    assert_non_null(manifest);
    while (fgets(line, sizeof line, manifest)) {
        read_judged(folder, line);
        count++;
    }
    fclose(manifest);
    assert_int_equal(count, 17 * 2 * 5 * 2 * 3);
    run_python(folder, "import sys, shutil\nshutil.rmtree(sys.argv[1])\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(fields_are_what_they_say),
        cmocka_unit_test(rank_has_a_limit),
        cmocka_unit_test(files_survive_hostility),
        cmocka_unit_test(writing_survives_poverty),
        cmocka_unit_test(headers_read_back),
        cmocka_unit_test(numpy_loads_what_we_write),
        cmocka_unit_test(we_read_what_numpy_saves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
