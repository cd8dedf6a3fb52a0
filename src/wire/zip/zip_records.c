/* zip_records.c - reading single records of a zip */
#include "wire/zip/zip_records.h"

#include "base/arith.h"
#include "base/byte_view.h"
#include "base/utf8.h"
#include "io/file_source.h"

/* Bytes that are read at once if headers are close to each other, and if they
 * are far apart. */
#define NEAR_SIZE  ((uint64_t)16 << 10)
#define ALONE_SIZE ((uint64_t)512)

/* Reading more bytes than that in between costs more than another call. */
#define NEAR_GAP ((uint64_t)4 << 10)

static const uint8_t *fill_window(struct tn_zip *zip, uint64_t offset,
                                  uint64_t size, struct tn_error *error)
{
    uint64_t reach   = zip->window_at + zip->window.size + NEAR_GAP;
    bool     is_near = offset >= zip->window_at && offset < reach;
    uint64_t most    = tn_max(size, is_near ? NEAR_SIZE : ALONE_SIZE);

    most = tn_min(most, zip->source->size - offset);
    tn_buffer_clear(&zip->window);
    uint8_t *room = tn_buffer_room(&zip->window, (size_t)most);
    if (!room) {
        *error = zip->window_error;
        return NULL;
    }
    if (tn_source_read_few(zip->source, offset, room, (size_t)most, error) !=
        TN_OK)
        return NULL;
    zip->window.size = (size_t)most;
    zip->window_at   = offset;
    return room;
}

const uint8_t *tn_zip_peek(struct tn_zip *zip, uint64_t offset, uint64_t size,
                           struct tn_error *error)
{
    if (!tn_inside(offset, size, zip->source->size)) {
        tn_error_set(error, TN_TRUNCATED, offset,
                     "need %" PRIu64 " bytes, the file has %" PRIu64, size,
                     zip->source->size);
        return NULL;
    }
    if (zip->source->map && tn_source_descriptor(zip->source) < 0)
        return zip->source->map + offset;
    if (offset >= zip->window_at &&
        tn_inside(offset - zip->window_at, size, zip->window.size))
        return zip->window.data + (offset - zip->window_at);
    return fill_window(zip, offset, size, error);
}

uint32_t tn_zip_signature(struct tn_zip *zip, uint64_t offset,
                          struct tn_error *error)
{
    struct tn_error inner = TN_ERROR_INIT;
    const uint8_t  *bytes = tn_zip_peek(zip, offset, 4, &inner);

    if (zip_is_final(&inner) && !tn_failed(error))
        *error = inner;
    return bytes ? tn_load32(bytes) : 0;
}

/* ---- extra fields ------------------------------------------------------- */

/* The field of that id; .data NULL if there is none.  What does not parse (some
 * tools pad with a few zeros) ends the search. */
static struct tn_bytes find_extra(struct tn_bytes extra, uint16_t id)
{
    const uint8_t *at = extra.data;

    while (extra.size >= 4) {
        size_t size = tn_load16(at + 2);
        if (size > extra.size - 4)
            break;
        if (tn_load16(at) == id)
            return tn_bytes(at + 4, size);
        at += 4 + size;
        extra.size -= 4 + size;
    }
    return tn_bytes(NULL, 0);
}

enum tn_status tn_zip_read_extra64(struct tn_bytes extra, uint64_t offset,
                                   uint64_t *size, uint64_t *packed_size,
                                   uint64_t        *entry_offset,
                                   struct tn_error *error)
{
    uint64_t *values[]  = { size, packed_size, entry_offset };
    bool      is_needed = false;

    for (int i = 0; i < 3; i++)
        is_needed |= values[i] && *values[i] == UINT32_MAX;
    if (!is_needed)
        return TN_OK;
    struct tn_bytes field = find_extra(extra, ZIP_EXTRA_64);
    if (!field.data) /* ffffffff bytes, as tools without ZIP64 write it */
        return TN_OK;
    struct tn_error  none = TN_ERROR_INIT;
    struct tn_cursor c    = tn_cursor_bytes(field, offset, &none);
    for (int i = 0; i < 3; i++)
        if (values[i] && *values[i] == UINT32_MAX)
            *values[i] = tn_u64(&c);
    if (tn_failed(&none))
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a ZIP64 field of %zu bytes, too short for what "
                            "it has to hold",
                            field.size);
    return TN_OK;
}

/* ---- local headers ------------------------------------------------------ */

static void parse_local(struct tn_cursor *c, struct zip_local *local,
                        uint16_t *name_size, uint16_t *extra_size)
{
    tn_skip(c, 6); /* signature, version */
    local->flags       = tn_u16(c);
    local->method      = tn_u16(c);
    local->time        = tn_u16(c);
    local->date        = tn_u16(c);
    local->crc         = tn_u32(c);
    local->packed_size = tn_u32(c);
    local->size        = tn_u32(c);
    *name_size         = tn_u16(c);
    *extra_size        = tn_u16(c);
}

enum tn_status tn_zip_read_local(struct tn_zip *zip, uint64_t offset,
                                 struct zip_local *local,
                                 struct tn_error  *error)
{
    const uint8_t *fixed = tn_zip_peek(zip, offset, ZIP_LOCAL_SIZE, error);
    uint16_t       name_size, extra_size;

    if (!fixed)
        return error->status;
    if (tn_load32(fixed) != ZIP_LOCAL)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "no local header, but %08" PRIx32,
                            tn_load32(fixed));
    struct tn_cursor c =
        tn_cursor_bytes(tn_bytes(fixed, ZIP_LOCAL_SIZE), offset, error);
    parse_local(&c, local, &name_size, &extra_size);
    const uint8_t *text =
        tn_zip_peek(zip, offset + ZIP_LOCAL_SIZE, name_size, error);
    if (!text)
        return error->status;
    uint64_t extra_offset = offset + ZIP_LOCAL_SIZE + name_size;
    local->name           = tn_bytes(text, name_size);
    local->data_offset    = extra_offset + extra_size;
    if (local->size != UINT32_MAX && local->packed_size != UINT32_MAX)
        return TN_OK;
    /* One peek for both: the second would move the name away. */
    text = tn_zip_peek(zip, offset + ZIP_LOCAL_SIZE,
                       (uint64_t)name_size + extra_size, error);
    if (!text)
        return error->status;
    local->name = tn_bytes(text, name_size);
    return tn_zip_read_extra64(tn_bytes(text + name_size, extra_size),
                               extra_offset, &local->size, &local->packed_size,
                               NULL, error);
}

/* ---- end records -------------------------------------------------------- */

static enum tn_status fail_disks(uint64_t offset, struct tn_error *error)
{
    return tn_error_set(error, TN_UNSUPPORTED, offset,
                        "a zip over several disks");
}

/* The locator before the end at `offset`, and the record that it names, which
 * must be right before it. */
static enum tn_status read_end64(struct tn_zip *zip, uint64_t offset,
                                 struct zip_end *end, struct tn_error *error)
{
    uint64_t both = ZIP_LOCATOR_SIZE + ZIP_END64_SIZE;

    if (offset < both)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "no room for the ZIP64 records it asks for");
    const uint8_t *at = tn_zip_peek(zip, offset - both, both, error);
    if (!at)
        return error->status;
    const uint8_t *locator = at + ZIP_END64_SIZE;
    if (tn_load32(locator) != ZIP_LOCATOR ||
        tn_load64(locator + 8) != offset - both || tn_load32(at) != ZIP_END64 ||
        tn_load64(at + 4) != ZIP_END64_SIZE - 12)
        return tn_error_set(error, TN_MALFORMED, offset - both,
                            "no ZIP64 records where the end needs them");
    if (tn_load32(locator + 4) || tn_load32(locator + 16) > 1 ||
        tn_load32(at + 16) || tn_load32(at + 20) ||
        tn_load64(at + 24) != tn_load64(at + 32))
        return fail_disks(offset - both, error);
    end->count            = tn_load64(at + 32);
    end->directory_size   = tn_load64(at + 40);
    end->directory_offset = tn_load64(at + 48);
    end->offset           = offset - both;
    return TN_OK;
}

/* A locator before it says that there are ZIP64 records, needed or not. */
static bool has_end64(struct tn_zip *zip, uint64_t offset,
                      const struct zip_end *end, struct tn_error *error)
{
    return end->count == UINT16_MAX || end->directory_size == UINT32_MAX ||
           end->directory_offset == UINT32_MAX ||
           (offset >= ZIP_LOCATOR_SIZE &&
            tn_zip_signature(zip, offset - ZIP_LOCATOR_SIZE, error) ==
                ZIP_LOCATOR);
}

enum tn_status tn_zip_read_end(struct tn_zip *zip, uint64_t offset,
                               struct zip_end *end, struct tn_error *error)
{
    const uint8_t *at = tn_zip_peek(zip, offset, ZIP_END_SIZE, error);

    if (!at)
        return error->status;
    if (tn_load32(at) != ZIP_END)
        return tn_error_because(error, TN_MALFORMED, TN_REASON_CUT_SHORT,
                                offset,
                                "no end record of a zip: the file was cut "
                                "short, or is something else");
    *end     = (struct zip_end){ .directory_offset = tn_load32(at + 16),
                                 .directory_size   = tn_load32(at + 12),
                                 .count            = tn_load16(at + 10),
                                 .offset           = offset };
    end->end = offset + ZIP_END_SIZE + tn_load16(at + 20);
    if (tn_load16(at + 4) || tn_load16(at + 6) ||
        tn_load16(at + 8) != tn_load16(at + 10))
        return fail_disks(offset + 4, error);
    if (end->end > zip->source->size)
        return tn_error_set(error, TN_TRUNCATED, offset + 20,
                            "the comment ends after the file");
    if (has_end64(zip, offset, end, error) && !tn_failed(error))
        read_end64(zip, offset, end, error);
    if (tn_failed(error))
        return error->status;
    if (!tn_inside(end->directory_offset, end->directory_size, end->offset) ||
        end->directory_offset + end->directory_size != end->offset)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a directory of %" PRIu64 " bytes at %" PRIu64
                            " does not end where the end record begins",
                            end->directory_size, end->directory_offset);
    if (end->count > end->directory_size / ZIP_RECORD_SIZE)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%" PRIu64 " entries in a directory of %" PRIu64
                            " bytes",
                            end->count, end->directory_size);
    return TN_OK;
}

/* ---- names -------------------------------------------------------------- */

static const char *fault_in_part(struct tn_bytes part)
{
    if (part.size == 0)
        return "has an empty part";
    if (tn_bytes_is(part, ".") || tn_bytes_is(part, ".."))
        return "has a part that leads elsewhere";
    for (size_t i = 0; i < part.size; i++) {
        if (part.data[i] < 0x20 || part.data[i] == 0x7f)
            return "has a control character";
        if (part.data[i] == '\\')
            return "has a backslash";
    }
    return NULL;
}

static const char *fault_in_name(struct tn_bytes name)
{
    const uint8_t *at = name.data, *end = at + name.size;

    if (name.size == 0)
        return "is empty";
    if (at[0] == '/')
        return "is absolute";
    if (name.size >= 2 && at[1] == ':' && (at[0] | 32) >= 'a' &&
        (at[0] | 32) <= 'z')
        return "has a drive letter";
    if (!tn_utf8_is_valid(name))
        return "is not UTF-8";
    while (at < end) { /* a last '/' only says that it is a folder */
        const uint8_t *slash = memchr(at, '/', (size_t)(end - at));
        const uint8_t *stop  = slash ? slash : end;
        const char    *fault = fault_in_part(tn_bytes(at, (size_t)(stop - at)));
        if (fault)
            return fault;
        at = slash ? slash + 1 : end;
    }
    return NULL;
}

enum tn_status tn_zip_check_name(struct tn_bytes name, uint64_t offset,
                                 struct tn_error *error)
{
    const char *fault = fault_in_name(name);

    if (fault)
        return tn_error_set(error, TN_MALFORMED, offset, "a name %s", fault);
    return TN_OK;
}

enum tn_status tn_zip_check_key(struct tn_bytes name, uint64_t offset,
                                struct tn_error *error)
{
    const char *fault = name.size == 0            ? "is empty"
                        : !tn_utf8_is_valid(name) ? "is not UTF-8"
                        : tn_bytes_find(name, 0)  ? "has a zero byte"
                                                  : NULL;

    if (fault)
        return tn_error_set(error, TN_MALFORMED, offset, "a name %s", fault);
    return TN_OK;
}
