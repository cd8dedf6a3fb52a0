/*
 * convert_stub.c - a rule to fill in, for an op that has none
 *
 *   rules onnx -> nd4j 1
 *
 *   com.acme::Swirl(x0, x1; k, when as when_) -> (y0) {
 *       refuse "to be written"
 *   }
 *
 * Its head is complete, and its body says that it is not.  Whatever names ops
 * and attributes have in a file, the output can be parsed as rules: a name that
 * is a keyword of the language is replaced, and a name that is not a word at
 * all is put into a comment.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "engine/convert_dialect.h"
#include "ir/vocab.h"
#include "map/lang/lang_parser.h"

/* What arguments are called here: x0, y12. */
static bool is_argument(struct tn_bytes name)
{
    if (name.size < 2 || (name.data[0] != 'x' && name.data[0] != 'y'))
        return false;
    for (size_t i = 1; i < name.size; i++)
        if (name.data[i] < '0' || name.data[i] > '9')
            return false;
    return true;
}

/* An untrusted name in a comment, which ends with its line. */
static void add_harmless(struct tn_buffer *to, struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        tn_buffer_byte(to, name.data[i] < ' ' ? '?' : name.data[i]);
}

static void add_args(struct tn_buffer *to, const struct tn_vocab_arg *args,
                     uint32_t arg_count, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < (args ? arg_count : count); i++) {
        tn_buffer_text(to, i ? ", " : "");
        if (!args) {
            tn_buffer_format(to, "%s%" PRIu32, word, i);
            continue;
        }
        tn_buffer_add(to, args[i].name);
        tn_buffer_text(to, args[i].arity == TN_VOCAB_OPTIONAL ? "?"
                           : args[i].arity == TN_VOCAB_ONE    ? ""
                                                              : "...");
    }
}

static struct tn_bytes attr_name(const struct tn_vocab_op *op,
                                 const struct tn_net_node *node, uint32_t index)
{
    return op ? op->attrs[index].name : node->attrs[index].name;
}

static void add_attrs(struct tn_buffer *to, const struct tn_vocab_op *op,
                      const struct tn_net_node *node)
{
    uint32_t    count = op ? op->attr_count : node->attr_count;
    const char *comma = "; ";

    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes name = attr_name(op, node, i);
        if (!tn_lang_is_word(name))
            continue;
        tn_buffer_text(to, comma);
        tn_buffer_add(to, name);
        if (!tn_lang_can_be_bound(name) || is_argument(name))
            tn_buffer_format(to, " as %.*s_", TN_FMT(name));
        comma = ", ";
    }
}

static void add_unsaid(struct tn_buffer *to, const struct tn_vocab_op *op,
                       const struct tn_net_node *node)
{
    uint32_t count = op ? op->attr_count : node->attr_count;

    for (uint32_t i = 0; i < count; i++) {
        if (tn_lang_is_word(attr_name(op, node, i)))
            continue;
        tn_buffer_text(to, "    # a rule has no word for the attribute '");
        add_harmless(to, attr_name(op, node, i));
        tn_buffer_text(to, "'\n");
    }
}

static bool can_be_called(const struct tn_net_op *op)
{
    return tn_lang_is_word(op->type) &&
           (!op->domain.size || tn_lang_is_word(op->domain));
}

static void add_comment(struct tn_buffer *to, const struct tn_net_op *op)
{
    tn_buffer_text(to, "# a rule has no word for the op '");
    add_harmless(to, op->domain);
    tn_buffer_text(to, op->domain.size ? "::" : "");
    add_harmless(to, op->type);
    tn_buffer_text(to, "'; --allow lets it stay\n");
}

void tn_conversion_stub(struct tn_buffer *to, const struct tn_net_node *node,
                        const struct tn_vocab_op *op)
{
    if (!can_be_called(node->op)) {
        add_comment(to, node->op);
        return;
    }
    if (node->op->domain.size)
        tn_buffer_format(to, "%.*s::", TN_FMT(node->op->domain));
    tn_buffer_format(to, "%.*s(", TN_FMT(node->op->type));
    if (op && !op->has_signature)
        op = NULL;
    add_args(to, op ? op->inputs : NULL, op ? op->input_count : 0,
             node->input_count, "x");
    add_attrs(to, op, node);
    tn_buffer_text(to, ") -> (");
    add_args(to, op ? op->outputs : NULL, op ? op->output_count : 0,
             node->output_count, "y");
    tn_buffer_text(to, ") {\n");
    add_unsaid(to, op, node);
    tn_buffer_text(to, "    refuse \"to be written\"\n}\n");
}
