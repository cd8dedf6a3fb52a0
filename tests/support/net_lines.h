/*
 * net_lines.h - nets out of lines of text
 *
 *   a,b = Type x,y frame_name=f body={1}
 *
 * makes a node of two outputs and two inputs, called like its first output,
 * with a text and a graph as its attributes; axis=#1 is a number, perm=[1,0] a
 * list.  "_" is an input or output that is not there, #7 a constant; any other
 * name that nothing had before is a new value of the graph.
 */
#ifndef TN_TESTS_NET_LINES_H
#define TN_TESTS_NET_LINES_H

#include <stdlib.h>
#include <string.h>

#include "map/net/net_build.h"

#define NET_LINE_MAX                                                           \
    12 /* inputs, outputs, attributes                          */

static inline uint32_t net_line_find(const struct tn_net *net, const char *name)
{
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_bytes_is(tn_net_value(net, i).name, name))
            return i;
    return TN_NONE;
}

static inline uint32_t net_line_value(struct tn_net *net, uint32_t graph,
                                      const char *text, size_t size)
{
    char name[64];

    if (size == 0 || size >= sizeof name || (size == 1 && *text == '_'))
        return TN_NONE;
    memcpy(name, text, size);
    name[size]     = '\0';
    uint32_t found = net_line_find(net, name);
    if (found != TN_NONE)
        return found;
    if (*name == '#')
        return tn_net_add_ints(net, graph, tn_text(name), TN_INT32,
                               (int64_t[]){ atoi(name + 1) }, 0, NULL);
    return tn_net_add_value(net, graph, tn_text(name));
}

/* Up to the next space, which is skipped. */
static inline uint32_t net_line_values(struct tn_net *net, uint32_t graph,
                                       const char **at, uint32_t *to)
{
    uint32_t count = 0;

    while (**at && **at != ' ') {
        size_t size = strcspn(*at, ", ");
        to[count++] = net_line_value(net, graph, *at, size);
        *at += size + ((*at)[size] == ',');
    }
    *at += **at == ' ';
    return count;
}

/* #1 or [1,0] */
static inline struct tn_attr_value net_line_ints(struct tn_net *net,
                                                 const char    *text)
{
    int64_t *items = tn_new(net->arena, int64_t, NET_LINE_MAX, net->error);
    struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                   .is_list = *text == '[',
                                   .of.ints = items };

    while (items && value.count < NET_LINE_MAX && strchr("#[,", *text)) {
        char *end;
        items[value.count++] = strtoll(text + 1, &end, 10);
        text                 = end;
        if (*text == '\0')
            break;
    }
    return value;
}

/* NAME={GRAPH}, NAME=NUMBERS or NAME=TEXT */
static inline void net_line_attr(struct tn_net *net, const char **at,
                                 struct tn_net_attr *attr)
{
    size_t           size = strcspn(*at, "="), end = strcspn(*at, " ");
    const char      *text   = *at + size + 1;
    int64_t         *number = tn_new(net->arena, int64_t, 1, net->error);
    struct tn_bytes *kept = tn_new(net->arena, struct tn_bytes, 1, net->error);

    attr->name = tn_bytes_dup(net->arena, tn_bytes(*at, size), net->error);
    if (*text == '{' && number) {
        *number     = atoi(text + 1);
        attr->value = (struct tn_attr_value){ .kind    = TN_ATTR_GRAPH,
                                              .count   = 1,
                                              .of.ints = number };
    } else if (*text == '#' || *text == '[') {
        attr->value = net_line_ints(net, text);
    } else if (kept) {
        *kept       = tn_bytes_dup(net->arena, tn_bytes(text, end - size - 1),
                                   net->error);
        attr->value = (struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                              .count      = 1,
                                              .of.strings = kept };
    }
    *at += end + ((*at)[end] == ' ');
}

static inline struct tn_bytes net_line_name(const struct tn_net *net,
                                            const uint32_t      *outputs,
                                            uint32_t             count)
{
    for (uint32_t i = 0; i < count; i++)
        if (outputs[i] != TN_NONE)
            return tn_net_value(net, outputs[i]).name;
    return tn_text("");
}

static inline uint32_t net_add_line(struct tn_net *net, uint32_t graph,
                                    const char *line)
{
    uint32_t           inputs[NET_LINE_MAX], outputs[NET_LINE_MAX];
    struct tn_net_attr attrs[NET_LINE_MAX];
    struct tn_net_node node = { .graph   = graph,
                                .inputs  = inputs,
                                .outputs = outputs,
                                .attrs   = attrs,
                                .source  = TN_NONE };

    node.output_count = net_line_values(net, graph, &line, outputs);
    node.name         = net_line_name(net, outputs, node.output_count);
    line += 2; /* "= " */
    size_t size = strcspn(line, " ");
    node.op     = tn_net_op(net, tn_bytes(line, size), tn_text(""));
    line += size + (line[size] == ' ');
    if (!memchr(line, '=', strcspn(line, " ")))
        node.input_count = net_line_values(net, graph, &line, inputs);
    while (*line)
        net_line_attr(net, &line, &attrs[node.attr_count++]);
    return tn_net_add_node(net, &node);
}

static inline void net_add_lines(struct tn_net *net, uint32_t graph,
                                 const char *const *lines)
{
    for (; *lines; lines++)
        net_add_line(net, graph, *lines);
}

/* Inputs and outputs of a graph: "i,go -> go,y". */
static inline void net_add_io(struct tn_net *net, uint32_t graph,
                              const char *line)
{
    uint32_t values[NET_LINE_MAX];
    uint32_t count = net_line_values(net, graph, &line, values);

    for (uint32_t i = 0; i < count; i++)
        tn_net_add_input(net, graph, values[i], tn_text(""));
    line += 3; /* "-> " */
    count = net_line_values(net, graph, &line, values);
    for (uint32_t i = 0; i < count; i++)
        tn_net_add_output(net, graph, values[i], tn_text(""));
}

/* A graph in another with its ends and nodes. */
static inline uint32_t net_add_subgraph(struct tn_net *net, uint32_t parent,
                                        const char        *io,
                                        const char *const *lines)
{
    uint32_t graph =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("g"), parent);

    net_add_io(net, graph, io);
    if (lines)
        net_add_lines(net, graph, lines);
    return graph;
}

#endif
