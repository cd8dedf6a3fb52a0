/*
 * edit_words.h - the text of edits: one action on each line, in words
 *
 *   # a comment, to the end of the line
 *   rename input_ids=tokens
 *   set-attr conv1 strides ints 2 2
 *   rename "a name with blanks" "and \"quotes\", \x00 to \xff"
 *
 * Words are separated by blanks, tabs, or one '='.  A word with such a
 * character, a quote, a control character, or '#' at its beginning is written
 * between double quotes, where \" \\ \n \r \t and \xHH stand for what cannot be
 * typed.  An empty word is "".  No word contains a zero byte.
 */
#ifndef TN_ENGINE_EDIT_WORDS_H
#define TN_ENGINE_EDIT_WORDS_H

#include "base/buffer.h"
#include "base/memory.h"

/* Limits for one line; a script may have as many lines as memory allows. */
#define TN_EDIT_WORDS_MOST (UINT32_C(1) << 20)

struct tn_words {
    uint32_t           count;
    const char *const *items;
};

/* A text that is read line by line. */
struct tn_words_reader {
    struct tn_bytes text;
    size_t          at;
    uint32_t        line; /* of the words that were read last, from 1         */
    bool            has_comments; /* else '#' is a character like others      */
    struct tn_list  items; /* const char *                                    */
};

void tn_words_init(struct tn_words_reader *reader, struct tn_memory *memory,
                   struct tn_bytes text);
void tn_words_done(struct tn_words_reader *reader);

/* The words of the next line that has some, in the arena; the list itself is
 * valid until the next call.  False at the end or after a failure, which is
 * INVALID and says "line 3, column 7: ...". */
bool tn_words_next(struct tn_words_reader *reader, struct tn_arena *arena,
                   struct tn_words *words, struct tn_error *error);

/* Appends a word, in quotes if it needs them, after a blank unless it is the
 * first of its line. */
void tn_words_put(struct tn_buffer *to, struct tn_bytes word);

#endif
