/* flow_test.c - every graph with control flow of the import suites becomes
 * structure */
#include "map/flow/flow.h"
#include "map/net/net_load.h"

#include <dirent.h>
#include <stdio.h>

#include <tenon/model.h>

#include "map/tidy/tf_testing.h"
#include "support/net_bench.h"

static bool has_flow(const struct tn_model *model)
{
    for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++)
        if (tn_bytes_is(tn_model_op_kind(model, i)->type, "Merge") ||
            tn_bytes_is(tn_model_op_kind(model, i)->type, "merge"))
            return true;
    return false;
}

static void raise_file(const char *path, const char *dialect, unsigned *count)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    struct tn_error   error = TN_ERROR_INIT;
    struct bench      b;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
    if (has_flow(model)) {
        set_up_empty(&b, dialect);
        if (tn_net_load(&b.net, model, NULL) != TN_OK ||
            (*dialect == 't' ? testing_tidy(&b.net, NULL)
                             : tn_flow_raise(&b.net)) != TN_OK)
            fail_msg("%s: %s", path, b.error.what);
        assert_int_equal(count_nodes(&b.net, "Merge"), 0);
        assert_int_equal(count_nodes(&b.net, "merge"), 0);
        ++*count;
        tear_down(&b);
    }
    tn_model_close(model);
}

static void raise_folder(const char *folder, const char *tail,
                         const char *dialect, unsigned *count)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    char           path[1024];

    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s%s", folder, entry->d_name, tail);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        fclose(file);
        if (*tail || tn_text_ends_with(path, ".fb"))
            raise_file(path, dialect, count);
    }
    if (dir)
        closedir(dir);
}

static void real_graphs_have_structure(void **state)
{
    unsigned tensorflow = 0, nd4j = 0;

    (void)state;
    raise_folder(TN_SHARED_DATA "/tensorflow/import-suite", "/model.pb",
                 "tensorflow", &tensorflow);
    raise_folder(TN_SHARED_DATA "/samediff/libnd4j", "", "nd4j", &nd4j);
    if (!tensorflow && !nd4j)
        puts("skipped: wants real models");
    else
        printf("%u and %u graphs\n", tensorflow, nd4j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_graphs_have_structure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
