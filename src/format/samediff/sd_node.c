/* sd_node.c - arguments of one operation, for reading and writing */
#include "format/samediff/sd_node.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "format/registry.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_verify.h"

/* ---- strings ------------------------------------------------------------ */

uint32_t tn_sd_strings_put(struct tn_fb_builder  *b,
                           const struct tn_bytes *texts, uint32_t count)
{
    uint32_t *refs = count ? tn_new(b->arena, uint32_t, count, b->error) : NULL;

    if (!refs)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        refs[i] = tn_fb_put_string(b, texts[i]);
    return tn_fb_put_refs(b, refs, count);
}

uint32_t tn_sd_codes_put(struct tn_fb_builder       *b,
                         const struct tn_attr_value *list)
{
    int8_t *codes = tn_new(b->arena, int8_t, list->count, b->error);

    for (uint32_t i = 0; codes && i < list->count; i++)
        codes[i] = (int8_t)list->of.ints[i];
    return codes ? tn_fb_put_vector(b, tn_bytes(codes, list->count), 1, 1) : 0;
}

struct tn_sd_names tn_sd_names_read(const struct tn_fb_table *table,
                                    uint16_t slot, struct tn_arena *arena,
                                    struct tn_error *error)
{
    struct tn_fb_vector vector = tn_fb_vector(table, slot, 4);
    struct tn_bytes    *names =
        vector.count ? tn_new(arena, struct tn_bytes, vector.count, error)
                        : NULL;

    for (uint32_t i = 0; names && i < vector.count; i++)
        names[i] = tn_fb_vector_string(&vector, i);
    return (struct tn_sd_names){ names, names ? vector.count : 0 };
}

/* Vectors of tables, into the arena. */
static const struct tn_fb_table *tables_read(const struct tn_fb_table *table,
                                             uint16_t slot, uint32_t *count,
                                             struct tn_arena *arena,
                                             struct tn_error *error)
{
    struct tn_fb_vector vector = tn_fb_vector(table, slot, 4);
    struct tn_fb_table *tables =
        vector.count ? tn_new(arena, struct tn_fb_table, vector.count, error)
                     : NULL;

    *count = tables ? vector.count : 0;
    for (uint32_t i = 0; i < *count; i++)
        tables[i] = tn_fb_vector_table(&vector, i);
    return tables;
}

struct tn_fb_table tn_sd_table_in(const struct tn_fb_vector *vector,
                                  uint32_t                   index)
{
    struct tn_fb_table table = tn_fb_vector_table(vector, index);

    if (!table.fb)
        tn_error_set(vector->fb->error, TN_MALFORMED,
                     vector->fb->span.offset + vector->at + 4 * (uint64_t)index,
                     "a null");
    return table;
}

/* ---- properties --------------------------------------------------------- */

/* Numbers as they are in the file. */
static uint32_t copy_numbers(struct tn_fb_builder     *b,
                             const struct tn_fb_table *from, uint16_t slot,
                             uint32_t element)
{
    struct tn_fb_vector vector = tn_fb_vector(from, slot, element);

    if (!vector.fb)
        return 0;
    const uint8_t *bytes = tn_fb_take(vector.fb, vector.at,
                                      (uint64_t)vector.count * vector.element);
    return bytes ? tn_fb_put_vector(
                       b, tn_bytes(bytes, (size_t)vector.count * element),
                       element, element)
                 : 0;
}

static uint32_t copy_strings(struct tn_fb_builder     *b,
                             const struct tn_fb_table *from, uint16_t slot)
{
    if (!tn_fb_has(from, slot))
        return 0;
    struct tn_sd_names texts = tn_sd_names_read(from, slot, b->arena, b->error);
    return texts.count ? tn_sd_strings_put(b, texts.items, texts.count)
                       : tn_fb_put_refs(b, NULL, 0);
}

/* A null among the arrays is left out: no other format can express it. */
static uint32_t copy_arrays(struct tn_fb_builder     *b,
                            const struct tn_fb_table *from, bool prefers_plain,
                            const struct tn_sd_array_how *how,
                            struct tn_memory             *memory)
{
    struct tn_fb_vector vector = tn_fb_vector(from, TN_SD_PROPERTY_A, 4);
    uint32_t *refs  = tn_new(b->arena, uint32_t, vector.count, b->error);
    uint32_t  count = 0;

    if (!vector.fb || tn_failed(b->error))
        return 0;
    for (uint32_t i = 0; i < vector.count; i++) {
        struct tn_fb_table array = tn_fb_vector_table(&vector, i);
        struct tn_sd_array read;
        if (!array.fb)
            continue;
        if (tn_sd_array_read(&array, prefers_plain, b->arena, &read) != TN_OK) {
            if (!tn_failed(b->error))
                *b->error = *array.fb->error;
            return 0;
        }
        refs[count++] = tn_sd_array_put(b, &read.elements, how, memory);
    }
    return tn_fb_put_refs(b, refs, count);
}

uint32_t tn_sd_property_put(struct tn_fb_builder         *b,
                            const struct tn_fb_table     *property,
                            bool                          prefers_plain,
                            const struct tn_sd_array_how *how,
                            struct tn_memory             *memory)
{
    uint32_t refs[TN_SD_PROPERTY_SHAPE + 1] = { 0 };

    refs[TN_SD_PROPERTY_A] =
        copy_arrays(b, property, prefers_plain, how, memory);
    refs[TN_SD_PROPERTY_S] = copy_strings(b, property, TN_SD_PROPERTY_S);
    refs[TN_SD_PROPERTY_I] = copy_numbers(b, property, TN_SD_PROPERTY_I, 4);
    refs[TN_SD_PROPERTY_L] = copy_numbers(b, property, TN_SD_PROPERTY_L, 8);
    refs[TN_SD_PROPERTY_D] = copy_numbers(b, property, TN_SD_PROPERTY_D, 8);
    refs[TN_SD_PROPERTY_B] = copy_numbers(b, property, TN_SD_PROPERTY_B, 1);
    refs[TN_SD_PROPERTY_SHAPE] =
        copy_numbers(b, property, TN_SD_PROPERTY_SHAPE, 4);
    if (tn_fb_has(property, TN_SD_PROPERTY_NAME))
        refs[TN_SD_PROPERTY_NAME] =
            tn_fb_put_string(b, tn_fb_string(property, TN_SD_PROPERTY_NAME));
    tn_fb_begin(b);
    for (uint16_t slot = 0; slot <= TN_SD_PROPERTY_SHAPE; slot++)
        tn_fb_add_ref(b, slot, refs[slot]);
    return tn_fb_end(b);
}

static struct tn_bytes flatten(const struct tn_rope *rope,
                               struct tn_arena *arena, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_buffer buffer;
    struct tn_bytes  bytes = { NULL, 0 };

    tn_buffer_init(&buffer, memory, error);
    if (tn_rope_write(rope, &buffer.sink, error) == TN_OK)
        bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    return bytes;
}

bool tn_sd_is_plain(const struct tn_model *model)
{
    return tn_is_of_format(model, &tn_format_sdnb) ||
           tn_is_of_format(model, &tn_format_sdz);
}

struct tn_bytes tn_sd_property_pack(const struct tn_fb_table *property,
                                    bool prefers_plain, struct tn_arena *arena,
                                    struct tn_memory *memory,
                                    struct tn_error  *error)
{
    static const struct tn_sd_array_how how   = { TN_SD_FORM_LITTLE, 1, NULL };
    struct tn_bytes                     bytes = { NULL, 0 };
    struct tn_fb_builder                b;
    struct tn_rope                      rope;

    if (!property->fb)
        return bytes;
    tn_fb_build_init(&b, arena, error);
    tn_rope_init(&rope, arena, error);
    uint32_t root =
        tn_sd_property_put(&b, property, prefers_plain, &how, memory);
    if (tn_fb_finish(&b, root, NULL, &rope) == TN_OK)
        bytes = flatten(&rope, arena, memory, error);
    tn_rope_done(&rope);
    tn_fb_build_done(&b);
    return bytes;
}

static struct tn_fb_table property_unpack(struct tn_bytes   bytes,
                                          struct tn_arena  *arena,
                                          struct tn_memory *memory,
                                          struct tn_error  *error)
{
    struct tn_fb_table  none   = { 0 };
    struct tn_source   *source = tn_new(arena, struct tn_source, 1, error);
    struct tn_fb       *fb     = tn_new(arena, struct tn_fb, 1, error);
    struct tn_fb_schema schema;

    if (!source || !fb)
        return none;
    tn_source_memory(source, memory, bytes);
    if (tn_fb_schema_load_builtin(&schema, arena, TN_FB_SAMEDIFF_CLASSIC,
                                  error) != TN_OK ||
        tn_fb_open(fb, (struct tn_span){ source, 0, bytes.size }, arena,
                   error) != TN_OK ||
        tn_fb_verify(fb, tn_fb_schema_find(&schema, "sd.graph.FlatProperties"),
                     NULL, NULL, memory) != TN_OK)
        return none;
    return tn_fb_root(fb);
}

/* ---- arguments ---------------------------------------------------------- */

struct taking {
    const struct tn_model *model;
    uint32_t               op;
    struct tn_arena       *arena;
    struct tn_sd_args     *args;
    struct tn_error       *error;
};

static const int8_t *read_codes(const struct tn_fb_table *table, uint16_t slot,
                                uint32_t *count, struct taking *t)
{
    struct tn_fb_vector from = tn_fb_vector(table, slot, 1);
    int8_t             *to   = tn_new(t->arena, int8_t, from.count, t->error);

    *count = to ? from.count : 0;
    for (uint32_t i = 0; i < *count; i++)
        to[i] = tn_fb_vector_i8(&from, i);
    return to;
}

static struct tn_attr_value read_code_list(struct taking            *t,
                                           const struct tn_fb_table *table,
                                           uint16_t                  slot)
{
    struct tn_fb_vector from = tn_fb_vector(table, slot, 1);
    int64_t            *to   = tn_new(t->arena, int64_t, from.count, t->error);

    for (uint32_t i = 0; to && i < from.count; i++)
        to[i] = tn_fb_vector_i8(&from, i);
    return (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                   .is_list = true,
                                   .count   = to ? from.count : 0,
                                   .of.ints = to };
}

static const int8_t *codes(struct taking *t, const struct tn_attr_value *value)
{
    int8_t *to = tn_new(t->arena, int8_t, value->count, t->error);

    for (uint32_t i = 0; to && i < value->count; i++)
        to[i] = tn_sd_dtype_code((enum tn_dtype)value->of.ints[i]);
    return to;
}

static struct tn_attr_value code_list(struct taking              *t,
                                      const struct tn_attr_value *value)
{
    int64_t *to = tn_new(t->arena, int64_t, value->count, t->error);

    for (uint32_t i = 0; to && i < value->count; i++)
        to[i] = tn_sd_dtype_code((enum tn_dtype)value->of.ints[i]);
    return (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                   .is_list = true,
                                   .count   = to ? value->count : 0,
                                   .of.ints = to };
}

static struct tn_attr_value doubles(struct taking              *t,
                                    const struct tn_attr_value *value)
{
    double *to;

    if (value->kind == TN_ATTR_DOUBLE)
        return *value;
    to = tn_new(t->arena, double, value->count, t->error);
    for (uint32_t i = 0; to && i < value->count; i++)
        to[i] = value->kind == TN_ATTR_FLOAT ? (double)value->of.floats[i]
                                             : (double)value->of.ints[i];
    return (struct tn_attr_value){ .kind       = TN_ATTR_DOUBLE,
                                   .is_list    = true,
                                   .count      = to ? value->count : 0,
                                   .of.doubles = to };
}

static void take_properties(struct taking *t, const struct tn_attr_value *value)
{
    struct tn_fb_table *tables =
        tn_new(t->arena, struct tn_fb_table, value->count, t->error);

    for (uint32_t i = 0; tables && i < value->count; i++)
        tables[i] = property_unpack(value->of.strings[i], t->arena,
                                    t->model->memory, t->error);
    t->args->properties     = tables;
    t->args->property_count = tables ? value->count : 0;
}

/* Kinds that each attribute may have, as a set of bits. */
enum {
    WHOLE  = 1 << TN_ATTR_INT | 1 << TN_ATTR_BOOL,
    REAL   = 1 << TN_ATTR_DOUBLE | 1 << TN_ATTR_FLOAT | 1 << TN_ATTR_INT,
    TEXT   = 1 << TN_ATTR_STRING,
    TYPE   = 1 << TN_ATTR_DTYPE,
    TENSOR = 1 << TN_ATTR_TENSOR,
    OTHER  = 1 << TN_ATTR_OTHER,
};

static void take_op_type(struct taking *t, const struct tn_attr_value *value)
{
    int number = value->kind == TN_ATTR_STRING
                     ? tn_sd_op_type_find(value->of.strings[0])
                 : value->of.ints[0] >= 0 && value->of.ints[0] <= 127
                     ? (int)value->of.ints[0]
                     : -1;

    if (number < 0)
        tn_error_set(t->error, TN_INVALID, TN_NOWHERE,
                     "no such type of operation");
    t->args->op_type = (int8_t)number;
}

static void take_scalar(struct taking *t, const struct tn_attr_value *value)
{
    struct tn_elements *elements =
        tn_new(t->arena, struct tn_elements, 1, t->error);

    if (elements && value->of.tensors)
        *elements = value->of.tensors[0]->elements;
    t->args->scalar = elements;
}

static void take_list(struct taking *t, char which,
                      const struct tn_attr_value *value)
{
    struct tn_sd_args *a = t->args;

    switch (which) {
    case 'i': a->lists[TN_SD_I] = *value; break;
    case 't': a->lists[TN_SD_T] = doubles(t, value); break;
    case 'b': a->lists[TN_SD_B] = *value; break;
    case 'd': a->lists[TN_SD_D] = code_list(t, value); break;
    case 's': a->lists[TN_SD_S] = *value; break;
    case 'x':
        a->dimensions      = value->of.ints;
        a->dimension_count = value->count;
        break;
    default:
        a->output_types      = codes(t, value);
        a->output_type_count = value->count;
    }
}

static const struct taken {
    const char *name;
    unsigned    kinds;
    char        which; /* of the lists; 0: none of them                       */
} takes[] = {
    { "opType", TEXT | WHOLE, 0 }, { "opNum", WHOLE, 0 },
    { "scalar", TENSOR, 0 },       { "properties", OTHER, 0 },
    { "iArgs", WHOLE, 'i' },       { "tArgs", REAL, 't' },
    { "bArgs", WHOLE, 'b' },       { "dArgs", TYPE, 'd' },
    { "sArgs", TEXT, 's' },        { "dimensions", WHOLE, 'x' },
    { "outputTypes", TYPE, 'o' },  { "iArgNames", TEXT, 'I' },
    { "tArgNames", TEXT, 'T' },    { "bArgNames", TEXT, 'B' },
    { "dArgNames", TEXT, 'D' },    { "sArgNames", TEXT, 'S' },
};

static const struct taken *find_taken(struct tn_bytes name)
{
    for (unsigned i = 0; i < sizeof takes / sizeof takes[0]; i++)
        if (tn_bytes_is(name, takes[i].name))
            return &takes[i];
    return NULL;
}

static struct tn_sd_names *names_of(struct tn_sd_args *args, char which)
{
    static const char lists[TN_SD_ARG_LISTS + 1] = "ITBDS";
    const char       *at = which ? strchr(lists, which) : NULL;

    return at ? &args->names[at - lists] : NULL;
}

static void take(struct taking *t, struct tn_bytes name,
                 const struct tn_attr_value *value)
{
    const struct taken *taken = find_taken(name);

    if (!taken || !(taken->kinds >> value->kind & 1) || value->count == 0) {
        if (!taken || value->count)
            tn_error_set(t->error, TN_INVALID, TN_NOWHERE,
                         taken ? "attribute '%.*s' is of another kind"
                               : "nd4j has no attribute '%.*s'",
                         TN_FMT(name));
        return;
    }
    struct tn_sd_names *names = names_of(t->args, taken->which);
    if (names)
        *names = (struct tn_sd_names){ value->of.strings, value->count };
    else if (taken->which)
        take_list(t, taken->which, value);
    else if (taken->kinds == TENSOR)
        take_scalar(t, value);
    else if (taken->kinds == OTHER)
        take_properties(t, value);
    else if (taken->kinds == WHOLE)
        t->args->op_num = value->of.ints[0];
    else
        take_op_type(t, value);
}

/* Straight from the table: types that have no name here, and properties
 * without packing them. */
static void take_raw(struct taking *t, struct tn_bytes name,
                     struct tn_span wire)
{
    bool               is_tagged = t->model->dialect == &tn_dialect_nd4j_tagged;
    struct tn_fb      *fb        = tn_new(t->arena, struct tn_fb, 1, t->error);
    struct tn_sd_args *args      = t->args;

    if (!fb)
        return;
    tn_fb_view(fb, wire.source, t->error);
    struct tn_fb_table table = tn_fb_table_at(fb, wire.offset);
    if (tn_bytes_is(name, "properties"))
        args->properties =
            tables_read(&table, is_tagged ? 22 : 4, &args->property_count,
                        t->arena, t->error);
    else if (tn_bytes_is(name, "dArgs"))
        args->lists[TN_SD_D] = read_code_list(t, &table, is_tagged ? 13 : 22);
    else
        args->output_types = read_codes(&table, is_tagged ? 18 : 17,
                                        &args->output_type_count, t);
}

static bool is_raw(struct tn_bytes name)
{
    return tn_bytes_is(name, "properties") || tn_bytes_is(name, "dArgs") ||
           tn_bytes_is(name, "outputTypes");
}

static void take_wire(struct taking *t, struct tn_bytes name,
                      struct tn_span wire)
{
    struct tn_attr_value value;

    if (is_raw(name))
        take_raw(t, name, wire);
    else if (t->model->dialect->decode(t->model, t->op, wire, t->arena, &value,
                                       t->error) == TN_OK)
        take(t, name, &value);
}

static void take_slots(struct taking *t, const struct tn_op *op)
{
    for (uint32_t i = 0; i < op->attr_count && !tn_failed(t->error); i++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&t->model->attrs, struct tn_attr_slot,
                       (uint64_t)op->first_attr + i);
        struct tn_bytes name = tn_model_name(t->model, slot->name);
        if (slot->value)
            take(t, name, slot->value);
        else
            take_wire(t, name, slot->wire);
    }
}

static void take_table(struct taking *t, const struct tn_op *op)
{
    struct tn_cursor c =
        tn_cursor_span(tn_model_op_wire(t->model, op), t->error);
    struct tn_bytes name;
    struct tn_span  wire;

    while (t->model->dialect->next_attr(&c, &name, &wire))
        take_wire(t, name, wire);
}

static bool has_attr(const struct tn_model *model, const struct tn_op *op,
                     const char *name)
{
    for (uint32_t i = 0; op->first_attr != TN_NONE && i < op->attr_count; i++) {
        const struct tn_attr_slot *slot = tn_list_at(
            &model->attrs, struct tn_attr_slot, (uint64_t)op->first_attr + i);
        if (tn_bytes_is(tn_model_name(model, slot->name), name))
            return true;
    }
    return false;
}

/* ---- arguments in the order of the vocabulary --------------------------- */

static enum tn_status open_book(struct tn_sd_calls *calls,
                                struct tn_error    *error)
{
    if (!calls->has_book)
        TN_TRY(tn_nd4j_book_init(&calls->book, calls->arena, error));
    calls->has_book   = true;
    calls->book.error = error;
    return TN_OK;
}

void tn_sd_args_by_name(struct tn_sd_args *args, struct tn_nd4j_book *book,
                        struct tn_bytes type)
{
    const struct tn_vocab_op *op = tn_nd4j_named(book, type);
    int number = op && op->kernel.size ? tn_sd_op_type_find(op->kernel) : -1;

    args->op_type = number < 0 ? TN_SD_CUSTOM : (int8_t)number;
    args->op_num =
        number < 0 ? tn_nd4j_hash(&book->hasher, type) : op->kernel_number;
}

const struct tn_vocab_op *tn_sd_args_op(struct tn_sd_calls      *calls,
                                        struct tn_bytes          type,
                                        const struct tn_sd_args *args,
                                        struct tn_error         *error)
{
    const char *word = tn_sd_op_type_name(args->op_type);

    if (open_book(calls, error) != TN_OK)
        return NULL;
    return tn_nd4j_meant(&calls->book, type, tn_text(word ? word : ""),
                         args->op_num);
}

static int64_t type_code(enum tn_dtype dtype)
{
    return tn_sd_dtype_code(dtype);
}

static enum tn_status check_counts(const struct taking *t)
{
    for (int i = 0; i < TN_SD_ARG_LISTS; i++)
        if (t->args->names[i].count &&
            t->args->names[i].count != t->args->lists[i].count)
            return tn_error_set(
                t->error, TN_INVALID, TN_NOWHERE,
                "%" PRIu32 " names for %" PRIu32 " %s", t->args->names[i].count,
                t->args->lists[i].count,
                tn_call_list_name((enum tn_vocab_list)(TN_VOCAB_IARGS + i)));
    return TN_OK;
}

bool tn_sd_args_have_names(const struct tn_sd_args *args)
{
    for (int i = 0; i < TN_SD_ARG_LISTS; i++)
        for (uint32_t k = 0; k < args->names[i].count; k++)
            if (args->names[i].items[k].size)
                return true;
    return false;
}

/* An argument in its usual place needs no name: writers of names ask the
 * vocabulary. */
static enum tn_status put_in_order(struct taking *t, struct tn_sd_calls *calls)
{
    struct tn_sd_args        *args = t->args;
    const struct tn_op       *row  = tn_model_op_at(t->model, t->op);
    const struct tn_vocab_op *op;

    TN_TRY(check_counts(t));
    if (!tn_sd_args_have_names(args))
        return TN_OK;
    op = tn_sd_args_op(calls, tn_model_name(t->model, row->type), args,
                       t->error);
    for (int i = 0; op && i < TN_SD_ARG_LISTS && !tn_failed(t->error); i++) {
        enum tn_vocab_list list = (enum tn_vocab_list)(TN_VOCAB_IARGS + i);
        if (tn_args_in_order(op, list, args->names[i].items, &args->lists[i],
                             i == TN_SD_D ? type_code : NULL, t->arena,
                             t->error) != TN_OK)
            tn_error_where(t->error, "%s", tn_call_list_name(list));
        args->names[i] = (struct tn_sd_names){ 0 };
    }
    return t->error->status;
}

enum tn_status tn_sd_args_read(const struct tn_model *model, uint32_t op,
                               struct tn_sd_calls *calls,
                               struct tn_arena *arena, struct tn_sd_args *args,
                               struct tn_error *error)
{
    const struct tn_op *row = tn_model_op_at(model, op);
    struct taking       t   = { model, op, arena, args, error };

    *args = (struct tn_sd_args){ .op_type = TN_SD_CUSTOM };
    for (int i = 0; i < TN_SD_ARG_LISTS; i++)
        args->lists[i].is_list = true;
    if (row->first_attr == TN_NONE && row->wire_length) {
        take_table(&t, row);
    } else {
        if (!has_attr(model, row, "opNum")) {
            TN_TRY(open_book(calls, error));
            tn_sd_args_by_name(args, &calls->book,
                               tn_model_name(model, row->type));
        }
        take_slots(&t, row);
    }
    return tn_failed(error) ? error->status : put_in_order(&t, calls);
}
