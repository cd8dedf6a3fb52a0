/*
 * pb_merge_test.c - protobuf's rules on merging, with protoc as the judge
 *
 * What tn_pb_normalize writes must be what protoc writes after it has decoded
 * the same bytes; where unknown fields keep protoc from encoding its own text,
 * protoc must at least decode both to the same text.
 */
#include "support/hostile.h"

#include <dirent.h>

#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_judge.h"
#include "wire/pb/pb_merge.h"

static struct tn_memory    memory;
static struct tn_arena     schemas;
static struct tn_pb_schema old, new, onnx;
static struct tn_bytes     old_set, new_set;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&schemas, &memory);
    old_set = judge_compile("old");
    new_set = judge_compile("new");
    tn_pb_schema_load(&old, &schemas, old_set, &error);
    tn_pb_schema_load(&new, &schemas, new_set, &error);
    tn_pb_schema_load(&onnx, &schemas, tn_pb_builtin_set(TN_PB_ONNX), &error);
    assert_int_equal(error.status, TN_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_arena_done(&schemas);
    assert_int_equal(memory.used, 0);
    free((void *)old_set.data);
    free((void *)new_set.data);
    return 0;
}

/* Normalises bytes; the caller frees the result. */
typedef enum tn_status normalizer(const struct tn_pb_view *view,
                                  struct tn_rope          *to);

static enum tn_status normalize_by(normalizer                 *how,
                                   const struct tn_pb_message *type,
                                   struct tn_bytes input, struct tn_buffer *to,
                                   struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, to->memory);
    tn_rope_init(&rope, &arena, error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_bytes(input, 0, error), &arena);
    if (how(&view, &rope) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status normalize(const struct tn_pb_message *type,
                                struct tn_bytes input, struct tn_buffer *to,
                                struct tn_error *error)
{
    return normalize_by(tn_pb_normalize, type, input, to, error);
}

/* The normal form is the input itself, by reference; if not, *offset is the
 * first byte that is not. */
static bool is_canonical(const struct tn_pb_message *type,
                         struct tn_bytes input, uint64_t *offset)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_bytes(input, 0, &error), &arena);
    assert_int_equal(tn_pb_normalize(&view, &rope), TN_OK);
    const struct tn_piece *first = rope.pieces.items;
    bool is_kept = rope.pieces.count && first->kind == TN_PIECE_BYTES &&
                   first->at.bytes == input.data;
    *offset     = is_kept ? first->length : 0;
    bool result = *offset == input.size && rope.length == input.size;
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return result;
}

/* A source that is not mapped, and whose reads may run out. */
struct reading {
    struct tn_source source; /* first, so that it can be found again */
    struct tn_bytes  bytes;
    uint64_t         left; /* reads until one fails */
};

static enum tn_status reading_read_at(struct tn_source *source, uint64_t offset,
                                      void *to, size_t size,
                                      struct tn_error *error)
{
    struct reading *reading = (struct reading *)(void *)source;

    if (reading->left-- == 0)
        return tn_error_set(error, TN_IO, offset, "no more reads");
    memcpy(to, reading->bytes.data + offset, size);
    return TN_OK;
}

static void reading_close(struct tn_source *source)
{
    (void)source;
}

static enum tn_status normalize_reading(const struct tn_pb_message *type,
                                        struct tn_bytes input, uint64_t reads,
                                        struct tn_buffer *to,
                                        struct tn_error  *error)
{
    static const struct tn_source_ops ops = { reading_read_at, reading_close };
    struct reading                    reading = {
                           { .ops = &ops, .size = input.size, .name = "", .memory = &memory },
                           input,
                           reads
    };
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&reading.source.pins, &memory);
    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, error);
    struct tn_span    all = { &reading.source, 0, input.size };
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_span(all, error), &arena);
    if (tn_pb_normalize(&view, &rope) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_source_close(&reading.source);
    return error->status;
}

/* Read instead of mapped it is the same, and the n-th read may fail. */
static void reading_agrees(const struct tn_pb_message *type,
                           struct tn_bytes input, struct tn_bytes expected)
{
    enum tn_status status = TN_IO;

    for (uint64_t reads = 0; status != TN_OK; reads++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer output;
        tn_buffer_init(&output, &memory, &error);
        status = normalize_reading(type, input, reads, &output, &error);
        assert_true(status == TN_OK || status == TN_IO);
        if (status == TN_OK)
            assert_true(tn_bytes_equal(tn_buffer_bytes(&output), expected));
        tn_buffer_done(&output);
    }
}

/* ---- the rules ---------------------------------------------------------- */

#define SAME UINT64_MAX /* canonical as it stands */

static const struct {
    const char *name, *type, *bytes;
    const char *expected; /* NULL: what protoc makes of it                    */
    uint64_t    offset;   /* first byte that is not canonical                 */
} rules[] = {
    { "nothing", "old.Everything", "", NULL, SAME },
    { "in order", "old.Everything", "28 01 68 02", NULL, SAME },
    { "out of order", "old.Everything", "68 02 28 01", NULL, 0 },
    { "last scalar wins", "old.Everything", "18 01 28 01 28 02", NULL, 2 },
    { "last string wins", "old.Everything", "4a 01 61 4a 01 62", NULL, 0 },
    { "zero with presence stays", "old.Everything", "28 00", NULL, SAME },
    { "zero without presence goes", "new.Everything", "18 01 28 00", NULL, 2 },
    { "empty text without presence goes", "new.Everything", "4a 00", NULL, 0 },
    { "minus zero stays", "new.Everything", "15 00 00 00 80", NULL, SAME },
    { "optional zero stays", "new.Everything", "a0 02 00", NULL, SAME },
    { "oneof zero stays", "new.Everything", "f8 01 00", NULL, SAME },
    { "long tag", "old.Everything", "a8 80 00 01", NULL, 0 },
    { "long varint", "old.Everything", "18 01 28 81 80 00", NULL, 2 },
    { "long length", "old.Everything", "4a 81 00 61", NULL, 0 },
    { "negative int32 in five bytes", "old.Everything", "28 ff ff ff ff 0f",
      NULL, 0 },
    { "int32 past 32 bits", "old.Everything", "28 81 80 80 80 10", NULL, 0 },
    { "bool of 2", "old.Everything", "40 02", NULL, 0 },
    { "sint32 past 32 bits", "old.Everything", "88 01 81 80 80 80 10", NULL,
      0 },
    { "messages merge", "old.Everything", "5a 02 08 01 5a 02 08 02", NULL, 0 },
    { "messages merge deeply", "old.Everything",
      "5a 04 1a 02 08 01 28 07 5a 07 1a 05 08 02 12 01 78", NULL, 0 },
    { "merging with an empty one", "old.Everything", "5a 00 5a 02 08 02", NULL,
      0 },
    { "inside of a message out of order", "old.Everything",
      "18 01 5a 05 12 01 78 08 01", NULL, 2 },
    { "group", "old.Everything", "53 08 01 12 02 08 02 54", NULL, SAME },
    { "groups merge", "old.Everything", "53 08 01 54 53 12 02 08 02 54", NULL,
      0 },
    { "group with a long end", "old.Everything", "53 08 01 d4 80 00", NULL, 0 },
    { "repeated append", "old.Everything", "a8 01 01 28 05 a8 01 02", NULL, 0 },
    { "packed where it should not be", "old.Everything", "aa 01 02 01 02", NULL,
      0 },
    { "unpacked where it should be packed", "old.Everything",
      "b0 01 01 b0 01 02", NULL, 0 },
    { "packed in two pieces", "old.Everything", "b2 01 01 01 b2 01 02 02 03",
      NULL, 0 },
    { "packed and unpacked", "old.Everything", "b2 01 01 01 b0 01 02", NULL,
      0 },
    { "packed, nothing in it", "old.Everything", "b2 01 00", NULL, 0 },
    { "packed with a long varint", "old.Everything", "b2 01 03 01 82 00", NULL,
      0 },
    { "packed fixed", "old.Everything", "da 01 08 01 00 00 00 02 00 00 00",
      NULL, SAME },
    { "fixed unpacked", "old.Everything", "dd 01 01 00 00 00", NULL, 0 },
    { "packed where doubles are not", "old.Everything",
      "e2 01 10 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 40", NULL, 0 },
    { "repeated messages", "old.Everything", "c2 01 02 08 01 c2 01 00", NULL,
      SAME },
    { "repeated groups", "old.Everything", "bb 01 0a 01 61 bc 01 bb 01 bc 01",
      NULL, SAME },
    { "oneof: the last stays", "old.Everything", "f8 01 01 82 02 02 08 01",
      NULL, 0 },
    { "oneof: cleared in between", "old.Everything",
      "82 02 02 08 01 f8 01 01 82 02 03 12 01 61", NULL, 0 },
    { "oneof: merges with itself", "old.Everything",
      "f8 01 01 82 02 02 08 01 82 02 02 1a 00", NULL, 0 },
    { "oneof: ascending, two members", "new.Everything", "f8 01 01 8a 02 01 61",
      NULL, 0 },
    { "map", "new.Everything",
      "d2 02 05 08 01 12 01 62 d2 02 05 08 02 12 01 "
      "61",
      NULL, SAME },
    { "map entry without a key", "new.Everything", "d2 02 03 12 01 61", NULL,
      0 },
    { "map entry without a value", "new.Everything", "d2 02 02 08 05", NULL,
      0 },
    { "map entry of nothing", "new.Everything", "ca 02 00", NULL, 0 },
    { "map entry, value first", "new.Everything", "d2 02 05 12 01 61 08 05",
      NULL, 0 },
    { "map of fixed32 to enum, nothing in it", "new.Everything", "ea 02 00",
      NULL, 0 },
    { "map of zigzag to double", "new.Everything",
      "da 02 0b 08 01 11 00 00 00 00 00 00 00 00", NULL, SAME },
    { "open enum keeps any number", "new.Everything", "70 63", NULL, SAME },
    { "extensions are sorted in", "old.Everything",
      "c2 3e 01 61 a0 06 07 28 01 b2 09 02 08 01", NULL, 0 },
    { "far field", "new.Everything", "f8 ff ff ff 0f 01", NULL, SAME },

    /* protoc keeps both entries of a key; a map has one. */
    { "map: the last entry of a key", "new.Everything",
      "d2 02 05 08 02 12 01 61 d2 02 05 08 01 12 01 62 d2 02 05 08 02 12 01 63",
      "d2 02 05 08 01 12 01 62 d2 02 05 08 02 12 01 63", 0 },
    { "map: absent key is the zero key", "new.Everything",
      "d2 02 05 08 00 12 01 61 d2 02 03 12 01 62", "d2 02 05 08 00 12 01 62",
      0 },
    { "map by text: the last entry", "new.Everything",
      "ca 02 03 0a 01 61 ca 02 07 0a 01 61 12 02 08 01",
      "ca 02 07 0a 01 61 12 02 08 01", 0 },

    /* Unknown fields go last, in their order and short. */
    { "unknown last", "old.Everything", "28 01 98 01 05", "28 01 98 01 05",
      SAME },
    { "unknown first", "old.Everything", "98 01 05 28 01 9a 01 01 61",
      "28 01 98 01 05 9a 01 01 61", 0 },
    { "unknown long", "old.Everything", "98 01 85 00", "98 01 05", 0 },
    { "unknown group", "old.Everything", "9b 01 08 81 00 9c 01",
      "9b 01 08 01 9c 01", 0 },
    { "unknown inside", "old.Everything", "5a 03 98 06 05 28 00",
      "28 00 5a 03 98 06 05", 0 },
    { "wire type that does not fit", "old.Everything", "2a 01 05 28 01",
      "28 01 2a 01 05", 0 },
    { "closed enum without the number", "old.Everything", "70 05 70 01 70 09",
      "70 01 70 05 70 09", 0 },
    { "packed closed enum without the number", "old.Everything",
      "d2 01 04 01 05 00 07", "d2 01 02 01 00 d0 01 05 d0 01 07", 0 },
    { "oneof: a number the enum lacks clears nothing", "old.Everything",
      "f8 01 01 90 02 05", "f8 01 01 90 02 05", SAME },
};

static const struct tn_pb_message *find_type(const char *name)
{
    return tn_pb_schema_find(name[0] == 'o' ? &old : &new, name);
}

static struct tn_bytes set_of(const char *type)
{
    return type[0] == 'o' ? old_set : new_set;
}

static void judge_text(size_t i, struct tn_bytes input, struct tn_bytes output)
{
    struct tn_bytes set  = set_of(rules[i].type);
    struct tn_bytes text = judge_run(set, "decode", rules[i].type, input);
    struct tn_bytes ours = judge_run(set, "decode", rules[i].type, output);

    if (!text.data || !ours.data)
        fail_msg("%s: protoc cannot read it", rules[i].name);
    if (!rules[i].expected) {
        struct tn_bytes theirs = judge_run(set, "encode", rules[i].type, text);
        if (!theirs.data || !tn_bytes_equal(theirs, output))
            fail_msg("%s: protoc writes other bytes", rules[i].name);
        free((void *)theirs.data);
    }
    bool is_lossy = rules[i].expected && strncmp(rules[i].name, "map", 3) == 0;
    if (!tn_bytes_equal(text, ours) && !is_lossy)
        fail_msg("%s: protoc reads it differently", rules[i].name);
    free((void *)text.data);
    free((void *)ours.data);
}

static void judge_rule(size_t i, struct tn_bytes input)
{
    const struct tn_pb_message *type  = find_type(rules[i].type);
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_buffer            output;
    uint64_t                    offset = 0;

    tn_buffer_init(&output, &memory, &error);
    if (normalize(type, input, &output, &error) != TN_OK)
        fail_msg("%s: %s", rules[i].name, error.what);
    struct tn_bytes result = tn_buffer_bytes(&output);
    if (rules[i].expected) {
        struct tn_bytes expected = tn_hex(rules[i].expected);
        if (!tn_bytes_equal(result, expected))
            fail_msg("%s: other bytes", rules[i].name);
        free((void *)expected.data);
    }
    judge_text(i, input, result);
    reading_agrees(type, input, result);
    bool is_same = is_canonical(type, input, &offset);
    if (is_same != (rules[i].offset == SAME) ||
        (!is_same && offset != rules[i].offset))
        fail_msg("%s: canonical to %lld", rules[i].name, (long long)offset);
    assert_true(is_canonical(type, result, &offset));
    tn_buffer_done(&output);
}

static void protoc_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct tn_bytes   input   = tn_hex(rules[i].bytes);
        struct tn_guarded guarded = tn_guard(input);
        judge_rule(i, guarded.bytes);
        tn_unguard(&guarded);
        free((void *)input.data);
    }
}

/* ---- maps by key --------------------------------------------------------- */

static const struct {
    const char *name, *bytes, *expected;
} sorted[] = {
    { "by text", "ca 02 03 0a 01 62 ca 02 03 0a 01 61 ca 02 02 0a 00",
      "ca 02 04 0a 00 12 00 ca 02 05 0a 01 61 12 00 ca 02 05 0a 01 62 12 00" },
    { "a text before what begins with it",
      "ca 02 06 0a 02 61 61 12 00 ca 02 05 0a 01 61 12 00",
      "ca 02 05 0a 01 61 12 00 ca 02 06 0a 02 61 61 12 00" },
    { "negative numbers first",
      "d2 02 04 08 01 12 00 d2 02 0d 08 ff ff ff ff ff ff ff ff ff 01 12 00",
      "d2 02 0d 08 ff ff ff ff ff ff ff ff ff 01 12 00 d2 02 04 08 01 12 00" },
    { "zigzag: -2 before 1",
      "da 02 0b 08 02 11 00 00 00 00 00 00 f0 3f "
      "da 02 0b 08 03 11 00 00 00 00 00 00 f0 3f",
      "da 02 0b 08 03 11 00 00 00 00 00 00 f0 3f "
      "da 02 0b 08 02 11 00 00 00 00 00 00 f0 3f" },
    { "false before true", "e2 02 04 08 01 12 00 e2 02 04 08 00 12 00",
      "e2 02 04 08 00 12 00 e2 02 04 08 01 12 00" },
    { "unsigned: past 2^31 last",
      "ea 02 07 0d ff ff ff ff 10 00 ea 02 07 0d 01 00 00 00 10 00",
      "ea 02 07 0d 01 00 00 00 10 00 ea 02 07 0d ff ff ff ff 10 00" },
    { "the last of a key",
      "d2 02 05 08 02 12 01 61 d2 02 05 08 01 12 01 62 d2 02 05 08 02 12 01 63",
      "d2 02 05 08 01 12 01 62 d2 02 05 08 02 12 01 63" },
};

static void maps_ascend_by_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++) {
        struct tn_bytes  from  = tn_hex(sorted[i].bytes);
        struct tn_bytes  want  = tn_hex(sorted[i].expected);
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer made;
        tn_buffer_init(&made, &memory, &error);
        normalize_by(tn_pb_normalize_sorted, find_type("new.Everything"), from,
                     &made, &error);
        if (!tn_bytes_equal(tn_buffer_bytes(&made), want))
            fail_msg("%s", sorted[i].name);
        tn_buffer_done(&made);
        free((void *)from.data);
        free((void *)want.data);
    }
}

/* Two messages joined are their bytes one after the other. */
/* ---- payloads ----------------------------------------------------------- */

/*
 * A TensorProto of 5 GiB in a source that cannot be mapped:
 *   42 01 77            name, field 8
 *   4a len ...          raw_data, field 9, to the end - 2
 *   10 01               data_type, field 2, out of order
 */
#define SIZE (UINT64_C(5) << 30)

static uint64_t payload_reads;

static enum tn_status tensor_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    static const uint8_t head[] = { 0x42, 1,    0x77, 0x4a, 0xf5,
                                    0xff, 0xff, 0xff, 0x13 };
    static const uint8_t tail[] = { 0x10, 0x01 };

    (void)source;
    (void)error;
    memset(to, 0, size);
    for (size_t i = 0; i < size; i++) {
        if (offset + i < sizeof head)
            ((uint8_t *)to)[i] = head[offset + i];
        else if (offset + i >= SIZE - 2)
            ((uint8_t *)to)[i] = tail[offset + i - (SIZE - 2)];
    }
    payload_reads += offset > (64 << 10) && offset < SIZE - 2;
    return TN_OK;
}

static void tensor_close(struct tn_source *source)
{
    (void)source;
}

static void payloads_are_spans(void **state)
{
    static const struct tn_source_ops ops   = { tensor_read_at, tensor_close };
    struct tn_error                   error = TN_ERROR_INIT;
    struct tn_memory                  small;
    struct tn_arena                   arena;
    struct tn_rope                    rope;

    (void)state;
    tn_memory_init(&small, NULL, 1 << 20);
    tn_arena_init(&arena, &small);
    tn_rope_init(&rope, &arena, &error);
    struct tn_source source = {
        .ops = &ops, .size = SIZE, .name = "", .memory = &small
    };
    tn_arena_init(&source.pins, &small);
    payload_reads          = 0;
    struct tn_pb_view view = tn_pb_view(
        tn_pb_schema_find(&onnx, "onnx.TensorProto"),
        tn_cursor_span((struct tn_span){ &source, 0, SIZE }, &error), &arena);
    assert_int_equal(tn_pb_normalize(&view, &rope), TN_OK);
    assert_true(rope.length == SIZE);
    assert_int_equal(rope.pieces.count, 2); /* data_type, then the rest */
    assert_int_equal(payload_reads, 0);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_source_close(&source);
    assert_int_equal(small.used, 0);
}

/* Real models are canonical: a single piece, and no memory for it. */
static void real_models_are_canonical(void **state)
{
    static const char           folder[] = TN_SHARED_DATA "/onnx";
    DIR                        *dir      = opendir(folder);
    struct dirent              *entry;
    char                        path[600];
    const struct tn_pb_message *type =
        tn_pb_schema_find(&onnx, "onnx.ModelProto");
    unsigned count = 0;

    (void)state;
    while (dir && (entry = readdir(dir)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".onnx") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct tn_bytes bytes  = tn_load_file(path);
        uint64_t        offset = 0;
        if (!is_canonical(type, bytes, &offset))
            fail_msg("%s: not canonical at %lld", path, (long long)offset);
        free((void *)bytes.data);
        count++;
    }
    if (dir)
        closedir(dir);
    if (count == 0) {
        print_message("skipped: wants real models: %s\n", folder);
        skip();
    }
}

/* ---- hostility ---------------------------------------------------------- */

static enum tn_status normalize_twice(struct tn_bytes   input,
                                      struct tn_memory *budget,
                                      struct tn_error  *error)
{
    const struct tn_pb_message *type = find_type("old.Everything");
    struct tn_buffer            once, twice;

    tn_buffer_init(&once, budget, error);
    tn_buffer_init(&twice, budget, error);
    if (normalize(type, input, &once, error) == TN_OK &&
        normalize(type, tn_buffer_bytes(&once), &twice, error) == TN_OK)
        assert_true(
            tn_bytes_equal(tn_buffer_bytes(&once), tn_buffer_bytes(&twice)));
    tn_buffer_done(&once);
    tn_buffer_done(&twice);
    return error->status;
}

static void hostility(void **state)
{
    struct tn_bytes all = tn_hex(
        "98 01 05 5a 04 1a 02 08 01 28 07 5a 07 1a 05 08 02 12 01 78 53 08 01 "
        "54 53 12 02 08 02 54 b2 01 03 01 82 00 b0 01 07 ca 02 05 0a 01 61 10 "
        "01 ca 02 03 0a 01 61 d2 01 04 01 05 00 07 82 02 02 08 01 f8 01 01 82 "
        "02 03 12 01 61 9b 01 08 81 00 9c 01");

    (void)state;
    tn_survives_every_flip(normalize_twice, all);
    tn_survives_no_memory(normalize_twice, all);
    free((void *)all.data);
}

/* Inner messages inside each other, one more than may be. */
static void depth_is_limited(void **state)
{
    uint8_t                     bytes[400];
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_buffer            to;
    size_t                      at    = sizeof bytes;
    const struct tn_pb_message *inner = find_type("old.Inner");

    (void)state;
    for (unsigned depth = 0; depth <= 101; depth++) {
        struct tn_bytes nested = tn_bytes(bytes + at, sizeof bytes - at);
        error                  = (struct tn_error)TN_ERROR_INIT;
        tn_buffer_init(&to, &memory, &error);
        normalize(inner, nested, &to, &error);
        assert_int_equal(error.status, depth > 100 ? TN_LIMIT : TN_OK);
        tn_buffer_done(&to);
        uint64_t size = nested.size;
        at -= tn_varint_size(size) + 1;
        bytes[at] = 0x1a;
        tn_varint_put(bytes + at + 1, size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protoc_agrees),
        cmocka_unit_test(maps_ascend_by_key),
        cmocka_unit_test(payloads_are_spans),
        cmocka_unit_test(real_models_are_canonical),
        cmocka_unit_test(hostility),
        cmocka_unit_test(depth_is_limited),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
