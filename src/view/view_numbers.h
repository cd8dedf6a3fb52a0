/*
 * view_numbers.h - a number for each node, from a file: it becomes a colour
 *
 * JSON:  {"conv1": 0.8, "conv2": 1.4}
 *        {"label": "ms", "nodes": {"conv1": 0.8}}
 *        [["conv1", 0.8], ["conv2", 1.4]]
 *        [{"name": "conv1", "ms": 0.8}]     the first number of each object
 * TSV:   conv1 TAB 0.8, a line each.  Lines that begin with # are skipped; a
 *        first line whose second column is no number says what the numbers are.
 */
#ifndef TN_VIEW_VIEW_NUMBERS_H
#define TN_VIEW_VIEW_NUMBERS_H

#include "view/picture.h"

/* Reads the numbers and gives them to the nodes of those names, those of a name
 * that comes twice added up.  MALFORMED with the place if it is neither JSON
 * nor TSV; NOT_FOUND if no node has any of the names. */
enum tn_status tn_view_read_numbers(struct tn_picture *picture,
                                    struct tn_bytes    text);

#endif
