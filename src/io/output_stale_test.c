/* output_stale_test.c - which names are those of a dead writer, and which not
 */
#define _GNU_SOURCE
#include "io/output_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/every_os.h"
#include "support/scratch.h"

/* Begins an output beside what is there, and gives it up. */
static void pass_by(const struct tn_scratch *scratch)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_memory  memory;
    char             *path = tn_scratch_path(scratch, "ours");
    struct tn_output *output;
    struct tn_sink   *sink;

    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_output_file(&output, &memory, path, NULL, &error),
                     TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
    free(path);
}

/* clang-format off */
static const struct {
    const char *name;
    bool        goes; /* beside the lock of abcdefgh, whom nobody locks       */
} names[] = {
    { ".model.onnx.tenon-abcdefgh",                 true },
    { ".model.onnx.tenon-abcdefgh-x1y2z3",          true },
    { ".data.bin.tenon-abcdefgh",                   true },  /* a side file   */
    { ".a.tenon-b.tenon-abcdefgh",                  true },  /* the last mark */
    { ".model.onnx.tenon-abcdefgi",                 false }, /* another's     */
    { ".model.onnx.tenon-abcdefghi",                false }, /* nine letters  */
    { ".model.onnx.tenon-abcdefg",                  false }, /* seven         */
    { ".model.onnx.tenon-ABCDEFGH",                 false }, /* not ours      */
    { ".model.onnx.tenon-abcdef89",                 false }, /* 0 to 5 only   */
    { ".model.onnx.tenon-abcdefgh.bak",             false },
    { "model.onnx.tenon-abcdefgh",                  false }, /* not hidden    */
    { ".tenon-abcdefgh",                            false }, /* of no file    */
    { "model.onnx",                                 false },
};
/* clang-format on */

static void names_are_told_apart(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        tn_scratch_write(&scratch, names[i].name, "half");
    pass_by(&scratch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!tn_scratch_has(&scratch, names[i].name))
            fail_msg("%s is gone without a lock", names[i].name);
    tn_scratch_write(&scratch, ".model.onnx.tenon-abcdefgh-lock", "");
    pass_by(&scratch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tn_scratch_has(&scratch, names[i].name) == names[i].goes)
            fail_msg("%s", names[i].name);
    assert_false(tn_scratch_has(&scratch, ".model.onnx.tenon-abcdefgh-lock"));
    tn_scratch_close(&scratch);
}

/* Somebody who holds the lock lives, in this process or in another. */
static void a_lock_that_is_held_keeps_all(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_scratch_write(&scratch, ".m.tenon-abcdefgh", "half");
    tn_scratch_write(&scratch, ".m.tenon-abcdefgh-lock", "");
    int held =
        openat(scratch.folder, ".m.tenon-abcdefgh-lock", O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX), 0);
    pass_by(&scratch);
    assert_true(tn_scratch_has(&scratch, ".m.tenon-abcdefgh"));
    assert_true(tn_scratch_has(&scratch, ".m.tenon-abcdefgh-lock"));
    close(held);
    pass_by(&scratch);
    assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
    tn_scratch_close(&scratch);
}

/* Nobody is led elsewhere by what only looks like a lock. */
static void what_is_no_lock_proves_nothing(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_scratch_write(&scratch, "precious", "");
    tn_scratch_write(&scratch, ".a.tenon-aaaaaaaa", "stays");
    tn_scratch_write(&scratch, ".b.tenon-bbbbbbbb", "stays");
    tn_scratch_write(&scratch, ".c.tenon-cccccccc", "stays");
    assert_int_equal(
        symlinkat("precious", scratch.folder, ".a.tenon-aaaaaaaa-lock"), 0);
    assert_int_equal(mkdirat(scratch.folder, ".b.tenon-bbbbbbbb-lock", 0777),
                     0);
    assert_int_equal(mkfifoat(scratch.folder, ".c.tenon-cccccccc-lock", 0666),
                     0);
    pass_by(&scratch);
    assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 6);
    assert_true(tn_scratch_has(&scratch, "precious"));
    tn_scratch_close(&scratch);
}

/* A temporary folder goes with all that is in it; a symlink in it is removed,
 * and not what it points to. */
static void folders_go_whole(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_scratch_write(&scratch, "precious", "stays");
    assert_int_equal(mkdirat(scratch.folder, ".m.tenon-abcdefgh", 0777), 0);
    assert_int_equal(mkdirat(scratch.folder, ".m.tenon-abcdefgh/deep", 0777),
                     0);
    tn_scratch_write(&scratch, ".m.tenon-abcdefgh/deep/data", "half");
    assert_int_equal(
        symlinkat("../precious", scratch.folder, ".m.tenon-abcdefgh/link"), 0);
    tn_scratch_write(&scratch, ".m.tenon-abcdefgh-lock", "");
    pass_by(&scratch);
    assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
    assert_true(tn_scratch_holds(&scratch, "precious", "stays"));
    tn_scratch_close(&scratch);
}

static void letters_are_of_the_set(void **state)
{
    char a[TN_OUTPUT_TOKEN + 1], b[TN_OUTPUT_TOKEN + 1];

    (void)state;
    tn_output_letters(a, TN_OUTPUT_TOKEN);
    tn_output_letters(b, TN_OUTPUT_TOKEN);
    assert_int_equal(strlen(a), TN_OUTPUT_TOKEN);
    assert_int_equal(strspn(a, "abcdefghijklmnopqrstuvwxyz012345"),
                     TN_OUTPUT_TOKEN);
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(a_lock_that_is_held_keeps_all),
        cmocka_unit_test(what_is_no_lock_proves_nothing),
        cmocka_unit_test(folders_go_whole),
        cmocka_unit_test(letters_are_of_the_set),
    };

    return tn_run_on_every_os(tests);
}
