/*
 * rewrite.h - what a writer wrote, our reader reads
 *
 * A model is converted to a format, opened again, and written by the same
 * writer once more.  Where the format speaks the model's own dialect and says
 * that nothing was left behind, the first copy holds what the model holds; the
 * second always holds what the first does: tensors by name, type, shape and
 * elements; operators by type, name, attributes and the names of what they take
 * and give; inputs and outputs in their order, by name, type and shape.
 * Whatever does not hold ends the process, which is what a fuzzer waits for.
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
                                    const struct tn_io   *a,
                                    const struct tn_io *b, bool by_name)
{
    bool is_same = (!by_name || rewrite_same_text(a->name, b->name)) &&
                   a->dtype == b->dtype && a->has_rank == b->has_rank &&
                   a->rank == b->rank;

    for (uint32_t i = 0; is_same && a->has_rank && i < a->rank; i++)
        is_same = a->dims[i].value == b->dims[i].value &&
                  rewrite_same_text(a->dims[i].symbol, b->dims[i].symbol);
    if (!is_same)
        rewrite_die(r, "an input or output is not what it was", a->name);
}

static inline void rewrite_same_io(const struct rewrite *r, struct tn_io_list a,
                                   struct tn_io_list b, bool by_name)
{
    if (a.count != b.count)
        rewrite_die(r, "the number of inputs or outputs changed",
                    (struct tn_bytes){ NULL, 0 });
    for (uint32_t i = 0; i < a.count; i++)
        rewrite_same_end(r, &a.items[i], &b.items[i], by_name);
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

static inline struct tn_bytes rewrite_value_name(const struct tn_model *model,
                                                 uint32_t               value)
{
    if (value == TN_NONE)
        return (struct tn_bytes){ NULL, 0 };
    return tn_model_value_info(model, value).name;
}

/* Not a number is one whatever its bits: text has one word for it. */
static inline bool rewrite_same_number(double a, double b)
{
    return !memcmp(&a, &b, sizeof a) || (a != a && b != b);
}

/* Attributes are decoded: bytes that say the same in other words are the same,
 * and those that stay bytes are no claim.  Graphs are compared as such, tensors
 * by what they hold. */
static inline bool rewrite_same_value(const struct tn_attr_value *a,
                                      const struct tn_attr_value *b)
{
    uint8_t         hash[2][TN_HASH_SIZE];
    struct tn_error error = TN_ERROR_INIT;

    if (a->kind != b->kind || a->is_list != b->is_list || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        bool is_same = true;
        switch (a->kind) {
        case TN_ATTR_INT:
        case TN_ATTR_BOOL:
        case TN_ATTR_DTYPE: is_same = a->of.ints[i] == b->of.ints[i]; break;
        case TN_ATTR_FLOAT:
            is_same = rewrite_same_number((double)a->of.floats[i],
                                          (double)b->of.floats[i]);
            break;
        case TN_ATTR_DOUBLE:
            is_same = rewrite_same_number(a->of.doubles[i], b->of.doubles[i]);
            break;
        case TN_ATTR_STRING:
        case TN_ATTR_FUNCTION:
        case TN_ATTR_REFERENCE:
            is_same = rewrite_same_text(a->of.strings[i], b->of.strings[i]);
            break;
        case TN_ATTR_TENSOR:
            is_same =
                tn_tensor_hash(a->of.tensors[i], hash[0], &error) != TN_OK ||
                (tn_tensor_hash(b->of.tensors[i], hash[1], &error) == TN_OK &&
                 !memcmp(hash[0], hash[1], TN_HASH_SIZE));
            break;
        case TN_ATTR_SHAPE:
            is_same = a->of.shapes[i].has_rank == b->of.shapes[i].has_rank &&
                      a->of.shapes[i].rank == b->of.shapes[i].rank &&
                      (!a->of.shapes[i].rank ||
                       !memcmp(a->of.shapes[i].dims, b->of.shapes[i].dims,
                               a->of.shapes[i].rank * sizeof(int64_t)));
            break;
        default: break;
        }
        if (!is_same)
            return false;
    }
    return true;
}

/* Names of arguments beside their values: SameDiff's containers have them, its
 * other formats have no place for them. */
static inline bool rewrite_is_naming(struct tn_bytes name)
{
    static const char tail[] = "ArgNames";
    size_t            size   = sizeof tail - 1;

    return name.size > size &&
           !memcmp((const char *)name.data + name.size - size, tail, size);
}

/* The next attribute that counts; NULL: there is none that can be decoded,
 * which is no claim: check says so. */
static inline struct tn_attr *rewrite_next_attr(const struct tn_model *model,
                                                uint32_t op, uint32_t *at)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr  = NULL;

    while (*at < tn_op_attr_count(model, op) &&
           tn_attr_open(&attr, model, op, (*at)++, &error) == TN_OK) {
        if (!rewrite_is_naming(tn_attr_name(attr)))
            return attr;
        tn_attr_close(attr);
        attr = NULL;
    }
    return NULL;
}

static inline void rewrite_same_attrs(const struct rewrite *r, uint32_t op)
{
    uint32_t at[2] = { 0, 0 };

    for (;;) {
        struct tn_attr *a = rewrite_next_attr(r->a, op, &at[0]);
        struct tn_attr *b = rewrite_next_attr(r->b, op, &at[1]);
        if (a && (!b || !rewrite_same_text(tn_attr_name(a), tn_attr_name(b)) ||
                  !rewrite_same_value(tn_attr_get(a), tn_attr_get(b))))
            rewrite_die(r, "an attribute is not what it was", tn_attr_name(a));
        if (!a && b && at[0] >= tn_op_attr_count(r->a, op))
            rewrite_die(r, "an attribute is new", tn_attr_name(b));
        tn_attr_close(a);
        tn_attr_close(b);
        if (!a)
            return;
    }
}

static inline void rewrite_same_node(const struct rewrite *r, uint32_t op)
{
    struct tn_op_info a = tn_model_op(r->a, op), b = tn_model_op(r->b, op);
    bool              is_same = rewrite_same_text(a.type, b.type) &&
                   rewrite_same_text(a.name, b.name) && a.graph == b.graph &&
                   a.input_count == b.input_count &&
                   a.control_count == b.control_count &&
                   a.output_count == b.output_count;

    for (uint32_t i = 0; is_same && i < a.input_count; i++)
        is_same = rewrite_same_text(
            rewrite_value_name(r->a, tn_op_input(r->a, op, i)),
            rewrite_value_name(r->b, tn_op_input(r->b, op, i)));
    for (uint32_t i = 0; is_same && i < a.output_count; i++)
        is_same = rewrite_same_text(
            rewrite_value_name(r->a, tn_op_output(r->a, op, i)),
            rewrite_value_name(r->b, tn_op_output(r->b, op, i)));
    if (!is_same)
        rewrite_die(r, "an operator is not what it was", a.type);
    rewrite_same_attrs(r, op);
}

/* In the same order, in all graphs. */
static inline void rewrite_same_nodes(const struct rewrite *r)
{
    if (tn_model_graph_count(r->a) != tn_model_graph_count(r->b) ||
        tn_model_op_count(r->a) != tn_model_op_count(r->b))
        rewrite_die(r, "the number of graphs or operators changed",
                    (struct tn_bytes){ NULL, 0 });
    for (uint32_t i = 0; i < tn_model_op_count(r->a); i++)
        rewrite_same_node(r, i);
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

/* Whether it opens when memory has no limit; any other limit is a promise. */
static inline bool is_short_of_memory(const char       *path,
                                      struct tn_options options)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    options.max_memory    = 0;
    enum tn_status status = tn_model_open(&model, path, &options, &error);
    tn_model_close(model);
    return status == TN_OK;
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
        if (error.status == TN_NO_MEMORY || is_short_of_memory(path, options))
            return NULL; /* close to what may be used: no claim */
        fprintf(stderr, "%s, %s: what was written is not read: %s: %s\n",
                format, step, error.where, error.what);
        abort();
    }
    return model;
}

/* Records of parameters have no names. */
static inline void rewrite_same_all(const struct rewrite *r)
{
    rewrite_same_io(r, tn_model_inputs(r->a), tn_model_inputs(r->b), true);
    rewrite_same_io(r, tn_model_outputs(r->a), tn_model_outputs(r->b), true);
    rewrite_same_ops(r);
    rewrite_same_nodes(r);
    rewrite_same_tensors(r, strcmp(r->format, "paddle-params") != 0);
}

/* PIR says blocks and constants of a program in other words, and an output has
 * a name of its own there beside that of the variable. */
static inline void rewrite_same_first(const struct rewrite *r, bool is_lossless)
{
    const char *dialect = tn_model_dialect(r->b);
    bool        is_worded_anew =
        strcmp(r->format, "paddle-pir") == 0 &&
        strcmp(tn_model_format(r->a), tn_model_format(r->b)) != 0;

    if (!is_lossless || strcmp(dialect, tn_model_dialect(r->a)) != 0)
        return;
    if (!is_worded_anew && dialect[0]) {
        rewrite_same_all(r);
        return;
    }
    if (dialect[0]) {
        rewrite_same_io(r, tn_model_inputs(r->a), tn_model_inputs(r->b), true);
        rewrite_same_io(r, tn_model_outputs(r->a), tn_model_outputs(r->b),
                        false);
    }
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

static inline int rewrite_hear(void *context, const struct tn_finding *finding)
{
    (void)context;
    if (!finding->rule[0] || !finding->what[0])
        abort();
    return 0;
}

/* A file of the folder, checked and opened; NULL: it is refused, with a reason.
 */
static inline struct tn_model *rewrite_open_built(const char *name)
{
    struct tn_check_summary summary;
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_model        *model;
    char                    path[400];

    snprintf(path, sizeof path, "%s/%s", rewrite_folder, name);
    tn_check(path, &rewrite_options, NULL, rewrite_hear, NULL, &summary,
             &error);
    error = (struct tn_error)TN_ERROR_INIT;
    if (tn_model_open(&model, path, &rewrite_options, &error) != TN_OK &&
        !error.what[0])
        abort();
    return model;
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
