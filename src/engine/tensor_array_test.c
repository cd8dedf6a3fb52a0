/* tensor_array_test.c - arrays: which bytes are the file's, who owns them */
#define _GNU_SOURCE
#include <stdlib.h>

#include <tenon/tenon.h>

#include "support/little_models.h"

static const float    floats[]  = { 1, 2, 3, 4, 5, 6 };
static const uint64_t two_by_three[] = { 2, 3 };

static struct tn_bytes view(const void *data, size_t size)
{
    return (struct tn_bytes){ data, size };
}

/* Two tensors, made without a copy and written by their format's name. */
static void make_file(struct tn_scratch *scratch, const char *name,
                      const char *format)
{
    struct tn_edit  *edit;
    struct tn_model *model;
    struct tn_target target = { .path = tn_in_scratch(scratch, name) };
    struct tn_convert_options convert = { .to = format };

    assert_int_equal(tn_edit_new(&edit, format, NULL, NULL), TN_OK);
    assert_int_equal(tn_edit_add_borrowed(edit, TN_NONE, "w", TN_FLOAT32, 2,
                                          two_by_three,
                                          view(floats, sizeof floats), NULL),
                     TN_OK);
    assert_int_equal(tn_edit_add_elements(edit, TN_NONE, "b", TN_FLOAT32, 1,
                                          two_by_three,
                                          view(floats, 2 * sizeof *floats),
                                          NULL),
                     TN_OK);
    assert_int_equal(tn_edit_add_elements(edit, TN_NONE, "w", TN_FLOAT32, 1,
                                          two_by_three,
                                          view(floats, 2 * sizeof *floats),
                                          NULL),
                     TN_INVALID);
    assert_int_equal(tn_edit_commit(edit, &model, NULL), TN_OK);
    assert_int_equal(
        tn_edit_write(model, &convert, &target, NULL, NULL, NULL), TN_OK);
    tn_model_close(model);
    tn_edit_close(edit);
}

static struct tn_model *open_file(struct tn_scratch *scratch,
                                  const char              *name)
{
    struct tn_model *model;

    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(scratch, name), NULL, NULL), TN_OK);
    return model;
}

static struct tn_array *open_array(struct tn_model *model, const char *name,
                                   const struct tn_array_options *how)
{
    struct tn_array *array;

    assert_int_equal(
        tn_array_open(&array, tn_model_find(model, name), how, NULL, NULL),
        TN_OK);
    return array;
}

static void pages_of_the_file(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    float             read[6];

    (void)state;
    make_file(&scratch, "m.safetensors", "safetensors");
    struct tn_model *model = open_file(&scratch, "m.safetensors");
    struct tn_array *one   = open_array(model, "w", NULL);
    struct tn_array *two   = open_array(model, "w", NULL);
    const struct tn_array_info *info = tn_array_get(one);

    assert_true(info->is_mapped);
    assert_ptr_equal(info->data, tn_array_get(two)->data);
    assert_int_equal(info->size, sizeof floats);
    assert_int_equal(info->rank, 2);
    assert_int_equal(info->dims[1], 3);
    assert_memory_equal(info->data, floats, sizeof floats);

    /* What is written is seen by both, and by nobody else. */
    ((float *)info->data)[0] = 99;
    assert_true(((float *)tn_array_get(two)->data)[0] == 99);
    assert_int_equal(tn_tensor_read(tn_model_find(model, "w"), 0, read,
                                    sizeof read, NULL),
                     TN_OK);
    assert_memory_equal(read, floats, sizeof floats);
    tn_model_close(model);
    model = open_file(&scratch, "m.safetensors");
    struct tn_array *fresh = open_array(model, "w", NULL);
    assert_memory_equal(tn_array_get(fresh)->data, floats, sizeof floats);
    tn_array_close(fresh);

    /* They outlive the model, and a file that is replaced. */
    tn_array_close(one);
    tn_model_close(model);
    assert_int_equal(unlink(tn_in_scratch(&scratch, "m.safetensors")), 0);
    assert_true(((float *)tn_array_get(two)->data)[0] == 99);
    assert_true(((float *)tn_array_get(two)->data)[5] == 6);
    tn_array_close(two);
    tn_scratch_close(&scratch);
}

static void copies(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_array_options copied  = { .is_copied = true };
    struct tn_array_options part    = { .slice = "1,::2" };
    struct tn_array_options wrong   = { .slice = "1,2,3" };
    const float             wanted[] = { 4, 6 };
    struct tn_array        *array;

    (void)state;
    make_file(&scratch, "m.npz", "npz");
    struct tn_model *model = open_file(&scratch, "m.npz");

    array = open_array(model, "w", &copied);
    assert_false(tn_array_get(array)->is_mapped);
    assert_int_equal((uintptr_t)tn_array_get(array)->data % 64, 0);
    assert_memory_equal(tn_array_get(array)->data, floats, sizeof floats);
    tn_array_close(array);
    array = open_array(model, "w", &part);
    assert_int_equal(tn_array_get(array)->rank, 1);
    assert_int_equal(tn_array_get(array)->dims[0], 2);
    assert_memory_equal(tn_array_get(array)->data, wanted, sizeof wanted);
    tn_array_close(array);
    assert_int_equal(tn_array_open(&array, tn_model_find(model, "w"), &wrong,
                                   NULL, NULL),
                     TN_INVALID);
    assert_null(array);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* The layout of DLPack, as its readers know it. */
struct managed {
    void    *data;
    int32_t  device, device_id, rank;
    uint8_t  code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t offset;
    void    *context;
    void (*deleter)(struct managed *self);
};

static void for_other_libraries(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    void             *out;

    (void)state;
    make_file(&scratch, "m.safetensors", "safetensors");
    struct tn_model *model = open_file(&scratch, "m.safetensors");
    struct tn_array *array = open_array(model, "w", NULL);

    assert_int_equal(tn_array_dlpack(array, &out, NULL), TN_OK);
    struct managed *managed = out;
    assert_ptr_equal(managed->data, tn_array_get(array)->data);
    assert_int_equal(managed->device, 1);
    assert_int_equal(managed->code, 2);
    assert_int_equal(managed->bits, 32);
    assert_int_equal(managed->shape[1], 3);
    assert_int_equal(managed->strides[0], 3);
    assert_int_equal(managed->strides[1], 1);
    tn_array_close(array);
    tn_model_close(model);
    assert_true(((float *)managed->data)[5] == 6);
    managed->deleter(managed);
    tn_scratch_close(&scratch);
}

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_array_options copied  = { .is_copied = true };
    enum tn_status          status  = TN_NO_MEMORY;

    (void)state;
    make_file(&scratch, "m.safetensors", "safetensors");
    for (uint64_t n = 0; status == TN_NO_MEMORY; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator   = &allocator,
                                          .wants_graph = true };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_model    *model;
        struct tn_array    *mapped = NULL, *array = NULL;
        const struct tn_tensor_list *tensors = NULL;
        const struct tn_op_list     *ops     = NULL;
        void                        *managed = NULL;

        const struct tn_metadata_list *metadata = NULL;

        tn_model_open(&model, tn_in_scratch(&scratch, "m.safetensors"),
                      &options, &error);
        if (model) {
            const struct tn_tensor *w = tn_model_find(model, "w");
            tn_array_open(&mapped, w, NULL, &options, &error);
            tn_array_open(&array, w, &copied, &options, &error);
            tn_tensor_list_open(&tensors, model, &options, &error);
            tn_op_list_open(&ops, model, &options, &error);
            tn_metadata_list_open(&metadata, model, &options, &error);
        }
        if (array && tn_array_dlpack(array, &managed, &error) == TN_OK)
            ((struct managed *)managed)->deleter(managed);
        status = error.status;
        tn_metadata_list_close(metadata);
        tn_op_list_close(ops);
        tn_tensor_list_close(tensors);
        tn_array_close(array);
        tn_array_close(mapped);
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
    }
    assert_int_equal(status, TN_OK);
    tn_scratch_close(&scratch);
}

/* ---- elements that the caller provides ----------------------------------- */

static int halves(void *context, uint64_t offset, void *to, size_t size)
{
    int *calls = context;

    ++*calls;
    memset(to, (int)(offset >= 8), size);
    return offset >= 8 && size > 1000 ? 5 : 0;
}

static int collect(void *context, const void *bytes, size_t size)
{
    struct {
        char   data[4096];
        size_t size;
    } *to = context;

    if (to->size + size > sizeof to->data)
        return 28; /* ENOSPC */
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
    return 0;
}

static void sources_and_writers(void **state)
{
    struct {
        char   data[4096];
        size_t size;
    } to = { .size = 0 };
    struct tn_writer writer = { { .path = tn_to_writer() }, collect, &to };
    struct tn_convert_options convert = { .to = "safetensors" };
    uint64_t                  dims[] = { 16 }, many[] = { 100000 };
    int                       calls  = 0;
    struct tn_edit           *edit;
    struct tn_model          *model;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "safetensors", NULL, NULL), TN_OK);
    assert_int_equal(tn_edit_add_source(edit, TN_NONE, "x", TN_UINT8, 1, dims,
                                        halves, &calls, NULL),
                     TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, NULL), TN_OK);
    assert_int_equal(calls, 0);
    assert_int_equal(tn_edit_write(model, &convert, &writer.target, NULL, NULL,
                                   NULL),
                     TN_OK);
    assert_true(calls > 0);
    assert_true(to.size > 16);
    assert_int_equal(to.data[0], to.size - 8 - 16);
    assert_non_null(memmem(to.data, to.size, "\"x\"", 3));
    tn_model_close(model);

    /* A writer that is full, and a source that fails, end the call. */
    to.size = sizeof to.data - 10;
    assert_int_equal(tn_edit_commit(edit, &model, NULL), TN_OK);
    assert_int_equal(tn_edit_write(model, &convert, &writer.target, NULL, NULL,
                                   NULL),
                     TN_IO);
    tn_model_close(model);
    to.size = 0;
    assert_int_equal(tn_edit_add_source(edit, TN_NONE, "y", TN_UINT8, 1, many,
                                        halves, &calls, NULL),
                     TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, NULL), TN_OK);
    assert_int_equal(tn_edit_write(model, &convert, &writer.target, NULL, NULL,
                                   NULL),
                     TN_IO);
    tn_model_close(model);
    tn_edit_close(edit);
}

static int any_string(void *context, uint64_t index, struct tn_bytes text)
{
    (void)context, (void)index, (void)text;
    return 0;
}

static int any_statistics(void *context, uint64_t index,
                          const struct tn_statistics *row)
{
    (void)context, (void)index, (void)row;
    return 0;
}

/* What tn_model_find() did not find may be passed on. */
static void a_tensor_that_was_not_found(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    const struct tn_tensor *none;
    struct tn_target        target = { .path = "never.npy" };
    struct tn_array        *array;
    struct tn_edit         *edit;
    uint8_t                 digest[TN_HASH_SIZE];
    uint64_t                count;

    (void)state;
    make_file(&scratch, "m.npz", "npz");
    struct tn_model *model = open_file(&scratch, "m.npz");
    none                   = tn_model_find(model, "nothing");
    assert_null(none);
    assert_int_equal(tn_edit_new(&edit, "npz", NULL, NULL), TN_OK);
    const enum tn_status said[] = {
        tn_tensor_read(none, 0, digest, 1, NULL),
        tn_tensor_strings(none, 0, 1, any_string, NULL, NULL),
        tn_tensor_level(none, 0, NULL, 0, &count, NULL),
        tn_tensor_hash(none, digest, NULL),
        tn_tensor_hash_decoded(none, digest, NULL),
        tn_array_open(&array, none, NULL, NULL, NULL),
        tn_get(none, NULL, &target, NULL, NULL),
        tn_statistics_compute(model, &none, 1, NULL, any_statistics, NULL,
                              NULL),
        tn_edit_add_tensor(edit, TN_NONE, "w", none, NULL),
        tn_edit_replace_tensor(edit, TN_NONE, "w", none, NULL),
        tn_edit_set_state(edit, "w", "M", none, NULL),
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] != TN_NOT_FOUND)
            fail_msg("call %zu: %s", i, tn_status_name(said[i]));
    assert_null(array);
    tn_edit_close(edit);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_that_was_not_found),
        cmocka_unit_test(pages_of_the_file),
        cmocka_unit_test(copies),
        cmocka_unit_test(for_other_libraries),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(sources_and_writers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
