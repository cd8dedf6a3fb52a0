/* scan_files_test.c - files, folders and models are scanned */
#define _GNU_SOURCE
#include <tenon/scan.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/little_models.h"

#define CALL "\x80\2cos\nsystem\nU\2ls\x85R."

static int write_down(void *context, const struct tn_scan_finding *f)
{
    char       *text = context;
    size_t      used = strlen(text);
    const char *name = strrchr(f->file, '/');

    snprintf(text + used, 512 - used, "%s %s %s;", name ? name + 1 : f->file,
             tn_verdict_name(f->verdict), f->rule);
    return 0;
}

static void folders_are_scanned(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_scan_totals totals;
    char                  text[512] = "";

    (void)state;
    tn_scratch_put(&scratch, "a.pkl", tn_bytes(CALL, sizeof CALL - 1));
    tn_scratch_put(&scratch, "b.txt", tn_text("nothing\n"));
    assert_int_equal(mkdir(tn_in_scratch(&scratch, "in"), 0700), 0);
    tn_scratch_put(&scratch, "in/c.bin", tn_bytes("\x80\2N.", 4));
    assert_int_equal(
        symlink("/etc/passwd", tn_in_scratch(&scratch, "link")), 0);
    assert_int_equal(tn_scan(tn_in_scratch(&scratch, ""), NULL, write_down,
                             text, &totals, &error),
                     TN_OK);
    assert_string_equal(text, "a.pkl dangerous pickle-call;"
                              "link unknown unreadable;");
    assert_int_equal(totals.files, 4);
    assert_int_equal(totals.pickles, 2);
    assert_int_equal(totals.flagged[TN_VERDICT_DANGEROUS], 1);
    assert_int_equal(totals.flagged[TN_VERDICT_UNKNOWN], 1);
    tn_scratch_close(&scratch);
}

static void a_folder_that_is_not_listed_is_a_finding(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_scan_totals totals;
    char                  text[512] = "", deep[256] = "deep";

    (void)state;
    for (int i = 0; i < 70; i++) {
        assert_int_equal(mkdir(tn_in_scratch(&scratch, deep), 0700), 0);
        strcat(deep, "/x");
    }
    tn_scratch_put(&scratch, "later.pkl", tn_bytes(CALL, sizeof CALL - 1));
    assert_int_equal(tn_scan(tn_in_scratch(&scratch, ""), NULL, write_down,
                             text, &totals, &error),
                     TN_OK);
    assert_string_equal(text, " unknown unreadable;"
                              "later.pkl dangerous pickle-call;");
    assert_int_equal(totals.flagged[TN_VERDICT_UNKNOWN], 1);
    tn_scratch_close(&scratch);
}

static int stop(void *context, const struct tn_scan_finding *f)
{
    (void)f;
    return ++*(int *)context;
}

static void a_scan_can_be_stopped(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    int               count   = 0;

    (void)state;
    tn_scratch_put(&scratch, "a.pkl", tn_bytes(CALL, sizeof CALL - 1));
    tn_scratch_put(&scratch, "b.pkl", tn_bytes(CALL, sizeof CALL - 1));
    assert_int_equal(tn_scan(tn_in_scratch(&scratch, ""), NULL, stop, &count,
                             NULL, &error),
                     TN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tn_scan(tn_in_scratch(&scratch, "none"), NULL, stop,
                             &count, NULL, &error),
                     TN_IO);
    tn_scratch_close(&scratch);
}

/* Whether the file is mapped at the moment of a finding. */
static int look_at_maps(void *context, const struct tn_scan_finding *f)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char  line[4096];

    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, f->file))
            *(bool *)context = true;
    if (maps)
        fclose(maps);
    return 0;
}

static void files_are_mapped_if_they_may_be(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = TN_OPTIONS_INIT;
    const char       *path    = tn_in_scratch(&scratch, "a.pkl");

    (void)state;
    tn_scratch_put(&scratch, "a.pkl", tn_bytes(CALL, sizeof CALL - 1));
    for (int i = 0; i < 2; i++) {
        bool is_mapped        = false;
        options.keep_unmapped = i;
        assert_int_equal(
            tn_scan(path, &options, look_at_maps, &is_mapped, NULL, &error),
            TN_OK);
        if (access("/proc/self/maps", R_OK) == 0)
            assert_int_equal(is_mapped, !i);
    }
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_scanned),
        cmocka_unit_test(a_folder_that_is_not_listed_is_a_finding),
        cmocka_unit_test(a_scan_can_be_stopped),
        cmocka_unit_test(files_are_mapped_if_they_may_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
