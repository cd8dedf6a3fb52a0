/*
 * generate.c - model files of any size, for `make bench` and the size tests
 *
 *   generate KIND [-o PATH] [--scale N/M] [--size SIZE] [--list]
 *
 * No library can hold the larger ones, so each is written field by field to
 * the wire, in windows of 1 MiB, and the same call gives the same bytes.
 * --list prints where every tensor went; without -o nothing is written, and
 * the list alone is made.
 *
 * From the top: what a tensor is and what fills it, the tables of attributes
 * and operators, ONNX models, TensorFlow graphs, the kinds, the options.
 */
#include "generate_wire.h"

#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <sys/stat.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { EXIT_USAGE = 2, EXIT_IO = 7 };
enum { NAME_SIZE = 160, RANK_MAX = 4, ANY = -1 };

/* One run over a model: into a file, or along a ruler. */
struct job {
    struct file *out;
    FILE        *list;  /* NULL: no list in this run           */
    const char  *path;  /* NULL: nothing is written            */
    uint64_t     count; /* nodes, or tensors in `big`          */
    uint64_t     size;  /* bytes of tensor data, sparse kinds  */
};

/* --- tensors ----------------------------------------------------------- */

enum type { FLOAT32, INT32, INT64, INT8, FLOAT16 };

static const struct {
    const char *onnx_name, *tf_name;
    int         onnx, tf; /* numbers in the two DataType enums */
    unsigned    size;
} types[] = {
    [FLOAT32] = { "FLOAT", "DT_FLOAT", 1, 1, 4 },
    [INT32]   = { "INT32", "DT_INT32", 6, 3, 4 },
    [INT64]   = { "INT64", "DT_INT64", 7, 9, 8 },
    [INT8]    = { "INT8", "DT_INT8", 3, 6, 1 },
    [FLOAT16] = { "FLOAT16", "DT_HALF", 10, 19, 2 },
};

struct shape {
    size_t  rank;
    int64_t dims[RANK_MAX]; /* ANY: not known before the model runs */
};

struct tensor {
    char         name[NAME_SIZE];
    enum type    type;
    struct shape shape;
    uint64_t     size;
    uint64_t     index; /* makes the contents of each tensor different */
    void (*fill)(struct file *out, const struct tensor *tensor);
};

static uint64_t shape_size(const struct shape *shape, enum type type)
{
    uint64_t size = types[type].size;

    for (size_t i = 0; i < shape->rank; i++)
        size *= (uint64_t)shape->dims[i];
    return size;
}

/* The finaliser of splitmix64: neighbouring numbers give unrelated ones. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A weight as training leaves it: random sign and mantissa, magnitudes that
 * halve in number as they halve in size, all below 1/16 and none zero.  So
 * these compress as badly as real ones do. */
static uint32_t weight_bits(uint32_t random)
{
    unsigned exponent = random >> 23 & 0xff;
    unsigned halvings = (unsigned)__builtin_ctz(exponent | 0x80);

    return (random & 0x807fffff) | (122 - halvings) << 23;
}

static void fill_weights(struct file *out, const struct tensor *tensor)
{
    uint8_t  block[4096];
    uint64_t left  = file_is_ruler(out) ? 0 : tensor->size;
    uint64_t state = tensor->index * UINT64_C(0x9e3779b97f4a7c15);

    if (file_is_ruler(out))
        file_hole(out, tensor->size);
    while (left > 0) {
        size_t size = left < sizeof block ? (size_t)left : sizeof block;

        for (size_t i = 0; i < size; i += 8) {
            uint64_t random = mix(state++);

            store_le32(block + i, weight_bits((uint32_t)random));
            store_le32(block + i + 4, weight_bits((uint32_t)(random >> 32)));
        }
        file_bytes(out, block, size);
        left -= size;
    }
}

/* The shape argument of a Reshape: everything, by the width of a layer. */
static void fill_reshape(struct file *out, const struct tensor *tensor)
{
    static const uint8_t shape[8] = { 0xff, 0xff, 0xff, 0xff, 8, 0, 0, 0 };

    file_bytes(out, shape, (size_t)tensor->size);
}

/* "tensor 1 begins\n", a hole, "tensor 1 ends..\n": readable in a hex dump,
 * and a reader that is off by one at either end cannot get both right. */
static void fill_markers(struct file *out, const struct tensor *tensor)
{
    char begin[17], end[17];

    snprintf(begin, sizeof begin, "tensor %u begins\n",
             (unsigned)(tensor->index % 10));
    snprintf(end, sizeof end, "tensor %u ends..\n",
             (unsigned)(tensor->index % 10));
    file_bytes(out, begin, 16);
    file_hole(out, tensor->size - 32);
    file_bytes(out, end, 16);
}

static void list_tensor(const struct job *job, const struct tensor *tensor,
                        const char *type)
{
    if (job->list == NULL)
        return;
    fprintf(job->list, "%s\t%s\t", tensor->name, type);
    for (size_t i = 0; i < tensor->shape.rank; i++)
        fprintf(job->list, "%s%" PRId64, i > 0 ? "," : "",
                tensor->shape.dims[i]);
    fprintf(job->list, "\t%" PRIu64 "\t%" PRIu64 "\n", job->out->offset,
            tensor->size);
}

enum { SPARSE_COUNT = 4, SPARSE_ROW = 4096 };

/* The tensors of the sparse kinds.  They share the size 2:28:1:1, so that
 * 5 GiB already puts one past 4 GiB, and two more behind it.  Every row is a
 * page, so in a file of their own they all begin on one. */
static struct tensor sparse_tensor(const struct job *job, unsigned index)
{
    static const struct {
        enum type type;
        unsigned  share; /* of 32 */
    } plan[SPARSE_COUNT] = {
        { FLOAT32, 2 }, { FLOAT32, 28 }, { INT8, 1 }, { FLOAT16, 1 }
    };
    uint64_t unit = SPARSE_ROW * 32;
    uint64_t rows =
        (job->size / unit + (job->size % unit != 0)) * plan[index].share;

    struct tensor t = {
        .type  = plan[index].type,
        .shape = { 2,
                   { (int64_t)rows,
                     SPARSE_ROW / (int64_t)types[plan[index].type].size } },
        .size  = rows * SPARSE_ROW,
        .index = index,
        .fill  = fill_markers,
    };
    snprintf(t.name, sizeof t.name, "embedding_%u/table", index);
    return t;
}

/* --- operators --------------------------------------------------------- */

enum attr_kind {
    ATTR_NONE,
    ATTR_INT,    /* number                                     */
    ATTR_REAL,   /* real                                       */
    ATTR_TEXT,   /* text                                       */
    ATTR_INTS,   /* shape, as a list of numbers                */
    ATTR_BOOL,   /* number                                     */
    ATTR_TYPE,   /* number, an enum type                       */
    ATTR_SHAPE,  /* shape                                      */
    ATTR_SHAPES, /* shape, as a list of one                    */
    ATTR_CLASS,  /* text, an operator of the block, as a list  */
    ATTR_TENSOR, /* the tensor of the node, which comes last   */
};

struct attr {
    const char    *name;
    enum attr_kind kind;
    int64_t        number;
    float          real;
    const char    *text;
    struct shape   shape;
};

/* One operator of a block.  A model is a chain of equal blocks, each under
 * a scope of its own.  Inputs are written as
 *     "/..."   an output in this block, or its tensor
 *     "<"      the result of the block before
 *     "name"   an input of the graph */
struct op {
    const char *type, *name, *output;
    const char *inputs[3];
    struct attr attrs[6];
};

/* Where a chain has got to: the name of its latest value. */
struct chain {
    char scope[NAME_SIZE];
    char value[NAME_SIZE + 64];
};

static void put_input(struct message *m, uint32_t field, const char *input,
                      const struct chain *chain)
{
    if (input[0] == '/')
        message_name(m, field, chain->scope, input);
    else
        message_text(m, field, input[0] == '<' ? chain->value : input);
}

static void chain_advance(struct chain *chain, const char *output)
{
    snprintf(chain->value, sizeof chain->value, "%s%s", chain->scope, output);
}

/* --- ONNX -------------------------------------------------------------- */

enum { ONNX_IR = 8, ONNX_OPSET = 13 };
enum { ONNX_FLOAT = 1, ONNX_INT = 2, ONNX_STRING = 3, ONNX_INTS = 7 };

#define ONNX_OP(type_, name_)                                                  \
    .type = (type_), .name = (name_), .output = name_ "_output_0"

static void onnx_attr(struct message *m, const struct attr *attr)
{
    size_t begin = message_begin(m, 5);

    message_text(m, 1, attr->name);
    switch (attr->kind) {
    case ATTR_REAL:
        message_float(m, 2, attr->real);
        message_int(m, 20, ONNX_FLOAT);
        break;
    case ATTR_TEXT:
        message_text(m, 4, attr->text);
        message_int(m, 20, ONNX_STRING);
        break;
    case ATTR_INTS:
        for (size_t i = 0; i < attr->shape.rank; i++)
            message_int(m, 8, attr->shape.dims[i]);
        message_int(m, 20, ONNX_INTS);
        break;
    default:
        message_int(m, 3, attr->number);
        message_int(m, 20, ONNX_INT);
        break;
    }
    message_end(m, begin);
}

static void onnx_node(struct job *job, const struct op *op,
                      const struct chain *chain)
{
    struct message m;

    message_clear(&m);
    for (size_t i = 0; i < COUNT(op->inputs) && op->inputs[i] != NULL; i++)
        put_input(&m, 1, op->inputs[i], chain);
    message_name(&m, 2, chain->scope, op->output);
    message_name(&m, 3, chain->scope, op->name);
    message_text(&m, 4, op->type);
    for (size_t i = 0; i < COUNT(op->attrs); i++)
        if (op->attrs[i].kind != ATTR_NONE)
            onnx_attr(&m, &op->attrs[i]);
    file_put(job->out, 1, &m);
}

static void onnx_block(struct job *job, const struct op *ops, size_t count,
                       struct chain *chain)
{
    for (size_t i = 0; i < count; i++)
        onnx_node(job, &ops[i], chain);
    chain_advance(chain, ops[count - 1].output);
}

/* A typed value; `field` is 11 for a graph input, 12 for an output. */
static void onnx_value(struct job *job, uint32_t field, const char *name,
                       enum type type, struct shape shape)
{
    struct message m;

    message_clear(&m);
    message_text(&m, 1, name);
    size_t value_type  = message_begin(&m, 2);
    size_t tensor_type = message_begin(&m, 1);
    message_int(&m, 1, types[type].onnx);
    size_t dims = message_begin(&m, 2);
    for (size_t i = 0; i < shape.rank; i++) {
        size_t dim = message_begin(&m, 1);

        if (shape.dims[i] == ANY)
            message_text(&m, 2, "batch");
        else
            message_int(&m, 1, shape.dims[i]);
        message_end(&m, dim);
    }
    message_end(&m, dims);
    message_end(&m, tensor_type);
    message_end(&m, value_type);
    file_put(job->out, field, &m);
}

static void onnx_tensor_head(struct message *m, const struct tensor *tensor)
{
    message_clear(m);
    for (size_t i = 0; i < tensor->shape.rank; i++)
        message_int(m, 1, tensor->shape.dims[i]);
    message_int(m, 2, types[tensor->type].onnx);
    message_text(m, 8, tensor->name);
}

static void onnx_inline(struct job *job, const struct tensor *tensor)
{
    struct message m;

    onnx_tensor_head(&m, tensor);
    message_tail(&m, 9, tensor->size);
    file_put(job->out, 5, &m);
    list_tensor(job, tensor, types[tensor->type].onnx_name);
    tensor->fill(job->out, tensor);
}

/* A ModelProto around what `graph` writes.  The length of the graph comes
 * first, so it is written twice, the first time along a ruler. */
static void onnx_model(struct job *job, void (*graph)(struct job *))
{
    struct file    ruler     = { .fd = -1 };
    struct job     rehearsal = { .out   = &ruler,
                                 .count = job->count,
                                 .size  = job->size };
    struct message m;

    graph(&rehearsal);
    message_clear(&m);
    message_int(&m, 1, ONNX_IR);
    message_text(&m, 2, "tenon generate");
    message_text(&m, 3, "1");
    message_tail(&m, 7, ruler.offset);
    file_message(job->out, &m);
    graph(job);

    message_clear(&m);
    size_t opset = message_begin(&m, 8);
    message_text(&m, 1, "");
    message_int(&m, 2, ONNX_OPSET);
    message_end(&m, opset);
    file_message(job->out, &m);
}

static void onnx_graph_name(struct job *job, const char *name)
{
    struct message m;

    message_clear(&m);
    message_text(&m, 2, name);
    file_message(job->out, &m);
}

/* --- big: a few large weights ------------------------------------------ */

enum { BIG_NARROW = 1000, BIG_WIDE = 1250 }; /* their product is 5 MB */

static const struct op big_block[] = {
    { ONNX_OP("MatMul", "/proj/MatMul"), .inputs = { "<", "/proj.weight" } },
    { ONNX_OP("Sigmoid", "/gate/Sigmoid"),
      .inputs = { "/proj/MatMul_output_0" } },
    { ONNX_OP("Mul", "/gate/Mul"),
      .inputs = { "/proj/MatMul_output_0", "/gate/Sigmoid_output_0" } },
    { ONNX_OP("Add", "/Add"),
      .inputs = { "/gate/Mul_output_0", "/proj/MatMul_output_0" } },
};

static int64_t big_width(uint64_t block)
{
    return block % 2 == 0 ? BIG_NARROW : BIG_WIDE;
}

static void big_scope(struct chain *chain, uint64_t block)
{
    snprintf(chain->scope, sizeof chain->scope, "/encoder/layers.%" PRIu64,
             block);
}

static void big_weight(struct job *job, uint64_t block)
{
    struct chain  chain;
    struct tensor t = {
        .type  = FLOAT32,
        .shape = { 2, { big_width(block), big_width(block + 1) } },
        .index = block + 1,
        .fill  = fill_weights,
    };

    big_scope(&chain, block);
    snprintf(t.name, sizeof t.name, "%.100s/proj.weight", chain.scope);
    t.size = shape_size(&t.shape, t.type);
    onnx_inline(job, &t);
}

static void big_graph(struct job *job)
{
    struct chain chain = { .value = "input" };

    for (uint64_t i = 0; i < job->count; i++) {
        big_scope(&chain, i);
        onnx_block(job, big_block, COUNT(big_block), &chain);
    }
    onnx_graph_name(job, "big");
    for (uint64_t i = 0; i < job->count; i++)
        big_weight(job, i);
    onnx_value(job, 11, "input", FLOAT32,
               (struct shape){ 2, { ANY, BIG_NARROW } });
    onnx_value(job, 12, chain.value, FLOAT32,
               (struct shape){ 2, { ANY, big_width(job->count) } });
}

static void write_big(struct job *job)
{
    onnx_model(job, big_graph);
}

/* --- small: a million nodes, no weights -------------------------------- */

static const struct shape small_image = { 4, { ANY, 8, 16, 16 } };

static const struct op small_block[] = {
    { ONNX_OP("Conv", "/conv1/Conv"),
      .inputs = { "<", "conv.weight", "conv.bias" },
      .attrs  = { { "dilations", ATTR_INTS, .shape = { 2, { 1, 1 } } },
                  { "group", ATTR_INT, .number = 1 },
                  { "kernel_shape", ATTR_INTS, .shape = { 2, { 3, 3 } } },
                  { "pads", ATTR_INTS, .shape = { 4, { 1, 1, 1, 1 } } },
                  { "strides", ATTR_INTS, .shape = { 2, { 1, 1 } } } } },
    { ONNX_OP("LeakyRelu", "/act1/LeakyRelu"),
      .inputs = { "/conv1/Conv_output_0" },
      .attrs  = { { "alpha", ATTR_REAL, .real = 0.01F } } },
    { ONNX_OP("MaxPool", "/pool/MaxPool"),
      .inputs = { "/act1/LeakyRelu_output_0" },
      .attrs  = { { "auto_pad", ATTR_TEXT, .text = "SAME_UPPER" },
                  { "ceil_mode", ATTR_INT, .number = 0 },
                  { "kernel_shape", ATTR_INTS, .shape = { 2, { 3, 3 } } },
                  { "strides", ATTR_INTS, .shape = { 2, { 1, 1 } } } } },
    { ONNX_OP("Transpose", "/attn/Transpose"),
      .inputs = { "/pool/MaxPool_output_0" },
      .attrs  = { { "perm", ATTR_INTS, .shape = { 4, { 0, 1, 3, 2 } } } } },
    { ONNX_OP("Softmax", "/attn/Softmax"),
      .inputs = { "/attn/Transpose_output_0" },
      .attrs  = { { "axis", ATTR_INT, .number = -1 } } },
    { ONNX_OP("Einsum", "/attn/Einsum"),
      .inputs = { "/attn/Softmax_output_0", "/pool/MaxPool_output_0" },
      .attrs  = { { "equation", ATTR_TEXT, .text = "bcij,bcjk->bcik" } } },
    { ONNX_OP("Add", "/Add"), .inputs = { "/attn/Einsum_output_0", "<" } },
    { ONNX_OP("ReduceMean", "/squeeze/ReduceMean"),
      .inputs = { "/Add_output_0" },
      .attrs  = { { "axes", ATTR_INTS, .shape = { 2, { 2, 3 } } },
                  { "keepdims", ATTR_INT, .number = 1 } } },
    { ONNX_OP("HardSigmoid", "/squeeze/act/HardSigmoid"),
      .inputs = { "/squeeze/ReduceMean_output_0" },
      .attrs  = { { "alpha", ATTR_REAL, .real = 0.16666667F },
                  { "beta", ATTR_REAL, .real = 0.5F } } },
    { ONNX_OP("Mul", "/Mul"),
      .inputs = { "/Add_output_0", "/squeeze/act/HardSigmoid_output_0" } },
};

/* What is left of the count when no whole block fits. */
static const struct op small_rest = { ONNX_OP("Identity", "/Identity"),
                                      .inputs = { "<" } };

static void small_scope(struct chain *chain, uint64_t block)
{
    snprintf(chain->scope, sizeof chain->scope,
             "/module/vision_backbone/stage_%" PRIu64 "/layers.%" PRIu64,
             block / 1000, block % 1000);
}

static void small_nodes(struct job *job, struct chain *chain)
{
    uint64_t blocks = job->count / COUNT(small_block);

    for (uint64_t i = 0; i < blocks; i++) {
        small_scope(chain, i);
        onnx_block(job, small_block, COUNT(small_block), chain);
    }
    for (uint64_t i = 0; i < job->count % COUNT(small_block); i++) {
        snprintf(chain->scope, sizeof chain->scope, "/head/%" PRIu64, i);
        onnx_block(job, &small_rest, 1, chain);
    }
}

static void small_graph(struct job *job)
{
    struct chain chain = { .value = "input" };

    small_nodes(job, &chain);
    onnx_graph_name(job, "small");
    onnx_value(job, 11, "input", FLOAT32, small_image);
    onnx_value(job, 11, "conv.weight", FLOAT32,
               (struct shape){ 4, { 8, 8, 3, 3 } });
    onnx_value(job, 11, "conv.bias", FLOAT32, (struct shape){ 1, { 8 } });
    onnx_value(job, 12, chain.value, FLOAT32, small_image);
}

static void write_small(struct job *job)
{
    onnx_model(job, small_graph);
}

/* --- sparse-onnx and sparse-external ----------------------------------- */

static const struct op lookup = {
    ONNX_OP("Gather", "/lookup"),
    .inputs = { "/table", "ids" },
    .attrs  = { { "axis", ATTR_INT, .number = 0 } },
};

static void sparse_scope(struct chain *chain, unsigned index)
{
    snprintf(chain->scope, sizeof chain->scope, "embedding_%u", index);
}

/* A lookup in each tensor; `put` writes the initializer. */
static void lookup_graph(struct job *job, const char *name,
                         void (*put)(struct job *, const struct tensor *))
{
    struct chain chain = { .value = "" };

    for (unsigned i = 0; i < SPARSE_COUNT; i++) {
        sparse_scope(&chain, i);
        onnx_node(job, &lookup, &chain);
    }
    onnx_graph_name(job, name);
    for (unsigned i = 0; i < SPARSE_COUNT; i++) {
        struct tensor t = sparse_tensor(job, i);

        put(job, &t);
    }
    onnx_value(job, 11, "ids", INT64, (struct shape){ 1, { ANY } });
    for (unsigned i = 0; i < SPARSE_COUNT; i++) {
        struct tensor t = sparse_tensor(job, i);

        sparse_scope(&chain, i);
        chain_advance(&chain, lookup.output);
        onnx_value(job, 12, chain.value, t.type,
                   (struct shape){ 2, { ANY, t.shape.dims[1] } });
    }
}

static void sparse_graph(struct job *job)
{
    lookup_graph(job, "sparse", onnx_inline);
}

static void write_sparse_onnx(struct job *job)
{
    onnx_model(job, sparse_graph);
}

#define EXTERNAL_MODEL   "model.onnx"
#define EXTERNAL_WEIGHTS "weights.bin"

static void external_entry(struct message *m, const char *key,
                           const char *value)
{
    size_t begin = message_begin(m, 13);

    message_text(m, 1, key);
    message_text(m, 2, value);
    message_end(m, begin);
}

/* An offset is where the tensors before it end: they are packed, and start
 * on pages because their rows are pages. */
static void onnx_external(struct job *job, const struct tensor *tensor)
{
    struct message m;
    uint64_t       offset = 0;
    char           number[24];

    for (unsigned i = 0; i < tensor->index; i++)
        offset += sparse_tensor(job, i).size;
    onnx_tensor_head(&m, tensor);
    external_entry(&m, "location", EXTERNAL_WEIGHTS);
    snprintf(number, sizeof number, "%" PRIu64, offset);
    external_entry(&m, "offset", number);
    snprintf(number, sizeof number, "%" PRIu64, tensor->size);
    external_entry(&m, "length", number);
    message_int(&m, 14, 1);
    file_put(job->out, 5, &m);
}

static void external_graph(struct job *job)
{
    lookup_graph(job, "external", onnx_external);
}

static void write_external_model(struct job *job)
{
    onnx_model(job, external_graph);
}

static void write_external_weights(struct job *job)
{
    for (unsigned i = 0; i < SPARSE_COUNT; i++) {
        struct tensor t = sparse_tensor(job, i);

        list_tensor(job, &t, types[t.type].onnx_name);
        t.fill(job->out, &t);
    }
}

/* --- TensorFlow -------------------------------------------------------- */

enum { TF_PRODUCER = 1395, TF_MIN_CONSUMER = 12 };

#define TF_DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

static void tf_shape(struct message *m, uint32_t field,
                     const struct shape *shape)
{
    size_t begin = message_begin(m, field);

    for (size_t i = 0; i < shape->rank; i++) {
        size_t dim = message_begin(m, 2);

        message_int(m, 1, shape->dims[i]);
        message_end(m, dim);
    }
    message_end(m, begin);
}

static void tf_tensor(struct message *m, const struct tensor *tensor)
{
    size_t begin = message_begin(m, 8);

    message_int(m, 1, types[tensor->type].tf);
    tf_shape(m, 2, &tensor->shape);
    message_tail(m, 4, tensor->size);
    message_end(m, begin);
}

/* `loc:@` and the node this one is to be placed with. */
static void tf_class(struct message *m, const char *leaf,
                     const struct chain *chain)
{
    char   text[NAME_SIZE + 64];
    size_t begin = message_begin(m, 1);

    snprintf(text, sizeof text, "loc:@%s%s", chain->scope, leaf);
    message_text(m, 2, text);
    message_end(m, begin);
}

static void tf_attr_value(struct message *m, const struct attr *attr,
                          const struct chain  *chain,
                          const struct tensor *tensor)
{
    size_t list;

    switch (attr->kind) {
    case ATTR_TEXT: message_text(m, 2, attr->text); break;
    case ATTR_BOOL: message_int(m, 5, attr->number); break;
    case ATTR_TYPE: message_int(m, 6, types[attr->number].tf); break;
    case ATTR_SHAPE: tf_shape(m, 7, &attr->shape); break;
    case ATTR_SHAPES:
        list = message_begin(m, 1);
        tf_shape(m, 7, &attr->shape);
        message_end(m, list);
        break;
    case ATTR_CLASS: tf_class(m, attr->text, chain); break;
    case ATTR_TENSOR: tf_tensor(m, tensor); break;
    default: message_int(m, 3, attr->number); break;
    }
}

static void tf_attr(struct message *m, const struct attr *attr,
                    const struct chain *chain, const struct tensor *tensor)
{
    size_t entry = message_begin(m, 5);

    message_text(m, 1, attr->name);
    size_t value = message_begin(m, 2);
    tf_attr_value(m, attr, chain, tensor);
    message_end(m, value);
    message_end(m, entry);
}

/* `tensor` is what a Const holds, and NULL for the others. */
static void tf_node(struct job *job, const struct op *op,
                    const struct chain *chain, const struct tensor *tensor)
{
    struct message m;

    message_clear(&m);
    message_name(&m, 1, chain->scope, op->name);
    message_text(&m, 2, op->type);
    for (size_t i = 0; i < COUNT(op->inputs) && op->inputs[i] != NULL; i++)
        put_input(&m, 3, op->inputs[i], chain);
    message_text(&m, 4, TF_DEVICE);
    for (size_t i = 0; i < COUNT(op->attrs); i++)
        if (op->attrs[i].kind != ATTR_NONE)
            tf_attr(&m, &op->attrs[i], chain, tensor);
    file_put(job->out, 1, &m);
    if (tensor != NULL) {
        list_tensor(job, tensor, types[tensor->type].tf_name);
        tensor->fill(job->out, tensor);
    }
}

static void tf_versions(struct job *job)
{
    struct message m;

    message_clear(&m);
    message_int(&m, 1, TF_PRODUCER);
    message_int(&m, 2, TF_MIN_CONSUMER);
    file_put(job->out, 4, &m);
}

/* --- graph: a million nodes of TensorFlow ------------------------------ */

/* clang-format off */
#define TF_WIDTH  8
#define TF_ROWS   { 2, { ANY, TF_WIDTH } }
#define TF_KERNEL { 2, { TF_WIDTH, TF_WIDTH } }
#define TF_BIAS   { 1, { TF_WIDTH } }
#define TF_PAIR   { 1, { 2 } }

#define T_FLOAT { "T", ATTR_TYPE, .number = FLOAT32 }
#define OUTPUT_SHAPE(...) \
    { "_output_shapes", ATTR_SHAPES, .shape = __VA_ARGS__ }
#define CONST_ATTRS(type_, ...)                                       \
    .attrs = { OUTPUT_SHAPE(__VA_ARGS__),                             \
               { "dtype", ATTR_TYPE, .number = (type_) },             \
               { "value", ATTR_TENSOR, .number = (type_),             \
                 .shape = __VA_ARGS__ } }
/* clang-format on */

static const struct op graph_input = {
    "Placeholder", .name = "input",
    .attrs = { OUTPUT_SHAPE(TF_ROWS),
               { "dtype", ATTR_TYPE, .number = FLOAT32 },
               { "shape", ATTR_SHAPE, .shape = TF_ROWS } }
};

/* Attributes are sorted by name, as a deterministic writer sorts a map. */
static const struct op graph_block[] = {
    { "Const", .name = "/dense/kernel", CONST_ATTRS(FLOAT32, TF_KERNEL) },
    { "Identity", .name = "/dense/kernel/read", .inputs = { "/dense/kernel" },
      .attrs = { T_FLOAT,
                 { "_class", ATTR_CLASS, .text = "/dense/kernel" },
                 OUTPUT_SHAPE(TF_KERNEL) } },
    { "MatMul", .name = "/dense/MatMul",
      .inputs = { "<", "/dense/kernel/read" },
      .attrs  = { T_FLOAT,
                  OUTPUT_SHAPE(TF_ROWS),
                  { "transpose_a", ATTR_BOOL, .number = 0 },
                  { "transpose_b", ATTR_BOOL, .number = 0 } } },
    { "Const", .name = "/dense/bias", CONST_ATTRS(FLOAT32, TF_BIAS) },
    { "Identity", .name = "/dense/bias/read", .inputs = { "/dense/bias" },
      .attrs = { T_FLOAT,
                 { "_class", ATTR_CLASS, .text = "/dense/bias" },
                 OUTPUT_SHAPE(TF_BIAS) } },
    { "BiasAdd", .name = "/dense/BiasAdd",
      .inputs = { "/dense/MatMul", "/dense/bias/read" },
      .attrs  = { T_FLOAT,
                  OUTPUT_SHAPE(TF_ROWS),
                  { "data_format", ATTR_TEXT, .text = "NHWC" } } },
    { "Relu", .name = "/dense/Relu", .inputs = { "/dense/BiasAdd" },
      .attrs = { T_FLOAT, OUTPUT_SHAPE(TF_ROWS) } },
    { "Const", .name = "/Reshape/shape", CONST_ATTRS(INT32, TF_PAIR) },
    { "Reshape", .name = "/Reshape",
      .inputs = { "/dense/Relu", "/Reshape/shape" },
      .attrs  = { T_FLOAT,
                  { "Tshape", ATTR_TYPE, .number = INT32 },
                  OUTPUT_SHAPE(TF_ROWS) } },
    { "AddV2", .name = "/add", .inputs = { "/Reshape", "<" },
      .attrs = { T_FLOAT, OUTPUT_SHAPE(TF_ROWS) } },
};

static const struct op graph_rest = {
    "Identity", .name = "/Identity", .inputs = { "<" },
    .attrs = { T_FLOAT, OUTPUT_SHAPE(TF_ROWS) }
};

static void graph_const(struct job *job, const struct op *op,
                        const struct chain *chain, uint64_t index)
{
    const struct attr *value = &op->attrs[2];
    struct tensor      t     = {
                 .type  = (enum type)value->number,
                 .shape = value->shape,
                 .size  = shape_size(&value->shape, (enum type)value->number),
                 .index = index,
                 .fill  = value->number == INT32 ? fill_reshape : fill_weights,
    };

    if (job->list != NULL)
        snprintf(t.name, sizeof t.name, "%.100s%.50s", chain->scope, op->name);
    tf_node(job, op, chain, &t);
}

static void graph_layer(struct job *job, struct chain *chain, uint64_t layer)
{
    snprintf(chain->scope, sizeof chain->scope,
             "model/transformer/encoder/stage_%" PRIu64 "/layer_%" PRIu64
             "/feed_forward/residual",
             layer / 1000, layer % 1000);
    for (size_t i = 0; i < COUNT(graph_block); i++) {
        const struct op *op = &graph_block[i];

        if (op->attrs[2].kind == ATTR_TENSOR)
            graph_const(job, op, chain, layer * COUNT(graph_block) + i);
        else
            tf_node(job, op, chain, NULL);
    }
    chain_advance(chain, graph_block[COUNT(graph_block) - 1].name);
}

static void write_graph(struct job *job)
{
    struct chain chain = { .value = "input" };
    uint64_t     left  = job->count - 1;

    tf_node(job, &graph_input, &chain, NULL);
    for (uint64_t i = 0; i < left / COUNT(graph_block); i++)
        graph_layer(job, &chain, i);
    for (uint64_t i = 0; i < left % COUNT(graph_block); i++) {
        snprintf(chain.scope, sizeof chain.scope, "head_%" PRIu64, i);
        tf_node(job, &graph_rest, &chain, NULL);
        chain_advance(&chain, graph_rest.name);
    }
    tf_versions(job);
}

/* --- sparse-graph ------------------------------------------------------ */

static const struct op ids_input = {
    "Placeholder", .name = "ids",
    .attrs = { { "dtype", ATTR_TYPE, .number = INT64 },
               { "shape", ATTR_SHAPE, .shape = { 1, { ANY } } } }
};

static void write_sparse_graph(struct job *job)
{
    struct chain chain = { .value = "" };

    tf_node(job, &ids_input, &chain, NULL);
    for (unsigned i = 0; i < SPARSE_COUNT; i++) {
        struct tensor   t     = sparse_tensor(job, i);
        const struct op table = {
            "Const", .name = "/table",
            .attrs = { { "dtype", ATTR_TYPE, .number = t.type },
                       { "value", ATTR_TENSOR, .number = t.type } }
        };
        const struct op gather = {
            "Gather", .name = "/lookup", .inputs = { "/table", "ids" },
            .attrs = { { "Tindices", ATTR_TYPE, .number = INT64 },
                       { "Tparams", ATTR_TYPE, .number = t.type } }
        };

        sparse_scope(&chain, i);
        tf_node(job, &table, &chain, &t);
        tf_node(job, &gather, &chain, NULL);
    }
    tf_versions(job);
}

/* --- SavedModels ------------------------------------------------------- */

/* A SavedModel around what `graph` writes; its length comes first, as in
 * onnx_model(). */
static void saved_model(struct job *job, void (*graph)(struct job *))
{
    struct file    ruler     = { .fd = -1 };
    struct job     rehearsal = { .out   = &ruler,
                                 .count = job->count,
                                 .size  = job->size };
    struct message m;

    graph(&rehearsal);
    message_clear(&m);
    message_int(&m, 1, 1);
    size_t meta_graph = message_begin(&m, 2);
    size_t meta_info  = message_begin(&m, 1);
    message_text(&m, 4, "serve");
    message_end(&m, meta_info);
    message_tail(&m, 2, ruler.offset);
    message_end(&m, meta_graph);
    file_message(job->out, &m);
    graph(job);
}

/* clang-format off */
#define SAVED_WIDTH  1144 /* a square of them is 5.2 MB of float32 */
#define SAVED_ROWS   { 2, { ANY, SAVED_WIDTH } }
#define SAVED_KERNEL { 2, { SAVED_WIDTH, SAVED_WIDTH } }
/* clang-format on */

static const struct op saved_input = {
    "Placeholder", .name = "input",
    .attrs = { OUTPUT_SHAPE(SAVED_ROWS),
               { "dtype", ATTR_TYPE, .number = FLOAT32 },
               { "shape", ATTR_SHAPE, .shape = SAVED_ROWS } }
};

static const struct op saved_kernel = { "Const", .name = "/kernel",
                                        CONST_ATTRS(FLOAT32, SAVED_KERNEL) };

static const struct op saved_product = {
    "MatMul", .name = "/MatMul", .inputs = { "<", "/kernel" },
    .attrs = { T_FLOAT,
               OUTPUT_SHAPE(SAVED_ROWS),
               { "transpose_a", ATTR_BOOL, .number = 0 },
               { "transpose_b", ATTR_BOOL, .number = 0 } }
};

static void saved_weights(struct job *job)
{
    struct chain chain = { .value = "input" };

    tf_node(job, &saved_input, &chain, NULL);
    for (uint64_t i = 0; i < job->count; i++) {
        snprintf(chain.scope, sizeof chain.scope, "model/layer_%" PRIu64, i);
        graph_const(job, &saved_kernel, &chain, i);
        tf_node(job, &saved_product, &chain, NULL);
        chain_advance(&chain, saved_product.name);
    }
    tf_versions(job);
}

static void write_saved(struct job *job)
{
    saved_model(job, saved_weights);
}

static void write_saved_graph(struct job *job)
{
    saved_model(job, write_graph);
}

static void write_sparse_saved(struct job *job)
{
    saved_model(job, write_sparse_graph);
}

/* --- running a job ----------------------------------------------------- */

/* A file that could not be finished is removed: a make target must not be
 * half.  A device that was full stays where it is. */
static void file_close(struct file *out, const char *path)
{
    struct stat info = { 0 };

    if (out->fd >= 0) {
        bool is_regular = fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode);

        if (close(out->fd) != 0 && out->error == 0)
            out->error = errno;
        if (is_regular && out->error != 0)
            unlink(path);
    }
    free(out->window);
    if (out->error != 0)
        fprintf(stderr, "generate: %s: %s\n", path, strerror(out->error));
}

/* Write one file, or only count along it when there is no path. */
static bool run_file(struct job *job, const char *path,
                     void (*write_file)(struct job *))
{
    struct file out = { .fd = -1 };

    if (path != NULL) {
        out.fd     = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        out.window = malloc(WINDOW_SIZE);
        if (out.fd < 0 || out.window == NULL)
            out.error = errno;
    }
    job->out = &out;
    if (out.error == 0) {
        write_file(job);
        file_flush(&out);
    }
    file_close(&out, path);
    return out.error == 0;
}

static bool run_in_folder(struct job *job, const char *name,
                          void (*write_file)(struct job *))
{
    char path[4096];

    if (job->path == NULL)
        return run_file(job, NULL, write_file);
    if (snprintf(path, sizeof path, "%s/%s", job->path, name) >=
        (int)sizeof path) {
        fprintf(stderr, "generate: %s: %s\n", job->path,
                strerror(ENAMETOOLONG));
        return false;
    }
    return run_file(job, path, write_file);
}

/* The model comes last: where it is, its weights are. */
static bool run_external(struct job *job)
{
    if (job->path != NULL && mkdir(job->path, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "generate: %s: %s\n", job->path, strerror(errno));
        return false;
    }
    if (!run_in_folder(job, EXTERNAL_WEIGHTS, write_external_weights))
        return false;
    job->list = NULL;
    return run_in_folder(job, EXTERNAL_MODEL, write_external_model);
}

/* --- the command line -------------------------------------------------- */

#define GIB (UINT64_C(1) << 30)

static const struct kind {
    const char *name;
    void (*write)(struct job *); /* NULL: a folder, see run_external */
    uint64_t    count, least;    /* at scale 1, and after scaling    */
    uint64_t    size;            /* unless --size says otherwise     */
    const char *what;
} kinds[] = {
    { "big", write_big, 300, 1, 0,
      "ONNX, 1.5 GB: 300 tensors of 5 MB, 1,200 nodes" },
    { "small", write_small, 1000000, 1, 0,
      "ONNX, 257 MB: 1,000,000 nodes, no weights" },
    { "graph", write_graph, 1000000, 2, 0,
      "GraphDef, 335 MB: 1,000,000 nodes" },
    { "saved", write_saved, 300, 1, 0,
      "SavedModel, 1.5 GB: 300 Consts of 5 MB, 601 nodes" },
    { "saved-graph", write_saved_graph, 1000000, 2, 0,
      "SavedModel, 335 MB: 1,000,000 nodes" },
    { "sparse-onnx", write_sparse_onnx, 0, 0, 6 * GIB,
      "ONNX, 6 GiB of holes in 4 tensors" },
    { "sparse-external", NULL, 0, 0, 5 * GIB,
      "a folder: " EXTERNAL_MODEL ", " EXTERNAL_WEIGHTS
      " with 5 GiB of holes" },
    { "sparse-graph", write_sparse_graph, 0, 0, 5 * GIB / 2,
      "GraphDef, 2.5 GiB of holes in 4 Consts" },
    { "sparse-saved", write_sparse_saved, 0, 0, 5 * GIB,
      "SavedModel, 5 GiB of holes in 4 Consts" },
};

static void print_help(void)
{
    printf("usage: generate KIND [-o PATH] [options]\n\nkinds:\n");
    for (size_t i = 0; i < COUNT(kinds); i++)
        printf("  %-16s %s\n", kinds[i].name, kinds[i].what);
    printf("\noptions:\n"
           "  -o, --out PATH   the file, or folder, to write\n"
           "  --scale N/M      N/M of the nodes or tensors (not sparse-*)\n"
           "  --size SIZE      bytes of tensor data, such as 2.5GiB "
           "(sparse-*);\n"
           "                   rounded up to whole 128 KiB\n"
           "  --list           print name, type, dims, offset, length of "
           "each tensor\n"
           "  --help           print this\n\n"
           "A tensor of a sparse kind begins \"tensor K begins\\n\" and ends "
           "\"tensor K ends..\\n\",\n"
           "K counting from 0; between them is a hole.\n");
}

static int usage_error(const char *what, const char *value)
{
    fprintf(stderr, "generate: %s: %s; try --help\n", value, what);
    return EXIT_USAGE;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* "N/M", both 1 to 1,000,000: so no product with a count overflows. */
static bool parse_scale(const char *text, uint64_t *count)
{
    unsigned over, under;
    int      end = 0;

    if (sscanf(text, "%7u/%7u%n", &over, &under, &end) != 2 ||
        text[end] != '\0' || over < 1 || over > 1000000 || under < 1 ||
        under > 1000000)
        return false;
    *count = *count * over / under;
    return true;
}

/* A number and a unit, at most 1 PiB: a file system may allow less. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const struct {
        const char *name;
        double      size;
    } units[] = { { "", 1 },
                  { "kB", 1e3 },
                  { "MB", 1e6 },
                  { "GB", 1e9 },
                  { "KiB", 1024 },
                  { "MiB", 1048576 },
                  { "GiB", 1073741824 } };
    char  *unit;
    double number = strtod(text, &unit);

    for (size_t i = 0; i < COUNT(units); i++) {
        double bytes = number * units[i].size;

        if (strcmp(unit, units[i].name) == 0 && bytes >= 1 && bytes <= 0x1p50) {
            *size = (uint64_t)bytes;
            return true;
        }
    }
    return false;
}

struct choices {
    const char *out, *scale, *size;
    bool        list, help;
};

static bool read_options(int argc, char **argv, struct choices *choices)
{
    static const struct option options[] = {
        { "out", required_argument, NULL, 'o' },
        { "scale", required_argument, NULL, 's' },
        { "size", required_argument, NULL, 'z' },
        { "list", no_argument, NULL, 'l' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        switch (c) {
        case 'o': choices->out = optarg; break;
        case 's': choices->scale = optarg; break;
        case 'z': choices->size = optarg; break;
        case 'l': choices->list = true; break;
        case 'h': choices->help = true; break;
        default: return false; /* getopt has said why */
        }
    }
    return true;
}

static int run_kind(const struct kind *kind, struct job *job)
{
    bool done = kind->write != NULL ? run_file(job, job->path, kind->write)
                                    : run_external(job);

    if (fflush(stdout) != 0) {
        perror("generate: standard output");
        done = false;
    }
    return done ? EXIT_SUCCESS : EXIT_IO;
}

int main(int argc, char **argv)
{
    struct choices choices = { 0 };

    if (!read_options(argc, argv, &choices))
        return EXIT_USAGE;
    if (choices.help) {
        print_help();
        return EXIT_SUCCESS;
    }
    const char        *name = optind + 1 == argc ? argv[optind] : "KIND";
    const struct kind *kind = find_kind(name);
    if (kind == NULL)
        return usage_error("one kind is wanted", name);

    struct job job = { .list  = choices.list ? stdout : NULL,
                       .path  = choices.out,
                       .count = kind->count,
                       .size  = kind->size };
    if (choices.scale != NULL &&
        (kind->count == 0 || !parse_scale(choices.scale, &job.count) ||
         job.count < kind->least))
        return usage_error("no scale for this kind", choices.scale);
    if (choices.size != NULL &&
        (kind->size == 0 || !parse_size(choices.size, &job.size)))
        return usage_error("no size for this kind", choices.size);
    if (choices.out == NULL && !choices.list)
        return usage_error("neither -o nor --list, nothing to do", name);
    return run_kind(kind, &job);
}
