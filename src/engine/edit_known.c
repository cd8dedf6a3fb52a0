/* edit_known.c - types and shapes of the values of a model, for edits */
#include "engine/edit_known.h"

#include <inttypes.h>

#include "ir/attr.h"
#include "ir/dialect_facts.h"
#include "map/net/nd4j_args.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"

/* Values of subgraphs may have the same name as others; those of the main graph
 * have the names that the model gives them. */
static void index_names(struct tn_known *known)
{
    for (uint32_t i = 0; i < known->net.values.count; i++) {
        const struct tn_net_value v = tn_net_value(&known->net, i);
        if (v.graph != 0 || !v.name.size)
            continue;
        uint32_t count = tn_intern_count(&known->names);
        uint32_t id    = tn_intern_borrow(&known->names, v.name, known->error);
        if (id != count)
            continue;
        uint32_t *slot = tn_list_push(&known->values, uint32_t, known->error);
        if (slot)
            *slot = i;
    }
}

/* Rules about shapes know arguments by name, files by position. */
static enum tn_status name_arguments(struct tn_known *known)
{
    if (tn_dialect_facts(known->net.dialect)->id != TN_DIALECT_ND4J ||
        tn_nd4j_unpack(&known->net) == TN_OK || tn_call_ended(known->error))
        return known->error->status;
    known->refusal = *known->error;
    tn_error_clear(known->error);
    return TN_OK;
}

enum tn_status tn_known_open(struct tn_known *known, struct tn_memory *memory,
                             const struct tn_model *model,
                             struct tn_error       *error)
{
    static const struct tn_net_io all;

    *known = (struct tn_known){ .error = error, .refusal = TN_ERROR_INIT };
    tn_arena_init(&known->arena, memory);
    tn_intern_init(&known->names, &known->arena);
    tn_list_init(&known->values, memory, sizeof(uint32_t));
    tn_net_init(&known->net, &known->arena, model->dialect->name, error);
    known->has_net = true;
    TN_TRY(tn_rule_cache_init(&known->cache, &known->arena, error));
    known->shapes =
        tn_rule_cache_shapes(&known->cache, model->dialect->name, error);
    if (!known->shapes)
        return error->status;
    TN_TRY(tn_net_load(&known->net, model, &all));
    TN_TRY(tn_net_order(&known->net, model->dialect->loop_ops));
    TN_TRY(name_arguments(known));
    index_names(known);
    return error->status;
}

enum tn_status tn_known_infer(struct tn_known *known)
{
    TN_TRY(tn_infer_open(&known->facts, &known->net, known->shapes));
    return tn_infer_run(known->facts);
}

void tn_known_close(struct tn_known *known)
{
    if (!known->has_net)
        return;
    tn_infer_close(known->facts);
    tn_net_done(&known->net);
    if (known->cache.arena)
        tn_rule_cache_done(&known->cache);
    tn_list_done(&known->values);
    tn_intern_done(&known->names);
    tn_arena_done(&known->arena);
    known->has_net = false;
}

uint32_t tn_known_find(const struct tn_known *known, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&known->names, name);

    return id == TN_NO_NAME ? TN_NONE
                            : *tn_list_at(&known->values, uint32_t, id);
}

static const char *note_of(enum tn_net_wrap wrap)
{
    return wrap == TN_NET_SEQUENCE   ? "sequence"
           : wrap == TN_NET_OPTIONAL ? "optional"
                                     : "";
}

struct tn_io tn_known_io_of(const struct tn_net_type *type,
                            struct tn_bytes name, struct tn_arena *arena,
                            struct tn_error *error)
{
    struct tn_io   io = { .name     = name,
                          .dtype    = type->dtype,
                          .has_rank = type->has_rank,
                          .note     = note_of(type->wrap) };
    struct tn_dim *dims =
        type->has_rank ? tn_new(arena, struct tn_dim, type->rank, error) : NULL;

    io.has_rank &= dims != NULL;
    io.rank = io.has_rank ? type->rank : 0;
    io.dims = dims;
    for (uint32_t i = 0; i < io.rank; i++) {
        dims[i].value = type->dims[i];
        if (type->dims[i] < 0 && type->symbols)
            dims[i].symbol = type->symbols[i];
    }
    return io;
}

struct tn_io tn_known_io(const struct tn_known *known, struct tn_bytes name,
                         struct tn_arena *arena, struct tn_error *error)
{
    uint32_t value = tn_known_find(known, name);

    return tn_known_io_of(value == TN_NONE
                              ? &tn_net_unknown
                              : tn_net_value(&known->net, value).type,
                          name, arena, error);
}

/* ---- names ----------------------------------------------------------------
 */

void tn_fresh_init(struct tn_fresh *fresh, const struct tn_model *model,
                   struct tn_arena *arena)
{
    *fresh = (struct tn_fresh){ .model = model, .arena = arena };
    tn_intern_init(&fresh->made, arena);
}

void tn_fresh_done(struct tn_fresh *fresh)
{
    tn_intern_done(&fresh->made);
}

/* Numbers continue after the last name with that stem, so that many names with
 * one stem do not try the same numbers again. */
const char *tn_fresh_name(struct tn_fresh *fresh, struct tn_bytes stem,
                          const char *tail, struct tn_error *error)
{
    for (uint32_t i = 0; !tn_failed(error); i++) {
        const char *name =
            i == 0 ? tn_text_format(fresh->arena, error, "%.*s%s", TN_FMT(stem),
                                    tail)
                   : tn_text_format(fresh->arena, error, "%.*s%s_%" PRIu32,
                                    TN_FMT(stem), tail,
                                    tn_intern_count(&fresh->made) + i);
        if (!name)
            break;
        uint32_t count = tn_intern_count(&fresh->made);
        if (tn_intern_find(&fresh->model->names, tn_text(name)) == TN_NO_NAME &&
            tn_intern_borrow(&fresh->made, tn_text(name), error) == count)
            return name;
    }
    return "";
}
