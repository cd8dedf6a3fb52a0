/* remote_upload.c - uploads files to a server, all of them or none */
#define _GNU_SOURCE
#include "io/remote_upload.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/watch.h"
#include "codec/crc32c.h"
#include "codec/sha256.h"
#include "io/os.h"
#include "io/remote_exchange.h"
#include "io/remote_list.h"
#include "io/remote_source.h"
#include "io/remote_xml.h"

#define PART        (UINT64_C(8) << 20) /* bytes; smaller files in one request */
#define MOST_PARTS  10000
#define AT_A_TIME   4    /* requests under way    */
#define SETTLE_TIME 500  /* milliseconds for answers that may still come */
#define ABORT_TIME  1500 /* milliseconds for aborting all */
#define COMPLETIONS 5 /* attempts, where the answer is an error that passes */

#define HEX_SIZE (2 * TN_SHA256_SIZE + 1)
#define SUM_SIZE 9 /* "AAAAAA==" */

enum task {
    CHECK,    /* that nothing is there                                        */
    BEGIN,    /* an upload of parts                                           */
    SEND,     /* a part                                                       */
    PUT,      /* a file in one request                                        */
    COMPLETE, /* an upload                                                    */
    VERIFY,   /* that all of it arrived                                       */
    ABORT,
    REMOVE, /* what got its name                                             */
};

/* A file that is being uploaded. */
struct parcel {
    const char     *url;
    struct tn_bytes bytes;
    bool            is_split;
    uint64_t        part_size;
    unsigned        part_count;
    const char     *id; /* of the upload, encoded, until it is known that
                           nothing is left of it; NULL: none             */
    const char **etags; /* of parts                                       */
    bool         is_visible;
    bool         is_doubtful; /* it may be, but the answer is missing      */
};

struct slot {
    struct tn_exchange exchange;
    struct parcel     *parcel; /* NULL: free                                 */
    enum task          task;
    unsigned           part;
    char               hash[HEX_SIZE], sum[SUM_SIZE];
    char               digest[96]; /* Content-Digest of a web server         */
};

struct upload {
    struct tn_remote *remote;
    struct tn_arena   arena;
    bool              can_replace;
    struct parcel    *parcels;
    uint64_t          count;
    char              token[17]; /* in all files, to know them again         */
    struct slot      *slots; /* AT_A_TIME                                     */
    unsigned          next;
};

static bool is_store(const struct parcel *p)
{
    return tn_place_kind_of(p->url) == TN_PLACE_S3;
}

/* Bytes of the URL that messages show: a query may be a secret. */
static int shown(const struct parcel *p)
{
    size_t size = is_store(p) ? strlen(p->url) : strcspn(p->url, "?#");

    return (int)tn_min_size(size, 300);
}

/* ---- checksums ----------------------------------------------------------- */

static void base64(const uint8_t *bytes, size_t size, char *to)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;
        if (i + 1 < size)
            bits |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size)
            bits |= bytes[i + 2];
        *to++ = letters[bits >> 18];
        *to++ = letters[bits >> 12 & 63];
        *to++ = i + 1 < size ? letters[bits >> 6 & 63] : '=';
        *to++ = i + 2 < size ? letters[bits & 63] : '=';
    }
    *to = '\0';
}

static void set_body(struct slot *s, struct tn_bytes bytes,
                     uint8_t digest[TN_SHA256_SIZE])
{
    struct tn_sha256 hash;

    tn_sha256_init(&hash);
    tn_sha256_add(&hash, bytes);
    tn_sha256_finish(&hash, digest);
    for (int i = 0; i < TN_SHA256_SIZE; i++)
        snprintf(s->hash + 2 * i, 3, "%02x", digest[i]);
    s->exchange.transfer.body      = bytes;
    s->exchange.transfer.body_hash = s->hash;
}

/* A store checks what arrived by both; it tells the second one back. */
static void add_checksums(struct slot *s, struct tn_bytes bytes)
{
    struct tn_transfer *t = &s->exchange.transfer;
    uint8_t             digest[TN_SHA256_SIZE];
    char                text[64];

    set_body(s, bytes, digest);
    if (!is_store(s->parcel)) {
        base64(digest, sizeof digest, text);
        snprintf(s->digest, sizeof s->digest,
                 "Content-Digest: sha-256=:%s:", text);
        s->exchange.lines[s->exchange.line_count++] = s->digest;
        return;
    }
    uint32_t crc      = tn_crc32c(0, bytes.data, bytes.size);
    uint8_t  bytes4[] = { (uint8_t)(crc >> 24), (uint8_t)(crc >> 16),
                          (uint8_t)(crc >> 8), (uint8_t)crc };
    base64(bytes4, sizeof bytes4, s->sum);
    tn_transfer_add_signed(t, "x-amz-checksum-crc32c", s->sum);
}

static enum tn_status check_sum(const struct slot *s, struct tn_error *error)
{
    const struct tn_answer *a = &s->exchange.transfer.answer;

    if (!s->sum[0] || !a->checksum[0] || !strcmp(a->checksum, s->sum))
        return TN_OK;
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "cannot write %.*s: what the server got has "
                            "another checksum",
                            shown(s->parcel), s->parcel->url);
}

/* ---- requests ------------------------------------------------------------ */

static void add_line(struct slot *s, const char *line)
{
    s->exchange.lines[s->exchange.line_count++] = line;
}

/* Where both exist, a file that another process makes meanwhile stays. */
static void add_condition(const struct upload *u, struct slot *s)
{
    if (!u->can_replace)
        add_line(s, "If-None-Match: *");
    s->exchange.accepted[0] = 412;
}

static struct tn_bytes part_of(const struct parcel *p, unsigned part)
{
    uint64_t begin = p->part_size * part;

    return tn_bytes(p->bytes.data + begin,
                    (size_t)tn_min(p->part_size, p->bytes.size - begin));
}

static const char *completion(struct upload *u, const struct parcel *p,
                              struct tn_error *error)
{
    struct tn_buffer text;

    tn_buffer_init(&text, u->remote->memory, error);
    tn_buffer_text(&text, "<CompleteMultipartUpload>");
    for (unsigned i = 0; i < p->part_count; i++)
        tn_buffer_format(&text,
                         "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag>"
                         "</Part>",
                         i + 1, p->etags[i]);
    tn_buffer_text(&text, "</CompleteMultipartUpload>");
    const char *kept =
        tn_failed(error)
            ? NULL
            : tn_text_dup(&u->arena, tn_buffer_string(&text), error);
    tn_buffer_done(&text);
    return kept;
}

static const char *query_of(struct upload *u, const struct slot *s,
                            struct tn_error *error)
{
    const struct parcel *p = s->parcel;

    switch (s->task) {
    case BEGIN: return "uploads=";
    case SEND:
        return tn_text_format(&u->arena, error, "partNumber=%u&uploadId=%s",
                              s->part + 1, p->id);
    case COMPLETE:
    case ABORT: return tn_text_format(&u->arena, error, "uploadId=%s", p->id);
    default: return NULL;
    }
}

static enum tn_status prepare(struct upload *u, struct slot *s,
                              struct tn_error *error)
{
    struct parcel      *p = s->parcel;
    struct tn_exchange *e = &s->exchange;
    uint8_t             digest[TN_SHA256_SIZE];

    const char *query = query_of(u, s, error);
    if (tn_failed(error))
        return error->status;
    TN_TRY(tn_exchange_open(e, u->remote, p->url, query, error));
    add_line(s, "Expect:"); /* of what libcurl adds on its own */
    switch (s->task) {
    case CHECK:
    case VERIFY:
        e->transfer.method = "HEAD";
        e->accepted[0]     = 404;
        e->accepted[1]     = 403;
        return TN_OK;
    case ABORT:
    case REMOVE:
        e->transfer.method = "DELETE";
        e->accepted[0]     = 404;
        return TN_OK;
    case BEGIN:
        e->transfer.method = "POST";
        tn_transfer_add_signed(&e->transfer, "x-amz-checksum-algorithm",
                               "CRC32C");
        tn_transfer_add_signed(&e->transfer, "x-amz-meta-tenon-upload",
                               u->token);
        e->transfer.body_hash = TN_SIGN_EMPTY;
        add_line(s, "Content-Type: application/octet-stream");
        return TN_OK;
    case SEND:
        e->transfer.method = "PUT";
        e->transfer.offset = p->part_size * s->part;
        add_line(s, "Content-Type: application/octet-stream");
        add_checksums(s, part_of(p, s->part));
        return TN_OK;
    case PUT:
        e->transfer.method = "PUT";
        add_line(s, "Content-Type: application/octet-stream");
        add_checksums(s, p->bytes);
        if (is_store(p))
            tn_transfer_add_signed(&e->transfer, "x-amz-meta-tenon-upload",
                                   u->token);
        add_condition(u, s);
        return TN_OK;
    case COMPLETE: break;
    }
    const char *text = completion(u, p, error);
    if (!text)
        return error->status;
    e->transfer.method = "POST";
    set_body(s, tn_text(text), digest);
    add_line(s, "Content-Type: application/xml");
    add_condition(u, s);
    e->accepted[1] = 404;
    return TN_OK;
}

/* ---- answers ------------------------------------------------------------- */

static enum tn_status fail_exists(const struct parcel *p,
                                  struct tn_error     *error)
{
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE, "%.*s already exists", shown(p),
                            p->url);
}

/* The identifier of an upload. */
static enum tn_status take_id(struct upload *u, struct slot *s,
                              struct tn_error *error)
{
    struct tn_xml xml;

    tn_xml_init(&xml, u->remote->memory, tn_buffer_bytes(&s->exchange.body),
                error);
    for (enum tn_xml_event event; (event = tn_xml_next(&xml)) != TN_XML_END;)
        if (event == TN_XML_CLOSE && xml.depth == 1 &&
            tn_bytes_is(xml.name, "UploadId") && xml.text.size &&
            xml.text.size < 2048)
            s->parcel->id = tn_url_encode(&u->arena, tn_buffer_bytes(&xml.text),
                                          false, error);
    tn_xml_done(&xml);
    if (s->parcel->id || tn_failed(error))
        return error->status;
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "the store begins an upload, but gives no "
                            "identifier");
}

/* It is told back in XML. */
static bool is_plain_tag(const char *etag)
{
    for (const char *c = etag; *c; c++)
        if (*c < 0x20 || *c > 0x7e || strchr("<>&", *c))
            return false;
    return etag[0];
}

static enum tn_status take_part(struct upload *u, struct slot *s,
                                struct tn_error *error)
{
    const struct tn_answer *a = &s->exchange.transfer.answer;

    TN_TRY(check_sum(s, error));
    if (!is_plain_tag(a->etag) || a->is_bad)
        return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                                "the store takes a part, but gives no ETag");
    s->parcel->etags[s->part] = tn_text_dup(&u->arena, a->etag, error);
    return error->status;
}

enum whose { OURS, NOT_OURS, UNKNOWN };

/* By the bytes that are there: a server without ranges, or without versions,
 * does not tell those of a long file. */
static enum whose compare_bytes(struct upload *u, const struct parcel *p)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_source *source;
    uint64_t          at = 0, size = p->bytes.size;
    bool              is_same = true;
    uint8_t           room[4096];

    if (tn_remote_source(&source, u->remote, p->url, "", true, &own) != TN_OK)
        return own.status == TN_NOT_FOUND ? NOT_OURS : UNKNOWN;
    if (source->size != size)
        is_same = false;
    else
        tn_source_expect(source, 0, size);
    while (is_same && at < size && !tn_failed(&own)) {
        struct tn_bytes there =
            tn_source_take(source, at, size - at, room, sizeof room, &own);
        if (!there.size)
            break;
        is_same = memcmp(there.data, p->bytes.data + at, there.size) == 0;
        tn_source_give_back(source, at, there, room);
        at += there.size;
    }
    tn_source_close(source);
    return tn_failed(&own) ? UNKNOWN : is_same ? OURS : NOT_OURS;
}

/* By the identifier of the upload, which the store keeps with the file. */
static enum whose compare_token(struct upload *u, const struct parcel *p)
{
    struct tn_error    own   = TN_ERROR_INIT;
    struct tn_exchange e     = { 0 };
    enum whose         whose = UNKNOWN;

    if (tn_exchange_open(&e, u->remote, p->url, NULL, &own) == TN_OK) {
        e.transfer.method = "HEAD";
        e.accepted[0]     = 404;
        if (tn_exchange_run(&e, &own) == TN_OK)
            whose =
                strcmp(e.transfer.answer.upload, u->token) ? NOT_OURS : OURS;
    }
    tn_exchange_close(&e);
    return whose;
}

/* Whether a file is there because of us: the answer to an earlier attempt,
 * which libcurl may have made on its own, may have been lost. */
static enum whose look_there(struct upload *u, const struct parcel *p)
{
    return is_store(p) ? compare_token(u, p) : compare_bytes(u, p);
}

/* A store may begin to answer 200 before it has finished: the body tells
 * whether it failed. */
static bool is_completed(struct upload *u, const struct slot *s,
                         char code[TN_TRANSFER_CODE])
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_xml   xml;
    bool            is_good = false;

    snprintf(code, TN_TRANSFER_CODE, "no answer");
    tn_xml_init(&xml, u->remote->memory, tn_buffer_bytes(&s->exchange.body),
                &own);
    for (enum tn_xml_event event; (event = tn_xml_next(&xml)) != TN_XML_END;) {
        if (event == TN_XML_OPEN && xml.depth == 1)
            is_good = tn_bytes_is(xml.name, "CompleteMultipartUploadResult");
        if (event == TN_XML_CLOSE && tn_bytes_is(xml.name, "Code"))
            snprintf(code, TN_TRANSFER_CODE, "%.60s",
                     tn_buffer_string(&xml.text));
    }
    tn_xml_done(&xml);
    return is_good && !tn_failed(&own);
}

static enum tn_status take_named(struct upload *u, struct slot *s,
                                 struct tn_error *error)
{
    struct parcel *p      = s->parcel;
    unsigned       status = s->exchange.transfer.answer.status;
    char           code[TN_TRANSFER_CODE];

    if (status == 412 || status == 404) {
        if (look_there(u, p) == OURS) {
            /* Equal bytes may have been written by somebody else, unless this
             * request was repeated. */
            p->is_visible = is_store(p) || s->exchange.transfer.attempt > 1;
            return TN_OK;
        }
        if (status == 412)
            return fail_exists(p, error);
        return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                                "cannot write %.300s: the store has lost the "
                                "upload",
                                p->url);
    }
    p->is_visible = true;
    if (s->task == PUT)
        return check_sum(s, error);
    if (is_completed(u, s, code))
        return TN_OK;
    p->is_visible = false;
    return tn_error_because(error, TN_IO, TN_REASON_SERVER_BUSY, TN_NOWHERE,
                            "cannot write %.300s: the store cannot complete "
                            "the upload (%s)",
                            p->url, code);
}

/* A server that does not report the length of a file may be one that answers
 * every request with success. */
static enum tn_status verify_bytes(struct upload *u, const struct parcel *p,
                                   struct tn_error *error)
{
    if (look_there(u, p) == OURS)
        return TN_OK;
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "the server does not show that it has %.*s; it may "
                            "have been written all the same: look before you "
                            "repeat it",
                            shown(p), p->url);
}

static enum tn_status verify(struct upload *u, const struct slot *s,
                             struct tn_error *error)
{
    const struct tn_answer *a = &s->exchange.transfer.answer;

    if (a->status == 403 || /* it may be written, not read */
        (a->status == 200 && a->length == s->parcel->bytes.size))
        return TN_OK;
    if (a->status == 200 && a->length == TN_ANSWER_UNKNOWN)
        return verify_bytes(u, s->parcel, error);
    if (a->status == 200)
        return tn_error_because(
            error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
            "%.*s has %" PRIu64 " bytes after it was written, not %zu",
            shown(s->parcel), s->parcel->url, a->length, s->parcel->bytes.size);
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "%.*s is not there after it was written",
                            shown(s->parcel), s->parcel->url);
}

static enum tn_status take_answer(struct upload *u, struct slot *s,
                                  struct tn_error *error)
{
    unsigned status = s->exchange.transfer.answer.status;

    switch (s->task) {
    case CHECK: return status == 200 ? fail_exists(s->parcel, error) : TN_OK;
    case BEGIN: return take_id(u, s, error);
    case SEND: return take_part(u, s, error);
    case PUT:
    case COMPLETE: return take_named(u, s, error);
    case VERIFY:
        if (verify(u, s, error) == TN_OK)
            s->parcel->id = NULL;
        return error->status;
    case ABORT: s->parcel->id = NULL; return TN_OK;
    case REMOVE: s->parcel->is_visible = false; return TN_OK;
    }
    return TN_OK;
}

/* ---- several at a time --------------------------------------------------- */

static bool gives_name(const struct slot *s)
{
    return s->task == PUT || s->task == COMPLETE;
}

/* No attempt got an answer that tells.  What is there says what became of
 * them. */
static enum tn_status find_out(struct upload *u, struct parcel *p,
                               struct tn_error *error)
{
    struct tn_error lost = *error;

    tn_error_clear(error);
    switch (look_there(u, p)) {
    case OURS: p->is_visible = true; return TN_OK;
    case NOT_OURS: *error = lost; break;
    case UNKNOWN:
        p->is_doubtful = true;
        tn_error_because(error, lost.status, lost.reason, lost.offset,
                         "%.300s; it may have been written all the same: look "
                         "before you repeat it",
                         lost.what);
    }
    return error->status;
}

static enum tn_status finish(struct upload *u, struct slot *s,
                             struct tn_error *error)
{
    if (!s->parcel)
        return TN_OK;
    enum tn_status status = tn_exchange_wait(&s->exchange, error);
    if (status == TN_OK)
        status = take_answer(u, s, error);
    else if (gives_name(s) && !u->remote->gives_up_at &&
             (error->reason == TN_REASON_UNREACHABLE ||
              error->reason == TN_REASON_SERVER_BUSY))
        status = find_out(u, s->parcel, error);
    else if (gives_name(s))
        s->parcel->is_doubtful = true;
    tn_exchange_close(&s->exchange);
    s->parcel = NULL;
    return status;
}

/* Those that are under way, in the order of their beginning; after a failure
 * they are cancelled, but for those that give names: undo() must know. */
static enum tn_status finish_all(struct upload *u, struct tn_error *error)
{
    for (unsigned i = 0; i < AT_A_TIME; i++) {
        struct slot *s = &u->slots[(u->next + i) % AT_A_TIME];
        if (!tn_failed(error))
            finish(u, s, error);
        else if (s->parcel && !gives_name(s)) {
            tn_exchange_close(&s->exchange);
            s->parcel = NULL;
        }
    }
    return error->status;
}

static enum tn_status begin(struct upload *u, enum task task,
                            struct parcel *parcel, unsigned part,
                            struct tn_error *error)
{
    struct slot *s = &u->slots[u->next];

    TN_TRY(finish(u, s, error));
    u->next   = (u->next + 1) % AT_A_TIME;
    s->task   = task;
    s->part   = part;
    s->sum[0] = '\0';
    s->parcel = parcel;
    if (prepare(u, s, error) != TN_OK) {
        tn_exchange_close(&s->exchange);
        s->parcel = NULL;
        return error->status;
    }
    tn_exchange_start(&s->exchange);
    pthread_mutex_lock(&u->remote->lock);
    tn_remote_nudge(u->remote);
    pthread_mutex_unlock(&u->remote->lock);
    return TN_OK;
}

/* One task for parcels [from, to). */
static enum tn_status for_each(struct upload *u, enum task task, uint64_t from,
                               uint64_t to, struct tn_error *error)
{
    for (uint64_t i = from; i < to && !tn_failed(error); i++) {
        struct parcel *p = &u->parcels[i];
        if (task != BEGIN || p->is_split)
            begin(u, task, p, 0, error);
    }
    return finish_all(u, error);
}

static enum tn_status send_parts(struct upload *u, struct tn_error *error)
{
    for (uint64_t i = 0; i < u->count; i++)
        for (unsigned k = 0; u->parcels[i].is_split &&
                             k < u->parcels[i].part_count && !tn_failed(error);
             k++)
            begin(u, SEND, &u->parcels[i], k, error);
    return finish_all(u, error);
}

/* An error that is told in an answer of success passes, often; or the store has
 * done its work all the same. */
static enum tn_status complete(struct upload *u, struct parcel *p,
                               struct tn_error *error)
{
    for (int i = 0; i < COMPLETIONS; i++) {
        tn_error_clear(error);
        begin(u, COMPLETE, p, 0, error);
        finish_all(u, error);
        if (error->reason != TN_REASON_SERVER_BUSY || p->is_visible ||
            p->is_doubtful)
            return error->status;
    }
    return find_out(u, p, error);
}

static enum tn_status give_names(struct upload *u, uint64_t from, uint64_t to,
                                 struct tn_error *error)
{
    for (uint64_t i = from; i < to && !tn_failed(error); i++)
        if (!u->parcels[i].is_split)
            begin(u, PUT, &u->parcels[i], 0, error);
    finish_all(u, error);
    for (uint64_t i = from; i < to && !tn_failed(error); i++)
        if (u->parcels[i].is_split)
            complete(u, &u->parcels[i], error);
    return error->status;
}

static void give_up_in(struct upload *u, unsigned milliseconds)
{
    u->remote->gives_up_at = tn_remote_now() + milliseconds;
}

/* Takes the answers of all that is under way, whatever they are. */
static void settle(struct upload *u)
{
    struct tn_error own = TN_ERROR_INIT;

    for (unsigned i = 0; i < AT_A_TIME; i++) {
        finish(u, &u->slots[i], &own);
        tn_error_clear(&own);
    }
}

/* If one fails, the others are still tried. */
static void undo_each(struct upload *u, enum task task)
{
    struct tn_error own = TN_ERROR_INIT;

    for (uint64_t i = 0;
         i < u->count && tn_remote_now() < u->remote->gives_up_at; i++) {
        struct parcel *p = &u->parcels[i];
        if (task == ABORT ? !p->id : !p->is_visible)
            continue;
        finish(u, &u->slots[u->next], &own);
        tn_error_clear(&own);
        begin(u, task, p, 0, &own);
        tn_error_clear(&own);
    }
    settle(u);
}

/* After a failure, also while the caller waits for the end: not for long. */
static void undo(struct upload *u)
{
    struct tn_watch watch;

    tn_watch_pause(&watch, u->remote->memory);
    give_up_in(u, SETTLE_TIME);
    settle(u);
    give_up_in(u, ABORT_TIME);
    undo_each(u, ABORT);
    for (uint64_t i = 0; i < u->count && !u->can_replace; i++) {
        struct parcel *p = &u->parcels[i];
        if (p->is_doubtful && !p->is_visible && is_store(p))
            p->is_visible = look_there(u, p) == OURS;
    }
    if (!u->can_replace)
        undo_each(u, REMOVE);
    u->remote->gives_up_at = 0;
    tn_watch_end(&watch);
}

static enum tn_status run(struct upload *u, struct tn_error *error)
{
    uint64_t last = u->count - 1;

    /* A store checks a single file when it gets its name. */
    if (!u->can_replace && (last || !is_store(u->parcels)))
        TN_TRY(for_each(u, CHECK, 0, u->count, error));
    TN_TRY(for_each(u, BEGIN, 0, u->count, error));
    TN_TRY(send_parts(u, error));
    TN_TRY(give_names(u, 0, last, error));
    TN_TRY(for_each(u, VERIFY, 0, last, error));
    TN_TRY(give_names(u, last, u->count, error));
    return for_each(u, VERIFY, last, u->count, error);
}

/* ---- preparing ----------------------------------------------------------- */

static enum tn_status split(struct upload *u, struct parcel *p,
                            struct tn_error *error)
{
    uint64_t size = p->bytes.size;

    p->is_split  = is_store(p) && size > PART;
    p->part_size = tn_max(PART, (size / MOST_PARTS + (1 << 20)) >> 20 << 20);
    if (!p->is_split)
        return TN_OK;
    p->part_count = (unsigned)((size + p->part_size - 1) / p->part_size);
    p->etags      = tn_new(&u->arena, const char *, p->part_count, error);
    return error->status;
}

static enum tn_status init(struct upload *u, const struct tn_upload_file *files,
                           struct tn_error *error)
{
    uint8_t bytes[8];

    tn_os->random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(u->token + 2 * i, 3, "%02x", bytes[i]);
    u->parcels = tn_new(&u->arena, struct parcel, u->count, error);
    u->slots   = tn_new(&u->arena, struct slot, AT_A_TIME, error);
    if (!u->parcels || !u->slots)
        return error->status;
    for (uint64_t i = 0; i < u->count; i++) {
        u->parcels[i].url   = files[i].url;
        u->parcels[i].bytes = files[i].bytes;
        TN_TRY(tn_upload_check_place(files[i].url, error));
        TN_TRY(split(u, &u->parcels[i], error));
    }
    return TN_OK;
}

enum tn_status tn_upload(struct tn_remote            *remote,
                         const struct tn_upload_file *files, uint64_t count,
                         bool can_replace, struct tn_error *error)
{
    struct upload u = { .remote      = remote,
                        .can_replace = can_replace,
                        .count       = count };

    if (!count)
        return TN_OK;
    tn_arena_init(&u.arena, remote->memory);
    if (init(&u, files, error) == TN_OK && run(&u, error) != TN_OK)
        undo(&u);
    tn_arena_done(&u.arena);
    return error->status;
}

/* ---- before anything is written ------------------------------------------ */

enum tn_status tn_upload_check_place(const char *url, struct tn_error *error)
{
    if (tn_place_kind_of(url) != TN_PLACE_HUB)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "hubs are read only; write a file, and upload it with "
                        "the tools of the hub");
}

enum tn_status tn_upload_check_bucket(struct tn_remote *remote, const char *url,
                                      struct tn_error *error)
{
    struct tn_exchange e = { 0 };
    const char        *prefix;

    if (tn_place_kind_of(url) != TN_PLACE_S3)
        return TN_OK;
    const char *end = strchr(url + 5, '/');
    if (!end)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the URL has no key; expected s3://bucket/key");
    pthread_mutex_lock(&remote->lock);
    const char *root =
        tn_text_format(&remote->arena, error, "%.*s/", (int)(end - url), url);
    pthread_mutex_unlock(&remote->lock);
    if (!root ||
        tn_exchange_open_list(&e, remote, root, true, &prefix, error) != TN_OK)
        return error->status;
    e.transfer.method = "HEAD";
    e.query = e.url.query = "";
    e.accepted[0]         = 403;
    e.accepted[1]         = 404;
    if (tn_exchange_run(&e, error) == TN_OK && e.transfer.answer.status == 404)
        tn_error_because(error, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                         TN_NOWHERE,
                         "cannot write %.300s: there is no such "
                         "bucket (404)",
                         url);
    tn_exchange_close(&e);
    return error->status;
}

static enum tn_status on_found(void *context, const struct tn_listed *listed,
                               struct tn_error *error)
{
    (void)listed;
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE, "%.300s already exists",
                            (const char *)context);
}

enum tn_status tn_upload_check_target(struct tn_remote *remote, const char *url,
                                      struct tn_error *error)
{
    struct tn_exchange e = { 0 };

    if (tn_text_ends_with(url, "/")) {
        if (tn_place_kind_of(url) == TN_PLACE_S3)
            return tn_remote_list(remote, url, false, on_found,
                                  (void *)(uintptr_t)url, error);
        return TN_OK;
    }
    TN_TRY(tn_exchange_open(&e, remote, url, NULL, error));
    e.transfer.method = "HEAD";
    e.accepted[0]     = 403;
    e.accepted[1]     = 404;
    if (tn_exchange_run(&e, error) == TN_OK && e.transfer.answer.status == 200)
        fail_exists(&(struct parcel){ .url = url }, error);
    tn_exchange_close(&e);
    return error->status;
}
