/* dl4j_rules.c - Deeplearning4j's MappingDefinitionSet, compiled to mappers */
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/rule_table.h"

struct tn_location tn_rule_place(const struct tn_rule_file  *file,
                                 const struct tn_text_field *at)
{
    return (struct tn_location){ file->name, at->offset, at->line, at->column };
}

void tn_rules_order(struct tn_map_rule *rules, uint32_t count)
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

enum tn_status tn_rule_function_find(const struct tn_rule_file  *file,
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

static enum tn_status find_function(const struct tn_rule_file  *file,
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
    TN_TRY(tn_rule_function_find(file, named, rule));
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
    pair->place = tn_rule_place(file, entry);
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

enum tn_status tn_dl4j_rule_read(const struct tn_rule_file  *file,
                                 const struct tn_text_field *message,
                                 struct tn_map_rule         *rule)
{
    struct tn_bytes text;

    TN_TRY(tn_text_message(message, file->error));
    *rule = (struct tn_map_rule){ .place = tn_rule_place(file, message) };
    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        if (is_told(f))
            TN_TRY(tn_text_string(f, &text, file->error));
        else if (!tn_text_is(f, "inputToOutput") &&
                 !tn_text_is(f, "transformerArgs"))
            return unknown(file, f, "a rule");
    TN_TRY(find_function(file, message, rule));
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

/* What is being filled. */
struct drafted {
    struct tn_mapper    mapper;
    struct tn_map_rule *rules;
    struct tn_map_swap *swaps;
};

static enum tn_status read_mapper_field(const struct tn_rule_file  *file,
                                        const struct tn_text_field *f,
                                        struct drafted             *d)
{
    struct tn_mapper *m = &d->mapper;

    if (tn_text_is(f, "frameworkName"))
        return tn_text_string(f, &m->framework, file->error);
    if (tn_text_is(f, "opName"))
        return tn_text_string(f, &m->target, file->error);
    if (tn_text_is(f, "inputFrameworkOpName"))
        return tn_text_string(f, &m->op_type, file->error);
    if (tn_text_is(f, "rule"))
        return tn_dl4j_rule_read(file, f, &d->rules[m->rule_count++]);
    if (tn_text_is(f, "indexOverrides"))
        return read_swap(file, f, &d->swaps[m->swap_count++]);
    if (tn_text_is(f, "variableResolutionType"))
        return read_resolution(file, f, &m->resolution);
    return unknown(file, f, "a mapper");
}

static enum tn_status read_mapper(const struct tn_rule_file  *file,
                                  const struct tn_text_field *message)
{
    struct tn_arena *arena = file->mappers->arena;
    struct drafted   d     = { .mapper.place = tn_rule_place(file, message) };

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
    tn_rules_order(d.rules, d.mapper.rule_count);
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
