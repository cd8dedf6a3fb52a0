/*
 * edit_value.h - values of attributes as words of a script, and back
 *
 *   int 2              ints 2 2           float 0.5        strings a b
 *   bool true          type float32       shape 2,-1,3     shape ?
 *   tensor FILE.npy    tensor FILE:NAME   graph PATH       other 0x0a02
 *   hex 0x6100         a string with zero bytes
 *
 * The word before the values is the kind; its plural makes a list, of any
 * length.  "?" is a shape of unknown rank.  People may leave the kind out.
 */
#ifndef TN_ENGINE_EDIT_VALUE_H
#define TN_ENGINE_EDIT_VALUE_H

#include "engine/edit_draft.h"
#include "engine/edit_words.h"

/* What a value without a kind becomes; `is_known`: the attribute has one. */
struct tn_value_hint {
    bool              is_known;
    enum tn_attr_kind kind;
    bool              is_list;
};

/* The value that the words describe, in the arena; tensors belong to the edit.
 * INVALID if they do not describe a value. */
enum tn_status tn_edit_value_read(struct tn_edit *edit, struct tn_arena *arena,
                                  const struct tn_words      *words,
                                  const struct tn_value_hint *hint,
                                  struct tn_attr_value       *value,
                                  struct tn_error            *error);

/* Appends the words of a value.  UNSUPPORTED for tensors and graphs, which the
 * caller writes itself. */
enum tn_status tn_edit_value_put(struct tn_buffer           *to,
                                 const struct tn_attr_value *value,
                                 struct tn_error            *error);

#endif
