/*
 * assume.h - ordinary assumptions about inputs of a node
 *
 * A rule may ask for the type, rank, shape or value of an input that nobody
 * told.  Then guesses are made one after the other, from ordinary to odd and
 * from little to much: types, ranks, sizes, values.  They hold only for inputs
 * of which that is not known.
 */
#ifndef TN_ENGINE_ASSUME_H
#define TN_ENGINE_ASSUME_H

#include "engine/node_inputs.h"

/* Of a set of types (0: any) the one that is most usual. */
enum tn_dtype tn_assumed_type(uint64_t types, enum tn_framework framework);

struct tn_guess {
    enum {
        TN_GUESS_TYPES,
        TN_GUESS_USUAL, /* what a table says of the operator                  */
        TN_GUESS_RANKS,
        TN_GUESS_SIZES,
        TN_GUESS_VALUES, /* of inputs after the first                         */
    } kind;
    uint32_t rank;   /* of inputs whose definition says none                  */
    int32_t  others; /* the same of inputs after the first; -1: not known     */
    int64_t  value;  /* every element                                         */
    uint32_t count;  /* of elements; 0: a scalar                              */
};

enum { TN_GUESS_MAX = 160 };

/* All guesses for a node, in order; how many. */
uint32_t tn_guesses(const struct tn_node_known *known,
                    struct tn_guess             guesses[TN_GUESS_MAX]);

/* Fills in the copy `to` of the inputs as the guess says. */
enum tn_status tn_guess_apply(const struct tn_guess      *guess,
                              const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              struct tn_node_input *to, struct tn_arena *arena,
                              struct tn_error *error);

/* The input with less of the guess: 0: as it was told, 1: with the type, 2:
 * with the rank, too, 3: with the sizes.  False: that is no less. */
bool tn_guess_less(const struct tn_node_input *told,
                   const struct tn_node_input *guessed, unsigned how,
                   struct tn_node_input *to, struct tn_arena *arena,
                   struct tn_error *error);

/* What was assumed of inputs, as tn_interpret_context.inputs has it. */
struct tn_bytes tn_guess_text(const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              const struct tn_node_input *used,
                              struct tn_arena *arena, struct tn_error *error);

#endif
