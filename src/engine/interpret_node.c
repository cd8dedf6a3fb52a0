/*
 * interpret_node.c - a node of a framework as ops of nd4j
 *
 * By the mapper that a file has for it; if there is none, by the rules for
 * models: the node becomes a model of its own (one_node.h), which is converted
 * to nd4j, and the result is described.
 */
#include "base/given.h"
#include "engine/assume.h"
#include "engine/bare_node.h"
#include "engine/convert_dialect.h"
#include "engine/describe_ops.h"
#include "engine/interpreter.h"
#include "engine/known_inputs.h"
#include "engine/node_text.h"
#include "engine/one_node.h"
#include "engine/rulebook.h"
#include "format/registry.h"
#include "map/dl4j/run_mapper.h"

#include <inttypes.h>

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
    i->memory.used -= sizeof *to; /* it has its own memory from here on */
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

/* The caller's values of constants. */
struct constants {
    const struct tn_interpret_context *context;
    enum tn_framework                  framework;
};

/* A tn_map_constant. */
static enum tn_status read_constant(void *context, struct tn_bytes name,
                                    struct tn_map_tensor *tensor,
                                    bool *is_known, struct tn_arena *arena,
                                    struct tn_error *error)
{
    const struct constants            *from   = context;
    const struct tn_interpret_context *around = from->context;
    struct tn_bytes                    bytes;

    *is_known =
        around->constant && around->constant(around->context, name, &bytes);
    return *is_known ? tn_bare_tensor_read(tensor, from->framework, bytes,
                                           arena, error)
                     : error->status;
}

/* A mapper that was made from a rule of our own language only describes that
 * rule. */
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
                                 struct tn_map_job *job, int64_t opset,
                                 struct tn_interpreted *to,
                                 struct tn_error       *error)
{
    job->target = tn_dl4j_ops_find(&i->ops, job->mapper->target);
    if (!job->target)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "nd4j has no op '%.*s'",
                            TN_FMT(job->mapper->target));
    job->definition = tn_interpreter_definition(
        i, job->mapper->framework, job->node->domain, job->node->op_type,
        opset > 0 ? opset : TN_RULES_OPSET, error);
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

static struct tn_bytes original_name(const void *context, struct tn_bytes name)
{
    return tn_one_node_name(context, name);
}

/* Inputs of the node are the caller's, constants or not. */
static bool is_of_node(const void *context, struct tn_bytes name)
{
    return tn_one_node_has_input(context, name);
}

/* Nodes of TensorFlow that form loops, conditions and lists together.  Alone
 * they mean the same as inside such a structure, but no graph has them alone.
 */
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

static enum tn_status convert_model(struct tn_interpreter    *i,
                                    const struct tn_model    *model,
                                    const struct tn_one_node *one,
                                    struct tn_interpreted    *to,
                                    struct tn_error          *error)
{
    struct tn_map_options how = { .book = i->book };
    struct tn_conversion  c   = { .how       = &how,
                                  .options   = &i->options,
                                  .format    = &tn_format_samediff_fb,
                                  .own       = i->own,
                                  .own_count = i->own_count };
    struct tn_describing  d   = { .interpreter = i, .arena = &to->arena };

    if (one) {
        c.is_part         = is_part(one->known.node);
        how.force_invalid = c.is_part;
        how.outputs       = &one->output;
        how.output_count  = one->output != NULL;
        d.name            = original_name;
        d.is_known        = is_of_node;
        d.context         = one;
    }
    if (tn_conversion_make(&c, model, error) == TN_OK) {
        d.model = &c.result->model;
        tn_describe_ops(&d, &to->descriptor, error);
    }
    tn_conversion_done(&c);
    return error->status;
}

static enum tn_status convert_node(struct tn_interpreter *i,
                                   struct tn_one_node    *one,
                                   struct tn_interpreted *to,
                                   struct tn_error       *error)
{
    struct tn_options options = i->options;
    struct tn_buffer  bytes;
    struct tn_model  *model = NULL;

    options.wants_graph = true;
    options.from        = tn_framework_format(one->known.node->framework)->name;
    tn_buffer_init(&bytes, &to->memory, error);
    if (tn_one_node_write(one, &to->arena, &bytes, error) == TN_OK &&
        tn_model_open_source(&model, "node", bytes.size, tn_buffer_read_at,
                             &bytes, &options, error) == TN_OK)
        convert_model(i, model, one, to, error);
    tn_model_close(model);
    tn_buffer_done(&bytes);
    return error->status;
}

/* A NodeDef does not say which of its outputs are used.  If no rule provides
 * all of them, only the first is requested. */
static enum tn_status convert_outputs(struct tn_interpreter *i,
                                      struct tn_one_node    *one,
                                      struct tn_interpreted *to,
                                      struct tn_error       *error)
{
    const struct tn_map_node *node  = one->known.node;
    struct tn_error           first = TN_ERROR_INIT;

    one->output = NULL;
    if (convert_node(i, one, to, error) != TN_UNSUPPORTED ||
        node->framework != TN_FRAMEWORK_TENSORFLOW)
        return error->status;
    one->output =
        tn_text_format(&to->arena, &first, "%.*s", TN_FMT(node->name));
    if (one->output && convert_node(i, one, to, &first) == TN_OK)
        *error = (struct tn_error)TN_ERROR_INIT;
    return error->status;
}

/* ---- facts that are needed and not given --------------------------------- */

/* A search for assumptions under which a rule takes the node. */
struct search {
    struct tn_interpreter      *i;
    struct tn_one_node         *one;
    const struct tn_node_input *told;
    struct tn_node_input       *used; /* by those of the result               */
    struct tn_interpreted      *result; /* NULL: none yet                     */
    uint32_t                    op_count; /* of the result                    */
    struct tn_arena            *arena;
    struct tn_error             refused; /* why the last attempt failed       */
    struct tn_bytes             tried[TN_GUESS_MAX]; /* as texts              */
    uint32_t                    tried_count;
};

static uint32_t count_ops(const struct tn_interpreted *from)
{
    uint32_t count = 0;

    for (const struct tn_op_descriptor *op = &from->descriptor; op;
         op                                = op->next)
        count++;
    return count;
}

static bool is_refusal(const struct tn_error *error)
{
    return error->status == TN_UNSUPPORTED || error->status == TN_MALFORMED;
}

static struct tn_node_input *copy_inputs(const struct search        *s,
                                         const struct tn_node_input *from,
                                         struct tn_error            *error)
{
    uint32_t              count = s->one->known.node->input_count;
    struct tn_node_input *to =
        tn_new(s->arena, struct tn_node_input, count, error);

    if (to && count)
        memcpy(to, from, count * sizeof *to);
    return to;
}

/* Whether a rule takes the node with these inputs and makes at most so many
 * ops of it; then they are the result.  Errors are other failures. */
static bool attempt(struct search *s, struct tn_node_input *inputs,
                    uint32_t most_ops, struct tn_error *error)
{
    struct tn_interpreted *made;

    s->refused = (struct tn_error)TN_ERROR_INIT;
    if (new_interpreted(&made, s->i, error) != TN_OK)
        return false;
    s->one->inputs = inputs;
    convert_outputs(s->i, s->one, made, &s->refused);
    uint32_t count = tn_failed(&s->refused) ? 0 : count_ops(made);
    if (count == 0 || count > most_ops) {
        tn_op_descriptor_close(&made->descriptor);
        if (tn_failed(&s->refused) && !is_refusal(&s->refused))
            *error = s->refused;
        return false;
    }
    if (s->result)
        tn_op_descriptor_close(&s->result->descriptor);
    made->descriptor.assumed =
        tn_bytes_dup(&made->arena, s->one->assumed, error);
    s->result   = made;
    s->op_count = count;
    s->used     = inputs;
    return !tn_failed(error);
}

/* Whether the inputs were not tried yet: two guesses may give the same inputs.
 */
static bool is_new(struct search *s, const struct tn_node_input *inputs,
                   struct tn_error *error)
{
    struct tn_bytes text =
        tn_guess_text(&s->one->known, s->told, inputs, s->arena, error);

    for (uint32_t i = 0; i < s->tried_count; i++)
        if (tn_bytes_equal(s->tried[i], text))
            return false;
    s->tried[s->tried_count++] = text;
    return !tn_failed(error);
}

/* Takes the first guess that works; a later one is better if it gives a single
 * op where the first gave several.  `refused` says why a node whose types are
 * known is not converted. */
static void search(struct search *s, struct tn_error *refused,
                   struct tn_error *error)
{
    struct tn_guess *guesses =
        tn_new(s->arena, struct tn_guess, TN_GUESS_MAX, error);
    uint32_t count = guesses ? tn_guesses(&s->one->known, guesses) : 0;

    for (uint32_t i = 0; i < count && !tn_failed(error); i++) {
        const struct tn_guess *guess  = &guesses[i];
        struct tn_node_input  *inputs = copy_inputs(s, s->told, error);
        if (s->result && (s->op_count == 1 || guess->kind != TN_GUESS_RANKS ||
                          guess->rank < 2))
            break;
        if (inputs &&
            tn_guess_apply(guess, &s->one->known, s->told, inputs, s->arena,
                           error) == TN_OK &&
            is_new(s, inputs, error))
            attempt(s, inputs, s->result ? 1 : UINT32_MAX, error);
        if (guess->kind != TN_GUESS_TYPES)
            continue;
        *refused = s->refused;
        if (refused->status == TN_MALFORMED)
            break; /* because of the node itself, not because of unknown
                      facts */
    }
}

/* Drops assumptions that make no difference. */
static void minimise(struct search *s, struct tn_error *error)
{
    uint32_t count = s->one->known.node->input_count;

    for (uint32_t i = count; i-- > 0 && !tn_failed(error);)
        for (unsigned how = 0; how < 4; how++) {
            struct tn_node_input *less = copy_inputs(s, s->used, error);
            if (!less || !tn_guess_less(&s->told[i], &s->used[i], how, &less[i],
                                        s->arena, error))
                break;
            tn_node_share_types(&s->one->known, less);
            if (attempt(s, less, s->op_count, error))
                break;
        }
}

static void tell_assumed(struct search *s, struct tn_error *error)
{
    struct tn_interpreted *to = s->result;
    struct tn_bytes        inputs =
        tn_guess_text(&s->one->known, s->told, s->used, &to->arena, error);
    struct tn_bytes attrs = to->descriptor.assumed;
    const char     *text =
        tn_text_format(&to->arena, error, "%.*s%s%.*s", TN_FMT(inputs),
                       inputs.size && attrs.size ? " " : "", TN_FMT(attrs));

    if (text)
        to->descriptor.assumed = tn_text(text);
}

/* Makes the caller's handle that of the result. */
static void take_result(struct search *s, struct tn_interpreted **to)
{
    tn_op_descriptor_close(&(*to)->descriptor);
    *to = s->result;
}

/* Larger nodes are copied too often. */
enum { SEARCH_MAX = 1 << 20, SEARCH_INPUTS = 32 };

static bool may_search(const struct tn_one_node *one)
{
    return one->bytes.size <= SEARCH_MAX &&
           one->known.node->input_count <= SEARCH_INPUTS;
}

static enum tn_status interpret_assuming(struct tn_interpreter  *i,
                                         struct tn_one_node     *one,
                                         struct tn_interpreted **to,
                                         struct tn_arena        *arena,
                                         struct tn_error        *error)
{
    struct tn_error refused;
    struct search   s = {
          .i = i, .one = one, .told = one->inputs, .arena = arena
    };

    *error          = (struct tn_error)TN_ERROR_INIT;
    one->may_assume = true;
    search(&s, &refused, error);
    if (s.result && !tn_failed(error))
        minimise(&s, error);
    if (s.result && !tn_failed(error))
        tell_assumed(&s, error);
    if (s.result)
        take_result(&s, to);
    else if (!tn_failed(error))
        *error = refused;
    return error->status;
}

/* TensorFlow's attributes tell the types of inputs. */
static enum tn_status expect_types(const struct tn_one_node *one,
                                   struct tn_error          *error)
{
    const struct tn_map_node *node = one->known.node;

    for (uint32_t i = 0;
         i < node->input_count && node->framework == TN_FRAMEWORK_TENSORFLOW;
         i++) {
        const struct tn_vocab_arg *arg = one->inputs[i].arg;
        if (one->inputs[i].type.dtype != TN_UNDEFINED)
            continue;
        if (arg && arg->variable.size)
            return tn_error_because(
                error, TN_UNSUPPORTED, TN_REASON_UNKNOWN_TYPE, TN_NOWHERE,
                "the element type of input '%.*s' is unknown: %.*s has no "
                "attribute '%.*s'",
                TN_FMT(node->inputs[i]), TN_FMT(node->op_type),
                TN_FMT(arg->variable));
        return tn_error_because(error, TN_UNSUPPORTED, TN_REASON_UNKNOWN_TYPE,
                                TN_NOWHERE,
                                "the element type of input '%.*s' is unknown",
                                TN_FMT(node->inputs[i]));
    }
    return TN_OK;
}

/* By rules in our own language: the caller's, then the library's.  Facts that
 * the caller did not give may not matter.  If they do, they are assumed, unless
 * the caller is strict.  The arena is for the call alone.  *to may be replaced,
 * and the old one closed. */
static enum tn_status by_rules(struct tn_interpreter  *i,
                               struct tn_one_node     *one,
                               struct tn_interpreted **to,
                               struct tn_arena *arena, struct tn_error *error)
{
    const struct tn_interpret_context *context = one->known.context;
    struct tn_node_input              *inputs;

    TN_TRY(open_book(i, error));
    TN_TRY(tn_node_inputs(&one->known, arena, &inputs, error));
    one->inputs = inputs;
    if (expect_types(one, error) == TN_OK)
        convert_outputs(i, one, *to, error);
    if (!is_refusal(error) || (context && context->is_strict) ||
        !may_search(one))
        return tn_error_without_place(error);
    interpret_assuming(i, one, to, arena, error);
    return tn_error_without_place(error);
}

/* ---- a node that lacks something ---------------------------------------- */

/* The vocabulary's name of an output, or another where an input has that. */
static struct tn_bytes made_name(const struct tn_map_node *node,
                                 struct tn_bytes wish, struct tn_arena *arena,
                                 struct tn_error *error)
{
    while (tn_map_node_has_input(node, wish) && !tn_failed(error))
        wish = tn_text(tn_text_format(arena, error, "%.*s_out", TN_FMT(wish)));
    return wish;
}

/* A node without a name gets that of its op; an ONNX node without outputs gets
 * the required ones. */
static enum tn_status complete(struct tn_map_node       *node,
                               const struct tn_vocab_op *definition,
                               struct tn_arena *arena, struct tn_error *error)
{
    uint32_t count = 1;

    if (!node->name.size)
        node->name = made_name(node, node->op_type, arena, error);
    if (node->framework == TN_FRAMEWORK_TENSORFLOW || node->output_count)
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

/* The newest definition that can be used: the last one may say that the
 * operator was removed. */
static const struct tn_vocab_op *define(struct tn_interpreter    *i,
                                        const struct tn_map_node *node,
                                        int64_t opset, struct tn_error *error)
{
    struct tn_bytes framework = tn_text(tn_framework_name(node->framework));
    const struct tn_vocab_op *op =
        tn_interpreter_definition(i, framework, node->domain, node->op_type,
                                  opset > 0 ? opset : INT64_MAX, error);

    if (op && opset <= 0 && op->deprecated > 1 &&
        node->framework == TN_FRAMEWORK_ONNX)
        op =
            tn_interpreter_definition(i, framework, node->domain, node->op_type,
                                      (int64_t)op->deprecated - 1, error);
    return op;
}

static enum tn_status interpret(struct tn_interpreter  *i,
                                struct tn_interpreted **to,
                                struct tn_map_node *node, struct tn_bytes bytes,
                                const struct tn_interpret_context *context,
                                struct tn_arena *arena, struct tn_error *error)
{
    struct constants      from   = { context, node->framework };
    struct tn_map_context around = { .is_strict = context->is_strict,
                                     .constant  = read_constant,
                                     .context   = &from };
    struct tn_map_job     job    = { .node = node, .context = &around };
    struct tn_one_node    one    = { .bytes = bytes,
                                     .known = { .node = node, .context = context } };

    job.mapper           = find_mapper(i, node);
    one.known.definition = define(i, node, context->opset, error);
    if (tn_failed(error) ||
        complete(node, one.known.definition, arena, error) != TN_OK)
        return error->status;
    return job.mapper ? run_mapper(i, &job, context->opset, *to, error)
                      : by_rules(i, &one, to, arena, error);
}

static enum tn_status interpret_bytes(
    struct tn_op_descriptor **out, struct tn_interpreter *i,
    enum tn_framework framework, struct tn_bytes bytes,
    const struct tn_interpret_context *context, struct tn_error *error)
{
    struct tn_bare_node     bare = { .model = NULL };
    struct tn_interpreted  *to;
    struct tn_known_context known;
    struct tn_arena         arena;

    *out = NULL;
    if (context && context->opset < 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "opset %" PRId64 ", the first is 1",
                            context->opset);
    TN_TRY(new_interpreted(&to, i, error));
    tn_arena_init(&arena, &i->memory);
    if (tn_known_context_fill(&known, context, framework, &arena, error) ==
            TN_OK &&
        tn_bare_node_open(&bare, framework, bytes, &arena, error) == TN_OK &&
        tn_known_context_check(&known, &bare.node, error) == TN_OK)
        interpret(i, &to, &bare.node, bytes, &known.around, &arena, error);
    tn_bare_node_close(&bare);
    tn_arena_done(&arena);
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

enum tn_status tn_interpret_paddle(struct tn_op_descriptor **out,
                                   struct tn_interpreter    *interpreter,
                                   struct tn_bytes           op,
                                   const struct tn_interpret_context *context,
                                   struct tn_error                   *error)
{
    TN_ERROR_OR_OWN(error);
    return interpret_bytes(out, interpreter, TN_FRAMEWORK_PADDLE, op, context,
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
    TN_EXPECT_GIVEN(model, "model", error);
    TN_TRY(new_interpreted(&to, i, error));
    if (open_book(i, error) == TN_OK)
        convert_model(i, model, NULL, to, error);
    return hand_over(to, out, error);
}
