/*
 * split_property_test.c - merge(split(m)) is m
 *
 * For random messages of random schemas, for every splitter and limit, through
 * files of every compression: what is merged means what was split.  What was
 * split by size is even the same bytes, if it was in its one spelling before.
 */
#include "support/hostile.h"

#include "chunk/splitter.h"
#include "format/onnx/onnx_split.h"
#include "format/tensorflow/tf_split.h"
#include "support/random_message.h"
#include "wire/pb/pb_merge.h"

static struct tn_memory memory;
static struct tn_error  error;

static int begin(void **state)
{
    (void)state;
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(memory.used, 0);
    return 0;
}

/* Every compression; chunks of records as long as one record, or all in one. */
static const char *const records[] = {
    "uncompressed",
    "brotli:1",
    "zstd:1",
    "snappy",
    "transpose,uncompressed",
    "transpose,brotli:1",
    "transpose,zstd:1,chunk_size:100",
    "transpose,snappy,bucket_fraction:0.25",
    "uncompressed,chunk_size:1",
    "zstd:1,chunk_size:50,pad_to_block_boundary:true",
};

#define RECORDS_COUNT (sizeof records / sizeof *records)

/* ---- comparing ----------------------------------------------------------- */

/* The one spelling of what bytes mean. */
static void normalize(const struct tn_pb_message *type, struct tn_span message,
                      struct tn_buffer *to)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_buffer_init(to, &memory, &error);
    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_span(message, &error), &arena);
    tn_pb_normalize(&view, &rope);
    tn_rope_write(&rope, &to->sink, &error);
    assert_string_equal(error.what, "");
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void assert_same_meaning(struct tn_message *a, struct tn_message *b)
{
    struct tn_buffer first, second;

    normalize(a->type, tn_message_span(a), &first);
    normalize(a->type, tn_message_span(b), &second);
    assert_int_equal(first.size, second.size);
    if (first.size)
        assert_memory_equal(first.data, second.data, first.size);
    tn_buffer_done(&first);
    tn_buffer_done(&second);
}

/* ---- one split ----------------------------------------------------------- */

typedef enum tn_status splitter_under_test(struct tn_splitter *splitter,
                                           struct tn_dice *dice, uint64_t most,
                                           struct tn_error *e);

struct claim {
    const struct tn_schema *schema;
    const char             *type;
    splitter_under_test    *split;
    bool                    keeps_bytes;
};

static void assert_joins(const struct claim *claim, struct tn_message *message,
                         struct tn_bytes file)
{
    struct tn_message *merged;
    struct tn_buffer   bytes;

    tn_merge_bytes(&merged, claim->schema, claim->type, file, NULL, &error);
    assert_string_equal(error.what, "");
    assert_same_meaning(message, merged);
    if (claim->keeps_bytes) {
        size_t size = (size_t)tn_message_size(message);
        assert_int_equal(tn_message_size(merged), size);
        tn_buffer_init(&bytes, &memory, &error);
        uint8_t *room = tn_buffer_room(&bytes, size + 1);
        tn_message_read(merged, 0, room, size, &error);
        if (size)
            assert_memory_equal(room, message->source->map, size);
        tn_buffer_done(&bytes);
    }
    tn_message_close(merged);
}

/* Version 1, or version 2 with bytes in pieces and metadata in parts. */
static void choose_format(struct tn_splitter *splitter, struct tn_dice *dice)
{
    struct tn_split_format format = { .version = 2 };

    if (tn_roll(dice, 2))
        return;
    if (tn_roll(dice, 2))
        format.max_bytes = 1 + tn_roll(dice, 100);
    if (tn_roll(dice, 2))
        format.max_metadata = 256 + tn_roll(dice, 1000);
    tn_splitter_format(splitter, &format, &error);
    assert_string_equal(error.what, "");
}

/* False: the splitter refused, since something cannot be divided. */
static bool holds(const struct claim *claim, struct tn_dice *dice,
                  struct tn_bytes bytes, uint64_t most)
{
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    tn_message_bytes(&message, claim->schema, claim->type, bytes, NULL, &error);
    tn_splitter_open(&splitter, message, &error);
    assert_string_equal(error.what, "");
    bool is_done = claim->split(splitter, dice, most, &error) == TN_OK;
    if (is_done) {
        choose_format(splitter, dice);
        tn_splitter_write_memory(splitter,
                                 records[tn_roll(dice, RECORDS_COUNT)], &file,
                                 &is_chunked, &error);
        assert_string_equal(error.what, "");
        if (is_chunked)
            assert_joins(claim, message, file);
    } else {
        assert_true(error.status == TN_LIMIT || error.status == TN_UNSUPPORTED);
        error = (struct tn_error)TN_ERROR_INIT;
    }
    tn_splitter_close(splitter);
    tn_message_close(message);
    return is_done;
}

/* A message, half of them in their one spelling, split at any limit. */
static uint64_t try_message(struct claim *claim, struct tn_dice *dice,
                            const struct tn_buffer *bytes, uint64_t *tried)
{
    static const uint64_t limits[] = { 30, 100, 300, 1000, 3000, 10000 };
    struct tn_source      source;
    struct tn_buffer      plain;
    uint64_t              held     = 0;
    bool                  can_keep = claim->keeps_bytes;

    tn_source_memory(&source, &memory, tn_buffer_bytes(bytes));
    normalize(tn_pb_schema_find(&claim->schema->types, claim->type),
              (struct tn_span){ &source, 0, bytes->size }, &plain);
    tn_source_close(&source);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t most      = limits[i] + tn_roll(dice, limits[i]);
        bool     is_plain  = tn_roll(dice, 2);
        claim->keeps_bytes = can_keep && is_plain;
        held += holds(claim, dice, tn_buffer_bytes(is_plain ? &plain : bytes),
                      most);
        ++*tried;
    }
    claim->keeps_bytes = can_keep;
    tn_buffer_done(&plain);
    return held;
}

static void random_bytes(struct tn_dice *dice, const struct claim *claim,
                         struct tn_buffer *to)
{
    const struct tn_pb_message *type =
        tn_pb_schema_find(&claim->schema->types, claim->type);

    tn_buffer_init(to, &memory, &error);
    while (to->size < 4000 && tn_roll(dice, 9))
        tn_random_message(dice, type, 0, to);
}

/* ---- random schemas ------------------------------------------------------ */

static void try_schema(uint64_t seed, splitter_under_test *split,
                       bool keeps_bytes, uint64_t *tried, uint64_t *held)
{
    struct tn_dice    dice = tn_dice_of(seed);
    struct tn_buffer  set, bytes;
    struct tn_schema *schema;

    tn_buffer_init(&set, &memory, &error);
    tn_random_schema(&dice, &set);
    tn_schema_open(&schema, tn_buffer_bytes(&set), NULL, &error);
    if (error.status != TN_OK)
        fail_msg("seed %d: %s", (int)seed, error.what);
    struct claim claim = { schema, TN_RANDOM_ROOT, split, keeps_bytes };
    random_bytes(&dice, &claim, &bytes);
    *held += try_message(&claim, &dice, &bytes, tried);
    tn_buffer_done(&bytes);
    tn_buffer_done(&set);
    tn_schema_close(schema);
}

static enum tn_status split_by_size(struct tn_splitter *splitter,
                                    struct tn_dice *dice, uint64_t most,
                                    struct tn_error *e)
{
    (void)dice;
    return tn_splitter_by_size(splitter, most, e);
}

static void any_schema_splits_by_size(void **state)
{
    uint64_t tried = 0, held = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++)
        try_schema(seed, split_by_size, true, &tried, &held);
    assert_true(held * 3 > tried * 2);
}

/* ---- splitters that choose at random ------------------------------------- */

#define MOST_STEPS 8

/* A path to something that may be there; the field that it ends at. */
static const struct tn_pb_field_type *random_path(
    struct tn_dice *dice, const struct tn_pb_message *type,
    struct tn_step *steps, uint64_t *count)
{
    const struct tn_pb_field_type *field = NULL;

    *count = 0;
    while (type && type->field_count && *count + 2 <= MOST_STEPS) {
        field             = &type->fields[tn_roll(dice, type->field_count)];
        steps[(*count)++] = (struct tn_step)TN_AT(field->number);
        if (field->label == TN_PB_REPEATED)
            steps[(*count)++] =
                (struct tn_step)TN_AT((int64_t)tn_roll(dice, 3));
        type =
            field->is_map ? field->message->fields[1].message : field->message;
        if (!tn_roll(dice, 3))
            break;
    }
    return field;
}

/* From some element on, in front of what was sliced off behind it before. */
static void slice_tail(struct tn_splitter *splitter, struct tn_dice *dice,
                       const struct tn_step *steps, uint64_t count,
                       struct tn_error *e)
{
    uint64_t elements;

    if (tn_splitter_count(splitter, steps, count - 1, &elements, e) == TN_OK &&
        elements)
        tn_splitter_slice(splitter, steps, count - 1,
                          tn_roll(dice, elements + 1), elements, 1, e);
}

/* Chunks of one place are merged as they are numbered.  What is taken of a
 * place last was before what has been sliced off it: each goes in front. What
 * is not there, what is a number and what was taken before is refused, and
 * nothing is lost by that. */
static enum tn_status split_at_random(struct tn_splitter *splitter,
                                      struct tn_dice *dice, uint64_t most,
                                      struct tn_error *e)
{
    struct tn_step steps[MOST_STEPS];
    uint64_t       count;

    (void)most;
    TN_TRY(tn_splitter_keep_base(splitter, e));
    for (uint64_t n = tn_roll(dice, 60); n; n--) {
        const struct tn_pb_field_type *field =
            random_path(dice, splitter->type, steps, &count);
        uint64_t how = tn_roll(dice, 3);
        if (!field)
            break;
        if (how == 0 && field->label == TN_PB_REPEATED)
            slice_tail(splitter, dice, steps, count, e);
        else if (how == 1)
            tn_splitter_take(splitter, steps, count, 1, e);
        else
            tn_splitter_hollow(splitter, steps, count, 1, e);
        if (e->status != TN_NOT_FOUND && e->status != TN_INVALID)
            TN_TRY(e->status);
        *e = (struct tn_error)TN_ERROR_INIT;
    }
    return TN_OK;
}

static void any_choice_of_chunks_joins(void **state)
{
    uint64_t tried = 0, held = 0;

    (void)state;
    for (uint64_t seed = 1000; seed <= 1150; seed++)
        try_schema(seed, split_at_random, false, &tried, &held);
    assert_int_equal(held, tried);
}

/* ---- ONNX ---------------------------------------------------------------- */

static enum tn_status split_onnx(struct tn_splitter *splitter,
                                 struct tn_dice *dice, uint64_t most,
                                 struct tn_error *e)
{
    (void)dice;
    return tn_onnx_split(splitter, most, e);
}

static void random_models_of_onnx_join(void **state)
{
    struct tn_schema *schema;
    uint64_t          tried = 0, held = 0;

    (void)state;
    tn_schema_builtin(&schema, "onnx", NULL, &error);
    struct claim claim = { schema, "onnx.ModelProto", split_onnx, true };
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct tn_dice   dice = tn_dice_of(seed);
        struct tn_buffer bytes;
        random_bytes(&dice, &claim, &bytes);
        held += try_message(&claim, &dice, &bytes, &tried);
        tn_buffer_done(&bytes);
    }
    assert_true(held * 3 > tried * 2);
    tn_schema_close(schema);
}

/* ---- TensorFlow ---------------------------------------------------------- */

/* NodeDef: a constant of some bytes, or an operation. */
static void random_node(struct tn_dice *dice, struct tn_buffer *node)
{
    static const uint8_t zeros[700];
    struct tn_buffer     tensor, value, entry;
    bool                 is_constant = tn_roll(dice, 3);

    tn_buffer_clear(node);
    tn_put_text(node, 1, "name");
    tn_put_text(node, 2, is_constant ? "Const" : "NoOp");
    if (!is_constant)
        return;
    tn_buffer_init(&tensor, &memory, &error);
    tn_buffer_init(&value, &memory, &error);
    tn_buffer_init(&entry, &memory, &error);
    uint64_t size = tn_roll(dice, tn_roll(dice, 4) ? 60 : sizeof zeros);
    tn_put_number(&tensor, 1, 4); /* DT_UINT8 */
    if (size) {
        tn_buffer_varint(&tensor, tn_tag(4, TN_WIRE_LEN));
        tn_buffer_varint(&tensor, size);
        tn_buffer_add(&tensor, tn_bytes(zeros, (size_t)size));
    }
    tn_put_body(&value, 8, &tensor);
    tn_put_text(&entry, 1, "value");
    tn_put_body(&entry, 2, &value);
    tn_put_body(node, 5, &entry);
    tn_buffer_done(&tensor);
    tn_buffer_done(&value);
    tn_buffer_done(&entry);
}

static void random_nodes(struct tn_dice *dice, uint32_t number,
                         struct tn_buffer *to)
{
    struct tn_buffer node;

    tn_buffer_init(&node, &memory, &error);
    for (uint64_t n = tn_roll(dice, 12); n; n--) {
        random_node(dice, &node);
        tn_put_body(to, number, &node);
    }
    tn_buffer_done(&node);
}

/* GraphDef; always with a library, which C++ makes where there is none. */
static void random_graph(struct tn_dice *dice, struct tn_buffer *graph)
{
    struct tn_buffer library, function;

    tn_buffer_init(graph, &memory, &error);
    tn_buffer_init(&library, &memory, &error);
    tn_buffer_init(&function, &memory, &error);
    random_nodes(dice, 1, graph);
    for (uint64_t n = tn_roll(dice, 6); n; n--) {
        tn_buffer_clear(&function);
        random_nodes(dice, 3, &function);
        tn_put_body(&library, 1, &function);
    }
    if (library.size || tn_roll(dice, 2))
        tn_put_body(graph, 2, &library);
    tn_buffer_done(&library);
    tn_buffer_done(&function);
}

static void random_saved_model(struct tn_dice *dice, struct tn_buffer *model)
{
    struct tn_buffer graph, meta;

    tn_buffer_init(model, &memory, &error);
    for (uint64_t n = 1 + tn_roll(dice, 2); n; n--) {
        tn_buffer_init(&meta, &memory, &error);
        random_graph(dice, &graph);
        tn_put_body(&meta, 2, &graph);
        tn_put_body(model, 2, &meta);
        tn_buffer_done(&graph);
        tn_buffer_done(&meta);
    }
}

static enum tn_status split_tensorflow(struct tn_splitter *splitter,
                                       struct tn_dice *dice, uint64_t most,
                                       struct tn_error *e)
{
    struct tn_tf_split_options options = { tn_roll(dice, 2) ? TN_SPLIT_CPP
                                                            : TN_SPLIT_PYTHON,
                                           most };

    return strstr(splitter->type->full_name, "SavedModel")
               ? tn_tf_split_saved_model(splitter, &options, e)
               : tn_tf_split_graph(splitter, &options, e);
}

static void random_graphs_of_tensorflow_join(void **state)
{
    struct tn_schema *schema;
    uint64_t          tried = 0, held = 0;

    (void)state;
    tn_schema_builtin(&schema, "tensorflow", NULL, &error);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct claim claim = { schema, "tensorflow.GraphDef", split_tensorflow,
                               false };
        struct tn_dice   dice = tn_dice_of(seed);
        struct tn_buffer bytes;
        if (seed % 2) {
            claim.type = "tensorflow.SavedModel";
            random_saved_model(&dice, &bytes);
        } else {
            random_graph(&dice, &bytes);
        }
        held += try_message(&claim, &dice, &bytes, &tried);
        tn_buffer_done(&bytes);
    }
    assert_true(held * 3 > tried * 2);
    tn_schema_close(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_schema_splits_by_size),
        cmocka_unit_test(any_choice_of_chunks_joins),
        cmocka_unit_test(random_models_of_onnx_join),
        cmocka_unit_test(random_graphs_of_tensorflow_join),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
