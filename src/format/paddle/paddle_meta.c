/*
 * paddle_meta.c - PREFIX.meta: properties of the classes that were exported
 *
 *   PropertyVals   entrys = 1
 *   ValueProto     name = 1, type = 2, f = 3, i = 4, s = 5, t = 6,
 *                  floats = 7, ints = 8, strings = 9, tensors = 10
 *
 * It informs, no more: nothing of the model depends on it, and a file that is
 * something else is left alone.
 */
#include "format/paddle/paddle_files.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    META_ENTRIES = 1,
    ENTRY_NAME   = 1,
    ENTRY_FLOAT  = 3,
    ENTRY_INT    = 4,
    ENTRY_TEXT   = 5,
    ENTRY_TENSOR = 6,
    ENTRY_FLOATS = 7,
    ENTRY_INTS   = 8,
};

#define VALUE_LIMIT 200 /* a longer value ends with dots */

struct entry {
    struct tn_bytes name;
    char            value[VALUE_LIMIT + 8];
    size_t          size;
    bool            is_full;
};

static TN_PRINTF(2, 3) void add(struct entry *entry, const char *format, ...)
{
    va_list arguments;

    if (entry->is_full)
        return;
    va_start(arguments, format);
    int size = vsnprintf(entry->value + entry->size, VALUE_LIMIT - entry->size,
                         format, arguments);
    va_end(arguments);
    entry->is_full = size < 0 || (size_t)size >= VALUE_LIMIT - entry->size;
    if (entry->is_full)
        snprintf(entry->value + entry->size, 8, "...");
    else
        entry->size += (size_t)size;
}

static void add_float(struct entry *entry, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float    value;

    memcpy(&value, &low, sizeof value);
    add(entry, "%.9g", (double)value);
}

static void add_numbers(struct entry *entry, struct tn_cursor *c,
                        struct tn_pb_field *field)
{
    bool     is_float = field->number == ENTRY_FLOATS;
    uint64_t number;

    while (tn_pb_number(c, field, is_float ? TN_WIRE_FIXED32 : TN_WIRE_VARINT,
                        &number)) {
        add(entry, "%s", entry->size ? " " : "");
        if (is_float)
            add_float(entry, number);
        else
            add(entry, "%" PRId64, (int64_t)number);
    }
}

static void read_value(struct entry *entry, struct tn_cursor *c,
                       struct tn_pb_field *field)
{
    if (field->number == ENTRY_FLOAT && field->type == TN_WIRE_FIXED32)
        add_float(entry, field->value);
    else if (field->number == ENTRY_INT && field->type == TN_WIRE_VARINT)
        add(entry, "%" PRId64, (int64_t)field->value);
    else if (field->number == ENTRY_FLOATS || field->number == ENTRY_INTS)
        add_numbers(entry, c, field);
    else if (field->number >= ENTRY_TENSOR && field->type == TN_WIRE_LEN &&
             field->number != 9)
        add(entry, "%sa tensor", entry->size ? ", " : "");
    else if (field->number >= ENTRY_TEXT && field->type == TN_WIRE_LEN) {
        struct tn_bytes text = tn_pb_text(field);
        add(entry, "%s%.*s", entry->size ? ", " : "", TN_FMT(text));
    }
}

static void add_entry(struct tn_model *model, struct tn_pb_field *message,
                      struct tn_error *quiet, struct tn_error *error)
{
    struct entry       entry = { .name = tn_text("") };
    struct tn_cursor   c     = message->body;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == ENTRY_NAME && field.type == TN_WIRE_LEN)
            entry.name = tn_pb_text(&field);
        else if (field.number > ENTRY_NAME + 1)
            read_value(&entry, &c, &field);
    }
    if (!tn_failed(quiet))
        tn_model_add_fact_format(model, error, "meta", "%.*s = %s",
                                 TN_FMT(entry.name), entry.value);
}

void tn_paddle_meta_facts(struct tn_model *model, struct tn_span meta,
                          const char *name, struct tn_error *error)
{
    struct tn_error    quiet = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_span(meta, &quiet);
    struct tn_pb_field field;
    uint64_t           count = 0;

    while (tn_pb_next(&c, &field) && !tn_failed(error))
        if (field.number == META_ENTRIES && field.type == TN_WIRE_LEN) {
            add_entry(model, &field, &quiet, error);
            count++;
        }
    if (tn_failed(&quiet))
        tn_model_add_fact_format(model, error, "meta", "%s cannot be read: %s",
                                 name, quiet.what);
    else if (count == 0)
        tn_model_add_fact_format(model, error, "meta", "%s says nothing", name);
}
