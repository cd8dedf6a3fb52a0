/*
 * vocab_pack.h - vocabularies as bytes, so that ours need not be parsed at run
 * time
 *
 * The built-in vocabularies are parsed while the library is built
 * (rules/compile.c) and packed (base/pack.h):
 *
 *   operators    each where its row says
 *   texts        names of operators first
 *   outline      dialect, named types, domains
 *   rows         of 12 bytes, three u32: place of the name among the texts,
 *                version, offset of the operator; in its order
 *
 * Rows are searched in place; an operator is read on first use.
 */
#ifndef TN_IR_VOCAB_PACK_H
#define TN_IR_VOCAB_PACK_H

#include "base/buffer.h"
#include "ir/vocab.h"

/* Appends the packed form of a vocabulary that was read from a text; the buffer
 * keeps the error.  `cuts` as of tn_pack_end(). */
void tn_vocab_pack(struct tn_vocab *vocab, struct tn_buffer *out,
                   struct tn_buffer *cuts);

/* The vocabulary again, as tn_vocab_load() makes it of the text; the packed
 * bytes and their blocks (NULL: all bytes are there) must outlive it. */
enum tn_status tn_vocab_unpack(struct tn_vocab *vocab, struct tn_arena *arena,
                               struct tn_bytes        packed,
                               struct tn_pack_blocks *blocks,
                               struct tn_error       *error);

/* Of a packed vocabulary: a row, without `op`; and its operator. */
struct tn_vocab_row;
struct tn_vocab_row       tn_vocab_unpack_row(const struct tn_vocab *vocab,
                                              uint32_t               index);
const struct tn_vocab_op *tn_vocab_unpack_op(const struct tn_vocab *vocab,
                                             uint32_t               index,
                                             struct tn_error       *error);

#endif
