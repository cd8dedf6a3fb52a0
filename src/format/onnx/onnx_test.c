/*
 * onnx_test.c - recognising, opening and decoding; strangers' file names; and
 * what a hostile file may do
 */
#define _GNU_SOURCE
#include "format/onnx/onnx_testing.h"

#include <fcntl.h>

#include "base/buffer.h"

#define CORPUS TN_CORPUS "/onnx/"

/* ---- recognising -------------------------------------------------------- */

static const struct {
    const char *name, *bytes;
    bool        is_model, is_tensor;
} looks[] = {
    { "model", "08 08 3a 05 0a 00 12 01 67 42 02 10 11", true, false },
    { "model without imports", "08 01 12 02 70 71 3a 03 12 01 67", true,
      false },
    { "model, graph first", "3a 03 12 01 67 08 08 42 02 10 11", true, false },
    { "saved model", "08 01 12 04 0a 02 0a 00", false, false },
    { "graph def", "0a 06 0a 01 78 12 01 79", false, false },
    { "tensor", "08 02 10 01 4a 02 00 00", false, true },
    { "scalar tensor", "10 01 22 04 00 00 00 00", false, true },
    { "packed dims", "0a 01 02 10 01 4a 02 00 00", false, true },
    { "empty tensor", "08 00 10 01", false, true },
    { "tensor of no type", "08 02 10 63 4a 02 00 00", false, false },
    { "sequence", "10 01 1a 04 08 02 10 01", false, false },
    { "nothing", "", false, false },
    { "text", "76 65 72 73 69 6f 6e 20", false, false },
    { "graph field of another kind", "08 08 3a 02 08 01 42 02 10 11", false,
      false },
    { "cut short", "08 08 3a 7f 12 01", false, false },
};

static void files_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        struct tn_bytes bytes = tn_hex(looks[i].bytes);
        struct tn_probe probe = {
            .head = bytes, .tail = bytes, .size = bytes.size, .name = "f"
        };
        if ((tn_format_onnx.probe(&probe) > 0) != looks[i].is_model)
            fail_msg("%s as a model", looks[i].name);
        if ((tn_format_onnx_tensor.probe(&probe) > 0) != looks[i].is_tensor)
            fail_msg("%s as a tensor", looks[i].name);
        free((void *)(uintptr_t)bytes.data);
    }
}

/* Only the head of a long file is at hand. */
static void long_files_are_known_by_their_head(void **state)
{
    struct tn_bytes head  = tn_hex("08 08 12 01 70 3a ff ff ff ff 0f 0a 04 0a");
    struct tn_probe probe = {
        .head = head, .tail = head, .size = UINT64_C(1) << 33, .name = "f"
    };

    (void)state;
    assert_true(tn_format_onnx.probe(&probe) > 0);
    free((void *)(uintptr_t)head.data);
}

/* ---- bytes in memory ---------------------------------------------------- */

static enum tn_status open_bytes(struct opened *o, struct tn_bytes bytes,
                                 struct tn_memory *memory)
{
    o->error = (struct tn_error)TN_ERROR_INIT;
    if (memory)
        memcpy(&o->memory, memory, sizeof o->memory);
    else
        tn_memory_init(&o->memory, NULL, 0);
    tn_source_memory(&o->bytes, &o->memory, bytes);
    o->bytes.name = "";
    if (tn_bundle_from_source(&o->bundle, &o->memory, &o->bytes, "bytes",
                              &o->error) != TN_OK)
        return o->error.status;
    return open_bundle(o, &tn_format_onnx, true);
}

static const struct {
    const char    *name, *bytes;
    enum tn_status status;
    uint64_t       offset;
} broken[] = {
    { "no graph", "08 08", TN_MALFORMED, 0 },
    { "a graph that is a number", "38 01", TN_MALFORMED, 0 },
    { "a graph beyond the end", "08 08 3a 05 12", TN_TRUNCATED, 4 },
    { "a node that is a number", "3a 02 08 01", TN_MALFORMED, 2 },
    { "an op type that is a number", "3a 04 0a 02 20 01", TN_MALFORMED, 4 },
    { "an attribute beyond its node", "3a 04 0a 02 2a 05", TN_TRUNCATED, 6 },
    { "a tensor name that is a number", "3a 04 2a 02 40 01", TN_MALFORMED, 4 },
    { "dims of eight bytes", "3a 0b 2a 09 09 00 00 00 00 00 00 00 00",
      TN_MALFORMED, 4 },
    { "two tensors in one attribute", "3a 08 0a 06 2a 04 2a 00 2a 00",
      TN_UNSUPPORTED, 8 },
    { "a varint without end",
      "3a 03 12 01 67 08 ff ff ff ff ff ff ff ff ff ff ff ff", TN_MALFORMED,
      6 },
};

static void broken_files_are_refused_where_they_break(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct tn_bytes bytes = tn_hex(broken[i].bytes);
        struct opened   o;
        enum tn_status  status = open_bytes(&o, bytes, NULL);
        if (status != broken[i].status || o.error.offset != broken[i].offset)
            fail_msg("%s: %d at %" PRIu64 ": %s", broken[i].name, status,
                     o.error.offset, o.error.what);
        assert_int_equal(o.memory.used, 0);
        free((void *)(uintptr_t)bytes.data);
    }
}

/* protobuf merges what comes twice. */
static void messages_in_pieces_are_one(void **state)
{
    struct tn_bytes bytes =
        tn_hex("08 03 08 08"
               " 3a 0c 12 01 67 0a 07 0a 01 78 22 02 49 64"
               " 3a 0c 12 01 68 0a 07 12 01 79 22 02 49 64");
    struct opened o;

    (void)state;
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    const struct tn_onnx_detail *detail = o.model.detail;
    assert_int_equal(detail->ir_version, 8);
    assert_int_equal(detail->part_count, 1);
    assert_int_equal(o.model.graphs.count, 1);
    assert_int_equal(o.model.ops.count, 2);
    assert_true(tn_bytes_is(
        tn_model_name(&o.model, tn_model_graph_at(&o.model, 0)->name), "h"));
    close_model(&o);
    free((void *)(uintptr_t)bytes.data);
}

/* Graphs in nodes in graphs, `depth` of them around an empty one. */
static struct tn_bytes nested_graphs(unsigned depth, struct tn_buffer *to)
{
    struct tn_buffer message;

    tn_buffer_init(&message, to->memory, to->error);
    for (unsigned i = 0; i < depth; i++) {
        static const uint8_t numbers[] = { ATTR_G, NODE_ATTRIBUTE, GRAPH_NODE };
        for (unsigned k = 0; k < 3; k++) {
            tn_buffer_clear(to);
            tn_buffer_varint(to, tn_tag(numbers[k], TN_WIRE_LEN));
            tn_buffer_varint(to, message.size);
            tn_buffer_add(to, tn_buffer_bytes(&message));
            tn_buffer_clear(&message);
            tn_buffer_add(&message, tn_buffer_bytes(to));
        }
    }
    tn_buffer_clear(to);
    tn_buffer_varint(to, tn_tag(MODEL_GRAPH, TN_WIRE_LEN));
    tn_buffer_varint(to, message.size);
    tn_buffer_add(to, tn_buffer_bytes(&message));
    tn_buffer_done(&message);
    return tn_buffer_bytes(to);
}

static void depth_has_a_limit_and_no_stack(void **state)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer buffer;
    struct opened    o;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    assert_int_equal(
        open_bytes(&o, nested_graphs(TN_ONNX_DEPTH_LIMIT, &buffer), NULL),
        TN_OK);
    assert_int_equal(o.model.graphs.count, TN_ONNX_DEPTH_LIMIT + 1);
    close_model(&o);
    assert_int_equal(
        open_bytes(&o, nested_graphs(TN_ONNX_DEPTH_LIMIT + 1, &buffer), NULL),
        TN_LIMIT);
    assert_int_equal(open_bytes(&o, nested_graphs(5000, &buffer), NULL),
                     TN_LIMIT);
    tn_buffer_done(&buffer);
}

/* ---- tensors ------------------------------------------------------------ */

/* Both files hold the same elements of every type: raw, and in typed fields. */
static void every_type_is_the_same_raw_and_typed(void **state)
{
    struct opened raw, typed;
    unsigned      compared = 0;

    (void)state;
    must_open(&raw, CORPUS "dtypes-raw.onnx");
    must_open(&typed, CORPUS "dtypes-typed.onnx");
    assert_int_equal(raw.model.tensors.count, 26);
    for (uint64_t i = 0; i < raw.model.tensors.count; i++) {
        const struct tn_tensor *a    = tn_model_tensor(&raw.model, i);
        const struct tn_tensor *b    = tn_model_tensor(&typed.model, i);
        const char             *name = tn_dtype_name(tn_tensor_dtype(a));
        struct tn_bytes         said = tn_tensor_name(a);
        if (!tn_bytes_is(said, "float") && !tn_bytes_is(said, "double"))
            assert_true(tn_bytes_is(said, name));
        assert_int_equal(tn_tensor_dtype(a), tn_tensor_dtype(b));
        if (tn_tensor_dtype(a) == TN_STRING)
            continue;
        assert_string_equal(tn_tensor_storage(a), "raw");
        assert_string_equal(tn_tensor_storage(b), "typed");
        assert_int_equal(tn_tensor_size(a),
                         5 * tn_dtype_size(tn_tensor_dtype(a)));
        assert_int_equal(tensor_crc(a, &raw.error),
                         tensor_crc(b, &typed.error));
        compared++;
    }
    assert_int_equal(compared, 25);
    close_model(&typed);
    close_model(&raw);
}

static enum tn_status see_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    static const char *const expected[] = { "one", "", "dr\303\251i" };
    char                     bytes[16]  = "";

    (void)context;
    assert_true(index < 3 && text.length < sizeof bytes);
    if (text.length)
        tn_source_read(text.source, text.offset, bytes, (size_t)text.length,
                       error);
    assert_string_equal(bytes, expected[index]);
    return error->status;
}

static void strings_come_out_in_order(void **state)
{
    struct opened o;

    (void)state;
    must_open(&o, CORPUS "dtypes-raw.onnx");
    const struct tn_tensor *tensor =
        tn_model_tensor(&o.model, o.model.tensors.count - 1);
    assert_int_equal(tn_tensor_dtype(tensor), TN_STRING);
    assert_int_equal(
        tn_payload_strings(&tensor->elements, 0, 3, see_string, NULL, &o.error),
        TN_OK);
    close_model(&o);
}

static void all_types_go_out_and_come_back(void **state)
{
    static const char *const files[] = { CORPUS "dtypes-raw.onnx",
                                         CORPUS "dtypes-typed.onnx",
                                         CORPUS "everything.onnx" };
    char                     folder[300], path[400];
    struct opened            o, out, in;
    uint64_t                 moved;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        make_folder(folder, sizeof folder);
        must_open(&o, files[i]);
        snprintf(path, sizeof path, "%s/out.onnx", folder);
        must_write(&o.model, path, "out.data", false, 1, &moved);
        must_open(&out, path);
        same_tensors(&o, &out);
        for (uint64_t k = 0; k < out.model.tensors.count; k++) {
            const struct tn_tensor *t = tn_model_tensor(&out.model, k);
            assert_int_equal(t->is_external,
                             tn_tensor_dtype(t) != TN_STRING &&
                                 tn_tensor_role(t) != TN_ROLE_SPARSE_INDICES);
        }
        snprintf(path, sizeof path, "%s/in.onnx", folder);
        must_write(&out.model, path, NULL, true, 1, &moved);
        must_open(&in, path);
        same_tensors(&o, &in);
        close_model(&in);
        close_model(&out);
        close_model(&o);
        remove_folder(folder);
    }
}

/* ---- attributes --------------------------------------------------------- */

static void attributes_are_decoded(void **state)
{
    struct opened               o;
    struct tn_attr             *attr;
    const struct tn_attr_value *value;

    (void)state;
    must_open(&o, CORPUS "everything.onnx");
    assert_int_equal(tn_attr_find(&attr, &o.model, 1, "value", &o.error),
                     TN_OK);
    value = tn_attr_get(attr);
    assert_int_equal(value->kind, TN_ATTR_TENSOR);
    assert_int_equal(tn_tensor_count(value->of.tensors[0]), 2);
    tn_attr_close(attr);
    assert_int_equal(tn_attr_find(&attr, &o.model, 2, "to", &o.error), TN_OK);
    value = tn_attr_get(attr);
    assert_int_equal(value->kind, TN_ATTR_INT);
    assert_int_equal(value->of.ints[0], 1);
    tn_attr_close(attr);
    assert_int_equal(tn_attr_find(&attr, &o.model, 3, "else_branch", &o.error),
                     TN_OK);
    value = tn_attr_get(attr);
    assert_int_equal(value->kind, TN_ATTR_GRAPH);
    const struct tn_graph *graph =
        tn_model_graph_at(&o.model, (uint32_t)value->of.ints[0]);
    assert_true(tn_bytes_is(tn_model_name(&o.model, graph->name), "else"));
    tn_attr_close(attr);
    close_model(&o);
}

/* type says which field is meant; without one the field decides. */
static const struct {
    const char       *name, *bytes;
    enum tn_attr_kind kind;
    bool              is_list;
    uint32_t          count;
    int64_t           first;
} attrs[] = {
    { "int", "18 07 a0 01 02", TN_ATTR_INT, false, 1, 7 },
    { "int left out", "a0 01 02", TN_ATTR_INT, false, 1, 0 },
    { "int of IR 1", "18 07", TN_ATTR_INT, false, 1, 7 },
    { "ints", "40 05 40 06 a0 01 07", TN_ATTR_INT, true, 2, 5 },
    { "packed ints", "42 02 05 06 a0 01 07", TN_ATTR_INT, true, 2, 5 },
    { "no ints", "a0 01 07", TN_ATTR_INT, true, 0, 0 },
    { "int, last one counts", "18 07 18 08 a0 01 02", TN_ATTR_INT, false, 1,
      8 },
    { "reference", "aa 01 01 70 a0 01 02", TN_ATTR_REFERENCE, false, 1, 0 },
    { "type", "72 02 0a 00 a0 01 0d", TN_ATTR_OTHER, false, 1, 0 },
    { "nothing", "", TN_ATTR_NONE, false, 0, 0 },
};

static void attribute_types_are_said_or_guessed(void **state)
{
    struct opened o;

    (void)state;
    must_open(&o, CORPUS "everything.onnx");
    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++) {
        struct tn_bytes      bytes = tn_hex(attrs[i].bytes);
        struct tn_source     source;
        struct tn_attr_value value;
        struct tn_arena      arena;

        tn_arena_init(&arena, &o.memory);
        tn_source_memory(&source, &o.memory, bytes);
        source.name = "";
        assert_int_equal(
            tn_dialect_onnx.decode(&o.model, 0,
                                   (struct tn_span){ &source, 0, bytes.size },
                                   &arena, &value, &o.error),
            TN_OK);
        if (value.kind != attrs[i].kind || value.is_list != attrs[i].is_list ||
            value.count != attrs[i].count)
            fail_msg("%s", attrs[i].name);
        if (value.kind == TN_ATTR_INT && value.count)
            assert_int_equal(value.of.ints[0], attrs[i].first);
        tn_arena_done(&arena);
        tn_source_close(&source);
        free((void *)(uintptr_t)bytes.data);
    }
    close_model(&o);
}

/* ---- strangers' file names ---------------------------------------------- */

/* The corpus has the names that are wrong by themselves; here are those that
 * depend on what lies in the folder.  `external.onnx` names w.bin. */
static void side_in(const char *folder, const char *name, char *path,
                    size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "01234567", 8), 8);
    close(file);
}

static void make_plain(const char *folder)
{
    char path[400];

    side_in(folder, "w.bin", path, sizeof path);
}

static void make_symlink(const char *folder)
{
    char path[400], link[400];

    side_in(folder, "real.bin", path, sizeof path);
    snprintf(link, sizeof link, "%s/w.bin", folder);
    assert_int_equal(symlink(path, link), 0);
}

static void make_hardlink(const char *folder)
{
    char path[400], other[400];

    side_in(folder, "real.bin", path, sizeof path);
    snprintf(other, sizeof other, "%s/w.bin", folder);
    assert_int_equal(link(path, other), 0);
}

static void make_fifo(const char *folder)
{
    char path[400];

    snprintf(path, sizeof path, "%s/w.bin", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_subfolder(const char *folder)
{
    char path[400];

    snprintf(path, sizeof path, "%s/w.bin", folder);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_nothing(const char *folder)
{
    (void)folder;
}

static const struct {
    const char *name;
    void (*make)(const char *folder);
    enum tn_status status;
    const char    *rule;
} sides[] = {
    { "a file", make_plain, TN_OK, NULL },
    { "a symlink", make_symlink, TN_INVALID, "unsafe-location" },
    { "a hard link", make_hardlink, TN_INVALID, "unsafe-location" },
    { "a pipe", make_fifo, TN_INVALID, "unsafe-location" },
    { "a folder", make_subfolder, TN_INVALID, "unsafe-location" },
    { "nothing", make_nothing, TN_NOT_FOUND, "missing-file" },
};

static void side_files_must_be_plain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        char          folder[300], command[900], path[400];
        uint8_t       bytes[8];
        struct opened o;

        make_folder(folder, sizeof folder);
        snprintf(command, sizeof command, "cp '" CORPUS "external.onnx' '%s'",
                 folder);
        assert_int_equal(system(command), 0);
        sides[i].make(folder);
        snprintf(path, sizeof path, "%s/external.onnx", folder);
        must_open(&o, path);
        const struct tn_tensor *tensor = tn_model_tensor(&o.model, 0);
        assert_true(tensor->is_external);
        assert_string_equal(tn_tensor_file(tensor), "w.bin");
        enum tn_status status =
            tn_tensor_read(tensor, 0, bytes, sizeof bytes, &o.error);
        const struct tn_onnx_absent *absent =
            tn_onnx_absent_of(tensor->elements.payload.span.source);
        if (status != sides[i].status || !absent != !sides[i].rule)
            fail_msg("%s: %s", sides[i].name, o.error.what);
        if (absent)
            assert_string_equal(absent->rule, sides[i].rule);
        close_model(&o);
        remove_folder(folder);
    }
}

/* A model given as bytes has no folder to look in. */
static void bytes_have_no_side_files(void **state)
{
    struct tn_bytes bytes = tn_load_file(CORPUS "external.onnx");
    uint8_t         to[8];
    struct opened   o;

    (void)state;
    assert_non_null(bytes.data);
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    assert_int_equal(
        tn_tensor_read(tn_model_tensor(&o.model, 0), 0, to, 8, &o.error),
        TN_NOT_FOUND);
    close_model(&o);
    free((void *)(uintptr_t)bytes.data);
}

/* ---- hostility ---------------------------------------------------------- */

static int ignore(void *context, enum tn_finding_level level, const char *rule,
                  const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert_true(rule[0] != '\0' && finding->what[0] != '\0');
    return 0;
}

/* Open, check, decode every attribute, read every tensor. */
static enum tn_status read_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_report report = { .each = ignore };
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;
    struct tn_attr  *attr;

    tn_source_memory(&source, memory, input);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "bytes", error) !=
        TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.wants_graph = true;
    if (tn_format_onnx.open(&bundle, &model, error) == TN_OK &&
        tn_model_finish(&model, error) == TN_OK)
        tn_format_onnx.check(&bundle, &model, &report, error);
    for (uint32_t i = 0; !tn_failed(error) && i < model.ops.count; i++)
        for (uint32_t k = 0; k < tn_op_attr_count(&model, i); k++) {
            struct tn_error ignored = TN_ERROR_INIT;
            if (tn_attr_open(&attr, &model, i, k, &ignored) == TN_OK)
                tn_attr_close(attr);
            if (ignored.status == TN_NO_MEMORY)
                *error = ignored;
        }
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static bool is_model(struct tn_bytes prefix)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;

    /* A message that ends between two fields is whole. */
    tn_memory_init(&memory, NULL, 0);
    return read_all(prefix, &memory, &error) == TN_OK;
}

static void prefixes_flips_and_no_memory(void **state)
{
    static const char *const files[] = { CORPUS "everything.onnx",
                                         CORPUS "dtypes-typed.onnx",
                                         CORPUS "external.onnx" };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tn_bytes good = tn_load_file(files[i]);
        assert_non_null(good.data);
        tn_refuses_every_prefix(read_all, good, is_model);
        tn_survives_every_flip(read_all, good);
        tn_survives_no_memory(read_all, good);
        free((void *)(uintptr_t)good.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_told_apart),
        cmocka_unit_test(long_files_are_known_by_their_head),
        cmocka_unit_test(broken_files_are_refused_where_they_break),
        cmocka_unit_test(messages_in_pieces_are_one),
        cmocka_unit_test(depth_has_a_limit_and_no_stack),
        cmocka_unit_test(every_type_is_the_same_raw_and_typed),
        cmocka_unit_test(strings_come_out_in_order),
        cmocka_unit_test(all_types_go_out_and_come_back),
        cmocka_unit_test(attributes_are_decoded),
        cmocka_unit_test(attribute_types_are_said_or_guessed),
        cmocka_unit_test(side_files_must_be_plain),
        cmocka_unit_test(bytes_have_no_side_files),
        cmocka_unit_test(prefixes_flips_and_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
