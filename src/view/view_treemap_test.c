/* view_treemap_test.c - areas of tensors are their bytes, and do not overlap */
#include "view/view_treemap.h"

#include <stdio.h>

#include "base/buffer.h"
#include "ir/blocks.h"
#include "support/sketch.h"
#include "view/view_svg.h"

struct bench {
    struct tn_error   error;
    struct tn_memory  memory;
    struct tn_model   model;
    struct tn_picture picture;
    uint64_t          dims[64];
};

static void begin(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_model_init(&b->model, &b->memory);
}

static void add(struct bench *b, const char *name, uint64_t count)
{
    struct tn_tensor *tensor = tn_model_add_tensor(&b->model, &b->error);

    assert_non_null(tensor);
    uint64_t *dims         = &b->dims[b->model.tensors.count - 1];
    *dims                  = count;
    tensor->model          = &b->model;
    tensor->name           = sketch_name(&b->model, name, &b->error);
    tensor->graph          = TN_NONE;
    tensor->node           = TN_NONE;
    tensor->elements.shape = (struct tn_shape){ TN_UINT8, 1, dims };
}

static void draw(struct bench *b)
{
    tn_picture_init(&b->picture, &b->model, &b->memory, &b->error);
    if (tn_picture_draw(&b->picture) != TN_OK)
        fail_msg("%s", b->error.what);
    assert_true(b->picture.is_treemap);
}

static void finish(struct bench *b)
{
    tn_picture_done(&b->picture);
    tn_model_done(&b->model);
    assert_int_equal(b->memory.used, 0);
}

static const struct tn_view_item *item_at(const struct bench *b, uint32_t i)
{
    return tn_picture_item(&b->picture,
                           tn_picture_block(&b->picture, 0)->first_item + i);
}

static void check_boxes(const struct bench *b)
{
    const struct tn_view_block *root = tn_picture_block(&b->picture, 0);

    for (uint32_t i = 0; i < root->item_count; i++) {
        const struct tn_view_item *x = item_at(b, i);
        assert_true(x->x >= 0 && x->y >= 0 && x->w >= 0 && x->h >= 0);
        assert_true(x->x + x->w <= root->width);
        assert_true(x->y + x->h <= root->height);
        for (uint32_t k = 0; k < i; k++) {
            const struct tn_view_item *y = item_at(b, k);
            assert_true(x->x + x->w <= y->x || y->x + y->w <= x->x ||
                        x->y + x->h <= y->y || y->y + y->h <= x->y);
        }
    }
}

/* Each has its share, up to what pixels round off. */
static void areas_are_bytes(void **state)
{
    static const uint64_t sizes[] = {
        6000, 6000, 4000, 3000, 2000, 2000, 1000
    };
    struct bench b;
    char         name[16];
    double       all = 0;

    (void)state;
    begin(&b);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        snprintf(name, sizeof name, "%c", (char)('a' + i));
        add(&b, name, sizes[i]);
    }
    draw(&b);
    check_boxes(&b);
    const struct tn_view_block *root = tn_picture_block(&b.picture, 0);
    assert_int_equal(root->item_count, sizeof sizes / sizeof sizes[0]);
    for (uint32_t i = 0; i < root->item_count; i++)
        all += (double)item_at(&b, i)->w * item_at(&b, i)->h;
    for (uint32_t i = 0; i < root->item_count; i++) {
        double share  = (double)item_at(&b, i)->w * item_at(&b, i)->h / all;
        double wanted = (double)sizes[i] / 24000;
        assert_true(share > 0.97 * wanted && share < 1.03 * wanted);
    }
    finish(&b);
}

/* Nothing, tensors without elements, one among them. */
static void empty_ones_are_drawn(void **state)
{
    (void)state;
    for (int count = 0; count < 4; count++) {
        struct bench b;
        char         name[16];
        begin(&b);
        for (int i = 0; i < count; i++) {
            snprintf(name, sizeof name, "t%c", 'a' + i);
            add(&b, name, i == 2 ? 9 : 0);
        }
        draw(&b);
        check_boxes(&b);
        finish(&b);
    }
}

/* Blocks are called and measured as they are stored. */
static void blocks_count_as_they_are_stored(void **state)
{
    struct bench     b;
    struct tn_source source;
    uint8_t          bytes[18] = { 0 };

    (void)state;
    begin(&b);
    add(&b, "w", 32);
    tn_source_memory(&source, &b.memory, tn_bytes(bytes, sizeof bytes));
    struct tn_tensor *tensor =
        tn_list_at(&b.model.tensors, struct tn_tensor, 0);
    assert_string_equal(tn_picture_type_name(tensor), "uint8");
    tensor->elements.shape.dtype = TN_FLOAT32;
    tensor->elements.payload     = tn_payload_blocks(
            &tensor->elements.shape, (struct tn_span){ &source, 0, 18 },
            TN_BLOCK_Q4_0, false);
    assert_string_equal(tn_picture_type_name(tensor), "q4_0");
    assert_int_equal(tn_picture_tensor_bytes(tensor), 18);
    draw(&b);
    finish(&b);
}

static uint32_t times(struct tn_bytes text, const char *word)
{
    uint32_t count = 0;

    for (size_t i = 0; i + strlen(word) <= text.size; i++)
        count += memcmp(text.data + i, word, strlen(word)) == 0;
    return count;
}

/* Colours go to the types that take most room, and are explained; a scope that
 * is too small to open has that of most of it. */
static void colours_are_types(void **state)
{
    static const struct tn_view_about about = { "w.npz", "0", 1 };
    struct bench                      b;
    struct tn_buffer                  out;

    (void)state;
    begin(&b);
    add(&b, "large", 100000);
    add(&b, "half", 30000);
    add(&b, "small/a", 30);
    add(&b, "small/b", 900);
    for (int i = 1; i < 3; i++)
        tn_list_at(&b.model.tensors, struct tn_tensor, i)
            ->elements.shape.dtype = TN_FLOAT16;
    draw(&b);
    tn_buffer_init(&out, &b.memory, &b.error);
    assert_int_equal(tn_view_write_svg(&b.picture, &about, &out.sink, &b.error),
                     TN_OK);
    struct tn_bytes svg = tn_buffer_bytes(&out);
    assert_int_equal(times(svg, "<rect class=\"c3\""), 1 + 1 + 1);
    assert_int_equal(times(svg, "<rect class=\"c4\""), 1 + 1);
    assert_int_equal(times(svg, ">uint8 (2)</text>"), 1);
    assert_int_equal(times(svg, ">float16 (2)</text>"), 1);
    tn_buffer_done(&out);
    finish(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_bytes),
        cmocka_unit_test(empty_ones_are_drawn),
        cmocka_unit_test(blocks_count_as_they_are_stored),
        cmocka_unit_test(colours_are_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
