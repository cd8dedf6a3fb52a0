/*
 * sd_checkpoints.c - the format sd-checkpoints: a folder that
 * Deeplearning4j's listener writes while it trains
 *
 *   checkpointInfo.txt   checkpointNum,timestamp,iteration,epoch,filename
 *                        0,1577836800000,1000,2,checkpoint-0_epoch-2_....bin
 *   checkpoint-*.bin     a FlatGraph each (or SDNB, since 2025)
 *
 * Oldest first.  Checkpoints that were deleted stay in the list.  Those that
 * are there are versions of a model, as the tags of a container are, and are
 * called checkpoint-<number>.
 */
#include "base/utf8.h"
#include "base/byte_view.h"
#include "format/samediff/sd_check.h"
#include "format/samediff/sdnb.h"
#include "format/samediff/tag_text.h"
#include "format/settings.h"

#define LIST_NAME  "checkpointInfo.txt"
#define LIST_FIRST "checkpointNum,timestamp,iteration,epoch,filename"
#define LIST_LIMIT (UINT64_C(16) << 20)

struct checkpoint {
    struct tn_bytes fields[5]; /* in their order                              */
    struct tn_bytes tag;       /* "checkpoint-3"                              */
    const char     *name;      /* of the file                                 */
    uint64_t        offset;    /* of the line                                 */
};

struct folder {
    struct tn_bundle *bundle;
    struct tn_error  *error;
    struct tn_arena  *arena;
    struct tn_list    there; /* struct checkpoint                             */
    struct tn_list    gone;  /* the same of files that were deleted           */
    struct tn_intern  tags;
};

/* ---- the list ----------------------------------------------------------- */

static void refuse(struct folder *f, uint64_t offset, const char *what)
{
    tn_error_set(f->error, TN_MALFORMED, offset, "%s", what);
    tn_error_file(f->error, LIST_NAME);
}

/* The last field is a name, which may have commas. */
static bool cut_fields(struct tn_bytes line, struct tn_bytes *fields)
{
    for (int i = 0; i < 4; i++) {
        const uint8_t *comma = tn_bytes_find(line, ',');
        if (!comma)
            return false;
        fields[i] = tn_bytes(line.data, (size_t)(comma - line.data));
        line      = tn_bytes(comma + 1, line.size - fields[i].size - 1);
    }
    fields[4] = line;
    return line.size > 0;
}

static bool is_number(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0 && text.size <= 19;
}

static bool is_record(const struct checkpoint *c)
{
    for (int i = 0; i < 4; i++)
        if (!is_number(c->fields[i]))
            return false;
    return tn_utf8_is_valid(c->fields[4]);
}

static void add_record(struct folder *f, struct tn_bytes line, uint64_t offset)
{
    struct checkpoint c = { .offset = offset };

    if (!cut_fields(line, c.fields) || !is_record(&c)) {
        refuse(f, offset, "no record of a checkpoint: four numbers and a name");
        return;
    }
    const char *tag = tn_text_format(f->arena, f->error, "checkpoint-%.*s",
                                     TN_FMT(c.fields[0]));
    c.name = tn_text_format(f->arena, f->error, "%.*s", TN_FMT(c.fields[4]));
    if (!tag || !c.name)
        return;
    c.tag          = tn_text(tag);
    uint32_t known = tn_intern_count(&f->tags);
    if (tn_intern_borrow(&f->tags, c.tag, f->error) < known) {
        refuse(f, offset, "a checkpoint of a number that was there already");
        return;
    }
    bool               is_there = tn_bundle_has(f->bundle, c.name);
    struct checkpoint *slot     = tn_list_push(is_there ? &f->there : &f->gone,
                                           struct checkpoint, f->error);
    if (slot)
        *slot = c;
}

static void read_lines(struct folder *f, struct tn_bytes text)
{
    uint64_t offset = 0;

    for (bool is_first = true; text.size && !tn_failed(f->error);
         is_first      = false) {
        const uint8_t  *end  = tn_bytes_find(text, '\n');
        size_t          size = end ? (size_t)(end - text.data) : text.size;
        struct tn_bytes line = tn_bytes(text.data, size);
        if (size && line.data[size - 1] == '\r')
            line.size--;
        if (is_first && !tn_bytes_is(line, LIST_FIRST))
            refuse(f, 0, "the first line is not '" LIST_FIRST "'");
        else if (!is_first && line.size)
            add_record(f, line, offset);
        size += end != NULL;
        offset += size;
        text = tn_bytes(text.data + size, text.size - size);
    }
}

/* Close it whatever the outcome. */
static enum tn_status open_folder(struct folder *f, struct tn_bundle *bundle,
                                  struct tn_error *error)
{
    struct tn_source *list;
    const uint8_t    *bytes;

    *f = (struct folder){ .bundle = bundle,
                          .error  = error,
                          .arena  = &bundle->arena };
    tn_list_init(&f->there, bundle->memory, sizeof(struct checkpoint));
    tn_list_init(&f->gone, bundle->memory, sizeof(struct checkpoint));
    tn_intern_init(&f->tags, &bundle->arena);
    TN_TRY(tn_bundle_sibling(bundle, tn_text(LIST_NAME), &list, error));
    if (list->size > LIST_LIMIT) {
        tn_error_set(error, TN_LIMIT, LIST_LIMIT, "a list of %" PRIu64 " bytes",
                     list->size);
        tn_error_file(error, LIST_NAME);
        return error->status;
    }
    bytes = tn_source_pin(list, 0, (size_t)list->size, error);
    if (bytes || list->size == 0)
        read_lines(f, tn_bytes(bytes, (size_t)list->size));
    if (!tn_failed(error) && f->there.count == 0)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "no checkpoint of " LIST_NAME " is there");
    return error->status;
}

static void close_folder(struct folder *f)
{
    tn_list_done(&f->there);
    tn_list_done(&f->gone);
    tn_intern_done(&f->tags);
}

static struct checkpoint *there_at(const struct folder *f, uint64_t index)
{
    return tn_list_at(&f->there, struct checkpoint, index);
}

/* ---- a checkpoint as a model -------------------------------------------- */

static enum tn_status read_checkpoint(struct folder           *f,
                                      const struct checkpoint *c,
                                      struct tn_model         *model)
{
    struct tn_source *source;
    uint8_t           magic[4] = { 0 };

    TN_TRY(tn_bundle_sibling(f->bundle, tn_text(c->name), &source, f->error));
    if (source->size >= sizeof magic)
        TN_TRY(tn_source_read(source, 0, magic, sizeof magic, f->error));
    if (memcmp(magic, TN_SDNB_MAGIC, sizeof magic) == 0)
        tn_sdnb_read(model, &source, 1, f->error);
    else
        tn_sd_classic_read(model, source, f->error);
    tn_error_file(f->error, c->name);
    return f->error->status;
}

static const struct checkpoint *choose(struct folder *f, const char *tag)
{
    if (!tag)
        return there_at(f, f->there.count - 1);
    for (uint64_t i = 0; i < f->there.count; i++)
        if (tn_tag_equal(there_at(f, i)->tag, tn_text(tag)))
            return there_at(f, i);
    tn_error_set(f->error, TN_NOT_FOUND, TN_NOWHERE, "no tag '%s'", tag);
    return NULL;
}

static void add_facts(struct folder *f, const struct checkpoint *c,
                      struct tn_model *model)
{
    tn_model_add_fact(model, "tag", c->tag, f->error);
    tn_model_add_fact(model, "iteration", c->fields[2], f->error);
    tn_model_add_fact(model, "epoch", c->fields[3], f->error);
    tn_model_add_fact_format(model, f->error, "checkpoints", "%" PRIu64,
                             f->there.count);
    for (uint64_t i = 0; i < f->there.count; i++) {
        struct tn_bytes *slot =
            tn_list_push(&model->tags, struct tn_bytes, f->error);
        if (slot)
            *slot = there_at(f, i)->tag;
    }
}

static enum tn_status checkpoints_open(struct tn_bundle *bundle,
                                       struct tn_model  *model,
                                       struct tn_error  *error)
{
    struct folder            f;
    const struct checkpoint *c = NULL;

    if (bundle->main)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "checkpoints are a folder");
    if (open_folder(&f, bundle, error) == TN_OK)
        c = choose(&f, model->wants_tag);
    if (c && read_checkpoint(&f, c, model) == TN_OK)
        add_facts(&f, c, model);
    close_folder(&f);
    return error->status;
}

/* ---- checking ------------------------------------------------------------ */

/* Every checkpoint but the open one, which is checked separately. */
static void check_others(struct folder *f, const struct tn_model *open,
                         struct tn_report *report)
{
    const struct checkpoint *checked = choose(f, open->wants_tag);

    for (uint64_t i = 0;
         i < f->there.count && !tn_failed(f->error) && !report->is_stopped;
         i++) {
        const struct checkpoint *c   = there_at(f, i);
        struct tn_error          own = TN_ERROR_INIT;
        struct tn_model          model;
        if (c == checked)
            continue;
        tn_model_init(&model, f->bundle->memory);
        model.wants_graph        = true;
        struct tn_error *outside = f->error;
        f->error                 = &own;
        if (read_checkpoint(f, c, &model) == TN_OK &&
            tn_model_finish(&model, &own) == TN_OK)
            tn_sd_check(f->bundle, &model, report, &own);
        f->error = outside;
        if (own.status == TN_NO_MEMORY || own.status == TN_CANCELLED)
            *f->error = own;
        else if (tn_failed(&own))
            tn_report_add(report, TN_LEVEL_ERROR, "checkpoint-broken", &own);
        tn_model_done(&model);
    }
}

static enum tn_status checkpoints_check(struct tn_bundle      *bundle,
                                        const struct tn_model *model,
                                        struct tn_report      *report,
                                        struct tn_error       *error)
{
    struct folder f;

    TN_TRY(tn_sd_check(bundle, model, report, error));
    if (open_folder(&f, bundle, error) == TN_OK)
        check_others(&f, model, report);
    for (uint64_t i = 0; i < f.gone.count && !tn_failed(error); i++) {
        const struct checkpoint *c = tn_list_at(&f.gone, struct checkpoint, i);
        tn_report_format(report, TN_LEVEL_NOTE, "checkpoint-gone", LIST_NAME,
                         c->offset, "", "%s was deleted", c->name);
    }
    close_folder(&f);
    return error->status;
}

static int checkpoints_probe(const struct tn_probe *probe)
{
    for (uint64_t i = 0; i < probe->entry_count; i++)
        if (strcmp(probe->entries[i], LIST_NAME) == 0)
            return 48;
    return 0;
}

const struct tn_format tn_format_sd_checkpoints = {
    .name        = "sd-checkpoints",
    .title       = "SameDiff folder of checkpoints",
    .dialect     = "nd4j",
    .suffixes    = (const char *const[]){ NULL },
    .dialect_ops = &tn_dialect_nd4j,
    .has_tags    = true,
    .probe       = checkpoints_probe,
    .open        = checkpoints_open,
    .check       = checkpoints_check,
    .check_graph = tn_sd_check_graph,
    .settings    = tn_sdnb_settings + 1 /* it is not written */,
    .describe    = tn_sd_describe,
    .report_rest = tn_sd_report_rest,
};
