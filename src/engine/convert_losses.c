/* convert_losses.c - the losses of a conversion, in one list */
#include "engine/convert_losses.h"

#include <inttypes.h>
#include <string.h>

void tn_losses_init(struct tn_losses *losses, struct tn_memory *memory,
                    const struct tn_convert_options *convert,
                    struct tn_error                 *error)
{
    *losses = (struct tn_losses){ .convert = convert, .error = error };
    tn_arena_init(&losses->arena, memory);
    tn_list_init(&losses->rows, memory, sizeof(struct tn_loss));
}

void tn_losses_done(struct tn_losses *losses)
{
    tn_list_done(&losses->rows);
    tn_arena_done(&losses->arena);
}

/* A file whose content is part of the graph now. */
static bool is_taken(const struct tn_losses *losses, const char *where)
{
    static const char folder[] = "assets/";

    if (!losses->files_taken || !where ||
        strncmp(where, folder, sizeof folder - 1) != 0)
        return false;
    for (uint64_t i = 0; i < losses->files_taken->count; i++)
        if (tn_bytes_is(*tn_list_at(losses->files_taken, struct tn_bytes, i),
                        where + sizeof folder - 1))
            return true;
    return false;
}

void tn_losses_add(void *context, uint64_t offset, const char *where,
                   const char *what)
{
    struct tn_losses *losses = context;

    if (is_taken(losses, where))
        return;
    struct tn_loss *row =
        tn_list_push(&losses->rows, struct tn_loss, losses->error);
    if (!row)
        return;
    row->where = tn_text_dup(&losses->arena, where, losses->error);
    row->what  = tn_text_dup(&losses->arena, what, losses->error);
    if (losses->convert->loss)
        losses->convert->loss(losses->convert->loss_context, offset, where,
                              what);
}

/* ---- kinds -------------------------------------------------------------- */

/* The first row whose words are in the text. */
static const struct {
    const char *words, *kind;
} kinds[] = {
    { "texts about the model:", "text" },
    { "about the model: no UTF-8", "text" },
    { "comments at the beginning", "text" },
    { ": metadata '", "text" },
    { "another tensor has the name", "name" },
    { "a sparse tensor:", "tensor" },
    { "no variable of the graph has the name", "tensor" },
    { "a known mistake of the mapper", "rule" },
    { "is ignored by the mapper", "rule" },
    { "an operator that", "operator" },
    { "no operator has this block", "operator" },
    { "a function that", "function" },
    { "a signature", "signature" },
    { "the value of a variable", "variable" },
    { "a tensor that", "tensor" },
    { "has no such elements", "tensor" },
    { " is written as ", "tensor" },
    { "elements that do not fill", "tensor" },
    { "no strings", "tensor" },
    { "strings lose the zeros", "tensor" },
    { "left behind: a shape", "tensor" },
    { "not read here", "tensor" },
    { "that is not an array", "file" },
    { "that are not arrays", "file" },
    { "attributes ", "attribute" },
    { "attribute '", "attribute" },
    { "names of arguments", "attribute" },
    { "sequences of arrays", "attribute" },
    { "nulls among the arrays", "attribute" },
    { "a file of the SavedModel", "file" },
    { ".info and .meta", "file" },
    { "no part of the model", "file" },
    { "left out: ", "file" },
    { "the graph is left behind", "graph" },
    { "the graph for the tags", "graph" },
    { "a graph that", "graph" },
    { "the other tags", "tag" },
    { "the names are left behind", "name" },
    { "inputs and outputs are left behind", "end" },
    { "an input of ragged sequences", "end" },
    { "an input with a default value", "end" },
    { "the shape of an input", "end" },
    { "of unknown rank", "end" },
    { "the parameters were not found", "parameter" },
    { "training configuration", "training" },
    { "what the updater keeps", "training" },
    { "the optimizer and the checkpoint keep", "training" },
    { "constants of the graph", "tensor" },
    { "without the others", "training" },
    { "the role of a", "role" },
    { "control dependencies", "control" },
    { "the scope of an operation", "scope" },
    { "the device of a variable", "scope" },
    { "how the graph is to be executed", "configuration" },
    { "the example of a placeholder", "value" },
    { "the example value of a placeholder", "value" },
    { "value of what is computed", "value" },
    { "PIR has no versions", "field" },
    { "fields of ", "field" },
    { ": checks only", "effect" },
    { ": prints only", "effect" },
    { ": records only", "effect" },
    { ": changes a variable", "effect" },
    { ": does not tell", "effect" },
};

/* "left behind: NodeProto.doc_string (2 times)": a message's field. */
static bool is_field(const char *what)
{
    static const char begin[] = "left behind: ";

    if (strncmp(what, begin, sizeof begin - 1) != 0)
        return false;
    what += sizeof begin - 1;
    size_t word = strcspn(what, " ");
    return what[0] >= 'A' && what[0] <= 'Z' && memchr(what, '.', word);
}

const char *tn_loss_kind(const char *what)
{
    if (is_field(what))
        return "field";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(what, kinds[i].words))
            return kinds[i].kind;
    return "other";
}

enum tn_status tn_losses_refuse(const struct tn_losses *losses)
{
    uint64_t count = losses->rows.count;

    if (tn_failed(losses->error) || !losses->convert->is_strict || !count)
        return losses->error->status;
    const struct tn_loss *first = tn_list_at(&losses->rows, struct tn_loss, 0);
    return tn_error_because(
        losses->error, TN_UNSUPPORTED, TN_REASON_LOSSES, TN_NOWHERE,
        "%" PRIu64 " %s would be lost, and a strict "
        "conversion allows none: %.100s%s%.400s%s",
        count, count == 1 ? "thing" : "things", first->where,
        first->where[0] ? ": " : "", first->what, count == 1 ? "" : ", ...");
}
