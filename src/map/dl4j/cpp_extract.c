/* cpp_extract.c - op descriptors from libnd4j's C++ sources */
#include "map/dl4j/cpp_extract.h"

#include "base/number.h"

/* The most arguments of an op; larger numbers are not indices of arguments. */
#define PLACES 64

/* How a macro's arguments are ordered; each letter is one. */
/* clang-format off */
static const struct {
    const char         *macro, *order;
    enum tn_declaration declaration;
} macros[] = {
    /* n name, i inputs, o outputs, p in place, t tArgs, a iArgs */
    { "CUSTOM_OP_IMPL",             "niopta", TN_CUSTOM_OP_IMPL },
    { "BOOLEAN_OP_IMPL",            "ni",     TN_BOOLEAN_OP_IMPL },
    { "LIST_OP_IMPL",               "niota",  TN_LIST_OP_IMPL },
    { "LOGIC_OP_IMPL",              "n",      TN_LOGIC_OP_IMPL },
    { "OP_IMPL",                    "niop",   TN_OP_IMPL },
    { "DIVERGENT_OP_IMPL",          "niop",   TN_DIVERGENT_OP_IMPL },
    { "CONFIGURABLE_OP_IMPL",       "niopta", TN_CONFIGURABLE_OP_IMPL },
    { "REDUCTION_OP_IMPL",          "niopta", TN_REDUCTION_OP_IMPL },
    { "BROADCASTABLE_OP_IMPL",      "nta",    TN_BROADCASTABLE_OP_IMPL },
    { "BROADCASTABLE_BOOL_OP_IMPL", "nta",    TN_BROADCASTABLE_BOOL_OP_IMPL },
    { "DECLARE_CUSTOM_OP",          "niopta", TN_CUSTOM_OP_IMPL },
    { "DECLARE_BOOLEAN_OP",         "ni",     TN_BOOLEAN_OP_IMPL },
    { "DECLARE_LIST_OP",            "niota",  TN_LIST_OP_IMPL },
    { "DECLARE_LOGIC_OP",           "n",      TN_LOGIC_OP_IMPL },
    { "DECLARE_OP",                 "niop",   TN_OP_IMPL },
    { "DECLARE_DIVERGENT_OP",       "niop",   TN_DIVERGENT_OP_IMPL },
    { "DECLARE_CONFIGURABLE_OP",    "niopta", TN_CONFIGURABLE_OP_IMPL },
    { "DECLARE_REDUCTION_OP",       "niopta", TN_REDUCTION_OP_IMPL },
    { "DECLARE_BROADCASTABLE_OP",   "nta",    TN_BROADCASTABLE_OP_IMPL },
    { "DECLARE_BROADCASTABLE_BOOL_OP", "nta", TN_BROADCASTABLE_BOOL_OP_IMPL },
};

static const struct {
    const char      *macro;
    enum tn_arg_type type;
} accesses[] = {
    { "INT_ARG",          TN_ARG_INT64 },
    { "T_ARG",            TN_ARG_DOUBLE },
    { "B_ARG",            TN_ARG_BOOL },
    { "D_ARG",            TN_ARG_DATA_TYPE },
    { "S_ARG",            TN_ARG_STRING },
    { "INPUT_VARIABLE",   TN_ARG_INPUT_TENSOR },
    { "OUTPUT_VARIABLE",  TN_ARG_OUTPUT_TENSOR },
    { "OUTPUT_NULLIFIED", TN_ARG_OUTPUT_TENSOR },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The op whose code is being read. */
struct found {
    struct tn_op_descriptor op;
    bool            has_counts; /* a macro declared it                        */
    struct tn_bytes names[TN_ARG_TYPE_COUNT][PLACES];
    bool            is_taken[TN_ARG_TYPE_COUNT][PLACES];
};

struct extracting {
    struct tn_dl4j_ops *ops;
    struct tn_bytes     text; /* comments, literals and directives blanked    */
    size_t              at;
    size_t              statement; /* where the current one begins            */
    struct found       *found;
    bool                has_op;
    struct tn_error    *error;
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* ---- blanking what is not code ------------------------------------------- */

static size_t blank_until(uint8_t *text, size_t at, size_t end,
                          const char *stop)
{
    size_t size = strlen(stop);

    for (; at < end; at++) {
        if (at + size <= end && !memcmp(text + at, stop, size)) {
            memset(text + at, ' ', size);
            return at + size;
        }
        if (text[at] != '\n')
            text[at] = ' ';
    }
    return at;
}

static size_t blank_line(uint8_t *text, size_t at, size_t end)
{
    for (; at < end && (text[at] != '\n' || text[at - 1] == '\\'); at++)
        if (text[at] != '\\')
            text[at] = ' ';
    return at;
}

static size_t blank_literal(uint8_t *text, size_t at, size_t end)
{
    uint8_t quote = text[at];

    text[at++] = ' ';
    for (; at < end && text[at] != quote && text[at] != '\n'; at++) {
        if (text[at] == '\\' && at + 1 < end)
            text[at++] = ' ';
        text[at] = ' ';
    }
    if (at < end && text[at] == quote)
        text[at++] = ' ';
    return at;
}

static void blank(uint8_t *text, size_t size)
{
    bool is_first = true; /* on its line */

    for (size_t at = 0; at < size;) {
        bool is_pair = at + 1 < size && text[at] == '/';
        if (is_pair && text[at + 1] == '/') {
            at       = blank_until(text, at, size, "\n");
            is_first = true;
        } else if (is_pair && text[at + 1] == '*')
            at = blank_until(text, at, size, "*/");
        else if (text[at] == '#' && is_first)
            at = blank_line(text, at, size);
        else if (text[at] == '"' || text[at] == '\'')
            at = blank_literal(text, at, size);
        else {
            is_first = text[at] == '\n' || (is_first && is_space(text[at]));
            at++;
        }
    }
}

/* ---- words -------------------------------------------------------------- */

static bool is_word_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static void skip_spaces(struct tn_bytes text, size_t *at)
{
    while (*at < text.size && is_space(text.data[*at]))
        (*at)++;
}

static struct tn_bytes read_word(struct tn_bytes text, size_t *at)
{
    size_t begin = *at;

    while (*at < text.size && is_word_byte(text.data[*at]))
        (*at)++;
    return tn_bytes(text.data + begin, *at - begin);
}

static struct tn_bytes trimmed(struct tn_bytes text)
{
    while (text.size > 0 && is_space(text.data[0]))
        text = tn_bytes(text.data + 1, text.size - 1);
    while (text.size > 0 && is_space(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* The next argument of a macro call; *at is after "(" or ",". */
static bool next_argument(struct tn_bytes text, size_t *at,
                          struct tn_bytes *argument)
{
    size_t   begin = *at;
    unsigned depth = 0;

    for (; *at < text.size; (*at)++) {
        uint8_t c = text.data[*at];
        if (depth == 0 && (c == ',' || c == ')'))
            break;
        depth += c == '(';
        depth -= c == ')';
    }
    if (*at == text.size)
        return false;
    *argument = trimmed(tn_bytes(text.data + begin, *at - begin));
    return true;
}

/* ---- one op ------------------------------------------------------------- */

static struct tn_bytes default_name(struct extracting *x, enum tn_arg_type type,
                                    unsigned place)
{
    static const char *const words[TN_ARG_TYPE_COUNT] = {
        "tArg", "tArg",  "iArg",   "iArg", "bArg",
        "dArg", "input", "output", "sArg",
    };
    char *name =
        tn_text_format(x->ops->arena, x->error, "%s%u", words[type], place);

    return name ? tn_text(name) : tn_bytes(NULL, 0);
}

/* How many arguments of a type a declaration wants at least. */
static int32_t declared_of(const struct found *found, enum tn_arg_type type)
{
    switch (type) {
    case TN_ARG_INPUT_TENSOR: return found->op.in_count;
    case TN_ARG_OUTPUT_TENSOR: return found->op.out_count;
    case TN_ARG_DOUBLE: return found->op.t_count;
    case TN_ARG_INT64: return found->op.i_count;
    default: return 0;
    }
}

static unsigned places_of(const struct found *found, enum tn_arg_type type)
{
    int32_t  declared = declared_of(found, type);
    unsigned places   = 0;

    for (unsigned i = 0; i < PLACES; i++)
        if (found->is_taken[type][i] ||
            (found->has_counts && (int32_t)i < declared))
            places = i + 1;
    return places;
}

static enum tn_status fill_args(struct extracting *x)
{
    struct found  *found = x->found;
    uint32_t       count = 0, at = 0;
    struct tn_arg *args;

    for (unsigned t = 0; t < TN_ARG_TYPE_COUNT; t++)
        count += places_of(found, (enum tn_arg_type)t);
    args = tn_new(x->ops->arena, struct tn_arg, count, x->error);
    if (!args)
        return x->error->status;
    for (unsigned t = 0; t < TN_ARG_TYPE_COUNT; t++) {
        enum tn_arg_type type   = (enum tn_arg_type)t;
        unsigned         places = places_of(found, type);
        for (unsigned i = 0; i < places; i++) {
            struct tn_bytes name = found->names[t][i];
            args[at++]           = (struct tn_arg){
                          .name        = name.size ? name : default_name(x, type, i),
                          .type        = type,
                          .index       = (int32_t)i,
                          .is_optional = found->has_counts &&
                                         type != TN_ARG_OUTPUT_TENSOR &&
                                         declared_of(found, type) >= 0 &&
                                         (int32_t)i >= declared_of(found, type),
            };
        }
    }
    found->op.args = (struct tn_args){ count, args };
    return x->error->status;
}

static struct tn_op_descriptor *find_added(struct tn_dl4j_ops *ops,
                                           struct tn_bytes     name)
{
    for (uint64_t i = 0; i < ops->list.count; i++) {
        struct tn_op_descriptor *op =
            tn_list_at(&ops->list, struct tn_op_descriptor, i);
        if (tn_bytes_equal(op->name, name))
            return op;
    }
    return NULL;
}

/* The op is complete: adds it to the list. */
static enum tn_status finish_op(struct extracting *x)
{
    struct found *found = x->found;

    if (!x->has_op)
        return TN_OK;
    x->has_op = false;
    TN_TRY(fill_args(x));
    found->op.is_counted         = true;
    struct tn_op_descriptor *old = find_added(x->ops, found->op.name);
    if (old && found->op.args.count <= old->args.count)
        return TN_OK;
    if (old) {
        *old = found->op;
        TN_TRY(tn_dl4j_fill_lists(old, x->ops->arena, x->error));
    } else {
        TN_TRY(tn_dl4j_ops_add(x->ops, &found->op, x->error));
        old = tn_list_at(&x->ops->list, struct tn_op_descriptor,
                         x->ops->list.count - 1);
    }
    if (!found->has_counts) {
        old->in_count  = (int32_t)old->lists[TN_LIST_IN].count;
        old->out_count = (int32_t)old->lists[TN_LIST_OUT].count;
        old->t_count   = (int32_t)old->lists[TN_LIST_T].count;
        old->i_count   = (int32_t)old->lists[TN_LIST_I].count;
    }
    return TN_OK;
}

static enum tn_status begin_op(struct extracting *x, struct tn_bytes name)
{
    TN_TRY(finish_op(x));
    memset(x->found, 0, sizeof *x->found);
    x->found->op.name = tn_bytes_dup(x->ops->arena, name, x->error);
    x->has_op         = true;
    return x->error->status;
}

/* ---- declarations ------------------------------------------------------- */

static int32_t count_of(struct tn_bytes text)
{
    int64_t value;

    if (!tn_int64_parse(text, &value) || value < TN_ANY_OR_NONE ||
        value >= PLACES)
        return 0;
    return (int32_t)value;
}

static void set_declared(struct tn_op_descriptor *op, char what,
                         struct tn_bytes text)
{
    switch (what) {
    case 'i': op->in_count = count_of(text); break;
    case 'o': op->out_count = count_of(text); break;
    case 't': op->t_count = count_of(text); break;
    case 'a': op->i_count = count_of(text); break;
    default: op->is_inplaceable = tn_bytes_is(text, "true"); break;
    }
}

static enum tn_status read_declaration(struct extracting *x, size_t macro)
{
    const char     *order = macros[macro].order;
    struct tn_bytes argument;
    size_t          at = x->at + 1;

    if (!next_argument(x->text, &at, &argument) || argument.size == 0)
        return TN_OK;
    TN_TRY(begin_op(x, argument));
    struct tn_op_descriptor *op = &x->found->op;
    op->declaration             = macros[macro].declaration;
    op->in_count  = macros[macro].order[1] == 't' ? 2 : 0; /* broadcastable */
    op->out_count = 1;
    x->found->has_counts = true;
    for (order++; *order && at < x->text.size && x->text.data[at] == ',';
         order++) {
        at++;
        if (!next_argument(x->text, &at, &argument))
            break;
        set_declared(op, *order, argument);
    }
    x->at = at;
    return TN_OK;
}

/* Functions beside an op's own begin with its name. */
static enum tn_status read_shape_function(struct extracting *x)
{
    struct tn_bytes argument;
    size_t          at = x->at + 1;

    if (!next_argument(x->text, &at, &argument) || argument.size == 0)
        return TN_OK;
    if (!x->has_op || !tn_bytes_equal(argument, x->found->op.name))
        TN_TRY(begin_op(x, argument));
    x->at = at;
    return TN_OK;
}

/* ---- arguments ---------------------------------------------------------- */

static bool is_assignment(struct tn_bytes text, size_t at)
{
    uint8_t before = at > 0 ? text.data[at - 1] : 0;
    uint8_t after  = at + 1 < text.size ? text.data[at + 1] : 0;

    return text.data[at] == '=' && after != '=' && before != '=' &&
           before != '!' && before != '<' && before != '>';
}

/* The word before the first "=" of the statement. */
static struct tn_bytes variable_of(const struct extracting *x, size_t end)
{
    size_t at = x->statement;

    while (at < end && !is_assignment(x->text, at))
        at++;
    if (at == end)
        return tn_bytes(NULL, 0);
    while (at > x->statement && is_space(x->text.data[at - 1]))
        at--;
    size_t last = at;
    while (at > x->statement && is_word_byte(x->text.data[at - 1]))
        at--;
    return tn_bytes(x->text.data + at, last - at);
}

static struct tn_bytes without_shape(struct tn_bytes name)
{
    static const char *const tails[] = { "ShapeInfo", "ShapeInfo_", "Shape" };

    for (size_t i = 0; i < COUNT(tails); i++) {
        size_t size = strlen(tails[i]);
        if (name.size > size && tn_bytes_ends_with(name, tails[i]))
            return tn_bytes(name.data, name.size - size);
    }
    return name;
}

static bool is_named(const struct found *found, enum tn_arg_type type,
                     struct tn_bytes name)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (tn_bytes_equal(found->names[type][i], name))
            return true;
    return false;
}

static enum tn_status take(struct extracting *x, enum tn_arg_type type,
                           int64_t place, struct tn_bytes name)
{
    if (place < 0 || place >= PLACES)
        return TN_OK;
    if (!x->has_op)
        return TN_OK;
    x->found->is_taken[type][place] = true;
    if (name.size > 0 && x->found->names[type][place].size == 0 &&
        !is_named(x->found, type, name))
        x->found->names[type][place] =
            tn_bytes_dup(x->ops->arena, name, x->error);
    return x->error->status;
}

/* The number in MACRO(3); the parser is at the bracket. */
static enum tn_status read_access(struct extracting *x, enum tn_arg_type type,
                                  size_t word_at, struct tn_bytes stem)
{
    struct tn_bytes argument;
    size_t          at = x->at + 1;
    int64_t         place;

    if (!next_argument(x->text, &at, &argument) ||
        !tn_int64_parse(argument, &place))
        return TN_OK;
    if (!x->has_op)
        TN_TRY(begin_op(x, stem));
    x->at                = at;
    struct tn_bytes name = variable_of(x, word_at);
    return take(x, type, place,
                type == TN_ARG_INPUT_TENSOR ? without_shape(name) : name);
}

/* inputShape->at(1): the shape of an input, in shape functions. */
static bool is_shape_access(struct extracting *x)
{
    static const char arrow[] = "->at";
    size_t            size    = sizeof arrow - 1;

    if (x->at + size >= x->text.size ||
        memcmp(x->text.data + x->at, arrow, size) != 0)
        return false;
    size_t at = x->at + size;
    skip_spaces(x->text, &at);
    if (at >= x->text.size || x->text.data[at] != '(')
        return false;
    x->at = at;
    return true;
}

/* ---- the whole file ----------------------------------------------------- */

static bool is_called(struct extracting *x)
{
    size_t at = x->at;

    skip_spaces(x->text, &at);
    if (at >= x->text.size || x->text.data[at] != '(')
        return false;
    x->at = at;
    return true;
}

static enum tn_status read_call(struct extracting *x, struct tn_bytes word,
                                size_t word_at, struct tn_bytes stem)
{
    if (tn_bytes_is(word, "inputShape") && is_shape_access(x))
        return read_access(x, TN_ARG_INPUT_TENSOR, word_at, stem);
    if (!is_called(x))
        return TN_OK;
    if (tn_bytes_is(word, "DECLARE_SHAPE_FN") ||
        tn_bytes_is(word, "DECLARE_TYPES"))
        return read_shape_function(x);
    for (size_t i = 0; i < COUNT(macros); i++)
        if (tn_bytes_is(word, macros[i].macro))
            return read_declaration(x, i);
    for (size_t i = 0; i < COUNT(accesses); i++)
        if (tn_bytes_is(word, accesses[i].macro))
            return read_access(x, accesses[i].type, word_at, stem);
    return TN_OK;
}

/* Brackets of an initializer do not end a statement. */
static void step(struct extracting *x)
{
    uint8_t c      = x->text.data[x->at];
    size_t  before = x->at;

    while (before > x->statement && is_space(x->text.data[before - 1]))
        before--;
    uint8_t last = before > x->statement ? x->text.data[before - 1] : 0;
    bool    is_initializer =
        c == '{' && (last == '=' || last == ',' || last == '(');
    x->at++;
    if (c == ';' || c == '}' || (c == '{' && !is_initializer))
        x->statement = x->at;
}

enum tn_status tn_cpp_extract(struct tn_dl4j_ops *ops, struct tn_bytes text,
                              struct tn_bytes stem, struct tn_error *error)
{
    struct extracting x = { .ops = ops, .error = error };
    uint8_t *copy       = tn_arena_alloc(ops->arena, text.size + 1, 1, error);

    x.found = tn_new(ops->arena, struct found, 1, error);
    if (!copy || !x.found)
        return error->status;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    blank(copy, text.size);
    x.text = tn_bytes(copy, text.size);
    while (x.at < x.text.size) {
        size_t          word_at = x.at;
        struct tn_bytes word    = read_word(x.text, &x.at);
        if (word.size > 0)
            TN_TRY(read_call(&x, word, word_at, stem));
        else
            step(&x);
    }
    return finish_op(&x);
}
