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
 * Texts are kept once each, after all other trees:
 *
 *   the trees
 *   the texts, each with its size before it
 *   the outline: the tree that leads to all others
 *   u32  where the outline begins
 *   u32  where the texts begin
 *
 * Packed bytes are our own, made while the library is built; they are read with
 * the bounded cursor all the same.  They do not depend on the machine.  They
 * may be stored in blocks (codec/stored.h), which are unpacked when something
 * in them is first read.
 */
#ifndef TN_BASE_PACK_H
#define TN_BASE_PACK_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/intern.h"

/* The texts of what is being packed. */
struct tn_pack_texts {
    struct tn_intern known;
    struct tn_list   items; /* by id: where in `bytes`, and how often used    */
    struct tn_buffer bytes;
    struct tn_buffer part; /* that is being packed: tn_pack_part()            */
    struct tn_buffer trees; /* u32: where each begins                         */
};

/* Bytes that must be requested, as a range, before they can be read. */
struct tn_pack_blocks {
    enum tn_status (*need)(struct tn_pack_blocks *blocks, uint64_t from,
                           uint64_t to, struct tn_error *error);
};

/* Complete packed bytes, and where their parts are. */
struct tn_packed {
    struct tn_bytes        bytes, texts;
    uint32_t               outline;
    struct tn_pack_blocks *blocks; /* NULL: all bytes are there               */
};

struct tn_pack {
    struct tn_buffer     *out; /* NULL: reading                               */
    struct tn_pack_texts *texts;
    struct tn_cursor      in;
    const struct tn_packed *packed; /* that is read                           */
    struct tn_arena        *arena;  /* of what is read                        */
};

/* Borrows packed texts until it is done; the arena holds a few tables. */
void tn_pack_texts_init(struct tn_pack_texts *texts, struct tn_arena *arena,
                        struct tn_error *error);
void tn_pack_texts_done(struct tn_pack_texts *texts);

/* The offset of a text among the texts, for rows of fixed size. */
uint32_t tn_pack_text_place(struct tn_pack_texts *texts, struct tn_bytes text);

/* Call it after everything was packed once: moves the texts that were used most
 * to the front.  Packing everything again then takes fewer bytes, and reading
 * needs fewer blocks.  Not together with tn_pack_part(), whose bytes would
 * change. */
void tn_pack_texts_rank(struct tn_pack_texts *texts);

/* Appends to `out`, which keeps the error. */
struct tn_pack tn_pack_writer(struct tn_buffer     *out,
                              struct tn_pack_texts *texts);

/* Begins a tree.  Returns its offset, for tn_pack_reader(). */
uint32_t tn_pack_tree(struct tn_pack *p);

/* Writes what comes after all trees.  `cuts` (may be NULL) gets a u32 for each
 * place at which a block may begin: no tree and no text is in two blocks. */
void tn_pack_end(struct tn_buffer *out, const struct tn_pack_texts *texts,
                 const struct tn_buffer *outline, struct tn_buffer *cuts);

/* `blocks` may be NULL. */
enum tn_status tn_packed_open(struct tn_packed *packed, struct tn_bytes bytes,
                              struct tn_pack_blocks *blocks,
                              struct tn_error       *error);

/* Reads from offset `at`, where a writer began a tree.  `packed` and its bytes
 * must outlive what is read. */
struct tn_pack tn_pack_reader(const struct tn_packed *packed, uint64_t at,
                              struct tn_arena *arena, struct tn_error *error);

/* Unpacks the texts up to a place, so that reading them cannot fail. */
enum tn_status tn_packed_need_texts(const struct tn_packed *packed, uint32_t to,
                                    struct tn_error *error);

/* The text at an offset from tn_pack_text_place(). */
struct tn_bytes tn_packed_text(const struct tn_packed *packed, uint32_t place,
                               struct tn_error *error);

uint64_t        tn_pack_number(struct tn_pack *p, uint64_t value);
uint32_t        tn_pack_u32(struct tn_pack *p, uint32_t value);
int64_t         tn_pack_signed(struct tn_pack *p, int64_t value);
double          tn_pack_real(struct tn_pack *p, double value);
bool            tn_pack_bool(struct tn_pack *p, bool value);
struct tn_bytes tn_pack_text(struct tn_pack *p, struct tn_bytes text);

/* A part of a tree that other trees have, too, such as an argument of many
 * operators: it is stored once, among the texts.  Fields are packed with the
 * tn_pack that is returned, until the part is ended.  Parts cannot be nested.
 */
struct tn_pack tn_pack_part(struct tn_pack *p);
void           tn_pack_part_end(struct tn_pack *p, const struct tn_pack *part);

/* Reading: a zeroed array in the arena, or NULL on failure. */
#define tn_pack_room(p, T, count)                                              \
    ((p)->out ? NULL : tn_new((p)->arena, T, (count), (p)->in.error))

#endif
