/* interpreter.c - vocabularies and rules out of files, nodes to descriptors */
#include <tenon/rules.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/sized.h"
#include "codec/stored.h"
#include "engine/interpreter.h"
#include "engine/read_file.h"
#include "ir/dialect_facts.h"
#include "map/dl4j/framework_ops.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/run_mapper.h"
#include "map/lang/lang_mapper.h"
#include "map/lang/rule_sets.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_text_write.h"
#include "wire/pb/pb_wire.h"

/* JSON and binary messages become text in the arena; text stays. */
enum tn_status tn_rule_text(struct tn_arena *arena, struct tn_bytes *bytes,
                            struct tn_error *error);

/* ---- rule files that are not protobuf text, as protobuf text ------------ */

/* Which message it is. */
struct kind {
    enum tn_pb_builtin set;
    const char        *type;
};

static const struct kind op_list    = { TN_PB_IMPORT_IR,
                                        "org.nd4j.ir.OpDescriptorList" };
static const struct kind rule_set   = { TN_PB_IMPORT_IR,
                                        "org.nd4j.ir.MappingDefinitionSet" };
static const struct kind onnx_graph = { TN_PB_ONNX, "onnx.GraphProto" };

/* All three begin with a message in field 1, whose content distinguishes them:
 * a node has its op type in 4, a mapper the framework in 1. */
static const struct kind *binary_kind(struct tn_bytes bytes)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(bytes, 0, &error);
    struct tn_pb_field f, inner;

    if (!tn_pb_next(&c, &f) || f.number != 1 || f.type != TN_WIRE_LEN)
        return NULL;
    const struct kind *kind = &op_list;
    while (tn_pb_next(&f.body, &inner)) {
        bool            is_text = inner.type == TN_WIRE_LEN;
        struct tn_bytes text = is_text ? tn_pb_text(&inner) : tn_bytes(NULL, 0);
        if (inner.number == 4 && kind == &op_list)
            kind = &onnx_graph;
        if (inner.number == 1 && tn_dialect_facts_of(text)->is_mapped_from)
            kind = &rule_set;
    }
    return tn_failed(&error) ? NULL : kind;
}

static bool is_text(struct tn_bytes bytes)
{
    for (size_t i = 0; i < bytes.size && i < 64; i++)
        if (bytes.data[i] < ' ' && bytes.data[i] != '\n' &&
            bytes.data[i] != '\t' && bytes.data[i] != '\r')
            return false;
    return true;
}

static enum tn_status decode_json(const struct tn_pb_schema  *schema,
                                  const struct tn_pb_message *type,
                                  struct tn_span text, struct tn_arena *arena,
                                  struct tn_buffer *to, struct tn_error *error)
{
    struct tn_rope rope;

    tn_rope_init(&rope, arena, error);
    if (tn_pb_json_read(schema, type, text, &rope, error) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status print(const struct tn_pb_message *type,
                            struct tn_bytes message, struct tn_arena *arena,
                            struct tn_bytes *text, struct tn_error *error)
{
    struct tn_source source;
    struct tn_buffer out;

    tn_source_memory(&source, arena->memory, message);
    tn_buffer_init(&out, arena->memory, error);
    if (tn_pb_text_write(type, (struct tn_span){ &source, 0, message.size },
                         &out.sink, arena->memory, error) == TN_OK)
        *text = tn_bytes_dup(arena, tn_buffer_bytes(&out), error);
    tn_buffer_done(&out);
    tn_source_close(&source);
    return error->status;
}

static enum tn_status print_json(const struct tn_pb_schema  *schema,
                                 const struct tn_pb_message *type,
                                 struct tn_arena *arena, struct tn_bytes *bytes,
                                 struct tn_error *error)
{
    struct tn_source source;
    struct tn_buffer message;

    tn_source_memory(&source, arena->memory, *bytes);
    tn_buffer_init(&message, arena->memory, error);
    if (decode_json(schema, type, (struct tn_span){ &source, 0, bytes->size },
                    arena, &message, error) == TN_OK)
        print(type, tn_buffer_bytes(&message), arena, bytes, error);
    tn_buffer_done(&message);
    tn_source_close(&source);
    return error->status;
}

enum tn_status tn_rule_text(struct tn_arena *arena, struct tn_bytes *bytes,
                            struct tn_error *error)
{
    bool                is_json = bytes->size > 0 && bytes->data[0] == '{';
    struct tn_pb_schema schema;

    if (!is_json && is_text(*bytes))
        return TN_OK;
    const struct kind *kind =
        !is_json ? binary_kind(*bytes)
        : tn_bytes_contains(*bytes, tn_text("\"mappings\"")) ? &rule_set
                                                             : &op_list;
    if (!kind)
        return tn_error_set(
            error, TN_NOT_FOUND, TN_NOWHERE,
            "the file is neither a vocabulary nor a file of rules");
    TN_TRY(
        tn_pb_schema_load(&schema, arena, tn_pb_builtin_set(kind->set), error));
    const struct tn_pb_message *type = tn_pb_schema_find(&schema, kind->type);
    return is_json ? print_json(&schema, type, arena, bytes, error)
                   : print(type, *bytes, arena, bytes, error);
}

/* ---- the handle --------------------------------------------------------- */

enum tn_status tn_interpreter_new(struct tn_interpreter  **out,
                                  const struct tn_options *options,
                                  struct tn_error         *error)
{
    struct tn_memory memory;

    *out = NULL;
    tn_memory_take_options(&memory, options);
    struct tn_interpreter *i =
        tn_memory_resize(&memory, NULL, 0, sizeof *i, error);
    if (!i)
        return error->status;
    memset(i, 0, sizeof *i);
    tn_memory_take_options(&i->memory, options);
    i->memory.used = memory.used;
    if (options)
        i->options = *options;
    tn_arena_init(&i->arena, &i->memory);
    tn_dl4j_ops_init(&i->ops, &i->arena);
    tn_mappers_init(&i->mappers, &i->arena);
    *out = i;
    return TN_OK;
}

void tn_interpreter_close(struct tn_interpreter *i)
{
    struct tn_memory memory;

    if (!i)
        return;
    tn_rulebook_close(i->book);
    tn_dl4j_ops_done(&i->ops);
    tn_mappers_done(&i->mappers);
    tn_arena_done(&i->arena);
    tn_memory_init(&memory, &i->memory.allocator, i->memory.limit);
    memory.used = i->memory.used;
    tn_memory_free(&memory, i, sizeof *i);
}

/* ---- files -------------------------------------------------------------- */

/* A file that is being read. */
struct loading {
    const char          *path;
    struct tn_bytes      text;
    struct tn_text_field root;
    bool                 is_rules, is_vocab;
    bool                 is_own; /* rules in our own language                 */
};

/* The vocabulary of a framework; that of TensorFlow for names that we do not
 * know. */
static struct tn_vocab *vocab_of(struct tn_interpreter *i, struct tn_bytes name)
{
    enum tn_framework framework = TN_FRAMEWORK_TENSORFLOW;

    tn_framework_named(name, &framework);
    return &i->vocabs[framework];
}

static enum tn_status load_vocab(struct tn_interpreter *i,
                                 const struct loading  *file,
                                 struct tn_error       *error)
{
    struct tn_vocab vocab;

    TN_TRY(tn_vocab_load(&vocab, &i->arena, file->text, error));
    if (!tn_dialect_facts_of(vocab.dialect)->is_mapped_from)
        return tn_error_set(
            error, TN_UNSUPPORTED, 0,
            "a vocabulary of '%.*s', for which there are no rules",
            TN_FMT(vocab.dialect));
    *vocab_of(i, vocab.dialect) = vocab;
    return TN_OK;
}

static enum tn_status load_ops(struct tn_interpreter *i,
                               const struct loading  *file,
                               struct tn_error       *error)
{
    const struct tn_text_field *first = file->root.fields;

    if (file->is_vocab)
        return load_vocab(i, file, error);
    if (tn_text_is(first, "opList"))
        return tn_dl4j_ops_read(&i->ops, &file->root, error);
    if (tn_text_is(first, "op"))
        return tn_tensorflow_ops_read(&i->vocabs[TN_FRAMEWORK_TENSORFLOW],
                                      &i->arena, &file->root, error);
    return tn_onnx_ops_read(&i->vocabs[TN_FRAMEWORK_ONNX], &i->arena,
                            &file->root, error);
}

/* A file of our own language comes before those of the library. */
static enum tn_status keep_own(struct tn_interpreter     *i,
                               const struct tn_lang_file *file,
                               struct tn_bytes text, struct tn_error *error)
{
    struct tn_rule_text *own = &i->own[i->own_count++];

    *own = (struct tn_rule_text){
        .name = file->name,
        .from = (const char *)tn_bytes_dup(&i->arena, file->from, error).data,
        .to   = (const char *)tn_bytes_dup(&i->arena, file->to, error).data,
        .is_both_ways = file->is_both_ways,
        .text         = text,
    };
    return error->status;
}

/* Rules of our own language: those that are mappers. */
static enum tn_status load_own(struct tn_interpreter *i, const char *name,
                               struct tn_bytes text, struct tn_error *error)
{
    struct tn_lang_file file;
    struct tn_vocab     nd4j;

    if (tn_lang_parse(&file, &i->arena, name, text, error) == TN_OK &&
        (!i->has_files || keep_own(i, &file, text, error) == TN_OK) &&
        tn_dialect_facts_of(file.to)->is_mapped_to &&
        tn_vocab_open(&nd4j, &i->arena, "nd4j", error) == TN_OK)
        tn_lang_mappers(&i->mappers, &file, vocab_of(i, file.from), &nd4j,
                        error);
    tn_lang_done(&file);
    return error->status;
}

static enum tn_status load_rules(struct tn_interpreter *i,
                                 const struct loading  *file,
                                 struct tn_error       *error)
{
    struct tn_rule_file rules = { &i->mappers, file->path, i->vocabs, error };

    if (file->is_own)
        return load_own(i, file->path, file->text, error);
    if (tn_rules_are_sketch(&file->root))
        return tn_rule_sketch_read(&rules, &file->root);
    return tn_dl4j_rules_read(&rules, &file->root);
}

/* The kind of a file, by its first words. */
static enum tn_status look_at(struct tn_interpreter *i, struct loading *file,
                              struct tn_error *error)
{
    file->is_vocab = tn_bytes_starts_with(file->text, "vocabulary ");
    file->is_own = file->is_rules = tn_bytes_starts_with(file->text, "rules ");
    if (file->is_vocab || file->is_own)
        return TN_OK;
    TN_TRY(tn_rule_text(&i->arena, &file->text, error));
    TN_TRY(tn_text_tree_read(&file->root, &i->arena, file->text, error));
    const struct tn_text_field *first = file->root.fields;
    file->is_rules =
        first && (tn_text_is(first, "mappings") || tn_text_is(first, "name") ||
                  tn_rules_are_sketch(&file->root));
    if (!first || !(file->is_rules || tn_text_is(first, "opList") ||
                    tn_text_is(first, "op") || tn_text_is(first, "node")))
        return tn_error_set(
            error, TN_NOT_FOUND, TN_NOWHERE,
            "the file is neither a vocabulary nor a file of rules");
    return TN_OK;
}

static enum tn_status load_files(struct tn_interpreter *i,
                                 struct loading *files, uint32_t count,
                                 bool wants_rules, struct tn_error *error)
{
    for (uint32_t k = 0; k < count; k++) {
        if (files[k].is_rules != wants_rules)
            continue;
        if (wants_rules)
            load_rules(i, &files[k], error);
        else
            load_ops(i, &files[k], error);
        if (tn_failed(error)) {
            tn_error_file(error, files[k].path);
            return error->status;
        }
    }
    return TN_OK;
}

static enum tn_status look_at_all(struct tn_interpreter *i,
                                  struct loading        *files,
                                  const char *const *paths, uint32_t count,
                                  struct tn_error *error)
{
    for (uint32_t k = 0; k < count; k++) {
        files[k].path = tn_text_dup(&i->arena, paths[k], error);
        if (!files[k].path)
            return error->status;
        TN_TRY(tn_read_file(&i->arena, paths[k], "a file of rules",
                            &files[k].text, error));
        if (look_at(i, &files[k], error) != TN_OK) {
            tn_error_file(error, paths[k]);
            return error->status;
        }
    }
    return TN_OK;
}

/* ---- everything together ------------------------------------------------ */

const struct tn_vocab_op *tn_interpreter_definition(
    struct tn_interpreter *i, struct tn_bytes framework, struct tn_bytes domain,
    struct tn_bytes op_type, int64_t opset, struct tn_error *error)
{
    bool has_versions = tn_dialect_facts_of(framework)->oldest_version > 0;
    struct tn_vocab          *vocab = vocab_of(i, framework);
    const struct tn_vocab_op *op =
        tn_vocab_find(vocab, domain, op_type, opset, error);

    if (!op && !tn_failed(error) && has_versions) /* newer than the rules */
        op = tn_vocab_find(vocab, domain, op_type, INT64_MAX, error);
    return op;
}

static enum tn_status check_mapper(struct tn_interpreter  *i,
                                   const struct tn_mapper *mapper,
                                   struct tn_error        *error)
{
    const struct tn_op_descriptor *target =
        tn_dl4j_ops_find(&i->ops, mapper->target);

    if (i->has_files && !i->has_own_ops)
        target = NULL; /* ours are corrected: one that contradicts them does
                          not apply, see run_mapper() */
    else if (!target && i->ops.list.count > 0)
        return tn_location_fail(error, &mapper->place, TN_NOT_FOUND,
                                "nd4j has no op '%.*s'",
                                TN_FMT(mapper->target));
    const struct tn_vocab_op *definition =
        tn_interpreter_definition(i, mapper->framework, tn_bytes(NULL, 0),
                                  mapper->op_type, TN_RULES_OPSET, error);
    if (tn_failed(error))
        return error->status;
    return tn_mapper_check(mapper, target, definition, error);
}

static enum tn_status commit(struct tn_interpreter *i, struct tn_error *error)
{
    TN_TRY(tn_mappers_commit(&i->mappers, error));
    for (uint32_t k = 0; k < i->mappers.list.count; k++)
        TN_TRY(check_mapper(i, tn_mappers_at(&i->mappers, k), error));
    return TN_OK;
}

static enum tn_status load_builtin_ops(struct tn_interpreter *i,
                                       struct tn_error       *error)
{
    struct tn_vocab nd4j;

    TN_TRY(tn_vocab_open(&nd4j, &i->arena, "nd4j", error));
    return tn_vocab_descriptors(&i->ops, &nd4j, error);
}

/* The ops and rules of the library. */
static enum tn_status load_builtin(struct tn_interpreter *i,
                                   struct tn_error       *error)
{
    struct tn_rule_text file;

    TN_TRY(load_builtin_ops(i, error));
    for (uint32_t k = 0; tn_rules_builtin_at(k, &file); k++) {
        if (!tn_dialect_facts(file.to)->is_mapped_to)
            continue;
        struct tn_bytes text =
            tn_stored_read(file.stored_text, &i->arena, error);
        if (!text.data)
            return error->status;
        TN_TRY(load_own(i, file.name, text, error));
    }
    return TN_OK;
}

/* Whether a file has rules for one op and one node. */
static bool has_mappers(const struct loading *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (files[i].is_rules && !files[i].is_own)
            return true;
    return false;
}

static enum tn_status fill(struct tn_interpreter               *i,
                           const struct tn_interpreter_options *what,
                           struct tn_error                     *error)
{
    struct loading *files =
        tn_new(&i->arena, struct loading, what->file_count, error);

    if (!files)
        return error->status;
    i->has_files = what->file_count > 0;
    i->own = tn_new(&i->arena, struct tn_rule_text, what->file_count, error);
    if (!i->own)
        return error->status;
    i->mappers.custom       = what->functions;
    i->mappers.custom_count = what->function_count;
    for (int k = 0; k < TN_FRAMEWORK_COUNT; k++)
        TN_TRY(tn_vocab_open(&i->vocabs[k], &i->arena, tn_framework_name(k),
                             error));
    if (!what->file_count)
        TN_TRY(load_builtin(i, error));
    TN_TRY(look_at_all(i, files, what->files, what->file_count, error));
    TN_TRY(load_files(i, files, what->file_count, false, error));
    i->has_own_ops = i->has_files && i->ops.list.count > 0;
    if (!i->has_own_ops && has_mappers(files, what->file_count))
        TN_TRY(load_builtin_ops(i, error));
    TN_TRY(tn_dl4j_ops_commit(&i->ops, error));
    TN_TRY(load_files(i, files, what->file_count, true, error));
    i->mappers.custom = NULL; /* the caller's; functions were copied */
    return commit(i, error);
}

enum tn_status tn_interpreter_open(struct tn_interpreter              **out,
                                   const struct tn_interpreter_options *what,
                                   const struct tn_options             *options,
                                   struct tn_error                     *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_INTERPRETER(what);
    TN_TAKE_OPTIONS(options);
    TN_TRY(tn_interpreter_new(out, options, error));
    if (fill(*out, what, error) != TN_OK) {
        tn_interpreter_close(*out);
        *out = NULL;
    }
    return error->status;
}

uint32_t tn_interpreter_op_count(const struct tn_interpreter *i)
{
    return (uint32_t)i->ops.list.count;
}

const struct tn_op_descriptor *tn_interpreter_op(const struct tn_interpreter *i,
                                                 uint32_t index)
{
    return index < i->ops.list.count
               ? tn_list_at(&i->ops.list, struct tn_op_descriptor, index)
               : NULL;
}
