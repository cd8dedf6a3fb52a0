/* rule_sketch.c - the nested sketch of a rule language, compiled to mappers */
#include <string.h>

#include "ir/dialect_facts.h"
#include "ir/vocab_lines.h"
#include "map/dl4j/map_node.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/rule_table.h"

#define MAPPING "_mapping" /* after the name of the framework */

/* The framework that a name begins with, of those that mappers are for; NULL:
 * none.  *rest is what follows. */
static const char *framework_of(struct tn_bytes name, struct tn_bytes *rest)
{
    for (int i = 0; i < TN_FRAMEWORK_COUNT; i++) {
        const char *framework = tn_framework_name(i);
        size_t      size      = strlen(framework);
        if (!tn_dialect_facts(framework)->is_mapped_from ||
            !tn_bytes_starts_with(name, framework))
            continue;
        *rest = tn_bytes(name.data + size, name.size - size);
        return framework;
    }
    return NULL;
}

/* "onnx_mapping" is a mapping of ONNX; NULL: the field is something else. */
static const char *mapping_of(const struct tn_text_field *f)
{
    struct tn_bytes rest;
    const char     *framework = framework_of(f->name, &rest);

    return framework && tn_bytes_is(rest, MAPPING) ? framework : NULL;
}

static bool has_mapping(const struct tn_text_field *op)
{
    for (const struct tn_text_field *f = op->fields; f; f = f->next)
        if (mapping_of(f))
            return true;
    return false;
}

bool tn_rules_are_sketch(const struct tn_text_field *root)
{
    const struct tn_text_field *f = root->fields;

    return f && f->kind == TN_TEXT_MESSAGE &&
           (tn_text_is(f, "MappingRule") || tn_text_is(f, "Mapper") ||
            has_mapping(f));
}

static enum tn_status unknown(const struct tn_rule_file  *file,
                              const struct tn_text_field *field,
                              const char                 *where)
{
    return tn_text_fail(file->error, field, TN_MALFORMED,
                        "'%.*s' has no place in %s", TN_FMT(field->name),
                        where);
}

/* ---- the framework's op of the same name -------------------------------- */

static int lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is_alike(struct tn_bytes a, struct tn_bytes b)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < a.size && a.data[i] == '_')
            i++;
        while (k < b.size && b.data[k] == '_')
            k++;
        if (i == a.size || k == b.size)
            return i == a.size && k == b.size;
        if (lower(a.data[i++]) != lower(b.data[k++]))
            return false;
    }
}

static struct tn_bytes find_alike(const struct tn_vocab *vocab,
                                  struct tn_bytes        name)
{
    for (uint32_t i = 0; i < vocab->row_count; i++)
        if (is_alike(tn_vocab_row_name(vocab, i), name))
            return tn_vocab_row_name(vocab, i);
    return tn_bytes(NULL, 0);
}

static enum tn_status find_op_type(const struct tn_rule_file  *file,
                                   const struct tn_text_field *message,
                                   struct tn_mapper           *mapper)
{
    const struct tn_text_field *named =
        tn_text_find(message, "inputFrameworkOpName");
    enum tn_framework framework;

    if (named)
        return tn_text_string(named, &mapper->op_type, file->error);
    if (file->vocabs && tn_framework_named(mapper->framework, &framework))
        mapper->op_type = find_alike(&file->vocabs[framework], mapper->target);
    if (mapper->op_type.size == 0)
        return tn_text_fail(file->error, message, TN_NOT_FOUND,
                            "%.*s has no op like '%.*s'; say which with "
                            "inputFrameworkOpName",
                            TN_FMT(mapper->framework), TN_FMT(mapper->target));
    return TN_OK;
}

/* ---- pairs, in one message or one message each -------------------------- */

static enum tn_status read_pairs(const struct tn_rule_file  *file,
                                 const struct tn_text_field *message,
                                 const char *wrapper, struct tn_list *pairs)
{
    TN_TRY(tn_text_message(message, file->error));
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        if (wrapper && tn_text_is(f, wrapper)) {
            TN_TRY(read_pairs(file, f, NULL, pairs));
            continue;
        }
        struct tn_map_pair pair = { f->name, { 0 }, tn_rule_place(file, f) };
        TN_TRY(tn_text_string(f, &pair.source, file->error));
        struct tn_map_pair *added =
            tn_list_push(pairs, struct tn_map_pair, file->error);
        if (!added)
            return file->error->status;
        *added = pair;
    }
    return TN_OK;
}

static enum tn_status keep_list(const struct tn_rule_file *file,
                                const struct tn_list *list, const void **items,
                                uint32_t *count)
{
    void *kept = tn_list_keep_items(list, file->mappers->arena,
                                    alignof(max_align_t), file->error);

    if (!kept)
        return file->error->status;
    *items = kept;
    *count = (uint32_t)list->count;
    return TN_OK;
}

/* ---- one mapping -------------------------------------------------------- */

struct sketch {
    struct tn_mapper mapper;
    struct tn_list   rules;   /* struct tn_map_rule */
    struct tn_list   outputs; /* struct tn_map_pair */
    struct tn_list   pairs;   /* struct tn_map_pair: of one rule            */
};

static void sketch_init(struct sketch *s, struct tn_memory *memory)
{
    tn_list_init(&s->rules, memory, sizeof(struct tn_map_rule));
    tn_list_init(&s->outputs, memory, sizeof(struct tn_map_pair));
    tn_list_init(&s->pairs, memory, sizeof(struct tn_map_pair));
}

static void sketch_done(struct sketch *s)
{
    tn_list_done(&s->rules);
    tn_list_done(&s->outputs);
    tn_list_done(&s->pairs);
}

/* A rule of a function and the pairs that have been read. */
static enum tn_status add_rule(const struct tn_rule_file  *file,
                               const struct tn_text_field *at, struct sketch *s,
                               const char *function)
{
    struct tn_map_rule *rule =
        tn_list_push(&s->rules, struct tn_map_rule, file->error);
    const void *pairs = NULL;

    if (!rule)
        return file->error->status;
    rule->name  = tn_text(function);
    rule->place = tn_rule_place(file, at);
    TN_TRY(tn_rule_function_find(file, at, rule));
    TN_TRY(keep_list(file, &s->pairs, &pairs, &rule->pair_count));
    rule->pairs    = pairs;
    s->pairs.count = 0;
    return TN_OK;
}

static enum tn_status add_declared(const struct tn_rule_file  *file,
                                   const struct tn_text_field *message,
                                   struct sketch              *s)
{
    struct tn_map_rule *rule =
        tn_list_push(&s->rules, struct tn_map_rule, file->error);

    return rule ? tn_dl4j_rule_read(file, message, rule) : file->error->status;
}

static enum tn_status read_functions(const struct tn_rule_file  *file,
                                     const struct tn_text_field *message,
                                     struct sketch              *s)
{
    TN_TRY(tn_text_message(message, file->error));
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        if (f->kind == TN_TEXT_STRING) {
            struct tn_map_pair *pair =
                tn_list_push(&s->pairs, struct tn_map_pair, file->error);
            if (!pair)
                return file->error->status;
            *pair = (struct tn_map_pair){ f->name, f->text,
                                          tn_rule_place(file, f) };
            TN_TRY(add_rule(file, f, s, TN_MAP_COPY));
        } else if (tn_text_is(f, "MappingRule") || tn_text_is(f, "rule")) {
            TN_TRY(add_declared(file, f, s));
        } else {
            return unknown(file, f, "attribute_mapping_functions");
        }
    }
    return TN_OK;
}

static enum tn_status read_part(const struct tn_rule_file  *file,
                                const struct tn_text_field *f, struct sketch *s)
{
    struct tn_bytes text;

    if (tn_text_is(f, "input_mappings")) {
        TN_TRY(read_pairs(file, f, "input_mapping", &s->pairs));
        return add_rule(file, f, s, TN_MAP_TENSORS);
    }
    if (tn_text_is(f, "output_mappings"))
        return read_pairs(file, f, "output_mapping", &s->outputs);
    if (tn_text_is(f, "attribute_mapping_functions"))
        return read_functions(file, f, s);
    if (tn_text_is(f, "inputFrameworkOpName"))
        return tn_text_string(f, &text, file->error);
    return unknown(file, f, "a mapping");
}

static enum tn_status finish(const struct tn_rule_file  *file,
                             const struct tn_text_field *message,
                             struct sketch              *s)
{
    const void *items = NULL;

    s->mapper.place = tn_rule_place(file, message);
    TN_TRY(find_op_type(file, message, &s->mapper));
    if (s->rules.count > 0)
        tn_rules_order(s->rules.items, (uint32_t)s->rules.count);
    TN_TRY(keep_list(file, &s->rules, &items, &s->mapper.rule_count));
    s->mapper.rules = items;
    TN_TRY(keep_list(file, &s->outputs, &items, &s->mapper.output_count));
    s->mapper.outputs = items;
    return tn_mappers_add(file->mappers, &s->mapper, file->error);
}

static enum tn_status read_mapping(const struct tn_rule_file  *file,
                                   const struct tn_text_field *op,
                                   const struct tn_text_field *mapping,
                                   const char                 *framework)
{
    struct sketch s = { .mapper = { .framework = tn_text(framework),
                                    .target    = op->name } };

    TN_TRY(tn_text_message(mapping, file->error));
    sketch_init(&s, file->mappers->arena->memory);
    for (const struct tn_text_field *f   = mapping->fields;
         f && !tn_failed(file->error); f = f->next)
        read_part(file, f, &s);
    if (!tn_failed(file->error))
        finish(file, mapping, &s);
    sketch_done(&s);
    return file->error->status;
}

static enum tn_status read_op(const struct tn_rule_file  *file,
                              const struct tn_text_field *op)
{
    TN_TRY(tn_text_message(op, file->error));
    for (const struct tn_text_field *f = op->fields; f; f = f->next) {
        const char *framework = mapping_of(f);
        if (!framework)
            return unknown(file, f, "an op");
        TN_TRY(read_mapping(file, op, f, framework));
    }
    return TN_OK;
}

/* ---- Mapper, with rules by name ----------------------------------------- */

/* A free-standing rule of that name, or NULL. */
static const struct tn_text_field *find_named(const struct tn_text_field *root,
                                              const struct tn_text_field *rule)
{
    const struct tn_text_field *name = tn_text_find(rule, "name");

    for (const struct tn_text_field *f = root->fields; f && name; f = f->next) {
        const struct tn_text_field *other =
            tn_text_is(f, "MappingRule") ? tn_text_find(f, "name") : NULL;
        if (other && tn_bytes_equal(other->text, name->text))
            return f;
    }
    return NULL;
}

/* One in the list may be the name alone; what it says itself comes first. */
static enum tn_status read_listed(const struct tn_rule_file  *file,
                                  const struct tn_text_field *root,
                                  const struct tn_text_field *list,
                                  struct sketch              *s)
{
    TN_TRY(tn_text_message(list, file->error));
    for (const struct tn_text_field *f = list->fields; f; f = f->next) {
        if (!tn_text_is(f, "MappingRule"))
            return unknown(file, f, "a list of rules");
        TN_TRY(tn_text_message(f, file->error));
        const struct tn_text_field *free =
            tn_text_find(f, "functionName") ? NULL : find_named(root, f);
        TN_TRY(add_declared(file, free ? free : f, s));
    }
    return TN_OK;
}

static enum tn_status read_rules(const struct tn_rule_file  *file,
                                 const struct tn_text_field *root,
                                 const struct tn_text_field *rules,
                                 struct sketch              *s)
{
    TN_TRY(tn_text_message(rules, file->error));
    for (const struct tn_text_field *f = rules->fields; f; f = f->next) {
        if (!tn_text_is(f, "list"))
            return unknown(file, f, "rules");
        TN_TRY(read_listed(file, root, f, s));
    }
    return TN_OK;
}

/* The framework is the one the mapper's own name begins with. */
static enum tn_status read_mapper_name(const struct tn_rule_file  *file,
                                       const struct tn_text_field *field,
                                       struct tn_mapper           *mapper)
{
    struct tn_bytes name, rest;

    TN_TRY(tn_text_string(field, &name, file->error));
    const char *framework = framework_of(name, &rest);
    if (!framework)
        return tn_text_fail(file->error, field, TN_MALFORMED,
                            "a mapper's name begins with tensorflow or onnx");
    mapper->framework = tn_text(framework);
    return TN_OK;
}

static enum tn_status read_mapper_part(const struct tn_rule_file  *file,
                                       const struct tn_text_field *root,
                                       const struct tn_text_field *f,
                                       struct sketch              *s)
{
    if (tn_text_is(f, "name"))
        return read_mapper_name(file, f, &s->mapper);
    if (tn_text_is(f, "opName"))
        return tn_text_string(f, &s->mapper.target, file->error);
    if (tn_text_is(f, "rules"))
        return read_rules(file, root, f, s);
    return read_part(file, f, s);
}

static enum tn_status read_mapper(const struct tn_rule_file  *file,
                                  const struct tn_text_field *root,
                                  const struct tn_text_field *message)
{
    struct sketch s = { .mapper = { .is_outline = true } };

    TN_TRY(tn_text_message(message, file->error));
    sketch_init(&s, file->mappers->arena->memory);
    for (const struct tn_text_field *f   = message->fields;
         f && !tn_failed(file->error); f = f->next)
        read_mapper_part(file, root, f, &s);
    if (!tn_failed(file->error) &&
        (!s.mapper.framework.size || !s.mapper.target.size))
        tn_text_fail(file->error, message, TN_MALFORMED,
                     "a mapper needs name and opName");
    if (!tn_failed(file->error))
        finish(file, message, &s);
    sketch_done(&s);
    return file->error->status;
}

enum tn_status tn_rule_sketch_read(const struct tn_rule_file  *file,
                                   const struct tn_text_field *root)
{
    struct tn_map_rule rule;

    for (const struct tn_text_field *f = root->fields; f; f = f->next) {
        if (tn_text_is(f, "MappingRule"))
            TN_TRY(tn_dl4j_rule_read(file, f, &rule));
        else if (tn_text_is(f, "Mapper"))
            TN_TRY(read_mapper(file, root, f));
        else
            TN_TRY(read_op(file, f));
    }
    return TN_OK;
}
