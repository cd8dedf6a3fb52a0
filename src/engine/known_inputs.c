/* known_inputs.c - facts about a node's inputs, as text */
#include "engine/known_inputs.h"

#include <inttypes.h>

#include "base/number.h"
#include "engine/bare_node.h"

enum { RANK_MAX = TN_MAP_RANK, ITEM_MAX = 4096 };

struct reading {
    struct tn_bytes  text;
    size_t           at;
    struct tn_arena *arena;
    struct tn_error *error;
};

static enum tn_status fail(const struct reading *r, const char *what)
{
    return tn_error_set(r->error, TN_MALFORMED, r->at, "inputs: %s", what);
}

static char look(const struct reading *r)
{
    return r->at < r->text.size ? (char)r->text.data[r->at] : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool take(struct reading *r, char c)
{
    if (look(r) != c || r->at >= r->text.size)
        return false;
    r->at++;
    return true;
}

static void skip_blanks(struct reading *r)
{
    while (is_blank(look(r)))
        r->at++;
}

/* ---- names and types ---------------------------------------------------- */

/* In quotes, where a backslash takes away the meaning of what follows it. */
static enum tn_status read_quoted(struct reading *r, struct tn_bytes *text)
{
    uint8_t *to   = tn_new(r->arena, uint8_t, r->text.size, r->error);
    size_t   size = 0;

    if (!to)
        return r->error->status;
    r->at++;
    while (r->at < r->text.size && look(r) != '"') {
        if (look(r) == '\\' && r->at + 1 < r->text.size)
            r->at++;
        to[size++] = r->text.data[r->at++];
    }
    if (!take(r, '"'))
        return fail(r, "the closing quote is missing");
    *text = tn_bytes(to, size);
    return TN_OK;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static enum tn_dtype type_named(struct tn_bytes name)
{
    for (unsigned i = 0; i < TN_DTYPE_COUNT; i++)
        if (tn_bytes_is(name, tn_dtype_name((enum tn_dtype)i)))
            return (enum tn_dtype)i;
    return TN_UNDEFINED;
}

/* The type whose name is at this place, if what follows the name may follow a
 * type. */
static enum tn_dtype type_at(const struct reading *r, size_t at, size_t *size)
{
    size_t end = at;

    while (end < r->text.size && is_word((char)r->text.data[end]))
        end++;
    char next = end < r->text.size ? (char)r->text.data[end] : ' ';
    *size     = end - at;
    if (!is_blank(next) && !strchr("[=,", next))
        return TN_UNDEFINED;
    return type_named(tn_bytes(r->text.data + at, *size));
}

static enum tn_status read_bare(struct reading *r, struct tn_bytes *name)
{
    size_t begin = r->at, size;

    for (; r->at < r->text.size && !is_blank(look(r)); r->at++)
        if (look(r) == ':' && type_at(r, r->at + 1, &size) != TN_UNDEFINED) {
            *name = tn_bytes(r->text.data + begin, r->at - begin);
            return name->size ? TN_OK : fail(r, "expected a name");
        }
    r->at = begin;
    return fail(r, "expected NAME:TYPE, such as x:float32[2,?]");
}

static enum tn_status read_dims(struct reading *r, struct tn_native_type *type)
{
    int64_t *dims = tn_new(r->arena, int64_t, RANK_MAX, r->error);

    if (!dims)
        return r->error->status;
    type->has_rank = true;
    type->dims     = dims;
    skip_blanks(r);
    while (!take(r, ']')) {
        int64_t dim = -1;
        if (type->rank == RANK_MAX)
            return fail(r, "more than 64 dimensions");
        if (!take(r, '?')) {
            size_t begin = r->at;
            for (dim = 0; look(r) >= '0' && look(r) <= '9'; r->at++)
                if (dim > INT64_MAX / 10 - 1)
                    return fail(r, "the dimension is too large");
                else
                    dim = dim * 10 + (look(r) - '0');
            if (r->at == begin)
                return fail(r, "expected a dimension or '?'");
        }
        dims[type->rank++] = dim;
        skip_blanks(r);
        if (!take(r, ',') && look(r) != ']')
            return fail(r, "expected ',' or ']'");
        skip_blanks(r);
    }
    return TN_OK;
}

/* ---- values ------------------------------------------------------------- */

struct elements {
    struct tn_list ints, doubles, strings;
};

static enum tn_status read_number(struct reading *r, struct elements *to)
{
    size_t begin = r->at;

    while (r->at < r->text.size && !is_blank(look(r)) && !strchr(",]", look(r)))
        r->at++;
    struct tn_bytes word  = tn_bytes(r->text.data + begin, r->at - begin);
    int64_t         whole = tn_bytes_is(word, "true");
    double          real  = (double)whole;
    bool            is_whole =
        whole || tn_bytes_is(word, "false") || tn_int64_parse(word, &whole);
    if (is_whole)
        real = (double)whole;
    else if (!tn_double_parse(word, &real)) {
        r->at = begin;
        return fail(r, "expected a number, true, false or a string");
    }
    double  *d = tn_list_push(&to->doubles, double, r->error);
    int64_t *i = tn_list_push(&to->ints, int64_t, r->error);
    if (!d || !i)
        return r->error->status;
    *d = real;
    *i = is_whole ? whole : (int64_t)(real >= -9e18 && real <= 9e18 ? real : 0);
    return TN_OK;
}

static enum tn_status read_one(struct reading *r, struct elements *to)
{
    if (to->ints.count + to->strings.count == ITEM_MAX)
        return fail(r, "more than 4096 elements");
    if (look(r) != '"')
        return read_number(r, to);
    struct tn_bytes *text =
        tn_list_push(&to->strings, struct tn_bytes, r->error);
    return text ? read_quoted(r, text) : r->error->status;
}

static enum tn_status read_elements(struct reading *r, struct elements *to,
                                    bool *is_list)
{
    skip_blanks(r);
    *is_list = take(r, '[');
    if (!*is_list)
        return read_one(r, to);
    skip_blanks(r);
    while (!take(r, ']')) {
        TN_TRY(read_one(r, to));
        skip_blanks(r);
        if (!take(r, ',') && look(r) != ']')
            return fail(r, "expected ',' or ']'");
        skip_blanks(r);
    }
    return TN_OK;
}

static bool is_real(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_BOOL:
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64:
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64: return false;
    default: return true;
    }
}

static bool is_signed(enum tn_dtype dtype)
{
    return dtype == TN_INT8 || dtype == TN_INT16 || dtype == TN_INT32 ||
           dtype == TN_INT64;
}

/* Whether the type can hold all of these whole numbers; one of more than 64
 * bits is held by none. */
static bool are_held(const struct elements *from, enum tn_dtype dtype)
{
    unsigned bits = dtype == TN_BOOL ? 1 : tn_dtype_bits(dtype);
    int64_t  most = INT64_MAX;

    if (bits < 64)
        most = (INT64_C(1) << (is_signed(dtype) ? bits - 1 : bits)) - 1;
    for (uint64_t i = 0; i < from->ints.count; i++) {
        int64_t number = *tn_list_at(&from->ints, int64_t, i);
        if (*tn_list_at(&from->doubles, double, i) != (double)number ||
            number > most || number < (is_signed(dtype) ? -most - 1 : 0))
            return false;
    }
    return true;
}

static enum tn_status keep_elements(struct reading *r, struct elements *from,
                                    struct tn_known_input *to)
{
    struct tn_attr_value *value   = &to->value;
    bool                  is_text = to->type.dtype == TN_STRING;

    value->is_list = true;
    value->count = (uint32_t)(is_text ? from->strings.count : from->ints.count);
    if (is_text ? from->ints.count : from->strings.count)
        return fail(r, is_text ? "expected strings" : "unexpected string");
    if (is_text) {
        value->kind = TN_ATTR_STRING;
        value->of.strings =
            tn_list_keep(&from->strings, struct tn_bytes, r->arena, r->error);
    } else if (is_real(to->type.dtype)) {
        value->kind = TN_ATTR_DOUBLE;
        value->of.doubles =
            tn_list_keep(&from->doubles, double, r->arena, r->error);
    } else if (!are_held(from, to->type.dtype)) {
        return fail(r, "expected integers in the range of the type");
    } else {
        value->kind    = TN_ATTR_INT;
        value->of.ints = tn_list_keep(&from->ints, int64_t, r->arena, r->error);
    }
    return r->error->status;
}

/* Without brackets of its own the type has the rank of the value. */
static enum tn_status fit_dims(struct reading *r, struct tn_known_input *to,
                               bool is_list)
{
    uint64_t count = 1;
    int64_t *dims  = tn_new(r->arena, int64_t, 1, r->error);

    if (!dims)
        return r->error->status;
    if (!to->type.has_rank) {
        dims[0] = to->value.count;
        to->type =
            (struct tn_native_type){ to->type.dtype, true, is_list, dims };
    }
    for (uint32_t i = 0; i < to->type.rank; i++) {
        if (to->type.dims[i] < 0)
            return fail(r, "a value needs a known shape");
        count = to->type.dims[i] > ITEM_MAX
                    ? ITEM_MAX + 1
                    : count * (uint64_t)to->type.dims[i];
        count = count > ITEM_MAX ? ITEM_MAX + 1 : count;
    }
    return count == to->value.count
               ? TN_OK
               : fail(r, "the number of elements does not match the shape");
}

static enum tn_status read_value(struct reading *r, struct tn_known_input *to)
{
    struct elements from;
    bool            is_list;

    tn_list_init(&from.ints, r->arena->memory, sizeof(int64_t));
    tn_list_init(&from.doubles, r->arena->memory, sizeof(double));
    tn_list_init(&from.strings, r->arena->memory, sizeof(struct tn_bytes));
    to->has_value = true;
    if (read_elements(r, &from, &is_list) == TN_OK &&
        keep_elements(r, &from, to) == TN_OK)
        fit_dims(r, to, is_list);
    tn_list_done(&from.ints);
    tn_list_done(&from.doubles);
    tn_list_done(&from.strings);
    return r->error->status;
}

/* ---- items -------------------------------------------------------------- */

static bool is_told(const struct tn_list *before, struct tn_bytes name)
{
    for (uint64_t i = 0; i + 1 < before->count; i++)
        if (tn_bytes_equal(tn_list_at(before, struct tn_known_input, i)->name,
                           name))
            return true;
    return false;
}

/* The last of the list. */
static enum tn_status read_item(struct reading *r, struct tn_list *list)
{
    struct tn_known_input *to =
        tn_list_at(list, struct tn_known_input, list->count - 1);
    size_t size;

    if (look(r) == '"')
        TN_TRY(read_quoted(r, &to->name));
    else
        TN_TRY(read_bare(r, &to->name));
    if (is_told(list, to->name))
        return fail(r, "an input is given twice");
    if (!take(r, ':'))
        return fail(r, "expected ':'");
    to->type.dtype = type_at(r, r->at, &size);
    if (to->type.dtype == TN_UNDEFINED)
        return fail(r, "expected an element type");
    r->at += size;
    if (take(r, '['))
        TN_TRY(read_dims(r, &to->type));
    skip_blanks(r);
    if (take(r, '='))
        return read_value(r, to);
    return TN_OK;
}

enum tn_status tn_known_inputs_read(struct tn_known_inputs *inputs,
                                    struct tn_arena        *arena,
                                    struct tn_bytes         text,
                                    struct tn_error        *error)
{
    struct reading r = { text, 0, arena, error };
    struct tn_list list;

    *inputs = (struct tn_known_inputs){ 0 };
    tn_list_init(&list, arena->memory, sizeof(struct tn_known_input));
    for (skip_blanks(&r); r.at < text.size && !tn_failed(error);
         skip_blanks(&r)) {
        struct tn_known_input *item =
            tn_list_push(&list, struct tn_known_input, error);
        if (item) {
            *item = (struct tn_known_input){ 0 };
            read_item(&r, &list);
        }
        skip_blanks(&r);
        take(&r, ',');
    }
    inputs->items = tn_list_keep(&list, struct tn_known_input, arena, error);
    inputs->count = inputs->items ? (uint32_t)list.count : 0;
    tn_list_done(&list);
    return error->status;
}

/* ---- as a context ------------------------------------------------------- */

static const struct tn_known_input *find(const struct tn_known_context *known,
                                         struct tn_bytes                name)
{
    for (uint32_t i = 0; i < known->inputs.count; i++)
        if (tn_bytes_equal(known->inputs.items[i].name, name))
            return &known->inputs.items[i];
    return NULL;
}

static bool tell_type(void *context, struct tn_bytes name,
                      struct tn_native_type *type)
{
    const struct tn_known_context *known = context;
    const struct tn_known_input   *input = find(known, name);

    if (known->before && known->before->type &&
        known->before->type(known->before->context, name, type))
        return true;
    if (input)
        *type = input->type;
    return input != NULL;
}

static bool tell_constant(void *context, struct tn_bytes name,
                          struct tn_bytes *tensor)
{
    const struct tn_known_context *known = context;
    const struct tn_known_input   *input = find(known, name);

    if (known->before && known->before->constant &&
        known->before->constant(known->before->context, name, tensor))
        return true;
    if (!input || !input->has_value)
        return false;
    struct tn_map_elements from = { input->type.dtype, input->type.rank,
                                    input->type.dims, &input->value };
    return tn_bare_tensor_write(&from, known->framework, known->arena, tensor,
                                known->error) == TN_OK;
}

enum tn_status tn_known_context_fill(struct tn_known_context           *known,
                                     const struct tn_interpret_context *before,
                                     enum tn_framework framework,
                                     struct tn_arena  *arena,
                                     struct tn_error  *error)
{
    *known = (struct tn_known_context){
        .before = before, .framework = framework, .arena = arena, .error = error
    };
    if (before)
        known->around = *before;
    known->around.type     = tell_type;
    known->around.constant = tell_constant;
    known->around.context  = known;
    if (!before || !before->inputs)
        return TN_OK;
    return tn_known_inputs_read(&known->inputs, arena, tn_text(before->inputs),
                                error);
}

/* All inputs of a node, for people. */
static const char *list_inputs(const struct tn_map_node *node,
                               struct tn_arena *arena, struct tn_error *error)
{
    const char *text = "";

    for (uint32_t i = 0; text && i < node->input_count && i < 8; i++)
        text = tn_text_format(arena, error, "%s%s%.*s", text, i ? ", " : "",
                              TN_FMT(node->inputs[i]));
    return text;
}

enum tn_status tn_known_context_check(const struct tn_known_context *known,
                                      const struct tn_map_node      *node,
                                      struct tn_error               *error)
{
    for (uint32_t i = 0; i < known->inputs.count; i++) {
        struct tn_bytes name = known->inputs.items[i].name;
        if (tn_map_node_has_input(node, name))
            continue;
        const char *all = list_inputs(node, known->arena, error);
        if (!all)
            return error->status;
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "inputs: the node has no input '%.*s'; it has: %s",
                            TN_FMT(name), *all ? all : "none");
    }
    return TN_OK;
}
