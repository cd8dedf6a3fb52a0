/* sd_about_test.c - training, roles, examples and controls of SameDiff are told
 */
#define _GNU_SOURCE
#include "format/samediff/sd_testing.h"

#include "support/little_models.h"

#include "support/told.h"

#define SQUARE                                                                 \
    "\"shape\": [2, 2, 2, 2, 1, 8192, 1, 99], \"dtype\": \"FLOAT\", "          \
    "\"byteOrder\": \"BE\", \"buffer\": [63, -128, 0, 0, 64, 0, 0, 0, "        \
    "63, -128, 0, 0, 64, 0, 0, 0]"

static const char trained[] =
    "{ \"variables\": [\n"
    " { \"id\": {\"first\": 1}, \"name\": \"x\", \"dtype\": \"FLOAT\",\n"
    "   \"shape\": [2, 2], \"device\": -1, \"ndarray\": { " SQUARE " },\n"
    "   \"variabletype\": \"PLACEHOLDER\" },\n"
    " { \"id\": {\"first\": 2}, \"name\": \"w\", \"dtype\": \"FLOAT\",\n"
    "   \"ndarray\": { " SQUARE " }, \"device\": -1 },\n"
    " { \"id\": {\"first\": 3}, \"name\": \"out\", \"dtype\": \"FLOAT\",\n"
    "   \"device\": 2, \"variabletype\": \"ARRAY\" } ],\n"
    "\"nodes\": [\n"
    " { \"id\": 3, \"name\": \"mmul\", \"opType\": \"CUSTOM\",\n"
    "   \"opNum\": -273014250715117663, \"opName\": \"matmul\",\n"
    "   \"inputPaired\": [{\"first\": 1}, {\"first\": 2}],\n"
    "   \"outputNames\": [\"out\"], \"outputTypes\": [\"FLOAT\"],\n"
    "   \"extraInteger\": [0, 0, 0], \"scope_name\": \"layer\",\n"
    "   \"controlDeps\": [\"w\"] } ],\n"
    "\"configuration\": { \"id\": -1, \"outputMode\": \"VARIABLE_SPACE\",\n"
    "  \"timestats\": true },\n"
    "\"placeholders\": [\"x\"], \"lossVariables\": [\"out\"],\n"
    "\"trainingConfig\": \"{\\\"updater\\\": {\\\"@class\\\": \\\"a.Adam\\\", "
    "\\\"learningRate\\\": 0.5}}\",\n"
    "\"updaterState\": [{ \"paramName\": \"w\", \"updaterStateKeys\": "
    "[\"V\"],\n"
    "  \"updaterStateValues\": [{ " SQUARE " }] }] }";

static void put_model(struct tn_scratch *scratch, const char *json)
{
    struct tn_bytes flat = sd_make(json);

    tn_scratch_put(scratch, "a.fb", flat);
    sd_free(flat);
}

static void training_is_told(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    static const char *const onnx[]  = {
         "trainingConfig: left behind: the training configuration [training]",
         "w: left behind: what the updater keeps of a parameter [training]",
         "out: left behind: the role of a loss variable [role]",
         "w: left behind: the role of a trained variable [role]",
         "x: left behind: the example value of a placeholder [value]",
         "mmul: left behind: control dependencies of an operation [control]",
         "mmul: left behind: the scope of an operation [scope]",
         "out: left behind: the device of a variable [scope]",
         NULL,
    };
    static const char *const tagged[] = {
        "mmul: left behind: the scope of an operation [scope]",
        "x: the example of a placeholder is left behind [value]",
        NULL,
    };

    (void)state;
    put_model(&scratch, trained);
    tn_must_tell(tn_in_scratch(&scratch, "a.fb"),
                 tn_in_scratch(&scratch, "b.onnx"), NULL, onnx);
    tn_must_tell(tn_in_scratch(&scratch, "a.fb"),
                 tn_in_scratch(&scratch, "b.samediff"), NULL, tagged);
    tn_scratch_close(&scratch);
}

/* Only what Java does not write into every file. */
static void odd_configurations_are_told(void **state)
{
    static const char *const swaps[][2] = {
        { "\"VARIABLE_SPACE\"", "\"VARIABLE_SPACE\"" },
        { "\"VARIABLE_SPACE\"", "\"IMPLICIT\"" },
        { "\"timestats\": true", "\"timestats\": false" },
        { "\"id\": -1, \"out", "\"footprintForward\": 5, \"id\": -1, \"out" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error;
        char             *text = sd_replace(trained, swaps[i][0], swaps[i][1]);
        put_model(&scratch, text);
        char *told =
            tn_told(tn_in_scratch(&scratch, "a.fb"),
                    tn_in_scratch(&scratch, "b.onnx"), NULL, false, &error);
        assert_int_equal(error.status, TN_OK);
        bool is_told = strstr(told, "configuration: left behind: how the graph "
                                    "is to be executed [configuration]");
        assert_int_equal(is_told, i > 0);
        free(told);
        free(text);
        tn_scratch_close(&scratch);
    }
}

/* Keys without a value and values without a key: kept among SameDiff's own
 * formats, and told where only texts with a key have a place. */
static void metadata_need_not_pair(void **state)
{
    static const struct {
        const char *keys, *values, *to, *told;
    } cases[] = {
        { "['a', 'b']", "['1']", "b.samediff", NULL },
        { "['a', 'b']", "['1']", "b.sdz", NULL },
        { "['a']", "['1', '2']", "b.samediff", NULL },
        { "['a']", "['1', '2']", "b.sdz", NULL },
        { "['a']", "['1', '2']", "b.onnx", "1 text about the model" },
        { "['a', 'b']", "['1']", "b.onnx", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error;
        struct tn_model  *model = NULL;
        char              meta[200];
        snprintf(meta, sizeof meta,
                 "\"metadataKeys\": %s, \"metadataValues\": %s, "
                 "\"placeholders\"",
                 cases[i].keys, cases[i].values);
        for (char *c = meta; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        char *text = sd_replace(trained, "\"placeholders\"", meta);
        put_model(&scratch, text);
        const char *to = tn_in_scratch(&scratch, cases[i].to);
        char       *told =
            tn_told(tn_in_scratch(&scratch, "a.fb"), to, NULL, false, &error);
        assert_int_equal(error.status, TN_OK);
        bool is_told = strstr(told, "about the model") != NULL;
        if (is_told != (cases[i].told != NULL) ||
            (cases[i].told && !strstr(told, cases[i].told)))
            fail_msg("%zu: %s", i, told);
        if (tn_model_open(&model, to, NULL, &error) != TN_OK)
            fail_msg("%zu: %s: %s", i, error.where, error.what);
        tn_model_close(model);
        free(told);
        free(text);
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_told),
        cmocka_unit_test(odd_configurations_are_told),
        cmocka_unit_test(metadata_need_not_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
