/* zip_edit.c - changing a zip that is there: growing it, or writing it anew */
#include "wire/zip/zip_edit.h"

#include "wire/zip/zip_records.h"

static enum tn_status open_old(struct tn_zip_edit *edit,
                               struct tn_memory *memory, const char *path,
                               const struct tn_append_options *options,
                               struct tn_error                *error)
{
    *edit = (struct tn_zip_edit){ 0 };
    TN_TRY(tn_append_open(&edit->file, memory, path, options, error));
    edit->is_open = true;
    return tn_zip_open(&edit->zip, tn_append_source(edit->file), memory, NULL,
                       error);
}

/* A walk from the first byte, which finds the state before a torn commit, must
 * be able to pass. */
static enum tn_status check_growth(const struct tn_zip *zip,
                                   struct tn_error     *error)
{
    if (zip->state == TN_ZIP_BROKEN)
        return tn_error_set(error, TN_MALFORMED, zip->end_offset,
                            "another tool left bytes that belong to nothing: "
                            "rebuild it before adding");
    for (uint64_t i = 0; i < tn_zip_count(zip); i++) {
        const struct tn_zip_entry *e = tn_zip_at(zip, i);
        if (!(e->flags & ZIP_FLAG_DESCRIPTOR))
            continue;
        tn_error_set(error, TN_MALFORMED, e->offset,
                     "sizes stand behind the data: rebuild it before adding");
        tn_zip_blame(e, error);
        return error->status;
    }
    return TN_OK;
}

enum tn_status tn_zip_grow(struct tn_zip_edit *edit, struct tn_memory *memory,
                           const char                     *path,
                           const struct tn_append_options *options,
                           struct tn_error                *error)
{
    TN_TRY(open_old(edit, memory, path, options, error));
    struct tn_sink *sink;
    TN_TRY(check_growth(&edit->zip, error));
    TN_TRY(tn_append_begin(edit->file, edit->zip.end_offset, &sink, error));
    tn_zip_writer_init(&edit->writer, sink, memory, error);
    edit->writer.base = sink->offset - edit->zip.end_offset;
    for (uint64_t i = 0; i < tn_zip_count(&edit->zip); i++)
        TN_TRY(tn_zip_keep(&edit->writer, tn_zip_at(&edit->zip, i)));
    return TN_OK;
}

static enum tn_status begin_output(struct tn_zip_edit *edit,
                                   struct tn_memory *memory, const char *path,
                                   const struct tn_append_options *options,
                                   struct tn_error                *error)
{
    struct tn_sink          *sink;
    struct tn_output_options how = { .can_replace = true };

    if (options) {
        how.is_durable = options->is_durable;
        how.hook       = options->hook;
        how.meter      = options->meter;
    }
    TN_TRY(tn_output_file(&edit->output, memory, path, &how, error));
    TN_TRY(tn_output_main(edit->output, &sink, error));
    tn_zip_writer_init(&edit->writer, sink, memory, error);
    return TN_OK;
}

enum tn_status tn_zip_rewrite(struct tn_zip_edit *edit,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error)
{
    TN_TRY(open_old(edit, memory, path, options, error));
    return begin_output(edit, memory, path, options, error);
}

enum tn_status zip_open_unread(struct tn_zip_edit *edit,
                               struct tn_memory *memory, const char *path,
                               const struct tn_append_options *options,
                               struct tn_error                *error)
{
    *edit = (struct tn_zip_edit){ 0 };
    TN_TRY(tn_append_open(&edit->file, memory, path, options, error));
    return begin_output(edit, memory, path, options, error);
}

/* Everything that the end record speaks of is on disk before it. */
static enum tn_status commit_growth(struct tn_zip_edit *edit,
                                    struct tn_error    *error)
{
    uint64_t offset, size;

    TN_TRY(tn_zip_write_directory(&edit->writer, &offset, &size));
    TN_TRY(tn_append_sync(edit->file, error));
    TN_TRY(tn_zip_write_end(&edit->writer, offset, size));
    TN_TRY(tn_append_sync(edit->file, error));
    tn_append_commit(edit->file);
    return TN_OK;
}

enum tn_status tn_zip_commit(struct tn_zip_edit *edit)
{
    struct tn_error *error = edit->writer.error;

    if (tn_failed(error))
        return error->status;
    if (!edit->output)
        return commit_growth(edit, error);
    TN_TRY(tn_zip_finish(&edit->writer));
    return tn_output_commit(edit->output, error);
}

void tn_zip_edit_close(struct tn_zip_edit *edit)
{
    if (edit->writer.to)
        tn_zip_writer_done(&edit->writer);
    tn_output_close(edit->output);
    if (edit->is_open)
        tn_zip_close(&edit->zip);
    tn_append_close(edit->file);
    *edit = (struct tn_zip_edit){ 0 };
}
