/*
 * weight_map.h - the index beside the files of one model: which tensor is where
 *
 *   { "metadata": { "total_size": 123 }, "weight_map": { name: file, ... } }
 *
 * Files of safetensors and of PyTorch have the same.
 */
#ifndef TN_FORMAT_WEIGHT_MAP_H
#define TN_FORMAT_WEIGHT_MAP_H

#include "base/memory.h"
#include "base/source.h"

#define TN_WEIGHT_MAP_LIMIT UINT64_C(100000000) /* bytes of an index */

struct tn_weight_place {
    struct tn_bytes name; /* of the tensor                                    */
    struct tn_bytes file;
};

struct tn_weight_map {
    struct tn_list places; /* struct tn_weight_place, as written              */
    uint64_t       total_size;
    bool           has_total_size;
};

void tn_weight_map_init(struct tn_weight_map *map, struct tn_memory *memory);
void tn_weight_map_done(struct tn_weight_map *map);

/* Names live in the arena; no tensor is there twice. */
enum tn_status tn_weight_map_read(struct tn_weight_map *map,
                                  struct tn_source *source,
                                  struct tn_arena *arena,
                                  struct tn_error *error);

#endif
