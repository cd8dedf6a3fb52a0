/*
 * tf_split.c - splits SavedModels and GraphDefs as TensorFlow does
 *
 *   saved model   if too large: split meta_graphs[0].graph_def
 *                 if it still is: move that graph_def into chunk 1
 *   graph         split its nodes or its functions, the larger of them first;
 *                 the others if that was not enough
 *                 if it still is too large: move its library into chunk 1
 *   function      too large: split its nodes; a third of that: a chunk
 *   node          too large: the bytes of its constant; a third of that: a
 *                 chunk
 *   repeated      what is left of nodes or functions is cut into slices, each
 *                 merged into the message that the field is of
 *
 * What C++ and Python do not do alike:
 *
 *                         C++                   Python
 *   limit                 2^31 - 500            2^30
 *   a constant is taken   at the limit          past it
 *   a slice ends          before it passes      before it reaches the limit;
 *                         the limit; 5 bytes    heads do not count
 *                         for each head
 *   the first slice       is a chunk            stays where it is
 *   the slices' chunks    come after those      stand where they were begun
 *                         of their elements
 *   what was moved        is left empty         is gone
 *
 * One thing that C++ does is not done here: it asks for the library in a way
 * that adds an empty one when there is none. Here merging gives back what was
 * split.
 */
#include "format/tensorflow/tf_split.h"

#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "chunk/mosaic_index.h"
#include "chunk/splitter.h"
#include "format/tensorflow/tf.h"

#define CPP_LIMIT    ((UINT64_C(1) << 31) - 500)
#define PYTHON_LIMIT (UINT64_C(1) << 30)

/* What an element costs besides its bytes: a tag, and a length of four. */
#define ELEMENT_HEAD 5

/* The most that integers grow when they become tensor_content: an int64 is
 * stored in one byte or more, then in eight. Only a constant that repeats its
 * last value grows further. */
#define MOST_GROWTH 8

enum {
    NODE_OP     = 2,
    NODE_ATTR   = 5,
    ATTR_TENSOR = 8,
    TENSOR_KEPT = 3, /* dtype, tensor_shape, version_number are 1 to 3 */
};

struct splitting {
    enum tn_split_rules rules;
    uint64_t            max;
    struct tn_error    *error;
};

/* Moves the large parts of element `index` of a repeated field into chunks, and
 * returns how many of its `size` bytes were moved. */
typedef uint64_t divider(struct splitting *s, struct tn_splitter *parent,
                         uint64_t index, uint64_t size);

uint64_t tn_tf_split_limit(enum tn_split_rules rules)
{
    return rules == TN_SPLIT_CPP ? CPP_LIMIT : PYTHON_LIMIT;
}

static uint64_t less(uint64_t from, uint64_t what)
{
    return from > what ? from - what : 0;
}

static uint64_t size_of(struct splitting *s, struct tn_splitter *splitter)
{
    uint64_t size = 0;

    if (!tn_failed(s->error))
        tn_splitter_size(splitter, NULL, 0, &size, s->error);
    return size;
}

/* ---- looking at elements --------------------------------------------------
 */

/* The message at the splitter's place; NULL on failure. */
static struct tn_mosaic *mosaic_of(struct tn_splitter *splitter)
{
    struct tn_tag_step none;

    return tn_mosaic_path(splitter->root->base, splitter->path, TN_MOSAIC_FIND,
                          &none);
}

typedef struct tn_mosaic_index *indexer(struct tn_mosaic              *m,
                                        const struct tn_pb_field_type *field);

/* The elements of a field where they are: asking for their sizes through the
 * splitter would open a million nodes, of which few are large. */
static struct tn_mosaic_index *elements_by(indexer *look, struct splitting *s,
                                           struct tn_splitter *parent,
                                           const char         *name)
{
    struct tn_mosaic       *m = mosaic_of(parent);
    struct tn_mosaic_index *index =
        m ? look(m, tn_pb_message_field_named(m->type, tn_text(name))) : NULL;

    if (!index)
        tn_splitter_end(parent->root, s->error);
    return index;
}

static struct tn_mosaic_index *elements_of(struct splitting   *s,
                                           struct tn_splitter *parent,
                                           const char         *name)
{
    return elements_by(tn_mosaic_index, s, parent, name);
}

/* An element that was not opened before; NULL if it was. */
static const struct tn_place *whole_at(struct splitting             *s,
                                       const struct tn_mosaic_index *index,
                                       uint64_t                      at)
{
    const struct tn_place *place = tn_place_at(index, at);

    if (place->tile->kind == TN_TILE_WIRE)
        return place;
    tn_error_set(s->error, TN_INVALID, TN_NOWHERE,
                 "%s[%" PRIu64 "] was split before", index->field->name, at);
    return NULL;
}

static struct tn_cursor body_at(struct splitting             *s,
                                const struct tn_mosaic_index *index,
                                uint64_t                      at)
{
    const struct tn_place *place = whole_at(s, index, at);
    struct tn_pb_field     field = { 0 };
    struct tn_span         whole;

    if (place)
        tn_place_field(place, &field, &whole, s->error);
    return tn_failed(s->error)
               ? tn_cursor_bytes((struct tn_bytes){ NULL, 0 }, 0, s->error)
               : field.body;
}

/* ---- constants ------------------------------------------------------------
 */

/* The parts of a node that the rules examine. */
struct node {
    struct tn_bytes     op;
    bool                has_tensor; /* attr["value"].tensor                   */
    struct tn_tf_tensor tensor;
};

static void read_value(struct node *node, struct tn_cursor value)
{
    struct tn_pb_field field;

    if (tn_tf_attr_kind(value, &field) != ATTR_TENSOR)
        return;
    node->tensor     = (struct tn_tf_tensor){ 0 };
    node->has_tensor = true;
    tn_tf_tensor_read(&field.body, &node->tensor);
}

static void read_node(struct node *node, struct tn_cursor c)
{
    struct tn_pb_field field;
    struct tn_tf_entry entry;

    *node = (struct node){ 0 };
    while (tn_pb_next(&c, &field)) {
        if (field.number == NODE_OP && field.type == TN_WIRE_LEN)
            node->op = tn_pb_text(&field);
        if (field.number != NODE_ATTR || field.type != TN_WIRE_LEN)
            continue;
        tn_tf_entry_read(&field.body, &entry);
        if (tn_bytes_is(entry.key, "value"))
            read_value(node, entry.value);
    }
}

/* The values of a tensor in the form of tensor_content, computed when
 * written. */
struct expansion {
    struct tn_producer producer; /* first */
    struct tn_elements elements;
    uint64_t           count;
    struct tn_memory  *memory;
};

static enum tn_status produce_content(const struct tn_producer *producer,
                                      struct tn_sink           *to,
                                      struct tn_error          *error)
{
    const struct expansion *e = (const struct expansion *)producer;

    return tn_payload_stream(&e->elements, 0, e->count, e->memory, to, error);
}

static enum tn_status add_length(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    uint8_t room[TN_VARINT_MAX];

    (void)index;
    tn_rope_bytes(context, tn_bytes(room, tn_varint_put(room, text.length)));
    return error->status;
}

static enum tn_status add_text(void *context, uint64_t index,
                               struct tn_span text, struct tn_error *error)
{
    (void)index;
    if (text.length)
        tn_rope_span(context, text);
    return error->status;
}

/* Strings are stored as all their lengths, then all their bytes. */
static void expand_strings(struct splitting         *s,
                           const struct tn_elements *elements, uint64_t count,
                           struct tn_rope *to)
{
    if (tn_payload_strings(elements, 0, count, add_length, to, s->error) ==
        TN_OK)
        tn_payload_strings(elements, 0, count, add_text, to, s->error);
}

static void expand_numbers(struct splitting *s, struct tn_splitter *root,
                           const struct tn_elements *elements, uint64_t count,
                           uint64_t size, struct tn_rope *to)
{
    struct expansion *e = tn_new(&root->arena, struct expansion, 1, s->error);
    uint64_t          bytes;

    if (!e)
        return;
    if (!tn_shape_bytes(&elements->shape, &bytes) ||
        bytes / MOST_GROWTH > size) {
        tn_error_set(s->error, TN_LIMIT, TN_NOWHERE,
                     "a constant that repeats its last value is too large to "
                     "be written out");
        return;
    }
    *e = (struct expansion){
        { produce_content, bytes }, *elements, count, &root->message->memory
    };
    tn_rope_producer(to, &e->producer);
}

static void expand(struct splitting *s, struct tn_splitter *root,
                   const struct tn_tf_tensor *tensor, uint64_t size,
                   struct tn_rope *to)
{
    struct tn_elements elements;
    uint64_t           count;

    tn_tf_tensor_elements(tensor, &root->arena, &elements, s->error);
    if (tn_failed(s->error))
        return;
    if (elements.shape.dtype == TN_UNDEFINED ||
        !tn_shape_count(&elements.shape, &count))
        tn_error_set(s->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a constant has a type or shape that no tensor has");
    else if (elements.shape.dtype != TN_STRING)
        expand_numbers(s, root, &elements, count, size, to);
    else if (count / MOST_GROWTH > size)
        tn_error_set(s->error, TN_LIMIT, TN_NOWHERE,
                     "a constant has more strings than bytes");
    else
        expand_strings(s, &elements, count, to);
}

#define STEPS(...)                                                             \
    (struct tn_step[])                                                         \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* The bytes that tensor_content would have, from the fields of values. */
static uint64_t take_values(struct splitting *s, struct tn_splitter *tensor,
                            const struct tn_tf_tensor *values, uint64_t size)
{
    struct tn_splitter *root = tensor->root;
    struct tn_tags      tags;
    struct tn_rope      rope;

    tn_rope_init(&rope, &root->arena, s->error);
    expand(s, root, values, size, &rope);
    uint64_t length = rope.length;
    if (!tn_failed(s->error) &&
        tn_tags_build(&tags, tensor->type, STEPS(TN_NAME("tensor_content")), 1,
                      false, &root->arena, s->error) == TN_OK) {
        tags = tn_tags_join(tensor->path, tags, &root->arena, s->error);
        if (tags.at)
            tn_splitter_add(root, TN_CHUNK_BYTES, &rope, tags, TN_AT_END);
    }
    tn_rope_done(&rope);
    return tn_min(length, size);
}

static void clear_values(struct splitting *s, struct tn_splitter *tensor)
{
    for (uint32_t i = 0; i < tensor->type->field_count; i++) {
        uint32_t number = tensor->type->fields[i].number;
        if (number > TENSOR_KEPT && !tn_failed(s->error))
            tn_splitter_clear(tensor, STEPS(TN_AT(number)), 1, s->error);
    }
}

static uint64_t take_constant(struct splitting *s, struct tn_splitter *parent,
                              struct tn_step *node, struct tn_cursor body,
                              uint64_t size)
{
    struct tn_splitter *tensor;
    struct node         read;

    read_node(&read, body);
    if (tn_failed(s->error))
        return 0;
    if (!tn_bytes_is(read.op, "Const") || !read.has_tensor) {
        tn_error_set(s->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "%s[%" PRId64 "] has %" PRIu64 " bytes and is no "
                     "constant: these rules split no other nodes",
                     node[0].text, node[1].number, size);
        return 0;
    }
    struct tn_step steps[] = { node[0], node[1], TN_NAME("attr"),
                               TN_NAME("value"), TN_NAME("tensor") };
    if (tn_splitter_child(&tensor, parent, steps, 5, s->error) != TN_OK)
        return 0;
    uint64_t length = read.tensor.content.length;
    if (length)
        tn_splitter_take(tensor, STEPS(TN_NAME("tensor_content")), 1, TN_AT_END,
                         s->error);
    else
        length = take_values(s, tensor, &read.tensor, size);
    clear_values(s, tensor);
    return length;
}

/* ---- nodes and functions --------------------------------------------------
 */

static uint64_t divide_node(struct splitting *s, struct tn_splitter *parent,
                            struct tn_step *node, struct tn_cursor body,
                            uint64_t size)
{
    bool is_large = s->rules == TN_SPLIT_CPP ? size >= s->max : size > s->max;
    uint64_t gone = is_large ? take_constant(s, parent, node, body, size) : 0;

    if (tn_failed(s->error) || less(size, gone) <= s->max / 3)
        return gone;
    tn_splitter_take(parent, node, 2, TN_AT_END, s->error);
    return size;
}

static uint64_t divide_graph_node(struct splitting   *s,
                                  struct tn_splitter *parent, uint64_t index,
                                  uint64_t size)
{
    struct tn_mosaic_index *nodes = elements_of(s, parent, "node");

    return !nodes ? 0
                  : divide_node(s, parent,
                                STEPS(TN_NAME("node"), TN_AT((int64_t)index)),
                                body_at(s, nodes, index), size);
}

static uint64_t divide_function_node(struct splitting   *s,
                                     struct tn_splitter *parent, uint64_t index,
                                     uint64_t size)
{
    struct tn_mosaic_index *nodes = elements_of(s, parent, "node_def");

    return !nodes
               ? 0
               : divide_node(s, parent,
                             STEPS(TN_NAME("node_def"), TN_AT((int64_t)index)),
                             body_at(s, nodes, index), size);
}

static uint64_t split_repeated(struct splitting *s, struct tn_splitter *parent,
                               const char *field, divider *divide);

static uint64_t divide_function(struct splitting *s, struct tn_splitter *parent,
                                uint64_t index, uint64_t size)
{
    struct tn_step steps[] = { TN_NAME("function"), TN_AT((int64_t)index) };
    bool fits = s->rules == TN_SPLIT_CPP ? size < s->max : size <= s->max;
    struct tn_splitter *function;

    if (fits && size > s->max / 3) {
        tn_splitter_take(parent, steps, 2, TN_AT_END, s->error);
        return size;
    }
    if (size <= s->max ||
        tn_splitter_child(&function, parent, steps, 2, s->error) != TN_OK)
        return 0;
    return split_repeated(s, function, "node_def", divide_function_node);
}

/* ---- slices ---------------------------------------------------------------
 */

/* Where a slice begins, and the number of chunks and fields at that time. */
struct cut {
    uint64_t element, chunk, field;
};

struct repeated {
    struct splitting   *s;
    struct tn_splitter *parent;
    const char         *field;
    struct tn_list      cuts;
    uint64_t            count;
    uint64_t            held; /* by the slice that is open                    */
    uint64_t            gone; /* into chunks                                  */
};

static void add_cut(struct repeated *r, uint64_t element)
{
    struct tn_splitter *root = r->parent->root;
    struct cut         *cut  = tn_list_push(&r->cuts, struct cut, r->s->error);

    if (cut)
        *cut = (struct cut){ element, root->chunks.count, root->fields.count };
}

/* Moves the last added field to an earlier place in the list. */
static void move_field(struct tn_splitter *root, uint64_t to)
{
    uint64_t                 last = root->fields.count - 1;
    struct tn_chunked_field *at =
        tn_list_at(&root->fields, struct tn_chunked_field, to);
    struct tn_chunked_field moved = at[last - to];

    memmove(at + 1, at, (size_t)(last - to) * sizeof *at);
    *at = moved;
    for (uint64_t i = 0; i < root->chunks.count; i++) {
        struct tn_chunk *chunk =
            *tn_list_at(&root->chunks, struct tn_chunk *, i);
        if (chunk->field == last)
            chunk->field = to;
        else if (chunk->field != TN_NO_FIELD && chunk->field >= to)
            chunk->field++;
    }
}

/* Elements move up when others are sliced off: every slice begins where the
 * first did. */
static void slice(struct repeated *r, uint64_t begin, uint64_t count,
                  uint64_t index)
{
    if (!tn_failed(r->s->error))
        tn_splitter_slice(r->parent, STEPS(TN_NAME(r->field)), 1, begin,
                          begin + count, index, r->s->error);
}

static uint64_t end_of_slice(const struct repeated *r, uint64_t i)
{
    return i + 1 < r->cuts.count
               ? tn_list_at(&r->cuts, struct cut, i + 1)->element
               : r->count;
}

/* C++: all elements leave, chunk by chunk. */
static void slice_all(struct repeated *r)
{
    if (r->cuts.count == 0)
        return;
    slice(r, 0, tn_list_at(&r->cuts, struct cut, 0)->element, TN_AT_END);
    for (uint64_t i = 0; i < r->cuts.count; i++) {
        uint64_t begin = tn_list_at(&r->cuts, struct cut, i)->element;
        slice(r, 0, end_of_slice(r, i) - begin, TN_AT_END);
    }
}

/* Python: a slice is added when it begins, before what is taken out of its
 * elements later. */
static void slice_rest(struct repeated *r)
{
    uint64_t first =
        r->cuts.count ? tn_list_at(&r->cuts, struct cut, 0)->element : 0;

    for (uint64_t i = 0; i < r->cuts.count; i++) {
        const struct cut *cut = tn_list_at(&r->cuts, struct cut, i);
        slice(r, first, end_of_slice(r, i) - cut->element, cut->chunk + i);
        if (!tn_failed(r->s->error))
            move_field(r->parent->root, cut->field + i);
    }
}

/* What an element adds to a slice besides its bytes. */
static uint64_t head_size(const struct splitting *s)
{
    return s->rules == TN_SPLIT_CPP ? ELEMENT_HEAD : 0;
}

/* Whether the slice has room for so many bytes more. */
static bool has_room(const struct repeated *r, uint64_t size)
{
    uint64_t most = r->s->max;

    return r->s->rules == TN_SPLIT_CPP ? r->held + size <= most
                                       : r->held + size < most;
}

static void split_element(struct repeated *r, uint64_t at, uint64_t size,
                          divider *divide)
{
    struct splitting *s = r->s;
    uint64_t divided = size > s->max / 3 ? divide(s, r->parent, at, size) : 0;

    size = less(size, divided);
    r->gone += divided;
    if (!has_room(r, size)) {
        add_cut(r, at);
        r->gone += r->held;
        r->held = 0;
    }
    r->held += size + head_size(s);
}

/* Elements that fit into the slice together are not examined one by one. */
static bool take_some(struct repeated *r, struct tn_measured some)
{
    uint64_t heads = some.count * head_size(r->s);

    if (some.count < 2 || some.largest > r->s->max / 3 ||
        !has_room(r, some.bodies + heads - head_size(r->s)))
        return false;
    r->held += some.bodies + heads;
    return true;
}

static void split_some(struct repeated *r, const struct tn_mosaic_index *index,
                       uint64_t at, uint64_t count, divider *divide)
{
    uint64_t bodies[TN_GROUP_FIELDS];

    if (!tn_index_is_outline(index) && !whole_at(r->s, index, at))
        return;
    tn_index_lengths(index, at, count, bodies, r->s->error);
    for (uint64_t i = 0; i < count && !tn_failed(r->s->error); i++)
        split_element(r, at + i, bodies[i], divide);
}

static uint64_t split_elements(struct repeated *r, divider *divide)
{
    struct splitting       *s = r->s;
    struct tn_mosaic_index *index =
        elements_by(tn_mosaic_outline, s, r->parent, r->field);
    struct tn_measured some;

    r->count = index ? tn_index_count(index) : 0;
    for (uint64_t i = 0; i < r->count && !tn_failed(s->error);
         i += some.count) {
        some = tn_index_measure(index, i, s->error);
        if (!take_some(r, some))
            split_some(r, index, i, some.count, divide);
    }
    return r->gone;
}

static uint64_t split_repeated(struct splitting *s, struct tn_splitter *parent,
                               const char *field, divider *divide)
{
    struct repeated r = { .s = s, .parent = parent, .field = field };

    tn_list_init(&r.cuts, &parent->root->message->memory, sizeof(struct cut));
    uint64_t before = size_of(s, parent);
    uint64_t gone   = split_elements(&r, divide);
    if (s->rules == TN_SPLIT_CPP) {
        slice_all(&r);
        gone = less(before, size_of(s, parent));
    } else {
        slice_rest(&r);
    }
    tn_list_done(&r.cuts);
    return gone;
}

/* ---- graphs ---------------------------------------------------------------
 */

static bool has_field(struct splitting *s, struct tn_splitter *splitter,
                      const char *name)
{
    uint64_t count = 0;

    if (!tn_failed(s->error))
        tn_splitter_count(splitter, STEPS(TN_NAME(name)), 1, &count, s->error);
    return count > 0;
}

/* C++ leaves an empty message where something was moved. */
static void make_empty(struct splitting *s, struct tn_splitter *splitter,
                       const char *name)
{
    struct tn_mosaic *m = tn_failed(s->error) ? NULL : mosaic_of(splitter);

    if (!m)
        return;
    struct tn_tag_step step = {
        tn_pb_message_field_named(m->type, tn_text(name)), NULL
    };
    tn_mosaic_step(m, &step, TN_MOSAIC_MAKE);
    tn_splitter_end(splitter->root, s->error);
}

/* Into chunk 1, so that it is read before the chunks of its parts. */
static void move_away(struct splitting *s, struct tn_splitter *splitter,
                      const char *name)
{
    if (!has_field(s, splitter, name))
        return;
    tn_splitter_take(splitter, STEPS(TN_NAME(name)), 1, 1, s->error);
    if (s->rules == TN_SPLIT_CPP)
        make_empty(s, splitter, name);
}

static uint64_t split_functions(struct splitting   *s,
                                struct tn_splitter *library)
{
    return library ? split_repeated(s, library, "function", divide_function)
                   : 0;
}

static uint64_t split_nodes(struct splitting *s, struct tn_splitter *graph)
{
    return split_repeated(s, graph, "node", divide_graph_node);
}

static void split_large_graph(struct splitting *s, struct tn_splitter *graph,
                              uint64_t size)
{
    struct tn_splitter *library = NULL;

    if (has_field(s, graph, "library"))
        tn_splitter_child(&library, graph, STEPS(TN_NAME("library")), 1,
                          s->error);
    uint64_t functions = library ? size_of(s, library) : 0;
    uint64_t nodes     = less(size, functions);

    if (functions > nodes) {
        functions = less(functions, split_functions(s, library));
        if (functions + nodes > s->max)
            split_nodes(s, graph);
    } else {
        nodes = less(nodes, split_nodes(s, graph));
        if (functions + nodes > s->max)
            split_functions(s, library);
    }
    if (size_of(s, graph) > s->max)
        move_away(s, graph, "library");
}

static void split_graph(struct splitting *s, struct tn_splitter *graph)
{
    uint64_t size = size_of(s, graph);

    if (!tn_failed(s->error) && size >= s->max)
        split_large_graph(s, graph, size);
}

static struct splitting begin(struct tn_splitter               *splitter,
                              const struct tn_tf_split_options *options,
                              struct tn_error                  *error)
{
    uint64_t most = options->max_size;

    if (splitter == splitter->root)
        tn_splitter_keep_base(splitter, error);
    return (struct splitting){
        options->rules,
        most ? most : tn_tf_split_limit(options->rules),
        error,
    };
}

enum tn_status tn_tf_split_graph(struct tn_splitter               *splitter,
                                 const struct tn_tf_split_options *options,
                                 struct tn_error                  *error)
{
    struct splitting s = begin(splitter, options, error);

    split_graph(&s, splitter);
    return error->status;
}

enum tn_status tn_tf_split_saved_model(
    struct tn_splitter *splitter, const struct tn_tf_split_options *options,
    struct tn_error *error)
{
    struct splitting    s = begin(splitter, options, error);
    struct tn_splitter *meta, *graph;

    if (size_of(&s, splitter) < s.max ||
        !has_field(&s, splitter, "meta_graphs") ||
        tn_splitter_child(&meta, splitter,
                          STEPS(TN_NAME("meta_graphs"), TN_AT(0)), 2,
                          error) != TN_OK ||
        !has_field(&s, meta, "graph_def"))
        return error->status;
    if (tn_splitter_child(&graph, meta, STEPS(TN_NAME("graph_def")), 1,
                          error) == TN_OK)
        split_graph(&s, graph);
    if (size_of(&s, splitter) >= s.max)
        move_away(&s, meta, "graph_def");
    return error->status;
}
