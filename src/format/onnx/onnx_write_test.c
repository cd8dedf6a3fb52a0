/* onnx_write_test.c - models written back, and weights moved out and in */
#define _GNU_SOURCE
#include "format/onnx/onnx_testing.h"

static const char *const names[] = {
    "basic-pitch.onnx",
    "bert-qa-small.onnx",
    "conv-qdq-external/model.onnx",
    "crop-and-resize-loop.onnx",
    "dtln-1.onnx",
    "face-rfb-320.onnx",
    "imagenet-qdq.onnx",
    "magika.onnx",
    "nested-loops.onnx",
    "ppocr-rec-v4.onnx",
    "scan-rnn.onnx",
    "silero-vad.onnx",
};

#define NAME_COUNT (sizeof names / sizeof names[0])

struct scene {
    char          folder[300];
    struct opened model;
};

static void open_scene(struct scene *s, const char *name)
{
    char path[600];

    make_folder(s->folder, sizeof s->folder);
    snprintf(path, sizeof path, SHARED "%s", name);
    must_open(&s->model, path);
}

static void close_scene(struct scene *s)
{
    close_model(&s->model);
    remove_folder(s->folder);
}

static const char *path_in(const struct scene *s, const char *name)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return path;
}

static void same_bytes(const char *path, const struct tn_source *source)
{
    struct tn_bytes bytes = tn_load_file(path);

    assert_non_null(bytes.data);
    assert_int_equal(bytes.size, source->size);
    assert_memory_equal(bytes.data, source->map, bytes.size);
    free((void *)(uintptr_t)bytes.data);
}

static void unchanged_models_are_the_same_bytes(void **state)
{
    struct scene s;
    uint64_t     moved;

    (void)state;
    for (size_t i = 0; has_shared_data() && i < NAME_COUNT; i++) {
        open_scene(&s, names[i]);
        must_write(&s.model.model, path_in(&s, "a.onnx"), NULL, false, 0,
                   &moved);
        assert_int_equal(moved, 0);
        same_bytes(path_in(&s, "a.onnx"), s.model.bundle.main);
        for (uint64_t k = 0; k < s.model.bundle.opened.count; k++) {
            struct tn_source *side =
                *tn_list_at(&s.model.bundle.opened, struct tn_source *, k);
            same_bytes(path_in(&s, side->name), side);
        }
        close_scene(&s);
    }
}

/* Out with all of them, in again, and out with the larger ones. */
static void weights_go_out_and_come_back(void **state)
{
    struct scene  s;
    struct opened out, in, large;
    uint64_t      moved;

    (void)state;
    for (size_t i = 0; has_shared_data() && i < NAME_COUNT; i++) {
        open_scene(&s, names[i]);
        must_write(&s.model.model, path_in(&s, "out.onnx"), "out.data", false,
                   1, &moved);
        must_open(&out, path_in(&s, "out.onnx"));
        same_tensors(&s.model, &out);
        for (uint64_t k = 0; k < out.model.tensors.count; k++) {
            const struct tn_tensor *t = tn_model_tensor(&out.model, k);
            assert_int_equal(t->is_external, tn_tensor_size(t) > 0);
            if (t->is_external) {
                assert_string_equal(tn_tensor_file(t), "out.data");
                moved--;
            }
        }
        assert_int_equal(moved, 0);

        must_write(&out.model, path_in(&s, "in.onnx"), NULL, true, 0, &moved);
        must_open(&in, path_in(&s, "in.onnx"));
        same_tensors(&s.model, &in);
        for (uint64_t k = 0; k < in.model.tensors.count; k++)
            assert_false(tn_model_tensor(&in.model, k)->is_external);

        must_write(&in.model, path_in(&s, "large.onnx"), "sub/large.data",
                   false, 1024, &moved);
        must_open(&large, path_in(&s, "large.onnx"));
        same_tensors(&s.model, &large);
        for (uint64_t k = 0; k < large.model.tensors.count; k++) {
            const struct tn_tensor *t = tn_model_tensor(&large.model, k);
            assert_int_equal(t->is_external, tn_tensor_size(t) >= 1024);
            moved -= t->is_external;
            if (tn_tensor_size(t) >= 65536)
                assert_int_equal(tn_tensor_offset(t) % 4096, 0);
        }
        assert_int_equal(moved, 0);
        close_model(&large);
        close_model(&in);
        close_model(&out);
        close_scene(&s);
    }
}

/* The tables of nodes are those of the original: only tensors changed. */
static void nodes_stay_what_they_are(void **state)
{
    struct scene  s;
    struct opened out;
    uint64_t      moved;

    (void)state;
    for (size_t i = 0; has_shared_data() && i < NAME_COUNT; i++) {
        open_scene(&s, names[i]);
        must_write(&s.model.model, path_in(&s, "out.onnx"), "out.data", false,
                   1, &moved);
        must_open(&out, path_in(&s, "out.onnx"));
        assert_int_equal(out.model.ops.count, s.model.model.ops.count);
        assert_int_equal(out.model.graphs.count, s.model.model.graphs.count);
        for (uint32_t k = 0; k < out.model.ops.count; k++) {
            struct tn_op_info a = tn_model_op(&s.model.model, k);
            struct tn_op_info b = tn_model_op(&out.model, k);
            assert_true(tn_bytes_equal(a.name, b.name));
            assert_true(tn_bytes_equal(a.type, b.type));
            assert_int_equal(a.input_count, b.input_count);
            assert_int_equal(a.output_count, b.output_count);
        }
        close_model(&out);
        close_scene(&s);
    }
}

/* Written beside the original, a model goes on using the external file there.
 */
static void the_same_folder_keeps_its_side_file(void **state)
{
    struct scene  s;
    struct opened out, again;
    struct stat   before, after;
    uint64_t      moved;

    (void)state;
    if (!has_shared_data())
        return;
    open_scene(&s, "conv-qdq-external/model.onnx");
    must_write(&s.model.model, path_in(&s, "a.onnx"), "w.data", false, 1,
               &moved);
    assert_int_equal(stat(path_in(&s, "w.data"), &before), 0);
    must_open(&out, path_in(&s, "a.onnx"));
    must_write(&out.model, path_in(&s, "b.onnx"), NULL, false, 0, &moved);
    assert_int_equal(stat(path_in(&s, "w.data"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    must_open(&again, path_in(&s, "b.onnx"));
    same_tensors(&s.model, &again);
    close_model(&again);
    close_model(&out);
    close_scene(&s);
}

/* 3 GiB of holes in an external file: no protobuf library would open them
 * inside, and moved to another external file they stay holes. */
static void too_much_is_not_taken_inside(void **state)
{
    struct scene    s;
    struct opened   out;
    struct stat     side;
    struct tn_error error = TN_ERROR_INIT;
    char            command[900];
    uint64_t        moved;

    (void)state;
    make_folder(s.folder, sizeof s.folder);
    snprintf(command, sizeof command,
             "cp '" TN_CORPUS "/onnx/external-3gib.onnx' '%s/a.onnx' && "
             "truncate -s 3G '%s/3gib.bin'",
             s.folder, s.folder);
    assert_int_equal(system(command), 0);
    must_open(&s.model, path_in(&s, "a.onnx"));
    assert_int_equal(write_path(&s.model.model, path_in(&s, "in.onnx"), NULL,
                                true, 0, &moved, &error),
                     TN_LIMIT);
    assert_non_null(strstr(error.what, "--external"));
    assert_int_equal(access(path_in(&s, "in.onnx"), F_OK), -1);

    must_write(&s.model.model, path_in(&s, "out.onnx"), "out.data", false, 1,
               &moved);
    assert_int_equal(moved, 1);
    must_open(&out, path_in(&s, "out.onnx"));
    assert_int_equal(tn_tensor_size(tn_model_tensor(&out.model, 0)), INT64_C(3)
                                                                         << 30);
    assert_int_equal(stat(path_in(&s, "out.data"), &side), 0);
    assert_int_equal(side.st_size, INT64_C(3) << 30);
    assert_true(side.st_blocks < 1024);
    close_model(&out);
    close_scene(&s);
}

/* Weights that are not there cannot be written, and nothing is left behind. */
static void missing_weights_are_said(void **state)
{
    struct scene    s;
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        moved;

    (void)state;
    make_folder(s.folder, sizeof s.folder);
    must_open(&s.model, TN_CORPUS "/onnx/external-missing.onnx");
    assert_int_equal(write_path(&s.model.model, path_in(&s, "a.onnx"), NULL,
                                false, 0, &moved, &error),
                     TN_NOT_FOUND);
    assert_string_equal(error.where, "graph.initializer[0]");
    assert_non_null(strstr(error.what, "gone.bin"));
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(write_path(&s.model.model, path_in(&s, "a.onnx"), "b.data",
                                false, 1, &moved, &error),
                     TN_NOT_FOUND);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(write_path(&s.model.model, path_in(&s, "a.onnx"), NULL,
                                true, 1, &moved, &error),
                     TN_NOT_FOUND);
    assert_int_equal(rmdir(s.folder), 0); /* it is empty */
    make_folder(s.folder, sizeof s.folder);
    close_scene(&s);
}

/* Two tensors on one range of an external file go on sharing it. */
static void shared_ranges_stay_shared(void **state)
{
    struct scene  s;
    struct opened out;
    struct stat   side;
    uint64_t      moved;

    (void)state;
    make_folder(s.folder, sizeof s.folder);
    must_open(&s.model, TN_CORPUS "/onnx/external-shared.onnx");
    must_write(&s.model.model, path_in(&s, "a.onnx"), "b.data", false, 1,
               &moved);
    assert_int_equal(moved, 2);
    assert_int_equal(stat(path_in(&s, "b.data"), &side), 0);
    assert_int_equal(side.st_size, 8);
    must_open(&out, path_in(&s, "a.onnx"));
    same_tensors(&s.model, &out);
    close_model(&out);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_models_are_the_same_bytes),
        cmocka_unit_test(weights_go_out_and_come_back),
        cmocka_unit_test(nodes_stay_what_they_are),
        cmocka_unit_test(the_same_folder_keeps_its_side_file),
        cmocka_unit_test(too_much_is_not_taken_inside),
        cmocka_unit_test(missing_weights_are_said),
        cmocka_unit_test(shared_ranges_stay_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
