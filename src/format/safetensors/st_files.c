/*
 * st_files.c - the files of a safetensors model, compared with their index
 *
 * A model is one file, or several with an index beside them that says which
 * tensor is where.  Readers open the files that the index names and take
 * everything in them, so index and headers must agree.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "format/safetensors/st.h"

/* ---- which files -------------------------------------------------------- */

/* The index of a folder, else its only file. */
static const char *choose(struct tn_st_files *files)
{
    const char *const *names;
    uint64_t           count;
    const char        *found = NULL, *index = NULL, *other = NULL;

    if (tn_bundle_list(files->bundle, "", &names, &count, files->error) !=
        TN_OK)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        const char **slot = tn_text_ends_with(names[i], TN_ST_INDEX_SUFFIX)
                                ? &index
                            : tn_text_ends_with(names[i], TN_ST_SUFFIX) ? &found
                                                                        : NULL;
        if (slot && *slot)
            other = names[i];
        if (slot)
            *slot = names[i];
    }
    if (!index && !found)
        tn_error_set(files->error, TN_NOT_FOUND, TN_NOWHERE,
                     "no safetensors file in this folder");
    else if (other && (!index || tn_text_ends_with(other, TN_ST_INDEX_SUFFIX)))
        tn_error_set(files->error, TN_NOT_FOUND, TN_NOWHERE,
                     "several models in this folder: open one, such as %s",
                     other);
    return index ? index : found;
}

/* An index is text; a file begins with a length, which is never that large. */
static bool is_index(struct tn_source *source, struct tn_error *error)
{
    uint8_t head[16] = { 0 };
    size_t  size = (size_t)tn_min(source->size, sizeof head), at = 0;

    if (tn_source_read(source, 0, head, size, error) != TN_OK)
        return false;
    while (at < size && memchr(" \t\r\n", head[at], 4))
        at++;
    bool is_short = true; /* bytes 4 to 7 of a length are zero */
    for (unsigned i = 4; i < 8; i++)
        is_short = is_short && head[i] == 0;
    return at < size && head[at] == '{' && !is_short;
}

static struct tn_source *main_source(struct tn_st_files *files)
{
    struct tn_source *source = files->bundle->main;
    const char       *name;

    if (source || !(name = choose(files)) || tn_failed(files->error))
        return source;
    tn_bundle_sibling(files->bundle, tn_text(name), &source, files->error);
    return source;
}

/* ---- reading them ------------------------------------------------------- */

/* A finding about the index; without a report, a failure. */
static void complain(struct tn_st_files *files, enum tn_finding_level level,
                     const char *rule, struct tn_error *finding)
{
    if (files->report)
        tn_report_add(files->report, level, rule, finding);
    else if (level == TN_LEVEL_ERROR && !tn_failed(files->error))
        *files->error = *finding;
}

static void read_file(struct tn_st_files *files, struct tn_source *source)
{
    struct tn_st_file *file =
        tn_list_push(&files->files, struct tn_st_file, files->error);

    if (!file)
        return;
    tn_st_file_init(file, files->bundle->memory);
    tn_st_file_read(file, source, files->arena, files->report, files->error);
}

/* Reads a file that the index names.  With a report, the others are read even
 * if one is bad. */
static void read_shard(struct tn_st_files *files, struct tn_bytes name)
{
    struct tn_error   first  = TN_ERROR_INIT;
    struct tn_source *source = NULL;

    if (!files->report) {
        if (tn_bundle_sibling(files->bundle, name, &source, files->error) ==
            TN_OK)
            read_file(files, source);
        else
            tn_error_where(files->error, "weight_map");
        return;
    }
    if (tn_bundle_sibling(files->bundle, name, &source, &first) != TN_OK) {
        tn_error_where(&first, "weight_map");
        complain(files, TN_LEVEL_ERROR, "missing-shard", &first);
        return;
    }
    struct tn_error *kept = files->error;
    files->error          = &first;
    read_file(files, source);
    files->error = kept;
    if (tn_machine_failed(&first))
        *files->error = first;
    else if (tn_failed(&first))
        complain(files, TN_LEVEL_ERROR, "bad-shard", &first);
}

static void read_shards(struct tn_st_files *files)
{
    struct tn_list  *places = &files->index.places;
    struct tn_intern names;

    tn_intern_init(&names, files->arena);
    for (uint64_t i = 0; i < places->count && !tn_failed(files->error); i++) {
        uint32_t        known = tn_intern_count(&names);
        struct tn_bytes file = tn_list_at(places, struct tn_weight_place, i)->file;
        if (tn_intern_borrow(&names, file, files->error) == known)
            read_shard(files, file);
    }
    tn_intern_done(&names);
}

/* ---- index against files ------------------------------------------------ */

/* Which file the index says that a tensor is in, and whether it is there. */
struct place {
    struct tn_bytes file;
    bool            is_found;
};

struct matching {
    struct tn_intern names;  /* of the index                                  */
    struct place    *places; /* by id of the name                             */
    struct tn_intern strays; /* names that only the files have                */
};

static struct tn_error about(struct tn_source *source, uint64_t offset,
                             struct tn_bytes name)
{
    struct tn_error finding = TN_ERROR_INIT;

    finding.offset = offset;
    finding.status = TN_MALFORMED;
    tn_error_where(&finding, "%.*s", TN_FMT(name));
    tn_error_file(&finding, source->name);
    return finding;
}

#define SAY(finding, ...)                                                      \
    snprintf((finding).what, sizeof(finding).what, __VA_ARGS__)

static void match_stray(struct tn_st_files *files, struct matching *m,
                        const struct tn_st_tensor *t, struct tn_error *finding)
{
    uint32_t known = tn_intern_count(&m->strays);
    bool is_new = tn_intern_borrow(&m->strays, t->name, files->error) == known;

    if (is_new) {
        SAY(*finding, "a tensor that the index does not know");
        complain(files, TN_LEVEL_WARNING, "stray-tensor", finding);
    } else if (!tn_failed(files->error)) {
        SAY(*finding, "in two files, and the index does not know it");
        complain(files, TN_LEVEL_ERROR, "duplicate-name", finding);
    }
}

static void match_tensor(struct tn_st_files *files, struct matching *m,
                         const struct tn_st_tensor *t)
{
    uint32_t        id      = tn_intern_find(&m->names, t->name);
    struct tn_error finding = about(t->wire.source, t->wire.offset, t->name);

    if (id == TN_NO_NAME) {
        match_stray(files, m, t, &finding);
    } else if (!tn_bytes_is(m->places[id].file, t->wire.source->name)) {
        SAY(finding, "a tensor that the index says is in %.*s",
            TN_FMT(m->places[id].file));
        complain(files, TN_LEVEL_ERROR, "misplaced-tensor", &finding);
    } else {
        m->places[id].is_found = true;
    }
}

static void report_missing(struct tn_st_files *files, const struct matching *m)
{
    for (uint32_t id = 0; id < tn_intern_count(&m->names); id++) {
        struct tn_error finding = about(files->index_source, TN_NOWHERE,
                                        tn_intern_text(&m->names, id));
        if (m->places[id].is_found)
            continue;
        SAY(finding, "%.*s has no such tensor", TN_FMT(m->places[id].file));
        complain(files, TN_LEVEL_ERROR, "missing-tensor", &finding);
    }
}

static void match_all(struct tn_st_files *files, struct matching *m)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < files->files.count; i++) {
        struct tn_st_file *file =
            tn_list_at(&files->files, struct tn_st_file, i);
        for (uint64_t k = 0; k < file->tensors.count; k++) {
            const struct tn_st_tensor *t =
                tn_list_at(&file->tensors, struct tn_st_tensor, k);
            match_tensor(files, m, t);
            total += t->end - t->begin;
        }
    }
    report_missing(files, m);
    if (files->index.has_total_size && files->index.total_size != total) {
        struct tn_error finding = about(files->index_source, TN_NOWHERE,
                                        tn_text("metadata.total_size"));
        SAY(finding, "says %" PRIu64 " bytes, the tensors have %" PRIu64,
            files->index.total_size, total);
        complain(files, TN_LEVEL_WARNING, "wrong-total", &finding);
    }
}

static void match_index(struct tn_st_files *files)
{
    struct tn_list *places  = &files->index.places;
    struct matching m       = { .places = tn_new(files->arena, struct place,
                                                 places->count, files->error) };

    if (!m.places)
        return;
    tn_intern_init(&m.names, files->arena);
    tn_intern_init(&m.strays, files->arena);
    for (uint64_t i = 0; i < places->count && !tn_failed(files->error); i++) {
        const struct tn_weight_place *at =
            tn_list_at(places, struct tn_weight_place, i);
        tn_intern_borrow(&m.names, at->name, files->error);
        m.places[i].file = at->file;
    }
    if (!tn_failed(files->error))
        match_all(files, &m);
    tn_intern_done(&m.names);
    tn_intern_done(&m.strays);
}

enum tn_status tn_st_files_open(struct tn_st_files *files,
                                struct tn_bundle   *bundle,
                                struct tn_arena    *arena,
                                struct tn_report   *report,
                                struct tn_error    *error)
{
    struct tn_source *source;

    *files = (struct tn_st_files){
        .bundle = bundle, .arena = arena, .report = report, .error = error
    };
    tn_weight_map_init(&files->index, bundle->memory);
    tn_list_init(&files->files, bundle->memory, sizeof(struct tn_st_file));
    source = main_source(files);
    if (tn_failed(error))
        return error->status;
    files->has_index    = is_index(source, error);
    files->index_source = source;
    if (tn_failed(error))
        return error->status;
    if (!files->has_index) {
        read_file(files, source);
        return error->status;
    }
    TN_TRY(tn_weight_map_read(&files->index, source, arena, error));
    read_shards(files);
    if (!tn_failed(error))
        match_index(files);
    return error->status;
}

void tn_st_files_close(struct tn_st_files *files)
{
    for (uint64_t i = 0; i < files->files.count; i++)
        tn_st_file_done(tn_list_at(&files->files, struct tn_st_file, i));
    tn_list_done(&files->files);
    tn_weight_map_done(&files->index);
}
