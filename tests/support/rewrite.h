/*
 * rewrite.h - what a writer wrote, our reader reads
 *
 * A model is converted to a format, opened again, and written by the same
 * writer once more.  Where the format speaks the model's own dialect and says
 * that nothing was left behind, the first copy holds what the model holds; the
 * second always holds what the first does: tensors by name, type, shape and
 * elements, operators by type and number, inputs and outputs by name, type and
 * shape.  Whatever does not hold ends the process, which is what a fuzzer waits
 * for.
 *
 * Include after defining _GNU_SOURCE.
 */
#ifndef TN_TESTS_REWRITE_H
#define TN_TESTS_REWRITE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/rules.h>
#include <tenon/tenon.h>

/* ---- a folder for as long as the process lives -------------------------- */

static char rewrite_folder[256];

static int rewrite_remove_one(const char *path, const struct stat *about,
                              int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    if (walk->level > 0)
        remove(path);
    return 0;
}

static inline void rewrite_empty(void)
{
    nftw(rewrite_folder, rewrite_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void rewrite_leave(void)
{
    rewrite_empty();
    rmdir(rewrite_folder);
}

/* In memory where the system has such a place: nothing is kept. */
static inline void rewrite_enter(void)
{
    const char *places[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };

    for (size_t i = 0; i < 3 && !rewrite_folder[0]; i++) {
        if (!places[i] || !places[i][0])
            continue;
        snprintf(rewrite_folder, sizeof rewrite_folder,
                 "%.200s/tenon-rewrite-XXXXXX", places[i]);
        if (!mkdtemp(rewrite_folder))
            rewrite_folder[0] = 0;
        else
            atexit(rewrite_leave);
    }
    if (!rewrite_folder[0])
        abort();
}

/* A file in the folder, with the folders on the way to it; false: the system
 * has no such names. */
static inline bool rewrite_put(const char *name, const void *data, size_t size)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", rewrite_folder, name);
    for (char *slash = path + strlen(rewrite_folder) + 1;
         (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    size_t written = size ? fwrite(data, 1, size, file) : 0;
    return fclose(file) == 0 && written == size;
}

/* ---- the same? ---------------------------------------------------------- */

struct rewrite {
    const char *format; /* for complaints                                     */
    const char *step;
    const struct tn_model *a, *b;
};

static inline void rewrite_die(const struct rewrite *r, const char *what,
                               struct tn_bytes name)
{
    fprintf(stderr, "%s, %s: %s '%.*s'\n", r->format, r->step, what,
            (int)name.size, name.size ? (const char *)name.data : "");
    abort();
}

static inline bool rewrite_same_text(struct tn_bytes a, struct tn_bytes b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* A tensor of the same name and hash; one without a name, of the same hash. */
static inline bool rewrite_has_tensor(const struct tn_model  *model,
                                      const struct tn_tensor *wanted,
                                      bool                    by_name)
{
    uint8_t         hash[TN_HASH_SIZE], other[TN_HASH_SIZE];
    struct tn_error error = TN_ERROR_INIT;

    if (tn_tensor_hash(wanted, hash, &error) != TN_OK)
        return true; /* elements that cannot be read: check says so */
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (by_name && tn_tensor_name(wanted).size &&
            !rewrite_same_text(tn_tensor_name(tensor), tn_tensor_name(wanted)))
            continue;
        if (tn_tensor_hash(tensor, other, &error) == TN_OK &&
            memcmp(hash, other, TN_HASH_SIZE) == 0)
            return true;
    }
    return false;
}

static inline void rewrite_same_tensors(const struct rewrite *r, bool by_name)
{
    if (tn_model_tensor_count(r->a) != tn_model_tensor_count(r->b))
        rewrite_die(r, "the number of tensors changed",
                    (struct tn_bytes){ NULL, 0 });
    for (uint64_t i = 0; i < tn_model_tensor_count(r->a); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(r->a, i);
        if (!rewrite_has_tensor(r->b, tensor, by_name))
            rewrite_die(r, "a tensor is not what it was",
                        tn_tensor_name(tensor));
    }
}

static inline void rewrite_same_end(const struct rewrite *r,
                                    const struct tn_end  *a,
                                    const struct tn_end  *b)
{
    bool is_same = rewrite_same_text(a->name, b->name) &&
                   a->dtype == b->dtype && a->has_rank == b->has_rank &&
                   a->rank == b->rank;

    for (uint32_t i = 0; is_same && a->has_rank && i < a->rank; i++)
        is_same = a->dims[i].value == b->dims[i].value &&
                  rewrite_same_text(a->dims[i].symbol, b->dims[i].symbol);
    if (!is_same)
        rewrite_die(r, "an input or output is not what it was", a->name);
}

static inline const struct tn_end *rewrite_find_end(struct tn_ends  ends,
                                                    struct tn_bytes name)
{
    for (uint32_t i = 0; i < ends.count; i++)
        if (rewrite_same_text(ends.items[i].name, name))
            return &ends.items[i];
    return NULL;
}

/* SameDiff's containers keep an order of their own. */
static inline void rewrite_same_ends(const struct rewrite *r, struct tn_ends a,
                                     struct tn_ends b)
{
    bool is_ordered = strcmp(tn_model_dialect(r->b), "nd4j") != 0;

    if (a.count != b.count)
        rewrite_die(r, "the number of inputs or outputs changed",
                    (struct tn_bytes){ NULL, 0 });
    for (uint32_t i = 0; i < a.count; i++) {
        const struct tn_end *other =
            is_ordered ? &b.items[i] : rewrite_find_end(b, a.items[i].name);
        if (!other)
            rewrite_die(r, "an input or output is gone", a.items[i].name);
        rewrite_same_end(r, &a.items[i], other);
    }
}

static inline void rewrite_same_ops(const struct rewrite *r)
{
    if (tn_model_op_kind_count(r->a) != tn_model_op_kind_count(r->b))
        rewrite_die(r, "the number of sorts of operators changed",
                    (struct tn_bytes){ NULL, 0 });
    for (uint32_t i = 0; i < tn_model_op_kind_count(r->a); i++) {
        const struct tn_op_kind *a = tn_model_op_kind(r->a, i);
        const struct tn_op_kind *b = tn_model_op_kind(r->b, i);
        if (!rewrite_same_text(a->type, b->type) ||
            !rewrite_same_text(a->domain, b->domain) || a->count != b->count)
            rewrite_die(r, "operators are not what they were", a->type);
    }
}

/* ---- writing and opening ------------------------------------------------ */

static const struct tn_options rewrite_options = {
    .max_memory = (uint64_t)256 << 20, .wants_graph = true, .workers = 1
};

/* Rules are read once: that takes longer than converting a small model. */
static inline struct tn_rulebook *rewrite_book(void)
{
    static struct tn_rulebook *book;
    struct tn_error            error = TN_ERROR_INIT;

    if (!book && tn_rulebook_open(&book, NULL, 0, NULL, &error) != TN_OK)
        abort();
    return book;
}

/* All operators that have no rule stay what they are. */
static inline enum tn_status rewrite_convert(const struct tn_model     *model,
                                             const char                *format,
                                             const char                *path,
                                             struct tn_convert_summary *summary,
                                             struct tn_error           *error)
{
    const char           *allowed[32];
    char                  names[32][64];
    struct tn_map_options map = { .allow = allowed, .book = rewrite_book() };

    for (uint32_t i = 0; i < tn_model_op_kind_count(model) && i < 32; i++) {
        struct tn_bytes type = tn_model_op_kind(model, i)->type;
        snprintf(names[i], sizeof names[i], "%.*s",
                 (int)(type.size < 63 ? type.size : 63),
                 type.size ? (const char *)type.data : "");
        allowed[map.allow_count++] = names[i];
    }
    struct tn_convert_options how    = { .to = format, .map = &map };
    struct tn_target          target = { .path = path, .can_replace = true };
    return tn_convert(model, &how, &target, &rewrite_options, summary, error);
}

/* Where a copy goes: the format's first suffix, where that is one. */
static inline void rewrite_path(char *path, size_t size, uint32_t format,
                                const char *copy)
{
    struct tn_format_info info   = tn_format_at(format);
    const char           *suffix = "";

    if (info.suffixes && info.suffixes[0] && info.suffixes[0][0] == '.')
        suffix = info.suffixes[0];
    snprintf(path, size, "%s/%s", rewrite_folder, copy);
    mkdir(path, 0777);
    snprintf(path, size, "%s/%s/%s", rewrite_folder, copy, info.name);
    mkdir(path, 0777);
    snprintf(path, size, "%s/%s/%s/model%s", rewrite_folder, copy, info.name,
             suffix);
}

/* Opens what was just written. */
static inline struct tn_model *rewrite_open(const char *format,
                                            const char *path, const char *step)
{
    struct tn_options options = rewrite_options;
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    options.from = format;
    if (tn_model_open(&model, path, &options, &error) != TN_OK) {
        if (error.status == TN_NO_MEMORY || error.status == TN_LIMIT)
            return NULL; /* close to what may be used: no claim */
        fprintf(stderr, "%s, %s: what was written is not read: %s: %s\n",
                format, step, error.where, error.what);
        abort();
    }
    return model;
}

/* A GraphDef lists no inputs and outputs, and records of parameters have no
 * names.  PIR says blocks and constants in other words, and an output has a
 * name of its own there beside that of the variable. */
static inline void rewrite_same_first(const struct rewrite *r, bool is_lossless)
{
    const char *dialect = tn_model_dialect(r->b);
    bool        is_pir  = strcmp(r->format, "paddle-pir") == 0;

    if (!is_lossless || strcmp(dialect, tn_model_dialect(r->a)) != 0)
        return;
    if (dialect[0] && strcmp(r->format, "tf-graph") != 0) {
        rewrite_same_ends(r, tn_model_inputs(r->a), tn_model_inputs(r->b));
        if (!is_pir)
            rewrite_same_ends(r, tn_model_outputs(r->a),
                              tn_model_outputs(r->b));
        else if (tn_model_outputs(r->a).count != tn_model_outputs(r->b).count)
            rewrite_die(r, "the number of outputs changed",
                        (struct tn_bytes){ NULL, 0 });
    }
    if (dialect[0] && !is_pir)
        rewrite_same_ops(r);
    rewrite_same_tensors(r, strcmp(r->format, "paddle-params") != 0);
}

static inline void rewrite_same_all(const struct rewrite *r)
{
    rewrite_same_ends(r, tn_model_inputs(r->a), tn_model_inputs(r->b));
    rewrite_same_ends(r, tn_model_outputs(r->a), tn_model_outputs(r->b));
    rewrite_same_ops(r);
    rewrite_same_tensors(r, strcmp(r->format, "paddle-params") != 0);
}

static inline void rewrite_twice(const struct tn_model *model, uint32_t format)
{
    const char               *name    = tn_format_at(format).name;
    struct tn_convert_summary summary = { 0 };
    struct tn_error           error   = TN_ERROR_INIT;
    char                      path[600], again[600];

    rewrite_path(path, sizeof path, format, "first");
    if (rewrite_convert(model, name, path, &summary, &error) != TN_OK) {
        if (!error.what[0])
            abort();
        return;
    }
    struct tn_model *first = rewrite_open(name, path, "written once");
    if (!first)
        return;
    struct rewrite r = { name, "written once", model, first };
    rewrite_same_first(&r, summary.losses == 0);
    rewrite_path(again, sizeof again, format, "second");
    if (rewrite_convert(first, name, again, &summary, &error) != TN_OK) {
        fprintf(stderr, "%s: what was written is not written again: %s: %s\n",
                name, error.where, error.what);
        abort();
    }
    struct tn_model *second = rewrite_open(name, again, "written twice");
    if (second) {
        r = (struct rewrite){ name, "written twice", first, second };
        rewrite_same_all(&r);
    }
    tn_model_close(second);
    tn_model_close(first);
}

/* Zeros out of nothing can be endless: such models are not tried here. */
static inline bool rewrite_is_small(const struct tn_model *model)
{
    uint64_t size = 0;

    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tn_tensor_count(tensor) > 1 << 16)
            return false;
        size += tn_tensor_count(tensor);
    }
    return size <= 1 << 18;
}

/* Every format that can be written, or those of `names`, which ends in NULL. */
static inline void rewrite_everywhere(const struct tn_model *model,
                                      const char *const     *names)
{
    for (uint32_t i = 0; i < tn_format_count(); i++) {
        struct tn_format_info info     = tn_format_at(i);
        bool                  is_asked = !names;
        for (const char *const *n = names; n && *n; n++)
            is_asked |= strcmp(*n, info.name) == 0;
        if (info.can_write && is_asked)
            rewrite_twice(model, i);
    }
}

#endif
