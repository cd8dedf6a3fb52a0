/*
 * version_two_test.c - version 2 of the format: bytes in pieces, several
 * files, metadata in parts
 *
 * Whatever the limits, what was split is joined again; and whatever is missing
 * or cut off is named.
 */
#define _GNU_SOURCE
#include "support/hostile.h"
#include "support/random_message.h"
#include "support/scratch.h"

#include "chunk/chunk_judge.h"
#include "chunk/chunk_same.h"
#include "chunk/cpb.h"
#include "chunk/splitter.h"

#define MANY "tensorflow.proto_splitter_testdata.ManyFields"

static struct judge      judge;
static struct tn_schema *old, *new, *tensorflow, *testdata;
static struct tn_scratch scratch;

static int begin(void **state)
{
    struct tn_error error  = TN_ERROR_INIT;
    struct tn_bytes sets[] = { judge_set("pb", "old"), judge_set("pb", "new"),
                               judge_set("chunk", "testdata") };
    struct tn_schema **opened[] = { &old, &new, &testdata };

    (void)state;
    judge_open(&judge);
    for (int i = 0; i < 3; i++) {
        tn_schema_open(opened[i], sets[i], NULL, &error);
        free((void *)(uintptr_t)sets[i].data);
    }
    tn_schema_builtin(&tensorflow, "tensorflow", NULL, &error);
    assert_int_equal(error.status, TN_OK);
    scratch = tn_scratch_open();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_scratch_close(&scratch);
    tn_schema_close(old);
    tn_schema_close(new);
    tn_schema_close(testdata);
    tn_schema_close(tensorflow);
    judge_close(&judge);
    return 0;
}

/* ---- splitting ----------------------------------------------------------- */

/* A message being split in a way. */
struct trial {
    const struct tn_schema *schema;
    const char             *type;
    struct tn_bytes         bytes;
    uint64_t                most;
    struct tn_split_format  format;
    const char             *records;
};

static enum tn_status split(const struct trial      *trial,
                            const struct tn_options *options,
                            struct tn_message      **message,
                            struct tn_splitter     **splitter,
                            struct tn_error         *error)
{
    *message  = NULL;
    *splitter = NULL;
    TN_TRY(tn_message_bytes(message, trial->schema, trial->type, trial->bytes,
                            options, error));
    TN_TRY(tn_splitter_open(splitter, *message, error));
    TN_TRY(tn_splitter_format(*splitter, &trial->format, error));
    return tn_splitter_by_size(*splitter, trial->most, error);
}

static enum tn_status write_files(struct tn_splitter *splitter,
                                  const char *records, const char *name,
                                  struct tn_error *error)
{
    char            *path   = tn_scratch_path(&scratch, name);
    struct tn_target target = { .path = path, .can_replace = true };

    tn_splitter_write(splitter, &target, records, NULL, error);
    free(path);
    return error->status;
}

/* ---- random messages, random limits -------------------------------------- */

static void assert_sizes(const struct trial       *trial,
                         const struct tn_splitter *splitter)
{
    for (uint64_t i = 0; i < tn_splitter_chunk_count(splitter); i++)
        assert_true(tn_splitter_chunk_size(splitter, i) <=
                    (tn_splitter_chunk_type(splitter, i) == TN_CHUNK_MESSAGE
                         ? trial->most
                         : splitter->format.max_bytes));
}

static void assert_file_sizes(uint64_t most)
{
    DIR           *entries = fdopendir(dup(scratch.folder));
    struct dirent *entry;
    struct stat    about;

    rewinddir(entries);
    while (most && (entry = readdir(entries)) != NULL)
        if (strstr(entry->d_name, ".cpb") &&
            !fstatat(scratch.folder, entry->d_name, &about, 0))
            assert_true((uint64_t)about.st_size <= most);
    closedir(entries);
}

/* From files, at once and when asked for; and out of memory. */
static void assert_joins(const struct trial *trial, struct tn_message *message,
                         struct tn_splitter *splitter)
{
    struct tn_error    error = TN_ERROR_INIT;
    char              *path  = tn_scratch_path(&scratch, "m");
    struct tn_message *merged;
    struct tn_merger  *merger;
    uint64_t           count  = tn_splitter_chunk_count(splitter);
    struct tn_bytes   *chunks = calloc((size_t)count, sizeof *chunks);

    tn_merge_read(&merged, trial->schema, trial->type, path, NULL, 0, NULL,
                  &error);
    assert_string_equal(error.what, "");
    assert_same(&judge.memory, message->type, message, merged);
    tn_message_close(merged);
    tn_merger_open(&merger, trial->schema, trial->type, path, NULL, &error);
    tn_merger_get(&merged, merger, NULL, 0, &error);
    assert_string_equal(error.what, "");
    assert_same(&judge.memory, message->type, message, merged);
    tn_message_close(merged);
    tn_merger_close(merger);
    for (uint64_t i = 0; i < count; i++) {
        size_t   size = (size_t)tn_splitter_chunk_size(splitter, i);
        uint8_t *copy = malloc(size + 1);
        tn_splitter_chunk_read(splitter, i, 0, copy, size, &error);
        chunks[i] = tn_bytes(copy, size);
    }
    tn_merge(&merged, trial->schema, trial->type, chunks, count,
             tn_splitter_chunked_message(splitter), NULL, &error);
    assert_string_equal(error.what, "");
    assert_same(&judge.memory, message->type, message, merged);
    tn_message_close(merged);
    for (uint64_t i = 0; i < count; i++)
        free((void *)(uintptr_t)chunks[i].data);
    free(chunks);
    free(path);
}

/* False: refused, since something cannot be divided. */
static bool holds(const struct trial *trial)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_message  *message;
    struct tn_splitter *splitter;

    split(trial, NULL, &message, &splitter, &error);
    if (!tn_failed(&error))
        write_files(splitter, trial->records, "m", &error);
    bool is_done = !tn_failed(&error);
    if (is_done) {
        assert_sizes(trial, splitter);
        assert_file_sizes(trial->format.max_file);
        assert_joins(trial, message, splitter);
    } else {
        assert_int_equal(error.status, TN_LIMIT);
    }
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_scratch_empty(scratch.folder);
    return is_done;
}

static struct tn_split_format random_format(struct tn_dice *dice)
{
    static const uint64_t files[]  = { 0, 0, 1024, 2000, 10000 };
    static const uint64_t others[] = { 0, 256, 400, 1500 };
    static const uint64_t bytes[]  = { 1, 7, 50, 5000 };

    return (struct tn_split_format){
        .version         = 2,
        .separates_bytes = tn_roll(dice, 2),
        .max_bytes       = bytes[tn_roll(dice, 4)],
        .max_metadata    = others[tn_roll(dice, 4)],
        .max_file        = files[tn_roll(dice, 5)],
    };
}

/* One message of one type, split in one way. */
static bool try_one(struct tn_dice *dice, const struct tn_schema *schema,
                    const char *type)
{
    static const uint64_t    limits[]  = { 24, 64, 150, 600, 2000 };
    static const char *const records[] = { "uncompressed", "brotli:1", "zstd",
                                           "uncompressed,chunk_size:100",
                                           "snappy,transpose" };
    struct tn_error          error     = TN_ERROR_INIT;
    struct tn_buffer         bytes;

    tn_buffer_init(&bytes, &judge.memory, &error);
    while (bytes.size < 3000 && tn_roll(dice, 9))
        tn_random_message(dice, tn_pb_schema_find(&schema->types, type), 0,
                          &bytes);
    struct trial trial = { .schema  = schema,
                           .type    = type,
                           .bytes   = tn_buffer_bytes(&bytes),
                           .most    = limits[tn_roll(dice, 5)],
                           .format  = random_format(dice),
                           .records = records[tn_roll(dice, 5)] };
    bool         held  = holds(&trial);
    tn_buffer_done(&bytes);
    return held;
}

static void test_random(void **state)
{
    struct {
        struct tn_schema *schema;
        const char       *name;
    } const types[] = {
        { old, "old.Everything" },
        { new, "new.Everything" },
        { testdata, MANY },
        { tensorflow, "tensorflow.GraphDef" },
    };
    uint64_t tried = 0, held = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++, tried++) {
        struct tn_dice dice  = tn_dice_of(seed);
        size_t         which = seed % (sizeof types / sizeof *types);
        held += try_one(&dice, types[which].schema, types[which].name);
    }
    for (uint64_t seed = 1; seed <= 80; seed++, tried++) {
        struct tn_dice    dice  = tn_dice_of(seed);
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_buffer  set;
        struct tn_schema *schema;
        tn_buffer_init(&set, &judge.memory, &error);
        tn_random_schema(&dice, &set);
        tn_schema_open(&schema, tn_buffer_bytes(&set), NULL, &error);
        assert_string_equal(error.what, "");
        held += try_one(&dice, schema, TN_RANDOM_ROOT);
        tn_schema_close(schema);
        tn_buffer_done(&set);
    }
    assert_true(held * 2 > tried);
}

/* ---- what becomes of a message ------------------------------------------- */

#define TEN "0123456789"
#define S50 TEN TEN TEN TEN TEN

static void many_fields(struct tn_buffer *bytes)
{
    judge_encode(&judge, &judge.testdata, MANY,
                 "field_one { string_field: \"" S50
                 "a\" } string_field: \"" S50 S50                   S50
                 "\" repeated_string_field: [\"x\", \"" S50         S50
                 "z\"] map_field_uint32 { key: 7 value: \"" S50 S50 S50
                 "\" } map_field_int64 { key: -1 value: \"small\" }",
                 bytes);
}

static struct trial trial_of(struct tn_buffer *bytes)
{
    return (struct trial){ .schema  = testdata,
                           .type    = MANY,
                           .bytes   = tn_buffer_bytes(bytes),
                           .most    = 60,
                           .format  = { .version = 2, .max_bytes = 60 },
                           .records = "uncompressed" };
}

static void describe(struct tn_splitter *splitter, char *to, size_t size)
{
    const struct tn_chunked *result = &splitter->result;
    size_t                   used   = 0;
    char                     path[100];

    for (uint64_t i = 0; i < result->field_count; i++) {
        tn_tags_print(result->fields[i].tags, splitter->type, path,
                      sizeof path);
        used += (size_t)snprintf(
            to + used, size - used, "%s%s=%d", i ? " " : "", path,
            (int)tn_splitter_chunk_size(splitter,
                                        result->fields[i].message.chunk));
        assert_true(used < size);
        assert_int_equal(result->fields[i].message.chunk, i + 1);
    }
}

static void test_pieces(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;
    char                got[400];

    (void)state;
    many_fields(&bytes);
    struct trial trial = trial_of(&bytes);
    split(&trial, NULL, &message, &splitter, &error);
    tn_splitter_split(splitter, &error);
    assert_string_equal(error.what, "");
    describe(splitter, got, sizeof got);
    assert_string_equal(
        got, "field_one=53 string_field=60 string_field=60 string_field=30 "
             "repeated_string_field[1]=60 repeated_string_field[1]=41 "
             "map_field_uint32[7]=60 map_field_uint32[7]=60 "
             "map_field_uint32[7]=30");
    tn_splitter_close(splitter);
    tn_message_close(message);
    assert_true(holds(&trial));
    tn_buffer_done(&bytes);
}

/* Numbers are text in a chunk; two chunks for one are no longer number. */
static void test_numbers_stay_whole(void **state)
{
    static const struct tn_step units[] = { TN_NAME("filler_field") };
    const char                 *type =
        "tensorflow.proto_splitter_testdata.RepeatedRepeatedString";
    struct tn_split_format format = { .version = 2, .max_bytes = 2 };
    struct tn_error        error  = TN_ERROR_INIT;
    struct tn_message     *message;
    struct tn_splitter    *splitter;

    (void)state;
    tn_message_bytes(&message, testdata, type, tn_bytes("", 0), NULL, &error);
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_format(splitter, &format, &error);
    tn_splitter_add_chunk(splitter, TN_CHUNK_BYTES, tn_text("12345"), units, 1,
                          TN_AT_END, &error);
    tn_splitter_split(splitter, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_splitter_chunk_count(splitter), 1);
    tn_splitter_close(splitter);
    tn_message_close(message);
}

static void test_refused_formats(void **state)
{
    static const struct {
        struct tn_split_format format;
        const char            *complaint;
    } cases[] = {
        { { .version = 2 }, NULL },
        { { .version = 1 }, NULL },
        { { .version = 0 }, NULL },
        { { .version = 3 }, "versions 1 and 2" },
        { { .version = 1, .max_bytes = 10 }, "version 1 is one file" },
        { { .max_file = 5000 }, "version 1 is one file" },
        { { .separates_bytes = true }, "version 1 is one file" },
        { { .version = 2, .max_file = 1023 }, "at least 1024" },
        { { .version = 2, .max_metadata = 255 }, "at least 256" },
    };
    const struct tn_step one[] = { TN_NAME("field_one") };
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_message   *message;
    struct tn_splitter  *splitter, *child;

    (void)state;
    tn_message_bytes(&message, testdata, MANY, tn_bytes("\x0a", 2), NULL,
                     &error);
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_child(&child, splitter, one, 1, &error);
    assert_string_equal(error.what, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error own = TN_ERROR_INIT;
        tn_splitter_format(splitter, &cases[i].format, &own);
        assert_int_equal(own.status, cases[i].complaint ? TN_INVALID : TN_OK);
        if (cases[i].complaint)
            assert_non_null(strstr(own.what, cases[i].complaint));
    }
    assert_int_equal(tn_splitter_format(child, &cases[0].format, &error),
                     TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_splitter_split(splitter, &error);
    assert_int_equal(tn_splitter_format(splitter, &cases[0].format, &error),
                     TN_INVALID);
    tn_splitter_close(splitter);
    tn_message_close(message);
}

/* ---- readers of version 1 ------------------------------------------------ */

static void make_files(struct tn_split_format format, const char *name,
                       const char *records)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;

    many_fields(&bytes);
    struct trial trial = trial_of(&bytes);
    trial.format       = format;
    split(&trial, NULL, &message, &splitter, &error);
    write_files(splitter, records, name, &error);
    assert_string_equal(error.what, "");
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&bytes);
}

static struct tn_bytes load(const char *name)
{
    char           *path = tn_scratch_path(&scratch, name);
    struct tn_bytes file = tn_load_file(path);

    free(path);
    assert_non_null(file.data);
    return file;
}

/* The last record, as a reader that knows no version 2 takes it. */
static void last_record(struct tn_bytes file, struct tn_source *source,
                        struct tn_riegeli        *records,
                        struct tn_riegeli_chunk **chunk,
                        struct tn_chunk_meta     *meta)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_riegeli_frame frame;

    tn_source_memory(source, &judge.memory, file);
    tn_riegeli_open(records, source, &judge.memory, &error);
    assert_true(tn_riegeli_frame_last(records, &frame, &error));
    tn_riegeli_chunk_open(chunk, records, &frame, NULL, &error);
    assert_string_equal(error.what, "");
    tn_chunk_meta_read(
        meta,
        tn_riegeli_chunk_record(*chunk, tn_riegeli_chunk_count(*chunk) - 1),
        &judge.arena, &error);
    assert_string_equal(error.what, "");
}

/* One that looks at the version says why not; one that does not look cannot
 * follow the paths. */
static void test_version_one_refuses(void **state)
{
    static const struct tn_split_format formats[] = {
        { .version = 2, .max_bytes = 60 },
        { .version = 2, .max_bytes = 60, .max_metadata = 256 },
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tn_error          error = TN_ERROR_INIT;
        struct tn_source         source;
        struct tn_riegeli        records;
        struct tn_riegeli_chunk *chunk;
        struct tn_chunk_meta     meta;
        struct tn_tag_step       step;

        make_files(formats[i], "v", "brotli");
        struct tn_bytes file = load("v.cpb");
        last_record(file, &source, &records, &chunk, &meta);
        assert_int_equal(meta.splitter_version, 2);
        assert_int_equal(meta.join_version, 1);
        assert_int_equal(meta.unknown_count, 0);
        assert_int_equal(tn_chunk_meta_versions(&meta, 0, &error),
                         TN_UNSUPPORTED);
        assert_non_null(strstr(error.what, "splitter version 2"));
        assert_non_null(strstr(error.what, "join version 1 or later"));
        assert_non_null(strstr(error.what, "has 0"));

        error               = (struct tn_error)TN_ERROR_INIT;
        struct tn_tags tags = meta.message.fields[0].tags;
        assert_int_equal(meta.message.field_count, 1);
        assert_false(meta.message.has_chunk);
        assert_int_equal(tn_tags_step(&tags, judge.many, &step, &error),
                         TN_MALFORMED);
        tn_riegeli_chunk_close(chunk);
        tn_source_close(&source);
        free((void *)(uintptr_t)file.data);
    }
    tn_scratch_empty(scratch.folder);
}

/* Version 1 is what is written when nobody asks. */
static void test_version_one_is_the_default(void **state)
{
    struct tn_source         source;
    struct tn_riegeli        records;
    struct tn_riegeli_chunk *chunk;
    struct tn_chunk_meta     meta;

    (void)state;
    make_files((struct tn_split_format){ .version = 0 }, "v", "brotli");
    struct tn_bytes file = load("v.cpb");
    last_record(file, &source, &records, &chunk, &meta);
    assert_int_equal(meta.splitter_version, 1);
    assert_int_equal(meta.join_version, 0);
    assert_int_equal(meta.file_count, 0);
    assert_true(meta.message.has_chunk);
    tn_riegeli_chunk_close(chunk);
    tn_source_close(&source);
    free((void *)(uintptr_t)file.data);
    tn_scratch_empty(scratch.folder);
}

/* ---- files that are missing, cut or mixed up ----------------------------- */

static const struct tn_split_format several = {
    .version = 2, .max_bytes = 60, .max_file = 1024, .separates_bytes = true
};

/* m.cpb and m.bytes.cpb */
static const struct tn_split_format two_files = { .version         = 2,
                                                  .max_bytes       = 60,
                                                  .separates_bytes = true };

static enum tn_status read_files(const char *name, const struct tn_path *paths,
                                 uint64_t count, struct tn_error *error)
{
    char              *path = tn_scratch_path(&scratch, name);
    struct tn_message *merged;

    *error = (struct tn_error)TN_ERROR_INIT;
    tn_merge_read(&merged, testdata, MANY, path, paths, count, NULL, error);
    tn_message_close(merged);
    free(path);
    return error->status;
}

static void move(const char *from, const char *to)
{
    assert_int_equal(renameat(scratch.folder, from, scratch.folder, to), 0);
}

static void test_missing_file(void **state)
{
    const struct tn_step one[]   = { TN_NAME("field_one") };
    const struct tn_path paths[] = { { one, 1 } };
    struct tn_error      error;

    (void)state;
    make_files(two_files, "m", "uncompressed");
    assert_true(tn_scratch_has(&scratch, "m.bytes.cpb"));
    assert_int_equal(read_files("m", NULL, 0, &error), TN_OK);
    move("m.bytes.cpb", "elsewhere");
    assert_int_equal(read_files("m", NULL, 0, &error), TN_NOT_FOUND);
    assert_string_equal(error.file, "m.bytes.cpb");
    /* A part that has no bytes there needs no such file. */
    assert_int_equal(read_files("m", paths, 1, &error), TN_OK);
    tn_scratch_write(&scratch, "m.bytes.cpb", "something else");
    assert_int_equal(read_files("m", NULL, 0, &error), TN_TRUNCATED);
    assert_string_equal(error.file, "m.bytes.cpb");
    tn_scratch_empty(scratch.folder);
}

static void test_renamed(void **state)
{
    struct tn_error error;

    (void)state;
    make_files(two_files, "m", "uncompressed");
    move("m.cpb", "other.cpb");
    assert_int_equal(read_files("other", NULL, 0, &error), TN_NOT_FOUND);
    assert_string_equal(error.file, "other.bytes.cpb");
    move("m.bytes.cpb", "other.bytes.cpb");
    assert_int_equal(read_files("other", NULL, 0, &error), TN_OK);
    tn_scratch_empty(scratch.folder);
}

static void test_main_alone_in_memory(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *merged;

    (void)state;
    make_files(two_files, "m", "uncompressed");
    struct tn_bytes file = load("m.cpb");
    assert_int_equal(
        tn_merge_bytes(&merged, testdata, MANY, file, NULL, &error),
        TN_NOT_FOUND);
    assert_string_equal(error.file, "PREFIX.bytes.cpb");
    free((void *)(uintptr_t)file.data);
    tn_scratch_empty(scratch.folder);
}

/* Where the chunks of records of a file begin. */
static uint64_t boundaries(struct tn_bytes file, uint64_t *at, uint64_t room)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_source        source;
    struct tn_riegeli       records;
    struct tn_riegeli_frame frame;
    uint64_t                count = 0;

    tn_source_memory(&source, &judge.memory, file);
    tn_riegeli_open(&records, &source, &judge.memory, &error);
    for (uint64_t next = 0; next < file.size; next = frame.end) {
        assert_int_equal(
            tn_riegeli_frame_read(&records, next, &frame, NULL, &error), TN_OK);
        assert_true(count < room);
        at[count++] = next;
    }
    tn_source_close(&source);
    return count;
}

static void put(const char *name, struct tn_bytes bytes)
{
    tn_scratch_put(&scratch, name, bytes);
}

/* Cut between any two chunks of records, a file is itself a good one. */
static void cut_everywhere(const char *name)
{
    struct tn_bytes file = load(name);
    struct tn_error error;
    uint64_t        at[100];
    uint64_t        count = boundaries(file, at, 100);

    assert_true(count > 1);
    for (uint64_t i = 0; i < count; i++) {
        put(name, tn_bytes(file.data, (size_t)at[i]));
        assert_int_not_equal(read_files("m", NULL, 0, &error), TN_OK);
        if (strcmp(name, "m.cpb"))
            assert_string_equal(error.file, name);
    }
    put(name, file);
    free((void *)(uintptr_t)file.data);
}

static void test_cut_files(void **state)
{
    struct tn_split_format format = several;
    struct tn_error        error;
    DIR                   *entries;
    struct dirent         *entry;
    int                    count = 0;

    (void)state;
    format.max_metadata = 256;
    make_files(format, "m", "uncompressed,chunk_size:1");
    assert_int_equal(read_files("m", NULL, 0, &error), TN_OK);
    entries = fdopendir(dup(scratch.folder));
    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL)
        if (strstr(entry->d_name, ".cpb")) {
            cut_everywhere(entry->d_name);
            count++;
        }
    closedir(entries);
    assert_true(count >= 3);
    assert_int_equal(read_files("m", NULL, 0, &error), TN_OK);
    tn_scratch_empty(scratch.folder);
}

/* All files or none: one that is in the way leaves nothing of the others. */
static void test_all_or_nothing(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;
    char               *path   = tn_scratch_path(&scratch, "m");
    struct tn_target    target = { .path = path };

    (void)state;
    many_fields(&bytes);
    struct trial trial = trial_of(&bytes);
    trial.format       = two_files;
    tn_scratch_write(&scratch, "m.bytes.cpb", "mine");
    split(&trial, NULL, &message, &splitter, &error);
    assert_int_equal(tn_splitter_write(splitter, &target, NULL, NULL, &error),
                     TN_EXISTS);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 1);
    assert_true(tn_scratch_holds(&scratch, "m.bytes.cpb", "mine"));
    error              = (struct tn_error)TN_ERROR_INIT;
    target.can_replace = true;
    tn_splitter_write(splitter, &target, NULL, NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(read_files("m", NULL, 0, &error), TN_OK);
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&bytes);
    tn_scratch_empty(scratch.folder);
    free(path);
}

/* What an earlier split left goes when it may be replaced. */
static void test_replaced(void **state)
{
    struct tn_error error;

    (void)state;
    make_files(several, "m", "uncompressed");
    assert_true(tn_scratch_count(&scratch, ".", "-of-") > 0);
    tn_scratch_write(&scratch, "m.notes.cpb", "not ours");
    tn_scratch_write(&scratch, "mm.bytes.cpb", "not ours");
    make_files(two_files, "m", "uncompressed");
    assert_int_equal(tn_scratch_count(&scratch, ".", "-of-"), 0);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 4);
    assert_int_equal(read_files("m", NULL, 0, &error), TN_OK);
    tn_scratch_empty(scratch.folder);
}

static void test_several_files_are_not_bytes(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    (void)state;
    many_fields(&bytes);
    struct trial trial = trial_of(&bytes);
    trial.format       = several;
    split(&trial, NULL, &message, &splitter, &error);
    assert_int_equal(
        tn_splitter_write_memory(splitter, NULL, &file, &is_chunked, &error),
        TN_UNSUPPORTED);
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&bytes);
}

/* ---- hostile ------------------------------------------------------------- */

/* One file of version 2, with metadata in parts. */
static enum tn_status split_and_join(struct tn_bytes   input,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_options options = { .allocator = &memory->allocator };
    struct trial      trial   = {
               .schema = testdata,
               .type   = MANY,
               .bytes  = input,
               .most   = 60,
               .format = { .version = 2, .max_bytes = 30, .max_metadata = 256 }
    };
    struct tn_message  *message, *merged = NULL;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    if (split(&trial, &options, &message, &splitter, error) == TN_OK &&
        tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                                 error) == TN_OK)
        tn_merge_bytes(&merged, testdata, MANY, file, &options, error);
    tn_message_close(merged);
    tn_splitter_close(splitter);
    tn_message_close(message);
    return error->status;
}

static enum tn_status join(struct tn_bytes input, struct tn_memory *memory,
                           struct tn_error *error)
{
    struct tn_options  options = { .allocator = &memory->allocator };
    struct tn_message *merged;

    tn_merge_bytes(&merged, testdata, MANY, input, &options, error);
    tn_message_close(merged);
    return error->status;
}

static void test_hostile(void **state)
{
    struct tn_buffer bytes;

    (void)state;
    many_fields(&bytes);
    tn_survives_no_memory(split_and_join, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
    make_files((struct tn_split_format){ .version      = 2,
                                         .max_bytes    = 60,
                                         .max_metadata = 256 },
               "h", "uncompressed");
    struct tn_bytes file = load("h.cpb");
    tn_survives_every_flip(join, file);
    for (size_t i = 0; i < file.size; i++) {
        struct tn_error error = TN_ERROR_INIT;
        /* Less than a signature is a message, if anything. */
        if (i >= TN_RIEGELI_SIGNATURE_SIZE)
            assert_int_not_equal(
                join(tn_bytes(file.data, i), &judge.memory, &error), TN_OK);
    }
    free((void *)(uintptr_t)file.data);
    tn_scratch_empty(scratch.folder);
}

/* Metadata given as text, after one record. */
static void test_metadata(void **state)
{
#define VERSION "version { splitter_version: 2 join_version: 1 } "
#define CHUNK   "chunks { type: MESSAGE size: 3 offset: 64 } "
#define INNER   "message { chunk_index: 0 }"
#define WRAP(n, inner)                                                         \
    "message { chunked_fields { field_tag { field: " n " } " inner " } }"
    static const struct {
        const char    *name, *metadata;
        enum tn_status status;
        const char    *complaint;
    } cases[] = {
        { "good", VERSION CHUNK WRAP("536870911", INNER), TN_OK, "" },
        { "no envelope: laid out as version 1", VERSION CHUNK INNER, TN_OK,
          "" },
        { "no envelope, and further files",
          VERSION CHUNK "files { name: \"a\" size: 64 } " INNER, TN_MALFORMED,
          "without the field 536870911" },
        { "an envelope of version 1", CHUNK WRAP("536870911", INNER),
          TN_MALFORMED, "536870911" },
        { "metadata that are none", VERSION CHUNK WRAP("536870910", INNER),
          TN_MALFORMED, "is not the tag of a protobuf field" },
        { "a file that is not listed",
          VERSION "chunks { size: 3 offset: 281474976710720 } " WRAP(
              "536870911", INNER),
          TN_MALFORMED, "at position 281474976710720" },
        { "behind the end of a file",
          VERSION "chunks { size: 3 offset: 281474976710720 } "
                  "files { name: \"a\" size: 64 } " WRAP("536870911", INNER),
          TN_MALFORMED, "at position 281474976710720" },
        { "a name that leads elsewhere",
          VERSION CHUNK
          "files { name: \"../a\" size: 100 } " WRAP("536870911", INNER),
          TN_MALFORMED, "cannot be part of the name" },
        { "no name", VERSION CHUNK "files { } " WRAP("536870911", INNER),
          TN_MALFORMED, "cannot be part of the name" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error           error = TN_ERROR_INIT;
        struct tn_riegeli_options how   = TN_RIEGELI_OPTIONS_INIT;
        struct tn_riegeli_writer  writer;
        struct tn_buffer          last, file;
        struct tn_message        *merged;

        judge_encode(&judge, &judge.splitter,
                     "tensorflow.proto_splitter.ChunkMetadata",
                     cases[i].metadata, &last);
        tn_buffer_init(&file, &judge.memory, &error);
        tn_riegeli_writer_init(&writer, &file.sink, &how, &judge.memory,
                               &error);
        tn_riegeli_add(&writer, tn_bytes("\x1a\x01", 3));
        tn_riegeli_add(&writer, tn_buffer_bytes(&last));
        tn_riegeli_finish(&writer);
        tn_riegeli_writer_done(&writer);
        assert_string_equal(error.what, "");
        tn_merge_bytes(&merged, testdata, MANY, tn_buffer_bytes(&file), NULL,
                       &error);
        if (error.status != cases[i].status)
            print_message("%s: %s\n", cases[i].name, error.what);
        assert_int_equal(error.status, cases[i].status);
        assert_non_null(strstr(error.what, cases[i].complaint));
        tn_message_close(merged);
        tn_buffer_done(&last);
        tn_buffer_done(&file);
    }
}

static void test_names(void **state)
{
    static const struct {
        const char *name;
        bool        is_member;
    } cases[] = {
        { "m.bytes.cpb", true },
        { "m.00001-of-00010.cpb", true },
        { "m.bytes-00001-of-00010.cpb", true },
        { "m.cpb", false },
        { "m.bytes", false },
        { "m.bytes.cpb2", false },
        { "n.bytes.cpb", false },
        { "mm.bytes.cpb", false },
        { "m.0001-of-00010.cpb", false },
        { "m.00001-of-00010", false },
        { "m.00001-of", false },
        { "m.", false },
        { "m.notes.cpb", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tn_cpb_is_member(cases[i].name, "m"),
                         cases[i].is_member);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_numbers_stay_whole),
        cmocka_unit_test(test_refused_formats),
        cmocka_unit_test(test_version_one_refuses),
        cmocka_unit_test(test_version_one_is_the_default),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_renamed),
        cmocka_unit_test(test_main_alone_in_memory),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_several_files_are_not_bytes),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
