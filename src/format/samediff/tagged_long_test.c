/*
 * tagged_long_test.c - an array that is too long for a FlatBuffer
 *
 * Its elements are an entry of their own.  The files are sparse: all but the
 * last bytes of the array are a hole, which is kept wherever it goes.
 */
#define _GNU_SOURCE
#include "format/samediff/tagged_testing.h"

#include "io/file_source.h"
#include "io/output.h"

#define COUNT (UINT64_C(600) << 20) /* 2.3 GiB of float32 */

static struct tn_source *sparse_source(struct tagged_fixture *f, char **path)
{
    struct tn_source  *source;
    static const float last = 42;

    *path    = tn_scratch_path(&f->scratch, "elements");
    int file = open(*path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)(COUNT * 4)), 0);
    assert_int_equal(pwrite(file, &last, 4, (off_t)(COUNT * 4 - 4)), 4);
    tagged_must(f,
                tn_source_file(&source, &f->memory, file, "", true, &f->error));
    return source;
}

/* A graph of one variable. */
static void put_graph(struct tagged_fixture *f, struct tn_zip_writer *zip)
{
    struct tn_arena      arena;
    struct tn_fb_builder b;
    struct tn_rope       rope;
    int64_t              count = (int64_t)COUNT;

    tn_arena_init(&arena, &f->memory);
    tn_fb_build_init(&b, &arena, &f->error);
    tn_rope_init(&rope, &arena, &f->error);
    uint32_t shape = tn_fb_put_i64s(&b, &count, 1);
    uint32_t name  = tn_fb_put_string(&b, tn_text("w"));
    tn_fb_begin(&b);
    tn_fb_add_ref(&b, TN_TAGGED_VARIABLE_NAME, name);
    tn_fb_add_ref(&b, TN_TAGGED_VARIABLE_SHAPE, shape);
    tn_fb_add_i8(&b, TN_TAGGED_VARIABLE_DTYPE, TN_SD_FLOAT, 0);
    uint32_t variable = tn_fb_end(&b);
    uint32_t all      = tn_fb_put_refs(&b, &variable, 1);
    tn_fb_begin(&b);
    tn_fb_add_u32(&b, TN_TAGGED_VERSION_SLOT, TN_TAGGED_VERSION, 0);
    tn_fb_add_ref(&b, TN_TAGGED_VARIABLES, all);
    tn_fb_finish(&b, tn_fb_end(&b), "SDGR", &rope);
    tagged_must(f, tn_zip_add(zip, tn_text("a/graph.fb"), &rope));
    tn_rope_done(&rope);
    tn_fb_build_done(&b);
    tn_arena_done(&arena);
}

static void put_array(struct tagged_fixture *f, struct tn_zip_writer *zip,
                      struct tn_source *source)
{
    static const uint64_t dims[]   = { COUNT };
    struct tn_elements    elements = { .shape = { TN_FLOAT32, 1, dims } };
    struct tn_span        span     = { source, 0, COUNT * 4 };
    struct tn_arena       arena;
    struct tn_rope        rope;

    elements.payload = tn_payload_raw(&elements.shape, span, 1);
    assert_true(tn_tagged_is_long(&elements));
    tn_arena_init(&arena, &f->memory);
    tn_rope_init(&rope, &arena, &f->error);
    tagged_must(f, tn_tagged_array_rope(&elements, "0.bin", &arena, &f->memory,
                                        &rope, &f->error));
    tagged_must(f, tn_zip_add(zip, tn_text("a/params/0.fb"), &rope));
    tn_rope_done(&rope);
    tn_rope_init(&rope, &arena, &f->error);
    tn_rope_span(&rope, span);
    tagged_must(f, tn_zip_add(zip, tn_text("a/params/0.bin"), &rope));
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void make_container(struct tagged_fixture *f, const char *path)
{
    char                *elements;
    struct tn_source    *source = sparse_source(f, &elements);
    struct tn_output    *output;
    struct tn_sink      *sink;
    struct tn_zip_writer zip;

    tagged_must(f, tn_output_file(&output, &f->memory, path, NULL, &f->error));
    tagged_must(f, tn_output_main(output, &sink, &f->error));
    tn_zip_writer_init(&zip, sink, &f->memory, &f->error);
    tn_zip_add_bytes(&zip, tn_text("tags.txt"), tn_text("a\n"));
    put_graph(f, &zip);
    tn_zip_add_bytes(&zip, tn_text("a/params.txt"), tn_text("w 0\n"));
    put_array(f, &zip, source);
    tagged_must(f, tn_zip_finish(&zip));
    tagged_must(f, tn_output_commit(output, &f->error));
    tn_zip_writer_done(&zip);
    tn_output_close(output);
    tn_source_close(source);
    free(elements);
}

/* The last element is where it should be. */
static void expect_array(struct tagged_fixture *f, const char *path,
                         const char *tag)
{
    struct tn_model        *model  = tagged_open_file(f, path, tag);
    const struct tn_tensor *tensor = tn_model_find(model, "w");
    float                   last   = 0;

    assert_non_null(tensor);
    assert_int_equal(tn_tensor_size(tensor), COUNT * 4);
    tagged_must(f, tn_tensor_read(tensor, COUNT * 4 - 4, &last, 4, &f->error));
    assert_true(last == 42);
    tn_model_close(model);
}

static void expect_sparse(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size > (off_t)(COUNT * 4));
    assert_true(info.st_blocks * 512 < 64 << 20);
}

static void a_long_array_has_an_entry_of_its_own(void **state)
{
    struct tagged_fixture f;
    struct tn_tag_summary summary;
    struct tn_target      target = { 0 };

    (void)state;
    tagged_setup(&f);
    char *path  = tn_scratch_path(&f.scratch, "long.samediff");
    char *other = tn_scratch_path(&f.scratch, "other.samediff");
    make_container(&f, path);
    expect_array(&f, path, NULL);
    expect_sparse(path);
    struct tn_model *model = tagged_open_file(&f, path, NULL);
    target.path            = other;
    tagged_must(&f, tn_convert(model, NULL, &target, NULL, NULL, &f.error));
    expect_array(&f, other, NULL);
    expect_sparse(other);
    tn_model_close(model);
    model = tagged_open_file(&f, other, NULL);
    tagged_must(&f,
                tn_tag_add(path, "b", model, NULL, NULL, &summary, &f.error));
    assert_int_equal(summary.shared, 1);
    tn_model_close(model);
    tagged_must(&f, tn_tag_remove(path, "a", NULL, NULL, &summary, &f.error));
    assert_int_equal(summary.copied, 1);
    expect_array(&f, path, "b");
    free(other);
    free(path);
    tagged_teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_array_has_an_entry_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
