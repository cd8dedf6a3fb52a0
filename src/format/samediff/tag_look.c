/* tag_look.c - what the tags of a container are, and how two of them differ */
#include "base/arith.h"
#include "base/byte_view.h"
#include "format/registry.h"
#include "format/samediff/tag_edit.h"

#define WINDOW (UINT64_C(1) << 20)

/* ---- the list ----------------------------------------------------------- */

struct looking {
    struct tn_tagged *t;
    bool              wants_details;
    uint64_t         *bytes; /* stored below a tag, by its number             */
    struct tn_intern  tags;
    struct tn_arena   arena; /* of one tag                                    */
    struct tn_error  *error;
};

static void count_bytes(struct looking *l)
{
    const struct tn_zip *zip = l->t->zip;

    l->bytes = tn_new(&l->t->arena, uint64_t, l->t->tag_count, l->error);
    for (uint32_t i = 0; i < l->t->tag_count && !tn_failed(l->error); i++)
        tn_intern_borrow(&l->tags, l->t->tags[i], l->error);
    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(l->error); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(zip, i);
        const uint8_t             *slash = tn_bytes_find(entry->name, '/');
        if (!slash)
            continue;
        struct tn_bytes tag =
            tn_bytes(entry->name.data, (size_t)(slash - entry->name.data));
        uint32_t id = tn_intern_find(&l->tags, tag);
        if (id == TN_NO_NAME)
            id = tn_tagged_find(l->t, tag);
        if (id != TN_NONE)
            l->bytes[id] += entry->packed_size;
    }
}

static void count_refs(struct looking *l, struct tn_tag_info *info,
                       enum tn_tag_file which)
{
    struct tn_tag_lines lines;

    if (tn_tagged_lines(l->t, info->name, which, &l->arena, &lines, l->error) !=
        TN_OK)
        return;
    if (which == TN_TAG_PARAMS)
        info->parameters = lines.count;
    for (uint32_t i = 0; i < lines.count; i++)
        for (uint32_t k = 0; k < lines.items[i].ref_count; k++) {
            struct tn_bytes tag = lines.items[i].refs[k].tag;
            info->states += which == TN_TAG_UPDATER;
            info->shared += tag.size && !tn_tag_equal(tag, info->name);
        }
}

static void read_updater(struct looking *l, struct tn_tag_info *info)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(l->t, info->name, "trainingConfig.fb");
    struct tn_fb fb;

    if (!entry)
        return;
    struct tn_fb_table root = tn_tagged_root(
        l->t, entry, TN_FB_SAMEDIFF_TRAINING, &fb, &l->arena, l->error);
    if (!root.fb)
        return;
    info->updater = tn_sd_class_word(tn_sd_config_updater(
        tn_fb_string(&root, TN_TAGGED_TRAINING_JSON), &l->arena, l->t->memory));
}

/* Lines, without reading what they say. */
static void count_lines(struct looking *l, struct tn_tag_info *info)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(l->t, info->name, "params.txt");
    struct tn_bytes text;

    if (entry &&
        tn_tagged_load(l->t, entry, &l->arena, &text, l->error) == TN_OK)
        info->parameters = tn_tag_text_count(text);
}

static int look_at(struct looking *l, struct tn_tag_info *info, tn_on_tag *each,
                   void *context)
{
    int stop = 0;

    tn_arena_init(&l->arena, l->t->memory);
    if (l->wants_details) {
        count_refs(l, info, TN_TAG_PARAMS);
        if (!tn_failed(l->error))
            count_refs(l, info, TN_TAG_UPDATER);
        if (!tn_failed(l->error))
            read_updater(l, info);
    } else {
        count_lines(l, info);
    }
    if (!tn_failed(l->error))
        stop = each && each(context, info);
    tn_arena_done(&l->arena);
    return stop;
}

/* Graphs that no line of tags.txt speaks of. */
static void look_at_orphans(struct looking *l, tn_on_tag *each, void *context)
{
    const struct tn_zip *zip = l->t->zip;

    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(l->error); i++) {
        struct tn_bytes name  = tn_zip_at(zip, i)->name;
        const uint8_t  *slash = tn_bytes_find(name, '/');
        size_t          size  = slash ? (size_t)(slash - name.data) : 0;
        if (!slash ||
            !tn_tag_equal(tn_bytes(slash, name.size - size),
                          tn_text("/graph.fb")) ||
            tn_tagged_find(l->t, tn_bytes(name.data, size)) != TN_NONE)
            continue;
        struct tn_tag_info info = { .name = tn_bytes(name.data, size) };
        if (look_at(l, &info, each, context))
            return;
    }
}

enum tn_status tn_tagged_list(struct tn_tagged *t, bool wants_details,
                              tn_on_tag *each, void *context,
                              struct tn_error *error)
{
    struct looking l    = { .t             = t,
                            .wants_details = wants_details,
                            .error         = error };
    int            stop = 0;

    tn_intern_init(&l.tags, &t->arena);
    if (wants_details)
        count_bytes(&l);
    for (uint32_t i = 0; i < t->tag_count && !tn_failed(error) && !stop; i++) {
        struct tn_tag_info info = { .name      = t->tags[i],
                                    .is_listed = true,
                                    .is_newest = i + 1 == t->tag_count };
        if (wants_details)
            info.bytes = l.bytes[i];
        stop = look_at(&l, &info, each, context);
    }
    if (!stop && !tn_failed(error))
        look_at_orphans(&l, each, context);
    tn_intern_done(&l.tags);
    return error->status;
}

/* ---- two of them -------------------------------------------------------- */

struct differing {
    struct tn_tagged *t;
    struct tn_model   models[2];
    struct tn_intern  names; /* of the tensors of the right one               */
    tn_on_tag_change *each;
    void             *context;
    bool              is_stopped;
    struct tn_error  *error;
};

static void tell(struct differing *d, enum tn_tag_change_kind kind,
                 struct tn_bytes name)
{
    struct tn_tag_change change = { kind, name };

    if (!d->is_stopped && d->each)
        d->is_stopped = d->each(d->context, &change) != 0;
}

static bool has_name(const struct tn_tensor *tensor)
{
    return tensor->node == TN_NONE;
}

static struct tn_bytes name_of(struct differing *d, int side,
                               const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (tensor->role == TN_ROLE_STATE)
        return name;
    return tn_tagged_param_name(&d->models[side], tensor->graph, name,
                                &d->t->arena, d->error);
}

static bool is_same_place(const struct tn_elements *a,
                          const struct tn_elements *b)
{
    return a->payload.span.source == b->payload.span.source &&
           a->payload.span.offset == b->payload.span.offset &&
           a->payload.span.length == b->payload.span.length &&
           a->payload.encoding == b->payload.encoding &&
           a->payload.span.source != NULL;
}

/* Numbers window by window. */
static bool has_same_numbers(struct differing *d, const struct tn_tensor *a,
                             const struct tn_tensor *b, uint64_t size)
{
    struct tn_buffer rooms[2];
    bool             is_same = true;

    tn_buffer_init(&rooms[0], d->t->memory, d->error);
    tn_buffer_init(&rooms[1], d->t->memory, d->error);
    for (uint64_t at = 0; at < size && is_same && !tn_failed(d->error);) {
        size_t   step  = (size_t)tn_min(size - at, WINDOW);
        uint8_t *left  = tn_buffer_room(&rooms[0], step);
        uint8_t *right = tn_buffer_room(&rooms[1], step);
        if (left && right &&
            tn_tensor_read(a, at, left, step, d->error) == TN_OK &&
            tn_tensor_read(b, at, right, step, d->error) == TN_OK)
            is_same = memcmp(left, right, step) == 0;
        at += step;
    }
    tn_buffer_done(&rooms[1]);
    tn_buffer_done(&rooms[0]);
    return is_same;
}

/* Strings as the bytes of their entries. */
static bool has_same_strings(struct differing *d, const struct tn_tensor *a,
                             const struct tn_tensor *b)
{
    const struct tn_tensor *sides[2] = { a, b };
    struct tn_buffer        bytes[2];
    struct tn_arena         arena;

    tn_arena_init(&arena, d->t->memory);
    for (int i = 0; i < 2; i++) {
        struct tn_rope rope;
        tn_buffer_init(&bytes[i], d->t->memory, d->error);
        tn_rope_init(&rope, &arena, d->error);
        if (tn_tagged_array_rope(&sides[i]->elements, NULL, &arena,
                                 d->t->memory, &rope, d->error) == TN_OK)
            tn_rope_write(&rope, &bytes[i].sink, d->error);
        tn_rope_done(&rope);
    }
    bool is_same =
        tn_bytes_equal(tn_buffer_bytes(&bytes[0]), tn_buffer_bytes(&bytes[1]));
    tn_buffer_done(&bytes[1]);
    tn_buffer_done(&bytes[0]);
    tn_arena_done(&arena);
    return is_same;
}

static bool has_same_data(struct differing *d, const struct tn_tensor *a,
                          const struct tn_tensor *b)
{
    uint64_t size;

    return tn_shape_bytes(&a->elements.shape, &size)
               ? has_same_numbers(d, a, b, size)
               : has_same_strings(d, a, b);
}

static void compare_pair(struct differing *d, const struct tn_tensor *a,
                         const struct tn_tensor *b, struct tn_bytes name)
{
    if (!tn_shape_equal(&a->elements.shape, &b->elements.shape))
        tell(d, TN_TAG_OTHER_TYPE, name);
    else if (!is_same_place(&a->elements, &b->elements) &&
             !has_same_data(d, a, b) && !tn_failed(d->error))
        tell(d, TN_TAG_OTHER_VALUES, name);
}

/* What the left has, and what of it the right has otherwise. */
static void compare_left(struct differing *d, uint32_t *by_name, bool *is_met)
{
    for (uint64_t i = 0; i < d->models[0].tensors.count &&
                         !tn_failed(d->error) && !d->is_stopped;
         i++) {
        const struct tn_tensor *tensor = tn_model_tensor(&d->models[0], i);
        if (!has_name(tensor))
            continue;
        struct tn_bytes name = name_of(d, 0, tensor);
        uint32_t        id   = tn_intern_find(&d->names, name);
        if (id == TN_NO_NAME) {
            tell(d, TN_TAG_ONLY_LEFT, name);
            continue;
        }
        is_met[id] = true;
        compare_pair(d, tensor, tn_model_tensor(&d->models[1], by_name[id]),
                     name);
    }
}

static void compare_tensors(struct differing *d)
{
    uint64_t  count   = d->models[1].tensors.count;
    uint32_t *by_name = tn_new(&d->t->arena, uint32_t, count, d->error);
    bool     *is_met  = tn_new(&d->t->arena, bool, count, d->error);

    for (uint64_t i = 0; i < count && !tn_failed(d->error); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(&d->models[1], i);
        if (!has_name(tensor))
            continue;
        uint32_t id =
            tn_intern_borrow(&d->names, name_of(d, 1, tensor), d->error);
        if (id != TN_NO_NAME)
            by_name[id] = (uint32_t)i;
    }
    if (!tn_failed(d->error))
        compare_left(d, by_name, is_met);
    for (uint32_t i = 0; i < tn_intern_count(&d->names) && !tn_failed(d->error);
         i++)
        if (!is_met[i])
            tell(d, TN_TAG_ONLY_RIGHT, tn_intern_text(&d->names, i));
}

/* graph.fb and trainingConfig.fb as they are. */
static void compare_files(struct differing *d, struct tn_bytes left,
                          struct tn_bytes right)
{
    static const char *const files[] = { "graph.fb", "trainingConfig.fb" };

    for (int i = 0; i < 2 && !tn_failed(d->error); i++) {
        const struct tn_zip_entry *a   = tn_tagged_entry(d->t, left, files[i]);
        const struct tn_zip_entry *b   = tn_tagged_entry(d->t, right, files[i]);
        struct tn_bytes            one = { NULL, 0 }, two = { NULL, 0 };
        if (a)
            tn_tagged_load(d->t, a, &d->t->arena, &one, d->error);
        if (b)
            tn_tagged_load(d->t, b, &d->t->arena, &two, d->error);
        if (!tn_bytes_equal(one, two))
            tell(d, TN_TAG_OTHER_FILE, tn_text(files[i]));
    }
}

enum tn_status tn_tagged_diff(struct tn_tagged *t, struct tn_bytes left,
                              struct tn_bytes right, tn_on_tag_change *each,
                              void *context, struct tn_error *error)
{
    struct differing d = {
        .t = t, .each = each, .context = context, .error = error
    };

    tn_intern_init(&d.names, &t->arena);
    for (int i = 0; i < 2; i++) {
        tn_model_init(&d.models[i], t->memory);
        d.models[i].format = tn_format_samediff.name;
        if (!tn_failed(error))
            tn_tagged_read(t, i ? right : left, &d.models[i], error);
    }
    if (!tn_failed(error))
        compare_files(&d, left, right);
    if (!tn_failed(error))
        compare_tensors(&d);
    tn_model_done(&d.models[1]);
    tn_model_done(&d.models[0]);
    tn_intern_done(&d.names);
    return error->status;
}
