/* remote_answer.c - answers of a server, compared with the request
 */
#define _GNU_SOURCE
#include "io/remote_answer.h"

#include <inttypes.h>
#include <strings.h>
#include <time.h>

void tn_answer_begin(struct tn_answer *answer)
{
    uint64_t size = answer->header_size;

    *answer = (struct tn_answer){
        .header_size = size,
        .first       = TN_ANSWER_UNKNOWN,
        .last        = TN_ANSWER_UNKNOWN,
        .total       = TN_ANSWER_UNKNOWN,
        .length      = TN_ANSWER_UNKNOWN,
        .retry_after = TN_ANSWER_UNKNOWN,
    };
}

/* ---- numbers and dates -------------------------------------------------- */

/* Takes digits off the front.  False if there are none, or too many. */
static bool take_number(struct tn_bytes *text, uint64_t *number)
{
    size_t i = 0;

    *number = 0;
    for (; i < text->size && text->data[i] >= '0' && text->data[i] <= '9';
         i++) {
        if (i >= 19)
            return false;
        *number = *number * 10 + (uint64_t)(text->data[i] - '0');
    }
    *text = tn_bytes(text->data + i, text->size - i);
    return i > 0;
}

static bool take_text(struct tn_bytes *text, const char *word)
{
    size_t size = strlen(word);

    if (text->size < size ||
        strncasecmp((const char *)text->data, word, size) != 0)
        return false;
    *text = tn_bytes(text->data + size, text->size - size);
    return true;
}

static bool is_number(struct tn_bytes text, uint64_t *number)
{
    return take_number(&text, number) && text.size == 0;
}

bool tn_answer_parse_range(struct tn_bytes text, uint64_t *first,
                           uint64_t *last, uint64_t *total)
{
    *first = *last = *total = TN_ANSWER_UNKNOWN;
    if (!take_text(&text, "bytes "))
        return false;
    if (!take_text(&text, "*") &&
        (!take_number(&text, first) || !take_text(&text, "-") ||
         !take_number(&text, last) || *last < *first))
        return false;
    if (!take_text(&text, "/"))
        return false;
    if (tn_bytes_is(text, "*"))
        return *first != TN_ANSWER_UNKNOWN;
    return is_number(text, total) &&
           (*first == TN_ANSWER_UNKNOWN || *last < *total);
}

bool tn_answer_parse_date(struct tn_bytes text, int64_t *seconds)
{
    char      copy[40] = "";
    struct tm when     = { 0 };

    if (text.size >= sizeof copy)
        return false;
    if (text.size)
        memcpy(copy, text.data, text.size);
    const char *end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &when);
    *seconds        = (int64_t)timegm(&when);
    return end && !*end;
}

/* Seconds, or a date. */
static uint64_t parse_delay(struct tn_bytes text, int64_t now)
{
    uint64_t seconds;
    int64_t  then;

    if (is_number(text, &seconds))
        return seconds;
    if (!tn_answer_parse_date(text, &then))
        return TN_ANSWER_UNKNOWN;
    return then > now ? (uint64_t)(then - now) : 0;
}

/* ---- lines -------------------------------------------------------------- */

/* Some servers take any control character for the end of a line. */
static bool has_control(struct tn_bytes value)
{
    for (size_t i = 0; i < value.size; i++)
        if ((value.data[i] < 0x20 && value.data[i] != '\t') ||
            value.data[i] == 0x7f)
            return true;
    return false;
}

/* Repeated and overlong values are ignored, because they cannot be compared.
 * Some values are sent back, in lines of requests. */
static void keep_text(struct tn_answer *answer, char *to, size_t room,
                      struct tn_bytes value)
{
    if (to[0] || value.size >= room || has_control(value)) {
        answer->is_bad = true;
        return;
    }
    if (value.size)
        memcpy(to, value.data, value.size);
    to[value.size] = '\0';
}

static void keep_length(struct tn_answer *answer, struct tn_bytes value)
{
    uint64_t length;

    if (!is_number(value, &length) ||
        (answer->length != TN_ANSWER_UNKNOWN && answer->length != length))
        answer->is_bad = true;
    else
        answer->length = length;
}

static void keep_range(struct tn_answer *answer, struct tn_bytes value)
{
    if (answer->has_range ||
        !tn_answer_parse_range(value, &answer->first, &answer->last,
                               &answer->total))
        answer->is_bad = true;
    answer->has_range = true;
}

/* "<https://h/p?page=2>; rel=\"next\"".  Links of other kinds are many, also in
 * one line. */
static void keep_link(struct tn_answer *answer, struct tn_bytes value)
{
    static const char word[] = "rel=\"next\"";
    const uint8_t    *begin, *end;

    while (!answer->next[0] && (begin = tn_bytes_find(value, '<')) != NULL) {
        value = tn_bytes(begin, value.size - (size_t)(begin - value.data));
        end   = tn_bytes_find(value, '>');
        if (!end)
            return;
        size_t size = (size_t)(end - begin) - 1;
        value       = tn_bytes(end, value.size - (size_t)(end - begin));
        const uint8_t *other = tn_bytes_find(value, '<');
        size_t         rest = other ? (size_t)(other - value.data) : value.size;
        if (size < sizeof answer->next && !memchr(begin, 0, size + 1) &&
            memmem(value.data, rest, word, sizeof word - 1))
            memcpy(answer->next, begin + 1, size);
    }
}

/* libcurl handles bodies that are sent in chunks; other codings are not
 * requested.  "identity" is no longer a coding: libcurl then waits for the end
 * of the connection. */
static bool is_chunked(struct tn_bytes value)
{
    return take_text(&value, "chunked") && !value.size;
}

static void keep_header(struct tn_answer *answer, struct tn_bytes name,
                        struct tn_bytes value, int64_t now)
{
    char   word[32] = "";
    size_t size     = name.size < sizeof word ? name.size : 0;

    for (size_t i = 0; i < size; i++)
        word[i] = (char)(name.data[i] >= 'A' && name.data[i] <= 'Z'
                             ? name.data[i] + ('a' - 'A')
                             : name.data[i]);
    if (!strcmp(word, "etag"))
        keep_text(answer, answer->etag, sizeof answer->etag, value);
    else if (!strcmp(word, "last-modified"))
        keep_text(answer, answer->modified, sizeof answer->modified, value);
    else if (!strcmp(word, "x-linked-etag"))
        keep_text(answer, answer->linked_etag, sizeof answer->linked_etag,
                  value);
    else if (!strcmp(word, "x-repo-commit"))
        keep_text(answer, answer->commit, sizeof answer->commit, value);
    else if (!strcmp(word, "x-amz-bucket-region"))
        keep_text(answer, answer->region, sizeof answer->region, value);
    else if (!strcmp(word, "x-amz-checksum-crc32c"))
        keep_text(answer, answer->checksum, sizeof answer->checksum, value);
    else if (!strcmp(word, "x-amz-meta-tenon-upload"))
        keep_text(answer, answer->upload, sizeof answer->upload, value);
    else if (!strcmp(word, "link"))
        keep_link(answer, value);
    else if (!strcmp(word, "location"))
        keep_text(answer, answer->location, sizeof answer->location, value);
    else if (!strcmp(word, "content-length"))
        keep_length(answer, value);
    else if (!strcmp(word, "content-range"))
        keep_range(answer, value);
    else if (!strcmp(word, "retry-after"))
        answer->retry_after = parse_delay(value, now);
    else if (!strcmp(word, "content-encoding"))
        answer->is_encoded |= !tn_bytes_is(value, "identity") && value.size;
    else if (!strcmp(word, "transfer-encoding"))
        answer->is_encoded |= !is_chunked(value);
    else if (!strcmp(word, "content-type"))
        answer->is_multipart |= take_text(&value, "multipart/");
}

static struct tn_bytes trim(struct tn_bytes text)
{
    while (text.size && strchr(" \t\r\n", text.data[text.size - 1]))
        text.size--;
    while (text.size && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = tn_bytes(text.data + 1, text.size - 1);
    return text;
}

/* "HTTP/1.1 206 Partial Content", "HTTP/2 206". */
static bool take_status(struct tn_answer *answer, struct tn_bytes line)
{
    uint64_t status;

    if (!take_text(&line, "HTTP/"))
        return false;
    tn_answer_begin(answer);
    answer->has_begun    = true;
    const uint8_t *space = tn_bytes_find(line, ' ');
    if (space) {
        line = tn_bytes(space + 1, line.size - (size_t)(space + 1 - line.data));
        if (take_number(&line, &status) && status >= 100 && status < 600)
            answer->status = (unsigned)status;
    }
    return true;
}

bool tn_answer_line(struct tn_answer *answer, struct tn_bytes line, int64_t now)
{
    answer->header_size += line.size;
    if (answer->header_size > TN_ANSWER_MOST_HEADERS)
        return false;
    line = trim(line);
    if (line.size == 0) {
        answer->is_over = true;
        return true;
    }
    /* An answer begins if none has begun, or if another one is complete. */
    if ((!answer->has_begun || answer->is_over) && take_status(answer, line))
        return true;
    /* Trailers, which follow a body, have nothing that is used here. */
    answer->has_begun = true;
    if (answer->is_over)
        return true;
    const uint8_t *colon = tn_bytes_find(line, ':');
    if (!colon)
        return true;
    size_t size = (size_t)(colon - line.data);
    keep_header(answer, tn_bytes(line.data, size),
                trim(tn_bytes(colon + 1, line.size - size - 1)), now);
    return true;
}

/* ---- judging ------------------------------------------------------------ */

bool tn_answer_is_strong(const char *etag)
{
    return etag[0] && strncmp(etag, "W/", 2) != 0;
}

static enum tn_status bad(struct tn_error *error, const char *what)
{
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "%s", what);
}

static enum tn_status changed(struct tn_error *error, const char *what)
{
    return tn_error_because(error, TN_IO, TN_REASON_REMOTE_CHANGED, TN_NOWHERE,
                            "%s", what);
}

/* The same ETag as before; without one the same date. */
static enum tn_status check_version(const struct tn_answer  *answer,
                                    const struct tn_version *version,
                                    struct tn_error         *error)
{
    if (strcmp(answer->etag, version->etag) != 0)
        return changed(error, "the file changed while it was read: it has "
                              "another ETag");
    if (!tn_answer_is_strong(version->etag) &&
        strcmp(answer->modified, version->modified) != 0)
        return changed(error, "the file changed while it was read: it has "
                              "another Last-Modified");
    return TN_OK;
}

/* 203: a proxy between us changed something, such as the headers. */
static bool is_whole(const struct tn_answer *answer)
{
    return answer->status == 200 || answer->status == 203;
}

/* A server without support for ranges sends everything: for the first request
 * that is fine if the file is complete. */
static enum tn_status judge_whole(const struct tn_answer *answer,
                                  const struct tn_asked *asked, uint64_t *first,
                                  uint64_t *length, struct tn_error *error)
{
    uint64_t size = asked->last - asked->first + 1;

    if (!is_whole(answer))
        return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                                "the server answered %u, which brings no file",
                                answer->status);
    if (answer->has_range &&
        (answer->first != 0 || answer->last + 1 != answer->total))
        return bad(error, "the answer says that it is the whole file (200), "
                          "and that it is a part (Content-Range)");
    if (!asked->is_first)
        TN_TRY(check_version(answer, asked->version, error));
    if (asked->is_first && asked->is_whole &&
        answer->length != TN_ANSWER_UNKNOWN && answer->length <= size) {
        *first  = 0;
        *length = answer->length;
        return TN_OK;
    }
    return tn_error_because(error, TN_UNSUPPORTED, TN_REASON_NO_RANGES,
                            TN_NOWHERE,
                            "the server sends whole files, not parts of them; "
                            "download the file first");
}

static enum tn_status judge_part(const struct tn_answer *answer,
                                 const struct tn_asked *asked, uint64_t *first,
                                 uint64_t *length, struct tn_error *error)
{
    if (answer->is_multipart || !answer->has_range ||
        answer->first == TN_ANSWER_UNKNOWN)
        return bad(error, "the answer does not say which bytes it has (no "
                          "Content-Range)");
    /* The end of a file is shorter than what was asked for if that is the whole
     * file. */
    if (asked->is_suffix
            ? answer->last - answer->first >= asked->last ||
                  (answer->last - answer->first + 1 < asked->last &&
                   answer->first != 0)
            : answer->first != asked->first || answer->last > asked->last)
        return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                                "the server answered with bytes %" PRIu64
                                " to %" PRIu64
                                ", not those that were requested",
                                answer->first, answer->last);
    *first  = answer->first;
    *length = answer->last - answer->first + 1;
    if (answer->length != TN_ANSWER_UNKNOWN && answer->length != *length)
        return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                                "the answer has %" PRIu64
                                " bytes, its Content-Range says %" PRIu64,
                                answer->length, *length);
    if (answer->total != TN_ANSWER_UNKNOWN &&
        asked->version->size != TN_ANSWER_UNKNOWN &&
        answer->total != asked->version->size)
        return changed(error, "the file changed while it was read: it has "
                              "another size");
    return asked->is_first ? TN_OK
                           : check_version(answer, asked->version, error);
}

enum tn_status tn_answer_judge(const struct tn_answer *answer,
                               const struct tn_asked *asked, uint64_t *first,
                               uint64_t *length, struct tn_error *error)
{
    if (answer->is_encoded)
        return bad(error, "the answer is compressed (Content-Encoding, "
                          "Transfer-Encoding), though that was not allowed");
    if (answer->is_bad)
        return bad(error, "a header of the answer is malformed, repeated or "
                          "too long");
    if (answer->status == 206)
        return judge_part(answer, asked, first, length, error);
    return judge_whole(answer, asked, first, length, error);
}
