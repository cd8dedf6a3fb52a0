/* listing.c - the rows of a model as columns, in one block of memory each */
#include <tenon/list.h>

#include "base/arith.h"
#include "base/given.h"
#include "base/sized.h"
#include "engine/opened.h"
#include "engine/texts_now.h"
#include "format/about.h"
#include "io/large_blocks.h"
#include "ir/changes.h"
#include "ir/pairs.h"

/* A list, and the memory that it is in. */
struct listing {
    struct tn_memory memory;
    struct tn_arena  arena;
    union {
        struct tn_tensor_list tensors;
        struct tn_op_list     ops;

        struct tn_metadata_list metadata;
    } of;
};

static struct listing *new_listing(const struct tn_options *options,
                                   struct tn_error         *error)
{
    struct tn_allocator allocator =
        options && options->allocator ? *options->allocator : tn_large_blocks();
    struct listing *listing =
        allocator.resize(allocator.context, NULL, 0, sizeof *listing);

    if (!listing) {
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                     "out of memory at %zu bytes", sizeof *listing);
        return NULL;
    }
    memset(listing, 0, sizeof *listing);
    tn_memory_take_options(&listing->memory, options);
    listing->memory.allocator = allocator;
    tn_arena_init(&listing->arena, &listing->memory);
    return listing;
}

static void close_listing(const void *list)
{
    if (!list)
        return;
    struct listing *listing =
        (struct listing *)((uintptr_t)list - offsetof(struct listing, of));
    struct tn_allocator allocator = listing->memory.allocator;

    tn_arena_done(&listing->arena);
    allocator.resize(allocator.context, listing, sizeof *listing, 0);
}

typedef void fill(struct listing *listing, const struct tn_model *model,
                  struct tn_error *error);

static struct listing *make_listing(fill *columns, const struct tn_model *model,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    struct listing *listing = new_listing(options, error);

    if (listing)
        columns(listing, model, error);
    if (!listing || !tn_failed(error))
        return listing;
    close_listing(&listing->of);
    return NULL;
}

/* A column, not zeroed; never NULL unless it failed. */
#define COLUMN(listing, T, count, error)                                       \
    ((T *)take_column(listing, count, sizeof(T), error))

static void *take_column(struct listing *listing, uint64_t count, size_t item,
                         struct tn_error *error)
{
    uint64_t size;

    if (tn_failed(error))
        return NULL;
    if (!tn_mul(count, item, &size)) {
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE, "the list is too long");
        return NULL;
    }
    return tn_arena_take(&listing->arena, size ? size : 1, 16, error);
}

/* ---- texts ----------------------------------------------------------------
 */

typedef struct tn_bytes text_at(const void *from, uint64_t index);

/* Measures, then copies: `at` is called twice for each of them. */
static void list_texts(struct listing *listing, struct tn_texts *texts,
                       uint64_t count, text_at *at, const void *from,
                       struct tn_error *error)
{
    uint64_t *ends = COLUMN(listing, uint64_t, count, error);
    uint64_t  size = 0;

    for (uint64_t i = 0; ends && i < count; i++) {
        ends[i] = size + at(from, i).size; /* texts that are in memory */
        size    = ends[i] + 1;
    }
    char *bytes = COLUMN(listing, char, size, error);
    if (!bytes)
        return;
    *texts = (struct tn_texts){
        .count = count, .bytes = bytes, .size = size, .ends = ends
    };
    for (uint64_t i = 0; i < count; i++) {
        struct tn_bytes text = at(from, i);
        if (text.size) {
            memcpy(bytes, text.data, text.size);
            texts->has_zeros |= memchr(text.data, 0, text.size) != NULL;
        }
        bytes[text.size] = '\0';
        bytes += text.size + 1;
    }
}

static struct tn_bytes tensor_name_at(const void *model, uint64_t index)
{
    return tn_tensor_name(tn_model_tensor(model, index));
}

static struct tn_bytes op_name_at(const void *model, uint64_t index)
{
    return tn_model_op(model, (uint32_t)index).name;
}

static struct tn_bytes value_name_at(const void *model, uint64_t index)
{
    return tn_model_value_name(model, (uint32_t)index);
}

/* ---- tensors --------------------------------------------------------------
 */

static void fill_tensors(struct listing *listing, const struct tn_model *model,
                         struct tn_error *error)
{
    uint64_t  count = tn_model_tensor_count(model), dim_count = 0;
    uint8_t  *dtypes  = COLUMN(listing, uint8_t, count, error);
    uint8_t  *roles   = COLUMN(listing, uint8_t, count, error);
    uint32_t *ranks   = COLUMN(listing, uint32_t, count, error);
    uint64_t *sizes   = COLUMN(listing, uint64_t, count, error);
    uint64_t *offsets = COLUMN(listing, uint64_t, count, error);

    for (uint64_t i = 0; offsets && i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        dtypes[i]                      = (uint8_t)tn_tensor_dtype(tensor);
        roles[i]                       = (uint8_t)tn_tensor_role(tensor);
        ranks[i]                       = tn_tensor_rank(tensor);
        sizes[i]                       = tn_tensor_size(tensor);
        offsets[i]                     = tn_tensor_offset(tensor);
        dim_count += ranks[i];
    }
    uint64_t *dims = COLUMN(listing, uint64_t, dim_count, error);
    if (!dims)
        return;
    listing->of.tensors = (struct tn_tensor_list){ .count     = count,
                                                   .dtypes    = dtypes,
                                                   .roles     = roles,
                                                   .ranks     = ranks,
                                                   .dims      = dims,
                                                   .dim_count = dim_count,
                                                   .sizes     = sizes,
                                                   .offsets   = offsets };
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *from = tn_tensor_dims(tn_model_tensor(model, i));
        for (uint32_t k = 0; k < ranks[i]; k++)
            *dims++ = from[k];
    }
    list_texts(listing, &listing->of.tensors.names, count, tensor_name_at,
               model, error);
}

enum tn_status tn_tensor_list_open(const struct tn_tensor_list **out,
                                   const struct tn_model        *model,
                                   const struct tn_options      *options,
                                   struct tn_error              *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    struct listing *listing = make_listing(fill_tensors, model, options, error);

    if (listing)
        *out = &listing->of.tensors;
    return error->status;
}

void tn_tensor_list_close(const struct tn_tensor_list *list)
{
    close_listing(list);
}

/* ---- ops ------------------------------------------------------------------
 */

struct kinds {
    const struct tn_model *model;
    const uint32_t        *firsts; /* an op of each kind */
};

static struct tn_bytes type_at(const void *from, uint64_t index)
{
    const struct kinds *kinds = from;

    return tn_model_op(kinds->model, kinds->firsts[index]).type;
}

static struct tn_bytes domain_at(const void *from, uint64_t index)
{
    const struct kinds *kinds = from;

    return tn_model_op(kinds->model, kinds->firsts[index]).domain;
}

/* Ops know domain and type as numbers of names. */
static void fill_kinds(struct listing *listing, const struct tn_model *model,
                       uint32_t *kind_of, struct tn_error *error)
{
    uint64_t        count = tn_model_op_count(model);
    struct tn_pairs index;
    struct tn_list  firsts; /* uint32_t: an op of each kind */

    tn_pairs_init(&index, &listing->memory);
    tn_list_init(&firsts, &listing->memory, sizeof(uint32_t));
    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        const struct tn_op *op    = tn_model_op_at(model, (uint32_t)i);
        uint32_t            found = tn_pairs_find(&index, op->domain, op->type);
        if (found == TN_NONE) {
            found           = (uint32_t)firsts.count;
            uint32_t *first = tn_list_push(&firsts, uint32_t, error);
            if (first)
                *first = (uint32_t)i;
            tn_pairs_add(&index, op->domain, op->type, found, error);
        }
        kind_of[i] = found;
    }
    struct tn_op_list *ops   = &listing->of.ops;
    struct kinds       kinds = { model, firsts.items };
    if (!tn_failed(error)) {
        list_texts(listing, &ops->kinds, firsts.count, type_at, &kinds, error);
        list_texts(listing, &ops->domains, firsts.count, domain_at, &kinds,
                   error);
    }
    tn_list_done(&firsts);
    tn_pairs_done(&index);
}

static void fill_links(struct listing *listing, const struct tn_model *model,
                       uint32_t *input_counts, uint32_t *output_counts,
                       struct tn_error *error)
{
    struct tn_op_list *ops = &listing->of.ops;
    uint32_t *inputs       = COLUMN(listing, uint32_t, ops->input_total, error);
    uint32_t *outputs = COLUMN(listing, uint32_t, ops->output_total, error);

    ops->inputs  = inputs;
    ops->outputs = outputs;
    for (uint64_t i = 0; outputs && i < ops->count; i++) {
        const struct tn_op *op = tn_model_op_at(model, (uint32_t)i);
        for (uint32_t k = 0; k < input_counts[i]; k++)
            *inputs++ = tn_model_ref_at(model, (uint64_t)op->first_input + k);
        for (uint32_t k = 0; k < output_counts[i]; k++)
            *outputs++ = tn_model_ref_at(model, (uint64_t)op->first_output + k);
    }
}

static void fill_ops(struct listing *listing, const struct tn_model *model,
                     struct tn_error *error)
{
    struct tn_op_list *ops            = &listing->of.ops;
    uint64_t           count          = tn_model_op_count(model);
    uint32_t          *kind_of        = COLUMN(listing, uint32_t, count, error);
    uint32_t          *graphs         = COLUMN(listing, uint32_t, count, error);
    uint32_t          *input_counts   = COLUMN(listing, uint32_t, count, error);
    uint32_t          *control_counts = COLUMN(listing, uint32_t, count, error);
    uint32_t          *output_counts  = COLUMN(listing, uint32_t, count, error);

    if (!output_counts)
        return;
    *ops = (struct tn_op_list){ .count          = count,
                                .kind_of        = kind_of,
                                .graphs         = graphs,
                                .input_counts   = input_counts,
                                .control_counts = control_counts,
                                .output_counts  = output_counts };
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_op *op = tn_model_op_at(model, (uint32_t)i);
        graphs[i]              = op->graph;
        input_counts[i]        = op->input_count;
        control_counts[i]      = op->control_count;
        output_counts[i]       = op->output_count;
        ops->input_total += op->input_count;
        ops->output_total += op->output_count;
    }
    fill_links(listing, model, input_counts, output_counts, error);
    list_texts(listing, &ops->names, count, op_name_at, model, error);
    list_texts(listing, &ops->values, tn_model_value_count(model),
               value_name_at, model, error);
    fill_kinds(listing, model, kind_of, error);
}

enum tn_status tn_op_list_open(const struct tn_op_list **out,
                               const struct tn_model    *model,
                               const struct tn_options  *options,
                               struct tn_error          *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    if (!model->wants_graph)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the model was opened without its graph");
    struct listing *listing = make_listing(fill_ops, model, options, error);

    if (listing)
        *out = &listing->of.ops;
    return error->status;
}

void tn_op_list_close(const struct tn_op_list *list)
{
    close_listing(list);
}

/* ---- metadata -------------------------------------------------------------
 */

static struct tn_bytes key_at(const void *items, uint64_t index)
{
    return ((const struct tn_fact *)items)[index].key;
}

static struct tn_bytes value_at(const void *items, uint64_t index)
{
    return ((const struct tn_fact *)items)[index].value;
}

static void fill_metadata(struct listing *listing, const struct tn_model *model,
                          struct tn_error *error)
{
    struct tn_about now;

    tn_about_init(&now, &listing->arena, error);
    tn_describe_now(model, &now);
    listing->of.metadata.count = now.items.count;
    list_texts(listing, &listing->of.metadata.keys, now.items.count, key_at,
               now.items.items, error);
    list_texts(listing, &listing->of.metadata.values, now.items.count, value_at,
               now.items.items, error);
    tn_about_done(&now);
}

enum tn_status tn_metadata_list_open(const struct tn_metadata_list **out,
                                     const struct tn_model          *model,
                                     const struct tn_options        *options,
                                     struct tn_error                *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    struct listing *listing =
        make_listing(fill_metadata, model, options, error);

    if (listing)
        *out = &listing->of.metadata;
    return error->status;
}

void tn_metadata_list_close(const struct tn_metadata_list *list)
{
    close_listing(list);
}
