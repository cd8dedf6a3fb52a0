/* npz.h - the parts of the formats npz and npy */
#ifndef TN_FORMAT_NPZ_H
#define TN_FORMAT_NPZ_H

#include "format/format.h"
#include "wire/npy/npy.h"

#define TN_NPZ_MEMBER ".npy"

/* Reads the header of the array in `source` and returns where its elements are
 * and how they are stored.  Shape and views live in the arena; sources that had
 * to be created belong to the bundle. */
enum tn_status tn_npz_array(struct tn_bundle *bundle, struct tn_arena *arena,
                            struct tn_source   *source,
                            struct tn_elements *elements,
                            struct tn_error    *error);

/* Entries of an npz that no tensor stands for. */
struct tn_npz_left {
    uint64_t        count;
    struct tn_bytes first; /* the name of the first of them                  */
};

/* model->detail of an npz. */
struct tn_npz_detail {
    struct tn_npz_left unread; /* arrays of elements that are not read here  */
    struct tn_npz_left others; /* entries that are not arrays                */
};

enum tn_status tn_npz_report_rest(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  bool is_bare, struct tn_error *error);

enum tn_status tn_npz_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error);

#endif
