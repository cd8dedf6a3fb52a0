/*
 * patch_tensor.h - tensors that safetensors has no type for, as bytes
 *
 * A patch keeps new elements in a safetensors file.  Strings and blocks of
 * quantised elements are a vector of uint8 there, and the script says what they
 * are, in the word after the name:
 *
 *   put vocabulary x.patch.safetensors:DIGEST:string[2,3]
 *
 * Strings are their lengths as varints, then all their bytes; blocks are
 * little-endian; numbers are one byte or more each, little-endian.
 */
#ifndef TN_ENGINE_PATCH_TENSOR_H
#define TN_ENGINE_PATCH_TENSOR_H

#include "base/buffer.h"
#include "ir/payload.h"

/* Whether safetensors holds such elements as they are. */
bool tn_patch_is_plain(const struct tn_elements *elements);

/* The elements as uint8, and their type as a word, appended to `type`.
 * Elements that are not side by side in a file are copied into the arena. */
enum tn_status tn_patch_pack(const struct tn_elements *from,
                             struct tn_arena          *arena,
                             struct tn_elements *to, struct tn_buffer *type,
                             struct tn_error *error);

/* The elements that the word describes.  INVALID if the bytes do not fit the
 * word. */
enum tn_status tn_patch_unpack(const struct tn_elements *from, const char *type,
                               struct tn_arena *arena, struct tn_elements *to,
                               struct tn_error *error);

#endif
