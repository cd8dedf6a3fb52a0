/* gguf_format_test.c - GGUF as a model: opened, checked, written */
#define _GNU_SOURCE
#include "format/gguf/gguf.h"

#include <stdlib.h>

#include "format/gguf/gguf_testing.h"
#include "format/registry.h"
#include "support/hostile.h"
#include "support/little_models.h"

static void make_sample(struct tn_scratch *scratch, const char *name,
                        uint32_t version, bool is_big)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    struct gguf_making m = { &bytes, version, is_big };
    gguf_sample(&m);
    tn_scratch_put(scratch, name, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

static struct tn_model *open_model(struct tn_scratch *scratch, const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    if (tn_model_open(&model, tn_in_scratch(scratch, name), NULL, &error) !=
        TN_OK)
        fail_msg("%s: %s: %s", name, error.where, error.what);
    return model;
}

/* Settings as "name", "value", ..., NULL. */
static enum tn_status convert(struct tn_scratch *scratch, const char *from,
                              const char *to, const char *const *settings,
                              struct tn_error *error)
{
    struct tn_model          *model   = open_model(scratch, from);
    struct tn_setting         list[8] = { { 0 } };
    uint32_t                  count   = 0;
    struct tn_convert_summary summary;
    struct tn_target          target = { .path        = tn_in_scratch(scratch, to),
                                         .can_replace = true };

    for (; settings && settings[0]; settings += 2)
        list[count++] = (struct tn_setting){ settings[0], settings[1] };
    struct tn_convert_options how = { .settings      = list,
                                      .setting_count = count };
    *error = (struct tn_error)TN_ERROR_INIT;
    tn_convert(model, &how, &target, NULL, &summary, error);
    tn_model_close(model);
    return error->status;
}

static void must_convert(struct tn_scratch *scratch, const char *from,
                         const char *to, const char *const *settings)
{
    struct tn_error error;

    if (convert(scratch, from, to, settings, &error) != TN_OK)
        fail_msg("%s to %s: %s", from, to, error.what);
}

static void assert_same(struct tn_scratch *scratch, const char *a,
                        const char *b)
{
    struct tn_bytes x = tn_load_file(tn_in_scratch(scratch, a));
    struct tn_bytes y = tn_load_file(tn_in_scratch(scratch, b));

    if (!x.data || !y.data || !tn_bytes_equal(x, y))
        fail_msg("%s and %s differ", a, b);
    free((void *)(uintptr_t)x.data);
    free((void *)(uintptr_t)y.data);
}

static void files_come_back(void **state)
{
    static const char *const big[]    = { "byte-order", "big", NULL };
    static const char *const little[] = { "byte-order", "little", NULL };
    static const char *const two[]    = { "gguf-version", "2", NULL };
    static const char *const three[]  = { "gguf-version", "3", NULL };
    struct tn_scratch        scratch  = tn_scratch_open();

    (void)state;
    make_sample(&scratch, "1.gguf", 1, false);
    make_sample(&scratch, "2.gguf", 2, false);
    make_sample(&scratch, "3.gguf", 3, false);
    make_sample(&scratch, "3b.gguf", 3, true);
    make_sample(&scratch, "1b.gguf", 1, true);
    for (const char *const *f = (const char *const[]){ "2.gguf", "3.gguf",
                                                       "3b.gguf", NULL };
         *f; f++) {
        must_convert(&scratch, *f, "out.gguf", NULL);
        assert_same(&scratch, *f, "out.gguf");
    }
    must_convert(&scratch, "3.gguf", "turned.gguf", big);
    must_convert(&scratch, "turned.gguf", "out.gguf", little);
    assert_same(&scratch, "3.gguf", "out.gguf");
    must_convert(&scratch, "3b.gguf", "turned.gguf", little);
    must_convert(&scratch, "turned.gguf", "out.gguf", big);
    assert_same(&scratch, "3b.gguf", "out.gguf");
    must_convert(&scratch, "1.gguf", "out.gguf", NULL);
    assert_same(&scratch, "3.gguf", "out.gguf");
    must_convert(&scratch, "1b.gguf", "out.gguf", NULL);
    assert_same(&scratch, "3b.gguf", "out.gguf");
    must_convert(&scratch, "3.gguf", "out.gguf", two);
    assert_same(&scratch, "2.gguf", "out.gguf");
    must_convert(&scratch, "2.gguf", "out.gguf", three);
    assert_same(&scratch, "3.gguf", "out.gguf");
    tn_scratch_close(&scratch);
}

/* Split and merged again. */
static void shards_come_back(void **state)
{
    static const char *const size[]  = { "shard-size", "1", NULL };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_error          error;
    struct tn_model         *model;

    (void)state;
    make_sample(&scratch, "a.gguf", 3, false);
    must_convert(&scratch, "a.gguf", "s.gguf", size);
    model = open_model(&scratch, "s-00002-of-00002.gguf");
    assert_int_equal(tn_model_tensor_count(model), 2);
    assert_string_equal(tn_tensor_storage(tn_model_tensor(model, 1)), "shard");
    tn_model_close(model);
    must_convert(&scratch, "s-00001-of-00002.gguf", "m.gguf", NULL);
    assert_same(&scratch, "a.gguf", "m.gguf");
    assert_int_equal(remove(tn_in_scratch(&scratch, "s-00002-of-00002.gguf")),
                     0);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(&scratch, "s-00001-of-00002.gguf"),
                      NULL, &error),
        TN_NOT_FOUND);
    tn_scratch_close(&scratch);
}

static void names_of_shards(void **state)
{
    static const struct {
        const char *name;
        bool        is_shard;
        unsigned    number, count;
    } rows[] = {
        { "a-00001-of-00003.gguf", true, 1, 3 },
        { "a-b-00003-of-00003.gguf", true, 3, 3 },
        { "a-00004-of-00003.gguf", false, 0, 0 },
        { "a-00000-of-00003.gguf", false, 0, 0 },
        { "-00001-of-00003.gguf", false, 0, 0 },
        { "a-0001-of-00003.gguf", false, 0, 0 },
        { "a-00001-of-00003.ggu", false, 0, 0 },
        { "a-00001-of-0000x.gguf", false, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_bytes prefix;
        unsigned        number = 0, count = 0;
        assert_int_equal(
            tn_gguf_shard_name(rows[i].name, &prefix, &number, &count),
            rows[i].is_shard);
        if (rows[i].is_shard) {
            assert_int_equal(number, rows[i].number);
            assert_int_equal(count, rows[i].count);
        }
    }
}

/* Through another format and back: blocks are decoded, texts stay. */
static void tensors_leave_and_return(void **state)
{
    static const char *const q8[]    = { "quantize", "q8_0", NULL };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_model         *a, *b;
    uint8_t                  x[512], y[512];
    struct tn_error          error = TN_ERROR_INIT;

    (void)state;
    make_sample(&scratch, "a.gguf", 3, false);
    must_convert(&scratch, "a.gguf", "a.safetensors", NULL);
    must_convert(&scratch, "a.safetensors", "b.gguf", NULL);
    a = open_model(&scratch, "a.gguf");
    b = open_model(&scratch, "b.gguf");
    assert_string_equal(tn_tensor_storage(tn_model_find(a, "w")), "blocks");
    assert_string_equal(tn_tensor_storage(tn_model_find(b, "w")), "raw");
    assert_int_equal(tn_tensor_size(tn_model_find(a, "w")), sizeof x);
    assert_int_equal(
        tn_tensor_read(tn_model_find(a, "w"), 0, x, sizeof x, &error), TN_OK);
    assert_int_equal(
        tn_tensor_read(tn_model_find(b, "w"), 0, y, sizeof y, &error), TN_OK);
    assert_memory_equal(x, y, sizeof x);
    tn_model_close(b);
    tn_model_close(a);
    must_convert(&scratch, "b.gguf", "c.gguf", q8);
    b = open_model(&scratch, "c.gguf");
    assert_int_equal(tn_tensor_stored_size(tn_model_find(b, "w")), 4 * 34);
    tn_model_close(b);
    tn_scratch_close(&scratch);
}

static void tables_rename_tensors(void **state)
{
    static const char *const wrong[] = { "names", "/nowhere/table", NULL };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_error          error;
    struct tn_model         *model;

    (void)state;
    make_sample(&scratch, "a.gguf", 3, false);
    tn_scratch_put(&scratch, "table", tn_text("w x.weight\n"));
    tn_scratch_put(&scratch, "twice", tn_text("w b\n"));
    const char *settings[] = { "names", NULL, NULL };
    char        path[512];
    snprintf(path, sizeof path, "%s", tn_in_scratch(&scratch, "table"));
    settings[1] = path;
    must_convert(&scratch, "a.gguf", "b.gguf", settings);
    model = open_model(&scratch, "b.gguf");
    assert_non_null(tn_model_find(model, "x.weight"));
    assert_null(tn_model_find(model, "w"));
    assert_non_null(tn_model_find(model, "b"));
    tn_model_close(model);
    snprintf(path, sizeof path, "%s", tn_in_scratch(&scratch, "twice"));
    assert_int_equal(convert(&scratch, "a.gguf", "c.gguf", settings, &error),
                     TN_INVALID);
    assert_non_null(strstr(error.what, "two tensors"));
    assert_int_not_equal(convert(&scratch, "a.gguf", "c.gguf", wrong, &error),
                         TN_OK);
    tn_scratch_close(&scratch);
}

/* ---- what check says ------------------------------------------------------ */

static void note_rule(char *list, const char *rule)
{
    strcat(list, rule);
    strcat(list, " ");
}

static int on_finding(void *context, const struct tn_finding *finding)
{
    note_rule(context, finding->rule);
    return 0;
}

static void check_file(struct tn_scratch *scratch, struct gguf_making *m,
                       char *list)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_check_summary summary;

    list[0] = '\0';
    tn_scratch_put(scratch, "c.gguf", tn_buffer_bytes(m->to));
    if (tn_check(tn_in_scratch(scratch, "c.gguf"), NULL, NULL, on_finding, list,
                 &summary, &error) != TN_OK)
        fail_msg("%s", error.what);
    tn_buffer_clear(m->to);
}

static void put_array(struct gguf_making *m, const char *key, uint32_t type,
                      uint64_t count)
{
    gguf_pair(m, key, TN_GGUF_ARRAY);
    gguf_number(m, type, 4);
    gguf_size(m, count);
    for (uint64_t i = 0; i < count; i++)
        gguf_number(m, 0, type == TN_GGUF_STRING ? 8 : tn_gguf_value_size(type));
}

/* A model that llama.cpp asks no more of; `flaw` leaves out or changes one. */
static void put_model(struct gguf_making *m, unsigned flaw)
{
    gguf_head(m, 2, flaw == 1 || flaw == 2 || flaw == 6 ? 10 : 11);
    if (flaw != 1)
        gguf_pair_text(m, "general.architecture", "llama");
    if (flaw != 2)
        gguf_pair_number(m, "llama.context_length", TN_GGUF_UINT32, 8);
    gguf_pair_number(m, "llama.embedding_length",
                     flaw == 3 ? TN_GGUF_UINT16 : TN_GGUF_UINT32, 4);
    gguf_pair_number(m, "llama.block_count", TN_GGUF_UINT32,
                     flaw == 4 ? 2 : 1);
    gguf_pair_number(m, "llama.attention.head_count", TN_GGUF_UINT32, 1);
    gguf_pair_text(m, "tokenizer.ggml.model", flaw == 5 ? "gpt2" : "llama");
    if (flaw != 6)
        put_array(m, "tokenizer.ggml.tokens", TN_GGUF_STRING, 3);
    put_array(m, "tokenizer.ggml.scores",
              flaw == 7 ? TN_GGUF_UINT8 : TN_GGUF_FLOAT32, 3);
    put_array(m, "tokenizer.ggml.token_type", TN_GGUF_INT32, flaw == 8 ? 2 : 3);
    gguf_pair_number(m, "tokenizer.ggml.bos_token_id", TN_GGUF_UINT32,
                     flaw == 9 ? 3 : 2);
    gguf_pair_text(m, "general.type", flaw == 10 ? "adapter" : "model");
    gguf_tensor(m, flaw == 11 ? "model.layers.0.x" : "token_embd.weight", 2, 4,
                3, 0, 0);
    gguf_tensor(m, "blk.0.attn_q.weight", 2, 4, 4, 0, 64);
    gguf_pad(m, 32);
    gguf_data(m, 128);
}

static void check_knows_what_readers_ask_for(void **state)
{
    static const char *const rules[] = {
        "",
        "missing-key ",
        "missing-key ",
        "wrong-type ",
        "missing-tensor ",
        "missing-key ",
        "missing-key ",
        "wrong-type ",
        "wrong-length ",
        "bad-token ",
        "not-a-model ",
        "foreign-names ",
    };
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_memory  memory;
    struct tn_buffer  bytes;
    char              list[400];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    struct gguf_making m = { &bytes, 3, false };
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        put_model(&m, i);
        check_file(&scratch, &m, list);
        if (strcmp(list, rules[i]) != 0)
            fail_msg("flaw %u: '%s', not '%s'", i, list, rules[i]);
    }
    tn_buffer_done(&bytes);
    tn_scratch_close(&scratch);
}

/* ---- hostility ------------------------------------------------------------ */

static enum tn_status open_bytes(struct tn_bytes bytes,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "a.gguf", error) !=
        TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.format = tn_format_gguf.name;
    if (tn_format_gguf.open(&bundle, &model, error) == TN_OK)
        tn_model_finish(&model, error);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static bool is_whole(struct tn_bytes prefix)
{
    return prefix.size >= 64 * 6 + 192 + 12;
}

static void models_survive_hostility(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    struct gguf_making m = { &bytes, 3, false };
    gguf_sample(&m);
    tn_refuses_every_prefix(open_bytes, tn_buffer_bytes(&bytes), is_whole);
    tn_survives_every_flip(open_bytes, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(open_bytes, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(shards_come_back),
        cmocka_unit_test(names_of_shards),
        cmocka_unit_test(tensors_leave_and_return),
        cmocka_unit_test(tables_rename_tensors),
        cmocka_unit_test(check_knows_what_readers_ask_for),
        cmocka_unit_test(models_survive_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
