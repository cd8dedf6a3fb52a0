/*
 * pack.h - trees of structs as bytes, and back, by one description
 *
 * A function that packs a struct names its fields in order, each as
 *
 *   rule.since = tn_pack_signed(p, rule.since);
 *
 * When writing, the value is written and returned unchanged; when reading, the
 * argument is ignored and the value comes from the bytes.  So the two cannot
 * disagree about the order.  Arrays are read into an arena:
 *
 *   struct row *to = tn_pack_room(p, struct row, count);  writing: NULL
 *
 * A piece of the text from which a tree was parsed is packed as an offset and a
 * length, and becomes a part of that text again when it is read.
 *
 * Packed bytes are our own, made while the library is built; they are read with
 * the bounded cursor all the same.  They do not depend on the machine.
 */
#ifndef TN_BASE_PACK_H
#define TN_BASE_PACK_H

#include "base/buffer.h"
#include "base/cursor.h"

struct tn_pack {
    struct tn_buffer *out; /* NULL: reading                                   */
    struct tn_cursor  in;
    struct tn_bytes   text;
    uint64_t          text_at; /* of the last piece: the next one is near it  */
    struct tn_arena  *arena;   /* of what is read                             */
};

/* Appends to `out`, which keeps the error. */
struct tn_pack tn_pack_writer(struct tn_buffer *out, struct tn_bytes text);

/* Reading can start at this point. */
static inline void tn_pack_restart(struct tn_pack *p)
{
    p->text_at = 0;
}

/* Reads from offset `at`, where the writer started or restarted.  The text and
 * the packed bytes must outlive what is read. */
struct tn_pack tn_pack_reader(struct tn_bytes packed, uint64_t at,
                              struct tn_bytes text, struct tn_arena *arena,
                              struct tn_error *error);

uint64_t        tn_pack_number(struct tn_pack *p, uint64_t value);
uint32_t        tn_pack_u32(struct tn_pack *p, uint32_t value);
int64_t         tn_pack_signed(struct tn_pack *p, int64_t value);
double          tn_pack_real(struct tn_pack *p, double value);
bool            tn_pack_bool(struct tn_pack *p, bool value);
struct tn_bytes tn_pack_text(struct tn_pack *p, struct tn_bytes text);

/* Reading: a zeroed array in the arena, or NULL on failure. */
#define tn_pack_room(p, T, count)                                              \
    ((p)->out ? NULL : tn_new((p)->arena, T, (count), (p)->in.error))

#endif
