/* known_inputs_test.c - what is known of a node's inputs, as text */
#include "engine/known_inputs.h"

#include <stdio.h>

#include "base/buffer.h"
#include "support/hostile.h"

/* One line for each input, as the text could say it again. */
static void print(struct tn_buffer *out, const struct tn_known_input *input)
{
    tn_buffer_format(out, "%.*s %s", TN_FMT(input->name),
                     tn_dtype_name(input->type.dtype));
    if (input->type.has_rank) {
        tn_buffer_text(out, " [");
        for (uint32_t i = 0; i < input->type.rank; i++)
            tn_buffer_format(out, "%s%d", i ? " " : "",
                             (int)input->type.dims[i]);
        tn_buffer_text(out, "]");
    }
    for (uint32_t i = 0; input->has_value && i < input->value.count; i++)
        switch (input->value.kind) {
        case TN_ATTR_DOUBLE:
            tn_buffer_format(out, " %g", input->value.of.doubles[i]);
            break;
        case TN_ATTR_STRING:
            tn_buffer_format(out, " '%.*s'",
                             TN_FMT(input->value.of.strings[i]));
            break;
        default:
            tn_buffer_format(out, " %d", (int)input->value.of.ints[i]);
            break;
        }
    tn_buffer_text(out, "; ");
}

/* clang-format off */
static const struct {
    const char    *text, *read; /* or what is wrong                           */
    uint64_t       offset;      /* where the complaint must point             */
    enum tn_status status;
} rows[] = {
    { "",                               "", 0, TN_OK },
    { "x:float32",                      "x float32; ", 0, TN_OK },
    { "x:float32[]",                    "x float32 []; ", 0, TN_OK },
    { " x:float32[2,?,3]\n y:int8[ 4 ]", "x float32 [2 -1 3]; y int8 [4]; ", 0, TN_OK },
    { "x:float32[1],y:bool",            "x float32 [1]; y bool; ", 0, TN_OK },
    { "a:1:int64=3",                    "a:1 int64 [] 3; ", 0, TN_OK },
    { "a:int64[2]=[0,-1]",              "a int64 [2] 0 -1; ", 0, TN_OK },
    { "a:int64=[ 5, 6 ,7 ]",            "a int64 [3] 5 6 7; ", 0, TN_OK },
    { "a:float32[1,2]=[0.5,1e3]",       "a float32 [1 2] 0.5 1000; ", 0, TN_OK },
    { "a:bool=[true,false]",            "a bool [2] 1 0; ", 0, TN_OK },
    { "a:int32[0]=[]",                  "a int32 [0]; ", 0, TN_OK },
    { "\"odd \\\"name\":string=\"text\"", "odd \"name string [] 'text'; ", 0, TN_OK },
    { "s:string[2]=[\"a b\",\"\"]",     "s string [2] 'a b' ''; ", 0, TN_OK },
    { "x",                              "expected NAME:TYPE", 0, TN_MALFORMED },
    { "x:flot32",                       "expected NAME:TYPE", 0, TN_MALFORMED },
    { ":float32",                       "expected a name", 0, TN_MALFORMED },
    { "y:int8 x:float32x",              "expected NAME:TYPE", 7, TN_MALFORMED },
    { "\"x",                            "the closing quote is missing", 2, TN_MALFORMED },
    { "\"x\"",                          "expected ':'", 3, TN_MALFORMED },
    { "\"x\":what",                     "expected an element type", 4, TN_MALFORMED },
    { "x:float32[2",                    "expected ',' or ']'", 11, TN_MALFORMED },
    { "x:float32[-1]",                  "expected a dimension or '?'", 10, TN_MALFORMED },
    { "x:float32[99999999999999999999]", "the dimension is too large", 28, TN_MALFORMED },
    { "x:float32[2]=[1]",               "the number of elements does not match the shape", 16, TN_MALFORMED },
    { "x:float32[?]=[1]",               "a value needs a known shape", 16, TN_MALFORMED },
    { "x:float32=[1",                   "expected ',' or ']'", 12, TN_MALFORMED },
    { "x:float32=one",                  "expected a number, true, false or a string", 10, TN_MALFORMED },
    { "x:float32=\"one\"",              "unexpected string", 15, TN_MALFORMED },
    { "x:int64=[9.5]",                  "expected integers in the range of the type", 13, TN_MALFORMED },
    { "x:int64=99999999999999999999",   "expected integers in the range of the type", 28, TN_MALFORMED },
    { "x:uint8=[255,256]",              "expected integers in the range of the type", 17, TN_MALFORMED },
    { "x:uint8=-1",                     "expected integers in the range of the type", 10, TN_MALFORMED },
    { "x:int8=128",                     "expected integers in the range of the type", 10, TN_MALFORMED },
    { "x:bool=2",                       "expected integers in the range of the type", 8, TN_MALFORMED },
    { "x:int8=[-128,127] y:uint8=255",  "x int8 [2] -128 127; y uint8 [] 255; ", 0, TN_OK },
    { "x:int32=1e3",                    "x int32 [] 1000; ", 0, TN_OK },
    { "x:int8 y:int8 x:int64",          "an input is given twice", 15, TN_MALFORMED },
    { "x:string=1",                     "expected strings", 10, TN_MALFORMED },
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error        error = TN_ERROR_INIT, fine = TN_ERROR_INIT;
        struct tn_memory       memory;
        struct tn_arena        arena;
        struct tn_buffer       out;
        struct tn_known_inputs inputs;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_buffer_init(&out, &memory, &fine);
        tn_known_inputs_read(&inputs, &arena, tn_text(rows[i].text), &error);
        if (error.status != rows[i].status)
            fail_msg("%s: %s", rows[i].text, error.what);
        for (uint32_t k = 0; !tn_failed(&error) && k < inputs.count; k++)
            print(&out, &inputs.items[k]);
        if (!tn_failed(&error))
            assert_string_equal(tn_buffer_string(&out), rows[i].read);
        else if (!strstr(error.what, rows[i].read) ||
                 error.offset != rows[i].offset)
            fail_msg("%s: %s", rows[i].text, error.what);
        tn_buffer_done(&out);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
