/* show.c - parts of a model as text: shapes, inputs and outputs, tensors */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

void cli_show_shape(struct cli_text *text, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);

    cli_text_add(text, "[");
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        cli_text_addf(text, i > 0 ? ",%" PRIu64 : "%" PRIu64, dims[i]);
    cli_text_add(text, "]");
}

void cli_show_dims(struct cli_text *text, const struct tn_io *io)
{
    if (!io->has_rank) {
        cli_text_add(text, "[...]");
        return;
    }
    cli_text_add(text, "[");
    for (uint32_t i = 0; i < io->rank; i++) {
        const struct tn_dim *dim = &io->dims[i];

        cli_text_add(text, i > 0 ? ", " : "");
        if (dim->symbol.size > 0)
            cli_text_safe(text, dim->symbol);
        else if (dim->value >= 0)
            cli_text_addf(text, "%" PRId64, dim->value);
        else
            cli_text_add(text, "?");
    }
    cli_text_add(text, "]");
}

void cli_show_path(struct cli_text *text, const struct tn_tensor *tensor)
{
    char   small[256];
    size_t length = tn_tensor_path(tensor, small, sizeof(small));

    if (length < sizeof(small)) {
        cli_text_safe(text, (struct tn_bytes){ (uint8_t *)small, length });
        return;
    }
    char *large = cli_allocate(length + 1, 1);
    tn_tensor_path(tensor, large, length + 1);
    cli_text_safe(text, (struct tn_bytes){ (uint8_t *)large, length });
    free(large);
}

enum { LEVEL_SHOWN = 16 };

void cli_show_levels(struct cli_text *text, const struct tn_tensor *tensor)
{
    uint64_t levels = tn_tensor_level_count(tensor);

    cli_text_add(text, levels > 0 ? "[" : "");
    for (uint64_t i = 0; i < levels && i < LEVEL_SHOWN; i++) {
        uint64_t offsets[LEVEL_SHOWN], count = 0;
        tn_tensor_level(tensor, i, offsets, LEVEL_SHOWN, &count, NULL);
        cli_text_add(text, i > 0 ? ",[" : "[");
        for (uint64_t k = 0; k < count && k < LEVEL_SHOWN; k++)
            cli_text_addf(text, "%s%" PRIu64, k > 0 ? "," : "", offsets[k]);
        cli_text_add(text, count > LEVEL_SHOWN ? ",...]" : "]");
    }
    cli_text_add(text, levels > LEVEL_SHOWN ? ",...]" : levels > 0 ? "]" : "");
}

void cli_json_levels(struct cli_json *json, const struct tn_tensor *tensor)
{
    cli_json_key(json, "lod");
    cli_json_open_flat(json, '[');
    for (uint64_t i = 0; i < tn_tensor_level_count(tensor); i++) {
        uint64_t count = 0;
        tn_tensor_level(tensor, i, NULL, 0, &count, NULL);
        uint64_t *offsets = cli_allocate((size_t)count, sizeof(*offsets));
        tn_tensor_level(tensor, i, offsets, count, &count, NULL);
        cli_json_open_flat(json, '[');
        for (uint64_t k = 0; k < count; k++)
            cli_json_number(json, offsets[k]);
        cli_json_close(json, ']');
        free(offsets);
    }
    cli_json_close(json, ']');
}

void cli_json_blocks(struct cli_json *json, const struct tn_tensor *tensor)
{
    struct tn_block_info info;

    if (!tn_tensor_blocks(tensor, &info))
        return;
    cli_json_key(json, "blocks");
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "type", info.name);
    cli_json_put_number(json, "elements", info.elements);
    cli_json_put_number(json, "bytes", info.bytes);
    cli_json_close(json, '}');
}

void cli_show_label(struct cli_text *text, const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (name.size > 0)
        cli_text_safe(text, name);
    else
        cli_show_path(text, tensor);
}

void cli_show_raw_label(struct cli_text *text, const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (name.size > 0)
        cli_text_put(text, name.data, name.size);
    else
        cli_show_path(text, tensor);
}

const char *cli_role_name(enum tn_role role)
{
    switch (role) {
    case TN_ROLE_INITIALIZER: return "initializer";
    case TN_ROLE_ATTRIBUTE: return "attribute";
    case TN_ROLE_VARIABLE: return "variable";
    case TN_ROLE_SPARSE_VALUES: return "sparse-values";
    case TN_ROLE_SPARSE_INDICES: return "sparse-indices";
    case TN_ROLE_STATE: return "state";
    }
    return "other";
}

const char *cli_type_name(const struct tn_tensor *tensor)
{
    struct tn_block_info info;

    return tn_tensor_blocks(tensor, &info)
               ? info.name
               : tn_dtype_name(tn_tensor_dtype(tensor));
}

uint64_t cli_tensor_bytes(const struct tn_tensor *tensor)
{
    struct tn_block_info info;

    if (tn_dtype_size(tn_tensor_dtype(tensor)) == 0 ||
        tn_tensor_blocks(tensor, &info))
        return tn_tensor_stored_size(tensor);
    return tn_tensor_size(tensor);
}

uint64_t cli_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

void cli_show_plural(struct cli_text *text, uint64_t count, const char *one,
                     const char *many)
{
    cli_text_number(text, count);
    cli_text_addf(text, " %s", count == 1 ? one : many);
}

void cli_json_shape(struct cli_json *json, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);

    cli_json_key(json, "shape");
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        cli_json_number(json, dims[i]);
    cli_json_close(json, ']');
}

void cli_json_error(struct cli_json *json, const struct tn_error *error)
{
    cli_json_key(json, "error");
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "status", tn_status_name(error->status));
    cli_json_put_string(json, "reason", tn_reason_word(error->reason));
    cli_json_put_string(json, "file", error->file);
    cli_json_put_offset(json, "offset", error->offset);
    cli_json_put_string(json, "where", error->where);
    cli_json_put_string(json, "what", error->what);
    cli_json_close(json, '}');
}

/* ---- attributes of operators ------------------------------------------- */

enum { SHOWN = 16 }; /* of a list, on a line for people */

/* ---- one value ---------------------------------------------------------- */

/* As few digits as give the number back. */
void cli_show_real(struct cli_text *text, double value, bool is_float)
{
    char digits[40];

    if (!isfinite(value)) {
        cli_text_add(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, value);
        double back = strtod(digits, NULL);
        if (is_float ? (float)back == (float)value : back == value)
            break;
    }
    cli_text_add(text, digits);
}

static void show_whole(struct cli_text *text, const struct tn_attr_value *value,
                       uint32_t index)
{
    int64_t number = value->of.ints[index];

    if (value->kind == TN_ATTR_BOOL)
        cli_text_add(text, number != 0 ? "true" : "false");
    else if (value->kind == TN_ATTR_DTYPE)
        cli_text_add(text, tn_dtype_name((enum tn_dtype)number));
    else
        cli_text_addf(text, "%" PRId64, number);
}

static void show_attr_shape(struct cli_text            *text,
                            const struct tn_attr_shape *shape)
{
    if (!shape->has_rank) {
        cli_text_add(text, "[...]");
        return;
    }
    cli_text_add(text, "[");
    for (uint32_t i = 0; i < shape->rank; i++) {
        cli_text_add(text, i > 0 ? "," : "");
        if (shape->dims[i] < 0)
            cli_text_add(text, "?");
        else
            cli_text_addf(text, "%" PRId64, shape->dims[i]);
    }
    cli_text_add(text, "]");
}

static void show_one(struct cli_text *text, const struct tn_model *model,
                     const struct tn_attr_value *value, uint32_t index)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: show_whole(text, value, index); break;
    case TN_ATTR_FLOAT:
        cli_show_real(text, (double)value->of.floats[index], true);
        break;
    case TN_ATTR_DOUBLE:
        cli_show_real(text, value->of.doubles[index], false);
        break;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION: cli_text_safe(text, value->of.strings[index]); break;
    case TN_ATTR_REFERENCE:
        cli_text_add(text, "$");
        cli_text_safe(text, value->of.strings[index]);
        break;
    case TN_ATTR_SHAPE: show_attr_shape(text, &value->of.shapes[index]); break;
    case TN_ATTR_TENSOR:
        cli_text_add(text,
                     tn_dtype_name(tn_tensor_dtype(value->of.tensors[index])));
        cli_show_shape(text, value->of.tensors[index]);
        break;
    case TN_ATTR_GRAPH:
        cli_text_add(
            text, tn_model_graph(model, (uint32_t)value->of.ints[index]).path);
        break;
    default:
        cli_text_addf(text, "%zu bytes",
                      value->kind == TN_ATTR_OTHER
                          ? value->of.strings[index].size
                          : (size_t)0);
    }
}

static void show_some(struct cli_text *text, const struct tn_model *model,
                      const struct tn_attr_value *value, uint32_t first,
                      uint32_t count, bool is_list)
{
    cli_text_add(text, is_list ? "[" : "");
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        cli_text_add(text, i > 0 ? "," : "");
        show_one(text, model, value, first + i);
    }
    if (count > SHOWN) {
        cli_text_add(text, ",... ");
        cli_text_number(text, count);
        cli_text_add(text, " in all");
    }
    cli_text_add(text, is_list ? "]" : "");
}

/* ---- arguments that have names ------------------------------------------ */

/* iArgs and iArgNames, tArgs and tArgNames, ... */
static struct tn_attr *open_names(const struct tn_model *model, uint32_t op,
                                  const struct tn_attr *values)
{
    struct tn_bytes name  = tn_attr_name(values);
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *names;
    char            other[] = "xArgNames";

    if (name.size != 5 || memcmp(name.data + 1, "Args", 4) != 0)
        return NULL;
    other[0] = (char)name.data[0];
    if (tn_attr_find(&names, model, op, other, &error) != TN_OK)
        return NULL;
    if (tn_attr_get(names)->kind == TN_ATTR_STRING &&
        tn_attr_get(names)->count == tn_attr_get(values)->count)
        return names;
    tn_attr_close(names);
    return NULL;
}

static bool is_names(const struct tn_attr *attr)
{
    struct tn_bytes name = tn_attr_name(attr);

    return name.size == 9 && memcmp(name.data + 1, "ArgNames", 8) == 0;
}

struct run {
    struct tn_bytes name; /* of an attribute, or of arguments of one name     */
    uint32_t        first, count;
    bool            is_list;
    bool            is_last; /* it may be empty, and is still the last one    */
};

/* The next run of arguments that share a name.  Arguments without a name form a
 * list, which is called like the whole attribute. */
static bool next_run(const struct tn_attr *attr, const struct tn_attr *names,
                     struct run *run)
{
    const struct tn_attr_value *value = tn_attr_get(attr);
    uint32_t                    at    = run->first + run->count;

    if (run->is_last)
        return false;
    run->first = at;
    if (names == NULL) {
        run->name    = tn_attr_name(attr);
        run->count   = value->count;
        run->is_list = value->is_list;
        run->is_last = true;
        return true;
    }
    if (at >= value->count)
        return false;
    const struct tn_bytes *texts = tn_attr_get(names)->of.strings;
    while (
        at < value->count && texts[at].size == texts[run->first].size &&
        (texts[at].size == 0 ||
         memcmp(texts[at].data, texts[run->first].data, texts[at].size) == 0))
        at++;
    run->count   = at - run->first;
    run->is_list = run->count > 1 || texts[run->first].size == 0;
    run->name =
        texts[run->first].size > 0 ? texts[run->first] : tn_attr_name(attr);
    return true;
}

/* ---- all of an operator ------------------------------------------------- */

typedef void put_run(void *context, const struct tn_model *model,
                     const struct tn_attr *attr, const struct run *run);

static void each_run(const struct tn_model *model, uint32_t op, put_run *put,
                     void *context)
{
    uint32_t count = tn_op_attr_count(model, op);

    for (uint32_t i = 0; i < count; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_attr *attr;
        struct run      run = { .first = 0 };
        if (tn_attr_open(&attr, model, op, i, &error) != TN_OK)
            continue; /* 'tenon check' says what is wrong with it */
        struct tn_attr *names = open_names(model, op, attr);
        while (!is_names(attr) && next_run(attr, names, &run))
            put(context, model, attr, &run);
        tn_attr_close(names);
        tn_attr_close(attr);
    }
}

static void put_text(void *context, const struct tn_model *model,
                     const struct tn_attr *attr, const struct run *run)
{
    struct cli_text *text = context;

    cli_text_add(text, text->size > 0 ? " " : "");
    cli_text_safe(text, run->name);
    cli_text_add(text, "=");
    show_some(text, model, tn_attr_get(attr), run->first, run->count,
              run->is_list);
}

void cli_show_attrs(struct cli_text *text, const struct tn_model *model,
                    uint32_t op)
{
    struct cli_text own = { 0 };

    each_run(model, op, put_text, &own);
    cli_text_put(text, own.data, own.size);
    cli_text_done(&own);
}

/* Numbers and truths are JSON's own, everything else is what people see. */
static void put_json_one(struct cli_json *json, const struct tn_model *model,
                         const struct tn_attr_value *value, uint32_t index)
{
    struct cli_text text = { 0 };
    bool            is_number =
        value->kind == TN_ATTR_INT || value->kind == TN_ATTR_BOOL ||
        (value->kind == TN_ATTR_FLOAT && isfinite(value->of.floats[index])) ||
        (value->kind == TN_ATTR_DOUBLE && isfinite(value->of.doubles[index]));

    if (value->kind == TN_ATTR_STRING) {
        cli_json_bytes(json, value->of.strings[index]);
        return;
    }
    show_one(&text, model, value, index);
    if (is_number)
        cli_json_literal(json, cli_text_view(&text));
    else
        cli_json_bytes(json, cli_text_view(&text));
    cli_text_done(&text);
}

static void put_json(void *context, const struct tn_model *model,
                     const struct tn_attr *attr, const struct run *run)
{
    struct cli_json *json = context;

    cli_json_open_flat(json, '{');
    cli_json_put_bytes(json, "name", run->name);
    cli_json_key(json, "value");
    if (run->is_list)
        cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < run->count; i++)
        put_json_one(json, model, tn_attr_get(attr), run->first + i);
    if (run->is_list)
        cli_json_close(json, ']');
    else if (run->count == 0) /* an attribute without a value */
        cli_json_null(json);
    cli_json_close(json, '}');
}

void cli_json_attrs(struct cli_json *json, const struct tn_model *model,
                    uint32_t op)
{
    cli_json_key(json, "attributes");
    cli_json_open_flat(json, '[');
    each_run(model, op, put_json, json);
    cli_json_close(json, ']');
}
