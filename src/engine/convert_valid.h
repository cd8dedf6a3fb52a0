/*
 * convert_valid.h - refuses to convert invalid graphs
 *
 * Rules read a graph as its dialect defines it.  A graph that contradicts the
 * definition would silently become a different one: `check` finds that first.
 * And the result must be valid in its own dialect before it is written.
 */
#ifndef TN_ENGINE_CONVERT_VALID_H
#define TN_ENGINE_CONVERT_VALID_H

#include "engine/opened.h"
#include "io/later_check.h"

struct tn_validity {
    bool           is_forced; /* findings are reported, nothing is refused    */
    tn_on_finding *each;      /* called for every error; NULL: not wanted     */
    void          *context;
    uint64_t      *count; /* of errors; NULL: not wanted                      */
    bool           allows_unknown; /* operators without a definition          */
    unsigned       workers; /* threads; 0: one per core                       */
};

/* MALFORMED with the first error that `check` finds in the graph.  Weights are
 * not read. */
enum tn_status tn_refuse_invalid(const struct tn_model    *model,
                                 const struct tn_validity *how,
                                 struct tn_error          *error);

/* The same for the result of a conversion, in the dialect of `format`:
 * UNSUPPORTED, since the input file is not at fault. */
enum tn_status tn_refuse_made(const struct tn_model    *model,
                              const struct tn_format   *format,
                              const struct tn_validity *how,
                              struct tn_error          *error);

/* The same for the result of an edit: INVALID.  Errors that the model had
 * before the edit (NULL: there was none) do not count, so that a model can be
 * repaired step by step. */
enum tn_status tn_refuse_edited(const struct tn_model    *model,
                                const struct tn_model    *before,
                                const struct tn_validity *how,
                                struct tn_error          *error);

/* ---- while something else is done --------------------------------------- */

/* A graph that is checked while the caller does something else, which may read
 * the same files. */
struct tn_judging {
    const struct tn_model  *model;
    const struct tn_format *format;
    struct tn_validity      how;
    bool                    is_begun; /* on a thread of its own               */
    void (*also)(void *context); /* what that thread does then; or NULL       */
    void                 *also_context;
    struct tn_later_check check;
};

/* Whether a graph is large enough for that, and its files can be read by
 * several threads: they are mapped. */
bool tn_judging_is_worth_it(const struct tn_model *from);

/* With `also`, one worker is left to the caller, which is assumed to have as
 * much to do; `also` is called after the check, on the same thread. */
void tn_judging_begin(struct tn_judging *j, const struct tn_model *model,
                      const struct tn_format   *format,
                      const struct tn_validity *how,
                      void (*also)(void *context), void *also_context);

/* Wait for the check and return what tn_refuse_invalid() and tn_refuse_made()
 * would; or stop it, if the result is no longer needed.  If none was begun,
 * they return OK. */
enum tn_status tn_judging_end_invalid(struct tn_judging *j,
                                      struct tn_error   *error);
enum tn_status tn_judging_end_made(struct tn_judging *j,
                                   struct tn_error   *error);
void           tn_judging_drop(struct tn_judging *j);

#endif
