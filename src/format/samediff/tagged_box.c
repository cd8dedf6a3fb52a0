/* tagged_box.c - the entries of a tagged container: tags, texts, arrays */
#include "format/samediff/tagged.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/byte_view.h"
#include "base/utf8.h"
#include "wire/fb/fb_verify.h"

#define TEXT_LIMIT (UINT64_C(1) << 30)
#define NAME_ROOM  1024 /* of a tag and a file below it                    */
#define HEAD_SIZE  256  /* of an array, before its elements, at most          */

/* ---- opening ------------------------------------------------------------ */

static enum tn_status read_tags(struct tn_tagged *t, struct tn_error *error)
{
    const struct tn_zip_entry *entry =
        tn_zip_find_folded(t->zip, tn_text("tags.txt"));
    struct tn_tag_text text = { .entry = "tags.txt", .report = t->report };

    if (!entry)
        return tn_error_set(error, TN_MALFORMED, t->zip->directory_offset,
                            "no tags.txt, the list of tags");
    TN_TRY(tn_tagged_load(t, entry, &t->arena, &text.bytes, error));
    text.offset =
        entry->method == TN_ZIP_STORED ? entry->data_offset : entry->offset;
    TN_TRY(tn_tag_text_tags(&text, &t->arena, &t->tags, &t->tag_count, error));
    if (t->tag_count == 0) {
        tn_error_set(error, TN_MALFORMED, text.offset, "a list of no tags");
        tn_zip_where(entry, error);
    }
    return error->status;
}

enum tn_status tn_tagged_begin(struct tn_tagged *t, struct tn_zip *zip,
                               struct tn_memory *memory,
                               struct tn_bundle *bundle,
                               struct tn_report *report, struct tn_error *error)
{
    *t = (struct tn_tagged){
        .zip = zip, .memory = memory, .bundle = bundle, .report = report
    };
    tn_arena_init(&t->arena, memory);
    tn_list_init(&t->kept, memory, sizeof(struct tn_source *));
    return read_tags(t, error);
}

void tn_tagged_end(struct tn_tagged *t)
{
    for (uint64_t i = 0; i < t->kept.count; i++)
        tn_source_close(*tn_list_at(&t->kept, struct tn_source *, i));
    tn_list_done(&t->kept);
    tn_arena_done(&t->arena);
}

/* ---- names -------------------------------------------------------------- */

void tn_tagged_no_tag(const struct tn_tagged *t, struct tn_bytes tag,
                      struct tn_error *error)
{
    char   list[120] = "";
    size_t used      = 0;

    for (uint32_t i = 0; i < t->tag_count; i++) {
        if (t->tags[i].size + sizeof ", ..., " > sizeof list - used) {
            used += (size_t)snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s",
                                 i ? ", " : "", TN_FMT(t->tags[i]));
    }
    tag = tn_utf8_cut(tag, 40);
    tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                 "no tag '%.*s'; the file has %s", TN_FMT(tag), list);
}

uint32_t tn_tagged_find(const struct tn_tagged *t, struct tn_bytes tag)
{
    for (uint32_t i = 0; i < t->tag_count; i++)
        if (tn_tag_equal(t->tags[i], tag))
            return i;
    return TN_NONE;
}

const char *tn_tagged_folder(enum tn_tag_file which)
{
    return which == TN_TAG_PARAMS ? "params" : "updater";
}

bool tn_tagged_is_in(struct tn_bytes path, enum tn_tag_file which)
{
    const char *folder = tn_tagged_folder(which);
    size_t      size   = strlen(folder);

    return path.size > size + 1 && tn_bytes_starts_with(path, folder) &&
           path.data[size] == '/';
}

bool tn_tag_is_below(const struct tn_zip_entry *entry, struct tn_bytes tag)
{
    const uint8_t *slash = tn_bytes_find(entry->name, '/');
    size_t         size  = slash ? (size_t)(slash - entry->name.data) : 0;

    return slash && entry->name.size > size + 1 &&
           tn_tag_equal(tn_bytes(entry->name.data, size), tag);
}

const char *tn_tagged_text_name(enum tn_tag_file which)
{
    return which == TN_TAG_PARAMS ? "params.txt" : "updater.txt";
}

const struct tn_zip_entry *tn_tagged_entry(const struct tn_tagged *t,
                                           struct tn_bytes         tag,
                                           const char             *name)
{
    char room[NAME_ROOM];
    int  size = snprintf(room, sizeof room, "%.*s/%s", TN_FMT(tag), name);

    if (size < 0 || (size_t)size >= sizeof room)
        return NULL;
    return tn_zip_find_folded(t->zip, tn_bytes(room, (size_t)size));
}

const struct tn_zip_entry *tn_tagged_ref(const struct tn_tagged  *t,
                                         struct tn_bytes          tag,
                                         enum tn_tag_file         which,
                                         const struct tn_tag_ref *ref,
                                         const char              *suffix)
{
    char room[128];

    snprintf(room, sizeof room, "%s/%.*s%s", tn_tagged_folder(which),
             TN_FMT(ref->id), suffix);
    return tn_tagged_entry(t, ref->tag.size ? ref->tag : tag, room);
}

/* ---- bytes -------------------------------------------------------------- */

enum tn_status tn_tagged_load(const struct tn_tagged    *t,
                              const struct tn_zip_entry *entry,
                              struct tn_arena *arena, struct tn_bytes *bytes,
                              struct tn_error *error)
{
    struct tn_buffer buffer;

    *bytes = tn_bytes(NULL, 0);
    TN_TRY(tn_zip_settle(t->zip, entry, error));
    tn_buffer_init(&buffer, t->memory, error);
    if (tn_zip_load(t->zip, entry, TEXT_LIMIT, &buffer, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    return error->status;
}

static enum tn_status keep_source(struct tn_tagged *t, struct tn_source *source,
                                  struct tn_error *error)
{
    struct tn_source **slot;

    if (t->bundle)
        return tn_bundle_keep(t->bundle, source, error);
    slot = tn_list_push(&t->kept, struct tn_source *, error);
    if (slot)
        *slot = source;
    else
        tn_source_close(source);
    return error->status;
}

enum tn_status tn_tagged_span(struct tn_tagged          *t,
                              const struct tn_zip_entry *entry,
                              struct tn_span *span, struct tn_error *error)
{
    struct tn_source *source;

    TN_TRY(tn_zip_settle(t->zip, entry, error));
    if (entry->method == TN_ZIP_STORED) {
        *span = tn_zip_span(t->zip, entry);
        return TN_OK;
    }
    TN_TRY(tn_zip_source(t->zip, entry, &source, error));
    TN_TRY(keep_source(t, source, error));
    *span = (struct tn_span){ source, 0, entry->size };
    return TN_OK;
}

static const struct tn_fb_object *schema_root(struct tn_tagged  *t,
                                              enum tn_fb_builtin which,
                                              struct tn_error   *error)
{
    struct tn_fb_schema *schema = &t->schemas[which];

    if (!t->has_schema[which])
        t->has_schema[which] =
            tn_fb_schema_load_builtin(schema, &t->arena, which, error) == TN_OK;
    return t->has_schema[which] ? schema->root : NULL;
}

/* What an array is comes before its elements: a call for that is cheaper than
 * the page fault that a mapping would cost. */
static void prefer_head(struct tn_tagged *t, const struct tn_zip_entry *entry,
                        struct tn_fb *fb, struct tn_arena *arena,
                        struct tn_error *error)
{
    struct tn_bytes head;

    if (entry->method != TN_ZIP_STORED || entry->size < HEAD_SIZE)
        return;
    head = tn_zip_head(t->zip, entry, HEAD_SIZE, error);
    if (head.data)
        head = tn_bytes_dup(arena, head, error);
    if (head.data)
        tn_fb_prefer(fb, head);
}

struct tn_fb_table tn_tagged_root(struct tn_tagged          *t,
                                  const struct tn_zip_entry *entry,
                                  enum tn_fb_builtin which, struct tn_fb *fb,
                                  struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct tn_fb_table         none = { 0 };
    struct tn_span             span;
    const struct tn_fb_object *root = schema_root(t, which, error);

    if (root && tn_tagged_span(t, entry, &span, error) == TN_OK &&
        tn_fb_open(fb, span, arena, error) == TN_OK) {
        if (which == TN_FB_SAMEDIFF_ARRAY)
            prefer_head(t, entry, fb, arena, error);
        if (!tn_failed(error))
            tn_fb_verify(fb, root, NULL, NULL, t->memory);
    }
    if (tn_failed(error)) {
        if (root)
            tn_zip_where(entry, error);
        return none;
    }
    if (!tn_fb_has_identifier(fb, t->schemas[which].identifier) && t->report)
        tn_report_format(t->report, TN_LEVEL_WARNING, "tag-identifier", "",
                         entry->data_offset + 4, "",
                         "%.*s: not marked as %s, but it is one",
                         TN_FMT(entry->name), t->schemas[which].identifier);
    return tn_fb_root(fb);
}

/* ---- texts -------------------------------------------------------------- */

enum tn_status tn_tagged_lines(struct tn_tagged *t, struct tn_bytes tag,
                               enum tn_tag_file which, struct tn_arena *arena,
                               struct tn_tag_lines *lines,
                               struct tn_error     *error)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(t, tag, tn_tagged_text_name(which));
    struct tn_tag_text text = { .report = t->report };

    *lines = (struct tn_tag_lines){ 0 };
    if (!entry)
        return TN_OK;
    text.entry = tn_text_format(arena, error, "%.*s", TN_FMT(entry->name));
    if (!text.entry)
        return error->status;
    TN_TRY(tn_tagged_load(t, entry, arena, &text.bytes, error));
    text.offset =
        entry->method == TN_ZIP_STORED ? entry->data_offset : entry->offset;
    return tn_tag_text_lines(&text, which, arena, lines, error);
}

/* ---- arrays ------------------------------------------------------------- */

/* Elements in an entry of their own. */
static enum tn_status read_external(struct tn_tagged       *t,
                                    struct tn_tagged_array *a,
                                    struct tn_error        *error)
{
    struct tn_bytes     folder   = a->entry->name;
    struct tn_elements *elements = &a->array.elements;
    uint64_t            size     = 0;
    char                room[NAME_ROOM];
    struct tn_span      span;

    while (folder.size && folder.data[folder.size - 1] != '/')
        folder.size--;
    int length = snprintf(room, sizeof room, "%.*s%.*s", TN_FMT(folder),
                          TN_FMT(a->array.external));
    if (length > 0 && (size_t)length < sizeof room)
        a->data = tn_zip_find_folded(t->zip, tn_bytes(room, (size_t)length));
    if (!a->data)
        return tn_error_set(error, TN_MALFORMED, a->array.at,
                            "no entry '%.*s' with the elements",
                            TN_FMT(a->array.external));
    if (!tn_shape_bytes(&elements->shape, &size) || size != a->data->size ||
        size != a->array.total)
        return tn_error_set(error, TN_MALFORMED, a->data->offset,
                            "%" PRIu64 " bytes of elements, the shape needs "
                            "%" PRIu64 ", the array says %" PRIu64,
                            a->data->size, size, a->array.total);
    TN_TRY(tn_tagged_span(t, a->data, &span, error));
    elements->payload = tn_payload_raw(&elements->shape, span, 1);
    return TN_OK;
}

enum tn_status tn_tagged_array_read(struct tn_tagged *t, struct tn_bytes tag,
                                    enum tn_tag_file         which,
                                    const struct tn_tag_ref *ref,
                                    struct tn_arena         *arena,
                                    struct tn_tagged_array  *array,
                                    struct tn_error         *error)
{
    struct tn_arena scratch;
    struct tn_fb    fb;

    *array = (struct tn_tagged_array){ .entry = tn_tagged_ref(t, tag, which,
                                                              ref, ".fb") };
    if (!array->entry)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "no entry '%.*s/%s/%.*s.fb'",
                            TN_FMT(ref->tag.size ? ref->tag : tag),
                            tn_tagged_folder(which), TN_FMT(ref->id));
    tn_arena_init(&scratch, t->memory);
    struct tn_fb_table root = tn_tagged_root(
        t, array->entry, TN_FB_SAMEDIFF_ARRAY, &fb, &scratch, error);
    if (root.fb) {
        tn_sd_array_read(&root, false, arena, &array->array);
        if (!tn_failed(error) && array->array.is_external)
            read_external(t, array, error);
        if (tn_failed(error))
            tn_zip_where(array->entry, error);
    }
    tn_arena_done(&scratch);
    return error->status;
}
