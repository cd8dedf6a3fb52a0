/* net_make.h - nets in a line each, for tests of what is done to them */
#ifndef TN_TESTS_NET_MAKE_H
#define TN_TESTS_NET_MAKE_H

#include "map/net/net_build.h"

/* A value that comes from outside; dims end with -2, -1 is not known.  NULL:
 * nothing is known. */
static inline uint32_t make_input(struct tn_net *net, const char *name,
                                  enum tn_dtype dtype, const int64_t *dims)
{
    uint32_t id   = tn_net_add_value(net, 0, tn_text(name));
    uint32_t rank = 0;

    if (id == TN_NONE)
        return id;
    while (dims && dims[rank] != -2)
        rank++;
    tn_net_set_type(net, id,
                    &(struct tn_net_type){ .dtype    = dtype,
                                           .has_rank = dims != NULL,
                                           .rank     = rank,
                                           .dims     = dims });
    tn_net_add_input(net, 0, id, tn_text(""));
    return id;
}

/* A rank 1 constant of ints. */
static inline uint32_t make_ints(struct tn_net *net, const char *name,
                                 const int64_t *items, uint64_t count)
{
    return tn_net_add_ints(net, 0, tn_text(name), TN_INT64, items, 1, &count);
}

static inline struct tn_net_attr make_int(const char *name, const int64_t *item)
{
    return (struct tn_net_attr){
        .name  = tn_text(name),
        .value = { .kind = TN_ATTR_INT, .count = 1, .of.ints = item },
    };
}

/* A node with one output, which has its name. */
static inline uint32_t make_node(struct tn_net *net, const char *type,
                                 const char *name, const uint32_t *inputs,
                                 uint32_t                  input_count,
                                 const struct tn_net_attr *attrs,
                                 uint32_t                  attr_count)
{
    uint32_t output = tn_net_add_value(net, 0, tn_text(name));

    if (output != TN_NONE)
        tn_net_add_node(net,
                        &(struct tn_net_node){ .name = tn_text(name),
                                               .op   = tn_net_own_op(net, type),
                                               .inputs       = inputs,
                                               .input_count  = input_count,
                                               .outputs      = &output,
                                               .output_count = 1,
                                               .attrs        = attrs,
                                               .attr_count   = attr_count,
                                               .source       = TN_NONE });
    return output;
}

#endif
