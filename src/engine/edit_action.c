/* edit_action.c - the table of actions, and running them from text */
#include "engine/edit_action.h"
#include "base/given.h"

#include "base/number.h"
#include "base/sized.h"
#include "engine/patch_tensor.h"
#include "engine/read_file.h"
#include "io/beneath.h"
#include "io/meter.h"
#include "io/path.h"
#include "io/remote_url.h"
#include "ir/dialect_facts.h"

#include <inttypes.h>
#include <stdio.h>

/* clang-format off */
const struct tn_edit_row tn_edit_rows[] = {
    { "rename",         "OLD=NEW",       "rename an input, output, tensor or other value", 2, TN_EDIT_MANY, 0, tn_edit_act_rename },
    { "rename-input",   "OLD=NEW",       "rename an input",                       2, TN_EDIT_MANY, 0, tn_edit_act_rename_input },
    { "rename-output",  "OLD=NEW",       "rename an output",                      2, TN_EDIT_MANY, 0, tn_edit_act_rename_output },
    { "rename-tensor",  "OLD=NEW",       "rename a tensor",                       2, TN_EDIT_MANY, 0, tn_edit_act_rename_tensor },
    { "rename-node",    "NODE=NEW",      "rename a node",                         2, TN_EDIT_MANY, 0, tn_edit_act_rename_node },
    { "rename-all",     "PATTERN=NEW",   "rename values by a pattern with *", 2, 2, 0, tn_edit_act_rename_all },
    { "rename-tensors", "PATTERN=NEW",   "the same for tensors",                  2, 2, 0, tn_edit_act_rename_tensors },
    { "rename-nodes",   "PATTERN=NEW",   "the same for nodes",                    2, 2, 0, tn_edit_act_rename_nodes },
    { "rename-from",    "FILE",          "rename values by a file of lines OLD NEW", 1, 1, 0, tn_edit_act_rename_from },
    { "put",            "NAME=FILE[:TENSOR]", "set the value of a tensor, or add one", 2, 2, 0, tn_edit_act_put },
    { "put-raw",        "NAME=FILE TYPE DIMS", "the same from the bytes of a file", 4, 4, 0, tn_edit_act_put_raw },
    { "remove-tensor",  "NAME",          "remove a tensor",                       1, TN_EDIT_MANY, 0, tn_edit_act_remove_tensor },
    { "weights-from",   "FILE",          "take over all tensors that FILE has by the same name", 1, 1, 0, tn_edit_act_weights_from },
    { "weights-by-position", "FILE",     "the same in the order of both",         1, 1, 0, tn_edit_act_weights_by_position },
    { "weights-by-map", "FILE MAP",      "the same by lines NAME TENSOR in MAP",  2, 2, 0, tn_edit_act_weights_by_map },
    { "add-output",     "NAME",          "make a value an output, too",           1, TN_EDIT_MANY, TN_EDIT_FRESH, tn_edit_act_add_output },
    { "drop-output",    "NAME",          "remove an output; its nodes stay",      1, TN_EDIT_MANY, TN_EDIT_FRESH, tn_edit_act_drop_output },
    { "tie",            "KEPT OTHER",    "make equal tensors one",                2, TN_EDIT_MANY, 0, tn_edit_act_tie },
    { "untie",          "NODE INDEX=NEW", "give an input a copy of its tensor",   3, 3, 0, tn_edit_act_untie },
    { "set-attr",    "NODE NAME=VALUE",  "set an attribute",              3, TN_EDIT_MANY, 0, tn_edit_act_set_attr },
    { "remove-attr", "NODE NAME",        "remove an attribute",           2, 2, 0, tn_edit_act_remove_attr },
    { "set-input",   "NODE INDEX=VALUE", "connect an input of a node",    3, 3, 0, tn_edit_act_set_input },
    { "remove-op",   "NODE",             "remove a node",                 1, 1, 0, tn_edit_act_remove_op },
    { "inputs",      "NAME[,NAME...]",   "make values the inputs; drop what they need", 1, TN_EDIT_MANY, TN_EDIT_FRESH, tn_edit_act_inputs },
    { "outputs",     "NAME[,NAME...]",   "make values the outputs; drop all else", 1, TN_EDIT_MANY, TN_EDIT_FRESH, tn_edit_act_outputs },
    { "extract",     "SCOPE",            "keep the nodes whose names are in a scope", 1, 1, TN_EDIT_FRESH, tn_edit_act_extract },
    { "set-dim",     "INPUT[AXIS]=SIZE", "set the size of a dimension of the inputs", 2, 2, TN_EDIT_FRESH, tn_edit_act_set_dim },
    { "dynamic",     "INPUT[AXIS]=NAME", "leave a dimension of the inputs open", 2, 2, TN_EDIT_FRESH, tn_edit_act_dynamic },
    { "batch",       "SIZE",             "set the number of rows, or a name for it", 1, 1, TN_EDIT_FRESH, tn_edit_act_batch },
    { "add-op",         "NODE TYPE BEFORE...", "add a node: ... INPUTS -> OUTPUTS",   3, TN_EDIT_MANY, 0, tn_edit_act_add_op },
    { "set-op",         "NODE TYPE",     "set the operator of a node",            2, 2, 0, tn_edit_act_set_op },
    { "move-op",        "NODE BEFORE",   "move a node; before -: to the end",     2, 2, 0, tn_edit_act_move_op },
    { "set-inputs",     "NODE VALUE...", "set all inputs of a node",              1, TN_EDIT_MANY, 0, tn_edit_act_set_inputs },
    { "set-outputs",    "NODE VALUE...", "set all outputs of a node",             1, TN_EDIT_MANY, 0, tn_edit_act_set_outputs },
    { "list-inputs",    "NAME TYPE DIMS...", "set all inputs of the graph",       0, TN_EDIT_MANY, 0, tn_edit_act_list_inputs },
    { "list-outputs",   "NAME TYPE DIMS...", "set all outputs of the graph",      0, TN_EDIT_MANY, 0, tn_edit_act_list_outputs },
    { "list-values",    "NAME TYPE DIMS...", "set the types of values", 0, TN_EDIT_MANY, 0, tn_edit_act_list_values },
    { "add-graph",      "NODE NAME GRAPH", "add a graph as an attribute of a node", 3, 4, TN_EDIT_LISTED, tn_edit_act_add_graph },
    { "add-function",   "FILE NAME",     "add a function of another model",       2, 3, 0, tn_edit_act_add_function },
    { "set-signature",  "NAME METHOD ...", "set a signature: ... KEY=VALUE TYPE DIMS... -> the same", 3, TN_EDIT_MANY, 0, tn_edit_act_set_signature },
    { "remove-signature", "NAME",        "remove a signature",                    1, 1, 0, tn_edit_act_remove_signature },
    { "remove-function", "NAME",         "remove a function",                     1, 1, 0, tn_edit_act_remove_function },
    { "take",           "FILE",          "continue with another model",              1, 1, 0, tn_edit_act_take },
    { "keep-float32", "OP[,NODE...]",    "keep these float32 in later actions",    1, TN_EDIT_MANY, 0, tn_edit_act_keep_float32 },
    { "float16",     NULL,               "turn float32 inside into float16",        0, 0, TN_EDIT_FRESH, tn_edit_act_float16 },
    { "float16-io",  NULL,               "the same, with inputs and outputs",     0, 0, TN_EDIT_FRESH, tn_edit_act_float16_io },
    { "bfloat16",    NULL,               "turn float32 inside into bfloat16",       0, 0, TN_EDIT_FRESH, tn_edit_act_bfloat16 },
    { "bfloat16-io", NULL,               "the same, with inputs and outputs",     0, 0, TN_EDIT_FRESH, tn_edit_act_bfloat16_io },
    { "metadata",        "KEY=VALUE",    "set a key of the metadata",     2, 2, 0, tn_edit_act_metadata },
    { "remove-metadata", "KEY",          "remove a key of the metadata",  1, 1, 0, tn_edit_act_remove_metadata },
    { "doc",             "TEXT",         "set the description",           1, 1, 0, tn_edit_act_doc },
    { "producer",        "NAME",         "set the program that made it",  1, 1, 0, tn_edit_act_producer },
    { "producer-version", "TEXT",        "set the version of that program", 1, 1, 0, tn_edit_act_producer_version },
    { "domain",          "TEXT",         "set the domain of the model",   1, 1, 0, tn_edit_act_domain },
    { "model-version",   "N",            "set the version of the model",  1, 1, 0, tn_edit_act_model_version },
    { "graph-name",      "NAME",         "rename the graph",              1, 1, 0, tn_edit_act_graph_name },
    { "remove-identities", NULL,         "remove nodes that copy a value",      0, 0, TN_EDIT_FRESH, tn_edit_act_remove_identities },
    { "remove-casts", NULL,              "remove Casts that change nothing",    0, 0, TN_EDIT_FRESH, tn_edit_act_remove_casts },
    { "remove-qdq",  NULL,               "remove pairs that quantise and dequantise",    0, 0, TN_EDIT_FRESH, tn_edit_act_remove_qdq },
    { "insert-identity", "VALUE",        "insert a copy between a value and its users",  1, 1, TN_EDIT_FRESH, tn_edit_act_insert_identity },
    { "insert-casts", "VALUE=TYPE",      "the same: Casts to a type and back",    2, 2, TN_EDIT_FRESH, tn_edit_act_insert_casts },
    { "insert-qdq",  "VALUE SCALE ...",  "the same: quantised and back",          2, 4, TN_EDIT_FRESH, tn_edit_act_insert_qdq },
    { "opset",       "N",                "use the operators of another opset",        1, 1, TN_EDIT_FRESH | TN_EDIT_LISTED, tn_edit_act_opset },
    { "append",      "FILE [OUT=IN ...]", "add another model at the end",         1, TN_EDIT_MANY, TN_EDIT_FRESH | TN_EDIT_LISTED, tn_edit_act_append },
    { "append-as",   "PREFIX FILE ...",  "the same, with a prefix for its names", 2, TN_EDIT_MANY, TN_EDIT_FRESH | TN_EDIT_LISTED, tn_edit_act_append_as },
    { "in",          "GRAPH",            "look for later names in this graph", 1, 1, 0, tn_edit_act_in },
    { "script",      "FILE",             "run the actions in a file",     1, 1, 0, tn_edit_act_script },
    { 0 },
};
/* clang-format on */

const struct tn_edit_row *tn_edit_row_named(const char *name)
{
    for (const struct tn_edit_row *row = tn_edit_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

uint32_t tn_edit_action_count(void)
{
    uint32_t count = 0;

    while (tn_edit_rows[count].name)
        count++;
    return count;
}

struct tn_edit_action_info tn_edit_action(uint32_t index)
{
    if (index >= tn_edit_action_count())
        return (struct tn_edit_action_info){ 0 };
    const struct tn_edit_row *row = &tn_edit_rows[index];
    return (struct tn_edit_action_info){ row->name, row->arguments, row->help };
}

/* ---- one action --------------------------------------------------------- */

static enum tn_status expect_listed(const struct tn_edit     *edit,
                                    const struct tn_edit_row *row,
                                    struct tn_error          *error)
{
    const struct tn_dialect *dialect = edit->draft.dialect;

    if (!(row->flags & TN_EDIT_LISTED) || !dialect ||
        tn_dialect_facts(dialect->name)->lists_io)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "this works on ONNX models only, not on %s: convert "
                        "the model first, by 'tenon convert'",
                        tn_dialect_facts(dialect->name)->title);
}

/* "rename takes OLD=NEW, not 'old'" */
static enum tn_status refuse_words(const struct tn_edit_row *row,
                                   const struct tn_words    *words,
                                   struct tn_error          *error)
{
    char   given[200] = "";
    size_t used       = 0;

    for (uint32_t i = 0; i < words->count && used < sizeof given; i++)
        used += (size_t)snprintf(given + used, sizeof given - used, "%s%s",
                                 i ? " " : "", words->items[i]);
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%s takes %s, not '%s'",
                        row->name, row->arguments ? row->arguments : "no words",
                        given);
}

static enum tn_status run_row(struct tn_edit           *edit,
                              const struct tn_edit_row *row,
                              const struct tn_words    *words,
                              struct tn_error          *error)
{
    if (words->count < row->least || words->count > row->most)
        return refuse_words(row, words, error);
    TN_TRY(expect_listed(edit, row, error));
    if (row->flags & TN_EDIT_FRESH)
        TN_TRY(tn_edit_settle(edit, error));
    edit->is_changed = true;
    return row->run(edit, words, error);
}

/* The line that an error is about, unless it is about another file. */
static void place_error(uint32_t first, uint32_t last, struct tn_error *error)
{
    char what[sizeof error->what - 64];

    if (!tn_failed(error) || error->file[0])
        return;
    memcpy(what, error->what, sizeof what);
    what[sizeof what - 1] = '\0';
    if (first == last)
        snprintf(error->what, sizeof error->what, "line %" PRIu32 ": %s", last,
                 what);
    else
        snprintf(error->what, sizeof error->what,
                 "lines %" PRIu32 " to %" PRIu32 ": %s", first, last, what);
}

static enum tn_status run_line(struct tn_edit        *edit,
                               const struct tn_words *line,
                               struct tn_error       *error)
{
    const struct tn_edit_row *row  = tn_edit_row_named(line->items[0]);
    struct tn_words           rest = { line->count - 1, line->items + 1 };

    if (!row)
        return tn_error_set(
            error, TN_NOT_FOUND, TN_NOWHERE,
            "unknown action '%s'; 'tenon edit --help' lists the "
            "actions",
            line->items[0]);
    return run_row(edit, row, &rest, error);
}

/*
 * Renaming visits every node.  So lines that only rename, and have no name in
 * common, are one action.
 */
struct batch {
    struct tn_list   words; /* const char *                                   */
    struct tn_intern names;
    uint32_t         first, last; /* lines                                    */
};

static void batch_init(struct batch *batch, struct tn_arena *arena)
{
    tn_list_init(&batch->words, arena->memory, sizeof(const char *));
    tn_intern_init(&batch->names, arena);
}

static void batch_done(struct batch *batch)
{
    tn_list_done(&batch->words);
    tn_intern_done(&batch->names);
}

/* "x:0" may be another name of "x". */
static struct tn_bytes key_of(const char *word)
{
    size_t size = strlen(word);

    return tn_bytes(
        word, size > 2 && strcmp(word + size - 2, ":0") == 0 ? size - 2 : size);
}

static bool is_rename(const struct tn_words *line)
{
    return line->count >= 3 && line->count % 2 == 1 &&
           strcmp(line->items[0], "rename") == 0;
}

static bool is_apart(const struct batch *batch, const struct tn_words *line)
{
    for (uint32_t i = 1; i < line->count; i++)
        if (tn_intern_find(&batch->names, key_of(line->items[i])) != TN_NO_NAME)
            return false;
    return batch->words.count < TN_EDIT_WORDS_MOST - line->count;
}

static void batch_add(struct batch *batch, const struct tn_words *line,
                      uint32_t number, struct tn_error *error)
{
    if (batch->words.count == 0)
        batch->first = number;
    batch->last = number;
    for (uint32_t i = 1; i < line->count; i++) {
        const char *word =
            tn_text_dup(batch->names.arena, line->items[i], error);
        const char **slot = tn_list_push(&batch->words, const char *, error);
        if (!word || !slot)
            return;
        *slot = word;
        tn_intern_borrow(&batch->names, key_of(word), error);
    }
}

/* The words of its lines are in the arena, and are no longer needed then. */
static void batch_run(struct batch *batch, struct tn_edit *edit,
                      struct tn_arena *arena, struct tn_error *error)
{
    struct tn_words words = { (uint32_t)batch->words.count,
                              batch->words.items };

    if (words.count &&
        run_row(edit, tn_edit_row_named("rename"), &words, error) != TN_OK)
        place_error(batch->first, batch->last, error);
    batch_done(batch);
    tn_arena_rewind(arena);
    batch_init(batch, arena);
}

static enum tn_status run_text(struct tn_edit *edit, struct tn_bytes text,
                               struct tn_error *error)
{
    struct tn_memory      *memory = &edit->store->memory;
    struct tn_words_reader reader;
    struct tn_arena        arena, waiting; /* of a line, and of the batch     */
    struct tn_words        line;
    struct batch           batch;

    tn_words_init(&reader, memory, text);
    tn_arena_init(&arena, memory);
    tn_arena_init(&waiting, memory);
    batch_init(&batch, &waiting);
    while (tn_words_next(&reader, &arena, &line, error)) {
        bool is_one = is_rename(&line);
        if (!is_one || !is_apart(&batch, &line))
            batch_run(&batch, edit, &waiting, error);
        if (!tn_failed(error) && is_one)
            batch_add(&batch, &line, reader.line, error);
        else if (!tn_failed(error) && run_line(edit, &line, error) != TN_OK)
            place_error(reader.line, reader.line, error);
        if (tn_failed(error))
            break;
        tn_arena_rewind(&arena);
    }
    if (!tn_failed(error))
        batch_run(&batch, edit, &waiting, error);
    batch_done(&batch);
    tn_arena_done(&waiting);
    tn_arena_done(&arena);
    tn_words_done(&reader);
    return error->status;
}

enum tn_status tn_edit_run(struct tn_edit *edit, struct tn_bytes script,
                           struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_asking asking;

    tn_asking_begin(&asking, &edit->options, "editing", &edit->store->memory);
    run_text(edit, script, error);
    tn_asking_end(&asking);
    return error->status;
}

/* ---- scripts in files --------------------------------------------------- */

#define DEPTH_MOST 8

/* What a script names is in its own folder. */
static enum tn_status run_in_folder(struct tn_edit *edit, const char *path,
                                    struct tn_bytes  text,
                                    struct tn_error *error)
{
    const char *slash  = strrchr(path, '/');
    const char *folder = edit->folder;

    if (slash) {
        struct tn_bytes kept = tn_bytes_dup(
            &edit->store->model.arena,
            tn_bytes((const uint8_t *)path, (size_t)(slash - path) + 1), error);
        if (!kept.data)
            return error->status;
        edit->folder = (const char *)kept.data;
    } else {
        edit->folder = NULL;
    }
    edit->depth++;
    run_text(edit, text, error);
    edit->depth--;
    edit->folder = folder;
    return error->status;
}

enum tn_status tn_edit_run_file(struct tn_edit *edit, const char *path,
                                struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_arena arena;
    struct tn_bytes text;

    if (edit->depth == DEPTH_MOST)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "scripts run each other %d deep", DEPTH_MOST);
    tn_arena_init(&arena, &edit->store->memory);
    if (tn_read_file(&arena, path, "a script of actions", &text, error) ==
        TN_OK)
        run_in_folder(edit, path, text, error);
    if (tn_failed(error) && !error->file[0])
        tn_error_file(error, path);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_edit_run_patch(struct tn_edit *edit, const char *path,
                                 struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    bool was_confined = edit->is_confined;

    edit->is_confined = true;
    tn_edit_run_file(edit, path, error);
    edit->is_confined = was_confined;
    return error->status;
}

/* ---- one action of the command ------------------------------------------ */

static enum tn_status run_value(struct tn_edit           *edit,
                                const struct tn_edit_row *row,
                                const char *value, struct tn_error *error)
{
    struct tn_memory      *memory = &edit->store->memory;
    struct tn_words_reader reader;
    struct tn_arena        arena;
    struct tn_words        words;

    if (strchr(value, '\n'))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the value of an action is one line");
    tn_words_init(&reader, memory, tn_text(value));
    reader.has_comments = false;
    tn_arena_init(&arena, memory);
    if (tn_words_next(&reader, &arena, &words, error) || !tn_failed(error))
        run_row(edit, row, &words, error);
    tn_arena_done(&arena);
    tn_words_done(&reader);
    return error->status;
}

/* "OLD=NEW": everything after the '=' is one word, with its blanks, unless it
 * is quoted. */
static bool is_pair(const struct tn_edit_row *row, const char *value)
{
    return row->arguments && strchr(row->arguments, '=') &&
           !strchr(row->arguments, ' ') && strchr(value, '=') &&
           !strchr(value, '"');
}

static enum tn_status run_pair(struct tn_edit           *edit,
                               const struct tn_edit_row *row, const char *value,
                               struct tn_error *error)
{
    struct tn_arena *arena = &edit->store->model.arena;
    /* "x=1[0]=4": a size has no '=', a name may. */
    const char *equal = strstr(row->arguments, "]=") ? strrchr(value, '=')
                                                     : strchr(value, '=');
    struct tn_bytes  left =
        tn_bytes_dup(arena, tn_bytes(value, (size_t)(equal - value)), error);
    const char *pair[] = { (const char *)left.data, equal + 1 };

    if (!left.data)
        return error->status;
    run_row(edit, row, &(struct tn_words){ 2, pair }, error);
    size_t size = strlen(error->what);
    if (error->status == TN_NOT_FOUND && strchr(equal + 1, '='))
        snprintf(error->what + size, sizeof error->what - size,
                 "; a name with '=' is given in quotes, as in '\"a=b\" c'");
    return error->status;
}

enum tn_status tn_edit_act(struct tn_edit *edit, const char *name,
                           const char *value, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(name, "action", error);
    const struct tn_edit_row *row = tn_edit_row_named(name);
    struct tn_asking          asking;

    if (!row)
        return tn_error_set(
            error, TN_NOT_FOUND, TN_NOWHERE,
            "unknown action '%s'; 'tenon edit --help' lists the "
            "actions",
            name);
    tn_asking_begin(&asking, &edit->options, "editing", &edit->store->memory);
    if (value && row->most == 1) {
        struct tn_words one = { 1, &value };
        run_row(edit, row, &one, error);
    } else if (value && is_pair(row, value)) {
        run_pair(edit, row, value, error);
    } else {
        run_value(edit, row, value ? value : "", error);
    }
    tn_asking_end(&asking);
    if (tn_failed(error) && !error->where[0])
        tn_error_where(error, "--%s", name);
    return error->status;
}

/* ---- actions about running ---------------------------------------------- */

enum tn_status tn_edit_act_script(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    const char *path = tn_edit_path(edit, words->items[0], error);

    return path ? tn_edit_run_file(edit, path, error) : error->status;
}

static bool is_graph(const struct tn_draft_graph *graph, const char *word)
{
    if (graph->is_removed)
        return false;
    return (graph->from &&
            strcmp(tn_model_graph_at(graph->from, graph->row)->path, word) ==
                0) ||
           (graph->kind == TN_GRAPH_FUNCTION && tn_bytes_is(graph->name, word));
}

enum tn_status tn_edit_find_graph(struct tn_edit *edit, const char *word,
                                  uint32_t *graph, struct tn_error *error)
{
    int64_t number;

    if (word[0] == '@' && tn_int64_parse(tn_text(word + 1), &number) &&
        number >= 0 && number < (int64_t)edit->draft.graphs.count &&
        !tn_draft_graph_at(&edit->draft, (uint32_t)number)->is_removed) {
        *graph = (uint32_t)number;
        return TN_OK;
    }
    for (uint32_t i = 0; i < edit->draft.graphs.count; i++)
        if (is_graph(tn_draft_graph_at(&edit->draft, i), word)) {
            *graph = i;
            return TN_OK;
        }
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                        "no graph '%s': give the name of a function, or the "
                        "path of a graph such as "
                        "graph.node[3].attribute[0].g",
                        word);
}

enum tn_status tn_edit_act_in(struct tn_edit        *edit,
                              const struct tn_words *words,
                              struct tn_error       *error)
{
    return tn_edit_find_graph(edit, words->items[0], &edit->graph, error);
}

/* ---- for functions of actions ------------------------------------------- */

enum tn_status tn_edit_settle(struct tn_edit *edit, struct tn_error *error)
{
    struct tn_model *model;

    if (!edit->is_changed)
        return TN_OK;
    TN_TRY(tn_edit_commit(edit, &model, error));
    tn_edit_restart(edit, model, error);
    tn_model_close(model);
    edit->is_changed = false;
    return error->status;
}

enum tn_status tn_edit_number(const char *word, uint64_t *number,
                              struct tn_error *error)
{
    int64_t value;

    if (!tn_int64_parse(tn_text(word), &value) || value < 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a number", word);
    *number = (uint64_t)value;
    return TN_OK;
}

const char *tn_edit_path(struct tn_edit *edit, const char *word,
                         struct tn_error *error)
{
    struct tn_arena *arena = &edit->store->model.arena;

    if (edit->depth && tn_url_is_any(tn_text(word))) {
        tn_error_because(error, TN_INVALID, TN_REASON_URL_IN_FILE, TN_NOWHERE,
                         "a script names a URL, which is not opened");
        return NULL;
    }
    if (edit->depth && edit->is_confined && /* patches come from others */
        tn_beneath_check(arena, edit->folder ? edit->folder : ".",
                         tn_text(word), error) != TN_OK)
        return NULL;
    if (!edit->folder || word[0] == '/')
        return tn_text_dup(arena, word, error);
    return tn_text_format(arena, error, "%s%s", edit->folder, word);
}

enum tn_status tn_edit_open_model(struct tn_edit *edit, const char *word,
                                  bool                    wants_graph,
                                  const struct tn_model **model,
                                  struct tn_error        *error)
{
    const char       *path    = tn_edit_path(edit, word, error);
    struct tn_options options = edit->options;
    struct tn_model  *opened  = NULL;

    *model              = NULL;
    options.wants_graph = wants_graph;
    if (!path)
        return error->status;
    if (edit->last_path && strcmp(edit->last_path, path) == 0 &&
        edit->last_model->wants_graph == wants_graph) {
        *model = edit->last_model;
        return TN_OK;
    }
    if (tn_model_open(&opened, path, &options, error) == TN_OK &&
        tn_opened_hold(edit->store, tn_opened_of(opened), error) == TN_OK) {
        *model           = opened;
        edit->last_path  = path;
        edit->last_model = opened;
    } else if (!error->file[0])
        tn_error_file(error, path);
    tn_model_close(opened); /* the store holds it */
    return error->status;
}

/* The name after the colon; NULL if the whole word is the name of a file. */
static const char *split_name(struct tn_edit *edit, const char *word,
                              const char **file, struct tn_error *error)
{
    const char *path  = tn_edit_path(edit, word, error);
    const char *colon = strchr(word, ':');

    *file = word;
    if (!path || !colon || tn_path_exists(path))
        return NULL;
    *file = (const char *)tn_bytes_dup(
                &edit->store->model.arena,
                tn_bytes((const uint8_t *)word, (size_t)(colon - word)), error)
                .data;
    return colon + 1;
}

/* "DIGEST:string[2,3]": elements that are bytes in the file of a patch. */
static enum tn_status open_packed(struct tn_edit        *edit,
                                  const struct tn_model *model,
                                  const char            *name,
                                  const struct tn_tensor **tensor,
                                  struct tn_error         *error)
{
    struct tn_arena *arena = &edit->store->model.arena;
    const char      *colon = strrchr(name, ':');

    if (!colon)
        return TN_OK;
    struct tn_bytes key =
        tn_bytes_dup(arena, tn_bytes(name, (size_t)(colon - name)), error);
    const struct tn_tensor *from =
        key.data ? tn_model_find(model, (const char *)key.data) : NULL;
    if (!from)
        return error->status;
    struct tn_tensor *made = tn_new(arena, struct tn_tensor, 1, error);
    if (!made)
        return error->status;
    *made   = *from;
    *tensor = made;
    return tn_patch_unpack(&from->elements, colon + 1, arena, &made->elements,
                           error);
}

enum tn_status tn_edit_open_tensor(struct tn_edit *edit, const char *word,
                                   const struct tn_tensor **tensor,
                                   struct tn_error         *error)
{
    const struct tn_model *model;
    const char            *file;
    const char            *name = split_name(edit, word, &file, error);

    if (tn_failed(error))
        return error->status;
    TN_TRY(tn_edit_open_model(edit, file, false, &model, error));
    if (name)
        *tensor = tn_model_find(model, name);
    else
        *tensor = model->tensors.count == 1 ? tn_model_tensor(model, 0) : NULL;
    if (!*tensor && name)
        TN_TRY(open_packed(edit, model, name, tensor, error));
    if (*tensor)
        return TN_OK;
    tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                 name ? "no tensor '%s'"
                      : "the file does not have exactly one tensor: choose one "
                        "as %s:NAME",
                 name ? name : word);
    tn_error_file(error, file);
    return error->status;
}
