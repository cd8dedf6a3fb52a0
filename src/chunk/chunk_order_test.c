/* chunk_order_test.c - lists of fields that can be merged as they stand */
#include "chunk/chunk_meta.h"

#include "chunk/the_judge_testing.h"

#define FIELD(tags, chunk)                                                     \
    "chunked_fields { " tags " message { chunk_index: " #chunk " } }\n"
#define F(n) "field_tag { field: " #n " } "
#define I(n) "field_tag { index: " #n " } "

static const struct {
    const char *name, *message;
    bool        was_in_order;
    const char *twice; /* of a ManyFields; NULL: nothing                      */
} cases[] = {
    { "nothing", "", true, NULL },
    { "sorted", FIELD(F(1), 1) FIELD(F(2) I(0), 2), true, NULL },
    { "places that have nothing to do with each other",
      FIELD(F(2) I(0), 2) FIELD(F(1), 1), true, NULL },
    { "a part after what is inside of it", FIELD(F(2) I(0), 1) FIELD("", 2),
      false, NULL },
    { "a message after what is far inside",
      FIELD(F(1) F(1) F(3), 1) FIELD(F(3), 2) FIELD(F(1), 3), false, NULL },
    { "around two, of which the first is in order",
      FIELD(F(2) I(1), 1) FIELD("", 2) FIELD(F(3), 3), false, NULL },
    { "elements from behind", FIELD(F(2) I(1), 1) FIELD(F(2) I(0), 2), false,
      NULL },
    { "parts not by their chunks", FIELD("", 2) FIELD("", 1), false, NULL },
    { "parts by their chunks", FIELD("", 1) FIELD("", 2), true, NULL },
    { "a string twice", FIELD(F(3), 1) FIELD(F(1), 2) FIELD(F(3), 3), true,
      "string_field" },
    { "a message twice", FIELD(F(1), 1) FIELD(F(1), 2), true, NULL },
    { "a string twice, deep in a tree",
      "chunked_fields { " F(1) " message { " FIELD(F(3), 1)
          FIELD(F(3), 2) "} }",
      true, "string_field" },
    { "the same path of another message",
      FIELD(F(3), 1) "chunked_fields { " F(1) " message { " FIELD(F(3),
                                                                  2) "} }",
      true, NULL },
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_buffer  bytes;
        struct tn_source  source;
        struct tn_chunked message;
        char              where[100] = "";

        print_message("%s\n", cases[i].name);
        judge_encode(&judge, &judge.splitter,
                     "tensorflow.proto_splitter.ChunkedMessage",
                     cases[i].message, &bytes);
        tn_source_memory(&source, &judge.memory, tn_buffer_bytes(&bytes));
        tn_chunked_read(&message, (struct tn_span){ &source, 0, source.size },
                        &judge.arena, &error);
        tn_chunked_sort(&message);
        assert_int_equal(
            tn_chunked_was_in_order(&message, &judge.arena, &error),
            cases[i].was_in_order);
        const struct tn_chunked_field *twice =
            tn_chunked_find_double(&message, judge.many);
        if (twice)
            tn_tags_print(twice->tags, judge.many, where, sizeof where);
        assert_string_equal(where, cases[i].twice ? cases[i].twice : "");
        tn_source_close(&source);
        tn_buffer_done(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
