/* pb_rules.c - protobuf's rules on numbers, repetition, oneofs and maps */
#include "wire/pb/pb_rules.h"

enum tn_pb_fit tn_pb_fit(const struct tn_pb_field_type *type,
                         const struct tn_pb_field      *field)
{
    if (!type)
        return TN_PB_FITS_NOT;
    if (field->type == tn_pb_wire_type(type->type))
        return TN_PB_FITS_ONE;
    if (field->type == TN_WIRE_LEN && type->label == TN_PB_REPEATED &&
        tn_pb_is_packable(type->type))
        return TN_PB_FITS_PACKED;
    return TN_PB_FITS_NOT;
}

bool tn_pb_holds(const struct tn_pb_field_type *type, uint64_t bits)
{
    return !tn_pb_is_closed(type) ||
           tn_pb_enum_name(type->enumeration, (int32_t)(uint32_t)bits);
}

bool tn_pb_is_value(const struct tn_pb_field_type *type,
                    const struct tn_pb_field      *field)
{
    return tn_pb_fit(type, field) == TN_PB_FITS_ONE &&
           tn_pb_holds(type, tn_pb_decode(type->type, field->value));
}

/* ---- oneofs ------------------------------------------------------------- */

/* Stands for a member: everything before it was cleared. */
static const struct tn_pb_field_type cleared = { .oneof = -1 };

bool tn_pb_oneofs_init(struct tn_pb_oneofs        *oneofs,
                       const struct tn_pb_message *type,
                       struct tn_memory *memory, struct tn_error *error)
{
    tn_list_init(&oneofs->members, memory,
                 sizeof(const struct tn_pb_field_type *));
    return type->oneof_count == 0 ||
           tn_list_grow(&oneofs->members, type->oneof_count, error);
}

bool tn_pb_oneofs_keep(struct tn_pb_oneofs           *oneofs,
                       const struct tn_pb_field_type *field)
{
    if (!field || field->oneof < 0)
        return true;
    const struct tn_pb_field_type **member = tn_list_at(
        &oneofs->members, const struct tn_pb_field_type *, field->oneof);
    if (!*member)
        *member = field;
    else if (*member != field)
        *member = &cleared;
    return *member == field;
}

void tn_pb_oneofs_done(struct tn_pb_oneofs *oneofs)
{
    tn_list_done(&oneofs->members);
}

/* ---- maps --------------------------------------------------------------- */

bool tn_pb_entry_key(const struct tn_pb_message *entry, struct tn_cursor body,
                     struct tn_pb_field *key)
{
    bool               is_there = false;
    struct tn_pb_field field;

    while (tn_pb_next(&body, &field)) {
        if (field.number != entry->fields[0].number ||
            tn_pb_fit(&entry->fields[0], &field) != TN_PB_FITS_ONE)
            continue;
        *key     = field;
        is_there = true;
    }
    return is_there;
}

int tn_pb_compare_numbers(enum tn_pb_type type, uint64_t a, uint64_t b)
{
    if (tn_pb_is_signed(type)) { /* makes negative ones smaller than the
                                    others */
        a ^= UINT64_C(1) << 63;
        b ^= UINT64_C(1) << 63;
    }
    return a < b ? -1 : a > b;
}
