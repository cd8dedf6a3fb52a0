/*
 * tagged_testing.h - a container for tests: two tags of a little model
 *
 * Include after defining _GNU_SOURCE.  The model is
 * examples/dense.samediff.json; `other` is a set of its tensors, one of which
 * has other elements.
 */
#ifndef TN_FORMAT_TAGGED_TESTING_H
#define TN_FORMAT_TAGGED_TESTING_H

#include <tenon/tenon.h>

#include "format/samediff/tag_edit.h"
#include "support/scratch.h"

#define DENSE TN_CORPUS "/../../examples/dense.samediff.json"

struct tagged_fixture {
    struct tn_scratch scratch;
    char             *path;  /* the container                                */
    char             *dense; /* the model                                    */
    char             *other; /* tensors                                      */
    struct tn_memory  memory;
    struct tn_error   error;
};

static inline void tagged_must(struct tagged_fixture *f, enum tn_status status)
{
    if (status != TN_OK)
        fail_msg("%s: %s (byte %llu)", f->error.where, f->error.what,
                 (unsigned long long)f->error.offset);
}

static inline void tagged_put(const char *path, struct tn_bytes bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
}

/* Elements are the last bytes of a safetensors file. */
static inline void tagged_make_other(struct tagged_fixture *f,
                                     const struct tn_model *model)
{
    struct tn_target target = { .path = f->other, .can_replace = true };

    tagged_must(f, tn_convert(model, NULL, &target, NULL, NULL, &f->error));
    struct tn_bytes bytes = tn_load_file(f->other);
    ((uint8_t *)(uintptr_t)bytes.data)[bytes.size - 2] ^= 0x55;
    tagged_put(f->other, bytes);
    free((void *)(uintptr_t)bytes.data);
}

static inline struct tn_model *tagged_open_file(struct tagged_fixture *f,
                                                const char            *path,
                                                const char            *tag)
{
    struct tn_options options = { .tag = tag };
    struct tn_model  *model;

    tagged_must(f, tn_model_open(&model, path, &options, &f->error));
    return model;
}

static inline void tagged_add(struct tagged_fixture *f, const char *tag,
                              const char *path)
{
    struct tn_model *model = tagged_open_file(f, path, NULL);

    tagged_must(f,
                tn_tag_add(f->path, tag, model, NULL, NULL, NULL, &f->error));
    tn_model_close(model);
}

static inline void tagged_begin_setup(struct tagged_fixture *f)
{
    f->scratch = tn_scratch_open();
    f->path    = tn_scratch_path(&f->scratch, "m.samediff");
    f->dense   = tn_scratch_path(&f->scratch, "dense.fb");
    f->other   = tn_scratch_path(&f->scratch, "other.safetensors");
    f->error   = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
}

/* Tag a is the graph of a JSON file, b has one other array. */
static inline void tagged_finish_setup(struct tagged_fixture *f,
                                       const char            *json)
{
    struct tn_dump_options how    = { .type = "sd.graph.FlatGraph" };
    struct tn_target       target = { .path = f->dense };

    tagged_must(f, tn_undump(json, NULL, &how, &target, &f->error));
    struct tn_model *model = tagged_open_file(f, f->dense, NULL);
    tagged_make_other(f, model);
    tn_model_close(model);
    tagged_add(f, "a", f->dense);
    tagged_add(f, "b", f->other);
}

static inline void tagged_setup(struct tagged_fixture *f)
{
    tagged_begin_setup(f);
    tagged_finish_setup(f, DENSE);
}

static inline void tagged_teardown(struct tagged_fixture *f)
{
    assert_int_equal(f->memory.used, 0);
    free(f->path);
    free(f->dense);
    free(f->other);
    tn_scratch_close(&f->scratch);
}

/* ---- what a container says ---------------------------------------------- */

struct tagged_text {
    char   data[8192];
    size_t size;
};

static inline void tagged_say(struct tagged_text *text, const char *word)
{
    text->size += (size_t)snprintf(text->data + text->size,
                                   sizeof text->data - text->size, "%s", word);
    assert_true(text->size < sizeof text->data);
}

static inline void tagged_say_tensor(struct tagged_text     *text,
                                     const struct tn_tensor *tensor)
{
    struct tn_error error = TN_ERROR_INIT;
    uint8_t         digest[TN_HASH_SIZE];
    char            path[128], line[256];
    struct tn_bytes name = tn_tensor_name(tensor);

    tn_tensor_path(tensor, path, sizeof path);
    if (tn_tensor_hash(tensor, digest, &error) != TN_OK)
        fail_msg("%s", error.what);
    snprintf(line, sizeof line, " %.*s=%02x%02x%02x%02x\n",
             TN_FMT(name.size ? name : tn_text(path)), digest[0], digest[1],
             digest[2], digest[3]);
    tagged_say(text, line);
}

/* Tags, oldest first, with all arrays; or the failure. */
static inline void tagged_describe(const char *path, struct tagged_text *text)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *newest, *model;

    *text = (struct tagged_text){ .size = 0 };
    if (tn_model_open(&newest, path, NULL, &error) != TN_OK) {
        tagged_say(text, error.what);
        return;
    }
    for (uint32_t i = 0; i < tn_model_tag_count(newest); i++) {
        char              tag[80];
        struct tn_bytes   name    = tn_model_tag(newest, i);
        struct tn_options options = { .tag = tag };
        snprintf(tag, sizeof tag, "%.*s", TN_FMT(name));
        tagged_say(text, tag);
        tagged_say(text, "\n");
        if (tn_model_open(&model, path, &options, &error) != TN_OK) {
            tagged_say(text, error.what);
            break;
        }
        for (uint64_t k = 0; k < tn_model_tensor_count(model); k++)
            tagged_say_tensor(text, tn_model_tensor(model, k));
        tn_model_close(model);
    }
    tn_model_close(newest);
}

#endif
