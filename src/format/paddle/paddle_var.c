/*
 * paddle_var.c - one variable of a block, in three generations
 *
 *   now         name = 1, type = 2 (a message), persistable = 3
 *   early 2018  name = 1, type = 2 (a number), persistable = 3,
 *               lod_tensor = 4, selected_rows = 5, tensor_array = 6, reader = 7
 *   0.11        name = 1, type = 2 (a number), lod_tensor = 3,
 *               selected_rows = 4, persistable = 5, tensor_array = 6
 *
 * The wire type of field 2 tells the first from the others, and that of field 3
 * the second from the third.
 */
#include "format/paddle/paddle.h"

enum { DESC_DATA_TYPE = 1, DESC_DIMS = 2, LOD_TENSOR = 1, LOD_LEVEL = 2 };

/* VarType: type = 1, and one field for what it describes. */
enum {
    TYPE_TYPE          = 1,
    TYPE_SELECTED_ROWS = 2,
    TYPE_LOD           = 3,
    TYPE_ARRAY         = 4,
    TYPE_READER        = 5,
    TYPE_CHANNEL       = 6,
    TYPE_TUPLE         = 7,
    TYPE_STRING        = 8,
    TYPE_SPARSE_CSR    = 12
};

static uint32_t count_dims(struct tn_cursor body)
{
    struct tn_pb_field field;
    uint32_t           rank = 0;
    uint64_t           dim;

    while (tn_pb_next(&body, &field)) {
        if (field.number != DESC_DIMS)
            continue;
        while (tn_pb_number(&body, &field, TN_WIRE_VARINT, &dim))
            rank++;
    }
    return rank;
}

/* TensorDesc */
static void read_desc(struct tn_cursor *body, struct tn_arena *arena,
                      struct tn_paddle_var *var)
{
    uint32_t           rank = count_dims(*body), at = 0;
    int64_t           *dims = tn_new(arena, int64_t, rank, body->error);
    struct tn_pb_field field;
    uint64_t           dim;

    if (rank && !dims)
        return;
    while (tn_pb_next(body, &field)) {
        if (field.number == DESC_DATA_TYPE &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT))
            var->data_type = (uint32_t)field.value;
        else if (field.number == DESC_DIMS)
            while (at < rank &&
                   tn_pb_number(body, &field, TN_WIRE_VARINT, &dim))
                dims[at++] = (int64_t)dim;
    }
    var->has_desc = true;
    var->rank     = rank;
    var->dims     = dims;
}

/* LoDTensorDesc and LoDTensorArrayDesc */
static void read_lod(struct tn_cursor *body, struct tn_arena *arena,
                     struct tn_paddle_var *var)
{
    struct tn_pb_field field;

    while (tn_pb_next(body, &field)) {
        if (field.number == LOD_TENSOR &&
            tn_pb_expect(body, &field, TN_WIRE_LEN))
            read_desc(&field.body, arena, var);
        else if (field.number == LOD_LEVEL &&
                 tn_pb_expect(body, &field, TN_WIRE_VARINT))
            var->lod_level = (int32_t)field.value;
    }
}

static void read_type(struct tn_cursor *body, struct tn_arena *arena,
                      struct tn_paddle_var *var)
{
    struct tn_pb_field field;

    while (tn_pb_next(body, &field)) {
        if (field.number == TYPE_TYPE &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT)) {
            var->type     = (uint32_t)field.value;
            var->has_type = true;
        } else if (field.type != TN_WIRE_LEN) {
            continue;
        } else if (field.number == TYPE_LOD || field.number == TYPE_ARRAY) {
            read_lod(&field.body, arena, var);
        } else if (field.number == TYPE_SELECTED_ROWS ||
                   (field.number >= TYPE_STRING &&
                    field.number <= TYPE_SPARSE_CSR)) {
            read_desc(&field.body, arena, var);
        }
    }
}

/* The numbers of then, as those of today. */
static uint32_t old_type(uint64_t type)
{
    static const uint8_t today[] = { 0, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

    return type < sizeof today ? today[type] : TN_PADDLE_RAW;
}

static void read_old_field(struct tn_cursor *body, struct tn_pb_field *field,
                           bool is_011, struct tn_arena *arena,
                           struct tn_paddle_var *var)
{
    uint32_t persistable = is_011 ? 5 : 3;
    uint32_t lod = is_011 ? 3 : 4, rows = is_011 ? 4 : 5;

    if (field->number == persistable) {
        if (tn_pb_expect(body, field, TN_WIRE_VARINT))
            var->is_persistable = field->value != 0;
    } else if (field->number == lod || field->number == 6) {
        if (tn_pb_expect(body, field, TN_WIRE_LEN))
            read_lod(&field->body, arena, var);
    } else if (field->number == rows &&
               tn_pb_expect(body, field, TN_WIRE_LEN)) {
        read_desc(&field->body, arena, var);
    }
}

static void read_new_field(struct tn_cursor *body, struct tn_pb_field *field,
                           struct tn_paddle_var *var)
{
    if (field->number != VAR_PERSISTABLE &&
        field->number != VAR_NEED_CHECK_FEED)
        return;
    if (!tn_pb_expect(body, field, TN_WIRE_VARINT))
        return;
    if (field->number == VAR_PERSISTABLE)
        var->is_persistable = field->value != 0;
    else
        var->needs_feed = field->value != 0;
}

/* Which generation: the wire types of fields 2 and 3. */
static void look_ahead(struct tn_cursor body, bool *is_old, bool *is_011)
{
    struct tn_pb_field field;

    *is_old = *is_011 = false;
    while (tn_pb_next(&body, &field)) {
        if (field.number == VAR_TYPE)
            *is_old = field.type == TN_WIRE_VARINT;
        else if (field.number == 3)
            *is_011 = field.type == TN_WIRE_LEN;
    }
    *is_011 = *is_011 && *is_old;
}

void tn_paddle_var_read(struct tn_cursor *body, struct tn_arena *arena,
                        struct tn_paddle_var *var, bool *is_old)
{
    struct tn_pb_field field;
    bool               is_011;

    look_ahead(*body, is_old, &is_011);
    while (tn_pb_next(body, &field)) {
        if (field.number == VAR_NAME) {
            if (tn_pb_expect(body, &field, TN_WIRE_LEN))
                var->name = tn_pb_text(&field);
        } else if (field.number != VAR_TYPE) {
            if (*is_old)
                read_old_field(body, &field, is_011, arena, var);
            else
                read_new_field(body, &field, var);
        } else if (*is_old) {
            var->type     = old_type(field.value);
            var->has_type = true;
        } else if (tn_pb_expect(body, &field, TN_WIRE_LEN)) {
            read_type(&field.body, arena, var);
        }
    }
}

bool tn_paddle_var_is_stored(const struct tn_paddle_var *var)
{
    return var->is_persistable && var->type != TN_PADDLE_FEED &&
           var->type != TN_PADDLE_FETCH && var->type != TN_PADDLE_READER &&
           var->type != TN_PADDLE_RAW;
}
