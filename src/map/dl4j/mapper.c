/* mapper.c - mappers, kept and found */
#include "base/bisect.h"
#include "base/sort.h"
#include "map/dl4j/mapper.h"

void tn_mappers_init(struct tn_mappers *mappers, struct tn_arena *arena)
{
    *mappers = (struct tn_mappers){ .arena = arena };
    tn_list_init(&mappers->list, arena->memory, sizeof(struct tn_mapper));
}

void tn_mappers_done(struct tn_mappers *mappers)
{
    tn_list_done(&mappers->list);
}

enum tn_status tn_mappers_add(struct tn_mappers      *mappers,
                              const struct tn_mapper *mapper,
                              struct tn_error        *error)
{
    struct tn_mapper *added =
        tn_list_push(&mappers->list, struct tn_mapper, error);

    if (!added)
        return error->status;
    *added = *mapper;
    return TN_OK;
}

/* ---- order -------------------------------------------------------------- */

static int compare_keys(const struct tn_mapper *a, struct tn_bytes framework,
                        struct tn_bytes op_type)
{
    int order = tn_bytes_compare(a->framework, framework);

    return order ? order : tn_bytes_compare(a->op_type, op_type);
}

static bool is_before(const void *left, const void *right)
{
    const struct tn_mapper *a = left, *b = right;
    int                     order = compare_keys(a, b->framework, b->op_type);

    return order ? order < 0 : a < b; /* equal ones as they came */
}

enum tn_status tn_mappers_commit(struct tn_mappers *mappers,
                                 struct tn_error   *error)
{
    uint64_t     count = mappers->list.count;
    const void **order = tn_new(mappers->arena, const void *, count, error);

    mappers->sorted = tn_new(mappers->arena, uint32_t, count, error);
    if (!mappers->sorted || !order)
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_mappers_at(mappers, (uint32_t)i);
    tn_sort(order, count, is_before);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_mapper *mapper = order[i];
        const struct tn_mapper *last   = i ? order[i - 1] : NULL;

        if (last && !compare_keys(last, mapper->framework, mapper->op_type))
            return tn_location_fail(error, &mapper->place, TN_MALFORMED,
                                    "a second mapper for %.*s's '%.*s'",
                                    TN_FMT(mapper->framework),
                                    TN_FMT(mapper->op_type));
        mappers->sorted[i] = (uint32_t)(mapper - tn_mappers_at(mappers, 0));
    }
    return TN_OK;
}

const struct tn_mapper *tn_mappers_find(const struct tn_mappers *mappers,
                                        struct tn_bytes          framework,
                                        struct tn_bytes          op_type)
{
    uint64_t at;

    TN_BISECT(at, 0, mappers->list.count,
              compare_keys(tn_mappers_at(mappers, mappers->sorted[at]),
                           framework, op_type) < 0);
    if (at == mappers->list.count)
        return NULL;
    const struct tn_mapper *mapper =
        tn_mappers_at(mappers, mappers->sorted[at]);
    return compare_keys(mapper, framework, op_type) == 0 ? mapper : NULL;
}

const struct tn_map_group *tn_map_rule_group(const struct tn_map_rule *rule,
                                             struct tn_bytes           key)
{
    for (uint32_t i = 0; i < rule->group_count; i++)
        if (tn_bytes_equal(rule->groups[i].key, key))
            return &rule->groups[i];
    return NULL;
}
