/* rule_files.c - the rule languages of Deeplearning4j, read into mappers */
#include <string.h>

#include "ir/dialect_facts.h"
#include "ir/vocab_lines.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/map_node.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/rule_table.h"

static struct tn_location place_of(const struct tn_rule_file  *file,
                                   const struct tn_text_field *at)
{
    return (struct tn_location){ file->name, at->offset, at->line, at->column };
}

/* Sorts tensor rules before the others; otherwise the order stays. */
static void order_rules(struct tn_map_rule *rules, uint32_t count)
{
    uint32_t placed = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct tn_map_rule rule = rules[i];
        if (!rule.function->places_tensors)
            continue;
        memmove(&rules[placed + 1], &rules[placed],
                (i - placed) * sizeof rules[0]);
        rules[placed++] = rule;
    }
}

static enum tn_status unknown(const struct tn_rule_file  *file,
                              const struct tn_text_field *field,
                              const char                 *message)
{
    return tn_text_fail(file->error, field, TN_MALFORMED,
                        "%s has no field '%.*s'", message, TN_FMT(field->name));
}

/* ---- a rule: its function ----------------------------------------------- */

static const struct tn_map_function *find_custom(
    const struct tn_rule_file *file, struct tn_bytes name)
{
    const struct tn_mappers *mappers = file->mappers;

    for (uint32_t i = 0; i < mappers->custom_count; i++) {
        const struct tn_custom_function *custom = &mappers->custom[i];
        if (!tn_bytes_is(name, custom->name))
            continue;
        struct tn_map_function *function =
            tn_new(mappers->arena, struct tn_map_function, 1, file->error);
        if (function)
            *function = (struct tn_map_function){
                .name    = custom->name,
                .from    = TN_FROM_ANY,
                .to      = ~0u,
                .custom  = custom->run,
                .context = custom->context,
            };
        return function;
    }
    return NULL;
}

/* The function of that name: the caller's, else the table's. */
static enum tn_status find_function(const struct tn_rule_file  *file,
                                    const struct tn_text_field *at,
                                    struct tn_map_rule         *rule)
{
    rule->function = find_custom(file, rule->name);
    if (!rule->function && !tn_failed(file->error))
        rule->function = tn_map_function_find(rule->name);
    if (!rule->function)
        return tn_text_fail(file->error, at, TN_UNSUPPORTED,
                            "unknown function '%.*s'", TN_FMT(rule->name));
    return TN_OK;
}

static enum tn_status read_function(const struct tn_rule_file  *file,
                                    const struct tn_text_field *message,
                                    struct tn_map_rule         *rule)
{
    const struct tn_text_field *named = tn_text_find(message, "ruleName");
    const struct tn_text_field *type  = tn_text_find(message, "ruleType");

    if (!named)
        named = tn_text_find(message, "functionName");
    if (!named)
        return tn_text_fail(file->error, message, TN_MALFORMED,
                            "a rule without ruleName");
    TN_TRY(tn_text_string(named, &rule->name, file->error));
    TN_TRY(find_function(file, named, rule));
    if (!type || rule->function->custom)
        return TN_OK;
    struct tn_bytes word;
    TN_TRY(tn_text_string(type, &word, file->error));
    if (!tn_bytes_is(word,
                     rule->function->places_tensors ? "tensor" : "attribute"))
        return tn_text_fail(
            file->error, type, TN_MALFORMED,
            "ruleType of '%.*s' is \"%s\", not \"%.*s\"", TN_FMT(rule->name),
            rule->function->places_tensors ? "tensor" : "attribute",
            TN_FMT(word));
    return TN_OK;
}

/* ---- a rule: pairs and parameters --------------------------------------- */

static enum tn_status read_pair(const struct tn_rule_file  *file,
                                const struct tn_text_field *entry,
                                struct tn_map_pair         *pair)
{
    TN_TRY(tn_text_message(entry, file->error));
    pair->place = place_of(file, entry);
    for (const struct tn_text_field *f = entry->fields; f; f = f->next) {
        if (tn_text_is(f, "key"))
            TN_TRY(tn_text_string(f, &pair->target, file->error));
        else if (tn_text_is(f, "value"))
            TN_TRY(tn_text_string(f, &pair->source, file->error));
        else
            return unknown(file, f, "inputToOutput");
    }
    return TN_OK;
}

/* A map: of equal keys the last one counts. */
static struct tn_map_pair *pair_for(struct tn_map_pair *pairs, uint32_t *count,
                                    const struct tn_map_pair *pair)
{
    for (uint32_t i = 0; i < *count; i++)
        if (tn_bytes_equal(pairs[i].target, pair->target))
            return &pairs[i];
    return &pairs[(*count)++];
}

static enum tn_status read_pairs(const struct tn_rule_file  *file,
                                 const struct tn_text_field *message,
                                 struct tn_map_rule         *rule)
{
    struct tn_map_pair *pairs =
        tn_new(file->mappers->arena, struct tn_map_pair,
               tn_text_count(message, "inputToOutput"), file->error);

    if (!pairs)
        return file->error->status;
    rule->pairs = pairs;
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        struct tn_map_pair pair = { 0 };
        if (!tn_text_is(f, "inputToOutput"))
            continue;
        TN_TRY(read_pair(file, f, &pair));
        *pair_for(pairs, &rule->pair_count, &pair) = pair;
    }
    return TN_OK;
}

static enum tn_status read_group(const struct tn_rule_file  *file,
                                 const struct tn_text_field *message,
                                 struct tn_map_group        *group)
{
    TN_TRY(tn_text_message(message, file->error));
    struct tn_arg *items =
        tn_new(file->mappers->arena, struct tn_arg,
               tn_text_count(message, "transformerArgs"), file->error);
    if (!items)
        return file->error->status;
    *group = (struct tn_map_group){ .items = items };
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        if (tn_text_is(f, "key"))
            TN_TRY(tn_text_string(f, &group->key, file->error));
        else if (tn_text_is(f, "transformerArgs"))
            TN_TRY(tn_dl4j_arg_read(&items[group->count++], f, file->error));
        else
            return unknown(file, f, "transformerArgs");
    }
    return TN_OK;
}

/* The writer repeats a group once for each of its parameters: the last one of
 * a key counts. */
static struct tn_map_group *group_for(struct tn_map_group *groups,
                                      uint32_t *count, struct tn_bytes key)
{
    for (uint32_t i = 0; i < *count; i++)
        if (tn_bytes_equal(groups[i].key, key))
            return &groups[i];
    return &groups[(*count)++];
}

static enum tn_status read_groups(const struct tn_rule_file  *file,
                                  const struct tn_text_field *message,
                                  struct tn_map_rule         *rule)
{
    struct tn_map_group *groups =
        tn_new(file->mappers->arena, struct tn_map_group,
               tn_text_count(message, "transformerArgs"), file->error);

    if (!groups)
        return file->error->status;
    rule->groups = groups;
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        struct tn_map_group group;
        if (!tn_text_is(f, "transformerArgs"))
            continue;
        TN_TRY(read_group(file, f, &group));
        *group_for(groups, &rule->group_count, group.key) = group;
    }
    return TN_OK;
}

/* Fields that only tell readers, and names that sketches give to rules. */
static bool is_told(const struct tn_text_field *field)
{
    static const char *const names[] = {
        "ruleName",
        "functionName",
        "inputStringAttrName",
        "outputStringAttrName",
        "inputIntName",
        "outputIntName",
        "inputFloatName",
        "outputFloatName",
        "inputDoubleName",
        "outputDoubleName",
        "inputBooleanName",
        "outputBooleanName",
        "inputTensorName",
        "outputTensorName",
        "inputDataTypeName",
        "outputDataTypeName",
        "ruleType",
        "inputFrameworkOpName",
        "name",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tn_text_is(field, names[i]))
            return true;
    return false;
}

/* A MappingRule; `name` is the lookup key if the message has none. */
static enum tn_status read_rule(const struct tn_rule_file  *file,
                                const struct tn_text_field *message,
                                struct tn_map_rule         *rule)
{
    struct tn_bytes text;

    TN_TRY(tn_text_message(message, file->error));
    *rule = (struct tn_map_rule){ .place = place_of(file, message) };
    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        if (is_told(f))
            TN_TRY(tn_text_string(f, &text, file->error));
        else if (!tn_text_is(f, "inputToOutput") &&
                 !tn_text_is(f, "transformerArgs"))
            return unknown(file, f, "a rule");
    TN_TRY(read_function(file, message, rule));
    TN_TRY(read_pairs(file, message, rule));
    return read_groups(file, message, rule);
}

/* ---- a mapper ----------------------------------------------------------- */

static enum tn_status read_resolution(const struct tn_rule_file  *file,
                                      const struct tn_text_field *field,
                                      enum tn_map_resolution     *resolution)
{
    static const char *const words[] = { "DIRECT", "OVERRIDE",
                                         "ERROR_ON_NOT_EQUAL" };

    for (unsigned i = 0; i < 3; i++)
        if (field->kind == TN_TEXT_WORD && tn_bytes_is(field->text, words[i])) {
            *resolution = (enum tn_map_resolution)i;
            return TN_OK;
        }
    return tn_text_fail(file->error, field, TN_MALFORMED,
                        "unknown variableResolutionType '%.*s'",
                        TN_FMT(field->text));
}

static enum tn_status read_swap(const struct tn_rule_file  *file,
                                const struct tn_text_field *entry,
                                struct tn_map_swap         *swap)
{
    TN_TRY(tn_text_message(entry, file->error));
    for (const struct tn_text_field *f = entry->fields; f; f = f->next) {
        if (tn_text_is(f, "key"))
            TN_TRY(tn_text_int(f, &swap->to, file->error));
        else if (tn_text_is(f, "value"))
            TN_TRY(tn_text_int(f, &swap->from, file->error));
        else
            return unknown(file, f, "indexOverrides");
    }
    if (swap->to < 0 || swap->from < 0)
        return tn_text_fail(file->error, entry, TN_MALFORMED,
                            "inputs count from 0");
    return TN_OK;
}

/* A mapper that is being read, and its lists. */
struct mapper_reader {
    struct tn_mapper    mapper;
    struct tn_map_rule *rules;
    struct tn_map_swap *swaps;
};

static enum tn_status read_mapper_field(const struct tn_rule_file  *file,
                                        const struct tn_text_field *f,
                                        struct mapper_reader       *d)
{
    struct tn_mapper *m = &d->mapper;

    if (tn_text_is(f, "frameworkName"))
        return tn_text_string(f, &m->framework, file->error);
    if (tn_text_is(f, "opName"))
        return tn_text_string(f, &m->target, file->error);
    if (tn_text_is(f, "inputFrameworkOpName"))
        return tn_text_string(f, &m->op_type, file->error);
    if (tn_text_is(f, "rule"))
        return read_rule(file, f, &d->rules[m->rule_count++]);
    if (tn_text_is(f, "indexOverrides"))
        return read_swap(file, f, &d->swaps[m->swap_count++]);
    if (tn_text_is(f, "variableResolutionType"))
        return read_resolution(file, f, &m->resolution);
    return unknown(file, f, "a mapper");
}

static enum tn_status read_mapper(const struct tn_rule_file  *file,
                                  const struct tn_text_field *message)
{
    struct tn_arena     *arena = file->mappers->arena;
    struct mapper_reader d     = { .mapper.place = place_of(file, message) };

    TN_TRY(tn_text_message(message, file->error));
    d.rules = tn_new(arena, struct tn_map_rule, tn_text_count(message, "rule"),
                     file->error);
    d.swaps = tn_new(arena, struct tn_map_swap,
                     tn_text_count(message, "indexOverrides"), file->error);
    if (!d.rules || !d.swaps)
        return file->error->status;
    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        TN_TRY(read_mapper_field(file, f, &d));
    if (!d.mapper.framework.size || !d.mapper.op_type.size ||
        !d.mapper.target.size)
        return tn_text_fail(file->error, message, TN_MALFORMED,
                            "a mapper needs frameworkName, opName and "
                            "inputFrameworkOpName");
    order_rules(d.rules, d.mapper.rule_count);
    d.mapper.rules = d.rules;
    d.mapper.swaps = d.swaps;
    return tn_mappers_add(file->mappers, &d.mapper, file->error);
}

enum tn_status tn_dl4j_rules_read(const struct tn_rule_file  *file,
                                  const struct tn_text_field *root)
{
    struct tn_bytes name;

    for (const struct tn_text_field *f = root->fields; f; f = f->next) {
        if (tn_text_is(f, "mappings"))
            TN_TRY(read_mapper(file, f));
        else if (tn_text_is(f, "name"))
            TN_TRY(tn_text_string(f, &name, file->error));
        else
            return unknown(file, f, "a set of mappings");
    }
    return TN_OK;
}

/* ---- the sketch -------------------------------------------------------- */

#define MAPPING "_mapping" /* after the name of the framework */

/* The framework that a name begins with, of those that mappers are for; NULL:
 * none.  *rest is what follows. */
static const char *framework_of(struct tn_bytes name, struct tn_bytes *rest)
{
    for (enum tn_framework i = 0; i < TN_FRAMEWORK_COUNT; i++) {
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

static enum tn_status unknown_word(const struct tn_rule_file  *file,
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

static enum tn_status read_sketch_pairs(const struct tn_rule_file  *file,
                                        const struct tn_text_field *message,
                                        const char                 *wrapper,
                                        struct tn_list             *pairs)
{
    TN_TRY(tn_text_message(message, file->error));
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        if (wrapper && tn_text_is(f, wrapper)) {
            TN_TRY(read_sketch_pairs(file, f, NULL, pairs));
            continue;
        }
        struct tn_map_pair pair = { f->name, { 0 }, place_of(file, f) };
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
    rule->place = place_of(file, at);
    TN_TRY(find_function(file, at, rule));
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

    return rule ? read_rule(file, message, rule) : file->error->status;
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
            *pair = (struct tn_map_pair){ f->name, f->text, place_of(file, f) };
            TN_TRY(add_rule(file, f, s, TN_MAP_COPY));
        } else if (tn_text_is(f, "MappingRule") || tn_text_is(f, "rule")) {
            TN_TRY(add_declared(file, f, s));
        } else {
            return unknown_word(file, f, "attribute_mapping_functions");
        }
    }
    return TN_OK;
}

static enum tn_status read_part(const struct tn_rule_file  *file,
                                const struct tn_text_field *f, struct sketch *s)
{
    struct tn_bytes text;

    if (tn_text_is(f, "input_mappings")) {
        TN_TRY(read_sketch_pairs(file, f, "input_mapping", &s->pairs));
        return add_rule(file, f, s, TN_MAP_TENSORS);
    }
    if (tn_text_is(f, "output_mappings"))
        return read_sketch_pairs(file, f, "output_mapping", &s->outputs);
    if (tn_text_is(f, "attribute_mapping_functions"))
        return read_functions(file, f, s);
    if (tn_text_is(f, "inputFrameworkOpName"))
        return tn_text_string(f, &text, file->error);
    return unknown_word(file, f, "a mapping");
}

static enum tn_status finish(const struct tn_rule_file  *file,
                             const struct tn_text_field *message,
                             struct sketch              *s)
{
    const void *items = NULL;

    s->mapper.place = place_of(file, message);
    TN_TRY(find_op_type(file, message, &s->mapper));
    if (s->rules.count > 0)
        order_rules(s->rules.items, (uint32_t)s->rules.count);
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
            return unknown_word(file, f, "an op");
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

/* A rule in the list may be only a name; its own fields take precedence. */
static enum tn_status read_listed(const struct tn_rule_file  *file,
                                  const struct tn_text_field *root,
                                  const struct tn_text_field *list,
                                  struct sketch              *s)
{
    TN_TRY(tn_text_message(list, file->error));
    for (const struct tn_text_field *f = list->fields; f; f = f->next) {
        if (!tn_text_is(f, "MappingRule"))
            return unknown_word(file, f, "a list of rules");
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
            return unknown_word(file, f, "rules");
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

static enum tn_status read_sketch_mapper(const struct tn_rule_file  *file,
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
            TN_TRY(read_rule(file, f, &rule));
        else if (tn_text_is(f, "Mapper"))
            TN_TRY(read_sketch_mapper(file, root, f));
        else
            TN_TRY(read_op(file, f));
    }
    return TN_OK;
}
