/* scan_bytes.c - what a file or member is, by its bytes, and how it is scanned */
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/expand.h"
#include "scan/scan.h"

#define HEAD_SIZE   512
#define NPY_LIMIT   (UINT64_C(1) << 20) /* of the header of an array          */
#define TEMPLATE_LIMIT (UINT64_C(1) << 20)
#define TAR_MAGIC   257
#define TAIL_SIZE   (UINT64_C(22) + UINT16_MAX) /* of a zip, with a comment   */

void tn_scan_tell(struct tn_scan *scan, enum tn_verdict verdict,
                  const char *rule, uint64_t offset, const char *format, ...)
{
    char    what[512];
    va_list arguments;

    if (scan->is_stopped || tn_failed(scan->error))
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *member = tn_buffer_string(&scan->member);
    struct tn_scan_finding finding = {
        .verdict = verdict,
        .rule    = rule,
        .file    = scan->file,
        .member  = member,
        .offset  = offset,
        .what    = what,
    };
    scan->is_stopped = scan->each && scan->each(scan->context, &finding);
    scan->totals->findings[verdict]++;
    if ((int)verdict > scan->worst)
        scan->worst = (int)verdict;
}

void tn_scan_absorb(struct tn_scan *scan, const struct tn_error *own)
{
    if (tn_machine_failed(own))
        *scan->error = *own;
    else if (tn_failed(own))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "unreadable", own->offset,
                     "cannot be read to the end: %s", own->what);
}

/* ---- what cannot be looked into ------------------------------------------ */

static const struct {
    const char *magic;
    size_t      size;
    const char *what;
} closed[] = {
    { "7z\xbc\xaf\x27\x1c", 6, "a 7z archive" },
    { "Rar!\x1a\x07", 6, "a RAR archive" },
    { "\x1f\x8b", 2, "gzip data" },
    { "BZh", 3, "bzip2 data" },
    { "\xfd"
      "7zXZ",
      5, "xz data" },
    { "\x28\xb5\x2f\xfd", 4, "zstd data" },
    { "\x04\x22\x4d\x18", 4, "LZ4 data" },
    { "MSCF", 4, "a cabinet archive" },
    { "\x5d\0\0", 3, "LZMA data" },
    /* What joblib compresses begins so. */
    { "\x78\x01", 2, "zlib data" },
    { "\x78\x5e", 2, "zlib data" },
    { "\x78\x9c", 2, "zlib data" },
    { "\x78\xda", 2, "zlib data" },
};

static void tell_closed(struct tn_scan *scan, struct tn_bytes head)
{
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
        if (head.size < closed[i].size ||
            memcmp(head.data, closed[i].magic, closed[i].size) != 0)
            continue;
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", 0,
                     "%s: not looked into; unpack it and scan what is inside",
                     closed[i].what);
        return;
    }
}

/* ---- arrays -------------------------------------------------------------- */

/* The header of an array that holds objects says 'O'; a pickle follows. */
static void scan_array(struct tn_scan *scan, struct tn_source *source)
{
    struct tn_error  own = TN_ERROR_INIT;
    struct tn_cursor c   = tn_cursor_span(
        (struct tn_span){ source, 0, source->size }, &own);
    const uint8_t *magic = tn_take(&c, 8);
    uint64_t       size  = magic && magic[6] > 1 ? tn_u32(&c) : tn_u16(&c);

    if (size > NPY_LIMIT)
        tn_fail(&c, TN_LIMIT, "the header of an array has %" PRIu64 " bytes",
                size);
    struct tn_bytes dict = tn_take_bytes(&c, size);
    if (tn_failed(&own)) {
        tn_scan_absorb(scan, &own);
        return;
    }
    if (!tn_bytes_contains(dict, tn_text("|O")) &&
        !tn_bytes_contains(dict, tn_text("'O")))
        return;
    tn_scan_tell(scan, TN_VERDICT_NOTE, "object-array", 0,
                 "an array of Python objects, which is a pickle");
    if (!tn_scan_pickles(scan, (struct tn_span){ source, c.offset,
                                                 source->size - c.offset }))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "object-array", c.offset,
                     "no pickle where the objects of the array should be");
}

/* ---- everything ---------------------------------------------------------- */

static bool is_zip(struct tn_scan *scan, struct tn_source *source,
                   struct tn_bytes head)
{
    uint8_t         tail[4096];
    uint64_t        left = tn_min(source->size, TAIL_SIZE);
    struct tn_error own  = TN_ERROR_INIT;

    if (head.size >= 4 && (memcmp(head.data, "PK\3\4", 4) == 0 ||
                           memcmp(head.data, "PK\5\6", 4) == 0))
        return true;
    /* Readers of zips look for the end: something may be before it. */
    for (uint64_t at = source->size - left; left >= 22 && !tn_failed(&own);) {
        size_t n = (size_t)tn_min(left, sizeof tail);
        if (tn_source_read(source, at, tail, n, &own) != TN_OK)
            break;
        for (size_t i = 0; i + 4 <= n; i++)
            if (memcmp(tail + i, "PK\5\6", 4) == 0 && source->size - at - i >= 22)
                return true;
        if (n == left)
            break;
        at += n - 3;
        left -= n - 3;
    }
    tn_scan_absorb(scan, &own);
    return false;
}

/* A template, in a file of its own or as a text of a tokenizer's JSON. */
static void scan_template_file(struct tn_scan *scan, struct tn_source *source)
{
    struct tn_error own  = TN_ERROR_INIT;
    size_t          size = (size_t)tn_min(source->size, TEMPLATE_LIMIT);
    uint8_t        *text =
        tn_memory_resize(scan->memory, NULL, 0, size, scan->error);

    if (text && tn_source_read(source, 0, text, size, &own) == TN_OK)
        tn_scan_template(scan, tn_bytes(text, size));
    if (text)
        tn_memory_free(scan->memory, text, size);
    tn_scan_absorb(scan, &own);
}

/* Texts that are what their names say. */
static void scan_by_name(struct tn_scan *scan, struct tn_source *source,
                         struct tn_bytes name)
{
    if (tn_bytes_ends_with(name, ".jinja") ||
        tn_bytes_ends_with(name, "tokenizer_config.json") ||
        tn_bytes_ends_with(name, "chat_template.json"))
        scan_template_file(scan, source);
    else if (tn_bytes_ends_with(name, "config.json"))
        tn_scan_keras(scan, source);
}

void tn_scan_bytes(struct tn_scan *scan, struct tn_source *source,
                   struct tn_bytes name)
{
    uint8_t         bytes[HEAD_SIZE];
    size_t          size = (size_t)tn_min(source->size, HEAD_SIZE);
    struct tn_error own  = TN_ERROR_INIT;
    struct tn_bytes head = tn_bytes(bytes, size);

    if (size == 0)
        return;
    if (tn_source_read(source, 0, bytes, size, &own) != TN_OK) {
        tn_scan_absorb(scan, &own);
        return;
    }
    if (scan->depth == 0)
        scan->most = tn_expand_most(0, source->size);
    /* A file can be several things at once: a loader of pickles does not ask
     * what else it is.  Of a zip it takes the P for an opcode, and fails. */
    if (size < 2 || memcmp(bytes, "PK", 2) != 0)
        tn_scan_pickles(scan, (struct tn_span){ source, 0, source->size });
    if (is_zip(scan, source, head))
        tn_scan_zip(scan, source);
    else if (size > TAR_MAGIC + 5 && memcmp(bytes + TAR_MAGIC, "ustar", 5) == 0)
        tn_scan_tar(scan, source);
    else if (size >= 10 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        scan_array(scan, source);
    else if (size >= 4 && memcmp(bytes, "\x89HDF", 4) == 0)
        tn_scan_keras(scan, source);
    else
        tell_closed(scan, head);
    scan_by_name(scan, source, name);
}

void tn_scan_member(struct tn_scan *scan, struct tn_source *source,
                    struct tn_bytes name)
{
    size_t before = scan->member.size;

    if (before)
        tn_buffer_byte(&scan->member, '/');
    tn_buffer_add(&scan->member, name);
    if (++scan->depth > TN_SCAN_DEPTH_LIMIT)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", TN_NOWHERE,
                     "archives in archives, deeper than %d",
                     TN_SCAN_DEPTH_LIMIT);
    else
        tn_scan_bytes(scan, source, name);
    scan->depth--;
    scan->member.size = before;
    tn_source_close(source);
}
