/*
 * gguf_files.c - the files of a GGUF model
 *
 * A model is one file, or shards whose names say how many there are.  The first
 * shard has the metadata, and each says which it is; so any of them leads to
 * all.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/intern.h"
#include "format/gguf/gguf.h"

#define DIGITS 5

bool tn_gguf_is_split_key(struct tn_bytes key)
{
    return tn_bytes_is(key, "split.no") || tn_bytes_is(key, "split.count") ||
           tn_bytes_is(key, "split.tensors.count");
}

static bool read_digits(const char *at, unsigned *number)
{
    *number = 0;
    for (unsigned i = 0; i < DIGITS; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
        *number = *number * 10 + (unsigned)(at[i] - '0');
    }
    return true;
}

bool tn_gguf_shard_name(const char *name, struct tn_bytes *prefix,
                        unsigned *number, unsigned *count)
{
    static const char tail[] = "-00001-of-00001" TN_GGUF_SUFFIX;
    size_t            size = strlen(name), tail_size = sizeof tail - 1;

    if (size <= tail_size || !tn_text_ends_with(name, TN_GGUF_SUFFIX))
        return false;
    const char *at = name + size - tail_size;
    *prefix        = tn_bytes(name, size - tail_size);
    return at[0] == '-' && memcmp(at + 6, "-of-", 4) == 0 &&
           read_digits(at + 1, number) && read_digits(at + 10, count) &&
           *number >= 1 && *number <= *count;
}

/* ---- complaints ----------------------------------------------------------- */

static struct tn_error about(const struct tn_source *source, uint64_t offset,
                             const char *where)
{
    struct tn_error finding = TN_ERROR_INIT;

    finding.status = TN_MALFORMED;
    finding.offset = offset;
    tn_error_where(&finding, "%s", where);
    tn_error_file(&finding, source->name);
    return finding;
}

#define SAY(finding, ...)                                                      \
    snprintf((finding).what, sizeof(finding).what, __VA_ARGS__)

/* A finding; without a report, a failure. */
static void complain(struct tn_gguf_files *files, const char *rule,
                     const struct tn_error *finding)
{
    if (files->report)
        tn_report_add(files->report, TN_LEVEL_ERROR, rule, finding);
    else if (!tn_failed(files->error))
        *files->error = *finding;
}

/* ---- reading -------------------------------------------------------------- */

static struct tn_gguf_file *read_file(struct tn_gguf_files *files,
                                      struct tn_source     *source)
{
    struct tn_gguf_file *file =
        tn_list_push(&files->files, struct tn_gguf_file, files->error);

    if (!file)
        return NULL;
    tn_gguf_file_init(file, files->bundle->memory);
    tn_gguf_file_read(file, source, files->bundle->memory, files->report,
                      files->error);
    return file;
}

/* Compares the number in a shard with that in its name. */
static void check_split(struct tn_gguf_files      *files,
                        const struct tn_gguf_file *file, unsigned number,
                        unsigned count)
{
    static const char *const keys[] = { "split.no", "split.count" };

    for (unsigned i = 0; i < 2; i++) {
        const struct tn_gguf_pair *pair = tn_gguf_find(file, keys[i]);
        unsigned                   want = i ? count : number - 1;
        int64_t                    has  = -1;
        bool is_there           = pair && tn_gguf_integer(pair, &has);
        struct tn_error finding = about(
            file->source, pair ? pair->value.offset : TN_NOWHERE, keys[i]);
        if (is_there && has == (int64_t)want)
            continue;
        if (is_there)
            SAY(finding, "says %" PRId64 ", the name of the file says %u", has,
                want);
        else
            SAY(finding, "is missing; the name of the file says %u", want);
        complain(files, "wrong-shard", &finding);
    }
}

/* With a report, the other shards are read even if one is bad. */
static void read_shard(struct tn_gguf_files *files, struct tn_bytes prefix,
                       unsigned number, unsigned count)
{
    struct tn_error   own    = TN_ERROR_INIT;
    struct tn_source *source = NULL;
    char              name[512];

    snprintf(name, sizeof name, TN_GGUF_SHARD_FORMAT, TN_FMT(prefix), number,
             count);
    if (tn_bundle_sibling(files->bundle, tn_text(name), &source, &own) !=
        TN_OK) {
        if (files->is_lax && own.status == TN_NOT_FOUND)
            return;
        if (tn_machine_failed(&own) && !tn_failed(files->error))
            *files->error = own;
        else
            complain(files, "missing-shard", &own);
        return;
    }
    struct tn_error *kept = files->error;
    if (files->report)
        files->error = &own;
    struct tn_gguf_file *file = read_file(files, source);
    if (file && !tn_failed(files->error))
        check_split(files, file, number, count);
    files->error = kept;
    if (tn_machine_failed(&own))
        *files->error = own;
    else if (files->report && tn_failed(&own))
        complain(files, "bad-shard", &own);
    if (file && tn_failed(&own)) { /* it has no tensors */
        tn_gguf_file_done(file);
        files->files.count--;
    }
}

/* Names of tensors are unique in all files together. */
static void check_names(struct tn_gguf_files *files)
{
    struct tn_arena  arena;
    struct tn_intern names;
    uint64_t         total = 0;

    tn_arena_init(&arena, files->bundle->memory);
    tn_intern_init(&names, &arena);
    for (uint64_t i = 0; i < files->files.count; i++) {
        struct tn_gguf_file *file =
            tn_list_at(&files->files, struct tn_gguf_file, i);
        total += file->tensors.count;
        for (uint64_t k = 0; k < file->tensors.count; k++) {
            struct tn_gguf_tensor *t =
                tn_list_at(&file->tensors, struct tn_gguf_tensor, k);
            uint32_t known = tn_intern_count(&names);
            uint32_t id = tn_intern_borrow(&names, t->name, files->error);
            if (tn_failed(files->error))
                break;
            if (id != known) {
                struct tn_error finding =
                    about(file->source, t->wire.offset, "");
                tn_error_where(&finding, "%.*s", TN_FMT(t->name));
                SAY(finding, "two shards have a tensor of this name");
                complain(files, "duplicate-name", &finding);
            }
        }
    }
    tn_intern_done(&names);
    tn_arena_done(&arena);
    const struct tn_gguf_file *first =
        tn_list_at(&files->files, struct tn_gguf_file, 0);
    const struct tn_gguf_pair *pair =
        files->files.count ? tn_gguf_find(first, "split.tensors.count") : NULL;
    int64_t says;
    if (pair && tn_gguf_integer(pair, &says) && !files->is_lax &&
        files->report && (says < 0 || (uint64_t)says != total)) {
        struct tn_error finding = about(first->source, pair->value.offset,
                                        "split.tensors.count");
        SAY(finding, "says %" PRId64 ", the shards have %" PRIu64 " tensors",
            says, total);
        complain(files, "wrong-count", &finding);
    }
}

/* A file that is one of several by its metadata, but not by its name. */
static void check_alone(struct tn_gguf_files      *files,
                        const struct tn_gguf_file *file)
{
    const struct tn_gguf_pair *pair = tn_gguf_find(file, "split.count");
    int64_t                    count;

    if (!pair || !tn_gguf_integer(pair, &count) || count <= 1 || files->is_lax)
        return;
    struct tn_error finding =
        about(file->source, pair->value.offset, "split.count");
    SAY(finding,
        "one of %" PRId64 " shards, but the file is not called "
        "NAME-00001-of-%05" PRId64 ".gguf: the others cannot be found",
        count, count);
    finding.status = TN_NOT_FOUND;
    complain(files, "missing-shard", &finding);
}

enum tn_status tn_gguf_files_open(struct tn_gguf_files *files,
                                  struct tn_bundle     *bundle,
                                  struct tn_report *report, bool is_lax,
                                  struct tn_error *error)
{
    struct tn_bytes prefix;
    unsigned        number, count;

    *files = (struct tn_gguf_files){
        .bundle = bundle, .report = report, .is_lax = is_lax, .error = error
    };
    tn_list_init(&files->files, bundle->memory, sizeof(struct tn_gguf_file));
    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a GGUF file");
    if (!tn_bundle_has_folder(bundle) ||
        !tn_gguf_shard_name(bundle->name, &prefix, &number, &count) ||
        count == 1) {
        struct tn_gguf_file *file = read_file(files, bundle->main);
        if (file && !tn_failed(error))
            check_alone(files, file);
        return error->status;
    }
    for (unsigned i = 1; i <= count && !tn_failed(error); i++)
        read_shard(files, prefix, i, count);
    if (!tn_failed(error))
        check_names(files);
    return error->status;
}

void tn_gguf_files_close(struct tn_gguf_files *files)
{
    for (uint64_t i = 0; i < files->files.count; i++)
        tn_gguf_file_done(tn_list_at(&files->files, struct tn_gguf_file, i));
    tn_list_done(&files->files);
}
