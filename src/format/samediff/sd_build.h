/*
 * sd_build.h - writes the tables of a model as a FlatGraph
 *
 * The mirror of sd_graph.h.  Arrays are passed by reference: the content, the
 * model and the arena must live until the rope is written.
 */
#ifndef TN_FORMAT_SD_BUILD_H
#define TN_FORMAT_SD_BUILD_H

#include "format/samediff/sd_content.h"

/* The part of a model that goes into one buffer. */
struct tn_sd_part {
    struct tn_sd_array_how how; /* of arrays                                  */
    const uint32_t        *picks; /* entries; NULL: all of them               */
    uint32_t               pick_count;
    bool                   has_graph; /* operations and everything else that is
                                         not data                             */
    bool        has_data;             /* arrays, except those in other files  */
    bool        has_states;           /* of the picks                        */
    const bool *is_away;              /* by entry: its bytes are in another
                                         file */
    bool            is_sdnb;          /* shapes of all, metadata, graphs      */
    uint32_t        shard, shard_count; /* 0: not in shards            */
    const uint32_t *shard_of; /* by entry, if the model is in shards   */
};

/* Reports what the buffer cannot hold; call it once for all parts. */
void tn_sd_build_losses(const struct tn_sd_content *content,
                        const struct tn_sd_part    *part);

/* Appends the buffer to the rope. */
enum tn_status tn_sd_build(const struct tn_sd_content *content,
                           const struct tn_sd_part *part, struct tn_rope *to);

/* The file that the model is, when it is not edited and of that format. */
bool tn_sd_is_as_read(const struct tn_model         *model,
                      const struct tn_write_options *options,
                      const struct tn_format        *format);

#endif
