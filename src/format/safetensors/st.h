/* st.h - the parts of the format safetensors */
#ifndef TN_FORMAT_ST_H
#define TN_FORMAT_ST_H

#include "format/format.h"
#include "format/safetensors/st_header.h"
#include "format/weight_map.h"

#define TN_ST_SUFFIX       ".safetensors"
#define TN_ST_INDEX_SUFFIX ".safetensors.index.json"

/* What tn_model.detail is. */
struct tn_st_detail {
    const struct tn_st_pair *metadata; /* of all files, each key once         */
    uint64_t                 metadata_count;
};

enum tn_status tn_st_write(const struct tn_model         *model,
                           const struct tn_write_options *options,
                           struct tn_output *to, struct tn_error *error);

/* ---- the files of a model ----------------------------------------------- */

/* One file, or an index and the files that it names. */
struct tn_st_files {
    struct tn_bundle  *bundle;
    struct tn_arena   *arena;
    struct tn_report  *report; /* as in tn_st_file_read()                     */
    struct tn_error   *error;
    bool               has_index;
    struct tn_weight_map index;
    struct tn_source  *index_source;
    struct tn_list     files; /* struct tn_st_file                            */
};

/* Opens and reads all of them; the result lives in the arena. */
enum tn_status tn_st_files_open(struct tn_st_files *files,
                                struct tn_bundle   *bundle,
                                struct tn_arena    *arena,
                                struct tn_report   *report,
                                struct tn_error    *error);
void           tn_st_files_close(struct tn_st_files *files);

#endif
