/* inside_test.c - which model is meant by a folder or a prefix */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "support/little_models.h"

/* 128 bytes: an array without elements. */
#define NPY                                                                    \
    "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, "             \
    "'shape': (0,), }"                                                         \
    "                                                            \n"

/* What to put where: onnx, npy, pbtxt, prose, a link to a model outside, or a
 * folder.  Words end in a blank. */
static const struct {
    const char *name, *files;
    const char *opened; /* below the folder; NULL: none                      */
    const char *listed; /* when none is opened                               */
} cases[] = {
    /* clang-format off */
    { "one model",            "m.onnx README.md ",            "m.onnx", "" },
    { "one as text",          "m.pbtxt notes.txt ",           "m.pbtxt", "" },
    { "one and its examples", "m.onnx in.npy out.npy ",       "m.onnx", "" },
    { "tensors alone",        "w.npy ",                       "w.npy", "" },
    { "several",              "b.onnx a.onnx ",               NULL, "onnx:a.onnx onnx:b.onnx " },
    { "several sets",         "b.npy a.npy ",                 NULL, "npy:a.npy npy:b.npy " },
    { "a part and the whole", "w-00001-of-00002.npy w.npy ",  "w.npy", "" },
    { "a model and folders",  "m.onnx 1/n.onnx ",             "m.onnx", "" },
    { "one version",          "0007/m.onnx ",                 "0007/m.onnx", "" },
    { "versions by number",   "10/m.onnx 9/m.onnx 1/m.onnx ", NULL, "onnx:1/m.onnx onnx:9/m.onnx onnx:10/m.onnx " },
    { "a folder of one",      "a/b/m.onnx ",                  "a/b/m.onnx", "" },
    { "too deep",             "a/b/c/d/m.onnx ",              NULL, "" },
    { "folders of models",    "a/1.onnx a/2.onnx b/3.onnx ",  NULL, ":a/ onnx:b/3.onnx " },
    { "one folder of many",   "a/1.onnx a/2.onnx ",           NULL, ":a/ " },
    { "models and folders",   "m.onnx n.onnx 1/o.onnx a/p.onnx a/q.onnx b/c ", NULL, "onnx:m.onnx onnx:n.onnx onnx:1/o.onnx :a/ " },
    { "hidden",               ".m.onnx .git/n.onnx ",         NULL, "" },
    { "prose",                "README.md config.json ",       NULL, "" },
    { "a link",               "link ",                        NULL, "onnx:link " },
    { "a link and a file",    "link m.onnx ",                 "m.onnx", "onnx:link onnx:m.onnx " },
    { "nothing in folders",   "a/b/ c/ ",                     NULL, "" },
    { "graphs and tensors",   "a.onnx b.onnx c.safetensors ", NULL, "onnx:a.onnx onnx:b.onnx safetensors:c.safetensors " },
    { "graphs and their own", "a.onnx b.onnx b.safetensors ", NULL, "onnx:a.onnx onnx:b.onnx " },
    { "a graph and tensors",  "a.onnx c.safetensors ",        "a.onnx", "" },
    { "graphs and an index",  "a.onnx b.onnx c.safetensors.index.json ", NULL, "onnx:a.onnx onnx:b.onnx safetensors:c.safetensors.index.json " },
    { "one set",              "c.safetensors config.json ",   "c.safetensors", "" },
    { "two sets",             "c.safetensors d.safetensors ", NULL, "safetensors:c.safetensors safetensors:d.safetensors " },
    { "an index and shards",  "m.safetensors.index.json x.safetensors y.safetensors ", "m.safetensors.index.json", "" },
    { "one program",          "a.pdmodel a.pdiparams ",       "a.pdmodel", "" },
    { "a program's functions", "a.pdmodel a.back.pdmodel ",   "a.pdmodel", "" },
    { "two programs",         "a.pdmodel b.pdmodel ",         NULL, "paddle:a.pdmodel paddle:b.pdmodel " },
    { "two frameworks",       "a.pdmodel b.onnx ",            NULL, "paddle:a.pdmodel onnx:b.onnx " },
    { "one folder, one name", "__model__ b.onnx ",            "", "" },
    { "a checkpoint's folder", "checkpoint x.index m.onnx ",  NULL, NULL },
    /* clang-format on */
};

static void make_folders(const struct tn_scratch *scratch, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s", name);
    for (char *slash = path; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdirat(scratch->folder, path, 0777);
        *slash = '/';
    }
}

static void make_file(struct tn_scratch *scratch, const char *name,
                      struct tn_bytes onnx)
{
    struct tn_bytes bytes = tn_text("hello: world\n");

    if (tn_text_ends_with(name, ".onnx"))
        bytes = onnx;
    else if (tn_text_ends_with(name, ".npy"))
        bytes = tn_bytes(NPY, sizeof NPY - 1);
    else if (tn_text_ends_with(name, ".safetensors"))
        bytes = tn_bytes("\10\0\0\0\0\0\0\0{}      ", 16);
    else if (tn_text_ends_with(name, ".safetensors.index.json"))
        bytes = tn_text("{\"weight_map\":{}}");
    else if (tn_text_ends_with(name, ".pdmodel") ||
             strcmp(name, "__model__") == 0)
        bytes = tn_bytes("\x0a\x0d\x08\0\x10\xff\xff\xff\xff\xff\xff\xff"
                         "\xff\xff\1",
                         15);
    else if (tn_text_ends_with(name, ".pbtxt"))
        bytes = tn_text("node { name: \"a\" op: \"NoOp\" }");
    char *path = tn_scratch_path(scratch, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    free(path);
}

static void make_all(struct tn_scratch *scratch, const char *files,
                     const char *outside, struct tn_bytes onnx)
{
    while (*files) {
        char   name[128];
        size_t size = strcspn(files, " ");
        snprintf(name, sizeof name, "%.*s", (int)size, files);
        files += size + 1;
        make_folders(scratch, name);
        if (strcmp(name, "link") == 0)
            assert_int_equal(symlinkat(outside, scratch->folder, name), 0);
        else if (name[strlen(name) - 1] != '/')
            make_file(scratch, name, onnx);
    }
}

struct listed {
    char text[512];
};

static int hear(void *context, const struct tn_folder_model *model)
{
    struct listed *listed = context;
    size_t         used   = strlen(listed->text);

    snprintf(listed->text + used, sizeof listed->text - used, "%s:%s ",
             model->format, model->path);
    return 0;
}

static void only_one_can_be_meant(void **state)
{
    struct tn_scratch outside = tn_scratch_open();

    (void)state;
    tn_make_model(&outside, "a.onnx", little_onnx);
    char           *path  = tn_scratch_path(&outside, "a.onnx");
    struct tn_bytes bytes = tn_load_file(path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_scratch folder = tn_scratch_open();
        struct tn_error   error  = TN_ERROR_INIT;
        struct tn_model  *model;
        struct listed     listed = { "" };

        print_message("%s\n", cases[i].name);
        make_all(&folder, cases[i].files, path, bytes);
        tn_model_open(&model, folder.path, NULL, &error);
        if (cases[i].opened) {
            assert_non_null(model);
            const char *opened = tn_model_path(model);
            assert_string_equal(opened + strlen(folder.path) +
                                    (cases[i].opened[0] ? 1 : 0),
                                cases[i].opened);
        } else {
            assert_null(model);
        }
        tn_model_close(model);
        error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(
            tn_folder_models(folder.path, NULL, hear, &listed, &error), TN_OK);
        if (!cases[i].opened && cases[i].listed)
            assert_string_equal(listed.text, cases[i].listed);
        tn_scratch_close(&folder);
    }
    free((void *)(uintptr_t)bytes.data);
    free(path);
    tn_scratch_close(&outside);
}

static void folders_end_without_memory(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    assert_int_equal(mkdirat(scratch.folder, "1", 0777), 0);
    tn_make_model(&scratch, "1/a.onnx", little_onnx);
    assert_int_equal(unlinkat(scratch.folder, "model.txt", 0), 0);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_model    *model;
        enum tn_status      status =
            tn_model_open(&model, scratch.path, &options, &error);
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
    }
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_can_be_meant),
        cmocka_unit_test(folders_end_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
