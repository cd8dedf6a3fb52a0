/* tidy_note.h - operators that lose something while a graph is tidied */
#ifndef TN_MAP_TIDY_NOTE_H
#define TN_MAP_TIDY_NOTE_H

#include "map/net/net.h"

/* For the report. */
struct tn_tidy_note {
    struct tn_bytes node, type; /* an operator without a name has that of its
                                   first output                               */
    const char *why;            /* "checks only"                              */
};

/* Adds a note to a list of these, which is NULL if notes are not wanted. */
static inline void tn_tidy_note(struct tn_list *notes, struct tn_net *net,
                                const struct tn_net_node *node, const char *why)
{
    struct tn_tidy_note *note =
        notes ? tn_list_push(notes, struct tn_tidy_note, net->error) : NULL;

    if (!note)
        return;
    *note = (struct tn_tidy_note){ node->name, node->op->type, why };
    if (!note->node.size && node->output_count && node->outputs[0] != TN_NONE)
        note->node = tn_net_value(net, node->outputs[0]).name;
}

#endif
