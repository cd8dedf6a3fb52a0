/*
 * lang_example.h - runs the examples under rules
 *
 *   example Reshape@14(x:float32[2,3], s:int64[1] = [6]) => reshape(x, s)
 *   example LeakyRelu(x; alpha: 0.5) <= lrelu(x; alpha: 0.5)
 *
 * The side of the rule's head is one node, with the types of its inputs as far
 * as the rule needs them, and values of constants.  The other side is what the
 * rule must make of it: the outputs as nested calls, in brackets if they come
 * from several ops.
 */
#ifndef TN_MAP_LANG_EXAMPLE_H
#define TN_MAP_LANG_EXAMPLE_H

#include "map/lang/lang.h"

/* What the examples of one file share: types and shapes of its dialects. */
struct tn_example_shapes {
    struct tn_lang_file shapes[2]; /* of `from`, of `to`                      */
};

/* Lives in the arena.  Done also after a failure. */
enum tn_status tn_example_shapes_open(struct tn_example_shapes  *both,
                                      const struct tn_lang_file *file,
                                      struct tn_arena           *arena,
                                      struct tn_error           *error);
void           tn_example_shapes_done(struct tn_example_shapes *both);

/* Runs the rules of the file over the node.  *why is NULL if the rule above the
 * example applied and made the expected nodes; else it says what happened, in
 * the arena.  Fails if the example cannot be parsed. */
enum tn_status tn_lang_example_run(const struct tn_lang_file      *file,
                                   const struct tn_example_shapes *both,
                                   const struct tn_lang_example   *example,
                                   struct tn_arena *arena, const char **why,
                                   struct tn_error *error);

#endif
