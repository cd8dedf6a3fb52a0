/* javaser_test.c - tables of places in Java's clothes; Java itself is a judge
 */
#define _GNU_SOURCE
#include "wire/javaser/javaser.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/scratch.h"

/* The parts of a stream, as hex. */
#define MAGIC "aced0005"
#define MAP_CLASS                                                              \
    "72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fb"  \
    "02 0001 5a 000b 6163636573734f72646572 78"
#define HASH_CLASS                                                             \
    "72 0011 6a6176612e7574696c2e486173684d6170 0507dac1c31660d1 03 0002"      \
    "46 000a 6c6f6164466163746f72 49 0009 7468726573686f6c64 78 70"
#define HEAD   MAGIC "73" MAP_CLASS HASH_CLASS "3f400000 0000000c 77 08 00000010"
#define END    "78 00"
#define KEY(c) "74 0001" c
#define PAIR                                                                   \
    "73 72 001f "                                                              \
    "6f72672e6e64346a2e636f6d6d6f6e2e7072696d6974697665732e50616972"           \
    "0000000000000077 02 0002 4c 0003 6b6579 74 0012"                          \
    "4c6a6176612f6c616e672f4f626a6563743b 4c 0005 76616c7565 71 007e0005 78 "  \
    "70"
#define LONG                                                                   \
    "73 72 000e 6a6176612e6c616e672e4c6f6e67 3b8be490cc8f23df 02 0001 4a"      \
    "0005 76616c7565 78 72 0010 6a6176612e6c616e672e4e756d626572"              \
    "86ac951d0b94e08b 02 0000 78 70"
#define LONG_AGAIN "73 71 007e0007"
#define PAIR_AGAIN "73 71 007e0004"
#define EIGHT(d)   "00000000000000" d
#define FIRST      KEY("61") PAIR LONG EIGHT("05") LONG_AGAIN EIGHT("06")

/* clang-format off */
static const struct {
    const char    *name, *hex;
    enum tn_status status;
    uint64_t       offset; /* of the complaint, or how many entries */
} cases[] = {
    { "empty", HEAD "00000000" END, TN_OK, 0 },
    { "one", HEAD "00000001" FIRST END, TN_OK, 1 },
    { "two", HEAD "00000002" FIRST KEY("62") PAIR_AGAIN LONG_AGAIN EIGHT("01") LONG_AGAIN EIGHT("02") END, TN_OK, 2 },
    { "shared numbers", HEAD "00000002" FIRST KEY("62") PAIR_AGAIN "71 007e0009" "71 007e000a" END, TN_OK, 2 },
    { "a shared pair", HEAD "00000002" FIRST KEY("62") "71 007e0006" END, TN_OK, 2 },
    { "a shared string", HEAD "00000002" FIRST "71 007e0005" "71 007e0006" END, TN_OK, 2 },
    { "a long string", HEAD "00000001" "7c 0000000000000001 61" PAIR LONG EIGHT("05") LONG_AGAIN EIGHT("06") END, TN_OK, 1 },
    { "nothing", "", TN_TRUNCATED, 0 },
    { "no stream", "504b0304", TN_MALFORMED, 0 },
    { "version 4", "aced0004", TN_MALFORMED, 0 },
    { "null", MAGIC "70", TN_UNSUPPORTED, 4 },
    { "a string", MAGIC "74 0000", TN_UNSUPPORTED, 4 },
    { "an array", MAGIC "75", TN_UNSUPPORTED, 4 },
    { "an enum", MAGIC "7e", TN_UNSUPPORTED, 4 },
    { "a proxy", MAGIC "73 7d 00000001", TN_UNSUPPORTED, 5 },
    { "an exception", MAGIC "7b", TN_UNSUPPORTED, 4 },
    { "no type code", MAGIC "7f", TN_MALFORMED, 4 },
    { "another class", MAGIC "73 72 0013 6a6176612e7574696c2e41727261794c697374", TN_UNSUPPORTED, 6 },
    { "another UID", MAGIC "73 72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fc", TN_UNSUPPORTED, 31 },
    { "other flags", MAGIC "73 72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fb 04", TN_UNSUPPORTED, 39 },
    { "more fields", MAGIC "73 72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fb 02 ffff", TN_UNSUPPORTED, 40 },
    { "another field type", MAGIC "73 72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fb 02 0001 4c", TN_UNSUPPORTED, 42 },
    { "an annotation", MAGIC "73 72 0017 6a6176612e7574696c2e4c696e6b6564486173684d6170 34c04e5c106cc0fb 02 0001 5a 000b 6163636573734f72646572 77", TN_UNSUPPORTED, 56 },
    { "no superclass", MAGIC "73" MAP_CLASS "70", TN_UNSUPPORTED, 57 },
    { "a superclass more", MAGIC "73" MAP_CLASS "72 0011 6a6176612e7574696c2e486173684d6170 0507dac1c31660d1 03 0002 46 000a 6c6f6164466163746f72 49 0009 7468726573686f6c64 78 72", TN_UNSUPPORTED, 114 },
    { "its own superclass", MAGIC "73" MAP_CLASS "71 007e0000", TN_UNSUPPORTED, 58 },
    { "a load factor below zero", MAGIC "73" MAP_CLASS HASH_CLASS "bf400000", TN_MALFORMED, 115 },
    { "a load factor that is none", MAGIC "73" MAP_CLASS HASH_CLASS "7fc00000", TN_MALFORMED, 115 },
    { "long block data", MAGIC "73" MAP_CLASS HASH_CLASS "3f400000 0000000c 7a", TN_UNSUPPORTED, 123 },
    { "a longer block", MAGIC "73" MAP_CLASS HASH_CLASS "3f400000 0000000c 77 09", TN_UNSUPPORTED, 124 },
    { "2^31 entries", HEAD "80000000" END, TN_MALFORMED, 129 },
    { "more entries than bytes", HEAD "00000002" FIRST END, TN_UNSUPPORTED, 317 },
    { "fewer entries", HEAD "00000000" FIRST END, TN_UNSUPPORTED, 133 },
    { "a null key", HEAD "00000001" "70" PAIR LONG, TN_UNSUPPORTED, 133 },
    { "a number for a key", HEAD "00000001" LONG EIGHT("01") "00", TN_UNSUPPORTED, 133 },
    { "a null value", HEAD "00000001" KEY("61") "70 0000000000", TN_UNSUPPORTED, 137 },
    { "a map in a map", HEAD "00000001" KEY("61") "73 71 007e0000", TN_UNSUPPORTED, 139 },
    { "the map itself", HEAD "00000001" KEY("61") "71 007e0002", TN_MALFORMED, 138 },
    { "a null number", HEAD "00000001" KEY("61") PAIR "70", TN_UNSUPPORTED, 225 },
    { "a pair of pairs", HEAD "00000001" KEY("61") PAIR "73 71 007e0004", TN_UNSUPPORTED, 227 },
    { "a string for a number", HEAD "00000001" KEY("61") PAIR "71 007e0003", TN_MALFORMED, 226 },
    { "a handle of the future", HEAD "00000001" "71 007e0003 0000000000", TN_MALFORMED, 134 },
    { "a handle of the past", HEAD "00000001" "71 00000000 0000000000", TN_MALFORMED, 134 },
    { "a key twice", HEAD "00000002" FIRST KEY("61") "71 007e0006" END, TN_MALFORMED, 317 },
    { "a truth of 2", HEAD "00000000" "78 02", TN_MALFORMED, 134 },
    { "something after", HEAD "00000000" END "00", TN_MALFORMED, 135 },
    { "a second object", HEAD "00000000" END "70", TN_MALFORMED, 135 },
    { "a string past the end", HEAD "00000001" "7c ffffffffffffffff 61", TN_TRUNCATED, 142 },
    { "a zero byte in a string", HEAD "00000001" "74 0002 6100 000000", TN_MALFORMED, 137 },
    { "an overlong letter", HEAD "00000001" "74 0002 c1a1 000000", TN_MALFORMED, 136 },
    { "half a pair of surrogates", HEAD "00000001" "74 0003 eda0bd 000000", TN_MALFORMED, 136 },
    { "the wrong half first", HEAD "00000001" "74 0006 edb880 eda0bd", TN_MALFORMED, 136 },
    { "four bytes at once", HEAD "00000001" "74 0004 f09f9880 0000", TN_MALFORMED, 136 },
    { "a letter cut off", HEAD "00000001" "74 0002 e282 000000", TN_MALFORMED, 136 },
};
/* clang-format on */

static enum tn_status read_all(struct tn_bytes bytes, struct tn_memory *memory,
                               uint64_t *count, struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(bytes, 0, error);
    struct tn_arena  arena;
    struct tn_list   entries;

    tn_arena_init(&arena, memory);
    tn_list_init(&entries, memory, sizeof(struct tn_javaser_entry));
    tn_javaser_read(&c, &arena, &entries);
    *count = entries.count;
    tn_list_done(&entries);
    tn_arena_done(&arena);
    return error->status;
}

static void streams_are_read_strictly(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes   bytes   = tn_hex(cases[i].hex);
        struct tn_guarded guarded = tn_guard(bytes);
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_memory  memory;
        uint64_t          count;
        tn_memory_init(&memory, NULL, 0);
        read_all(guarded.bytes, &memory, &count, &error);
        uint64_t got = error.status ? error.offset : count;
        if (error.status != cases[i].status || got != cases[i].offset) {
            print_error("%s: status %d at %d: %s\n", cases[i].name,
                        error.status, (int)got, error.what);
            failures++;
        }
        tn_unguard(&guarded);
        free((void *)(uintptr_t)bytes.data);
    }
    assert_int_equal(failures, 0);
}

static enum tn_status under_test(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    uint64_t count;

    return read_all(input, memory, &count, error);
}

static void survives_hostility(void **state)
{
    struct tn_bytes good = tn_hex(cases[3].hex);

    (void)state;
    tn_survives_hostility(under_test, good);
    free((void *)(uintptr_t)good.data);
}

/* ---- writing ------------------------------------------------------------ */

static void write_and_read(const struct tn_javaser_entry *entries,
                           uint64_t                       count)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;
    struct tn_arena  arena;
    struct tn_list   back;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    assert_int_equal(tn_javaser_write(&buffer, entries, count), TN_OK);
    struct tn_cursor c = tn_cursor_bytes(tn_buffer_bytes(&buffer), 0, &error);
    tn_arena_init(&arena, &memory);
    tn_list_init(&back, &memory, sizeof(struct tn_javaser_entry));
    if (tn_javaser_read(&c, &arena, &back) != TN_OK)
        fail_msg("%s", error.what);
    assert_int_equal(back.count, count);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_javaser_entry *entry =
            tn_list_at(&back, struct tn_javaser_entry, i);
        assert_true(tn_bytes_equal(entry->key, entries[i].key));
        assert_true(entry->first == entries[i].first);
        assert_true(entry->second == entries[i].second);
    }
    tn_list_done(&back);
    tn_arena_done(&arena);
    tn_buffer_done(&buffer);
}

#define ENTRY(key, first, second)                                              \
    {                                                                          \
        { (const uint8_t *)(key), sizeof(key) - 1 }, first, second, 0          \
    }

static const struct tn_javaser_entry some[] = {
    ENTRY("", 0, -1),
    ENTRY("w0", 0, 127),
    ENTRY("\xc3\xa9\0\xf0\x9f\x98\x80", 5000, 5000),
    ENTRY("big/weights:0", INT64_MAX, INT64_MIN),
    ENTRY("\xe2\x82\xac", 128, -128),
    ENTRY("\xf4\x8f\xbf\xbf", -129, 127),
};

#define SOME_COUNT (sizeof some / sizeof some[0])

static void maps_come_back(void **state)
{
    (void)state;
    for (uint64_t count = 0; count <= SOME_COUNT; count++)
        write_and_read(some, count);
}

static void long_keys_are_long_strings(void **state)
{
    static uint8_t          key[70000];
    struct tn_javaser_entry entry = { .first = 1, .second = 2 };

    (void)state;
    for (size_t size = 65534; size <= 65537; size++) {
        memset(key, 'k', sizeof key);
        key[7]    = 0; /* two bytes in Java */
        entry.key = tn_bytes(key, size);
        write_and_read(&entry, 1);
    }
}

static void keys_must_be_text(void **state)
{
    struct tn_javaser_entry entry = ENTRY("\xff", 1, 2);
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_buffer        buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    assert_int_equal(tn_javaser_write(&buffer, &entry, 1), TN_INVALID);
    tn_buffer_done(&buffer);
}

/* ---- files that Java wrote ---------------------------------------------- */

static const struct {
    const char             *file;
    uint64_t                count;
    struct tn_javaser_entry last;
} samples[] = {
    { "entries0.bin", 0, ENTRY("", 0, 0) },
    { "entries1.bin", 1, ENTRY("w0", 0x1000, 0x100000) },
    { "entries2.bin", 2, ENTRY("w1", 0x2000, 0x100001) },
    { "entries13.bin", 13, ENTRY("w12", 0xd000, 0x10000c) },
    { "shared_handles_utf.bin", 3,
      ENTRY("\xc3\xa9\0\xf0\x9f\x98\x80", 5000, 5000) },
};

static void check_sample(struct tn_bytes bytes, size_t which)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(bytes, 0, &error);
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_list   entries;
    struct tn_buffer again;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_list_init(&entries, &memory, sizeof(struct tn_javaser_entry));
    if (tn_javaser_read(&c, &arena, &entries) != TN_OK)
        fail_msg("%s: %s", samples[which].file, error.what);
    assert_int_equal(entries.count, samples[which].count);
    if (entries.count) {
        const struct tn_javaser_entry *last =
            tn_list_at(&entries, struct tn_javaser_entry, entries.count - 1);
        assert_true(tn_bytes_equal(last->key, samples[which].last.key));
        assert_true(last->first == samples[which].last.first);
        assert_true(last->second == samples[which].last.second);
    }
    tn_buffer_init(&again, &memory, &error);
    tn_javaser_write(&again, entries.items, entries.count);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&again), bytes));
    tn_buffer_done(&again);
    tn_list_done(&entries);
    tn_arena_done(&arena);
}

static void samples_come_back_byte_for_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, TN_SHARED_DATA "/samediff/java-manifest/%s",
                 samples[i].file);
        struct tn_bytes bytes = tn_load_file(path);
        if (!bytes.data)
            skip();
        check_sample(bytes, i);
        free((void *)(uintptr_t)bytes.data);
    }
}

/* ---- Java reads what we write, and writes the same ---------------------- */

/* A class of that name and UID, and a program that reads a map and prints it,
 * then writes it with numbers boxed anew. */
static const char pair_java[] =
    "package org.nd4j.common.primitives;\n"
    "public class Pair<K, V> implements java.io.Serializable {\n"
    "    private static final long serialVersionUID = 119L;\n"
    "    public K key; public V value;\n"
    "    public Pair(K k, V v) { key = k; value = v; }\n"
    "}\n";
static const char judge_java[] =
    "import java.io.*; import java.util.*;\n"
    "import org.nd4j.common.primitives.Pair;\n"
    "public class Judge {\n"
    "  @SuppressWarnings(\"unchecked\")\n"
    "  public static void main(String[] a) throws Exception {\n"
    "    LinkedHashMap<String, Pair<Long, Long>> map, copy;\n"
    "    ObjectInputStream in =\n"
    "        new ObjectInputStream(new FileInputStream(a[0]));\n"
    "    map = (LinkedHashMap<String, Pair<Long, Long>>) in.readObject();\n"
    "    if (in.read() >= 0) throw new IOException(\"more bytes\");\n"
    "    copy = new LinkedHashMap<>();\n"
    "    for (Map.Entry<String, Pair<Long, Long>> e : map.entrySet()) {\n"
    "      long x = e.getValue().key, y = e.getValue().value;\n"
    "      System.out.println(e.getKey().length() + \" \" + x + \" \" + y);\n"
    "      copy.put(new String(e.getKey()), new Pair<Long, Long>(x, y));\n"
    "    }\n"
    "    ObjectOutputStream out =\n"
    "        new ObjectOutputStream(new FileOutputStream(a[1]));\n"
    "    out.writeObject(copy); out.close();\n"
    "  }\n"
    "}\n";

static void write_stream(struct tn_scratch *scratch)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;
    int file = openat(scratch->folder, "ours.bin", O_WRONLY | O_CREAT, 0666);

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    tn_javaser_write(&buffer, some, SOME_COUNT);
    assert_int_equal(write(file, buffer.data, buffer.size), buffer.size);
    close(file);
    tn_buffer_done(&buffer);
}

static void java_reads_and_writes_the_same(void **state)
{
    static const char expected[] =
        "0 0 -1\n2 0 127\n4 5000 5000\n"
        "13 9223372036854775807 -9223372036854775808\n1 128 -128\n"
        "2 -129 127\n";
    struct tn_scratch scratch;
    char              command[1200];

    (void)state;
    if (system("command -v javac >/dev/null 2>&1 && "
               "command -v java >/dev/null 2>&1") != 0)
        skip();
    scratch = tn_scratch_open();
    tn_scratch_write(&scratch, "Pair.java", pair_java);
    tn_scratch_write(&scratch, "Judge.java", judge_java);
    write_stream(&scratch);
    snprintf(command, sizeof command,
             "cd '%s' && mkdir java && javac -d java Pair.java Judge.java && "
             "java -Xshare:auto -cp java Judge ours.bin theirs.bin >out.txt && "
             "cmp ours.bin theirs.bin",
             scratch.path);
    assert_int_equal(system(command), 0);
    assert_true(tn_scratch_holds(&scratch, "out.txt", expected));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_read_strictly),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(maps_come_back),
        cmocka_unit_test(long_keys_are_long_strings),
        cmocka_unit_test(keys_must_be_text),
        cmocka_unit_test(samples_come_back_byte_for_byte),
        cmocka_unit_test(java_reads_and_writes_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
