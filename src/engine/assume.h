/*
 * assume.h - usual assumptions about the inputs of a node
 *
 * A rule may need the type, rank, shape or value of an input that the caller
 * did not give.  Then guesses are tried one after the other, from usual to
 * unusual and from few to many: types, ranks, sizes, values.  They apply only
 * to what is not known about an input.
 */
#ifndef TN_ENGINE_ASSUME_H
#define TN_ENGINE_ASSUME_H

#include "engine/node_inputs.h"

/* The most usual one of a set of types (0: any). */
enum tn_dtype tn_assumed_type(uint64_t types, enum tn_framework framework);

struct tn_guess {
    enum {
        TN_GUESS_TYPES,
        TN_GUESS_USUAL, /* what a table says about the operator               */
        TN_GUESS_RANKS,
        TN_GUESS_SIZES,
        TN_GUESS_VALUES, /* of inputs after the first                         */
    } kind;
    uint32_t rank;   /* of inputs whose definition gives none                 */
    int32_t  others; /* the same for inputs after the first; -1: unknown      */
    int64_t  value;  /* every element                                         */
    uint32_t count;  /* of elements; 0: a scalar                              */
};

enum { TN_GUESS_MAX = 160 };

/* All guesses for a node, in order; returns their number. */
uint32_t tn_guesses(const struct tn_node_known *known,
                    struct tn_guess             guesses[TN_GUESS_MAX]);

/* Fills in the copy `to` of the inputs as the guess says. */
enum tn_status tn_guess_apply(const struct tn_guess      *guess,
                              const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              struct tn_node_input *to, struct tn_arena *arena,
                              struct tn_error *error);

/* The input with only part of the guess: 0: as it was given, 1: with the type,
 * 2: also with the rank, 3: also with the sizes.  False if that is the whole
 * guess. */
bool tn_guess_less(const struct tn_node_input *told,
                   const struct tn_node_input *guessed, unsigned how,
                   struct tn_node_input *to, struct tn_arena *arena,
                   struct tn_error *error);

/* What was assumed about inputs, in the form of tn_interpret_context.inputs. */
struct tn_bytes tn_guess_text(const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              const struct tn_node_input *used,
                              struct tn_arena *arena, struct tn_error *error);

#endif
