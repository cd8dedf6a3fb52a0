/*
 * lang_pack.h - rule files as bytes, so that ours need not be parsed at run
 * time
 *
 * The built-in rule files are parsed while the library is built
 * (rules/compile.c).  The result for each is packed (base/pack.h):
 *
 *   the rest of rules, definitions and macros, each where its outline says
 *   texts
 *   the outline: the header, and for every rule which op it is for
 *
 * Opening a packed file reads the outline.  The rest of a rule is read on first
 * use and kept in the file: for one thread at a time.
 */
#ifndef TN_MAP_LANG_PACK_H
#define TN_MAP_LANG_PACK_H

#include "base/buffer.h"
#include "map/lang/lang.h"

/* Appends the packed form of a file that was parsed; the buffer keeps the
 * error.  `cuts` as of tn_pack_end(). */
void tn_lang_pack(const struct tn_lang_file *file, struct tn_buffer *out,
                  struct tn_buffer *cuts);

/* The file again, as tn_lang_parse() makes it of its text, but for the text.
 * Everything lives in the arena, but for packed bytes, their blocks (NULL: all
 * bytes are there) and name. */
enum tn_status tn_lang_unpack(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *name, struct tn_bytes packed,
                              struct tn_pack_blocks *blocks,
                              struct tn_error       *error);

/* Read the rest of one, unless it is there.  The pointers stay the same. */
enum tn_status tn_lang_complete_rule(const struct tn_lang_file *file,
                                     struct tn_lang_rule       *rule,
                                     struct tn_error           *error);
enum tn_status tn_lang_complete_def(const struct tn_lang_file *file,
                                    struct tn_lang_def        *def,
                                    struct tn_error           *error);
enum tn_status tn_lang_complete_table(const struct tn_lang_file *file,
                                      struct tn_lang_table      *table,
                                      struct tn_error           *error);
enum tn_status tn_lang_complete_macro(const struct tn_lang_file *file,
                                      struct tn_lang_macro      *macro,
                                      struct tn_error           *error);

/* Reads all of them, for code that looks at the whole file. */
enum tn_status tn_lang_complete(struct tn_lang_file *file,
                                struct tn_error     *error);

#endif
