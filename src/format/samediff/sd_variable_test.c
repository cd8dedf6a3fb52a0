/* sd_variable_test.c - variables, their data, and states of the updater */
#include "format/samediff/sd_testing.h"

static const struct {
    const char        *name;
    enum tn_value_kind kind;
    int                role; /* of its tensor; -1: it has none */
} rows[] = {
    { "x", TN_VALUE_INPUT, -1 },
    { "w", TN_VALUE_INITIALIZER, TN_ROLE_VARIABLE },
    { "c", TN_VALUE_INITIALIZER, TN_ROLE_INITIALIZER },
    { "mmul", TN_VALUE_OUTPUT, -1 },
};

static void a_variable_is_what_its_kind_says(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct sd_opened o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t name  = tn_intern_find(&o.model.names, tn_text(rows[i].name));
        uint32_t value = tn_model_find_value(&o.model, 0, name);
        const struct tn_tensor *tensor = tn_model_find(&o.model, rows[i].name);
        assert_int_equal(tn_model_value_info(&o.model, value).kind,
                         rows[i].kind);
        assert_int_equal(tensor ? tensor->role : -1, rows[i].role);
        if (tensor)
            assert_int_equal(tensor->slot, i);
    }
    sd_close(&o);
    sd_free(bytes);
}

/* ---- states ------------------------------------------------------------- */

static void states_are_tensors(void **state)
{
    static const char *const names[] = { "updater/V/w", "updater/M/w" };
    struct tn_bytes          bytes   = sd_make(sd_little);
    struct sd_opened         o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    for (uint32_t i = 0; i < 2; i++) {
        const struct tn_tensor *tensor = tn_model_find(&o.model, names[i]);
        assert_non_null(tensor);
        assert_int_equal(tensor->role, TN_ROLE_STATE);
        assert_int_equal(tensor->slot, 0);
        assert_int_equal(tensor->part, i);
    }
    sd_close(&o);
    sd_free(bytes);
}

static const struct {
    const char *name, *key, *param; /* NULL: the name of no state */
} states[] = {
    { "updater/M/w", "M", "w" },  { "updater/M/layer/w", "M", "layer/w" },
    { "updater//w", "", "w" },    { "updater/M/", "M", "" },
    { "updater/M", NULL, NULL },  { "updater/", NULL, NULL },
    { "update/M/w", NULL, NULL }, { "", NULL, NULL },
};

static void names_of_states_come_apart(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_bytes  key, param;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        bool is_state =
            tn_sd_state_split(tn_text(states[i].name), &key, &param);
        assert_int_equal(is_state, states[i].key != NULL);
        if (!is_state)
            continue;
        assert_true(tn_bytes_is(key, states[i].key));
        assert_true(tn_bytes_is(param, states[i].param));
        assert_string_equal(tn_sd_state_name(key, param, &arena, &error),
                            states[i].name);
    }
    tn_arena_done(&arena);
}

/* ---- lies --------------------------------------------------------------- */

#define LIE "\"shape\": [9], \"dtype\": \"FLOAT\", \"buffer\": [0]"

static const struct {
    const char *name, *old, *new, *where;
} lies[] = {
    { "no name", "\"name\": \"w\", ", "", "variables[1]" },
    { "no number", "\"id\": {\"first\": 2}, ", "", "variables[1]" },
    { "no array", "\"ndarray\": { " SD_TWO " }", "\"ndarray\": { " LIE " }",
      "variables[1].ndarray" },
    { "no state", "{ " SD_TWO " }] }] }", "{ " LIE " }] }] }",
      "updaterState[0].updaterStateValues[1]" },
};

static void a_lie_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char            *text = sd_replace(sd_little, lies[i].old, lies[i].new);
        struct tn_bytes  bytes = sd_make(text);
        struct sd_opened o;

        enum tn_status status = sd_open(&o, &tn_format_samediff_fb, bytes);
        if (status != TN_MALFORMED || strcmp(o.error.where, lies[i].where) != 0)
            fail_msg("%s: %d %s: %s", lies[i].name, (int)status, o.error.where,
                     o.error.what);
        sd_free(bytes);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_is_what_its_kind_says),
        cmocka_unit_test(states_are_tensors),
        cmocka_unit_test(names_of_states_come_apart),
        cmocka_unit_test(a_lie_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
