/*
 * paddle_pir_line.c - operators of PIR as text, and the small ones that others
 * need before them: constants, lists, shapes
 */
#include "format/paddle/paddle_pir_writer.h"

#include <stdio.h>

/* ---- types -------------------------------------------------------------- */

void tn_pirw_lose(struct tn_pir_writer *w, const char *where, const char *what)
{
    if (w->loss)
        w->loss(w->loss_context, TN_NOWHERE, where, what);
}

void tn_pirw_put_dims(struct tn_buffer *to, const int64_t *dims, uint32_t rank)
{
    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < rank; i++)
        tn_buffer_format(to, "%s%" PRId64, i ? "," : "", dims[i]);
    tn_buffer_byte(to, ']');
}

static struct tn_bytes keep_scratch(struct tn_pir_writer *w)
{
    return tn_bytes_dup(w->arena, tn_buffer_bytes(&w->scratch), w->error);
}

struct tn_bytes tn_pirw_tensor_type(struct tn_pir_writer *w, int64_t element,
                                    const int64_t *dims, uint32_t rank)
{
    const char *id = tn_pir_type_id(element);

    tn_buffer_clear(&w->scratch);
    tn_buffer_format(&w->scratch,
                     "{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"%s\"},",
                     id ? id : "0.t_undefined");
    tn_pirw_put_dims(&w->scratch, dims, rank);
    tn_buffer_text(&w->scratch, ",\"NCHW\",[],0]}");
    return keep_scratch(w);
}

static struct tn_bytes array_type(struct tn_pir_writer       *w,
                                  const struct tn_paddle_var *var)
{
    const char *id = tn_pir_type_id(var->data_type);

    tn_buffer_clear(&w->scratch);
    tn_buffer_format(&w->scratch,
                     "{\"#\":\"1.t_dense_tensor_array\",\"D\":[{\"#\":\"%s\"},",
                     id ? id : "0.t_undefined");
    tn_pirw_put_dims(&w->scratch, var->dims, var->rank);
    tn_buffer_text(&w->scratch, ",\"NCHW\"]}");
    return keep_scratch(w);
}

/* The type that our reader kept, printed anew: the file may say anything there.
 * Empty when it is no type. */
static struct tn_bytes kept_type(struct tn_pir_writer     *w,
                                 const struct tn_desc_var *var)
{
    struct tn_error       failure = TN_ERROR_INIT;
    struct tn_cursor      c       = tn_cursor_bytes(var->kept, 0, &failure);
    const struct tn_tree *tree =
        var->kept.size ? tn_tree_read(&c, w->arena) : NULL;

    if (tn_tree_text(tn_tree_member(tree, "#")).size == 0)
        return tn_bytes("", 0);
    tn_buffer_clear(&w->scratch);
    tn_tree_put(&w->scratch, tree);
    return keep_scratch(w);
}

static struct tn_bytes type_of(struct tn_pir_writer *w, struct tn_desc_var *var)
{
    if (var->type.size == 0)
        var->type = kept_type(w, var);
    if (var->type.size == 0)
        var->type = var->var.type == TN_PADDLE_TENSOR_ARRAY
                        ? array_type(w, &var->var)
                        : tn_pirw_tensor_type(
                              w, var->var.has_desc ? var->var.data_type : 255,
                              var->var.dims, var->var.rank);
    return var->type;
}

/* ---- names -------------------------------------------------------------- */

struct tn_pir_bound *tn_pirw_bound_of(struct tn_pir_writer *w,
                                      struct tn_bytes       name)
{
    uint32_t id = tn_intern_find(&w->names, name);

    return id == TN_NO_NAME ? NULL
                            : tn_list_at(&w->bounds, struct tn_pir_bound, id);
}

/* Inside a block it can be undone. */
void tn_pirw_bind(struct tn_pir_writer *w, struct tn_bytes name,
                  struct tn_pir_bound value)
{
    uint32_t id = tn_intern_borrow(&w->names, name, w->error);

    while (!tn_failed(w->error) && w->bounds.count <= id)
        tn_list_push(&w->bounds, struct tn_pir_bound, w->error);
    if (tn_failed(w->error))
        return;
    struct tn_pir_bound *bound =
        tn_list_at(&w->bounds, struct tn_pir_bound, id);
    struct tn_pir_undo *undo =
        w->depth ? tn_list_push(&w->undo, struct tn_pir_undo, w->error) : NULL;
    if (undo)
        *undo = (struct tn_pir_undo){ id, *bound };
    *bound = value;
}

/* Declared, but without a number yet. */
struct tn_pir_bound tn_pirw_unborn(struct tn_pir_writer *w,
                                   struct tn_desc_var   *var)
{
    return (struct tn_pir_bound){ .type          = type_of(w, var),
                                  .stop_gradient = var->stop_gradient,
                                  .element       = var->var.data_type,
                                  .rank          = var->var.rank,
                                  .dims =
                                      var->var.has_desc ? var->var.dims : NULL,
                                  .is_array =
                                      var->var.type == TN_PADDLE_TENSOR_ARRAY };
}

struct tn_pir_bound tn_pirw_read_name(struct tn_pir_writer *w,
                                      struct tn_bytes       name)
{
    struct tn_pir_bound  none  = { .number = 0 };
    struct tn_pir_bound *bound = tn_pirw_bound_of(w, name);

    if (tn_bytes_is(name, "@EMPTY@"))
        return none;
    if (!bound || bound->number == 0) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s' is read before it is written", TN_FMT(name));
        return none;
    }
    return *bound;
}

/* ---- operators as text -------------------------------------------------- */

void tn_pirw_line_begin(struct tn_pir_writer *w, struct tn_pir_line *line,
                        const char *id)
{
    line->id       = id;
    line->in_count = line->out_count = 0;
    line->is_persistable             = false;
    tn_buffer_clear(&w->attrs);
}

void tn_pirw_line_in(struct tn_pir_writer *w, struct tn_pir_line *line,
                     int64_t number)
{
    if (line->in_count < TN_PIR_PORT_LIMIT)
        line->in[line->in_count++] = number;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d operands", TN_PIR_PORT_LIMIT);
}

void tn_pirw_line_out(struct tn_pir_writer *w, struct tn_pir_line *line,
                      struct tn_pir_bound bound)
{
    if (line->out_count < TN_PIR_PORT_LIMIT)
        line->out[line->out_count++] = bound;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d results", TN_PIR_PORT_LIMIT);
}

/* {"AT":...,"N":name}: the caller writes what stands between. */
void tn_pirw_attr_begin(struct tn_pir_writer *w)
{
    tn_buffer_text(&w->attrs, w->attrs.size ? ",{\"AT\":" : "{\"AT\":");
}

void tn_pirw_attr_end(struct tn_pir_writer *w, const char *prefix,
                      struct tn_bytes name)
{
    tn_buffer_text(&w->attrs, ",\"N\":");
    if (prefix[0]) {
        const char *full =
            tn_text_format(w->arena, w->error, "%s%.*s", prefix, TN_FMT(name));
        name = tn_text(full ? full : "");
    }
    tn_pir_put_string(&w->attrs, name);
    tn_buffer_byte(&w->attrs, '}');
}

void tn_pirw_attr_text(struct tn_pir_writer *w, const char *name,
                       const char *json)
{
    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, json);
    tn_pirw_attr_end(w, "", tn_text(name));
}

static void put_flags(struct tn_pir_writer *w, const struct tn_pir_line *line,
                      const char *name, bool is_persistable)
{
    tn_buffer_text(w->to, "{\"AT\":{\"#\":\"0.a_array\",\"D\":[");
    for (uint32_t i = 0; i < line->out_count; i++)
        tn_buffer_format(
            w->to, "%s{\"#\":\"0.a_bool\",\"D\":%s}", i ? "," : "",
            is_persistable || line->out[i].stop_gradient ? "true" : "false");
    tn_buffer_format(w->to, "]},\"N\":\"%s\"}", name);
}

static void put_outs(struct tn_pir_writer *w, struct tn_pir_line *line)
{
    for (uint32_t i = 0; i < line->out_count; i++) {
        struct tn_pir_bound *out = &line->out[i];
        out->number              = out->type.size ? w->next++ : 0;
        tn_buffer_format(w->to, "%s{\"%%\":%" PRId64 ",\"TT\":", i ? "," : "",
                         out->number);
        if (out->type.size)
            tn_buffer_add(w->to, out->type);
        else
            tn_buffer_text(w->to, "{\"#\":\"NULL\"}");
        tn_buffer_byte(w->to, '}');
    }
}

/* All but the last bracket: regions may follow.  The numbers of the results are
 * then known. */
void tn_pirw_line_open(struct tn_pir_writer *w, struct tn_pir_line *line)
{
    tn_buffer_text(w->to, w->has_ops ? ",{\"#\":" : "{\"#\":");
    w->has_ops = true;
    tn_pir_put_string(w->to, tn_text(line->id));
    tn_buffer_text(w->to, ",\"A\":[");
    tn_buffer_add(w->to, tn_buffer_bytes(&w->attrs));
    tn_buffer_text(w->to, "],\"I\":[");
    for (uint32_t i = 0; i < line->in_count; i++)
        tn_buffer_format(w->to, "%s{\"%%\":%" PRId64 "}", i ? "," : "",
                         line->in[i]);
    tn_buffer_text(w->to, "],\"O\":[");
    put_outs(w, line);
    tn_buffer_text(w->to, "],\"OA\":[");
    if (line->is_persistable) {
        put_flags(w, line, "persistable", true);
        tn_buffer_byte(w->to, ',');
    }
    put_flags(w, line, "stop_gradient", false);
    tn_buffer_byte(w->to, ']');
}

void tn_pirw_line_end(struct tn_pir_writer *w, struct tn_pir_line *line)
{
    tn_pirw_line_open(w, line);
    tn_buffer_byte(w->to, '}');
}

/* An operator with one result, whose attributes are in w->attrs already. */
static struct tn_pir_bound simple_line(struct tn_pir_writer *w, const char *id,
                                       const int64_t *in, uint32_t in_count,
                                       struct tn_pir_bound out)
{
    struct tn_pir_line line = { .id = id };

    for (uint32_t i = 0; i < in_count; i++)
        tn_pirw_line_in(w, &line, in[i]);
    tn_pirw_line_out(w, &line, out);
    tn_pirw_line_end(w, &line);
    return line.out[0];
}

/* ---- constants and lists ------------------------------------------------ */

static void attr_struct_name(struct tn_pir_writer *w)
{
    if (w->struct_name.size == 0)
        return;
    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
    tn_pir_put_string(&w->attrs, w->struct_name);
    tn_buffer_byte(&w->attrs, '}');
    tn_pirw_attr_end(w, "", tn_text("struct_name"));
}

#define ON_CPU "{\"#\":\"1.a_place\",\"D\":[1,0,\"\"]}"

static int64_t put_list(struct tn_pir_writer      *w,
                        const struct tn_pir_value *value)
{
    int64_t count = value->count;

    tn_buffer_clear(&w->attrs);
    tn_pirw_attr_begin(w);
    tn_pir_put_value(&w->attrs, value, TN_PIR_LONGS);
    tn_pirw_attr_end(w, "", tn_text("value"));
    tn_pirw_attr_text(w, "dtype", "{\"#\":\"1.a_dtype\",\"D\":\"int64\"}");
    tn_pirw_attr_text(w, "place", ON_CPU);
    attr_struct_name(w);
    struct tn_pir_bound made = { .type = tn_pirw_tensor_type(w, 3, &count, 1),
                                 .stop_gradient = true };
    return simple_line(w, "1.full_int_array", NULL, 0, made).number;
}

static int64_t put_full(struct tn_pir_writer *w, struct tn_pir_value value)
{
    static const int64_t one   = 1;
    int64_t              dtype = value.type == TN_DESC_BOOL   ? 0
                                 : value.type == TN_DESC_INT  ? 2
                                 : value.type == TN_DESC_LONG ? 3
                                                              : 5;
    char                 word[64];

    tn_buffer_clear(&w->attrs);
    tn_pirw_attr_text(w, "shape", "{\"#\":\"1.a_intarray\",\"D\":[1]}");
    tn_pirw_attr_begin(w);
    tn_pir_value_as(&value, TN_DESC_DOUBLE, w->arena, w->error);
    tn_pir_put_value(&w->attrs, &value, TN_PIR_FLOAT);
    tn_pirw_attr_end(w, "", tn_text("value"));
    snprintf(word, sizeof word, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
             tn_pir_dtype_word(dtype));
    tn_pirw_attr_text(w, "dtype", word);
    tn_pirw_attr_text(w, "place", ON_CPU);
    attr_struct_name(w);
    struct tn_pir_bound made = { .type = tn_pirw_tensor_type(w, dtype, &one, 1),
                                 .stop_gradient = true };
    return simple_line(w, "1.full", NULL, 0, made).number;
}

int64_t tn_pirw_put_constant(struct tn_pir_writer      *w,
                             const struct tn_pir_value *value)
{
    bool is_list = value->type == TN_DESC_INTS || value->type == TN_DESC_LONGS;

    return is_list ? put_list(w, value) : put_full(w, *value);
}

struct tn_bytes tn_pirw_vector_type(struct tn_pir_writer      *w,
                                    const struct tn_pir_bound *items,
                                    uint32_t                   count)
{
    tn_buffer_clear(&w->scratch);
    tn_buffer_text(&w->scratch, "{\"#\":\"0.t_vec\",\"D\":[");
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_text(&w->scratch, i ? "," : "");
        tn_buffer_add(&w->scratch, items[i].type);
    }
    tn_buffer_text(&w->scratch, "]}");
    return keep_scratch(w);
}

int64_t tn_pirw_put_combine(struct tn_pir_writer      *w,
                            const struct tn_desc_slot *slot)
{
    struct tn_pir_bound *items =
        tn_new(w->arena, struct tn_pir_bound, slot->count, w->error);
    struct tn_pir_line line;

    if (!items)
        return 0;
    tn_pirw_line_begin(w, &line, "0.combine");
    for (uint32_t i = 0; i < slot->count; i++) {
        items[i] = tn_pirw_read_name(w, tn_desc_arg(slot, i));
        tn_pirw_line_in(w, &line, items[i].number);
    }
    tn_pirw_line_out(w, &line,
                     (struct tn_pir_bound){
                         .type = tn_pirw_vector_type(w, items, slot->count) });
    tn_pirw_line_end(w, &line);
    return line.out[0].number;
}

/* One tensor out of one for each element. */
int64_t tn_pirw_put_parts(struct tn_pir_writer      *w,
                          const struct tn_desc_slot *slot)
{
    static const int64_t zero  = 0;
    int64_t              count = slot->count;
    struct tn_pir_value  axis  = { .type  = TN_DESC_INT,
                                   .count = 1,
                                   .ints  = &zero };
    int64_t in[2] = { tn_pirw_put_combine(w, slot), put_full(w, axis) };

    tn_buffer_clear(&w->attrs);
    tn_pirw_attr_text(w, "legacy.parts", "{\"#\":\"0.a_bool\",\"D\":true}");
    return simple_line(w, "1.concat", in, 2,
                       (struct tn_pir_bound){
                           .type = tn_pirw_tensor_type(w, 2, &count, 1) })
        .number;
}

int64_t tn_pirw_put_array(struct tn_pir_writer      *w,
                          const struct tn_pir_bound *like)
{
    const char *dtype = tn_pir_dtype_word(like->element);

    tn_buffer_clear(&w->attrs);
    tn_pirw_attr_begin(w);
    tn_buffer_format(&w->attrs, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
                     dtype ? dtype : "float32");
    tn_pirw_attr_end(w, "", tn_text("dtype"));
    return simple_line(w, "1.create_array", NULL, 0, *like).number;
}

/* Y with ones behind, so that it begins at X's dimension `axis`; 0 in a shape
 * is the dimension that is there. */
int64_t tn_pirw_put_aligned(struct tn_pir_writer *w, struct tn_pir_bound y,
                            uint32_t rank, int64_t axis)
{
    int64_t            *shape = tn_new(w->arena, int64_t, rank, w->error);
    int64_t            *dims  = tn_new(w->arena, int64_t, rank, w->error);
    struct tn_pir_value list  = { .type = TN_DESC_LONGS, .ints = shape };
    char                mark[64];

    if (!shape || !dims)
        return 0;
    list.count = rank - (uint32_t)axis;
    for (uint32_t i = 0; i < list.count; i++) {
        dims[i]  = i < y.rank ? y.dims[i] : 1;
        shape[i] = dims[i] < 0 ? 0 : dims[i];
    }
    int64_t in[2] = { y.number, put_list(w, &list) };
    tn_buffer_clear(&w->attrs);
    snprintf(mark, sizeof mark, "{\"#\":\"0.a_i32\",\"D\":%" PRId64 "}", axis);
    tn_pirw_attr_text(w, "legacy.axis", mark);
    attr_struct_name(w);
    struct tn_pir_bound made = { .type = tn_pirw_tensor_type(w, y.element, dims,
                                                             list.count),
                                 .stop_gradient = y.stop_gradient };
    return simple_line(w, "1.reshape", in, 2, made).number;
}
