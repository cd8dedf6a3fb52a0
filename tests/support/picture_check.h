/* picture_check.h - what holds for every picture, whatever the model was */
#ifndef TN_TESTS_PICTURE_CHECK_H
#define TN_TESTS_PICTURE_CHECK_H

#include <assert.h>
#include <stdlib.h>

#include "view/picture.h"

/* Items of a block are in the order of their nodes, and have all of them. */
static inline void tn_check_items(const struct tn_picture    *p,
                                  const struct tn_view_block *block)
{
    uint64_t at = block->has_lead && block->kind == TN_VIEW_CALL_BLOCK;

    for (uint32_t i = 0; i < block->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(p, block->first_item + i);
        assert(item->offset == at);
        assert(item->repeat >= 1);
        assert(item->block < p->blocks.count);
        assert(item->label < tn_intern_count(&p->strings));
        assert(item->detail < tn_intern_count(&p->strings));
        assert(item->class < TN_VIEW_CLASS_COUNT);
        assert(item->x >= 0 && item->y >= 0 && item->w >= 0 && item->h >= 0);
        assert(item->x + item->w <= block->width);
        assert(item->y + item->h <= block->height);
        if (!item->block)
            assert(item->size == 1);
        else if (tn_picture_block(p, item->block)->home == TN_NONE)
            assert(item->size == tn_picture_block(p, item->block)->size);
        else
            assert(item->size == 0);
        at += (uint64_t)item->size * item->repeat;
    }
    assert(at == block->size);
}

static inline void tn_check_edges(const struct tn_picture    *p,
                                  const struct tn_view_block *block)
{
    for (uint32_t i = 0; i < block->edge_count; i++) {
        const struct tn_view_edge *edge =
            tn_picture_edge(p, block->first_edge + i);
        assert(edge->from < block->item_count || edge->from == TN_NONE);
        assert(edge->to < block->item_count || edge->to == TN_NONE);
        assert(edge->from != edge->to);
        assert(edge->weight >= 1);
        assert(edge->lane >= -1 && edge->lane <= block->width);
        assert(edge->out >= 0 && edge->in >= 0);
        assert(edge->label < tn_intern_count(&p->strings));
    }
}

/* Boxes of one layer do not overlap. */
static inline void tn_check_places(const struct tn_picture    *p,
                                   const struct tn_view_block *block)
{
    if (p->is_treemap || block->item_count > 400)
        return;
    for (uint32_t i = 0; i < block->item_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct tn_view_item *a =
                tn_picture_item(p, block->first_item + i);
            const struct tn_view_item *b =
                tn_picture_item(p, block->first_item + k);
            assert(a->x + a->w <= b->x || b->x + b->w <= a->x ||
                   a->y + a->h <= b->y || b->y + b->h <= a->y);
        }
}

static inline void tn_check_picture(const struct tn_picture *p)
{
    uint32_t count = tn_picture_node_count(p);
    uint8_t *seen  = calloc(count + 1u, 1);
    uint64_t total = tn_picture_block(p, 0)->size;

    assert(seen && p->blocks.count >= 1);
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        const struct tn_view_block *block = tn_picture_block(p, i);
        tn_check_items(p, block);
        tn_check_edges(p, block);
        tn_check_places(p, block);
        if (i && block->home != TN_NONE)
            total += block->size;
    }
    assert(total == count);
    for (uint32_t i = 0; i < count; i++) {
        assert(p->order[i] < count && !seen[p->order[i]]);
        assert(p->positions[p->order[i]] == i);
        seen[p->order[i]] = 1;
    }
    free(seen);
}

#endif
