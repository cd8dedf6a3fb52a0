/* error.c - filling in the caller's tn_error */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

const char *tn_status_name(enum tn_status status)
{
    switch (status) {
    case TN_OK: return "ok";
    case TN_TRUNCATED: return "truncated";
    case TN_MALFORMED: return "malformed";
    case TN_LIMIT: return "limit";
    case TN_UNSUPPORTED: return "unsupported";
    case TN_NOT_FOUND: return "not found";
    case TN_IO: return "i/o";
    case TN_NO_MEMORY: return "no memory";
    case TN_EXISTS: return "exists";
    case TN_BUSY: return "busy";
    case TN_INVALID: return "invalid";
    case TN_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

const char *tn_status_sentence(enum tn_status status)
{
    switch (status) {
#define X(name, code, sentence)                                                \
    case TN_##name: return sentence;
        TN_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

int tn_status_exit_code(enum tn_status status)
{
    switch (status) {
#define X(name, code, sentence)                                                \
    case TN_##name: return code;
        TN_STATUS_MAP(X)
#undef X
    }
    return 2;
}

const char *tn_reason_word(enum tn_reason reason)
{
    switch (reason) {
#define X(name, word, sentence)                                                \
    case TN_REASON_##name: return word;
        TN_REASON_MAP(X)
#undef X
    }
    return "unknown reason";
}

const char *tn_reason_sentence(enum tn_reason reason)
{
    switch (reason) {
#define X(name, word, sentence)                                                \
    case TN_REASON_##name: return sentence;
        TN_REASON_MAP(X)
#undef X
    }
    return "unknown reason";
}

/* Messages are one line whatever the file's names contain: control characters
 * are written as C writes them.  Returns whether all of it had room. */
static bool copy_line(char *to, size_t room, const char *text)
{
    size_t used = 0;

    for (; *text; text++) {
        char as[8] = { *text };
        if (*text == '\n' || *text == '\t')
            memcpy(as, *text == '\n' ? "\\n" : "\\t", 3);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            snprintf(as, sizeof as, "\\x%02hhx", (unsigned char)*text);
        size_t size = strlen(as);
        if (used + size >= room)
            break;
        memcpy(to + used, as, size);
        used += size;
    }
    to[used] = '\0';
    return !*text;
}

/* A text that was cut may end in half a character. */
static void drop_half(char *text)
{
    size_t size = strlen(text), from = size;

    while (from > 0 && from + 3 > size &&
           ((unsigned char)text[from - 1] & 0xc0) == 0x80)
        from--;
    if (from > 0 && (unsigned char)text[from - 1] >= 0xc0 &&
        tn_utf8_check((const uint8_t *)text + from - 1,
                      (const uint8_t *)text + size) != size - from + 1)
        text[from - 1] = '\0';
}

static enum tn_status set(struct tn_error *error, enum tn_status status,
                          enum tn_reason reason, uint64_t offset,
                          const char *format, va_list arguments)
{
    char text[sizeof error->what];

    if (tn_failed(error))
        return error->status;
    error->status = status;
    error->reason = reason;
    error->offset = offset;
    int size      = vsnprintf(text, sizeof text, format, arguments);
    if (!copy_line(error->what, sizeof error->what, text) ||
        size >= (int)sizeof text)
        drop_half(error->what);
    return status;
}

enum tn_status tn_error_set(struct tn_error *error, enum tn_status status,
                            uint64_t offset, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    status = set(error, status, TN_REASON_NONE, offset, format, arguments);
    va_end(arguments);
    return status;
}

enum tn_status tn_error_because(struct tn_error *error, enum tn_status status,
                                enum tn_reason reason, uint64_t offset,
                                const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    status = set(error, status, reason, offset, format, arguments);
    va_end(arguments);
    return status;
}

enum tn_status tn_error_errno(struct tn_error *error, int number,
                              const char *format, ...)
{
    char text[120], reason[80];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strerror_r(number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", number);
    return tn_error_set(error, TN_IO, TN_NOWHERE, "%s: %s", text, reason);
}

void tn_error_where(struct tn_error *error, const char *format, ...)
{
    char step[sizeof error->where], joined[2 * sizeof error->where];

    if (!tn_failed(error))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step, sizeof step, format, arguments);
    va_end(arguments);

    const char *dot = error->where[0] && error->where[0] != '[' ? "." : "";
    snprintf(joined, sizeof joined, "%s%s%s", step, dot, error->where);
    copy_line(error->where, sizeof error->where, joined);
}

void tn_error_file(struct tn_error *error, const char *file)
{
    if (tn_failed(error) && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", file);
}

enum tn_status tn_error_without_place(struct tn_error *error)
{
    error->offset   = TN_NOWHERE;
    error->file[0]  = '\0';
    error->where[0] = '\0';
    return error->status;
}
