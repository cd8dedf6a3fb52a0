/*
 * paddle_pir_program_fuzz.c - PIR programs that are built, not bent
 *
 * The bytes choose: parameters and inputs, operators by the table of names and
 * odd ones, constants, lists, regions, attributes of the rule's kind and of any
 * other.  What opens is checked, and written as PIR, as a program, as text and
 * as ONNX; each of these is read again.
 */
#define _GNU_SOURCE
#include "format/paddle/paddle_building.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct built {
    struct tn_choices choices;
    struct tn_buffer  text;
    uint32_t          next; /* number of the next value                       */
    uint32_t          arg;  /* of the last argument of a block, below 0       */
    uint32_t          depth;
};

static void say(struct built *b, const char *text)
{
    tn_buffer_text(&b->text, text);
}

static void comma(struct built *b)
{
    uint8_t last = b->text.size ? b->text.data[b->text.size - 1] : 0;

    if (last == '}' || last == ']')
        say(b, ",");
}

/* ---- types and attributes ----------------------------------------------- */

static void say_type(struct built *b)
{
    static const char *const elements[] = { "0.t_f32", "0.t_i64",  "0.t_bool",
                                            "0.t_i32", "0.t_bf16", "0.t_odd" };
    static const char *const dims[]     = { "[2,3]", "[1]", "[]",
                                            "[-1]",  "[0]", "[2,\"a\"]" };
    static const char *const rest[] = { ",\"NCHW\",[],0]", ",\"NHWC\",[],0]",
                                        ",\"NCHW\",[[0,1]],0]", "]" };
    static const char *const ids[]  = {
         "0.t_dtensor",       "0.t_dtensor",
         "0.t_dtensor",       "1.t_dense_tensor_array",
         "1.t_selected_rows", "9.t_odd"
    };

    if (tn_seldom(&b->choices, 16)) {
        say(b, "{\"#\":\"0.t_vec\",\"D\":[");
        for (uint32_t i = tn_choose(&b->choices, 3); i > 0; i--)
            say(b, "{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"0.t_f32\"},[2,3],"
                   "\"NCHW\",[],0]}"),
                say(b, i > 1 ? "," : "");
        say(b, "]}");
        return;
    }
    if (tn_seldom(&b->choices, 16)) {
        say(b, "{\"#\":\"NULL\"}");
        return;
    }
    tn_buffer_format(
        &b->text, "{\"#\":\"%s\",\"D\":[{\"#\":\"%s\"},%s%s}",
        TN_CHOOSE(&b->choices, ids), TN_CHOOSE(&b->choices, elements),
        TN_CHOOSE(&b->choices, dims), TN_CHOOSE(&b->choices, rest));
}

static void say_attr(struct built *b, struct tn_bytes name,
                     enum tn_pir_kind kind)
{
    static const char *const usual[] = {
        [TN_PIR_BOOL]   = "{\"#\":\"0.a_bool\",\"D\":true}",
        [TN_PIR_INT]    = "{\"#\":\"0.a_i32\",\"D\":1}",
        [TN_PIR_LONG]   = "{\"#\":\"0.a_i64\",\"D\":5000000000}",
        [TN_PIR_FLOAT]  = "{\"#\":\"0.a_f32\",\"D\":0.5}",
        [TN_PIR_DOUBLE] = "{\"#\":\"0.a_f64\",\"D\":0.1}",
        [TN_PIR_STRING] = "{\"#\":\"0.a_str\",\"D\":\"NCHW\"}",
        [TN_PIR_BOOLS]  = "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_bool\","
                          "\"D\":false}]}",
        [TN_PIR_INTS] = "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_i32\",\"D\":1"
                        "},{\"#\":\"0.a_i32\",\"D\":2}]}",
        [TN_PIR_LONGS] =
            "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_i64\",\"D\":2}]}",
        [TN_PIR_FLOATS] =
            "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_f32\",\"VD\":\"INF\"}]}",
        [TN_PIR_DOUBLES] =
            "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_f64\",\"D\":1e300}]}",
        [TN_PIR_STRINGS] =
            "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_str\",\"D\":\"q\"}]}",
        [TN_PIR_INTARRAY] = "{\"#\":\"1.a_intarray\",\"D\":[2,-1]}",
        [TN_PIR_DTYPE]    = "{\"#\":\"1.a_dtype\",\"D\":\"float32\"}",
        [TN_PIR_PLACE]    = "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}",
    };
    static const char *const odd[] = {
        "{\"#\":\"0.a_array\",\"D\":[]}",
        "{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_i32\",\"D\":1},{\"#\":"
        "\"0.a_f32\",\"D\":1}]}",
        "{\"#\":\"0.a_f32\",\"VD\":\"NaN\"}",
        "{\"#\":\"0.a_f32\",\"D\":1e999}",
        "{\"#\":\"0.a_i32\",\"D\":99999999999999999999}",
        "{\"#\":\"0.a_i32\"}",
        "{\"#\":\"1.a_dtype\",\"D\":\"odd\"}",
        "{\"#\":\"1.a_scalar\",\"D\":[\"0.t_f32\",2]}",
        "{\"#\":\"9.a_odd\",\"D\":{\"b\":[null,true],\"a\":-0.0}}",
        "{\"#\":\"0.a_index\",\"D\":7}",
        "{\"#\":\"0.a_str\",\"D\":\"\\ud83d\\ude00\"}",
    };
    const char *text = kind < sizeof usual / sizeof usual[0] ? usual[kind] : 0;

    if (!text || tn_seldom(&b->choices, 8))
        text = tn_seldom(&b->choices, 2) ? TN_CHOOSE(&b->choices, odd)
                                         : TN_CHOOSE(&b->choices, usual);
    comma(b);
    say(b, "{\"AT\":");
    say(b, text ? text : odd[0]);
    say(b, ",\"N\":");
    tn_pir_put_string(&b->text, name);
    say(b, "}");
}

static void say_odd_attrs(struct built *b)
{
    static const char *const names[] = {
        "legacy.type",       "legacy.axis",    "legacy.parts",
        "legacy.inputs",     "legacy.outputs", "legacy.empty.03.q",
        "legacy.empty.00.q", "legacy.q",       "struct_name",
        "legacy.lod_level",  "name",           "col",
        "legacy.empty.99.q", "pir.op",         "index",
    };

    for (uint32_t i = tn_choose(&b->choices, 4); i > 1; i--)
        say_attr(b, tn_text(TN_CHOOSE(&b->choices, names)),
                 (enum tn_pir_kind)tn_choose(&b->choices, TN_PIR_INTS64));
}

/* ---- operators ---------------------------------------------------------- */

static void op_begin(struct built *b, const char *prefix, struct tn_bytes name)
{
    comma(b);
    tn_buffer_format(&b->text, "{\"#\":\"%s%.*s\",\"A\":[", prefix,
                     TN_FMT(name));
}

/* Values that are there; seldom none, an argument or one that is not. */
static void say_operands(struct built *b, uint32_t count)
{
    say(b, "],\"I\":[");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t how    = tn_choose(&b->choices, 64);
        int64_t  number = 1 + (int64_t)tn_choose(&b->choices, b->next);
        if (how == 63)
            number = b->next + 5;
        else if (how >= 56 && b->arg)
            number = -(int64_t)b->arg;
        else if (how >= 52 || number >= b->next)
            number = how % 2 ? 0 : b->next - 1;
        tn_buffer_format(&b->text, "%s{\"%%\":%" PRId64 "}", i ? "," : "",
                         number);
    }
}

static void say_results(struct built *b, uint32_t count)
{
    say(b, "],\"O\":[");
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_format(
            &b->text, "%s{\"%%\":%" PRIu32 ",\"TT\":", i ? "," : "", b->next++);
        say_type(b);
        say(b, "}");
    }
    say(b, "],\"OA\":[{\"AT\":{\"#\":\"0.a_array\",\"D\":[{\"#\":\"0.a_bool\","
           "\"D\":true}]},\"N\":\"stop_gradient\"}]");
}

static void say_port(struct built *b)
{
    static const char *const names[] = { "x", "w", "y", "z", "feed", "" };
    const char              *name    = TN_CHOOSE(&b->choices, names);

    comma(b);
    if (tn_seldom(&b->choices, 3)) {
        tn_buffer_format(&b->text,
                         "{\"#\":\"p\",\"A\":[0,%" PRIu32
                         ",1,\"%s\"],\"DA\":[],\"O\":{\"%%\":%" PRIu32
                         ",\"TT\":",
                         tn_choose(&b->choices, 2), name, b->next++);
        say_type(b);
        say(b, "},\"OA\":[1,0,1],\"QA\":[]}");
        return;
    }
    tn_buffer_format(&b->text,
                     "{\"#\":\"1.data\",\"A\":[{\"AT\":{\"#\":\"0.a_str\","
                     "\"D\":\"%s\"},\"N\":\"name\"}",
                     name);
    say_odd_attrs(b);
    say_operands(b, 0);
    say_results(b, 1);
    say(b, "}");
}

static void say_by_rule(struct built *b)
{
    const struct tn_list     *rows = &the_rules()->rows;
    const struct tn_pir_rule *rule =
        tn_list_at(rows, struct tn_pir_rule,
                   tn_choose(&b->choices, (uint32_t)rows->count));
    uint32_t out = rule->out_count;

    while (out && rule->out[out - 1].is_made)
        out--;
    op_begin(b, "1.", rule->pir);
    for (uint32_t i = 0; i < rule->attr_count; i++)
        if (!tn_seldom(&b->choices, 6))
            say_attr(b, rule->attrs[i].pir, rule->attrs[i].kind);
    say_odd_attrs(b);
    say_operands(b, rule->in_count -
                        (rule->in_count && tn_seldom(&b->choices, 8)));
    say_results(b, out + tn_seldom(&b->choices, 32));
    say(b, "}");
}

static void say_constant(struct built *b)
{
    bool is_list = tn_seldom(&b->choices, 2);

    op_begin(b, is_list ? "1.full_int_array" : "1.full", tn_text(""));
    if (!is_list)
        say_attr(b, tn_text("shape"), TN_PIR_INTARRAY);
    say_attr(b, tn_text("value"), is_list ? TN_PIR_LONGS : TN_PIR_FLOAT);
    say_attr(b, tn_text("dtype"), TN_PIR_DTYPE);
    say_operands(b, 0);
    say_results(b, 1);
    say(b, "}");
}

static void say_odd_op(struct built *b)
{
    static const char *const ids[] = { "0.combine", "0.split",        "0.slice",
                                       "1.fetch",   "1.create_array", "9.odd",
                                       "legacy.my", "legacy.",        "2.yield",
                                       "1.if",      "1.while",        "1." };

    op_begin(b, TN_CHOOSE(&b->choices, ids), tn_text(""));
    say_odd_attrs(b);
    say_operands(b, tn_choose(&b->choices, 4));
    say_results(b, tn_choose(&b->choices, 3));
    say(b, "}");
}

static void say_ops(struct built *b, uint32_t count);

/* A block with arguments, some operators and what it hands out. */
static void say_region(struct built *b, uint32_t args, uint32_t given)
{
    say(b, "{\"#\":\"region\",\"blocks\":[{\"#\":\"block\",\"args\":[");
    for (uint32_t i = 0; i < args; i++) {
        tn_buffer_format(
            &b->text, "%s{\"#\":-%" PRIu32 ",\"TT\":", i ? "," : "", ++b->arg);
        say_type(b);
        say(b, "}");
    }
    say(b, "],\"ops\":[");
    say_ops(b, tn_choose(&b->choices, 3));
    op_begin(b, "2.yield", tn_text(""));
    say_operands(b, given);
    say_results(b, 0);
    say(b, "}]}]}");
}

static void say_flow(struct built *b)
{
    bool     is_loop = tn_seldom(&b->choices, 2);
    uint32_t count   = tn_choose(&b->choices, 3);

    op_begin(b, is_loop ? "1.while" : "1.if", tn_text(""));
    say_operands(b, is_loop ? count + 1 : 1);
    say(b, "],\"regions\":[");
    b->depth++;
    say_region(b, is_loop ? count : 0, is_loop ? count + 1 : count);
    if (!is_loop) {
        say(b, ",");
        say_region(b, 0, count);
    }
    b->depth--;
    say_results(b, count);
    say(b, "}");
}

static void say_ops(struct built *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sort = tn_choose(&b->choices, 8);
        if (sort < 4)
            say_by_rule(b);
        else if (sort == 4)
            say_constant(b);
        else if (sort == 5 && b->depth < 3)
            say_flow(b);
        else
            say_odd_op(b);
    }
}

static void say_program(struct built *b)
{
    say(b, "{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,\"version\":1}"
           ",\"program\":{\"regions\":[{\"#\":\"region_0\",\"blocks\":[{\"#\":"
           "\"block_0\",\"args\":[],\"ops\":[");
    b->next = 1;
    for (uint32_t i = 1 + tn_choose(&b->choices, 3); i > 0; i--)
        say_port(b);
    say_ops(b, tn_choose(&b->choices, 8));
    for (uint32_t i = tn_choose(&b->choices, 3); i > 0; i--) {
        op_begin(b, "1.fetch", tn_text(""));
        tn_buffer_format(&b->text,
                         "{\"AT\":{\"#\":\"0.a_str\",\"D\":\"o%" PRIu32
                         "\"},\"N\":\"name\"}",
                         i);
        say_operands(b, 1);
        say_results(b, 1);
        say(b, "}");
    }
    say(b, "]}]}]}}");
}

/* ---- trying one --------------------------------------------------------- */

/* A program that nobody touched is written as the text that it was: only what
 * was a ProgramDesc meanwhile is put into words again. */
static void try_by_way_of_program(const struct tn_model *model)
{
    static const char *const  formats[] = { "paddle-pir", NULL };
    struct tn_convert_summary summary   = { 0 };
    struct tn_error           error     = TN_ERROR_INIT;
    char                      path[400];

    snprintf(path, sizeof path, "%s/between.pdmodel", rewrite_folder);
    if (rewrite_convert(model, "paddle", path, &summary, &error) != TN_OK)
        return;
    struct tn_model *between = rewrite_open("paddle", path, "between");
    if (between)
        rewrite_everywhere(between, formats);
    tn_model_close(between);
}

static void try_program(void)
{
    static const char *const formats[] = { "paddle-pir", "paddle",
                                           "paddle-text", "onnx", NULL };
    struct tn_model         *model     = rewrite_open_built("in.json");

    if (!model)
        return;
    rewrite_everywhere(model, formats);
    try_by_way_of_program(model);
    tn_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct built     b = { .choices = { data, data + size } };

    rewrite_enter();
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&b.text, &memory, &error);
    say_program(&b);
    if (rewrite_put("in.json", b.text.data, b.text.size))
        try_program();
    rewrite_empty();
    tn_buffer_done(&b.text);
    return 0;
}
