/* paddle_files.c - which files make a model, and opening it by any of them */
#include <stdarg.h>
#include <stdio.h>

#include "format/paddle/paddle_files.h"
#include "format/paddle/paddle_pir.h"
#include "format/paddle/paddle_state.h"
#include "format/text_model.h"
#include "wire/pickle/pickle.h"

/* ---- PREFIX.meta: properties of the classes that were exported ---------- */

/*
 *   PropertyVals   entrys = 1
 *   ValueProto     name = 1, type = 2, f = 3, i = 4, s = 5, t = 6,
 *                  floats = 7, ints = 8, strings = 9, tensors = 10
 *
 * It is only informative: nothing in the model depends on it, and any other
 * file of that name is ignored.
 */

enum {
    META_ENTRIES = 1,
    ENTRY_NAME   = 1,
    ENTRY_FLOAT  = 3,
    ENTRY_INT    = 4,
    ENTRY_TEXT   = 5,
    ENTRY_TENSOR = 6,
    ENTRY_FLOATS = 7,
    ENTRY_INTS   = 8,
};

#define VALUE_LIMIT 200 /* a longer value ends with dots */

struct entry {
    struct tn_bytes name;
    char            value[VALUE_LIMIT + 8];
    size_t          size;
    bool            is_full;
};

static TN_PRINTF(2, 3) void add(struct entry *entry, const char *format, ...)
{
    va_list arguments;

    if (entry->is_full)
        return;
    va_start(arguments, format);
    int size = vsnprintf(entry->value + entry->size, VALUE_LIMIT - entry->size,
                         format, arguments);
    va_end(arguments);
    entry->is_full = size < 0 || (size_t)size >= VALUE_LIMIT - entry->size;
    if (entry->is_full)
        snprintf(entry->value + entry->size, 8, "...");
    else
        entry->size += (size_t)size;
}

static void add_float(struct entry *entry, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float    value;

    memcpy(&value, &low, sizeof value);
    add(entry, "%.9g", (double)value);
}

static void add_numbers(struct entry *entry, struct tn_cursor *c,
                        struct tn_pb_field *field)
{
    bool     is_float = field->number == ENTRY_FLOATS;
    uint64_t number;

    while (tn_pb_number(c, field, is_float ? TN_WIRE_FIXED32 : TN_WIRE_VARINT,
                        &number)) {
        add(entry, "%s", entry->size ? " " : "");
        if (is_float)
            add_float(entry, number);
        else
            add(entry, "%" PRId64, (int64_t)number);
    }
}

static void read_value(struct entry *entry, struct tn_cursor *c,
                       struct tn_pb_field *field)
{
    if (field->number == ENTRY_FLOAT && field->type == TN_WIRE_FIXED32)
        add_float(entry, field->value);
    else if (field->number == ENTRY_INT && field->type == TN_WIRE_VARINT)
        add(entry, "%" PRId64, (int64_t)field->value);
    else if (field->number == ENTRY_FLOATS || field->number == ENTRY_INTS)
        add_numbers(entry, c, field);
    else if (field->number >= ENTRY_TENSOR && field->type == TN_WIRE_LEN &&
             field->number != 9)
        add(entry, "%sa tensor", entry->size ? ", " : "");
    else if (field->number >= ENTRY_TEXT && field->type == TN_WIRE_LEN) {
        struct tn_bytes text = tn_pb_text(field);
        add(entry, "%s%.*s", entry->size ? ", " : "", TN_FMT(text));
    }
}

static void add_entry(struct tn_model *model, struct tn_pb_field *message,
                      struct tn_error *quiet, struct tn_error *error)
{
    struct entry       entry = { .name = tn_text("") };
    struct tn_cursor   c     = message->body;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == ENTRY_NAME && field.type == TN_WIRE_LEN)
            entry.name = tn_pb_text(&field);
        else if (field.number > ENTRY_NAME + 1)
            read_value(&entry, &c, &field);
    }
    if (!tn_failed(quiet))
        tn_model_add_fact_format(model, error, "meta", "%.*s = %s",
                                 TN_FMT(entry.name), entry.value);
}

/* The contents of PREFIX.meta as facts; a file without any is a fact, too. */
static void meta_facts(struct tn_model *model, struct tn_span meta,
                       const char *name, struct tn_error *error)
{
    struct tn_error    quiet = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_span(meta, &quiet);
    struct tn_pb_field field;
    uint64_t           count = 0;

    while (tn_pb_next(&c, &field) && !tn_failed(error))
        if (field.number == META_ENTRIES && field.type == TN_WIRE_LEN) {
            add_entry(model, &field, &quiet, error);
            count++;
        }
    if (tn_failed(&quiet))
        tn_model_add_fact_format(model, error, "meta", "%s cannot be read: %s",
                                 name, quiet.what);
    else if (count == 0)
        tn_model_add_fact_format(model, error, "meta", "%s says nothing", name);
}

/* Folders with more files are not a model's own: they are not searched. */
#define FOLDER_LIMIT 64

/* "net.pdiparams.info" and "net.pdmodel.txt" have two. */
static size_t stem_size(const char *name)
{
    static const char *const tails[] = { ".txt",       ".info",  ".pdmodel",
                                         ".pdiparams", ".pdopt", ".pdparams",
                                         ".meta" };
    size_t                   size    = strlen(name);

    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        size_t tail = strlen(tails[i]);
        if (size > tail && !memcmp(name + size - tail, tails[i], tail))
            size -= tail;
    }
    return size;
}

const char *tn_paddle_with_suffix(struct tn_arena *arena, const char *name,
                                  const char *suffix, struct tn_error *error)
{
    return tn_text_format(arena, error, "%.*s%s", (int)stem_size(name), name,
                          suffix);
}

/* ---- looking at bytes --------------------------------------------------- */

/* The first block has its number and its parent's: 08 00 10, then -1 in ten
 * bytes, because it is block 0. */
static bool is_block(struct tn_cursor *body)
{
    static const uint8_t head[] = { 0x08, 0x00, 0x10, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };

    return (uint64_t)(body->end - body->at) >= sizeof head &&
           memcmp(body->at, head, sizeof head) == 0;
}

bool tn_paddle_is_program(struct tn_bytes head)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(head, 0, &error);

    if (tn_varint(&c) != tn_tag(PROGRAM_BLOCKS, TN_WIRE_LEN))
        return false;
    tn_varint(&c);
    return !tn_failed(&error) && is_block(&c);
}

/* One of the three keys comes first, and the dict is unordered. */
bool tn_paddle_is_pickled_program(struct tn_bytes head)
{
    static const char *const keys[] = { "program_desc_str", "feed_var_names",
                                        "fetch_var_names" };

    if (head.size < 32 || head.data[0] != 0x80 || head.data[1] != 2)
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        for (size_t at = 2; at < 16; at++)
            if (!memcmp(head.data + at, keys[i], 12))
                return true;
    return false;
}

static struct tn_bytes head_of(struct tn_source *source, struct tn_error *error)
{
    size_t size = source->size < 4096 ? (size_t)source->size : 4096;

    return tn_bytes(tn_source_pin(source, 0, size, error), size);
}

/* ---- the program's bytes ------------------------------------------------ */

static enum tn_status unpickle(struct tn_source *source, struct tn_arena *arena,
                               struct tn_span          *wire,
                               const struct tn_pickle **io_names,
                               struct tn_error         *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, error);

    TN_TRY(tn_pickle_read(&c, arena, io_names));
    const struct tn_pickle *program =
        (*io_names)->kind == TN_PICKLE_DICT
            ? tn_pickle_find(*io_names, "program_desc_str")
            : NULL;
    if (!program ||
        (program->kind != TN_PICKLE_BYTES && program->kind != TN_PICKLE_TEXT) ||
        program->as.string.is_latin1 || program->as.string.is_coded)
        return tn_error_set(error, TN_MALFORMED, 0,
                            "the pickle has no program_desc_str");
    *wire = program->as.string.span;
    return TN_OK;
}

/* What is before the parameters: the ProgramDesc of a file that is binary, text
 * or a pickle.  `io_names` is the pickle's dict, or NULL. */
static enum tn_status program_bytes(struct tn_bundle        *bundle,
                                    struct tn_source        *source,
                                    struct tn_arena         *arena,
                                    struct tn_span          *wire,
                                    const struct tn_pickle **io_names,
                                    struct tn_error         *error)
{
    struct tn_bytes   head = head_of(source, error);
    struct tn_source *binary;

    *io_names = NULL;
    if (tn_failed(error))
        return error->status;
    if (tn_paddle_is_pickled_program(head))
        return unpickle(source, arena, wire, io_names, error);
    TN_TRY(tn_format_binary(bundle, source, TN_PB_PADDLE, TN_PADDLE_MESSAGE,
                            &binary, error));
    *wire = (struct tn_span){ binary, 0, binary->size };
    return TN_OK;
}

/* ---- the program that a file belongs to --------------------------------- */

static bool is_named_like_program(const char *name)
{
    return !strcmp(name, "__model__") || !strcmp(name, "__model__.txt") ||
           tn_text_ends_with(name, ".pdmodel") ||
           tn_text_ends_with(name, ".pdmodel.txt");
}

/* Shorter names come first: PREFIX.pdmodel before PREFIX.FUNC.pdmodel. */
static const char *better(const char *best, const char *name)
{
    if (!best || !strcmp(name, "__model__"))
        return name;
    if (!strcmp(best, "__model__"))
        return best;
    return strlen(name) < strlen(best) ? name : best;
}

bool tn_paddle_is_part_of(const char *name, const char *other)
{
    static const char *const suffixes[] = { ".pdmodel", ".json" };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t size = strlen(other), tail = strlen(suffixes[i]);
        if (tn_text_ends_with(other, suffixes[i]) && strlen(name) > size &&
            !strncmp(name, other, size - tail + 1) && strstr(name, suffixes[i]))
            return true;
    }
    return false;
}

static const char *find_model(const char *const *entries, uint64_t count)
{
    const char *model      = NULL;
    bool        has_params = false;

    for (uint64_t i = 0; i < count; i++) {
        if (!strcmp(entries[i], "model"))
            model = entries[i];
        has_params |=
            !strcmp(entries[i], "params") || !strcmp(entries[i], "__params__");
    }
    return has_params ? model : NULL;
}

enum tn_status tn_paddle_program_in(struct tn_bundle *bundle, const char **name,
                                    struct tn_error *error)
{
    const char *const *entries;
    uint64_t           count;

    *name = NULL;
    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, error));
    for (uint64_t i = 0; i < count; i++)
        if (is_named_like_program(entries[i]))
            *name = better(*name, entries[i]);
    if (!*name)
        *name = find_model(entries, count);
    return *name ? TN_OK
                 : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                "the folder holds no program");
}

/* Whether a variable of that name is stored. */
static bool has_variable(const struct tn_model *model, const char *name)
{
    return tn_paddle_find_stored(model->detail, tn_text(name)) != NULL;
}

/* Whether the program beside it names that file, or has exactly the variables
 * in it; it is read into another model, because the caller may not use it. */
static enum tn_status names_file(struct tn_bundle *bundle, const char *program,
                                 bool *names, struct tn_error *error)
{
    struct tn_model         model;
    struct tn_source       *source;
    struct tn_span          wire;
    const struct tn_pickle *io_names;

    *names = false;
    tn_model_init(&model, bundle->memory);
    if (tn_bundle_sibling(bundle, tn_text(program), &source, error) == TN_OK &&
        program_bytes(bundle, source, &model.arena, &wire, &io_names, error) ==
            TN_OK &&
        tn_paddle_program_read(&model, wire, error) == TN_OK)
        *names = has_variable(&model, bundle->name) ||
                 tn_paddle_combined_fits(&model, bundle->main);
    tn_model_done(&model);
    return error->status;
}

/* PREFIX.pdmodel for PREFIX.anything; model for params; what Paddle 3 writes
 * for PREFIX.pdiparams. */
static const char *partner(struct tn_bundle *bundle, struct tn_error *error)
{
    const char *name     = bundle->name;
    const char *names[4] = { NULL, NULL, NULL, NULL };

    if (stem_size(name) < strlen(name)) {
        names[0] =
            tn_paddle_with_suffix(&bundle->arena, name, ".pdmodel", error);
        names[1] =
            tn_paddle_with_suffix(&bundle->arena, name, ".pdmodel.txt", error);
    } else if (!strcmp(name, "params") || !strcmp(name, "__params__")) {
        names[0] = "__model__";
        names[1] = "model";
        names[2] = "__model__.txt";
    }
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) != 0 && tn_bundle_has(bundle, names[i]))
            return names[i];
    if (!tn_text_ends_with(name, ".pdiparams"))
        return NULL;
    names[0] = tn_paddle_with_suffix(&bundle->arena, name, ".json", error);
    return names[0] && tn_pir_is_program(bundle, names[0]) ? names[0] : NULL;
}

/* By its bytes, in a folder that is a model's: the only program there. */
static enum tn_status find_any(struct tn_bundle *bundle, const char **name,
                               struct tn_error *error)
{
    const char *const *entries;
    uint64_t           count;

    *name = tn_bundle_has(bundle, "__model__") ? "__model__" : NULL;
    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, error));
    if (*name || count > FOLDER_LIMIT)
        return TN_OK;
    for (uint64_t i = 0; i < count; i++) {
        struct tn_error   quiet = TN_ERROR_INIT;
        struct tn_source *source;
        size_t            size = strlen(entries[i]);
        if (size == 0 || entries[i][size - 1] == '/' ||
            !strcmp(entries[i], bundle->name) ||
            tn_bundle_sibling(bundle, tn_text(entries[i]), &source, &quiet) !=
                TN_OK ||
            !tn_paddle_is_program(head_of(source, &quiet)))
            continue;
        bool is_second = *name != NULL;
        *name          = is_second ? NULL : entries[i];
        if (is_second)
            break;
    }
    return TN_OK;
}

enum tn_status tn_paddle_program_beside(struct tn_bundle *bundle,
                                        const char      **name,
                                        struct tn_error  *error)
{
    bool names;

    *name = NULL;
    if (!tn_bundle_has_folder(bundle) || !bundle->main)
        return TN_OK;
    *name = partner(bundle, error);
    if (*name || tn_failed(error))
        return error->status;
    TN_TRY(find_any(bundle, name, error));
    if (!*name)
        return TN_OK;
    TN_TRY(names_file(bundle, *name, &names, error));
    *name = names ? *name : NULL;
    return TN_OK;
}

/* ---- the parameters of a program ---------------------------------------- */

struct search {
    struct tn_bundle *bundle;
    struct tn_model  *model;
    const char       *program;
    struct tn_error  *error;
};

static const struct tn_paddle_detail *detail_of(const struct search *s)
{
    return s->model->detail;
}

/* Of the first `most` variables, one has a file. */
static bool has_separate(struct search *s, uint64_t most)
{
    for (uint64_t i = 0; i < detail_of(s)->stored_count && i < most; i++) {
        struct tn_bytes name  = detail_of(s)->stored[i]->name;
        struct tn_error quiet = TN_ERROR_INIT;
        struct tn_bytes path  = tn_bytes_dup(&s->model->arena, name, s->error);
        if (!path.data || tn_paddle_check_name(name, &quiet) != TN_OK)
            continue;
        if (tn_bundle_has(s->bundle, (const char *)path.data))
            return true;
    }
    return false;
}

static const char *with_suffix(struct search *s, const char *suffix)
{
    const char *name =
        tn_paddle_with_suffix(&s->model->arena, s->program, suffix, s->error);

    return name && tn_bundle_has(s->bundle, name) ? name : NULL;
}

/* The file with all parameters under one of its usual names, or NULL. */
static const char *find_combined(struct search *s)
{
    const char *name = with_suffix(s, ".pdiparams");

    if (name)
        return name;
    if (tn_bundle_has(s->bundle, "__params__"))
        return "__params__";
    return tn_bundle_has(s->bundle, "params") ? "params" : NULL;
}

/* "net.pdiparams" for the function "net.forward2.pdmodel". */
static const char *find_shared(struct search *s)
{
    size_t      size = stem_size(s->program);
    const char *dot  = NULL;

    for (size_t i = 1; i < size; i++)
        if (s->program[i] == '.')
            dot = s->program + i;
    if (!dot)
        return NULL;
    const char *name =
        tn_text_format(&s->model->arena, s->error, "%.*s.pdiparams",
                       (int)(dot - s->program), s->program);
    return name && tn_bundle_has(s->bundle, name) ? name : NULL;
}

static bool is_records(struct search *s, const char *name)
{
    struct tn_source *source;
    struct tn_error   quiet = TN_ERROR_INIT;

    if (tn_bundle_sibling(s->bundle, tn_text(name), &source, &quiet) != TN_OK)
        return false;
    struct tn_bytes head = head_of(source, &quiet);
    return !tn_failed(&quiet) && tn_paddle_is_records(head);
}

/* Under no usual name: the only file of the folder that is records. */
static const char *find_other(struct search *s)
{
    const char *const *entries;
    uint64_t           count;
    const char        *found = NULL;

    if (tn_bundle_list(s->bundle, "", &entries, &count, s->error) != TN_OK)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        size_t size = strlen(entries[i]);
        if (size == 0 || entries[i][size - 1] == '/' ||
            !strcmp(entries[i], s->program) || !is_records(s, entries[i]))
            continue;
        if (found)
            return NULL;
        found = entries[i];
    }
    return found;
}

/* ---- reading them ------------------------------------------------------- */

/* The main file, which is open already, if that is its name. */
static enum tn_status source_of(struct search *s, const char *name,
                                struct tn_source **source)
{
    if (s->bundle->main && !s->bundle->is_folder &&
        !strcmp(name, s->bundle->name)) {
        *source = s->bundle->main;
        return TN_OK;
    }
    return tn_bundle_sibling(s->bundle, tn_text(name), source, s->error);
}

static enum tn_status read_combined(struct search *s, const char *name)
{
    struct tn_source *file;

    TN_TRY(source_of(s, name, &file));
    return tn_paddle_combined_read(s->model, file, s->error);
}

/* A program whose parameters are in PREFIX.pdiparams: PREFIX's own, or a
 * function of it that has no file for itself. */
static bool shares(struct search *s, const char *entry, const char *params)
{
    size_t size = strlen(params) - strlen(".pdiparams");

    if (strncmp(entry, params, size) != 0 || entry[size] != '.' ||
        !(tn_text_ends_with(entry, ".pdmodel") ||
          tn_text_ends_with(entry, ".pdmodel.txt")))
        return false;
    const char *own =
        tn_paddle_with_suffix(&s->model->arena, entry, ".pdiparams", s->error);
    return own && (!strcmp(own, params) || !tn_bundle_has(s->bundle, own));
}

/* Whether the file would have to hold the parameters of several programs, and
 * does not hold just those of this one. */
static bool is_shared(struct search *s, const char *params)
{
    const char *const *entries;
    struct tn_source  *file;
    uint64_t           count, users = 0;

    if (!tn_text_ends_with(params, ".pdiparams") ||
        tn_bundle_list(s->bundle, "", &entries, &count, s->error) != TN_OK)
        return false;
    for (uint64_t i = 0; i < count && !tn_failed(s->error); i++)
        users += shares(s, entries[i], params);
    return users > 1 && source_of(s, params, &file) == TN_OK &&
           !tn_paddle_combined_fits(s->model, file);
}

/* All functions of a model in one file: the records are those of the variables
 * of all of them. */
static enum tn_status read_shared(struct search *s, const char *name)
{
    struct tn_source  *file, *source;
    const char *const *entries;
    uint64_t           count;
    struct tn_intern   names;

    TN_TRY(source_of(s, name, &file));
    TN_TRY(tn_bundle_list(s->bundle, "", &entries, &count, s->error));
    tn_intern_init(&names, &s->model->arena);
    for (uint64_t i = 0; i < count && !tn_failed(s->error); i++) {
        struct tn_model         other;
        struct tn_span          wire;
        const struct tn_pickle *io_names;
        if (!shares(s, entries[i], name))
            continue;
        tn_model_init(&other, s->bundle->memory);
        if (source_of(s, entries[i], &source) == TN_OK &&
            program_bytes(s->bundle, source, &other.arena, &wire, &io_names,
                          s->error) == TN_OK &&
            tn_paddle_program_read(&other, wire, s->error) == TN_OK) {
            const struct tn_paddle_detail *detail = other.detail;
            for (uint64_t k = 0; k < detail->stored_count; k++)
                tn_intern_copy(&names, detail->stored[k]->name, s->error);
        }
        tn_model_done(&other);
    }
    if (!tn_failed(s->error))
        tn_paddle_shared_read(s->model, file, &names, s->error);
    tn_intern_done(&names);
    return s->error->status;
}

static enum tn_status read_state(struct search *s, const char *name)
{
    struct tn_source *file;
    const char       *more = with_suffix(s, ".pdopt");

    TN_TRY(source_of(s, name, &file));
    TN_TRY(tn_paddle_state_fill(s->bundle, s->model, file, s->error));
    if (!more || tn_failed(s->error))
        return s->error->status;
    TN_TRY(source_of(s, more, &file));
    return tn_paddle_state_fill(s->bundle, s->model, file, s->error);
}

/* The file that the user named, when it is not the program itself. */
static const char *given_file(struct search *s)
{
    const char *name = s->bundle->name;

    if (!s->bundle->main || s->bundle->is_folder || !strcmp(name, s->program))
        return NULL;
    return tn_text_ends_with(name, ".info") ||
                   tn_text_ends_with(name, ".meta") ||
                   has_variable(s->model, name)
               ? NULL
               : name;
}

static void say_missing(struct search *s)
{
    struct tn_paddle_detail *detail =
        (struct tn_paddle_detail *)(uintptr_t)s->model->detail;

    detail->missing_count = detail->stored_count;
    tn_model_add_fact(s->model, "parameters", tn_text("not found"), s->error);
}

static enum tn_status read_params(struct search *s)
{
    bool        is_2x = stem_size(s->program) < strlen(s->program);
    const char *name  = given_file(s);

    if (detail_of(s)->stored_count == 0 || !tn_bundle_has_folder(s->bundle))
        return TN_OK;
    if (name && (tn_text_ends_with(name, ".pdparams") ||
                 tn_text_ends_with(name, ".pdopt")))
        name = NULL; /* found again below, with its sibling */
    if (!name && !is_2x && has_separate(s, 3))
        return tn_paddle_separate_read(s->model, s->bundle, s->error);
    if (name || (name = find_combined(s)))
        return is_shared(s, name) ? read_shared(s, name)
                                  : read_combined(s, name);
    if ((name = with_suffix(s, ".pdparams")))
        return read_state(s, name);
    if ((name = find_shared(s)))
        return read_shared(s, name);
    if (has_separate(s, UINT64_MAX))
        return tn_paddle_separate_read(s->model, s->bundle, s->error);
    if ((name = find_other(s)))
        return read_combined(s, name);
    if (!tn_failed(s->error))
        say_missing(s);
    return s->error->status;
}

/* ---- from the top ------------------------------------------------------- */

/* It only lists other names of variables: if it cannot be read, the model still
 * opens. */
static void add_info(struct search *s, const char *name)
{
    struct tn_paddle_detail *detail =
        (struct tn_paddle_detail *)(uintptr_t)s->model->detail;
    struct tn_error         quiet = TN_ERROR_INIT;
    struct tn_source       *file;
    const struct tn_pickle *dict;

    if (source_of(s, name, &file) != TN_OK)
        return;
    detail->info       = (struct tn_span){ file, 0, file->size };
    struct tn_cursor c = tn_cursor_span(detail->info, &quiet);
    if (tn_pickle_read(&c, &s->model->arena, &dict) == TN_OK) {
        if (dict->kind == TN_PICKLE_DICT)
            tn_model_add_fact_format(s->model, s->error, "info",
                                     "%s names %" PRIu64 " variables", name,
                                     dict->as.list.count / 2);
    } else if (tn_machine_failed(&quiet)) {
        *s->error = quiet;
    } else {
        detail->info_fault =
            tn_text_format(&s->model->arena, s->error, "%s cannot be read: %s",
                           name, quiet.what);
        tn_model_add_fact(s->model, "info",
                          tn_text(detail->info_fault ? detail->info_fault : ""),
                          s->error);
    }
}

static void add_meta(struct search *s, const char *name)
{
    struct tn_paddle_detail *detail =
        (struct tn_paddle_detail *)(uintptr_t)s->model->detail;
    struct tn_source *file;

    if (source_of(s, name, &file) != TN_OK)
        return;
    detail->meta = (struct tn_span){ file, 0, file->size };
    meta_facts(s->model, detail->meta, name, s->error);
}

static void add_side_facts(struct search *s)
{
    const char *info = with_suffix(s, ".pdiparams.info");
    const char *meta = with_suffix(s, ".meta");

    if (meta && !tn_failed(s->error))
        add_meta(s, meta);
    if (info && !tn_failed(s->error))
        add_info(s, info);
}

enum tn_status tn_paddle_open_program(struct tn_bundle *bundle,
                                      struct tn_model *model, const char *name,
                                      struct tn_error *error)
{
    struct search           s = { bundle, model, name, error };
    struct tn_source       *source;
    struct tn_span          wire;
    const struct tn_pickle *io_names;

    TN_TRY(source_of(&s, name, &source));
    if (program_bytes(bundle, source, &model->arena, &wire, &io_names, error) !=
            TN_OK ||
        tn_paddle_program_read(model, wire, error) != TN_OK) {
        if (source != bundle->main)
            tn_error_file(error, name);
        return error->status;
    }
    if (io_names)
        tn_paddle_pickled_io(model, io_names, error);
    TN_TRY(read_params(&s));
    if (tn_bundle_has_folder(bundle))
        add_side_facts(&s);
    if (model->wants_graph && !tn_failed(error))
        tn_model_resolve(model);
    return error->status;
}

enum tn_status tn_paddle_open_part(struct tn_bundle *bundle,
                                   struct tn_model *model, const char *name,
                                   struct tn_error *error)
{
    if (tn_text_ends_with(name, ".json"))
        return tn_pir_open_beside(bundle, model, name, error);
    model->format = tn_format_paddle.name;
    model->title  = tn_format_paddle.title;
    return tn_paddle_open_program(bundle, model, name, error);
}
