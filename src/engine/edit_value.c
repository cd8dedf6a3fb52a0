/* edit_value.c - values of attributes as words of a script, and back */
#include "engine/edit_value.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "engine/edit_action.h"

static const struct kind_word {
    const char       *one, *many;
    enum tn_attr_kind kind;
} kind_words[] = {
    { "int", "ints", TN_ATTR_INT },
    { "float", "floats", TN_ATTR_FLOAT },
    { "double", "doubles", TN_ATTR_DOUBLE },
    { "bool", "bools", TN_ATTR_BOOL },
    { "string", "strings", TN_ATTR_STRING },
    { "hex", "hexes", TN_ATTR_STRING }, /* strings with zero bytes            */
    { "type", "types", TN_ATTR_DTYPE },
    { "shape", "shapes", TN_ATTR_SHAPE },
    { "function", "functions", TN_ATTR_FUNCTION },
    { "reference", "references", TN_ATTR_REFERENCE },
    { "tensor", "tensors", TN_ATTR_TENSOR },
    { "graph", "graphs", TN_ATTR_GRAPH },
    { "other", "others", TN_ATTR_OTHER },
    { "none", "nones", TN_ATTR_NONE },
};

enum { KIND_COUNT = sizeof kind_words / sizeof kind_words[0] };

static bool find_kind(const char *word, struct tn_attr_value *value)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kind_words[i].one, word) != 0 &&
            strcmp(kind_words[i].many, word) != 0)
            continue;
        value->kind    = kind_words[i].kind;
        value->is_list = strcmp(kind_words[i].many, word) == 0;
        return true;
    }
    return false;
}

/* ---- reading ------------------------------------------------------------ */

/* A value that is being read. */
struct making {
    struct tn_edit       *edit;
    struct tn_arena      *arena;
    struct tn_words       words;
    struct tn_attr_value *value;
    struct tn_error      *error;
    bool                  is_hex;
};

static enum tn_status refuse(struct making *m, const char *word,
                             const char *wanted)
{
    return tn_error_set(m->error, TN_INVALID, TN_NOWHERE, "'%s' is not %s",
                        word, wanted);
}

static enum tn_status read_int(struct making *m, const char *word, int64_t *to)
{
    switch (m->value->kind) {
    case TN_ATTR_BOOL:
        if (strcmp(word, "true") != 0 && strcmp(word, "false") != 0)
            return refuse(m, word, "true or false");
        *to = word[0] == 't';
        return TN_OK;
    case TN_ATTR_DTYPE:
        *to = (int64_t)tn_dtype_find(word);
        return *to == TN_UNDEFINED && strcmp(word, "undefined") != 0
                   ? refuse(m, word, "a type, such as float32")
                   : TN_OK;
    case TN_ATTR_GRAPH: {
        uint32_t graph;
        TN_TRY(tn_edit_find_graph(m->edit, word, &graph, m->error));
        *to = graph;
        return TN_OK;
    }
    default:
        return tn_int64_parse(tn_text(word), to)
                   ? TN_OK
                   : refuse(m, word, "a whole number");
    }
}

static enum tn_status read_ints(struct making *m)
{
    int64_t *ints = tn_new(m->arena, int64_t, m->words.count, m->error);

    for (uint32_t i = 0; ints && i < m->words.count; i++)
        TN_TRY(read_int(m, m->words.items[i], &ints[i]));
    m->value->of.ints = ints;
    return m->error->status;
}

static bool read_real(const char *word, double *value)
{
    if (strcmp(word, "nan") == 0) {
        *value = NAN;
        return true;
    }
    if (strcmp(word, "inf") == 0 || strcmp(word, "-inf") == 0) {
        *value = word[0] == '-' ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    return tn_double_parse(tn_text(word), value);
}

static enum tn_status read_floats(struct making *m)
{
    float *floats = tn_new(m->arena, float, m->words.count, m->error);
    double value;

    for (uint32_t i = 0; floats && i < m->words.count; i++) {
        if (!read_real(m->words.items[i], &value))
            return refuse(m, m->words.items[i], "a number");
        floats[i] = tn_double_to_float(value);
    }
    m->value->of.floats = floats;
    return m->error->status;
}

static enum tn_status read_doubles(struct making *m)
{
    double *doubles = tn_new(m->arena, double, m->words.count, m->error);

    for (uint32_t i = 0; doubles && i < m->words.count; i++)
        if (!read_real(m->words.items[i], &doubles[i]))
            return refuse(m, m->words.items[i], "a number");
    m->value->of.doubles = doubles;
    return m->error->status;
}

/* "0x0a02": bytes of the file as they are. */
static enum tn_status read_hex(struct making *m, const char *word,
                               struct tn_bytes *to)
{
    static const char digits[] = "0123456789abcdef";
    size_t            size     = strlen(word);

    if (strncmp(word, "0x", 2) != 0 || size % 2 != 0 ||
        strspn(word + 2, digits) != size - 2)
        return refuse(m, word, "bytes, such as 0x0a02");
    uint8_t *bytes = tn_new(m->arena, uint8_t, size / 2, m->error);
    for (size_t i = 2; bytes && i < size; i += 2)
        bytes[i / 2 - 1] = (uint8_t)((strchr(digits, word[i]) - digits) * 16 +
                                     (strchr(digits, word[i + 1]) - digits));
    *to = tn_bytes(bytes, size / 2 - 1);
    return m->error->status;
}

static enum tn_status read_strings(struct making *m)
{
    struct tn_bytes *strings =
        tn_new(m->arena, struct tn_bytes, m->words.count, m->error);

    for (uint32_t i = 0; strings && i < m->words.count; i++)
        if (m->value->kind == TN_ATTR_OTHER || m->is_hex)
            TN_TRY(read_hex(m, m->words.items[i], &strings[i]));
        else
            strings[i] = tn_text(m->words.items[i]);
    m->value->of.strings = strings;
    return m->error->status;
}

/* "2,-1,3"; "" is the shape of a scalar. */
static enum tn_status read_shape(struct making *m, const char *word,
                                 struct tn_attr_shape *shape)
{
    const char *at    = word;
    uint32_t    count = word[0] ? 1 : 0;

    *shape = (struct tn_attr_shape){ .has_rank = strcmp(word, "?") != 0 };
    if (!shape->has_rank)
        return TN_OK;
    for (const char *c = word; *c; c++)
        count += *c == ',';
    int64_t *dims = tn_new(m->arena, int64_t, count, m->error);
    for (uint32_t i = 0; dims && i < count; i++) {
        size_t size = strcspn(at, ",");
        if (!tn_int64_parse(tn_bytes((const uint8_t *)at, size), &dims[i]) ||
            dims[i] < -1)
            return refuse(m, word, "a list of sizes, such as 2,-1,3");
        at += size + (at[size] == ',');
    }
    shape->rank = count;
    shape->dims = dims;
    return m->error->status;
}

static enum tn_status read_shapes(struct making *m)
{
    struct tn_attr_shape *shapes =
        tn_new(m->arena, struct tn_attr_shape, m->words.count, m->error);

    for (uint32_t i = 0; shapes && i < m->words.count; i++)
        TN_TRY(read_shape(m, m->words.items[i], &shapes[i]));
    m->value->of.shapes = shapes;
    return m->error->status;
}

static enum tn_status read_tensors(struct making *m)
{
    const struct tn_tensor **tensors =
        tn_new(m->arena, const struct tn_tensor *, m->words.count, m->error);

    for (uint32_t i = 0; tensors && i < m->words.count; i++)
        TN_TRY(tn_edit_open_tensor(m->edit, m->words.items[i], &tensors[i],
                                   m->error));
    m->value->of.tensors = tensors;
    return m->error->status;
}

static enum tn_status read_values(struct making *m)
{
    m->value->count = m->words.count;
    /* Nothing, or an empty list of unknown kind. */
    if (m->value->kind == TN_ATTR_NONE && m->words.count == 0) {
        m->value->count = !m->value->is_list;
        return TN_OK;
    }
    if (!m->value->is_list && m->words.count != 1)
        return tn_error_set(m->error, TN_INVALID, TN_NOWHERE,
                            "%" PRIu32 " values, expected one; a list begins "
                            "with its kind, such as ints, floats or strings",
                            m->words.count);
    switch (m->value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
    case TN_ATTR_GRAPH: return read_ints(m);
    case TN_ATTR_FLOAT: return read_floats(m);
    case TN_ATTR_DOUBLE: return read_doubles(m);
    case TN_ATTR_SHAPE: return read_shapes(m);
    case TN_ATTR_TENSOR: return read_tensors(m);
    case TN_ATTR_NONE: return refuse(m, m->words.items[0], "nothing");
    default: return read_strings(m);
    }
}

/* ---- values without a kind ---------------------------------------------- */

/* "2,2" as words of their own. */
static void split_list(struct making *m)
{
    uint32_t count = 1;

    for (const char *c = m->words.items[0]; *c; c++)
        count += *c == ',';
    const char **items = tn_new(m->arena, const char *, count, m->error);
    char        *copy  = tn_text_dup(m->arena, m->words.items[0], m->error);
    for (uint32_t i = 0; items && copy && i < count; i++) {
        items[i] = copy;
        copy += strcspn(copy, ",");
        if (*copy == ',')
            *copy++ = '\0';
    }
    if (items)
        m->words = (struct tn_words){ count, items };
}

static bool are_numbers(const struct tn_words *words, bool *are_whole)
{
    int64_t whole;
    double  real;

    *are_whole = true;
    for (uint32_t i = 0; i < words->count; i++) {
        if (!read_real(words->items[i], &real))
            return false;
        *are_whole &= tn_int64_parse(tn_text(words->items[i]), &whole);
    }
    return words->count > 0;
}

static void guess(struct making *m)
{
    struct tn_words given = m->words;
    bool            are_whole;

    if (m->words.count == 1 && strchr(m->words.items[0], ','))
        split_list(m);
    m->value->is_list = m->words.count != 1;
    if (are_numbers(&m->words, &are_whole)) {
        m->value->kind = are_whole ? TN_ATTR_INT : TN_ATTR_FLOAT;
        return;
    }
    m->words          = given;
    m->value->is_list = given.count != 1;
    m->value->kind    = TN_ATTR_STRING;
}

static void take_hint(struct making *m, const struct tn_value_hint *hint)
{
    m->value->kind    = hint->kind;
    m->value->is_list = hint->is_list;
    if (hint->is_list && m->words.count == 1 && hint->kind != TN_ATTR_STRING &&
        hint->kind != TN_ATTR_SHAPE && hint->kind != TN_ATTR_TENSOR)
        split_list(m);
}

enum tn_status tn_edit_value_read(struct tn_edit *edit, struct tn_arena *arena,
                                  const struct tn_words      *words,
                                  const struct tn_value_hint *hint,
                                  struct tn_attr_value       *value,
                                  struct tn_error            *error)
{
    struct making m = { edit, arena, *words, value, error, false };

    *value = (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    /* "int" alone is a string: a kind is followed by its value. */
    if (words->count > 0 && find_kind(words->items[0], value) &&
        (words->count > 1 || value->is_list || value->kind == TN_ATTR_NONE)) {
        m.words  = (struct tn_words){ words->count - 1, words->items + 1 };
        m.is_hex = words->items[0][0] == 'h';
    } else if (hint && hint->is_known)
        take_hint(&m, hint);
    else
        guess(&m);
    return tn_failed(error) ? error->status : read_values(&m);
}

/* ---- writing ------------------------------------------------------------ */

static void put_text(struct tn_buffer *to, const char *text)
{
    tn_words_put(to, tn_text(text));
}

static void put_real(struct tn_buffer *to, const struct tn_attr_value *value,
                     uint32_t i)
{
    char text[TN_NUMBER_ROOM];

    if (value->kind == TN_ATTR_FLOAT)
        tn_float_print(text, value->of.floats[i]);
    else
        tn_double_print(text, value->of.doubles[i]);
    put_text(to, text);
}

static void put_int(struct tn_buffer *to, const struct tn_attr_value *value,
                    uint32_t i)
{
    int64_t number = value->of.ints[i];

    if (value->kind == TN_ATTR_DTYPE)
        put_text(to, tn_dtype_name((enum tn_dtype)number));
    else if (value->kind == TN_ATTR_BOOL && (number == 0 || number == 1))
        put_text(to, number ? "true" : "false");
    else
        tn_buffer_format(to, " %" PRId64, number);
}

static void put_shape(struct tn_buffer *to, const struct tn_attr_shape *shape)
{
    tn_buffer_text(to, shape->has_rank ? shape->rank ? " " : " \"\"" : " ?");
    for (uint32_t i = 0; shape->has_rank && i < shape->rank; i++)
        tn_buffer_format(to, "%s%" PRId64, i ? "," : "", shape->dims[i]);
}

/* Whether strings have zero bytes, which words cannot have. */
static bool has_zeros(const struct tn_attr_value *value)
{
    for (uint32_t i = 0; value->kind == TN_ATTR_STRING && i < value->count; i++)
        if (value->of.strings[i].size &&
            memchr(value->of.strings[i].data, 0, value->of.strings[i].size))
            return true;
    return false;
}

static enum tn_status put_string(struct tn_buffer           *to,
                                 const struct tn_attr_value *value, uint32_t i,
                                 bool is_hex, struct tn_error *error)
{
    struct tn_bytes text = value->of.strings[i];

    if (is_hex) {
        tn_buffer_text(to, " 0x");
        for (size_t k = 0; k < text.size; k++)
            tn_buffer_format(to, "%02x", text.data[k]);
        return TN_OK;
    }
    if (text.size && memchr(text.data, 0, text.size))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a name with a zero byte cannot be written into a "
                            "script");
    tn_words_put(to, text);
    return TN_OK;
}

static enum tn_status put_one(struct tn_buffer           *to,
                              const struct tn_attr_value *value, uint32_t i,
                              bool is_hex, struct tn_error *error)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: put_int(to, value, i); return TN_OK;
    case TN_ATTR_FLOAT:
    case TN_ATTR_DOUBLE: put_real(to, value, i); return TN_OK;
    case TN_ATTR_SHAPE: put_shape(to, &value->of.shapes[i]); return TN_OK;
    case TN_ATTR_NONE: return TN_OK;
    case TN_ATTR_TENSOR:
    case TN_ATTR_GRAPH:
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "an attribute that is a tensor or a graph has no "
                            "words");
    default:
        return put_string(to, value, i, is_hex || value->kind == TN_ATTR_OTHER,
                          error);
    }
}

enum tn_status tn_edit_value_put(struct tn_buffer           *to,
                                 const struct tn_attr_value *value,
                                 struct tn_error            *error)
{
    bool   is_hex = has_zeros(value);
    size_t k      = 0;

    while (kind_words[k].kind != value->kind)
        k++;
    k += is_hex; /* the row behind strings */
    put_text(to, value->is_list ? kind_words[k].many : kind_words[k].one);
    for (uint32_t i = 0; i < value->count && !tn_failed(error); i++)
        TN_TRY(put_one(to, value, i, is_hex, error));
    return error->status;
}
