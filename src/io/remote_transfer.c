/* remote_transfer.c - requests to servers: made, repeated, redirected, answered
 */
#define _GNU_SOURCE
#include "io/remote_transfer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tenon/version.h>

#include "base/arith.h"
#include "base/mix.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/watch.h"
#include "io/remote_cache.h"

#define MOST_ACTIVE      16 /* requests under way at a time                  */
#define MOST_REDIRECTS   10
#define MOST_IGNORED     (64u << 10) /* bytes of the body of a refusal          */
#define DEFAULT_TIMEOUT  30
#define DEFAULT_ATTEMPTS 5
#define MOST_NUMBER      99999
#define FIRST_PAUSE      250 /* milliseconds                                  */
#define LONGEST_PAUSE    8000
#define MOST_RETRY_AFTER                                                       \
    60                   /* seconds that we wait because a server says so      \
                          */
#define SLOWEST      256 /* bytes a second, else it is no progress        */
#define LONGEST_POLL 100 /* milliseconds until Ctrl-C is seen             */

static uint64_t microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t tn_remote_now(void)
{
    return microseconds() / 1000;
}

/* A number in the environment, unless the caller has set it. */
static enum tn_status read_number(unsigned *value, const char *name,
                                  unsigned otherwise, struct tn_error *error)
{
    const char *text   = getenv(name);
    uint64_t    number = otherwise;

    if (*value)
        return TN_OK;
    if (text && text[0] &&
        (!tn_uint64_parse(tn_text(text), &number) || !number ||
         number > MOST_NUMBER))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s is '%.100s', but should be a number from 1 to "
                            "%d",
                            name, text, MOST_NUMBER);
    *value = (unsigned)number;
    return TN_OK;
}

/* ---- the connections of a bundle ---------------------------------------- */

static enum tn_status init(struct tn_remote               *r,
                           const struct tn_remote_options *options,
                           struct tn_error                *error)
{
    TN_TAKE_REMOTE(options);
    if (options)
        r->options = *options;
    TN_TRY(read_number(&r->options.timeout, "TENON_TIMEOUT", DEFAULT_TIMEOUT,
                       error));
    TN_TRY(read_number(&r->options.attempts, "TENON_ATTEMPTS", DEFAULT_ATTEMPTS,
                       error));
    TN_TRY(tn_cache_check(error));
    r->chance = tn_remote_now() ^ (uint64_t)(uintptr_t)r;
    TN_TRY(tn_curl_load(&r->curl, error));
    r->multi = r->curl.multi_init();
    if (!r->multi)
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                            "out of memory in libcurl");
    r->curl.multi_setopt(r->multi, TN_CURLM_PIPELINING,
                         (long)TN_CURL_MULTIPLEX);
    r->curl.multi_setopt(r->multi, TN_CURLM_MAXCONNECTS, (long)MOST_ACTIVE);
    r->curl.multi_setopt(r->multi, TN_CURLM_MAX_HOST_CONNECTIONS,
                         (long)MOST_ACTIVE);
    return TN_OK;
}

enum tn_status tn_remote_open(struct tn_remote **out, struct tn_memory *memory,
                              const struct tn_remote_options *options,
                              struct tn_error                *error)
{
    struct tn_remote *r = tn_memory_resize(memory, NULL, 0, sizeof *r, error);

    *out = NULL;
    if (!r)
        return error->status;
    *r = (struct tn_remote){ .memory = memory };
    tn_arena_init(&r->arena, memory);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (init(r, options, error) == TN_OK)
        *out = r;
    else
        tn_remote_close(r);
    return error->status;
}

void tn_remote_close(struct tn_remote *r)
{
    if (!r)
        return;
    while (r->idle_count)
        r->curl.easy_cleanup(r->idle[--r->idle_count]);
    if (r->multi)
        r->curl.multi_cleanup(r->multi);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    tn_arena_done(&r->arena);
    tn_memory_free(r->memory, r, sizeof *r);
}

/* ---- an attempt --------------------------------------------------------- */

void tn_transfer_add_header(struct tn_transfer *t, const char *format, ...)
{
    char    line[TN_URL_MOST];
    va_list list;

    va_start(list, format);
    int size = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    void *more = size > 0 && (size_t)size < sizeof line
                     ? t->remote->curl.slist_append(t->headers, line)
                     : NULL;
    if (more)
        t->headers = more;
    else
        tn_error_set(&t->error, TN_NO_MEMORY, TN_NOWHERE,
                     "out of memory for the headers of a request");
}

void tn_transfer_add_signed(struct tn_transfer *t, const char *name,
                            const char *value)
{
    assert(t->signed_count < TN_TRANSFER_SIGNED);
    t->signed_headers[t->signed_count++] =
        (struct tn_sign_header){ name, value };
}

/* An error that is found inside of a callback ends the transfer. */
static bool is_final(const struct tn_answer *answer)
{
    return answer->status >= 200;
}

static size_t on_header(const char *line, size_t size, size_t count,
                        void *context)
{
    struct tn_transfer *t = context;

    if (!tn_answer_line(&t->answer, tn_bytes(line, size * count),
                        (int64_t)time(NULL))) {
        tn_error_because(&t->error, TN_LIMIT, TN_REASON_REMOTE_LIMIT,
                         TN_NOWHERE,
                         "the headers of the answer have more than %u bytes",
                         TN_ANSWER_MOST_HEADERS);
        return 0;
    }
    if (!t->answer.is_over || !is_final(&t->answer) || t->received)
        return size * count;
    t->answered   = microseconds() - t->began;
    t->is_ignored = t->answer.status / 100 != 2;
    if (!t->is_ignored && t->ops->judge(t) != TN_OK)
        return 0;
    return size * count;
}

/* Its first bytes say why. */
static void keep_refusal(struct tn_transfer *t, struct tn_bytes bytes)
{
    size_t filled = strlen(t->refusal);
    size_t size   = tn_min_size(bytes.size, sizeof t->refusal - 1 - filled);

    if (size && !memchr(bytes.data, 0, size))
        memcpy(t->refusal + filled, bytes.data, size);
}

/* A word of a store's refusal, such as "NoSuchBucket" behind "<Code>"; "" if
 * there is none. */
static void take_word(const struct tn_transfer *t, const char *tag,
                      char word[TN_TRANSFER_CODE])
{
    const char *at   = strstr(t->refusal, tag);
    size_t      size = 0;

    if (at) {
        at += strlen(tag);
        size = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "abcdefghijklmnopqrstuvwxyz0123456789-");
    }
    if (size >= TN_TRANSFER_CODE)
        size = 0;
    if (size)
        memcpy(word, at, size);
    word[size] = '\0';
}

static void take_code(const struct tn_transfer *t, char code[TN_TRANSFER_CODE])
{
    take_word(t, "<Code>", code);
}

/* Whoever reads may change his mind while bytes arrive. */
static bool must_wait(struct tn_transfer *t)
{
    pthread_mutex_lock(&t->remote->lock);
    t->is_paused = t->is_held;
    pthread_mutex_unlock(&t->remote->lock);
    return t->is_paused;
}

static size_t on_body(const char *bytes, size_t size, size_t count,
                      void *context)
{
    struct tn_transfer *t = context;
    struct tn_remote   *r = t->remote;

    count *= size;
    if (tn_failed(&t->error))
        return 0;
    if (must_wait(t))
        return TN_CURL_PAUSE;
    r->bytes += count;
    t->received += count;
    if (r->options.max_bytes && r->bytes > r->options.max_bytes) {
        tn_error_because(&t->error, TN_LIMIT, TN_REASON_REMOTE_LIMIT,
                         TN_NOWHERE,
                         "more than %" PRIu64 " bytes would be fetched",
                         r->options.max_bytes);
        return 0;
    }
    if (t->is_ignored) {
        keep_refusal(t, tn_bytes(bytes, count));
        return t->received > MOST_IGNORED ? 0 : count;
    }
    if (t->received > t->expected) {
        tn_error_because(&t->error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                         "the body of the answer is longer than the %" PRIu64
                         " bytes that its headers announce",
                         t->expected);
        return 0;
    }
    return t->ops->on_body(t, tn_bytes(bytes, count)) == TN_OK ? count : 0;
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

/* The library does not look at these; the curl command does. */
static void set_authorities(struct tn_transfer *t)
{
    const struct tn_curl *curl = &t->remote->curl;
    const char           *file =
        t->kind == TN_PLACE_S3 ? environment("AWS_CA_BUNDLE") : NULL;
    const char *folder = environment("SSL_CERT_DIR");

    if (!file)
        file = environment("CURL_CA_BUNDLE");
    if (!file)
        file = environment("SSL_CERT_FILE");
    if (file)
        curl->easy_setopt(t->easy, TN_CURL_CAINFO, file);
    if (folder)
        curl->easy_setopt(t->easy, TN_CURL_CAPATH, folder);
}

static bool is_same_origin(const struct tn_transfer *t)
{
    return strcmp(t->at.origin, t->url->origin) == 0;
}

/* Regions of one store are hosts of one owner. */
static bool is_same_store(const struct tn_transfer *t)
{
    const char *owner = tn_text_ends_with(t->url->host, ".cn")
                            ? ".amazonaws.com.cn"
                            : ".amazonaws.com";

    return t->kind == TN_PLACE_S3 && t->at.is_secure &&
           tn_text_ends_with(t->at.host, owner) &&
           tn_text_ends_with(t->url->host, owner);
}

/* Credentials go to the host that they are for, and nowhere in the clear but
 * on this machine. */
static bool may_send_credentials(const struct tn_transfer *t)
{
    return t->is_trusted && !t->remote->options.is_anonymous &&
           (is_same_origin(t) || is_same_store(t)) &&
           (t->at.is_secure || t->at.is_local ||
            t->remote->options.allows_plain);
}

/* Headers are signed in the order of their names. */
static void add_sorted(struct tn_sign_header *list, unsigned *count,
                       const char *name, const char *value)
{
    unsigned i = (*count)++;

    for (; i && strcmp(list[i - 1].name, name) > 0; i--)
        list[i] = list[i - 1];
    list[i] = (struct tn_sign_header){ name, value };
}

static void sign(struct tn_transfer *t)
{
    const struct tn_login *login = &t->remote->s3;
    const char            *hash  = t->body_hash ? t->body_hash : TN_SIGN_EMPTY;
    struct tn_sign_header  headers[4 + TN_TRANSFER_SIGNED];
    unsigned               count = 0;
    struct tn_arena        arena;
    char                   date[TN_SIGN_DATE];

    tn_sign_date((int64_t)time(NULL), date);
    add_sorted(headers, &count, "host", t->at.host);
    add_sorted(headers, &count, "x-amz-content-sha256", hash);
    add_sorted(headers, &count, "x-amz-date", date);
    if (login->token[0])
        add_sorted(headers, &count, "x-amz-security-token", login->token);
    for (unsigned i = 0; i < t->signed_count; i++)
        add_sorted(headers, &count, t->signed_headers[i].name,
                   t->signed_headers[i].value);
    const struct tn_sign request = {
        .method       = t->method ? t->method : "GET",
        .path         = t->at.path,
        .query        = t->at.query,
        .headers      = headers,
        .header_count = count,
        .body_hash    = hash,
        .date         = date,
        .region       = login->region,
        .service      = "s3",
        .access       = login->access,
        .secret       = login->secret,
    };
    tn_arena_init(&arena, t->remote->memory);
    const char *value = tn_sign_request(&arena, &request, &t->error);
    if (value)
        tn_transfer_add_header(t, "Authorization: %s", value);
    tn_transfer_add_header(t, "x-amz-content-sha256: %s", hash);
    tn_transfer_add_header(t, "x-amz-date: %s", date);
    if (login->token[0])
        tn_transfer_add_header(t, "x-amz-security-token: %s", login->token);
    tn_arena_done(&arena);
}

static void set_credentials(struct tn_transfer *t)
{
    const struct tn_curl *curl = &t->remote->curl;
    const char           *file = environment("NETRC");

    if (!may_send_credentials(t))
        return;
    if (t->kind == TN_PLACE_S3) {
        if (t->remote->s3.access[0])
            sign(t);
        return;
    }
    if (t->kind == TN_PLACE_HUB) {
        if (t->remote->hub.token[0])
            tn_transfer_add_header(t, "Authorization: Bearer %s",
                                   t->remote->hub.token);
        return;
    }
    curl->easy_setopt(t->easy, TN_CURL_NETRC, (long)TN_CURL_NETRC_IF);
    if (file)
        curl->easy_setopt(t->easy, TN_CURL_NETRC_FILE, file);
}

/* In HTTP/2, requests share a connection: fine for many short ones.  Long ones
 * would share its bytes a second, too, and each byte is copied once more.  An
 * attempt that failed may have met a server that knows nothing else. */
static void set_options(struct tn_transfer *t, const char *url)
{
    const struct tn_curl *curl    = &t->remote->curl;
    long                  timeout = (long)t->remote->options.timeout;

    curl->easy_setopt(t->easy, TN_CURL_URL, url);
    curl->easy_setopt(t->easy, TN_CURL_PRIVATE, (void *)t);
    curl->easy_setopt(t->easy, TN_CURL_ERRORBUFFER, t->message);
    curl->easy_setopt(t->easy, TN_CURL_NOSIGNAL, 1L);
    curl->easy_setopt(t->easy, TN_CURL_FOLLOWLOCATION, 0L);
    curl->easy_setopt(t->easy, TN_CURL_PROTOCOLS,
                      (long)(TN_CURL_PROTO_HTTP | TN_CURL_PROTO_HTTPS));
    curl->easy_setopt(t->easy, TN_CURL_HTTP_CONTENT_DECODING, 0L);
    curl->easy_setopt(t->easy, TN_CURL_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->easy_setopt(t->easy, TN_CURL_USERAGENT, "tenon/" TN_VERSION_STRING);
    curl->easy_setopt(t->easy, TN_CURL_CONNECTTIMEOUT, timeout);
    curl->easy_setopt(t->easy, TN_CURL_LOW_SPEED_LIMIT, (long)SLOWEST);
    curl->easy_setopt(t->easy, TN_CURL_LOW_SPEED_TIME, timeout);
    curl->easy_setopt(t->easy, TN_CURL_BUFFERSIZE, 128L << 10);
    curl->easy_setopt(t->easy, TN_CURL_HEADERFUNCTION, on_header);
    curl->easy_setopt(t->easy, TN_CURL_HEADERDATA, (void *)t);
    curl->easy_setopt(t->easy, TN_CURL_WRITEFUNCTION, on_body);
    curl->easy_setopt(t->easy, TN_CURL_WRITEDATA, (void *)t);
    curl->easy_setopt(t->easy, TN_CURL_HTTPHEADER, t->headers);
    if (t->is_long && t->attempt == 1)
        curl->easy_setopt(t->easy, TN_CURL_HTTP_VERSION, (long)TN_CURL_HTTP_1);
    if (t->kind != TN_PLACE_WEB) /* ".." is part of a key as any other */
        curl->easy_setopt(t->easy, TN_CURL_PATH_AS_IS, 1L);
}

/* What is sent is in memory: so it can be sent again. */
static void set_method(struct tn_transfer *t)
{
    const struct tn_curl *curl = &t->remote->curl;

    if (!t->method)
        return;
    if (!strcmp(t->method, "HEAD")) {
        curl->easy_setopt(t->easy, TN_CURL_NOBODY, 1L);
        return;
    }
    curl->easy_setopt(t->easy, TN_CURL_CUSTOMREQUEST, t->method);
    if (!t->body_hash)
        return;
    curl->easy_setopt(t->easy, TN_CURL_POSTFIELDSIZE_LARGE,
                      (int64_t)t->body.size);
    curl->easy_setopt(t->easy, TN_CURL_POSTFIELDS,
                      t->body.size ? (const char *)t->body.data : "");
}

/* A handle has a buffer, and fresh memory costs a page fault every 4 KiB. */
static void *take_handle(struct tn_remote *r)
{
    return r->idle_count ? r->idle[--r->idle_count] : r->curl.easy_init();
}

static void give_handle(struct tn_remote *r, void *easy)
{
    if (r->idle_count == TN_REMOTE_IDLE) {
        r->curl.easy_cleanup(easy);
        return;
    }
    r->curl.easy_reset(easy);
    r->idle[r->idle_count++] = easy;
}

static void free_attempt(struct tn_transfer *t)
{
    const struct tn_curl *curl = &t->remote->curl;

    if (t->easy)
        give_handle(t->remote, t->easy);
    if (t->headers)
        curl->slist_free_all(t->headers);
    t->easy = t->headers = NULL;
}

static void finish(struct tn_transfer *t);

static void start_attempt(struct tn_transfer *t)
{
    struct tn_remote *r = t->remote;
    struct tn_arena   arena;

    t->answer     = (struct tn_answer){ 0 };
    t->received   = 0;
    t->expected   = 0;
    t->is_ignored = false;
    t->message[0] = '\0';
    t->began      = microseconds();
    memset(t->refusal, 0, sizeof t->refusal);
    tn_answer_begin(&t->answer);
    tn_arena_init(&arena, r->memory);
    const char *url = tn_url_text(&t->at, &arena, &t->error);
    t->easy         = url ? take_handle(r) : NULL;
    if (t->easy) {
        tn_transfer_add_header(t, "Accept-Encoding: identity");
        for (unsigned i = 0; i < t->signed_count; i++)
            tn_transfer_add_header(t, "%s: %s", t->signed_headers[i].name,
                                   t->signed_headers[i].value);
        t->ops->prepare(t);
        set_credentials(t);
        set_options(t, url);
        set_method(t);
        set_authorities(t);
    }
    tn_arena_done(&arena);
    if (!t->easy || r->curl.multi_add_handle(r->multi, t->easy) != 0)
        tn_error_set(&t->error, TN_NO_MEMORY, TN_NOWHERE,
                     "out of memory in libcurl");
    if (tn_failed(&t->error)) {
        free_attempt(t);
        finish(t);
        return;
    }
    t->state = TN_TRANSFER_ACTIVE;
    r->active++;
}

/* ---- what an attempt led to --------------------------------------------- */

static void finish(struct tn_transfer *t)
{
    struct tn_transfer **link = &t->remote->all;

    while (*link && *link != t)
        link = &(*link)->next;
    if (*link)
        *link = t->next;
    t->next  = NULL;
    t->state = TN_TRANSFER_DONE;
    pthread_cond_broadcast(&t->remote->changed);
}

static bool is_writing(const struct tn_transfer *t)
{
    return t->method && strcmp(t->method, "HEAD") != 0;
}

/* Says which URL it is about, without its query. */
static void fail(struct tn_transfer *t, enum tn_status status,
                 enum tn_reason reason, const char *format, ...)
    TN_PRINTF(4, 5);
static void fail(struct tn_transfer *t, enum tn_status status,
                 enum tn_reason reason, const char *format, ...)
{
    char    what[400];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    tn_error_clear(&t->error);
    if (status == TN_IO || is_writing(t)) /* others with a file's name */
        tn_error_because(&t->error, status, reason, TN_NOWHERE,
                         "cannot %s %.300s%.300s: %s",
                         is_writing(t) ? "write" : "read", t->url->origin,
                         t->url->path, what);
    else
        tn_error_because(&t->error, status, reason, TN_NOWHERE, "%s", what);
    finish(t);
}

static void fail_as(struct tn_transfer *t)
{
    char what[400];

    snprintf(what, sizeof what, "%.399s", t->error.what);
    fail(t, t->error.status, t->error.reason, "%s", what);
}

static void queue(struct tn_transfer *t, uint64_t pause)
{
    t->not_before = tn_remote_now() + pause;
    t->state      = TN_TRANSFER_QUEUED;
}

/* Half of the pause is random, so that many clients do not come back at
 * once. */
static uint64_t next_pause(struct tn_transfer *t)
{
    uint64_t pause = FIRST_PAUSE;

    for (unsigned i = 1; i < t->attempt && pause < LONGEST_PAUSE; i++)
        pause *= 2;
    t->remote->chance = tn_mix(t->remote->chance + UINT64_C(0x9e3779b97f4a7c15),
                               UINT64_C(0xe7037ed1a0b428db));
    return pause / 2 + t->remote->chance % (pause / 2 + 1);
}

static void try_again(struct tn_transfer *t, enum tn_reason reason,
                      const char *why)
{
    uint64_t after = t->answer.retry_after;
    uint64_t pause = next_pause(t);

    if (after != TN_ANSWER_UNKNOWN && after > MOST_RETRY_AFTER) {
        fail(t, TN_IO, reason,
             "%s, and the server wants us to wait %" PRIu64 " seconds", why,
             after);
        return;
    }
    if (t->attempt >= t->remote->options.attempts) {
        fail(t, TN_IO, reason, "%s (%u attempt%s)", why, t->attempt,
             t->attempt == 1 ? "" : "s");
        return;
    }
    t->attempt++;
    if (after != TN_ANSWER_UNKNOWN)
        pause = tn_max(pause, after * 1000);
    queue(t, pause);
}

static void follow(struct tn_transfer *t)
{
    struct tn_url   to;
    struct tn_error own = TN_ERROR_INIT;

    if (++t->redirects > MOST_REDIRECTS) {
        fail(t, TN_LIMIT, TN_REASON_REMOTE_LIMIT, "more than %d redirects",
             MOST_REDIRECTS);
        return;
    }
    if (!t->answer.location[0] || t->answer.is_bad) {
        fail(t, TN_IO, TN_REASON_BAD_ANSWER,
             "a redirect (%u) that does not say where to", t->answer.status);
        return;
    }
    if (tn_url_follow(&to, &t->remote->arena, &t->at, t->answer.location,
                      &own) != TN_OK) {
        fail(t, own.status == TN_NO_MEMORY ? TN_NO_MEMORY : TN_IO,
             TN_REASON_BAD_ANSWER, "a redirect to what is not followed: %s",
             own.what);
        return;
    }
    if (is_writing(t) && t->answer.status != 307 && t->answer.status != 308) {
        fail(t, TN_IO, TN_REASON_BAD_ANSWER,
             "a redirect (%u) of what is written is not followed",
             t->answer.status);
        return;
    }
    if (t->at.is_secure && !to.is_secure) {
        fail(t, TN_IO, TN_REASON_BAD_ANSWER,
             "a redirect from https:// to http:// is not followed");
        return;
    }
    t->at = to;
    if (is_writing(t) && !is_same_origin(t) && !is_same_store(t)) {
        fail(t, TN_IO, TN_REASON_BAD_ANSWER,
             "a redirect to another host is not followed by what is written");
        return;
    }
    if (t->ops->redirected && t->ops->redirected(t) != TN_OK)
        fail_as(t);
    else
        queue(t, 0);
}

/* Whether credentials were sent, and what to do if not. */
static void explain_denial(const struct tn_transfer *t, char *to, size_t room)
{
    const struct tn_login *login = t->kind == TN_PLACE_S3    ? &t->remote->s3
                                   : t->kind == TN_PLACE_HUB ? &t->remote->hub
                                                             : NULL;

    to[0] = '\0';
    if (t->remote->options.is_anonymous || !t->is_trusted)
        snprintf(to, room, "; no credentials were sent");
    else if (!is_same_origin(t) && !is_same_store(t))
        snprintf(to, room,
                 "; no credentials were sent, because a redirect led "
                 "to another host");
    else if (!may_send_credentials(t))
        snprintf(to, room,
                 "; no credentials were sent, because http:// is not encrypted "
                 "(--credentials-over-http)");
    else if (login && login->problem[0])
        snprintf(to, room, "; no credentials were sent: %s", login->problem);
    else if (t->kind == TN_PLACE_HUB && t->answer.status == 401)
        snprintf(to, room, "; or there is no such repository");
}

static void refuse_status(struct tn_transfer *t)
{
    unsigned status = t->answer.status;
    char     code[TN_TRANSFER_CODE], why[TN_TRANSFER_CODE + 8], excuse[320];

    take_code(t, code);
    snprintf(why, sizeof why, "%u%s%s", status, code[0] ? ", " : "", code);
    switch (status) {
    case 401:
    case 403:
        explain_denial(t, excuse, sizeof excuse);
        fail(t, TN_IO, TN_REASON_ACCESS_DENIED,
             "the server denies access (%s)%s", why, excuse);
        return;
    case 407:
        fail(t, TN_IO, TN_REASON_ACCESS_DENIED,
             "the proxy denies access (407)");
        return;
    case 404:
    case 410:
        if (!strcmp(code, "NoSuchBucket"))
            fail(t, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                 "there is no such bucket (%s)", why);
        else
            fail(t, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                 "the server has no such file (%s)%s", why,
                 t->kind != TN_PLACE_WEB ? "; a folder ends in '/'" : "");
        return;
    case 412:
        if (is_writing(t))
            fail(t, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                 "it already exists on the server");
        else
            fail(t, TN_IO, TN_REASON_REMOTE_CHANGED,
                 "the file changed while it was read (412)");
        return;
    default:
        fail(t, TN_IO, TN_REASON_BAD_ANSWER, "the server answered %s", why);
    }
}

/* A link that a redirect led to may expire; the place that made it makes
 * another. */
static bool resolve_again(struct tn_transfer *t)
{
    unsigned status = t->answer.status;

    if ((status != 401 && status != 403 && status != 404 && status != 410) ||
        t->is_resolved_again ||
        (is_same_origin(t) && !strcmp(t->at.path, t->url->path) &&
         !strcmp(t->at.query, t->url->query)))
        return false;
    t->is_resolved_again = true;
    t->redirects         = 0;
    t->at                = *t->url;
    queue(t, 0);
    return true;
}

/* A bucket is in another region: the same request is signed for that.  Stores
 * that refuse a signature may say so in the document alone. */
static bool sign_again(struct tn_transfer *t)
{
    struct tn_login *login  = &t->remote->s3;
    const char      *region = t->answer.region;
    char             word[TN_TRANSFER_CODE];

    take_word(t, "<Region>", word);
    if (!region[0] && t->answer.status == 400)
        region = word;
    if (t->kind != TN_PLACE_S3 || !region[0] || t->answer.is_bad ||
        !strcmp(region, login->region) || t->is_signed_again || !t->ops->moved)
        return false;
    t->is_signed_again = true;
    snprintf(login->region, sizeof login->region, "%s", region);
    if (t->ops->moved(t) != TN_OK)
        fail_as(t);
    else
        queue(t, 0);
    return true;
}

/* Refusals after which the same request may succeed. */
static bool is_passing(const struct tn_transfer *t)
{
    static const char *const codes[] = { "RequestTimeout", "BadDigest",
                                         "XAmzContentSHA256Mismatch",
                                         "ConditionalRequestConflict",
                                         "OperationAborted" };
    char                     code[TN_TRANSFER_CODE];

    if (t->kind != TN_PLACE_S3 ||
        (t->answer.status != 400 && t->answer.status != 409))
        return false;
    take_code(t, code);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (!strcmp(code, codes[i]))
            return true;
    return false;
}

/* Asks the owner of the transfer about a refusal. */
static bool is_accepted(struct tn_transfer *t)
{
    enum tn_refusal is =
        t->ops->accepts ? t->ops->accepts(t) : TN_REFUSAL_ERROR;

    if (is == TN_REFUSAL_ANSWER)
        finish(t);
    else if (is == TN_REFUSAL_ASK_AGAIN)
        queue(t, 0);
    return is != TN_REFUSAL_ERROR;
}

static void take_status(struct tn_transfer *t)
{
    unsigned status = t->answer.status;
    char     why[64];

    if (status / 100 == 2 &&
        (t->received == t->expected || t->has_any_length)) {
        if (t->ops->done(t))
            queue(t, 0);
        else if (tn_failed(&t->error))
            fail_as(t);
        else
            finish(t);
    } else if (status / 100 == 2)
        try_again(t, TN_REASON_UNREACHABLE, "the answer ended early");
    else if (is_accepted(t) || sign_again(t))
        return;
    else if (status == 301 || status == 302 || status == 303 || status == 307 ||
             status == 308)
        follow(t);
    else if (status == 408 || status == 429 || status == 500 || status == 502 ||
             status == 503 || status == 504) {
        snprintf(why, sizeof why, "the server is busy or broken (%u)", status);
        try_again(t, TN_REASON_SERVER_BUSY, why);
    } else if (is_passing(t))
        try_again(t, TN_REASON_SERVER_BUSY,
                  "the server refuses for the moment");
    else if (!resolve_again(t))
        refuse_status(t);
}

/* libcurl quotes the address of a proxy that it cannot parse, which may contain
 * a password: everything up to the last '@' is removed. */
static void hide_password(char *text)
{
    char *sign  = strrchr(text, '@');
    char *quote = strchr(text, '\'');

    if (!sign)
        return;
    char *begin = quote && quote < sign ? quote + 1 : text;
    memmove(begin, sign, strlen(sign) + 1);
}

static void take_failure(struct tn_transfer *t, int result)
{
    const char *text =
        t->message[0] ? t->message : t->remote->curl.easy_strerror(result);

    hide_password(t->message);
    switch (result) {
    case TN_CURLE_BAD_PROTOCOL:
        fail(t, TN_IO, TN_REASON_BAD_ANSWER, "%s", text);
        return;
    case TN_CURLE_MEMORY: /* that is what it says of long header lines */
        fail(t, TN_LIMIT, TN_REASON_REMOTE_LIMIT,
             "a header line of the answer is too long");
        return;
    case TN_CURLE_URL:
    case TN_CURLE_CERTIFICATE:
    case TN_CURLE_CA: fail(t, TN_IO, TN_REASON_UNREACHABLE, "%s", text); return;
    default: try_again(t, TN_REASON_UNREACHABLE, text);
    }
}

static void tell(const struct tn_transfer *t)
{
    const struct tn_remote_options *options = &t->remote->options;
    char                            url[1024];
    struct tn_request               request = {
                      .url     = url,
                      .offset  = t->offset,
                      .bytes   = t->received + t->body.size,
                      .status  = t->answer.status,
                      .attempt = t->attempt,
                      .seconds = (double)(microseconds() - t->began) / 1e6,
    };

    if (!options->on_request)
        return;
    snprintf(url, sizeof url, "%s%s", t->at.origin, t->at.path);
    options->on_request(options->context, &request);
}

/* All bytes that were announced have arrived: a connection that breaks after
 * them does not matter. */
static bool is_complete(const struct tn_transfer *t)
{
    return t->answer.status / 100 == 2 && !t->has_any_length && t->expected &&
           t->received == t->expected;
}

static void end_attempt(struct tn_transfer *t, int result)
{
    tell(t);
    t->remote->active--;
    t->is_paused = false;
    free_attempt(t);
    if (tn_failed(&t->error))
        fail_as(t);
    else if (result == TN_CURLE_OK || is_complete(t) ||
             (result == TN_CURLE_WRITE && t->is_ignored))
        take_status(t);
    else
        take_failure(t, result);
    pthread_cond_broadcast(&t->remote->changed);
}

/* ---- driving ------------------------------------------------------------ */

void tn_transfer_start(struct tn_transfer *t, struct tn_remote *remote)
{
    struct tn_transfer **link = &remote->all;

    t->remote = remote;
    t->error  = (struct tn_error)TN_ERROR_INIT;
    if (!t->at.origin)
        t->at = *t->url;
    t->attempt = 1;
    while (*link)
        link = &(*link)->next;
    *link   = t;
    t->next = NULL;
    queue(t, 0);
    if (remote->is_driven)
        remote->curl.multi_wakeup(remote->multi);
}

static void stop(struct tn_transfer *t)
{
    struct tn_remote *r = t->remote;

    if (t->state == TN_TRANSFER_ACTIVE) {
        r->curl.multi_remove_handle(r->multi, t->easy);
        r->active--;
        tell(t);
        free_attempt(t);
    }
    tn_error_set(&t->error, TN_CANCELLED, TN_NOWHERE, "stopped on request");
    finish(t);
}

/* Those that are held would keep others waiting for ever: one makes place. */
static bool has_place(struct tn_remote *r)
{
    struct tn_transfer *t = r->all;

    if (r->active < MOST_ACTIVE)
        return true;
    while (t && !(t->is_paused && t->is_held && !t->waiting))
        t = t->next;
    if (t)
        stop(t);
    return t != NULL;
}

/* Starts what is due; returns milliseconds until the next is. */
static int start_due(struct tn_remote *r)
{
    uint64_t now = tn_remote_now(), wait = LONGEST_POLL;

    for (struct tn_transfer *t = r->all, *next; t; t = next) {
        next = t->next;
        if (t->state != TN_TRANSFER_QUEUED)
            continue;
        if (t->not_before > now)
            wait = tn_min(wait, t->not_before - now);
        else if (has_place(r))
            start_attempt(t);
    }
    return (int)wait;
}

/* Those that are held no more. */
static int take_resumed(struct tn_remote   *r,
                        struct tn_transfer *resumed[MOST_ACTIVE])
{
    int count = 0;

    for (struct tn_transfer *t = r->all; t; t = t->next)
        if (t->is_paused && !t->is_held)
            resumed[count++] = t;
    return count;
}

/* libcurl has kept what it was not allowed to hand over. */
static void resume(struct tn_transfer *t)
{
    if (t->remote->curl.easy_pause(t->easy, TN_CURL_GO_ON) != TN_CURLE_OK)
        tn_error_set(&t->error, TN_NO_MEMORY, TN_NOWHERE,
                     "out of memory in libcurl");
}

/* With the lock held, which is released while bytes are moved. */
static void step(struct tn_remote *r, bool may_wait)
{
    struct tn_curl_message *message;
    int                     running, left, wait = start_due(r);
    struct tn_transfer     *resumed[MOST_ACTIVE];
    int                     resumed_count = take_resumed(r, resumed);
    unsigned                told          = r->told;

    struct {
        void *easy;
        int   result;
    } ended[MOST_ACTIVE];
    int count = 0;

    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < resumed_count; i++)
        resume(resumed[i]);
    r->curl.multi_perform(r->multi, &running);
    while (count < MOST_ACTIVE &&
           (message = r->curl.multi_info_read(r->multi, &left)) != NULL)
        if (message->kind == TN_CURLMSG_DONE) {
            ended[count].easy   = message->easy;
            ended[count].result = message->data.result;
            count++;
        }
    if (!count && may_wait && told == r->told)
        r->curl.multi_poll(r->multi, NULL, 0, wait, NULL);
    for (int i = 0; i < count; i++)
        r->curl.multi_remove_handle(r->multi, ended[i].easy);
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < count; i++) {
        struct tn_transfer *t = NULL;
        r->curl.easy_getinfo(ended[i].easy, TN_CURLINFO_PRIVATE, (void *)&t);
        end_attempt(t, ended[i].result);
    }
}

static void drive(struct tn_remote *r, bool may_wait)
{
    r->is_driven = true;
    step(r, may_wait);
    r->is_driven = false;
    pthread_cond_broadcast(&r->changed);
}

void tn_remote_nudge(struct tn_remote *r)
{
    if (!r->is_driven && r->all)
        drive(r, false);
}

static enum tn_status ask_caller(struct tn_remote *r, struct tn_error *error)
{
    if (r->gives_up_at)
        return tn_remote_now() < r->gives_up_at
                   ? TN_OK
                   : tn_error_because(error, TN_IO, TN_REASON_UNREACHABLE,
                                      TN_NOWHERE, "no answer in time");
    pthread_mutex_unlock(&r->lock);
    enum tn_status status = tn_watch_poll(r->memory, error);
    pthread_mutex_lock(&r->lock);
    return status;
}

void tn_transfer_tell(struct tn_transfer *t)
{
    t->told++;
    t->remote->told++;
}

void tn_transfer_go_on(struct tn_transfer *t)
{
    t->is_held = false;
    if (t->remote->is_driven)
        t->remote->curl.multi_wakeup(t->remote->multi);
}

enum tn_status tn_transfer_wait(struct tn_transfer *t, struct tn_error *error)
{
    struct tn_remote *r    = t->remote;
    unsigned          told = t->told;

    t->waiting++;
    while (t->state != TN_TRANSFER_DONE && t->told == told &&
           ask_caller(r, error) == TN_OK)
        if (r->is_driven)
            tn_watch_wait(r->memory, &r->changed, &r->lock);
        else
            drive(r, true);
    t->waiting--;
    if (t->state == TN_TRANSFER_DONE && tn_failed(&t->error) &&
        !tn_failed(error))
        *error = t->error;
    return error->status;
}

void tn_transfer_cancel(struct tn_transfer *t)
{
    struct tn_remote *r = t->remote;

    if (t->state == TN_TRANSFER_IDLE || t->state == TN_TRANSFER_DONE)
        return;
    while (r->is_driven)
        pthread_cond_wait(&r->changed, &r->lock);
    stop(t);
}
