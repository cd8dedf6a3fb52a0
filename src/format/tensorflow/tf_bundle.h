/*
 * tf_bundle.h - TensorFlow checkpoints: a sorted table and files of data
 *
 *   PREFIX.index                a table (wire/sstable):
 *     ""          BundleHeaderProto { num_shards = 1, endianness = 2 }
 *     name        BundleEntryProto { dtype = 1, shape = 2, shard_id = 3,
 *                   offset = 4, size = 5, crc32c = 6 (fixed32), slices = 7 }
 *     slice key   the same, for one slice (tf_slice_key.h)
 *   PREFIX.data-SSSSS-of-NNNNN  elements side by side, row-major
 *     strings   N varint lengths, u32 masked crc of the lengths, the bytes
 *     variants  per element: varint length, bytes, u32 masked crc so far
 *
 * Checkpoints of version 1 are one table, whose values hold the data too:
 *     ""          SavedTensorSlices { meta = 1 }: names, shapes, types, slices
 *     slice key   SavedTensorSlices { data = 2 { data = 3 TensorProto } }
 *
 * A tensor with slices has no data of its own; it becomes one tensor whose
 * payload is composed of theirs.
 */
#ifndef TN_FORMAT_TF_BUNDLE_H
#define TN_FORMAT_TF_BUNDLE_H

#include "io/bundle.h"
#include "ir/payload.h"

struct tn_tf_bundle_entry {
    struct tn_bytes    key; /* the name of the tensor                        */
    struct tn_elements elements;
    uint64_t           place; /* of the entry in the index                   */
    struct tn_span     data;  /* as stored; no source: see `pieces`          */
    uint32_t           shard;
    uint32_t           crc; /* of the data, masked, as the index says        */
    bool               has_crc; /* version 2                                 */
    const struct tn_tf_bundle_entry *const *pieces;
    uint64_t                                piece_count;
};

struct tn_tf_bundle {
    struct tn_memory *memory;
    struct tn_arena   arena;
    struct tn_list    shards; /* the data files opened so far                */
    struct tn_source *index;
    const char       *prefix;
    uint32_t          version; /* 1 or 2                                     */
    uint32_t          shard_count;
    bool              is_big_endian;
    bool              is_packed; /* some block of the table is compressed    */
    uint64_t          count;     /* tensors                                  */
    uint64_t          unused;    /* slices that no tensor lists              */

    /* Ascending by key. */
    const struct tn_tf_bundle_entry *const *entries;
};

/* Opens PREFIX.index of the bundle; prefix NULL: the bundle's main file is the
 * table, and its name without ".index" is the prefix.  Reads the table and
 * verifies all of its structure, but no data.  Data files must exist and be
 * long enough.  On failure *index is closed already. */
enum tn_status tn_tf_bundle_open(struct tn_tf_bundle *index,
                                 struct tn_bundle *bundle, const char *prefix,
                                 struct tn_error *error);
void           tn_tf_bundle_close(struct tn_tf_bundle *index);

/* The same for any table; `open` opens the data files by name. */
typedef enum tn_status tn_tf_shard_opener(void *context, const char *name,
                                          struct tn_source **source,
                                          struct tn_error   *error);

enum tn_status tn_tf_bundle_read(struct tn_tf_bundle *index,
                                 struct tn_source *table, const char *prefix,
                                 tn_tf_shard_opener *open, void *context,
                                 struct tn_error *error);

static inline uint64_t tn_tf_bundle_count(const struct tn_tf_bundle *index)
{
    return index->count;
}

static inline const struct tn_tf_bundle_entry *tn_tf_bundle_entry(
    const struct tn_tf_bundle *index, uint64_t i)
{
    return index->entries[i];
}

/* NULL if there is none. */
const struct tn_tf_bundle_entry *tn_tf_bundle_find(
    const struct tn_tf_bundle *index, struct tn_bytes key);

/* Reads all data of the tensor, including its slices, and verifies checksums,
 * also those between strings.  Needs constant memory; may be called from
 * several threads with different errors. */
enum tn_status tn_tf_bundle_check_entry(const struct tn_tf_bundle_entry *entry,
                                        struct tn_memory                *memory,
                                        struct tn_error                 *error);

#endif
