/*
 * sdnb.h - SDNB: a FlatGraph, the long arrays after it, and a list of them
 *
 *   "SDNB" | u32 version 1 | u64 manifest offset | u64 manifest length |
 *   u64 graph offset 32          all big-endian
 *   FlatGraph | arrays, back to back | manifest, to the end of the file
 *
 * The length of the graph is not stored: it ends where the first array begins.
 * The manifest is a Java object stream (wire/javaser): name of a variable to
 * (offset, length).  While a file is being written, both of its fields are -1.
 *
 * A model in shards is BASE.shard<i>-of-<n>.sdnb: shard 0 has the graph, the
 * others variables with data and the states of the updater.
 */
#ifndef TN_FORMAT_SDNB_H
#define TN_FORMAT_SDNB_H

#include "format/samediff/sd_graph.h"
#include "wire/javaser/javaser.h"

#define TN_SDNB_MAGIC  "SDNB"
#define TN_SDNB_HEADER 32
#define TN_SDNB_SUFFIX ".sdnb"

struct tn_sdnb_file {
    struct tn_source *source;
    struct tn_span    graph;
    uint64_t          manifest_offset, manifest_length;
    struct tn_list    blobs; /* struct tn_javaser_entry                       */
    struct tn_intern  names; /* of the blobs; ids are their indices           */
    bool             *is_read; /* by blob: its variable was found             */
};

/* Reads header and manifest, and checks all ranges. */
enum tn_status tn_sdnb_file_read(struct tn_sdnb_file *file,
                                 struct tn_source    *source,
                                 struct tn_arena     *arena,
                                 struct tn_error     *error);
void           tn_sdnb_file_done(struct tn_sdnb_file *file);

/* Reads one file, or shards in their order, into a model.  If missing files are
 * allowed (is_lax), all but the first may be NULL. */
enum tn_status tn_sdnb_read(struct tn_model *model, struct tn_source **files,
                            uint32_t count, struct tn_error *error);

/* What a name of a shard says; false if it is not one. */
struct tn_sdnb_shard {
    struct tn_bytes base;
    uint32_t        index, count;
    bool            has_suffix; /* ".sdnb"                                    */
};
bool tn_sdnb_shard_name(struct tn_bytes name, struct tn_sdnb_shard *shard);

/* Whether an entry of an SDZ of that name is a model. */
bool tn_sdz_is_model(struct tn_bytes name);

/* Every file of the model that the bundle's main file belongs to.  With is_lax:
 * NULL for files that are missing. */
enum tn_status tn_sdnb_siblings(struct tn_bundle *bundle, bool is_lax,
                                struct tn_source ***files, uint32_t *count,
                                struct tn_error *error);

/* Shards beside the file with names like its own that do not belong to it; ""
 * if there are none. */
const char *tn_sdnb_stale(struct tn_bundle *bundle);

/* ---- writing (sdnb_write.c) --------------------------------------------- */

/* tn_format.write of sdnb and sdz. */
enum tn_status tn_sdnb_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error);
enum tn_status tn_sdz_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error);

/* Options of SDNB and SDZ: for writing, then for reading. */
extern const struct tn_format_setting *const tn_sdnb_settings[];

#endif
