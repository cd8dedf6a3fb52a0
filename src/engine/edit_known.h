/*
 * edit_known.h - types and shapes of the values of a model, for edits
 *
 * Types and shapes as inference finds them, by the names that values of the
 * main graph have in the model.
 */
#ifndef TN_ENGINE_EDIT_KNOWN_H
#define TN_ENGINE_EDIT_KNOWN_H

#include "ir/draft.h"
#include "map/lang/infer.h"
#include "map/lang/rule_sets.h"

struct tn_known {
    struct tn_arena            arena;
    struct tn_error           *error;
    struct tn_net              net;
    struct tn_rule_cache       cache;
    const struct tn_lang_file *shapes;
    struct tn_infer           *facts;
    struct tn_intern           names;  /* of values of the main graph         */
    struct tn_list             values; /* uint32_t by name: value of the net  */
    struct tn_error            refusal; /* of arguments without names (nd4j):
                                           what follows from them is unknown  */
    bool has_net;
};

/* Loads the graph; types are not found yet.  Call tn_known_close() also after a
 * failure. */
enum tn_status tn_known_open(struct tn_known *known, struct tn_memory *memory,
                             const struct tn_model *model,
                             struct tn_error       *error);
void           tn_known_close(struct tn_known *known);

/* Finds the types of all values. */
enum tn_status tn_known_infer(struct tn_known *known);

/* The value of the main graph that has that name; TN_NONE: none. */
uint32_t tn_known_find(const struct tn_known *known, struct tn_bytes name);

/* Its type and shape as those of an input or output of that name; what is not
 * known stays open.  Dims are in the arena. */
struct tn_io tn_known_io(const struct tn_known *known, struct tn_bytes name,
                         struct tn_arena *arena, struct tn_error *error);
struct tn_io tn_known_io_of(const struct tn_net_type *type,
                            struct tn_bytes name, struct tn_arena *arena,
                            struct tn_error *error);

/* Names that nothing in a model has. */
struct tn_fresh {
    const struct tn_model *model;
    struct tn_arena       *arena; /* the names live as long                   */
    struct tn_intern       made;
};

void tn_fresh_init(struct tn_fresh *fresh, const struct tn_model *model,
                   struct tn_arena *arena);
void tn_fresh_done(struct tn_fresh *fresh);

/* `stem` and `tail`, with a number if that is taken; "" on failure.  Ends with
 * a zero byte. */
const char *tn_fresh_name(struct tn_fresh *fresh, struct tn_bytes stem,
                          const char *tail, struct tn_error *error);

#endif
