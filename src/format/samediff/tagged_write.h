/*
 * tagged_write.h - writes one tag into a zip
 *
 *   struct tn_tagged_writer w;
 *   tn_tagged_writer_init(&w, model, "step-1", options, memory, error);
 *   ...  w.files[...] may be pointed at arrays that are there already
 *   tn_tagged_writer_put(&w, &zip_writer);
 *   tn_tagged_writer_done(&w);
 *
 * The texts come before the arrays and name their files, so it must be decided
 * first which arrays are shared.
 */
#ifndef TN_FORMAT_TAGGED_WRITE_H
#define TN_FORMAT_TAGGED_WRITE_H

#include <tenon/tag.h>

#include "format/samediff/sd_content.h"
#include "format/samediff/tagged.h"
#include "wire/zip/zip_write.h"

/* One file that a line names. */
struct tn_tagged_file {
    const struct tn_elements *elements; /* NULL: `verbatim`                   */
    struct tn_span            verbatim; /* of an unknown kind                 */
    bool                      is_shared; /* stored already: its reference says
                                            where                             */
};

/* The lines of params.txt or updater.txt; files and refs side by side. */
struct tn_tagged_list {
    struct tn_list lines; /* struct tn_tag_line; refs are set at the end      */
    struct tn_list files; /* struct tn_tagged_file                            */
    struct tn_list refs;  /* struct tn_tag_ref; tag empty: its own            */
    uint64_t       next;  /* number of the next file                          */
};

struct tn_tagged_writer {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_bytes                tag;
    struct tn_memory              *memory;
    struct tn_arena                arena;
    struct tn_error               *error;
    struct tn_sd_content          *plans; /* by graph                         */
    uint32_t                       plan_count;
    struct tn_sd_names             columns;  /* of the states                 */
    struct tn_tagged_list          lists[2]; /* by enum tn_tag_file           */
};

/* Looks at the model, which must have its graph.  `next` are the first numbers
 * of new files, by enum tn_tag_file; NULL: 0. */
enum tn_status tn_tagged_writer_init(struct tn_tagged_writer       *w,
                                     const struct tn_model         *model,
                                     struct tn_bytes                tag,
                                     const struct tn_write_options *options,
                                     const uint64_t *next, struct tn_error *e);
void           tn_tagged_writer_done(struct tn_tagged_writer *w);

/* Replaces the elements of a variable of params.txt, or of a state
 * ("updater/M/w").  NOT_FOUND if there is none of that name; INVALID if type or
 * shape differ. */
enum tn_status tn_tagged_writer_replace(struct tn_tagged_writer  *w,
                                        struct tn_bytes           name,
                                        const struct tn_elements *elements);

/* Appends the bytes of an array's entry. */
enum tn_status tn_tagged_array_rope(const struct tn_elements *elements,
                                    const char       *external, /* or NULL */
                                    struct tn_arena  *arena,
                                    struct tn_memory *memory,
                                    struct tn_rope   *rope,
                                    struct tn_error  *error);

/* Whether the elements go to a file of their own. */
bool tn_tagged_is_long(const struct tn_elements *elements);

/* Assigns numbers to new files and writes all entries of the tag in their
 * order. */
enum tn_status tn_tagged_writer_put(struct tn_tagged_writer *w,
                                    struct tn_zip_writer    *zip);

/* tagged_put.c: graph.fb and trainingConfig.fb on a rope. */
enum tn_status tn_tagged_put_graph(struct tn_tagged_writer *w,
                                   struct tn_rope          *rope);
enum tn_status tn_tagged_put_training(struct tn_tagged_writer *w,
                                      struct tn_rope          *rope);

/* A container of one tag. */
enum tn_status tn_tagged_write_as(const struct tn_model         *model,
                                  struct tn_bytes                tag,
                                  const struct tn_write_options *options,
                                  struct tn_output              *to,
                                  struct tn_tag_summary         *summary,
                                  struct tn_error               *error);
enum tn_status tn_tagged_write(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_output *to, struct tn_error *error);

/* tags.txt of these tags. */
enum tn_status tn_tag_put_list(struct tn_zip_writer  *zip,
                               const struct tn_bytes *tags, uint32_t count,
                               struct tn_memory *memory,
                               struct tn_error  *error);

#endif
