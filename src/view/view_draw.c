/* view_draw.c - all steps from a model to a picture */
#include "view/view_blocks.h"
#include "view/view_layout.h"
#include "view/view_nodes.h"
#include "view/view_treemap.h"

/* Boxes that are shown at first, if blocks can be opened so that there are as
 * many. */
enum { FEW_BOXES = 48 };

/* If nearly the whole graph is in one block, the picture would show nothing
 * with that block closed: it may have any number of boxes. */
enum { ALMOST_NONE = 6, MOST_BOXES = 60 };

enum { FEW_LEVELS = 12 };

/* How much work is in each block: its nodes, including those of functions that
 * it calls; products count many times.  Functions that save and restore
 * variables are larger than the model, but readers do not look for them. */
static uint64_t *weigh_blocks(struct tn_picture *p)
{
    enum { PRODUCT = 32 };
    uint64_t *weights =
        tn_new(&p->arena, uint64_t, p->blocks.count + 1, p->error);

    /* Blocks come after what is in them, but for functions: a few rounds follow
     * calls of calls. */
    for (unsigned round = 0; weights && round < 6; round++)
        for (uint32_t b = 0; b < p->blocks.count; b++) {
            const struct tn_view_block *row = tn_picture_block(p, b);
            uint64_t                    sum = row->has_lead;
            for (uint32_t i = 0; i < row->item_count; i++) {
                const struct tn_view_item *item =
                    tn_picture_item(p, row->first_item + i);
                uint64_t one = item->block ? weights[item->block]
                               : item->class == TN_VIEW_CLASS_PRODUCT ? PRODUCT
                                                                      : 1;
                sum += one * item->repeat;
            }
            weights[b] = sum > UINT32_MAX ? UINT32_MAX : sum;
        }
    return weights;
}

/* The node that an item of the root stands for, if it gives the results of a
 * signature. */
static uint32_t signature_node(const struct tn_picture *p, uint32_t block,
                               const struct tn_view_item *item)
{
    if (block != 0 || !p->signatures || item->repeat != 1)
        return TN_NONE;
    uint32_t node = p->order[item->offset];
    return p->signatures[node] ? node : TN_NONE;
}

/* An operator with the constants and the arithmetic on shapes that belong to
 * it: they were put there so that nobody has to see them. */
static bool is_only_arithmetic(const struct tn_picture    *p,
                               const struct tn_view_block *block)
{
    for (uint32_t i = 0; i < block->item_count; i++)
        if (tn_picture_item(p, block->first_item + i)->block)
            return false;
    return block->kind == TN_VIEW_OP_BLOCK;
}

/* The item of a block that holds most of it; NULL: none does. */
static struct tn_view_item *largest(const struct tn_picture *p,
                                    const uint64_t *weights, uint32_t block)
{
    const struct tn_view_block *row  = tn_picture_block(p, block);
    struct tn_view_item        *best = NULL;
    uint64_t                    most = 0, total = 0;

    for (uint32_t i = 0; i < row->item_count; i++) {
        struct tn_view_item *item = tn_picture_item(p, row->first_item + i);
        const struct tn_view_block *inner = tn_picture_block(p, item->block);
        bool is_list = inner->kind == TN_VIEW_FUNCTION_BLOCK &&
                       inner->home == TN_NONE; /* of functions nobody calls */
        uint64_t count = item->block && !is_list ? weights[item->block] : 1;
        uint32_t node  = inner->has_lead && item->block
                             ? signature_node(p, block, item)
                             : TN_NONE;
        if (node != TN_NONE)
            count = count * 64; /* what a signature calls leads */
        total += count * item->repeat;
        if (count * item->repeat > most) {
            most = count * item->repeat;
            best = item;
        }
    }
    return best && best->block && best->repeat == 1 && most >= 8 &&
                   most >= total * 2 / 5 &&
                   !is_only_arithmetic(p, tn_picture_block(p, best->block))
               ? best
               : NULL;
}

/* Opens the largest block as long as there are few boxes: what a reader would
 * do first.  Parts that repeat stay closed, since they are one thing. */
static void open_blocks(struct tn_picture *p)
{
    uint32_t  block   = 0;
    uint64_t *weights = weigh_blocks(p);

    p->shown = tn_picture_block(p, 0)->item_count;
    for (unsigned level = 0; weights && level < FEW_LEVELS; level++) {
        struct tn_view_item *item = largest(p, weights, block);
        if (!item || item->is_open)
            return;
        uint32_t inner = tn_picture_block(p, item->block)->item_count;
        uint32_t most =
            p->shown <= ALMOST_NONE ? (uint32_t)MOST_BOXES : FEW_BOXES;
        if (p->shown + inner > most)
            return;
        item->is_open = 1;
        p->shown += inner;
        block = item->block;
    }
}

static void draw_graph(struct tn_picture *p, struct tn_view_scopes *scopes)
{
    struct tn_view_tree tree;

    if (p->hear)
        p->hear(p->listener, TN_PICTURE_FOUND);
    if (tn_view_tree_build(&tree, p, scopes) == TN_OK)
        tn_view_make_blocks(p, &tree);
    tn_view_tree_done(&tree);
}

static enum tn_status draw(struct tn_picture *p)
{
    bool is_treemap = !p->model->ops.count &&
                      (p->model->tensors.count || !p->model->graphs.count);
    struct tn_view_scopes scopes;

    tn_view_scopes_begin(&scopes, p, is_treemap);
    if ((is_treemap ? tn_view_find_tensors(p) : tn_view_find_nodes(p)) == TN_OK)
        draw_graph(p, &scopes);
    tn_view_scopes_done(&scopes);
    return p->error->status;
}

enum tn_status tn_picture_draw(struct tn_picture *picture)
{
    TN_TRY(draw(picture));
    if (picture->is_treemap) {
        picture->shown = tn_picture_block(picture, 0)->item_count;
        return tn_view_layout_treemap(picture);
    }
    open_blocks(picture);
    return tn_view_layout_all(picture);
}
