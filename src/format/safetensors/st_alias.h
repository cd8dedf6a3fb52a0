/*
 * st_alias.h - tensors that are stored once under several names
 *
 * In a safetensors file no two tensors share a byte.  A tensor that is a part
 * of another one, or the same one again (tied weights), is not stored:
 * __metadata__ says where it is.  The same tensor again is a pair of names, as
 * the library of the format writes it,
 *
 *   "lm_head.weight": "wte.weight"
 *
 * and all other parts are in one text, as JSON, in elements of what is stored:
 *
 *   "tenon.views": "{ name: { \"of\": name, \"start\": 8, \"shape\": [2, 3],
 *                             \"strides\": [1, 2] }, ... }"
 */
#ifndef TN_FORMAT_ST_ALIAS_H
#define TN_FORMAT_ST_ALIAS_H

#include "format/bare.h"
#include "format/safetensors/st_header.h"

#define TN_ST_VIEWS "tenon.views"

/* Where a tensor is that is not stored itself. */
struct tn_st_alias {
    uint64_t of;      /* index of the tensor that is stored; its own: none    */
    bool     is_view; /* not all of it, or in another order                   */
    uint64_t start;   /* of a view, in elements                               */
    const int64_t *strides; /* of a view; NULL: side by side                  */
};

/* For each tensor of the set; NULL on failure. */
struct tn_st_alias *tn_st_find_aliases(const struct tn_bare_set *set,
                                       struct tn_arena          *arena,
                                       struct tn_error          *error);

/* A name of the metadata that is a tensor. */
struct tn_st_named {
    struct tn_bytes            name;
    const struct tn_st_tensor *of;
    bool                       is_view;
    uint64_t                   start;
    uint32_t                   rank;
    uint64_t                  *dims;
    int64_t                   *strides;
};

/* Whether a pair of the metadata is such a name, or the views: it is then no
 * text about the model. */
bool tn_st_is_alias(const struct tn_st_file *file,
                    const struct tn_intern *names,
                    const struct tn_st_pair *pair);

/* All names of a file's metadata, as struct tn_st_named.  `names` are those of
 * its tensors, by index.  MALFORMED if the views cannot be read. */
enum tn_status tn_st_read_aliases(const struct tn_st_file *file,
                                  const struct tn_intern  *names,
                                  struct tn_arena *arena, struct tn_list *to,
                                  struct tn_error *error);

/* The elements of such a tensor; the row is what is stored. */
enum tn_status tn_st_alias_elements(const struct tn_st_named *named,
                                    const struct tn_st_file  *file,
                                    struct tn_arena          *arena,
                                    struct tn_elements       *elements,
                                    struct tn_error          *error);

#endif
