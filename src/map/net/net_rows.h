/*
 * net_rows.h - how a net keeps its nodes and values
 *
 * A million nodes are common, so rows are narrow: they hold ids, and what many
 * nodes have in common is in tables.  The nets of a conversion share these
 * tables: the net that rules make takes them over, and the old net can still
 * read them.  So rules copy rows from net to net unchanged; other code reads
 * copies (net.h).
 */
#ifndef TN_MAP_NET_ROWS_H
#define TN_MAP_NET_ROWS_H

#include "base/buffer.h"
#include "base/intern.h"
#include "base/memory.h"
#include "ir/pairs.h"

struct tn_elements;
struct tn_net_attr;
struct tn_tensor;

struct tn_net_value_row {
    uint32_t name; /* see tn_net_text()                                      */
    uint32_t type; /* in the table of types, + 1; 0: unknown                 */
    uint32_t graph;
    uint32_t maker; /* the node, or which of the net's constants it is        */
    uint32_t output : 29;
    uint32_t is_constant : 1;
    uint32_t is_trained : 1;
    uint32_t is_inner : 1;
};

struct tn_net_node_row {
    uint32_t  name;  /* see tn_net_text()                                     */
    uint32_t  op;    /* in the table of ops                                   */
    uint32_t  attrs; /* list of attributes, + 1; 0: none                      */
    uint32_t  graph;
    uint32_t  source;
    uint32_t  input_count, output_count;
    uint32_t  control_count : 31;
    uint32_t  is_removed : 1;
    uint32_t *edges; /* inputs, outputs, controls                             */
};

/* The most that a row can count. */
#define TN_NET_OUTPUTS_MAX  ((UINT32_C(1) << 29) - 1)
#define TN_NET_CONTROLS_MAX ((UINT32_C(1) << 31) - 1)

/* A list of attributes, of one node or many. */
struct tn_net_list {
    const struct tn_net_attr *attrs;
    uint32_t                  count;
    bool                      is_common;
};

/* What a constant is: values that are the same share it. */
struct tn_net_constant {
    const struct tn_elements *elements;
    const struct tn_tensor   *origin; /* the tensor that it comes from, or
                                         NULL */
};

struct tn_net_pool {
    struct tn_net_names {
        const struct tn_intern *given; /* of a model; NULL: none              */
        uint32_t                given_count;
        uint64_t               *taken; /* a bit for each of those             */
        struct tn_intern        table; /* all others; their ids come after    */
        struct tn_pairs         tries; /* (id, 0) -> in numbers             */
        struct tn_list numbers;        /* uint32_t: the last _N that was made */
    } names;
    struct tn_net_ops {
        struct tn_intern table; /* type and domain, as bytes                  */
        struct tn_list   ops;   /* const struct tn_net_op *, by id            */
        struct tn_buffer key;
    } ops;
    struct tn_net_lists {
        struct tn_intern table; /* lists of attributes, as bytes              */
        struct tn_list   lists; /* struct tn_net_list, by id                  */
        struct tn_buffer key;
    } lists;
    struct tn_net_types {
        struct tn_intern table; /* types, as words                            */
        struct tn_list   types; /* const struct tn_net_type *, by id          */
    } types;
    struct tn_list constants; /* struct tn_net_constant                       */
};

/* ---- for net.c: the tables, each in its own file ------------------------ */

struct tn_net;

/* Users of values are recorded while net->has_uses. */
void tn_net_uses_init(struct tn_net *net);
void tn_net_note_output(struct tn_net *net, uint32_t graph, uint64_t index);
void tn_net_note_inputs(struct tn_net *net, uint32_t node);
void tn_net_ops_init(struct tn_net_ops *ops, struct tn_arena *arena,
                     struct tn_error *error);
void tn_net_ops_done(struct tn_net_ops *ops);
void tn_net_names_init(struct tn_net_names *names, struct tn_arena *arena);
void tn_net_names_done(struct tn_net_names *names);
void tn_net_lists_init(struct tn_net_lists *lists, struct tn_arena *arena,
                       struct tn_error *error);
void tn_net_lists_done(struct tn_net_lists *lists);
void tn_net_types_init(struct tn_net_types *types, struct tn_arena *arena);
void tn_net_types_done(struct tn_net_types *types);

#endif
