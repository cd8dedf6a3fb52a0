/*
 * name_table.h - names of tensors, mapped by a table that the user wrote
 *
 * A line has two names, with blanks or a tab between them: the name of a
 * tensor, and its new name.  A '*' matches one part of a name between dots,
 * which is copied to the '*' of the same number in the new name.  The first
 * line that fits is used; names that no line fits stay.  Empty lines and lines
 * that begin with '#' are skipped.
 */
#ifndef TN_FORMAT_NAME_TABLE_H
#define TN_FORMAT_NAME_TABLE_H

#include "base/intern.h"
#include "base/memory.h"

struct tn_name_table {
    struct tn_arena  arena;
    struct tn_list   rows;    /* lines with a '*'                              */
    struct tn_intern plain;   /* other names; the id is an index of targets    */
    struct tn_list   targets; /* struct tn_bytes                              */
};

void tn_name_table_init(struct tn_name_table *table, struct tn_memory *memory);
void tn_name_table_done(struct tn_name_table *table);

/* Reads a file, or text.  INVALID with the line of a mistake. */
enum tn_status tn_name_table_load(struct tn_name_table *table, const char *path,
                                  struct tn_error *error);
enum tn_status tn_name_table_parse(struct tn_name_table *table,
                                   struct tn_bytes text,
                                   struct tn_error *error);

/* What the name becomes: itself, if no line fits.  Lives as long as the table,
 * or the name. */
struct tn_bytes tn_name_table_map(struct tn_name_table *table,
                                  struct tn_bytes name, struct tn_error *error);

#endif
