/* attr.c - attributes, found and decoded on request */
#include "ir/attr_key.h"

#include <inttypes.h>

#include "base/given.h"

struct tn_attr {
    struct tn_memory    *memory;
    struct tn_arena      arena;
    struct tn_bytes      name;
    struct tn_attr_value value;
};

/* One attribute of an op: as it is in the file, or as an edit has changed
 * it. */
struct found {
    struct tn_bytes             name;
    struct tn_span              wire;
    const struct tn_attr_value *value;
};

static struct found slot_at(const struct tn_model *model,
                            const struct tn_op *op, uint32_t index)
{
    const struct tn_attr_slot *slot = tn_list_at(
        &model->attrs, struct tn_attr_slot, (uint64_t)op->first_attr + index);

    return (struct found){ tn_model_name(model, slot->name), slot->wire,
                           slot->value };
}

/* Visits the attributes of an op in order until `accept` takes one. */
static bool find_attr(const struct tn_model *model, const struct tn_op *op,
                      bool (*accept)(const void *wanted, uint32_t index,
                                     const struct found *found),
                      const void *wanted, struct found *found,
                      struct tn_error *error)
{
    uint32_t index = 0;

    if (op->first_attr != TN_NONE) {
        for (; index < op->attr_count; index++) {
            *found = slot_at(model, op, index);
            if (accept(wanted, index, found))
                return true;
        }
        return false;
    }
    if (!model->dialect)
        return false;
    struct tn_cursor node = tn_cursor_span(tn_model_op_wire(model, op), error);
    found->value          = NULL;
    while (model->dialect->next_attr(&node, &found->name, &found->wire))
        if (accept(wanted, index++, found))
            return true;
    return false;
}

static bool is_none(const void *wanted, uint32_t index,
                    const struct found *found)
{
    (void)found;
    *(uint32_t *)(uintptr_t)wanted = index + 1;
    return false;
}

uint32_t tn_op_attr_count(const struct tn_model *model, uint32_t op)
{
    struct tn_error error = TN_ERROR_INIT;
    struct found    found;
    uint32_t        count = 0;

    if (model && op < model->ops.count)
        find_attr(model, tn_model_op_at(model, op), is_none, &count, &found,
                  &error);
    return count;
}

static bool has_index(const void *wanted, uint32_t index,
                      const struct found *found)
{
    (void)found;
    return *(const uint32_t *)wanted == index;
}

static bool has_name(const void *wanted, uint32_t index,
                     const struct found *found)
{
    (void)index;
    return tn_bytes_is(found->name, wanted);
}

static enum tn_status decode(struct tn_attr **out, const struct tn_model *model,
                             uint32_t op, const struct found *found,
                             struct tn_error *error)
{
    struct tn_attr *attr =
        tn_memory_resize(model->memory, NULL, 0, sizeof *attr, error);

    if (!attr)
        return error->status;
    *attr = (struct tn_attr){ .memory = model->memory, .name = found->name };
    tn_arena_init(&attr->arena, model->memory);
    if (found->value)
        attr->value = *found->value;
    else
        model->dialect->decode(model, op, found->wire, &attr->arena,
                               &attr->value, error);
    if (tn_failed(error)) {
        tn_attr_close(attr);
        return error->status;
    }
    *out = attr;
    return TN_OK;
}

static enum tn_status expect_op(const struct tn_model *model, uint32_t op,
                                struct tn_error *error)
{
    TN_EXPECT_GIVEN(model, "model", error);
    if (op < model->ops.count)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "there is no op %" PRIu32, op);
}

enum tn_status tn_attr_open(struct tn_attr **out, const struct tn_model *model,
                            uint32_t op, uint32_t index, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct found found = { 0 };

    *out = NULL;
    TN_TRY(expect_op(model, op, error));
    if (!find_attr(model, tn_model_op_at(model, op), has_index, &index, &found,
                   error))
        return tn_failed(error) ? error->status
                                : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                               "no attribute %" PRIu32, index);
    return decode(out, model, op, &found, error);
}

enum tn_status tn_attr_find(struct tn_attr **out, const struct tn_model *model,
                            uint32_t op, const char *name,
                            struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct found found = { 0 };

    *out = NULL;
    TN_TRY(expect_op(model, op, error));
    if (!find_attr(model, tn_model_op_at(model, op), has_name, name, &found,
                   error))
        return tn_failed(error) ? error->status
                                : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                               "no attribute '%s'", name);
    return decode(out, model, op, &found, error);
}

struct listing {
    const struct tn_model *model;
    uint32_t               op;
    struct tn_arena       *arena;
    struct tn_list        *to;
    struct tn_error       *error;
};

/* Accepts no attribute, so that all are visited. */
static bool list_one(const void *wanted, uint32_t index,
                     const struct found *found)
{
    const struct listing *l = wanted;
    struct tn_attr_named *attr =
        tn_list_push(l->to, struct tn_attr_named, l->error);

    (void)index;
    if (!attr)
        return true;
    attr->name = found->name;
    if (found->value)
        attr->value = *found->value;
    else
        l->model->dialect->decode(l->model, l->op, found->wire, l->arena,
                                  &attr->value, l->error);
    return tn_failed(l->error);
}

enum tn_status tn_attr_list(const struct tn_model *model, uint32_t op,
                            struct tn_arena *arena, struct tn_list *to,
                            struct tn_error *error)
{
    struct listing listing = { model, op, arena, to, error };
    struct found   found   = { 0 };

    find_attr(model, tn_model_op_at(model, op), list_one, &listing, &found,
              error);
    return error->status;
}

struct saying {
    struct tn_buffer *key;
    size_t            most;
};

/* Accepts the first attribute past the limit. */
static bool say_one(const void *wanted, uint32_t index,
                    const struct found *found)
{
    const struct saying *s     = wanted;
    uint64_t             sizes = found->name.size | found->wire.length << 32;

    (void)index;
    if (found->value || found->name.size > s->most ||
        found->wire.length > s->most ||
        s->key->size + found->name.size + found->wire.length > s->most)
        return true;
    struct tn_cursor bytes = tn_cursor_span(found->wire, s->key->error);
    const uint8_t   *data  = tn_take(&bytes, found->wire.length);
    if (!data)
        return true;
    tn_buffer_add(s->key, tn_bytes(&sizes, sizeof sizes));
    tn_buffer_add(s->key, found->name);
    tn_buffer_add(s->key, tn_bytes(data, (size_t)found->wire.length));
    return tn_failed(s->key->error);
}

bool tn_attr_key(const struct tn_model *model, uint32_t op, size_t most,
                 struct tn_buffer *key)
{
    struct saying saying = { key, most };
    struct found  found  = { 0 };

    return !model->dialect->refers_to_attrs &&
           !find_attr(model, tn_model_op_at(model, op), say_one, &saying,
                      &found, key->error) &&
           !tn_failed(key->error);
}

struct tn_bytes tn_attr_bytes(const struct tn_model *model, uint32_t op)
{
    struct tn_error     ignored = TN_ERROR_INIT;
    const struct tn_op *row     = tn_model_op_at(model, op);
    struct tn_span      wire    = tn_model_op_wire(model, row);

    if (row->first_attr != TN_NONE || !wire.source || !wire.source->map ||
        !model->dialect || !model->dialect->find_attrs ||
        model->dialect->refers_to_attrs)
        return tn_bytes(NULL, 0);
    struct tn_cursor node = tn_cursor_span(wire, &ignored);
    model->dialect->find_attrs(&node);
    return tn_failed(&ignored)
               ? tn_bytes(NULL, 0)
               : tn_bytes(node.at, (size_t)(node.end - node.at));
}

struct tn_bytes tn_attr_name(const struct tn_attr *attr)
{
    return attr->name;
}

const struct tn_attr_value *tn_attr_get(const struct tn_attr *attr)
{
    return &attr->value;
}

void tn_attr_close(struct tn_attr *attr)
{
    if (!attr)
        return;
    tn_arena_done(&attr->arena);
    tn_memory_free(attr->memory, attr, sizeof *attr);
}
