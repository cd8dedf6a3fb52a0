/* sd_edit_test.c - edited graphs, written in every container and read again */
#include "format/samediff/sd_testing.h"
#include "ir/draft.h"

struct scene {
    struct tn_bytes  bytes;
    struct sd_opened base;
    struct tn_arena  arena;
    struct tn_draft  draft;
    struct tn_model  edited;
    struct tn_error  error;
};

static void open_scene(struct scene *s)
{
    s->bytes = sd_make(sd_little);
    s->error = (struct tn_error)TN_ERROR_INIT;
    sd_must_open(&s->base, &tn_format_samediff_fb, s->bytes);
    tn_arena_init(&s->arena, &s->base.memory);
    assert_int_equal(tn_draft_init(&s->draft, &s->arena, &s->base.model,
                                   &tn_dialect_nd4j, &s->error),
                     TN_OK);
}

static void commit(struct scene *s)
{
    tn_model_init(&s->edited, &s->base.memory);
    if (tn_draft_commit(&s->draft, &s->edited, &s->error) != TN_OK)
        fail_msg("%s", s->error.what);
}

static void close_scene(struct scene *s)
{
    tn_model_done(&s->edited);
    tn_draft_done(&s->draft);
    tn_arena_done(&s->arena);
    sd_close(&s->base);
    sd_free(s->bytes);
}

static int see_finding(void *context, enum tn_finding_level level,
                       const char *rule, const struct tn_error *finding)
{
    (void)context;
    (void)level;
    fail_msg("%s: %s in '%s'", rule, finding->what, finding->where);
    return 0;
}

static void add_op(struct scene *s)
{
    static const int64_t ints[] = { 3, 4 };
    struct tn_op_spec    spec   = {
             .name          = "last",
             .type          = "softmax",
             .inputs        = (const char *const[]){ "out", "c", "mmul" },
             .input_count   = 3,
             .control_count = 1,
             .outputs       = (const char *const[]){ "y" },
             .output_count  = 1,
    };
    struct tn_attr_value value = {
        .kind = TN_ATTR_INT, .is_list = true, .count = 2, .of.ints = ints
    };
    uint32_t op;

    assert_int_equal(
        tn_draft_add_op(&s->draft, 0, TN_NONE, &spec, &op, &s->error), TN_OK);
    assert_int_equal(
        tn_draft_set_attr(&s->draft, op, "iArgs", &value, &s->error), TN_OK);
    assert_int_equal(
        tn_draft_set_attr(&s->draft, 0, "iArgs", &value, &s->error), TN_OK);
    assert_int_equal(tn_draft_remove_attr(&s->draft, 0, "tArgs", &s->error),
                     TN_OK);
}

static const struct tn_sd_variable *find(const struct tn_model *model,
                                         const char            *name)
{
    const struct tn_sd_graph *g = &tn_sd_detail_of(model)->graphs[0];

    for (uint32_t i = 0; i < g->variable_count; i++)
        if (tn_bytes_is(g->variables[i].name, name))
            return &g->variables[i];
    fail_msg("no variable '%s'", name);
    return NULL;
}

static void is_int(const struct tn_model *model, uint32_t op, const char *name,
                   int64_t wanted)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr;

    assert_int_equal(tn_attr_find(&attr, model, op, name, &error), TN_OK);
    assert_int_equal(tn_attr_get(attr)->of.ints[0], wanted);
    tn_attr_close(attr);
}

/* What was added is there, and what was not touched is as it was. */
static void is_edited(const struct tn_model *model)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr;

    assert_int_equal(model->ops.count, 3);
    is_int(model, 2, "iArgs", 3);
    is_int(model, 2, "opNum", INT64_C(-7532944577593734819));
    is_int(model, 0, "iArgs", 3);
    is_int(model, 0, "opNum", INT64_C(-273014250715117663));
    assert_int_equal(tn_attr_find(&attr, model, 0, "tArgs", &error),
                     TN_NOT_FOUND);
    assert_int_equal(tn_model_op(model, 2).control_count, 1);
    assert_int_equal(find(model, "x")->kind, TN_SD_PLACEHOLDER);
    assert_int_equal(find(model, "x")->shape[1], 2);
    assert_int_equal(find(model, "w")->kind, TN_SD_VARIABLE);
    assert_int_equal(find(model, "c")->kind, TN_SD_CONSTANT);
    assert_int_equal(find(model, "y")->kind, TN_SD_ARRAY);
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);
    assert_int_equal(detail->graphs[0].variable_count, 6);
    assert_int_equal(detail->state_count, 1);
    assert_true(tn_bytes_is(detail->states[0].keys.items[0], "V"));
    assert_true(detail->training.size > 0);
    assert_int_equal(detail->graphs[0].loss.count, 1);
}

static void edits_are_written(void **state)
{
    static const struct tn_format *const formats[] = { &tn_format_samediff_fb,
                                                       &tn_format_sdnb,
                                                       &tn_format_sdz };
    struct tn_report                     report    = { .each = see_finding };
    struct scene                         s;

    (void)state;
    open_scene(&s);
    add_op(&s);
    commit(&s);
    for (int i = 0; i < 3; i++) {
        struct sd_opened again;
        uint64_t         losses;
        struct tn_bytes  bytes =
            sd_write(&s.edited, formats[i], 0, &losses, &s.error);
        if (!bytes.data)
            fail_msg("%s: %s: %s", formats[i]->name, s.error.where,
                     s.error.what);
        sd_must_open(&again, formats[i], bytes);
        is_edited(&again.model);
        formats[i]->check(&again.bundle, &again.model, &report, &again.error);
        sd_close(&again);
        sd_free(bytes);
    }
    close_scene(&s);
}

static void an_op_can_go(void **state)
{
    struct sd_opened again;
    struct scene     s;
    uint64_t         losses;

    (void)state;
    open_scene(&s);
    assert_int_equal(tn_draft_remove_op(&s.draft, 1, &s.error), TN_OK);
    commit(&s);
    struct tn_bytes bytes =
        sd_write(&s.edited, &tn_format_sdnb, 0, &losses, &s.error);
    sd_must_open(&again, &tn_format_sdnb, bytes);
    assert_int_equal(again.model.ops.count, 1);
    sd_close(&again);
    sd_free(bytes);
    close_scene(&s);
}

static void attributes_of_others_are_refused(void **state)
{
    static const int64_t one   = 1;
    struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                   .count   = 1,
                                   .of.ints = &one };
    struct scene         s;
    uint64_t             losses;

    (void)state;
    open_scene(&s);
    tn_draft_set_attr(&s.draft, 0, "axis", &value, &s.error);
    commit(&s);
    assert_null(
        sd_write(&s.edited, &tn_format_samediff_fb, 0, &losses, &s.error).data);
    assert_int_equal(s.error.status, TN_INVALID);
    assert_string_equal(s.error.where, "nodes[0]");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_written),
        cmocka_unit_test(an_op_can_go),
        cmocka_unit_test(attributes_of_others_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
