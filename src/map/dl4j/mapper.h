/*
 * mapper.h - a mapper: how one kind of node becomes one op
 *
 * Both rule languages of rule_files.h are read into this.  A mapper is found by
 * framework and op type; it names the target op and has rules, which run in
 * order: those that place tensors first, then those that make arguments.  A
 * rule is a function of the table in rule_table.h, pairs of names that it
 * connects, and groups of parameters.
 *
 *   mapper  (framework, op type) -> target op
 *     rule    function
 *               pairs   target's name <- framework's name
 *               groups  key: parameters
 *
 * Mappers keep the line and column that they came from, so that errors about a
 * rule can name its place.
 */
#ifndef TN_MAP_MAPPER_H
#define TN_MAP_MAPPER_H

#include <tenon/interpret.h>

#include "base/location.h"
#include "base/memory.h"

struct tn_map_pair {
    struct tn_bytes    target, source;
    struct tn_location place;
};

struct tn_map_group {
    struct tn_bytes      key;
    const struct tn_arg *items;
    uint32_t             count;
};

struct tn_map_function;

struct tn_map_rule {
    const struct tn_map_function *function;
    struct tn_bytes               name; /* of the function, as in the file    */
    const struct tn_map_pair     *pairs;
    uint32_t                      pair_count;
    const struct tn_map_group    *groups; /* keys differ                      */
    uint32_t                      group_count;
    struct tn_location            place;
};

/* What happens to inputs that no tensor rule names. */
enum tn_map_resolution {
    TN_MAP_DIRECT,   /* all of the node's inputs stay                         */
    TN_MAP_OVERRIDE, /* as many as the rules name                             */
    TN_MAP_EQUAL,    /* there may be none                                     */
};

/* The target's input `to` is the node's input `from`. */
struct tn_map_swap {
    int64_t to, from;
};

struct tn_mapper {
    struct tn_bytes           framework, op_type, target;
    const struct tn_map_rule *rules; /* tensor rules first                    */
    uint32_t                  rule_count;
    const struct tn_map_swap *swaps;
    uint32_t                  swap_count;
    enum tn_map_resolution    resolution;
    const struct tn_map_pair *outputs; /* the sketch's; the shipped have none */
    uint32_t                  output_count;
    struct tn_location        place;
    bool is_outline; /* a Mapper of the sketch, which may consist of names of
                        functions                                             */
};

/* Whether it only says which op a node becomes: none of its rules names inputs
 * or attributes. */
static inline bool tn_mapper_is_open(const struct tn_mapper *mapper)
{
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        if (mapper->rules[i].pair_count || mapper->rules[i].group_count)
            return false;
    return mapper->is_outline;
}

/* Mappers of any number of files, in their order. */
struct tn_mappers {
    struct tn_arena *arena;
    struct tn_list   list;   /* struct tn_mapper                              */
    uint32_t        *sorted; /* indices by framework and op type; see commit  */
    const struct tn_custom_function *custom; /* of the caller; may be NULL    */
    uint32_t                         custom_count;
};

void tn_mappers_init(struct tn_mappers *mappers, struct tn_arena *arena);
void tn_mappers_done(struct tn_mappers *mappers);

/* Adds a mapper; what it points to lives in the arena. */
enum tn_status tn_mappers_add(struct tn_mappers      *mappers,
                              const struct tn_mapper *mapper,
                              struct tn_error        *error);

/* Call it after the last one: from then on they can be found.  Fails at the
 * second of two mappers for the same op. */
enum tn_status tn_mappers_commit(struct tn_mappers *mappers,
                                 struct tn_error   *error);

static inline const struct tn_mapper *tn_mappers_at(
    const struct tn_mappers *mappers, uint32_t index)
{
    return tn_list_at(&mappers->list, struct tn_mapper, index);
}

/* NULL if there is none. */
const struct tn_mapper *tn_mappers_find(const struct tn_mappers *mappers,
                                        struct tn_bytes          framework,
                                        struct tn_bytes          op_type);

/* The group of that key, or NULL. */
const struct tn_map_group *tn_map_rule_group(const struct tn_map_rule *rule,
                                             struct tn_bytes           key);

#endif
