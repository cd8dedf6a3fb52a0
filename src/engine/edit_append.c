/* edit_append.c - connects two models, one after the other */
#include "engine/edit_append.h"

#include "engine/edit_known.h"
#include "format/onnx/onnx.h"
#include "ir/dialect_facts.h"

#include <inttypes.h>

struct joining {
    struct tn_draft        *draft;
    const struct tn_model  *base, *other;
    const struct tn_append *how;
    struct tn_error        *error;
    struct tn_arena         arena;
    struct tn_fresh         fresh;
    struct tn_bytes *names; /* by name of the other: what it is called here   */
    struct tn_intern ops; /* names of ops                                     */
    bool *is_joined; /* by name of the other: an output of the base           */
    bool *is_taken; /* by output of the base: an input of the other           */
};

/* ---- names --------------------------------------------------------------- */

static struct tn_bytes with_prefix(struct joining *j, struct tn_bytes name)
{
    const char *text = j->how->prefix
                           ? tn_text_format(j->draft->arena, j->error, "%s%.*s",
                                            j->how->prefix, TN_FMT(name))
                           : NULL;

    return text ? tn_text(text) : name;
}

/* The new name of an op; it only has to differ from the names of other ops. */
static struct tn_bytes rename_op(struct joining *j, struct tn_bytes name)
{
    struct tn_bytes now = with_prefix(j, name), stem = now;
    uint32_t        tail = 1;

    while (!tn_failed(j->error)) {
        uint32_t count = tn_intern_count(&j->ops);
        if (tn_intern_borrow(&j->ops, now, j->error) == count)
            break;
        const char *next =
            tn_text_format(j->draft->arena, j->error, "%.*s_%" PRIu32,
                           TN_FMT(stem), ++tail + count);
        now = next ? tn_text(next) : now;
    }
    return now;
}

static struct tn_bytes rename_other(void *context, struct tn_bytes name,
                                    bool is_op)
{
    struct joining *j  = context;
    uint32_t        id = tn_intern_find(&j->other->names, name);

    if (is_op)
        return rename_op(j, name);
    if (id == TN_NO_NAME)
        return name;
    if (j->names[id].data)
        return j->names[id];
    name = with_prefix(j, name);
    if (tn_intern_find(&j->base->names, name) != TN_NO_NAME)
        name = tn_text(tn_fresh_name(&j->fresh, name, "_2", j->error));
    j->names[id] = name;
    return name;
}

static void take_op_names(struct joining *j)
{
    for (uint32_t i = 0; i < j->base->ops.count && !tn_failed(j->error); i++) {
        struct tn_bytes name = tn_model_op(j->base, i).name;
        if (name.size)
            tn_intern_borrow(&j->ops, name, j->error);
    }
}

/* ---- outputs that can be inputs ------------------------------------------ */

static const struct tn_io *find_io(struct tn_io_list list, struct tn_bytes name)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (tn_bytes_equal(list.items[i].name, name))
            return &list.items[i];
    return NULL;
}

static enum tn_status refuse(struct joining *j, const struct tn_io *from,
                             const struct tn_io *to, const char *what)
{
    return tn_error_set(j->error, TN_INVALID, TN_NOWHERE,
                        "output '%.*s' cannot be input '%.*s': they have other "
                        "%s",
                        TN_FMT(from->name), TN_FMT(to->name), what);
}

static enum tn_status check_types(struct joining *j, const struct tn_io *from,
                                  const struct tn_io *to)
{
    if (from->dtype != TN_UNDEFINED && to->dtype != TN_UNDEFINED &&
        from->dtype != to->dtype)
        return refuse(j, from, to, "types");
    if (!from->has_rank || !to->has_rank)
        return TN_OK;
    if (from->rank != to->rank)
        return refuse(j, from, to, "ranks");
    for (uint32_t i = 0; i < from->rank; i++)
        if (from->dims[i].value >= 0 && to->dims[i].value >= 0 &&
            from->dims[i].value != to->dims[i].value)
            return refuse(j, from, to, "sizes; --set-dim changes one");
    return TN_OK;
}

/* ---- connections --------------------------------------------------------- */

static enum tn_status join(struct joining *j, const struct tn_io *from,
                           const struct tn_io *to)
{
    struct tn_io_list outputs = tn_model_graph_at(j->base, 0)->outputs;
    uint32_t          id      = tn_intern_find(&j->other->names, to->name);

    TN_TRY(check_types(j, from, to));
    if (id == TN_NO_NAME)
        return TN_OK; /* an input that nothing uses */
    if (j->names[id].data)
        return tn_error_set(j->error, TN_INVALID, TN_NOWHERE,
                            "input '%.*s' is given twice", TN_FMT(to->name));
    j->names[id]                      = from->name;
    j->is_joined[id]                  = true;
    j->is_taken[from - outputs.items] = true;
    return TN_OK;
}

static enum tn_status join_pairs(struct joining *j)
{
    struct tn_io_list outputs = tn_model_graph_at(j->base, 0)->outputs;
    struct tn_io_list inputs  = tn_model_graph_at(j->other, 0)->inputs;

    for (uint32_t i = 0; i + 1 < j->how->pair_count; i += 2) {
        const struct tn_io *from = find_io(outputs, tn_text(j->how->pairs[i]));
        const struct tn_io *to = find_io(inputs, tn_text(j->how->pairs[i + 1]));
        if (!from)
            return tn_error_set(j->error, TN_NOT_FOUND, TN_NOWHERE,
                                "the model has no output '%s'",
                                j->how->pairs[i]);
        if (!to)
            return tn_error_set(j->error, TN_NOT_FOUND, TN_NOWHERE,
                                "the appended model has no input '%s'",
                                j->how->pairs[i + 1]);
        TN_TRY(join(j, from, to));
    }
    return TN_OK;
}

static uint32_t count_needed(struct tn_io_list inputs, uint32_t *only)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < inputs.count; i++)
        if (!inputs.items[i].has_default) {
            *only = i;
            count++;
        }
    return count;
}

static enum tn_status join_equal(struct joining *j)
{
    struct tn_io_list outputs = tn_model_graph_at(j->base, 0)->outputs;
    struct tn_io_list inputs  = tn_model_graph_at(j->other, 0)->inputs;
    uint32_t          count = 0, only = 0;

    for (uint32_t i = 0; i < outputs.count; i++) {
        const struct tn_io *to = find_io(inputs, outputs.items[i].name);
        if (to && !to->has_default) {
            TN_TRY(join(j, &outputs.items[i], to));
            count++;
        }
    }
    if (count)
        return TN_OK;
    if (outputs.count == 1 && count_needed(inputs, &only) == 1)
        return join(j, &outputs.items[0], &inputs.items[only]);
    return tn_error_set(j->error, TN_INVALID, TN_NOWHERE,
                        "no output has the name of an input of the appended "
                        "model: say which is which, as OUTPUT=INPUT");
}

/* ---- versions ------------------------------------------------------------ */

static int64_t version_of(const struct tn_model *model, struct tn_bytes domain)
{
    const struct tn_onnx_detail *detail = model->detail;

    for (uint64_t i = 0; detail && i < detail->import_count; i++)
        if (tn_bytes_equal(tn_onnx_domain(detail->imports[i].domain), domain))
            return detail->imports[i].version;
    return -1;
}

/* A domain that only the appended model imports is imported in version 1. */
static enum tn_status check_versions(struct joining *j)
{
    const struct tn_onnx_detail *detail = j->other->detail;

    for (uint64_t i = 0; detail && i < detail->import_count; i++) {
        struct tn_bytes domain = tn_onnx_domain(detail->imports[i].domain);
        int64_t         theirs = detail->imports[i].version;
        int64_t         ours   = version_of(j->base, domain);
        if (ours == theirs || (ours < 0 && theirs == 1))
            continue;
        if (!domain.size)
            return tn_error_set(j->error, TN_UNSUPPORTED, TN_NOWHERE,
                                "the appended model has opset %" PRId64
                                ", and this one %" PRId64
                                ": bring one of them there with --opset first",
                                theirs, ours);
        return tn_error_set(j->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the appended model has version %" PRId64
                            " of '%.*s', and this one %s",
                            theirs, TN_FMT(domain),
                            ours < 0 ? "none" : "another");
    }
    return TN_OK;
}

/* ---- the draft ----------------------------------------------------------- */

static enum tn_status list_io(struct joining *j)
{
    const struct tn_graph *a = tn_model_graph_at(j->base, 0);
    const struct tn_graph *b = tn_model_graph_at(j->other, 0);
    struct tn_io          *inputs =
        tn_new(&j->arena, struct tn_io,
               (uint64_t)a->inputs.count + b->inputs.count, j->error);
    struct tn_io *outputs =
        tn_new(&j->arena, struct tn_io,
               (uint64_t)a->outputs.count + b->outputs.count, j->error);
    uint32_t in = 0, out = 0;
    bool     lists_weights = false;

    if (!inputs || !outputs)
        return j->error->status;
    for (uint32_t i = 0; i < a->inputs.count; i++) {
        inputs[in++] = a->inputs.items[i];
        lists_weights |= a->inputs.items[i].has_default;
    }
    for (uint32_t i = 0; i < b->inputs.count; i++) {
        struct tn_io    io   = b->inputs.items[i];
        struct tn_bytes name = rename_other(j, io.name, false);
        uint32_t id = tn_intern_find(&j->other->names, b->inputs.items[i].name);
        bool     is_joined = id != TN_NO_NAME && j->is_joined[id];
        if (is_joined || (io.has_default && !lists_weights))
            continue;
        io.name      = name;
        io.key       = tn_bytes(NULL, 0);
        inputs[in++] = io;
    }
    for (uint32_t i = 0; i < a->outputs.count; i++)
        if (!j->is_taken[i])
            outputs[out++] = a->outputs.items[i];
    for (uint32_t i = 0; i < b->outputs.count; i++) {
        outputs[out]       = b->outputs.items[i];
        outputs[out].name  = rename_other(j, outputs[out].name, false);
        outputs[out++].key = tn_bytes(NULL, 0);
    }
    if (tn_failed(j->error))
        return j->error->status;
    return tn_draft_list_io(j->draft, 0, (struct tn_io_list){ in, inputs },
                            (struct tn_io_list){ out, outputs }, j->error);
}

static enum tn_status copy_functions(struct joining *j)
{
    for (uint32_t i = 0; i < j->other->graphs.count; i++)
        if (tn_model_graph_at(j->other, i)->kind == TN_GRAPH_FUNCTION)
            TN_TRY(tn_draft_copy_function(j->draft, j->other, i, NULL, NULL,
                                          j->error));
    return TN_OK;
}

static enum tn_status run(struct joining *j)
{
    struct tn_io_list outputs = tn_model_graph_at(j->base, 0)->outputs;

    j->names = tn_new(&j->arena, struct tn_bytes,
                      tn_intern_count(&j->other->names), j->error);
    j->is_joined =
        tn_new(&j->arena, bool, tn_intern_count(&j->other->names), j->error);
    j->is_taken = tn_new(&j->arena, bool, outputs.count, j->error);
    if (tn_failed(j->error))
        return j->error->status;
    TN_TRY(check_versions(j));
    if (j->how->pair_count)
        TN_TRY(join_pairs(j));
    else
        TN_TRY(join_equal(j));
    TN_TRY(list_io(j));
    TN_TRY(copy_functions(j));
    take_op_names(j);
    return tn_draft_append(j->draft, j->other, rename_other, j, j->error);
}

enum tn_status tn_draft_append_model(struct tn_draft        *draft,
                                     const struct tn_append *how,
                                     struct tn_error        *error)
{
    struct joining j = { .draft = draft,
                         .base  = draft->base,
                         .other = how->model,
                         .how   = how,
                         .error = error };

    if (!how->model->dialect || how->model->dialect != draft->dialect ||
        !tn_dialect_facts(draft->dialect->name)->lists_io)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "only ONNX models can be put end to end: convert "
                            "both first");
    tn_arena_init(&j.arena, draft->memory);
    tn_fresh_init(&j.fresh, draft->base, draft->arena);
    tn_intern_init(&j.ops, &j.arena);
    run(&j);
    tn_intern_done(&j.ops);
    tn_fresh_done(&j.fresh);
    tn_arena_done(&j.arena);
    return error->status;
}
