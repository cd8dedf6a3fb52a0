/*
 * tf_tables.c - lookup tables whose contents are in the model
 *
 * A table is a handle that one operator makes, another fills and a third reads:
 *
 *   HashTableV2 ---> InitializeTableV2(handle, keys, values)
 *              \---> InitializeTableFromTextFileV2(handle, file name)
 *               \--> LookupTableFindV2(handle, x, default)
 *
 * The operator that fills a table runs once, before the graph, often in a
 * function that gets the handle as an argument.  So calls of such functions are
 * followed from the main graph, and arguments are looked up at the calls.  A
 * file is an asset of the SavedModel; a tensor (perhaps the value of a
 * variable) has its name.
 *
 * Then the operators that read a table have its contents as constants:
 *
 *   LookupTableFindV2   tenon::Lookup(keys, values, x, default)
 *   LookupTableSizeV2   a constant
 *   LookupTableExportV2 two constants
 */
#include "base/cursor.h"
#include "base/number.h"
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

/* Limits: how deep calls are followed; how many nodes are looked at in all,
 * beyond a few times those that there are; and how many tables are compared by
 * name for each table without a name of its own. */
enum { DEEPEST_CALL = 16, MORE_STEPS = 65536, MOST_COMPARED = 4096 };

static const char *const makers[]  = { "HashTable", "HashTableV2",
                                       "AnonymousHashTable", NULL };
static const char *const fillers[] = { "InitializeTable", "InitializeTableV2",
                                       "LookupTableImport",
                                       "LookupTableImportV2", NULL };
static const char *const readers[] = { "InitializeTableFromTextFile",
                                       "InitializeTableFromTextFileV2", NULL };
static const char *const finds[]   = { "LookupTableFind", "LookupTableFindV2",
                                       NULL };
static const char *const sizes[]   = { "LookupTableSize", "LookupTableSizeV2",
                                       NULL };
static const char *const exports[] = { "LookupTableExport",
                                       "LookupTableExportV2", NULL };

/* ---- where a value comes from ------------------------------------------- */

/* The call whose body is being looked at. */
struct frame {
    const struct frame *up; /* NULL: the call is in the main graph            */
    uint32_t            call;
    unsigned            depth;
};

struct place {
    uint32_t            value;
    const struct frame *frame; /* NULL: the main graph                        */
};

struct filling {
    struct tn_tf_work *work;
    struct tn_net     *net;
    bool              *fills; /* by graph: it fills a table, or calls one     */
    uint64_t           steps;
};

/* False if a file of functions that call each other has reached the limit. */
static bool takes_steps(struct filling *f, uint64_t count)
{
    f->steps += count;
    return f->steps <= 16 * (uint64_t)f->net->nodes.count + MORE_STEPS;
}

static uint32_t argument_of(const struct tn_net *net, uint32_t value)
{
    const struct tn_list *inputs =
        &tn_net_graph(net, tn_net_value(net, value).graph)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++)
        if (*tn_list_at(inputs, uint32_t, i) == value)
            return i;
    return TN_NONE;
}

/* Follows copies, and arguments of functions to their calls. */
static struct place origin(const struct tn_net *net, struct place p)
{
    for (;;) {
        p.value                     = tn_tf_behind(net, p.value);
        const struct tn_net_value v = tn_net_value(net, p.value);
        if (v.producer != TN_NONE || v.constant || !p.frame)
            return p;
        const struct tn_net_node call = tn_net_node(net, p.frame->call);
        uint32_t                 at   = argument_of(net, p.value);
        if (at >= call.input_count || call.inputs[at] == TN_NONE)
            return p;
        p = (struct place){ call.inputs[at], p.frame->up };
    }
}

/* The node that makes a value, if it is one of these; TN_NONE: it is not. */
static uint32_t made_by(const struct tn_net *net, uint32_t value,
                        const char *const *types)
{
    uint32_t producer = tn_net_value(net, value).producer;

    if (producer == TN_NONE ||
        !tn_tf_type_in(tn_net_node(net, producer).op->type, types))
        return TN_NONE;
    return producer;
}

/* Of a constant, or of a node that will become one; else NULL. */
static const struct tn_elements *elements_of(const struct tn_net *net,
                                             uint32_t             value)
{
    static const char *const    consts[] = { "Const", NULL };
    uint32_t                    node     = made_by(net, value, consts);
    const struct tn_attr_value *tensor =
        node == TN_NONE ? NULL : tn_net_attr_of(net, node, "value");

    if (tensor && tensor->kind == TN_ATTR_TENSOR && tensor->count == 1)
        return &tensor->of.tensors[0]->elements;
    return tn_net_value(net, value).constant;
}

/* ---- files -------------------------------------------------------------- */

/* The value that is assigned to the variable in the main graph; TN_NONE:
 * none. */
static uint32_t assigned_to(struct filling *f, uint32_t variable)
{
    static const char *const assigns[] = { "AssignVariableOp", "Assign", NULL };
    const struct tn_net     *net       = f->net;
    const struct tn_list    *nodes     = &tn_net_graph(net, 0)->nodes;

    if (!takes_steps(f, nodes->count))
        return TN_NONE;
    for (uint64_t i = 0; i < nodes->count; i++) {
        const struct tn_net_node node =
            tn_net_node(net, *tn_list_at(nodes, uint32_t, i));
        if (!tn_tf_type_in(node.op->type, assigns) || node.input_count < 2 ||
            node.inputs[0] == TN_NONE)
            continue;
        uint32_t handle = tn_tf_behind(net, node.inputs[0]);
        if (tn_net_value(net, handle).producer == variable)
            return node.inputs[1];
    }
    return TN_NONE;
}

/* Looks behind a variable that only has the name of the file. */
static struct place named_by(struct filling *f, struct place p)
{
    static const char *const reads[] = { "ReadVariableOp", NULL };
    const struct tn_net     *net     = f->net;

    p             = origin(net, p);
    uint32_t read = made_by(net, p.value, reads);
    if (read == TN_NONE || tn_net_node(net, read).inputs[0] == TN_NONE)
        return p;
    struct place handle = origin(
        net, (struct place){ tn_net_node(net, read).inputs[0], p.frame });
    uint32_t variable = tn_net_value(net, handle.value).producer;
    uint32_t value = variable == TN_NONE ? TN_NONE : assigned_to(f, variable);
    return value == TN_NONE ? p : origin(net, (struct place){ value, NULL });
}

/* "name" and "name:0" are one tensor. */
static bool is_tensor(struct tn_bytes tensor, struct tn_bytes name)
{
    if (tensor.size == name.size + 2 &&
        memcmp(tensor.data + name.size, ":0", 2) == 0)
        tensor.size = name.size;
    return tn_bytes_equal(tensor, name);
}

static const struct tn_asset *find_asset(const struct filling *f,
                                         struct place          p)
{
    const struct tn_model *model = f->net->source;
    struct tn_bytes        name  = tn_net_value(f->net, p.value).name;

    for (uint64_t i = 0; model && i < model->assets.count; i++) {
        const struct tn_asset *asset =
            tn_list_at(&model->assets, struct tn_asset, i);
        if (asset->source && is_tensor(asset->tensor, name))
            return asset;
    }
    return NULL;
}

/* ---- finding what fills tables ------------------------------------------ */

static void add_table(struct filling *f, const struct tn_tf_table *table)
{
    struct tn_tf_table *slot =
        tn_list_push(&f->work->tables, struct tn_tf_table, f->net->error);
    uint32_t *of_node = tn_tf_slot(f->work, &f->work->table_of, table->node);

    if (!slot || !of_node)
        return;
    *slot = *table;
    if (!*of_node)
        *of_node = (uint32_t)f->work->tables.count;
}

static void look_at_filler(struct filling *f, uint32_t id,
                           const struct frame *frame)
{
    struct tn_net           *net   = f->net;
    const struct tn_net_node node  = tn_net_node(net, id);
    struct tn_tf_table       table = { .filler = id,
                                       .keys   = TN_NONE,
                                       .values = TN_NONE };

    for (uint32_t i = 0; i < 3 && i < node.input_count; i++)
        if (node.inputs[i] == TN_NONE)
            return;
    if (node.input_count < 2)
        return;
    struct place handle = origin(net, (struct place){ node.inputs[0], frame });
    table.node          = made_by(net, handle.value, makers);
    if (table.node == TN_NONE)
        return;
    if (tn_tf_type_in(node.op->type, readers)) {
        table.file =
            find_asset(f, named_by(f, (struct place){ node.inputs[1], frame }));
    } else if (node.input_count > 2) {
        struct place keys   = { node.inputs[1], frame };
        struct place values = { node.inputs[2], frame };
        table.given_keys    = elements_of(net, origin(net, keys).value);
        table.given_values  = elements_of(net, origin(net, values).value);
    }
    if (table.file || (table.given_keys && table.given_values))
        add_table(f, &table);
}

static bool is_filler(struct tn_bytes type)
{
    return tn_tf_type_in(type, fillers) || tn_tf_type_in(type, readers);
}

static void visit_graph(struct filling *f, uint32_t graph,
                        const struct frame *frame)
{
    const struct tn_list *nodes = &tn_net_graph(f->net, graph)->nodes;
    unsigned              depth = frame ? frame->depth + 1 : 0;

    if (depth > DEEPEST_CALL || !takes_steps(f, nodes->count + 1))
        return;
    for (uint64_t i = 0; i < nodes->count && !tn_failed(f->net->error); i++) {
        uint32_t                 id     = *tn_list_at(nodes, uint32_t, i);
        const struct tn_net_node node   = tn_net_node(f->net, id);
        uint32_t                 callee = tn_tf_callee(f->work, &node);
        struct frame             below  = { frame, id, depth };
        if (is_filler(node.op->type))
            look_at_filler(f, id, frame);
        else if (callee != TN_NONE && f->fills[callee])
            visit_graph(f, callee, &below);
    }
}

/* Functions that do, functions that call those, and so on. */
static bool find_filling(struct filling *f)
{
    struct tn_net *net   = f->net;
    bool           found = false, is_new = true;

    for (unsigned round = 0; is_new && round <= DEEPEST_CALL; round++) {
        is_new = false;
        for (uint32_t i = 0; i < net->nodes.count; i++) {
            const struct tn_net_node node = tn_net_node(net, i);
            if (f->fills[node.graph])
                continue;
            uint32_t callee = tn_tf_callee(f->work, &node);
            bool     fills  = is_filler(node.op->type) ||
                         (callee != TN_NONE && f->fills[callee]);
            f->fills[node.graph] = fills;
            found |= fills;
            is_new |= fills;
        }
    }
    return found;
}

enum tn_status tn_tf_bind_tables(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;
    struct filling f   = { .work = work, .net = net };

    f.fills = tn_new(net->arena, bool, net->graphs.count, net->error);
    if (f.fills && find_filling(&f))
        visit_graph(&f, 0, NULL);
    return net->error->status;
}

/* ---- the lines of a file ------------------------------------------------ */

enum { WHOLE_LINE = -2, LINE_NUMBER = -1 };

struct column {
    int64_t          index; /* of what the delimiter separates, or above      */
    enum tn_dtype    dtype;
    struct tn_bytes *texts; /* of strings                                     */
    int64_t         *ints;
    double          *reals;
};

struct lines {
    struct tn_net  *net;
    struct tn_bytes bytes, delimiter;
    uint64_t      offset; /* lines to skip                                   */
    uint64_t      most;
    uint64_t      count;
    struct column keys, values;
};

/* The next line, without its end; false: there are no more. */
static bool next_line(struct tn_bytes *rest, struct tn_bytes *line)
{
    const uint8_t *end;

    if (!rest->size)
        return false;
    end          = memchr(rest->data, '\n', rest->size);
    size_t size  = end ? (size_t)(end - rest->data) : rest->size;
    size_t taken = size + (end != NULL);
    *line        = tn_bytes(rest->data, size);
    if (line->size && line->data[line->size - 1] == '\r')
        line->size--;
    *rest = tn_bytes(rest->data + taken, rest->size - taken);
    return true;
}

static bool find_part(const struct lines *l, struct tn_bytes line,
                      int64_t index, struct tn_bytes *part)
{
    *part = line;
    if (index == WHOLE_LINE)
        return true;
    if (index < 0 || l->delimiter.size != 1)
        return false;
    for (;; index--) {
        const uint8_t *end =
            line.size ? memchr(line.data, l->delimiter.data[0], line.size)
                      : NULL;
        *part = end ? tn_bytes(line.data, (size_t)(end - line.data)) : line;
        if (!index)
            return true;
        if (!end)
            return false;
        line = tn_bytes(end + 1, line.size - part->size - 1);
    }
}

static bool put_item(const struct lines *l, struct column *c, uint64_t at,
                     struct tn_bytes line)
{
    struct tn_bytes part;

    if (c->index == LINE_NUMBER) {
        c->ints[at] = (int64_t)at;
        return c->dtype == TN_INT64;
    }
    if (!find_part(l, line, c->index, &part))
        return false;
    if (c->dtype == TN_STRING) {
        c->texts[at] = part;
        return true;
    }
    if (c->reals)
        return tn_double_parse(part, &c->reals[at]);
    return c->ints && tn_int64_parse(part, &c->ints[at]);
}

static bool new_column(struct lines *l, struct column *c)
{
    struct tn_net   *net   = l->net;
    struct tn_arena *a     = net->arena;
    uint64_t         count = l->count;

    if (c->dtype == TN_STRING)
        c->texts = tn_new(a, struct tn_bytes, count, net->error);
    else if (c->dtype == TN_FLOAT32 || c->dtype == TN_FLOAT64)
        c->reals = tn_new(a, double, count, net->error);
    else if (c->dtype == TN_INT64 || c->dtype == TN_INT32)
        c->ints = tn_new(a, int64_t, count, net->error);
    return c->texts || c->reals || c->ints;
}

static uint32_t add_column(struct lines *l, const struct column *c,
                           struct tn_bytes wish)
{
    uint64_t dims[] = { l->count };

    if (c->texts)
        return tn_net_add_strings(l->net, 0, wish, c->texts, 1, dims);
    if (c->reals)
        return tn_net_add_doubles(l->net, 0, wish, c->dtype, c->reals, 1, dims);
    return tn_net_add_ints(l->net, 0, wish, c->dtype, c->ints, 1, dims);
}

static enum tn_dtype dtype_attr(const struct tn_net_node *node,
                                const char               *name)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);

    return attr && attr->kind == TN_ATTR_DTYPE && attr->count == 1
               ? (enum tn_dtype)attr->of.ints[0]
               : TN_UNDEFINED;
}

static struct tn_bytes text_attr(const struct tn_net_node *node,
                                 const char *name, const char *other)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);

    return attr && attr->kind == TN_ATTR_STRING && attr->count == 1
               ? attr->of.strings[0]
               : tn_text(other);
}

static void count_lines(struct lines *l)
{
    struct tn_bytes rest = l->bytes, line;
    uint64_t        skip = l->offset;

    while (l->count < l->most && next_line(&rest, &line)) {
        if (skip)
            skip--;
        else
            l->count++;
    }
}

static bool read_lines(struct lines *l)
{
    struct tn_bytes rest = l->bytes, line;

    for (uint64_t i = 0; i < l->offset; i++)
        if (!next_line(&rest, &line))
            return false;
    for (uint64_t i = 0; i < l->count && next_line(&rest, &line); i++)
        if (!put_item(l, &l->keys, i, line) ||
            !put_item(l, &l->values, i, line))
            return false;
    return true;
}

/* The operator's description of the file, and its bytes. */
static bool open_lines(struct lines *l, const struct tn_tf_table *table)
{
    const struct tn_net_node filler = tn_net_node(l->net, table->filler);
    const struct tn_net_node maker  = tn_net_node(l->net, table->node);
    struct tn_source        *source = table->file->source;
    struct tn_cursor         c      = tn_cursor_span(
                     (struct tn_span){ source, 0, source->size }, l->net->error);
    int64_t most   = tn_net_int_attr(&filler, "vocab_size", -1);
    int64_t offset = tn_net_int_attr(&filler, "offset", 0);

    l->bytes     = tn_bytes(tn_take(&c, source->size), (size_t)source->size);
    l->delimiter = text_attr(&filler, "delimiter", "\t");
    l->most      = most < 0 ? UINT64_MAX : (uint64_t)most;
    l->offset    = offset < 0 ? 0 : (uint64_t)offset;
    l->keys   = (struct column){ .index = tn_net_int_attr(&filler, "key_index",
                                                          WHOLE_LINE - 1),
                                 .dtype = dtype_attr(&maker, "key_dtype") };
    l->values = (struct column){ .index = tn_net_int_attr(
                                     &filler, "value_index", WHOLE_LINE - 1),
                                 .dtype = dtype_attr(&maker, "value_dtype") };
    return !tn_failed(l->net->error);
}

/* ---- contents as constants ---------------------------------------------- */

static struct tn_bytes part_name(struct tn_net *net, uint32_t table,
                                 const char *part)
{
    const struct tn_net_node node = tn_net_node(net, table);
    const char *text = tn_text_format(net->arena, net->error, "%.*s/%s",
                                      TN_FMT(node.name), part);

    return tn_text(text ? text : part);
}

static bool make_of_file(struct tn_net *net, struct tn_tf_table *table)
{
    struct lines l = { .net = net };

    if (!open_lines(&l, table))
        return false;
    count_lines(&l);
    if (!new_column(&l, &l.keys) || !new_column(&l, &l.values) ||
        !read_lines(&l))
        return false;
    table->keys = add_column(&l, &l.keys, part_name(net, table->node, "keys"));
    table->values =
        add_column(&l, &l.values, part_name(net, table->node, "values"));
    return !tn_failed(net->error);
}

/* Once for each table; false: they cannot be read, or memory is out. */
static bool make_contents(struct tn_net *net, struct tn_tf_table *table)
{
    if (table->keys != TN_NONE)
        return true;
    if (table->file)
        return make_of_file(net, table);
    table->keys = tn_net_add_constant(
        net, 0, part_name(net, table->node, "keys"), table->given_keys, NULL);
    table->values =
        tn_net_add_constant(net, 0, part_name(net, table->node, "values"),
                            table->given_values, NULL);
    return !tn_failed(net->error);
}

/* Tables of one name are one table. */
static bool is_same(const struct tn_net *net, uint32_t a, uint32_t b)
{
    const struct tn_net_node x = tn_net_node(net, a), y = tn_net_node(net, b);
    struct tn_bytes          name = text_attr(&x, "shared_name", "");

    return name.size && x.op == y.op &&
           tn_bytes_equal(name, text_attr(&y, "shared_name", ""));
}

static struct tn_tf_table *find_table(struct tn_tf_work *work, uint32_t handle)
{
    struct tn_net *net  = work->net;
    uint32_t       made = handle == TN_NONE
                              ? TN_NONE
                              : made_by(net, tn_tf_behind(net, handle), makers);

    const uint32_t *own =
        made == TN_NONE ? NULL : tn_tf_slot(work, &work->table_of, made);
    if (!own)
        return NULL;
    if (*own)
        return tn_list_at(&work->tables, struct tn_tf_table, *own - 1);
    for (uint64_t i = 0; i < work->tables.count && i < MOST_COMPARED; i++) {
        struct tn_tf_table *table =
            tn_list_at(&work->tables, struct tn_tf_table, i);
        if (is_same(net, made, table->node))
            return table;
    }
    return NULL;
}

/* ---- reading a table ---------------------------------------------------- */

bool tn_tf_is_lookup(const struct tn_net_node *node)
{
    return tn_tf_type_in(node->op->type, finds) ||
           tn_tf_type_in(node->op->type, sizes) ||
           tn_tf_type_in(node->op->type, exports);
}

static void become_lookup(struct tn_tf_work *work, uint32_t id,
                          const struct tn_tf_table *table)
{
    struct tn_net           *net  = work->net;
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t inputs[] = { table->keys, table->values, node.inputs[1],
                          node.inputs[2] };

    tn_net_set_op(net, id, tn_net_op(net, tn_text("Lookup"), tn_text("tenon")));
    tn_net_set_inputs(net, id, inputs, 4);
    tn_tf_need(work, inputs[2]);
    tn_tf_need(work, inputs[3]);
}

static void give(struct tn_tf_work *work, uint32_t id, uint32_t output,
                 uint32_t value)
{
    const struct tn_net_node node = tn_net_node(work->net, id);

    if (output < node.output_count && node.outputs[output] != TN_NONE &&
        value != TN_NONE)
        tn_tf_replace(work, node.outputs[output], value);
}

static uint32_t size_of(struct tn_tf_work        *work,
                        const struct tn_tf_table *table)
{
    struct tn_net            *net   = work->net;
    const struct tn_net_value keys  = tn_net_value(net, table->keys);
    uint64_t                  count = 0;

    if (!keys.constant || !tn_shape_count(&keys.constant->shape, &count))
        return TN_NONE;
    return tn_net_add_ints(net, 0, part_name(net, table->node, "size"),
                           TN_INT64, &(int64_t){ (int64_t)count }, 0, NULL);
}

enum tn_status tn_tf_look_up(struct tn_tf_work *work, uint32_t id,
                             bool *is_done)
{
    struct tn_net           *net  = work->net;
    const struct tn_net_node node = tn_net_node(net, id);
    struct tn_tf_table      *table =
        node.input_count ? find_table(work, node.inputs[0]) : NULL;
    bool is_find = tn_tf_type_in(node.op->type, finds);

    *is_done = false;
    if (!table || (is_find && node.input_count < 3) ||
        !make_contents(net, table))
        return net->error->status;
    *is_done = true;
    if (is_find) {
        become_lookup(work, id, table);
        return net->error->status;
    }
    if (tn_tf_type_in(node.op->type, sizes)) {
        give(work, id, 0, size_of(work, table));
    } else {
        give(work, id, 0, table->keys);
        give(work, id, 1, table->values);
    }
    tn_net_remove(net, id);
    return net->error->status;
}
