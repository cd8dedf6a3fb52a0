/*
 * view_nodes.c - the nodes of a picture
 *
 * Constants are not nodes: they are shown with the operator that takes them.
 * Weights that several operators take are, since an edge tells that they are
 * the same; unless they are so few numbers that nobody would look for them.
 */
#include "view/view_nodes.h"

#include "base/buffer.h"
#include "view/view_attrs.h"
#include "view/view_digits.h"

/* A constant of fewer elements is no node, however often it is used; nor is a
 * vector, such as biases that were all zeros when the model was exported. */
enum { FEW_ELEMENTS = 256, FEW_OF_VECTOR = 65536 };

enum { LAST_LOOKS = 64 };

struct op_look {
    uint64_t hash;
    uint32_t type, domain; /* names in the model                              */
    uint32_t string;
    uint8_t class;
    bool is_constant, is_shape;
};

struct finder {
    struct tn_picture         *picture;
    const struct tn_model     *model;
    struct tn_error           *error;
    struct tn_view_attr_reader attrs;
    struct tn_pairs kinds; /* (type, domain) -> in looks            */
    struct tn_pairs sinks; /* (value, 0) -> the op that stands for that
                              output of the model                   */
    struct tn_list looks;  /* struct op_look                       */
    uint32_t       last_looks[LAST_LOOKS]; /* of types seen lately         */
    uint32_t      *takers;                 /* by value: an op that takes it;
                                              MANY: several; NULL: no tensors     */
    struct tn_buffer text;
    struct {
        uint64_t look;
        uint32_t string;
    } shapes[64]; /* of tensors seen lately                                   */
};

#define MANY (TN_NONE - 1)

/* ---- values ------------------------------------------------------------- */

static void note_tensor(struct finder *f, uint32_t index)
{
    const struct tn_tensor *tensor = tn_model_tensor(f->model, index);
    uint32_t                graph  = tensor->graph;
    uint32_t                value  = TN_NONE;

    if (graph == TN_NONE)
        graph = 0;
    if (graph >= f->model->graphs.count)
        return;
    if (tensor->node == TN_NONE) {
        if (tensor->name != TN_NONE)
            value = tn_model_find_value(f->model, graph, tensor->name);
    } else if (tensor->node < tn_model_graph_at(f->model, graph)->op_count) {
        const struct tn_op *op = tn_model_op_at(
            f->model,
            tn_model_graph_at(f->model, graph)->first_op + tensor->node);
        if (op->output_count)
            value = tn_model_ref_at(f->model, op->first_output);
    }
    if (value != TN_NONE && f->picture->weights[value] == TN_NONE)
        f->picture->weights[value] = index;
}

static void note_taker(struct finder *f, uint32_t value, uint32_t op)
{
    if (value == TN_NONE)
        return;
    value           = tn_model_defining_value(f->model, value);
    uint32_t *taker = &f->takers[value];
    *taker          = *taker == TN_NONE || *taker == op ? op : MANY;
}

static uint32_t *fill_none(struct finder *f, uint64_t count)
{
    uint32_t *items = tn_arena_take(&f->picture->arena, count * sizeof *items,
                                    alignof(uint32_t), f->error);

    if (items)
        memset(items, 0xff, (size_t)count * sizeof *items);
    return items;
}

static bool find_values(struct finder *f)
{
    uint64_t count = f->model->values.count + 1;

    f->picture->makers  = fill_none(f, count);
    f->picture->weights = fill_none(f, count);
    f->picture->types   = tn_new(&f->picture->arena, uint32_t, count, f->error);
    if (!f->picture->types || !f->picture->makers || !f->picture->weights)
        return false;
    for (uint32_t i = 0; i < f->model->tensors.count; i++)
        note_tensor(f, i);
    if (!f->model->tensors.count)
        return true;
    f->takers = fill_none(f, count);
    for (uint32_t i = 0; f->takers && i < f->model->ops.count; i++) {
        const struct tn_op *op = tn_model_op_at(f->model, i);
        for (uint32_t k = 0; k < op->input_count; k++)
            note_taker(
                f, tn_model_ref_at(f->model, (uint64_t)op->first_input + k), i);
    }
    return f->takers;
}

/* ---- texts -------------------------------------------------------------- */

void tn_view_type_text(struct tn_buffer *to, const struct tn_io *io)
{
    bool has_words = false;

    if (io->note && io->note[0]) {
        tn_buffer_text(to, io->note);
        has_words = true;
    }
    if (io->dtype != TN_UNDEFINED) {
        tn_buffer_format(to, "%s%s", has_words ? " " : "",
                         tn_dtype_name(io->dtype));
        has_words = true;
    }
    if (!io->has_rank)
        return;
    tn_buffer_text(to, has_words ? " [" : "[");
    for (uint32_t i = 0; i < io->rank && i < 16; i++) {
        tn_buffer_text(to, i ? ", " : "");
        if (io->dims[i].symbol.size)
            tn_buffer_add(to, io->dims[i].symbol);
        else if (io->dims[i].value < 0)
            tn_buffer_byte(to, '?');
        else
            tn_view_add_int64(to, io->dims[i].value);
    }
    tn_buffer_byte(to, ']');
}

static uint32_t io_detail(struct finder *f, const struct tn_io *io)
{
    tn_buffer_clear(&f->text);
    tn_view_type_text(&f->text, io);
    return tn_picture_string(f->picture, tn_buffer_bytes(&f->text));
}

static uint64_t tensor_look(const struct tn_tensor *tensor)
{
    uint64_t        look = (uint64_t)tn_tensor_dtype(tensor) + 1;
    const uint64_t *dims = tn_tensor_dims(tensor);

    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        look = tn_view_mix(look, dims[i]);
    return look;
}

/* "64×3×7×7" */
static uint32_t shape_detail(struct finder *f, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);
    uint32_t        rank = tn_tensor_rank(tensor);
    uint64_t        look = tensor_look(tensor);
    unsigned        slot = look % (sizeof f->shapes / sizeof *f->shapes);

    if (f->shapes[slot].look == look)
        return f->shapes[slot].string;
    tn_buffer_clear(&f->text);
    for (uint32_t i = 0; i < rank && i < 8; i++) {
        tn_buffer_text(&f->text, i ? "×" : "");
        tn_view_add_uint64(&f->text, dims[i]);
    }
    f->shapes[slot].look = look;
    return f->shapes[slot].string =
               tn_picture_string(f->picture, tn_buffer_bytes(&f->text));
}

uint64_t tn_view_hash_name(struct tn_bytes text)
{
    uint64_t hash = 0;
    bool     was  = false;

    for (size_t i = 0; i < text.size; i++) {
        bool is = text.data[i] >= '0' && text.data[i] <= '9';
        if (!is || !was)
            hash = tn_view_mix(hash, is ? '0' : text.data[i]);
        was = is;
    }
    return hash;
}

/* ---- nodes -------------------------------------------------------------- */

static struct tn_view_node *add_node(struct finder *f, uint8_t kind,
                                     uint32_t graph, uint32_t what)
{
    if (f->picture->nodes.count >= INT32_MAX ||
        f->picture->uses.count >= MANY) {
        tn_error_set(f->error, TN_LIMIT, TN_NOWHERE,
                     "more than 2^31 nodes or 2^32 edges to draw");
        return NULL;
    }
    struct tn_view_node *node =
        tn_list_push(&f->picture->nodes, struct tn_view_node, f->error);
    if (node)
        *node = (struct tn_view_node){
            .what      = what,
            .graph     = graph,
            .first_use = (uint32_t)f->picture->uses.count,
            .kind      = kind,
        };
    return node;
}

static void add_use(struct finder *f, uint32_t value)
{
    struct tn_view_use *use =
        tn_list_push(&f->picture->uses, struct tn_view_use, f->error);

    if (use)
        *use = (struct tn_view_use){ TN_NONE, value };
}

/* The second line of an op that stands for an input or output: its type. */
static void set_port_detail(const struct finder *f, struct tn_view_node *node,
                            uint32_t value)
{
    uint32_t type = f->picture->types[value];

    node->detail = type ? type : node->op;
    node->look   = tn_view_mix(node->look, node->detail);
}

static void add_inputs(struct finder *f, uint32_t graph)
{
    const struct tn_io_list *list = &tn_model_graph_at(f->model, graph)->inputs;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct tn_io *io = &list->items[i];
        uint32_t value         = tn_model_find_named(f->model, graph, io->name);
        if (value == TN_NONE || io->has_default ||
            f->picture->makers[value] != TN_NONE)
            continue;
        if (tn_model_value_at(f->model, value)->producer != TN_NONE) {
            f->picture->types[value] = io_detail(f, io); /* for its op */
            continue;
        }
        struct tn_view_node *node = add_node(f, TN_VIEW_INPUT, graph, value);
        if (!node)
            return;
        node->class  = TN_VIEW_CLASS_DATA;
        node->detail = io_detail(f, io);
        node->look   = tn_view_mix(tn_view_mix(TN_VIEW_INPUT, node->detail + 1),
                                   tn_view_hash_name(io->name));
        f->picture->makers[value] = (uint32_t)f->picture->nodes.count - 1;
        f->picture->types[value]  = node->detail;
    }
}

static void add_outputs(struct finder *f, uint32_t graph)
{
    const struct tn_io_list *list =
        &tn_model_graph_at(f->model, graph)->outputs;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct tn_io *io = &list->items[i];
        uint32_t value         = tn_model_find_named(f->model, graph, io->name);
        if (value == TN_NONE || io->is_guessed)
            continue;
        uint32_t sink = tn_pairs_find(&f->sinks, value, 0);
        if (sink != TN_NONE) {
            f->picture->types[value] = io_detail(f, io);
            set_port_detail(f, tn_picture_node(f->picture, sink), value);
            continue;
        }
        struct tn_view_node *node = add_node(f, TN_VIEW_OUTPUT, graph, value);
        if (!node)
            return;
        node->class  = TN_VIEW_CLASS_DATA;
        node->detail = io_detail(f, io);
        node->look = tn_view_mix(tn_view_mix(TN_VIEW_OUTPUT, node->detail + 1),
                                 tn_view_hash_name(io->name));
        f->picture->types[value] = node->detail;
        add_use(f, value);
    }
}

static bool is_few(const struct tn_tensor *tensor)
{
    const uint64_t *dims      = tn_tensor_dims(tensor);
    uint32_t        long_dims = 0;

    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        long_dims += dims[i] > 1;
    return tn_tensor_count(tensor) <
           (uint64_t)(long_dims > 1 ? FEW_ELEMENTS : FEW_OF_VECTOR);
}

static bool is_shared_weight(const struct finder *f, uint32_t value)
{
    const struct tn_value *row    = tn_model_value_at(f->model, value);
    uint32_t               tensor = f->picture->weights[value];

    return tensor != TN_NONE && f->takers[value] == MANY &&
           row->producer == TN_NONE && f->picture->makers[value] == TN_NONE &&
           !is_few(tn_model_tensor(f->model, tensor));
}

static void add_weights(struct finder *f, uint32_t graph, uint32_t tensor)
{
    const struct tn_tensor *row   = tn_model_tensor(f->model, tensor);
    uint32_t                value = row->name == TN_NONE
                                        ? TN_NONE
                                        : tn_model_find_value(f->model, graph, row->name);

    if (value == TN_NONE || f->picture->weights[value] != tensor ||
        !is_shared_weight(f, value))
        return;
    struct tn_view_node *node = add_node(f, TN_VIEW_WEIGHTS, graph, value);
    if (!node)
        return;
    node->class               = TN_VIEW_CLASS_CONSTANT;
    node->detail              = shape_detail(f, row);
    node->look                = tn_view_mix(TN_VIEW_WEIGHTS, tensor_look(row));
    f->picture->makers[value] = (uint32_t)f->picture->nodes.count - 1;
}

static const struct op_look *look_of(struct finder *f, const struct tn_op *op)
{
    uint32_t *last = &f->last_looks[op->type % LAST_LOOKS];
    if (*last < f->looks.count) {
        const struct op_look *look =
            tn_list_at(&f->looks, struct op_look, *last);
        if (look->type == op->type && look->domain == op->domain)
            return look;
    }
    uint32_t next = (uint32_t)f->looks.count;
    uint32_t at = tn_pairs_add(&f->kinds, op->type, op->domain, next, f->error);

    if (at == TN_NONE)
        return NULL;
    if (at == next) {
        struct tn_bytes type = tn_model_name(f->model, op->type);
        tn_pairs_add(
            &f->picture->domains, op->domain, 0,
            tn_picture_string(f->picture, tn_model_name(f->model, op->domain)),
            f->error);
        struct op_look *look =
            tn_list_push(&f->looks, struct op_look, f->error);
        if (!look)
            return NULL;
        *look = (struct op_look){
            .hash = tn_view_mix(
                tn_view_hash_text(type),
                tn_view_hash_text(tn_model_name(f->model, op->domain))),
            .type        = op->type,
            .domain      = op->domain,
            .string      = tn_picture_string(f->picture, type),
            .class       = (uint8_t)tn_view_class_of(type),
            .is_constant = tn_view_is_constant_op(type),
            .is_shape    = tn_view_is_shape_op(type),
        };
    }
    *last = at;
    return tn_list_at(&f->looks, struct op_look, at);
}

/* The constants that it takes: they are part of what it looks like. */
static void take_inputs(struct finder *f, const struct tn_op *op,
                        struct tn_view_node *node)
{
    uint64_t                look    = node->look;
    const struct tn_tensor *largest = NULL;

    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t value =
            tn_model_ref_at(f->model, (uint64_t)op->first_input + i);
        add_use(f, value);
        if (value == TN_NONE)
            continue;
        uint32_t tensor =
            f->picture->weights[tn_model_defining_value(f->model, value)];
        if (tensor == TN_NONE)
            continue;
        const struct tn_tensor *row = tn_model_tensor(f->model, tensor);
        look                        = tn_view_mix(look, tensor_look(row) + i);
        if (!largest || tn_tensor_count(row) > tn_tensor_count(largest))
            largest = row;
    }
    if (largest && tn_tensor_count(largest) > 1)
        node->detail = shape_detail(f, largest);
    node->look = look;
}

/* Ops that stand for an input or output are called like it. */
static void name_port(struct finder *f, const struct tn_op *row,
                      struct tn_view_node *node)
{
    bool is_end = row->output_count == 0 ||
                  tn_bytes_is(tn_model_name(f->model, row->type), "fetch");
    uint32_t value = is_end ? row->input_count
                                  ? tn_model_ref_at(f->model, row->first_input)
                                  : TN_NONE
                            : tn_model_ref_at(f->model, row->first_output);

    if (value == TN_NONE)
        return;
    struct tn_bytes name = tn_model_value_name(f->model, value);
    node->title          = tn_picture_string(f->picture, name);
    node->look           = tn_view_mix(node->look, tn_view_hash_name(name));
    set_port_detail(f, node, value);
    if (is_end)
        tn_pairs_add(&f->sinks, value, 0, (uint32_t)f->picture->nodes.count - 1,
                     f->error);
}

static void add_op(struct finder *f, uint32_t graph, uint32_t op)
{
    const struct tn_op   *row  = tn_model_op_at(f->model, op);
    const struct op_look *look = look_of(f, row);
    struct tn_view_node  *node = add_node(f, TN_VIEW_OP, graph, op);

    if (!look || !node)
        return;
    node->op       = look->string;
    node->class    = look->class;
    node->is_small = look->is_constant || look->is_shape;
    node->attrs    = tn_view_attr_list(&f->attrs, op);
    node->look =
        tn_view_mix(look->hash, tn_list_at(&f->picture->lists,
                                           struct tn_view_attrs, node->attrs)
                                    ->look);
    node->look =
        tn_view_mix(node->look, (uint64_t)row->input_count << 32 |
                                    (row->output_count << 1 & UINT32_MAX) |
                                    (row->control_count != 0));
    if (f->picture->op_states && f->picture->op_states[op]) {
        node->state = f->picture->op_states[op];
        node->look  = tn_view_mix(node->look, node->state);
    }
    take_inputs(f, row, node);
    uint32_t id = (uint32_t)f->picture->nodes.count - 1;
    for (uint32_t i = 0; i < row->output_count; i++) {
        uint32_t value =
            tn_model_ref_at(f->model, (uint64_t)row->first_output + i);
        if (value == TN_NONE)
            continue;
        if (f->picture->makers[value] == TN_NONE)
            f->picture->makers[value] = id;
        if (!i && !f->picture->types[value])
            f->picture->types[value] =
                tn_list_at(&f->picture->lists, struct tn_view_attrs,
                           node->attrs)
                    ->type;
        if (!i && look->is_constant && f->picture->weights[value] != TN_NONE)
            node->detail = shape_detail(
                f, tn_model_tensor(f->model, f->picture->weights[value]));
    }
    if (look->class == TN_VIEW_CLASS_DATA && !node->detail)
        name_port(f, row, node);
}

/* Tensors of graphs are listed graph by graph, but not always. */
static void add_graph_weights(struct finder *f, uint32_t graph)
{
    if (graph == 0)
        for (uint32_t i = 0; i < f->model->tensors.count; i++) {
            uint32_t of = tn_model_tensor(f->model, i)->graph;
            if (of == 0 || of == TN_NONE)
                add_weights(f, 0, i);
        }
}

static void add_graph(struct finder *f, uint32_t graph)
{
    const struct tn_graph *row = tn_model_graph_at(f->model, graph);

    add_inputs(f, graph);
    add_graph_weights(f, graph);
    for (uint64_t i = 0; i < row->op_count && !tn_failed(f->error); i++)
        add_op(f, graph, (uint32_t)(row->first_op + i));
    add_outputs(f, graph);
}

/* Finds the producers of what each node takes, after all nodes are known.  A
 * value that an op of a TensorFlow graph makes may be named before the op is
 * met. */
static void connect(struct finder *f)
{
    for (uint64_t i = 0; i < f->picture->uses.count; i++) {
        struct tn_view_use *use =
            tn_list_at(&f->picture->uses, struct tn_view_use, i);
        if (use->value == TN_NONE)
            continue;
        use->from =
            f->picture->makers[tn_model_defining_value(f->model, use->value)];
    }
}

static uint32_t *list_by_op(struct finder *f)
{
    uint32_t *nodes = fill_none(f, f->model->ops.count);

    for (uint32_t i = 0; nodes && i < f->picture->nodes.count; i++) {
        const struct tn_view_node *node = tn_picture_node(f->picture, i);
        if (node->kind == TN_VIEW_OP)
            nodes[node->what] = i;
    }
    return nodes;
}

/* Its producer is known, but it is not among that one's outputs. */
static bool lacks_maker(const struct finder *f, uint32_t value)
{
    const struct tn_value *row = tn_model_value_at(f->model, value);

    return f->picture->makers[value] == TN_NONE &&
           row->kind == TN_VALUE_OUTPUT && row->producer < f->model->ops.count;
}

/* Few models have such values, so that nodes are listed by op for these alone.
 */
static void find_other_makers(struct finder *f)
{
    uint32_t *of_ops = NULL;

    for (uint32_t i = 0; i < f->model->values.count; i++) {
        if (!lacks_maker(f, i))
            continue;
        if (!of_ops && !(of_ops = list_by_op(f)))
            return;
        f->picture->makers[i] =
            of_ops[tn_model_value_at(f->model, i)->producer];
    }
}

/* The value that a signature means: "call:0" is also called "call". */
static uint32_t value_of_signature(const struct finder *f, struct tn_bytes name)
{
    uint32_t value = tn_model_find_named(f->model, 0, name);

    if (value == TN_NONE && tn_bytes_ends_with(name, ":0"))
        value = tn_model_find_named(f->model, 0,
                                    tn_bytes(name.data, name.size - 2));
    return value;
}

static uint32_t declared_text(struct finder *f, enum tn_dtype dtype,
                              bool has_rank, uint32_t rank, const int64_t *dims)
{
    tn_buffer_clear(&f->text);
    tn_buffer_text(&f->text, tn_dtype_name(dtype));
    tn_buffer_text(&f->text, has_rank ? " [" : "");
    for (uint32_t k = 0; has_rank && k < rank && k < 16; k++) {
        tn_buffer_text(&f->text, k ? ", " : "");
        if (dims[k] < 0)
            tn_buffer_byte(&f->text, '?');
        else
            tn_view_add_int64(&f->text, dims[k]);
    }
    tn_buffer_text(&f->text, has_rank ? "]" : "");
    return tn_picture_string(f->picture, tn_buffer_bytes(&f->text));
}

/* What the graph declares about a variable, or the file about every value; 0:
 * nothing. */
static uint32_t declared_type(struct finder *f, const struct tn_value *value,
                              struct tn_arena *arena)
{
    const struct tn_dialect *dialect = f->model->dialect;
    struct tn_bytes          name    = tn_model_name(f->model, value->name);
    struct tn_declared       told;
    struct tn_value_about    about;
    struct tn_error          none = TN_ERROR_INIT;

    if (dialect->declared)
        return dialect->declared(f->model, value->graph, name, &told) &&
                       told.has_type
                   ? declared_text(f, told.dtype, true, told.rank, told.dims)
                   : 0;
    tn_arena_rewind(arena);
    return dialect->describe_value(f->model, value->graph, name, arena, &about,
                                   &none)
               ? declared_text(f, about.dtype, about.has_rank, about.rank,
                               about.dims)
               : 0;
}

static void find_declared(struct finder *f)
{
    const struct tn_dialect *dialect = f->model->dialect;
    struct tn_arena          arena;

    if (!dialect || (!dialect->declared && !dialect->describe_value))
        return;
    tn_arena_init(&arena, f->picture->memory);
    for (uint32_t i = 0; i < f->model->values.count; i++)
        if (!f->picture->types[i])
            f->picture->types[i] =
                declared_type(f, tn_model_value_at(f->model, i), &arena);
    tn_arena_done(&arena);
}

static uint32_t change_text(struct finder *f, struct tn_bytes text)
{
    uint8_t  clean[3 * TN_VIEW_STRING_MOST];
    uint32_t id = tn_intern_copy(&f->picture->texts,
                                 tn_picture_clean(text, clean), f->error);

    return id == TN_NO_NAME ? 0 : id;
}

static uint32_t change_list(struct finder                *f,
                            const struct tn_view_changes *changes)
{
    struct tn_list       *texts = &f->picture->attr_texts;
    uint32_t              first = (uint32_t)texts->count;
    struct tn_view_attrs *list =
        tn_list_push(&f->picture->lists, struct tn_view_attrs, f->error);
    uint32_t *slots =
        tn_list_grow(texts, 2 * (uint64_t)changes->count, f->error);

    if (!list || !slots)
        return 0;
    *list = (struct tn_view_attrs){ .first = first, .count = changes->count };
    for (uint32_t i = 0; i < changes->count; i++) {
        slots[2 * (uint64_t)i]     = change_text(f, changes->items[i].name);
        slots[2 * (uint64_t)i + 1] = change_text(f, changes->items[i].text);
    }
    return (uint32_t)f->picture->lists.count - 1;
}

static void list_changes(struct finder *f)
{
    const struct tn_view_changes *changes = f->picture->op_changes;

    for (uint32_t i = 0; changes && i < f->picture->nodes.count; i++) {
        struct tn_view_node *node = tn_picture_node(f->picture, i);
        if ((node->kind == TN_VIEW_OP || f->picture->is_treemap) &&
            changes[node->what].count)
            node->changes = change_list(f, &changes[node->what]);
    }
}

/* Which nodes give the results of signatures: a reader looks for these. */
static void find_signatures(struct finder *f)
{
    uint64_t count = f->model->signatures.count;

    if (!count)
        return;
    f->picture->signatures = tn_new(&f->picture->arena, uint32_t,
                                    f->picture->nodes.count + 1, f->error);
    for (uint64_t i = 0; f->picture->signatures && i < count; i++) {
        const struct tn_signature *row =
            tn_list_at(&f->model->signatures, struct tn_signature, i);
        if (tn_bytes_starts_with(row->name, "__"))
            continue; /* the signature that restores the model */
        for (uint32_t k = 0; k < row->outputs.count; k++) {
            uint32_t value = value_of_signature(f, row->outputs.items[k].name);
            uint32_t node =
                value == TN_NONE ? TN_NONE : f->picture->makers[value];
            if (node != TN_NONE && !f->picture->signatures[node])
                f->picture->signatures[node] =
                    tn_picture_string(f->picture, row->name);
        }
    }
}

static enum tn_status find_nodes(struct finder *f)
{
    uint64_t graphs = f->model->graphs.count;
    uint64_t ops    = f->model->ops.count;

    f->picture->graph_count = (uint32_t)graphs;

    f->picture->first_nodes =
        tn_new(&f->picture->arena, uint32_t, graphs + 1, f->error);
    if (!f->picture->first_nodes || !find_values(f) ||
        !tn_list_reserve(&f->picture->nodes, ops + 64, f->error) ||
        !tn_list_reserve(&f->picture->uses, f->model->refs.count + 64,
                         f->error))
        return f->error->status;
    for (uint32_t i = 0; i < graphs && !tn_failed(f->error); i++) {
        f->picture->first_nodes[i] = (uint32_t)f->picture->nodes.count;
        add_graph(f, i);
    }
    f->picture->first_nodes[graphs] = (uint32_t)f->picture->nodes.count;
    if (tn_failed(f->error))
        return f->error->status;
    find_other_makers(f);
    connect(f);
    list_changes(f);
    find_signatures(f);
    find_declared(f);
    return f->error->status;
}

/* The last part of its name. */
static struct tn_bytes last_part(struct tn_bytes name)
{
    uint8_t separator = tn_bytes_find(name, '/') ? '/' : '.';
    size_t  at        = name.size;

    while (at > 0 && name.data[at - 1] != separator)
        at--;
    return at < name.size ? tn_bytes(name.data + at, name.size - at) : name;
}

static void add_tensor(struct finder *f, uint32_t index)
{
    const struct tn_tensor *tensor = tn_model_tensor(f->model, index);
    struct tn_bytes         name   = last_part(tn_tensor_name(tensor));
    struct tn_view_node    *node   = add_node(f, TN_VIEW_TENSOR, 0, index);

    if (!node)
        return;
    node->op       = tn_picture_string(f->picture, name);
    node->class    = TN_VIEW_CLASS_CONSTANT;
    uint32_t shape = shape_detail(f, tensor);
    tn_buffer_clear(&f->text);
    tn_buffer_add(&f->text, tn_picture_text(f->picture, shape));
    tn_buffer_format(&f->text, "%s%s", f->text.size ? " " : "",
                     tn_picture_type_name(tensor));
    node->detail = tn_picture_string(f->picture, tn_buffer_bytes(&f->text));
    node->look   = tn_view_mix(tensor_look(tensor), tn_view_hash_name(name));
    if (f->picture->op_states && f->picture->op_states[index]) {
        node->state = f->picture->op_states[index];
        node->look  = tn_view_mix(node->look, node->state);
    }
}

enum tn_status tn_view_find_tensors(struct tn_picture *picture)
{
    struct finder f = { .picture = picture,
                        .model   = picture->model,
                        .error   = picture->error };

    picture->is_treemap  = true;
    picture->graph_count = 1;
    picture->first_nodes = tn_new(&picture->arena, uint32_t, 2, picture->error);
    picture->makers      = fill_none(&f, 1);
    picture->weights     = fill_none(&f, 1);
    picture->types       = tn_new(&picture->arena, uint32_t, 1, picture->error);
    tn_buffer_init(&f.text, picture->memory, picture->error);
    for (uint32_t i = 0;
         i < picture->model->tensors.count && !tn_failed(picture->error); i++)
        add_tensor(&f, i);
    tn_buffer_done(&f.text);
    if (picture->op_changes &&
        tn_list_push(&picture->lists, struct tn_view_attrs, picture->error))
        list_changes(&f); /* the first list is that of nodes without changes */
    if (!tn_failed(picture->error))
        picture->first_nodes[1] = tn_picture_node_count(picture);
    return picture->error->status;
}

enum tn_status tn_view_find_nodes(struct tn_picture *picture)
{
    struct finder f = { .picture = picture,
                        .model   = picture->model,
                        .error   = picture->error };

    tn_view_attr_reader_init(&f.attrs, picture);
    tn_pairs_init(&f.kinds, picture->memory);
    tn_pairs_init(&f.sinks, picture->memory);
    tn_list_init(&f.looks, picture->memory, sizeof(struct op_look));
    tn_buffer_init(&f.text, picture->memory, picture->error);
    find_nodes(&f);
    tn_buffer_done(&f.text);
    tn_list_done(&f.looks);
    tn_pairs_done(&f.sinks);
    tn_pairs_done(&f.kinds);
    tn_view_attr_reader_done(&f.attrs);
    return picture->error->status;
}

/* Shared weights stay where they are, but a copy of them for one operator, or
 * its transposition, goes with that one. */
static bool is_constant(const struct tn_view_node *node)
{
    return node->is_small || node->kind == TN_VIEW_WEIGHTS;
}

void tn_view_mark_small(struct tn_picture *picture, const uint32_t *order,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tn_view_node *node  = tn_picture_node(picture, order[i]);
        uint32_t             uses  = tn_picture_use_count(picture, order[i]);
        bool                 taken = false;
        if (node->kind != TN_VIEW_OP || node->is_small)
            continue;
        bool is_small = node->class != TN_VIEW_CLASS_CONTROL;
        for (uint32_t k = 0; k < uses && is_small; k++) {
            const struct tn_view_use *use =
                tn_picture_use(picture, order[i], k);
            if (use->value == TN_NONE)
                continue;
            taken    = true;
            is_small = use->from == TN_NONE
                           ? picture->weights[tn_model_defining_value(
                                 picture->model, use->value)] != TN_NONE
                           : is_constant(tn_picture_node(picture, use->from));
        }
        node->is_small = is_small && taken;
    }
}
