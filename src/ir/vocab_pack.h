/*
 * vocab_pack.h - vocabularies as bytes, so that ours need not be read at run
 * time
 *
 * The vocabularies that the library carries are read while it is built
 * (rules/compile.c) and packed (base/pack.h):
 *
 *   operators, each where its row says
 *   rows of 16 bytes, four u32: place and size of the name in the text,
 * version, place of the operator; in the order of the text the outline:
 * dialect, named types, domains u32          where the outline begins
 *
 * Rows are searched as they lie, an operator is read when it is asked for.
 */
#ifndef TN_IR_VOCAB_PACK_H
#define TN_IR_VOCAB_PACK_H

#include "base/buffer.h"
#include "ir/vocab.h"

/* Appends the packed form of a vocabulary that was read from a text; the buffer
 * keeps the error. */
void tn_vocab_pack(struct tn_vocab *vocab, struct tn_buffer *out);

/* The vocabulary again, as tn_vocab_load() makes it of the text. */
enum tn_status tn_vocab_unpack(struct tn_vocab *vocab, struct tn_arena *arena,
                               struct tn_bytes text, struct tn_bytes packed,
                               struct tn_error *error);

/* Of a packed vocabulary: a row, without `op`; and its operator. */
struct tn_vocab_row;
struct tn_vocab_row       tn_vocab_unpack_row(const struct tn_vocab *vocab,
                                              uint32_t               index);
const struct tn_vocab_op *tn_vocab_unpack_op(const struct tn_vocab *vocab,
                                             uint32_t               index,
                                             struct tn_error       *error);

#endif
