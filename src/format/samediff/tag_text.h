/*
 * tag_text.h - the text files of a tagged container
 *
 *   tags.txt     one tag a line, oldest first; blanks around it do not count
 *   params.txt   name SP ref [ SP kind ]            -- one line a variable
 *   updater.txt  name 1*( SP ref ) [ SP kind ]      -- one line a parameter
 *
 *   name  = bytes but space, tab, controls, DEL and "%"; "%" 2HEX for those
 *   ref   = [ tag "/" ] id                          -- a file, never a line
 *   tag   = as a name                               -- "my%20tag/7"
 *   id    = 1*64( ALPHA / DIGIT / "_" / "-" / "." )
 *   kind  = [A-Z][A-Z0-9_]*                         -- none: an array
 *
 * Strict UTF-8.  Lines end in LF, with one CR before it dropped; the last may
 * lack it.  Writers put one space between words, readers take runs of spaces
 * and tabs.  The last word is a kind if it looks like one and comes after a
 * ref; so ids must not look like kinds.
 */
#ifndef TN_FORMAT_TAG_TEXT_H
#define TN_FORMAT_TAG_TEXT_H

#include "base/buffer.h"
#include "base/intern.h"
#include "base/report.h"

/* A text and where it comes from. */
struct tn_tag_text {
    struct tn_bytes bytes;
    uint64_t        offset;   /* of its first byte, for messages; or
                                 TN_NOWHERE */
    const char       *entry;  /* its name, for messages                       */
    struct tn_report *report; /* gets what is suspicious; may be NULL         */
};

struct tn_tag_ref {
    struct tn_bytes tag; /* empty: that of the file which contains it         */
    struct tn_bytes id;
};

struct tn_tag_line {
    struct tn_bytes          name; /* decoded                                 */
    const struct tn_tag_ref *refs; /* at least one                            */
    uint32_t                 ref_count;
    struct tn_bytes          kind;   /* empty: arrays                         */
    uint64_t                 offset; /* where the line begins                 */
};

struct tn_tag_lines {
    const struct tn_tag_line *items;
    uint32_t                  count;
};

enum tn_tag_file { TN_TAG_PARAMS, TN_TAG_UPDATER };

/* The result refers to the text and to the arena.  MALFORMED, with the byte
 * offset, for what the grammar does not allow and for duplicate names. */
enum tn_status tn_tag_text_tags(const struct tn_tag_text *text,
                                struct tn_arena          *arena,
                                const struct tn_bytes **tags, uint32_t *count,
                                struct tn_error *error);
enum tn_status tn_tag_text_lines(const struct tn_tag_text *text,
                                 enum tn_tag_file which, struct tn_arena *arena,
                                 struct tn_tag_lines *lines,
                                 struct tn_error     *error);

/* The number of lines that are not blank: cheap, without parsing them. */
uint64_t tn_tag_text_count(struct tn_bytes text);

/* Writes one line, with its line end.  A reference to the tag `own` is written
 * without the tag. */
void tn_tag_text_put(struct tn_buffer *to, const struct tn_tag_line *line,
                     struct tn_bytes own);

/* Why a new tag, or an existing one, cannot have this name; NULL if it can. */
const char *tn_tag_new_refusal(struct tn_bytes tag);
const char *tn_tag_old_refusal(struct tn_bytes tag);

/* INVALID with the reason, and as much of the tag as fits into a message. */
enum tn_status tn_tag_refuse_new(struct tn_bytes tag, struct tn_error *error);

/* Whether two names mean the same tag: they may differ in case and in how
 * accents are encoded (base/alike.h). */
bool tn_tag_equal(struct tn_bytes a, struct tn_bytes b);

#endif
