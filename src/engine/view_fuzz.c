/*
 * view_fuzz.c - any bytes as a model, drawn
 *
 * Claims: what opens can be drawn, as a page and as SVG, unless memory runs
 * out; and what holds for every picture holds for this one.
 */
#include <assert.h>
#include <string.h>

#include <tenon/model.h>

#include "base/buffer.h"
#include "support/picture_check.h"
#include "view/view_numbers.h"
#include "view/view_svg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_at(void *context, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)context + offset, size);
    return 0;
}

static void write_both(const struct tn_picture *picture,
                       struct tn_memory *memory, struct tn_error *error)
{
    static const struct tn_view_about about = { "fuzz", "0", 1 };
    struct tn_buffer                  out;

    tn_buffer_init(&out, memory, error);
    assert(tn_view_write_html(picture, &about, &out.sink, error) == TN_OK);
    tn_buffer_clear(&out);
    assert(tn_view_write_svg(picture, &about, &out.sink, error) == TN_OK);
    tn_buffer_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_options options = { .wants_graph = true, .workers = 1 };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    struct tn_picture picture;
    struct tn_memory  memory;

    if (tn_model_open_source(&model, "fuzz", size, read_at, (void *)data,
                             &options, &error) != TN_OK)
        return 0;
    tn_memory_init(&memory, NULL, UINT64_C(1) << 30);
    tn_picture_init(&picture, model, &memory, &error);
    if (tn_picture_draw(&picture) == TN_OK) {
        tn_check_picture(&picture);
        write_both(&picture, &memory, &error);
        tn_view_read_numbers(&picture, tn_bytes(data, size));
    }
    tn_picture_done(&picture);
    assert(memory.used == 0);
    tn_model_close(model);
    return 0;
}
