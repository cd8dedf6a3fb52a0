/* net_ops.c - the operators of a net's nodes: type and domain, each pair
 * once */
#include "map/net/net_build.h"

const struct tn_net_op tn_net_no_op = { .id = TN_NONE };

void tn_net_ops_init(struct tn_net_ops *ops, struct tn_arena *arena,
                     struct tn_error *error)
{
    tn_intern_init(&ops->table, arena);
    tn_list_init(&ops->ops, arena->memory, sizeof(const struct tn_net_op *));
    tn_buffer_init(&ops->key, arena->memory, error);
}

void tn_net_ops_done(struct tn_net_ops *ops)
{
    tn_intern_done(&ops->table);
    tn_list_done(&ops->ops);
    tn_buffer_done(&ops->key);
}

struct tn_bytes tn_net_domain(const struct tn_net *net, struct tn_bytes domain)
{
    const char *own = net->facts->own_domain;

    return own && tn_bytes_is(domain, own) ? tn_text("") : domain;
}

static uint32_t add(struct tn_net *net, struct tn_bytes type,
                    struct tn_bytes domain)
{
    struct tn_net_op *op = tn_new(net->arena, struct tn_net_op, 1, net->error);
    const struct tn_net_op **slot =
        tn_list_push(&net->pool->ops.ops, const struct tn_net_op *, net->error);

    if (!op || !slot)
        return TN_NONE;
    op->type   = tn_bytes_dup(net->arena, type, net->error);
    op->domain = tn_bytes_dup(net->arena, domain, net->error);
    op->id     = (uint32_t)net->pool->ops.ops.count - 1;
    *slot      = op;
    uint32_t id =
        tn_failed(net->error)
            ? TN_NO_NAME
            : tn_intern_copy(&net->pool->ops.table,
                             tn_buffer_bytes(&net->pool->ops.key), net->error);
    if (id == TN_NO_NAME)
        net->pool->ops.ops.count--;
    return id == TN_NO_NAME ? TN_NONE : id;
}

uint32_t tn_net_op_id(struct tn_net *net, struct tn_bytes type,
                      struct tn_bytes domain)
{
    struct tn_buffer *key = &net->pool->ops.key;

    domain = tn_net_domain(net, domain);
    tn_buffer_clear(key);
    tn_buffer_add(key, tn_bytes(&type.size, sizeof type.size));
    tn_buffer_add(key, type);
    tn_buffer_add(key, domain);
    if (tn_failed(net->error))
        return TN_NONE;
    uint32_t id = tn_intern_find(&net->pool->ops.table, tn_buffer_bytes(key));
    return id == TN_NO_NAME ? add(net, type, domain) : id;
}

const struct tn_net_op *tn_net_op(struct tn_net *net, struct tn_bytes type,
                                  struct tn_bytes domain)
{
    return tn_net_op_at(net, tn_net_op_id(net, type, domain));
}

const struct tn_net_op *tn_net_own_op(struct tn_net *net, const char *type)
{
    return tn_net_op(net, tn_text(type), tn_text(""));
}
