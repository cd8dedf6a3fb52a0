/*
 * edit_tensors.c - actions on weights
 *
 *   put NAME FILE[:TENSOR]       another value of a tensor, or a new tensor
 *   put-raw NAME FILE TYPE DIMS  the same from the bytes of a file
 *   remove-tensor NAME ...
 *   weights-from FILE            every tensor that FILE has by the same name
 *   weights-by-position FILE     the n-th of FILE for the n-th of the model
 *   weights-by-map FILE MAP      lines NAME TENSOR-OF-FILE
 *   tie KEPT OTHER ...           equal weights become one
 *   untie NODE INDEX NEW         an input gets a copy of its own
 *
 * Elements are shared with the file, never read, but to compare tied weights.
 *
 * A tensor is a row of the draft (an initializer, a variable of a checkpoint),
 * or the attribute of a node that makes nothing else of it: TensorFlow's Const,
 * ONNX's Constant.
 */
#include <inttypes.h>

#include <tenon/verbs.h>

#include "base/number.h"
#include "base/sized.h"
#include "engine/edit_action.h"
#include "engine/read_file.h"

/* ---- finding them ------------------------------------------------------- */

/* All tensors that words may name. */
struct weights {
    struct tn_edit  *edit;
    struct tn_intern names;
    struct tn_list   places; /* struct place, by name                         */
};

struct place {
    uint64_t row; /* of the draft's tensors; UINT64_MAX: none                 */
    uint32_t op;  /* whose attribute "value" it is                            */
    struct tn_shape shape;
    bool            is_several;
};

static bool is_of_graph(const struct weights *w, uint32_t graph)
{
    return graph == w->edit->graph || graph == TN_NONE;
}

static struct place *add_place(struct weights *w, struct tn_bytes name,
                               struct tn_error *error)
{
    uint32_t id = tn_intern_copy(&w->names, name, error);

    if (id == TN_NO_NAME)
        return NULL;
    if (id < w->places.count) {
        tn_list_at(&w->places, struct place, id)->is_several = true;
        return NULL;
    }
    return tn_list_push(&w->places, struct place, error);
}

static uint32_t inputs_of(const struct tn_draft_op *op)
{
    return op->change ? op->change->input_count - op->change->control_count
                      : tn_model_op_at(op->from, op->row)->input_count -
                            tn_model_op_at(op->from, op->row)->control_count;
}

static void add_constants(struct weights *w, struct tn_error *error)
{
    struct tn_edit      *edit = w->edit;
    struct tn_attr_value value;

    for (uint32_t op = tn_draft_graph_at(&edit->draft, edit->graph)->first;
         op != TN_NONE && !tn_failed(error);
         op = tn_draft_op_at(&edit->draft, op)->next) {
        const struct tn_draft_op *o    = tn_draft_op_at(&edit->draft, op);
        struct tn_error           none = TN_ERROR_INIT;
        if (o->is_removed || inputs_of(o) != 0 ||
            tn_draft_get_attr(&edit->draft, op, "value",
                              &edit->store->model.arena, &value,
                              &none) != TN_OK ||
            value.kind != TN_ATTR_TENSOR || value.is_list)
            continue;
        struct tn_bytes name  = tn_edit_op_output(edit, op, 0);
        struct place   *place = name.size ? add_place(w, name, error) : NULL;
        if (place)
            *place = (struct place){
                .row   = UINT64_MAX,
                .op    = op,
                .shape = value.of.tensors[0]->elements.shape,
            };
    }
}

static void weights_init(struct weights *w, struct tn_edit *edit,
                         bool has_constants, struct tn_error *error)
{
    *w = (struct weights){ .edit = edit };
    tn_intern_init(&w->names, &edit->store->model.arena);
    tn_list_init(&w->places, &edit->store->memory, sizeof(struct place));
    for (uint64_t i = 0; i < edit->draft.tensors.count && !tn_failed(error);
         i++) {
        const struct tn_draft_tensor *t =
            tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, i);
        if (t->is_removed || t->row.node != TN_NONE ||
            !is_of_graph(w, t->row.graph))
            continue;
        struct place *place = add_place(w, t->name, error);
        if (place)
            *place = (struct place){ .row   = i,
                                     .op    = TN_NONE,
                                     .shape = t->row.elements.shape };
    }
    if (has_constants && edit->graph != TN_NONE)
        add_constants(w, error);
}

static void weights_done(struct weights *w)
{
    tn_list_done(&w->places);
    tn_intern_done(&w->names);
}

static const struct place *find_place(const struct weights *w,
                                      struct tn_bytes       name)
{
    uint32_t id = tn_intern_find(&w->names, name);

    return id == TN_NO_NAME ? NULL : tn_list_at(&w->places, struct place, id);
}

/* ---- putting ------------------------------------------------------------ */

static enum tn_status put_constant(struct tn_edit *edit, uint32_t op,
                                   const struct tn_tensor *from,
                                   struct tn_error        *error)
{
    const struct tn_tensor *one[] = { from };
    int64_t                 dtype = (int64_t)from->elements.shape.dtype;
    struct tn_error         none  = TN_ERROR_INIT;
    struct tn_attr_value    old;
    struct tn_attr_value    value = { .kind       = TN_ATTR_TENSOR,
                                      .count      = 1,
                                      .of.tensors = one };
    struct tn_attr_value    type  = { .kind    = TN_ATTR_DTYPE,
                                      .count   = 1,
                                      .of.ints = &dtype };

    /* Elements of the edit's own have no model that must stay. */
    TN_TRY(from->model
               ? tn_edit_set_attr(edit, op, "value", &value, error)
               : tn_draft_set_attr(&edit->draft, op, "value", &value, error));
    if (tn_draft_get_attr(&edit->draft, op, "dtype", &edit->store->model.arena,
                          &old, &none) == TN_OK &&
        old.kind == TN_ATTR_DTYPE)
        return tn_edit_set_attr(edit, op, "dtype", &type, error);
    return TN_OK;
}

static enum tn_status put_at(struct tn_edit *edit, const struct place *place,
                             const struct tn_tensor *from,
                             struct tn_error        *error)
{
    if (place->row == UINT64_MAX)
        return put_constant(edit, place->op, from, error);
    struct tn_draft_tensor *t =
        tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, place->row);
    return tn_draft_replace_row(&edit->draft, t, &from->elements, error);
}

static enum tn_status add_new(struct tn_edit *edit, const char *name,
                              const struct tn_tensor *from,
                              struct tn_error        *error)
{
    if (edit->graph != TN_NONE)
        return tn_draft_add_tensor(&edit->draft, edit->graph, name,
                                   &from->elements, error);
    return tn_draft_add_variable(&edit->draft, name, &from->elements, error);
}

/* The op of the current graph that holds the tensor of that name and does
 * nothing else; TN_NONE: none does. */
static uint32_t find_constant(struct tn_edit *edit, const char *name,
                              struct tn_error *error)
{
    struct tn_error      none = TN_ERROR_INIT;
    struct tn_attr_value value;
    uint32_t             output;
    uint32_t             op = tn_edit_find_producer(edit, name, &output, error);

    if (op == TN_NONE || inputs_of(tn_draft_op_at(&edit->draft, op)) != 0 ||
        tn_draft_get_attr(&edit->draft, op, "value", &edit->store->model.arena,
                          &value, &none) != TN_OK ||
        value.kind != TN_ATTR_TENSOR || value.is_list)
        return TN_NONE;
    return op;
}

bool tn_edit_replace_constant(struct tn_edit *edit, uint32_t graph,
                              const char               *name,
                              const struct tn_elements *elements,
                              struct tn_error          *error)
{
    uint32_t current = edit->graph;

    edit->graph = graph;
    uint32_t op = find_constant(edit, name, error);
    edit->graph = current;
    if (op == TN_NONE)
        return tn_failed(error);
    struct tn_tensor *from =
        tn_new(&edit->store->model.arena, struct tn_tensor, 1, error);
    if (from) {
        from->elements = *elements;
        put_constant(edit, op, from, error);
    }
    return true;
}

/* Whether an operator changes the value of that name in place, as those of
 * PaddlePaddle change averages: then it is an input and an output. */
static bool updates(const struct tn_edit *edit, uint32_t op, const char *name)
{
    const struct tn_draft_op *o = tn_draft_op_at(&edit->draft, op);

    for (uint32_t i = 0; o->change && i < o->change->input_count; i++)
        if (tn_bytes_is(o->change->inputs[i], name))
            return true;
    const struct tn_op *row =
        o->change ? NULL : tn_model_op_at(o->from, o->row);
    for (uint32_t i = 0; row && i < row->input_count; i++) {
        uint32_t value =
            tn_model_ref_at(o->from, (uint64_t)row->first_input + i);
        if (value != TN_NONE &&
            tn_bytes_is(tn_model_value_name(o->from, value), name))
            return true;
    }
    return false;
}

/* Whether something else than a tensor has the name. */
static bool is_taken(struct tn_edit *edit, const char *name,
                     struct tn_error *error)
{
    uint32_t output;
    uint32_t op = tn_edit_find_producer(edit, name, &output, error);

    return op != TN_NONE && !updates(edit, op, name);
}

static enum tn_status put_tensor(struct tn_edit *edit, const char *name,
                                 const struct tn_tensor *from,
                                 struct tn_error        *error)
{
    struct tn_draft_tensor *row =
        tn_edit_find_tensor(edit, edit->graph, name, error);

    if (!row && edit->graph != TN_NONE)
        row = tn_edit_find_tensor(edit, TN_NONE, name, error);
    if (tn_failed(error))
        return error->status;
    if (row)
        return tn_draft_replace_row(&edit->draft, row, &from->elements, error);
    uint32_t op = find_constant(edit, name, error);
    if (op != TN_NONE)
        return put_constant(edit, op, from, error);
    if (is_taken(edit, name, error))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is computed by a node: it is not a tensor",
                            name);
    return add_new(edit, name, from, error);
}

enum tn_status tn_edit_act_put(struct tn_edit        *edit,
                               const struct tn_words *words,
                               struct tn_error       *error)
{
    const struct tn_tensor *from;

    TN_TRY(tn_edit_open_tensor(edit, words->items[1], &from, error));
    return put_tensor(edit, words->items[0], from, error);
}

/* "3,4": the dims of a tensor; "" is a scalar. */
static enum tn_status read_dims(struct tn_edit *edit, const char *word,
                                struct tn_shape *shape, struct tn_error *error)
{
    const char *at    = word;
    uint32_t    count = word[0] ? 1 : 0;

    for (const char *c = word; *c; c++)
        count += *c == ',';
    uint64_t *dims = tn_new(&edit->store->model.arena, uint64_t, count, error);
    for (uint32_t i = 0; dims && i < count; i++) {
        size_t  size = strcspn(at, ",");
        int64_t dim;
        if (!tn_int64_parse(tn_bytes(at, size), &dim) || dim < 0)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "'%s' is not a shape, such as 3,4", word);
        dims[i] = (uint64_t)dim;
        at += size + (at[size] == ',');
    }
    shape->rank = count;
    shape->dims = dims;
    return error->status;
}

/* The bytes of a file as a tensor, without reading them. */
static enum tn_status open_raw(struct tn_edit *edit, const char *word,
                               struct tn_tensor *tensor, struct tn_error *error)
{
    struct tn_shape  *shape = &tensor->elements.shape;
    const char       *path  = tn_edit_path(edit, word, error);
    struct tn_opened *files = NULL;
    uint64_t          size;

    if (!path || tn_opened_files(&files, path, &edit->options, error) != TN_OK)
        return error->status;
    struct tn_source *source = files->bundle.main;
    if (!source)
        tn_error_set(error, TN_INVALID, TN_NOWHERE, "this is a folder");
    else if (!tn_shape_bytes(shape, &size))
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "a tensor of this type and shape is too large");
    else if (size != source->size)
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "the file has %" PRIu64
                     " bytes, the type and shape take %" PRIu64,
                     source->size, size);
    else if (tn_opened_hold(edit->store, files, error) == TN_OK)
        tensor->elements.payload = tn_payload_raw(
            shape, (struct tn_span){ source, 0, source->size }, 1);
    if (tn_failed(error))
        tn_error_file(error, path);
    tn_opened_release(files); /* the store holds it */
    return error->status;
}

enum tn_status tn_edit_act_put_raw(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    struct tn_tensor tensor = { .graph = TN_NONE,
                                .node  = TN_NONE,
                                .model = &edit->store->model };
    struct tn_shape *shape  = &tensor.elements.shape;

    shape->dtype = tn_dtype_find(words->items[2]);
    if (shape->dtype == TN_UNDEFINED || shape->dtype == TN_STRING)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a type with a fixed size, such as "
                            "float32",
                            words->items[2]);
    TN_TRY(read_dims(edit, words->items[3], shape, error));
    TN_TRY(open_raw(edit, words->items[1], &tensor, error));
    return put_tensor(edit, words->items[0], &tensor, error);
}

/* ---- removing ----------------------------------------------------------- */

static enum tn_status remove_one(struct tn_edit *edit, const char *name,
                                 struct tn_error *error)
{
    struct tn_draft_tensor *row =
        tn_edit_find_tensor(edit, edit->graph, name, error);

    if (!row && edit->graph != TN_NONE)
        row = tn_edit_find_tensor(edit, TN_NONE, name, error);
    if (row)
        return tn_draft_drop_row(&edit->draft, row, error);
    uint32_t op = find_constant(edit, name, error);
    if (op != TN_NONE)
        return tn_edit_remove_op(edit, op, error);
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no tensor '%s'",
                        name);
}

enum tn_status tn_edit_act_remove_tensor(struct tn_edit        *edit,
                                         const struct tn_words *words,
                                         struct tn_error       *error)
{
    for (uint32_t i = 0; i < words->count; i++)
        TN_TRY(remove_one(edit, words->items[i], error));
    return TN_OK;
}

/* ---- weights of another model ------------------------------------------- */

static void put_shape_text(struct tn_buffer *to, const struct tn_shape *shape)
{
    tn_buffer_format(to, "%s [", tn_dtype_name(shape->dtype));
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_buffer_format(to, "%s%" PRIu64, i ? ", " : "", shape->dims[i]);
    tn_buffer_byte(to, ']');
}

static enum tn_status refuse_shape(struct tn_edit *edit, struct tn_bytes name,
                                   const struct tn_shape *has,
                                   const struct tn_shape *wants,
                                   struct tn_error       *error)
{
    struct tn_error  own = TN_ERROR_INIT;
    struct tn_buffer text;

    tn_buffer_init(&text, &edit->store->memory, &own);
    put_shape_text(&text, has);
    tn_buffer_text(&text, " in the file, and ");
    put_shape_text(&text, wants);
    tn_error_set(error, TN_INVALID, TN_NOWHERE, "'%.*s' is %s in the model",
                 TN_FMT(name), tn_buffer_string(&text));
    tn_buffer_done(&text);
    return error->status;
}

static enum tn_status put_equal(struct weights *w, struct tn_bytes name,
                                const struct place     *place,
                                const struct tn_tensor *from,
                                struct tn_error        *error)
{
    if (place->is_several)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "several tensors are called '%.*s'", TN_FMT(name));
    if (!tn_shape_equal(&from->elements.shape, &place->shape))
        return refuse_shape(w->edit, name, &from->elements.shape, &place->shape,
                            error);
    return put_at(w->edit, place, from, error);
}

static enum tn_status put_by_name(struct weights        *w,
                                  const struct tn_model *from,
                                  struct tn_error       *error)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < from->tensors.count && !tn_failed(error); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(from, i);
        struct tn_bytes         name   = tn_tensor_name(tensor);
        const struct place     *place  = find_place(w, name);
        if (!place)
            continue;
        count++;
        TN_TRY(put_equal(w, name, place, tensor, error));
    }
    return count || tn_failed(error)
               ? error->status
               : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                              "none of its %" PRIu64
                              " tensors has the name of one of the model; use "
                              "--weights-by-map or --weights-by-position",
                              from->tensors.count);
}

enum tn_status tn_edit_act_weights_from(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    const struct tn_model *from;
    struct weights         w;

    TN_TRY(tn_edit_open_model(edit, words->items[0], false, &from, error));
    weights_init(&w, edit, true, error);
    if (!tn_failed(error) && put_by_name(&w, from, error) != TN_OK)
        tn_error_file(error, words->items[0]);
    weights_done(&w);
    return error->status;
}

/* Constants inside nodes count as weights only if there are no others. */
static enum tn_status put_by_position(struct weights        *w,
                                      const struct tn_model *from,
                                      struct tn_error       *error)
{
    if (w->places.count != from->tensors.count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%" PRIu64 " tensors, and the model has %" PRIu64,
                            from->tensors.count, w->places.count);
    for (uint64_t i = 0; i < w->places.count; i++)
        TN_TRY(put_equal(w, tn_intern_text(&w->names, (uint32_t)i),
                         tn_list_at(&w->places, struct place, i),
                         tn_model_tensor(from, i), error));
    return TN_OK;
}

enum tn_status tn_edit_act_weights_by_position(struct tn_edit        *edit,
                                               const struct tn_words *words,
                                               struct tn_error       *error)
{
    const struct tn_model *from;
    struct weights         w;

    TN_TRY(tn_edit_open_model(edit, words->items[0], false, &from, error));
    weights_init(&w, edit, false, error);
    if (w.places.count == 0 && edit->graph != TN_NONE)
        add_constants(&w, error);
    if (!tn_failed(error) && put_by_position(&w, from, error) != TN_OK)
        tn_error_file(error, words->items[0]);
    weights_done(&w);
    return error->status;
}

static enum tn_status put_pair(struct weights *w, const struct tn_model *from,
                               const struct tn_words *pair,
                               struct tn_error       *error)
{
    const struct place *place = find_place(w, tn_text(pair->items[0]));

    if (!place)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the model has no tensor '%s'", pair->items[0]);
    const struct tn_tensor *tensor = tn_model_find(from, pair->items[1]);
    if (!tensor)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the file has no tensor '%s'", pair->items[1]);
    return put_equal(w, tn_text(pair->items[0]), place, tensor, error);
}

static enum tn_status put_by_map(struct weights *w, const struct tn_model *from,
                                 struct tn_bytes map, struct tn_error *error)
{
    struct tn_words_reader reader;
    struct tn_words        pair;

    tn_words_init(&reader, &w->edit->store->memory, map);
    while (tn_words_next(&reader, &w->edit->store->model.arena, &pair, error)) {
        if (pair.count != 2)
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "line %" PRIu32 ": %" PRIu32
                         " words, expected NAME TENSOR",
                         reader.line, pair.count);
        else
            put_pair(w, from, &pair, error);
        if (tn_failed(error))
            break;
    }
    tn_words_done(&reader);
    return error->status;
}

enum tn_status tn_edit_act_weights_by_map(struct tn_edit        *edit,
                                          const struct tn_words *words,
                                          struct tn_error       *error)
{
    const struct tn_model *from;
    struct tn_bytes        map;
    struct tn_arena        arena;
    struct weights         w;

    TN_TRY(tn_edit_open_model(edit, words->items[0], false, &from, error));
    const char *path = tn_edit_path(edit, words->items[1], error);
    tn_arena_init(&arena, &edit->store->memory);
    weights_init(&w, edit, true, error);
    if (!tn_failed(error) &&
        tn_read_file(&arena, path, "a list of names", &map, error) == TN_OK &&
        put_by_map(&w, from, map, error) != TN_OK)
        tn_error_file(error, path);
    weights_done(&w);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- tied weights ------------------------------------------------------- */

/* A tensor that a word names: its elements, and where it is. */
struct held {
    struct tn_draft_tensor *row; /* NULL: in `op`                             */
    uint32_t                op;
    struct tn_tensor        tensor;
};

static enum tn_status find_held(struct tn_edit *edit, const char *name,
                                struct held *held, struct tn_error *error)
{
    struct tn_error      none = TN_ERROR_INIT;
    struct tn_attr_value value;

    *held     = (struct held){ .op = TN_NONE };
    held->row = tn_edit_find_tensor(edit, edit->graph, name, error);
    if (held->row)
        held->tensor.elements = held->row->row.elements;
    else
        held->op = find_constant(edit, name, error);
    if (!held->row && held->op == TN_NONE)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no tensor '%s'",
                            name);
    if (!held->row &&
        tn_draft_get_attr(&edit->draft, held->op, "value",
                          &edit->store->model.arena, &value, &none) == TN_OK)
        held->tensor.elements = value.of.tensors[0]->elements;
    held->tensor.model = &edit->store->model;
    return error->status;
}

static bool is_same_span(const struct tn_payload *a, const struct tn_payload *b)
{
    return !a->view && !b->view && a->span.source &&
           a->span.source == b->span.source &&
           a->span.offset == b->span.offset &&
           a->span.length == b->span.length && a->encoding == b->encoding;
}

static enum tn_status expect_equal(const struct held *a, const struct held *b,
                                   const struct tn_words *words, uint32_t i,
                                   struct tn_error *error)
{
    uint8_t one[TN_HASH_SIZE], two[TN_HASH_SIZE];

    if (tn_shape_equal(&a->tensor.elements.shape, &b->tensor.elements.shape) &&
        is_same_span(&a->tensor.elements.payload, &b->tensor.elements.payload))
        return TN_OK;
    TN_TRY(tn_tensor_hash(&a->tensor, one, error));
    TN_TRY(tn_tensor_hash(&b->tensor, two, error));
    if (memcmp(one, two, sizeof one) == 0)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "'%s' and '%s' are not equal", words->items[0],
                        words->items[i]);
}

enum tn_status tn_edit_act_tie(struct tn_edit        *edit,
                               const struct tn_words *words,
                               struct tn_error       *error)
{
    struct held kept, other;

    if (edit->graph == TN_NONE)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "without a graph each tensor is stored by itself");
    TN_TRY(find_held(edit, words->items[0], &kept, error));
    for (uint32_t i = 1; i < words->count; i++) {
        if (strcmp(words->items[0], words->items[i]) == 0)
            continue;
        TN_TRY(find_held(edit, words->items[i], &other, error));
        TN_TRY(expect_equal(&kept, &other, words, i, error));
        if (!other.row)
            TN_TRY(tn_edit_remove_op(edit, other.op, error));
        TN_TRY(tn_draft_redirect(&edit->draft, edit->graph,
                                 tn_text(words->items[i]),
                                 tn_text(words->items[0]), error));
        if (other.row)
            TN_TRY(tn_draft_drop_row(&edit->draft, other.row, error));
    }
    return TN_OK;
}

enum tn_status tn_edit_act_untie(struct tn_edit        *edit,
                                 const struct tn_words *words,
                                 struct tn_error       *error)
{
    struct held held;
    uint64_t    index;
    uint32_t    op, output;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    TN_TRY(tn_edit_number(words->items[1], &index, error));
    struct tn_draft_change *change = tn_draft_touch_op(&edit->draft, op, error);
    if (!change)
        return error->status;
    if (index >= change->input_count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "no input %" PRIu64 ": the node has %" PRIu32
                            ", counted from 0",
                            index, change->input_count);
    struct tn_bytes name =
        tn_bytes_dup(&edit->store->model.arena, change->inputs[index], error);
    if (!name.data)
        return error->status;
    TN_TRY(find_held(edit, (const char *)name.data, &held, error));
    if (tn_edit_find_producer(edit, words->items[2], &output, error) != TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is a value '%s' already", words->items[2]);
    TN_TRY(tn_draft_add_tensor(&edit->draft, edit->graph, words->items[2],
                               &held.tensor.elements, error));
    return tn_edit_set_input(edit, op, (uint32_t)index, words->items[2], error);
}
