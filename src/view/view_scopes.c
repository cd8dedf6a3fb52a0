/* view_scopes.c - the scopes of names */
#include "view/view_scopes.h"

/* Up to this number of scopes in one, all are compared one after the other:
 * most have few, made recently, and comparing these takes less time than a
 * table. */
enum { FEW_INSIDE = 8 };

/* Fewer names are looked at without a thread. */
enum { FEW_NAMES = 16384 };

/* The next component of a name that others follow; false if there is none. */
static bool next_component(struct tn_bytes *name, uint8_t separator,
                           struct tn_bytes *component)
{
    for (;;) {
        const uint8_t *end = tn_bytes_find(*name, separator);
        if (!end)
            return false;
        size_t size = (size_t)(end - name->data);
        *component  = tn_bytes(name->data, size);
        *name       = tn_bytes(end + 1, name->size - size - 1);
        if (size)
            return name->size > 0;
    }
}

/* TN_NONE on failure. */
static uint32_t new_scope(struct tn_view_scopes *s, uint32_t parent,
                          uint32_t word)
{
    uint32_t index = (uint32_t)s->rows.count;

    if (index >= TN_VIEW_SLASH - 1) {
        tn_error_set(&s->error, TN_LIMIT, TN_NOWHERE,
                     "more than 2^31 groups of nodes to draw");
        return TN_NONE;
    }
    struct tn_view_scope *row =
        tn_list_push(&s->rows, struct tn_view_scope, &s->error);
    if (!row)
        return TN_NONE;
    *row = (struct tn_view_scope){ .parent    = parent,
                                   .word      = word,
                                   .before    = TN_NONE,
                                   .latest    = TN_NONE,
                                   .container = TN_NONE };
    return index;
}

/* The latest are compared first. */
static uint32_t find_scope(const struct tn_view_scopes *s, uint32_t parent,
                           uint32_t word)
{
    const struct tn_view_scope *row  = tn_view_scope(s, parent);
    uint32_t                    left = FEW_INSIDE;

    for (uint32_t i = row->latest; i != TN_NONE && left-- > 0;
         i          = tn_view_scope(s, i)->before)
        if (tn_view_scope(s, i)->word == word)
            return i;
    return row->count > FEW_INSIDE ? tn_pairs_find(&s->many, parent, word)
                                   : TN_NONE;
}

/* Those before go into the table when there is one too many. */
static void note_scope(struct tn_view_scopes *s, uint32_t parent, uint32_t made)
{
    struct tn_view_scope *row = tn_view_scope(s, parent);

    tn_view_scope(s, made)->before = row->latest;
    row->latest                    = made;
    row->count++;
    uint32_t left = row->count > FEW_INSIDE + 1 ? 1 : row->count;
    for (uint32_t i = made; row->count > FEW_INSIDE && left-- > 0;
         i          = tn_view_scope(s, i)->before)
        tn_pairs_add(&s->many, parent, tn_view_scope(s, i)->word, i, &s->error);
}

/* TN_NONE on failure. */
static uint32_t scope_in(struct tn_view_scopes *s, uint32_t parent,
                         struct tn_bytes text)
{
    uint32_t word = tn_intern_borrow(&s->words, text, &s->error);

    if (word == TN_NO_NAME)
        return TN_NONE;
    uint32_t found = find_scope(s, parent, word);
    if (found != TN_NONE)
        return found;
    uint32_t made = new_scope(s, parent, word);
    if (made != TN_NONE)
        note_scope(s, parent, made);
    return tn_failed(&s->error) ? TN_NONE : made;
}

/* How many scopes of the name before are those of this one.  A name with a
 * slash has no others. */
static uint32_t scopes_shared(const struct tn_view_scopes *s,
                              struct tn_bytes              name)
{
    size_t   shared = tn_bytes_shared(name, s->last);
    uint32_t count  = 0;

    while (count < s->depth && s->stack[count].end <= shared &&
           s->stack[count].end < name.size)
        count++;
    if (count && s->last.data[s->stack[0].end - 1] != '/' &&
        tn_bytes_find(name, '/'))
        return 0;
    return count;
}

/* The scope of a name, and whether it has a slash.  Most names begin like the
 * one before, and only the rest is examined. */
static uint32_t scope_of(struct tn_view_scopes *s, uint32_t graph,
                         struct tn_bytes name)
{
    struct tn_bytes component;
    uint32_t        depth     = scopes_shared(s, name);
    size_t          begin     = depth ? s->stack[depth - 1].end : 0;
    struct tn_bytes rest      = tn_bytes(name.data + begin, name.size - begin);
    uint8_t         separator = depth ? name.data[begin - 1]
                                : tn_bytes_find(name, '/') ? '/'
                                                           : '.';
    uint32_t        in        = depth ? s->stack[depth - 1].scope : graph;

    while (depth < TN_VIEW_SCOPES_MOST &&
           next_component(&rest, separator, &component)) {
        in = scope_in(s, in, component);
        if (in == TN_NONE)
            return TN_NONE;
        s->stack[depth].end     = name.size - rest.size;
        s->stack[depth++].scope = in;
    }
    s->depth = depth;
    s->last  = name;
    return in | (separator == '/' ? TN_VIEW_SLASH : 0);
}

static struct tn_bytes name_at(const struct tn_view_scopes *s, uint64_t index)
{
    return s->is_of_tensors ? tn_tensor_name(tn_model_tensor(s->model, index))
                            : tn_picture_op_name(s->model, (uint32_t)index);
}

/* Names in [first, end), all in one graph. */
static void look_at_names(struct tn_view_scopes *s, uint32_t graph,
                          uint64_t first, uint64_t end)
{
    enum { AHEAD = 12 };

    s->depth = 0;
    for (uint64_t i = first; i < end && !tn_failed(&s->error); i++) {
        if (i + AHEAD < end)
            tn_view_fetch_text(name_at(s, i + AHEAD));
        s->homes[i] = scope_of(s, graph, name_at(s, i));
    }
}

/* The second slot is there because one alone would start no thread. */
static void look(void *context, uint32_t slot)
{
    struct tn_view_scopes *s = context;
    uint64_t               count =
        s->is_of_tensors ? s->model->tensors.count : s->model->ops.count;

    if (slot)
        return;
    s->homes = tn_arena_take(&s->arena, (count + 1) * sizeof *s->homes,
                             alignof(uint32_t), &s->error);
    for (uint32_t i = 0; i < s->model->graphs.count + 1; i++)
        new_scope(s, TN_NONE, TN_NO_NAME);
    if (tn_failed(&s->error))
        return;
    if (s->is_of_tensors)
        look_at_names(s, 0, 0, count);
    for (uint32_t i = 0; !s->is_of_tensors && i < s->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(s->model, i);
        look_at_names(s, i, graph->first_op, graph->first_op + graph->op_count);
    }
}

void tn_view_scopes_begin(struct tn_view_scopes   *scopes,
                          const struct tn_picture *picture, bool is_of_tensors)
{
    struct tn_memory *memory  = picture->memory;
    unsigned          workers = tn_pipeline_workers(memory->workers);

    *scopes = (struct tn_view_scopes){ .model         = picture->model,
                                       .is_of_tensors = is_of_tensors,
                                       .error         = TN_ERROR_INIT };
    tn_arena_init(&scopes->arena, memory);
    tn_intern_init(&scopes->words, &scopes->arena);
    tn_list_init(&scopes->rows, memory, sizeof(struct tn_view_scope));
    tn_pairs_init(&scopes->many, memory);
    if (workers > 2)
        workers = 2;
    if (is_of_tensors || picture->model->ops.count < FEW_NAMES)
        workers = 1;
    tn_pipeline_open(&scopes->pipeline, workers, 2, look, scopes);
    tn_pipeline_watches(&scopes->pipeline, memory);
    tn_pipeline_add(&scopes->pipeline);
    tn_pipeline_add(&scopes->pipeline);
}

enum tn_status tn_view_scopes_end(struct tn_view_scopes *scopes,
                                  struct tn_error       *error)
{
    while (tn_pipeline_count(&scopes->pipeline))
        tn_pipeline_take(&scopes->pipeline);
    if (tn_failed(&scopes->error) && !tn_failed(error))
        *error = scopes->error;
    return error->status;
}

void tn_view_scopes_done(struct tn_view_scopes *scopes)
{
    tn_pipeline_close(&scopes->pipeline);
    tn_pairs_done(&scopes->many);
    tn_list_done(&scopes->rows);
    tn_intern_done(&scopes->words);
    tn_arena_done(&scopes->arena);
}
