/*
 * interpret_node.c - a node of a framework as ops of nd4j
 *
 * By the mapper that a file has for it; where there is none, by the rules that
 * carry models: the node becomes a model of its own (one_node.h), which is
 * carried to nd4j, and what has come of it is described.
 */
#include "engine/convert_dialect.h"
#include "engine/describe_ops.h"
#include "engine/interpreter.h"
#include "engine/known_inputs.h"
#include "engine/node_text.h"
#include "engine/one_node.h"
#include "engine/rulebook.h"
#include "map/dl4j/run_mapper.h"

/* ---- the handle --------------------------------------------------------- */

static enum tn_status new_interpreted(struct tn_interpreted **out,
                                      struct tn_interpreter  *i,
                                      struct tn_error        *error)
{
    struct tn_interpreted *to =
        tn_memory_resize(&i->memory, NULL, 0, sizeof *to, error);

    *out = to;
    if (!to)
        return error->status;
    memset(to, 0, sizeof *to);
    tn_memory_init(&to->memory, &i->memory.allocator, i->memory.limit);
    tn_arena_init(&to->arena, &to->memory);
    i->memory.used -= sizeof *to; /* it is on its own from here */
    to->memory.used += sizeof *to;
    return TN_OK;
}

void tn_op_descriptor_close(struct tn_op_descriptor *descriptor)
{
    struct tn_interpreted *to = (struct tn_interpreted *)descriptor;
    struct tn_memory       memory;

    if (!to)
        return;
    tn_arena_done(&to->arena);
    tn_memory_init(&memory, &to->memory.allocator, to->memory.limit);
    memory.used = to->memory.used;
    tn_memory_free(&memory, to, sizeof *to);
}

static enum tn_status hand_over(struct tn_interpreted    *to,
                                struct tn_op_descriptor **out,
                                struct tn_error          *error)
{
    *out = &to->descriptor;
    if (tn_failed(error)) {
        tn_op_descriptor_close(*out);
        *out = NULL;
    }
    return error->status;
}

/* ---- by a mapper -------------------------------------------------------- */

/* Mappers that rules of our own language are only tell what those do. */
static const struct tn_mapper *find_mapper(const struct tn_interpreter *i,
                                           const struct tn_map_node    *node)
{
    struct tn_bytes framework = tn_text(tn_framework_name(node->framework));
    const struct tn_mapper *mapper =
        i->has_files && !node->domain.size
            ? tn_mappers_find(&i->mappers, framework, node->op_type)
            : NULL;

    if (mapper && tn_mapper_is_open(mapper))
        return NULL; /* it says no more than that there is a rule */
    for (uint32_t k = 0; mapper && k < i->own_count; k++)
        if (mapper->place.file && !strcmp(mapper->place.file, i->own[k].name))
            return NULL;
    return mapper;
}

static enum tn_status run_mapper(struct tn_interpreter *i,
                                 struct tn_map_job     *job,
                                 struct tn_interpreted *to,
                                 struct tn_error       *error)
{
    int64_t opset = job->context && job->context->opset > 0
                        ? job->context->opset
                        : TN_RULES_OPSET;

    job->target = tn_dl4j_ops_find(&i->ops, job->mapper->target);
    if (!job->target)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "nd4j has no op '%.*s'",
                            TN_FMT(job->mapper->target));
    job->definition =
        tn_interpreter_definition(i, job->mapper->framework, job->node->domain,
                                  job->node->op_type, opset, error);
    if (tn_failed(error))
        return error->status;
    if (!i->has_own_ops)
        TN_TRY(tn_mapper_check_loosely(job->mapper, job->target,
                                       job->definition, error));
    return tn_map_run(job, &to->descriptor, &to->arena, error);
}

/* ---- by rules ----------------------------------------------------------- */

static enum tn_status open_book(struct tn_interpreter *i,
                                struct tn_error       *error)
{
    if (i->book)
        return TN_OK;
    return tn_rulebook_open(&i->book, NULL, 0, &i->options, error);
}

/* A tn_read_at over bytes in memory; the model is opened within their bounds.
 */
static int read_bytes(void *context, uint64_t offset, void *to, size_t size)
{
    const struct tn_buffer *bytes = context;

    if (size > 0)
        memcpy(to, bytes->data + offset, size);
    return 0;
}

static struct tn_bytes original_name(const void *context, struct tn_bytes name)
{
    return tn_one_node_name(context, name);
}

/* Inputs of the node are the caller's, constants or not. */
static bool is_of_node(const void *context, struct tn_bytes name)
{
    const struct tn_one_node *one = context;

    for (uint32_t i = 0; i < one->node->input_count; i++)
        if (tn_bytes_equal(one->node->inputs[i], name))
            return true;
    return false;
}

/* Nodes of TensorFlow that make up loops, conditions and lists together: alone
 * they mean the same as among the others, but no graph has them so. */
static bool is_part(const struct tn_map_node *node)
{
    static const char *const parts[] = { "Switch", "Merge", "Enter", "Exit",
                                         "NextIteration" };

    if (node->framework != TN_FRAMEWORK_TENSORFLOW)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (tn_bytes_is(node->op_type, parts[i]))
            return true;
    return tn_bytes_starts_with(node->op_type, "TensorArray");
}

static enum tn_status carry(struct tn_interpreter    *i,
                            const struct tn_model    *model,
                            const struct tn_one_node *one,
                            struct tn_interpreted *to, struct tn_error *error)
{
    struct tn_map_options how = { .book = i->book };
    struct tn_carrying    c   = { .how       = &how,
                                  .options   = &i->options,
                                  .format    = tn_format_named("samediff-fb"),
                                  .own       = i->own,
                                  .own_count = i->own_count };
    struct tn_describing  d   = { .interpreter = i, .arena = &to->arena };

    if (one) {
        c.is_part         = is_part(one->node);
        how.force_invalid = c.is_part;
        how.outputs       = &one->output;
        how.output_count  = one->output != NULL;
        d.name            = original_name;
        d.is_known        = is_of_node;
        d.context         = one;
    }
    if (tn_carry(&c, model, error) == TN_OK) {
        d.model = c.model;
        tn_describe_ops(&d, &to->descriptor, error);
    }
    tn_carry_done(&c);
    return error->status;
}

static enum tn_status carry_node(struct tn_interpreter *i,
                                 struct tn_one_node    *one,
                                 struct tn_interpreted *to,
                                 struct tn_error       *error)
{
    bool              is_onnx = one->node->framework == TN_FRAMEWORK_ONNX;
    struct tn_options options = i->options;
    struct tn_buffer  bytes;
    struct tn_model  *model = NULL;

    options.wants_graph = true;
    options.from        = is_onnx ? "onnx" : "tf-graph";
    tn_buffer_init(&bytes, &to->memory, error);
    if (tn_one_node_write(one, &to->arena, &bytes, error) == TN_OK &&
        tn_model_open_source(&model, "node", bytes.size, read_bytes, &bytes,
                             &options, error) == TN_OK)
        carry(i, model, one, to, error);
    tn_model_close(model);
    tn_buffer_done(&bytes);
    return error->status;
}

/* A NodeDef does not say which of its outputs somebody wants.  Where no rule
 * gives all of them, the first is. */
static enum tn_status carry_outputs(struct tn_interpreter *i,
                                    struct tn_one_node    *one,
                                    struct tn_interpreted *to,
                                    struct tn_error       *error)
{
    struct tn_error first = TN_ERROR_INIT;

    one->output = NULL;
    if (carry_node(i, one, to, error) != TN_UNSUPPORTED ||
        one->node->framework != TN_FRAMEWORK_TENSORFLOW)
        return error->status;
    one->output =
        tn_text_format(&to->arena, &first, "%.*s", TN_FMT(one->node->name));
    if (one->output && carry_node(i, one, to, &first) == TN_OK)
        *error = (struct tn_error)TN_ERROR_INIT;
    return error->status;
}

/* What is not told may not matter; where it does, it is assumed, unless the
 * caller is strict. */
enum tn_status tn_interpret_by_rules(struct tn_interpreter *i,
                                     struct tn_one_node    *one,
                                     struct tn_interpreted *to,
                                     struct tn_error       *error)
{
    TN_TRY(open_book(i, error));
    carry_outputs(i, one, to, error);
    if (!one->lacks_types || (one->context && one->context->is_strict) ||
        (error->status != TN_UNSUPPORTED && error->status != TN_MALFORMED))
        return error->status;
    *error             = (struct tn_error)TN_ERROR_INIT;
    one->assumes_types = true;
    return carry_outputs(i, one, to, error);
}

/* ---- a node that lacks something ---------------------------------------- */

static bool is_input(const struct tn_map_node *node, struct tn_bytes name)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tn_bytes_equal(node->inputs[i], name))
            return true;
    return false;
}

/* The vocabulary's name of an output, or another where an input has that. */
static struct tn_bytes made_name(const struct tn_map_node *node,
                                 struct tn_bytes wish, struct tn_arena *arena,
                                 struct tn_error *error)
{
    while (is_input(node, wish) && !tn_failed(error))
        wish = tn_text(tn_text_format(arena, error, "%.*s_out", TN_FMT(wish)));
    return wish;
}

/* A node without a name is called after its op; an ONNX node without outputs
 * has those that it must have. */
static enum tn_status complete(struct tn_map_node       *node,
                               const struct tn_vocab_op *definition,
                               struct tn_arena *arena, struct tn_error *error)
{
    uint32_t count = 1;

    if (!node->name.size)
        node->name = made_name(node, node->op_type, arena, error);
    if (node->framework != TN_FRAMEWORK_ONNX || node->output_count)
        return error->status;
    if (definition && definition->min_outputs > 1 &&
        definition->min_outputs <= definition->output_count)
        count = definition->min_outputs;
    struct tn_bytes *outputs = tn_new(arena, struct tn_bytes, count, error);
    for (uint32_t i = 0; outputs && i < count; i++)
        outputs[i] = made_name(node,
                               definition && i < definition->output_count
                                   ? definition->outputs[i].name
                                   : tn_text("output"),
                               arena, error);
    node->outputs      = outputs;
    node->output_count = outputs ? count : 0;
    return error->status;
}

/* ---- from callers ------------------------------------------------------- */

static enum tn_status interpret(struct tn_interpreter *i,
                                struct tn_interpreted *to,
                                struct tn_map_node *node, struct tn_bytes bytes,
                                const struct tn_interpret_context *context,
                                struct tn_error                   *error)
{
    struct tn_map_job job = { .node = node, .context = context };
    int64_t opset = context && context->opset > 0 ? context->opset : INT64_MAX;
    struct tn_one_node one = { .bytes   = bytes,
                               .node    = node,
                               .context = context };

    job.mapper     = find_mapper(i, node);
    one.definition = tn_interpreter_definition(
        i, tn_text(tn_framework_name(node->framework)), node->domain,
        node->op_type, opset, error);
    if (tn_failed(error) ||
        complete(node, one.definition, &to->arena, error) != TN_OK)
        return error->status;
    return job.mapper ? run_mapper(i, &job, to, error)
                      : tn_interpret_by_rules(i, &one, to, error);
}

static enum tn_status interpret_bytes(
    struct tn_op_descriptor **out, struct tn_interpreter *i,
    enum tn_framework framework, struct tn_bytes bytes,
    const struct tn_interpret_context *context, struct tn_error *error)
{
    struct tn_map_node      node;
    struct tn_interpreted  *to;
    struct tn_known_context known;

    *out = NULL;
    TN_TRY(new_interpreted(&to, i, error));
    if (tn_known_context_fill(&known, context, framework, &to->arena, error) ==
            TN_OK &&
        tn_map_node_read(&node, framework, bytes, &to->arena, error) == TN_OK)
        interpret(i, to, &node, bytes, &known.around, error);
    return hand_over(to, out, error);
}

enum tn_status tn_interpret_tensorflow(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    return interpret_bytes(out, interpreter, TN_FRAMEWORK_TENSORFLOW, node,
                           context, error);
}

enum tn_status tn_interpret_onnx(struct tn_op_descriptor          **out,
                                 struct tn_interpreter             *interpreter,
                                 struct tn_bytes                    node,
                                 const struct tn_interpret_context *context,
                                 struct tn_error                   *error)
{
    TN_ERROR_OR_OWN(error);
    return interpret_bytes(out, interpreter, TN_FRAMEWORK_ONNX, node, context,
                           error);
}

enum tn_status tn_interpret_node(struct tn_op_descriptor **out,
                                 struct tn_interpreter *i, struct tn_bytes node,
                                 const struct tn_interpret_context *context,
                                 struct tn_error                   *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_arena   arena;
    enum tn_framework framework;
    struct tn_bytes   bytes;

    *out = NULL;
    tn_arena_init(&arena, &i->memory);
    if (tn_node_bytes(&arena, node, &framework, &bytes, error) == TN_OK)
        interpret_bytes(out, i, framework, bytes, context, error);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_interpret_model(struct tn_op_descriptor **out,
                                  struct tn_interpreter    *i,
                                  const struct tn_model    *model,
                                  struct tn_error          *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_interpreted *to;

    *out = NULL;
    TN_TRY(new_interpreted(&to, i, error));
    if (open_book(i, error) == TN_OK)
        carry(i, model, NULL, to, error);
    return hand_over(to, out, error);
}
