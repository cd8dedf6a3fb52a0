/*
 * remote_source_test.c - ranges of a file, from a server that is a function
 *
 * What stands in for libcurl answers requests in memory, rightly or wrongly:
 * what is read is what is in the file, or there is a reason why not.  The same
 * over real connections is tests/remote.
 */
#define _GNU_SOURCE
#include "io/remote_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/hostile.h"

#define SIZE UINT64_C(9000000)

/* ---- the server -----------------------------------------------------------
 */

enum way {
    GOOD,
    CRUMBS,    /* honest: a byte of what was asked for                        */
    SHORT,     /* honest: half of what was asked for                          */
    CUT_ONCE,  /* the connection breaks, once                                 */
    BUSY_ONCE, /* 503, once                                                   */
    MOVED,     /* to another host, which has it                               */
    LONG,      /* more bytes than the headers announce                        */
    SHIFTED,   /* another range                                               */
    CHANGED,   /* another ETag, from the second request on                    */
    MISSED,    /* 412, from the second request on                             */
    WHOLE,     /* 200, from the second request on                             */
    PACKED,    /* Content-Encoding                                            */
    WEAK,      /* no version that could be asked for                          */
    BROKEN,    /* no answer ever                                              */
    LATER,     /* 503: come back in an hour                                   */
    LOOP,      /* redirects to itself                                         */
    DOWN,      /* redirects from https to http                                */
    TO_FILE,   /* redirects to a file of this machine                         */
    FLOOD,     /* headers without an end                                      */
    ONLY_HTTP_2,
    GONE,   /* 404                                                         */
    DENIED, /* 403                                                         */
};

struct line {
    struct line *next;
    char         text[];
};

typedef size_t on_bytes(const char *bytes, size_t size, size_t count,
                        void *context);

struct easy {
    struct easy *next; /* of those that were added                            */
    bool         is_added, is_done, is_alone, is_paused;
    uint64_t     next_byte, left; /* of the body                              */
    int          result, then;    /* what it ends with                        */
    void *private, *header_data, *body_data;
    on_bytes    *on_header, *on_body;
    struct line *lines;
    char         url[200];
};

static struct {
    enum way     way;
    struct easy *all;
    unsigned     requests, with_token, with_token_elsewhere;
    uint64_t     asked, longest; /* bytes of ranges                           */
    uint64_t     sent;           /* the last byte of all bodies               */
    unsigned     open, most_open;
    long         distance; /* milliseconds until it answers                   */
    unsigned     alone, long_shared, short_alone; /* connections             */
} server;

static uint8_t content[SIZE + 1];

static void make_content(void)
{
    for (uint64_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static const char *line_of(const struct easy *e, const char *name)
{
    for (const struct line *l = e->lines; l; l = l->next)
        if (!strncmp(l->text, name, strlen(name)))
            return l->text + strlen(name);
    return NULL;
}

static bool say(struct easy *e, const char *format, ...) TN_PRINTF(2, 3);
static bool say(struct easy *e, const char *format, ...)
{
    char    line[300];
    va_list list;

    va_start(list, format);
    size_t size = (size_t)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (e->on_header(line, 1, size, e->header_data) == size)
        return true;
    e->result = TN_CURLE_WRITE;
    return false;
}

/* Until it is told to pause. */
static void send_more(struct easy *e)
{
    while (e->left && !e->result && !e->is_paused) {
        size_t      n     = e->left < 50000 ? (size_t)e->left : 50000;
        const char *bytes = (const char *)content + e->next_byte;
        size_t      taken = e->on_body(bytes, 1, n, e->body_data);
        e->is_paused      = taken == TN_CURL_PAUSE;
        if (e->is_paused)
            return;
        if (taken != n)
            e->result = TN_CURLE_WRITE;
        e->next_byte += n;
        e->left -= n;
        if (e->next_byte > server.sent)
            server.sent = e->next_byte;
    }
    if (!e->result)
        e->result = e->then;
}

static void send(struct easy *e, uint64_t first, uint64_t size)
{
    e->next_byte = first;
    e->left      = size;
    send_more(e);
}

static bool refuse(struct easy *e, const char *status, const char *header)
{
    say(e, "HTTP/1.1 %s\r\n", status);
    if (header[0])
        say(e, "%s\r\n", header);
    say(e, "\r\n");
    return true;
}

/* Answers that are not the file. */
static bool is_refused(struct easy *e)
{
    bool is_again = server.requests > 1;
    bool is_there = strstr(e->url, "://other/") != NULL;

    switch (server.way) {
    case BUSY_ONCE: return !is_again && refuse(e, "503 Busy", "Retry-After: 0");
    case MOVED:
        return !is_there &&
               refuse(e, "302 Found", "Location: https://other/x?signed");
    case MISSED: return is_again && refuse(e, "412 Failed", "");
    case LATER: return refuse(e, "503 Busy", "Retry-After: 3600");
    case LOOP: return refuse(e, "302 Found", "Location: ?again");
    case DOWN: return refuse(e, "302 Found", "Location: http://h/x");
    case TO_FILE: return refuse(e, "302 Found", "Location: file:///etc/passwd");
    case GONE: return refuse(e, "404 Not Found", "");
    case DENIED: return refuse(e, "403 Forbidden", "");
    case BROKEN: e->result = 56; return true;
    case ONLY_HTTP_2: e->result = e->is_alone ? 35 : 0; return e->is_alone;
    case FLOOD:
        say(e, "HTTP/1.1 206 Partial Content\r\n");
        while (say(e, "X-More: %0200d\r\n", 1))
            ;
        return true;
    default: return false;
    }
}

static void answer(struct easy *e)
{
    const char *range    = line_of(e, "Range: bytes=");
    bool        is_again = server.requests > 1;
    uint64_t    first, last;

    assert_non_null(range);
    assert_int_equal(sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last), 2);
    if (last >= SIZE)
        last = SIZE - 1;
    server.asked += last - first + 1;
    if (last - first + 1 > server.longest)
        server.longest = last - first + 1;
    server.alone += e->is_alone;
    if (last - first < 512 << 10)
        server.short_alone += e->is_alone;
    else
        server.long_shared += !e->is_alone;
    if (server.way == SHORT)
        last -= (last - first) / 2;
    if (server.way == CRUMBS)
        last = first;
    uint64_t size = last - first + 1, shift = server.way == SHIFTED;
    bool     is_whole = server.way == WHOLE && is_again;
    say(e, "HTTP/1.1 %s\r\n", is_whole ? "200 OK" : "206 Partial Content");
    say(e, "ETag: %s\"%s\"\r\n", server.way == WEAK ? "W/" : "",
        server.way == CHANGED && is_again ? "w" : "v");
    if (server.way == PACKED)
        say(e, "Content-Encoding: gzip\r\n");
    say(e, "Content-Length: %" PRIu64 "\r\n", is_whole ? SIZE : size);
    if (!is_whole)
        say(e, "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n",
            first + shift, last + shift, SIZE);
    if (!say(e, "\r\n"))
        return;
    if (server.way == CUT_ONCE && server.requests == 2) {
        e->then = 18;
        send(e, first, size / 3);
        return;
    }
    send(e, first, size + (server.way == LONG));
}

/* ---- in the place of libcurl -----------------------------------------------
 */

static void *easy_init(void)
{
    return calloc(1, sizeof(struct easy));
}

static int easy_pause(void *easy, int what)
{
    struct easy *e = easy;

    assert_int_equal(what, TN_CURL_GO_ON);
    assert_true(e->is_paused);
    e->is_paused = false;
    send_more(e);
    return 0;
}

static void easy_cleanup(void *easy)
{
    free(easy);
}

static void easy_reset(void *easy)
{
    memset(easy, 0, sizeof(struct easy));
}

static int easy_setopt(void *easy, int option, ...)
{
    struct easy *e = easy;
    va_list      list;

    va_start(list, option);
    switch (option) {
    case TN_CURL_HTTP_VERSION:
        e->is_alone = va_arg(list, long) == TN_CURL_HTTP_1;
        break;
    case TN_CURL_URL:
        snprintf(e->url, sizeof e->url, "%s", va_arg(list, const char *));
        break;
    case TN_CURL_PRIVATE: e->private = va_arg(list, void *); break;
    case TN_CURL_HEADERDATA: e->header_data = va_arg(list, void *); break;
    case TN_CURL_WRITEDATA: e->body_data = va_arg(list, void *); break;
    case TN_CURL_HEADERFUNCTION: e->on_header = va_arg(list, on_bytes *); break;
    case TN_CURL_WRITEFUNCTION: e->on_body = va_arg(list, on_bytes *); break;
    case TN_CURL_HTTPHEADER: e->lines = va_arg(list, void *); break;
    default: break;
    }
    va_end(list);
    return 0;
}

static int easy_getinfo(void *easy, int info, ...)
{
    va_list list;

    va_start(list, info);
    *va_arg(list, void **) = ((struct easy *)easy)->private;
    va_end(list);
    return 0;
}

static const char *easy_strerror(int result)
{
    (void)result;
    return "the connection broke";
}

static void *slist_append(void *list, const char *text)
{
    struct line *line = malloc(sizeof *line + strlen(text) + 1);

    assert_non_null(line);
    strcpy(line->text, text);
    line->next = list;
    return line;
}

static void slist_free_all(void *list)
{
    for (struct line *l = list, *next; l; l = next) {
        next = l->next;
        free(l);
    }
}

static int multi_add_handle(void *multi, void *easy)
{
    struct easy *e = easy;

    (void)multi;
    e->next    = server.all;
    server.all = e;
    server.open++;
    if (server.open > server.most_open)
        server.most_open = server.open;
    return 0;
}

static int multi_remove_handle(void *multi, void *easy)
{
    struct easy **link = &server.all;

    (void)multi;
    while (*link != easy)
        link = &(*link)->next;
    *link = (*link)->next;
    server.open--;
    return 0;
}

static int multi_perform(void *multi, int *running)
{
    (void)multi;
    *running = 0;
    for (struct easy *e = server.all; e; e = e->next) {
        if (e->is_added)
            continue;
        e->is_added = true;
        server.requests++;
        nanosleep(&(struct timespec){ 0, server.distance * 1000000 }, NULL);
        if (line_of(e, "Authorization: ")) {
            server.with_token++;
            server.with_token_elsewhere += !strstr(e->url, "://hub.example/");
        }
        if (!is_refused(e))
            answer(e);
    }
    return 0;
}

static struct tn_curl_message *multi_info_read(void *multi, int *left)
{
    static struct tn_curl_message message;

    (void)multi;
    *left = 0;
    for (struct easy *e = server.all; e; e = e->next)
        if (e->is_added && !e->is_done && !e->is_paused) {
            e->is_done          = true;
            message.kind        = TN_CURLMSG_DONE;
            message.easy        = e;
            message.data.result = e->result;
            return &message;
        }
    return NULL;
}

static int multi_poll(void *multi, void *more, unsigned count, int timeout,
                      int *events)
{
    struct timespec pause = { 0, (long)timeout * 1000000 };

    (void)multi;
    (void)more;
    (void)count;
    (void)events;
    nanosleep(&pause, NULL);
    return 0;
}

static int multi_wakeup(void *multi)
{
    (void)multi;
    return 0;
}

static int multi_cleanup(void *multi)
{
    (void)multi;
    return 0;
}

/* ---- files ----------------------------------------------------------------
 */

static struct tn_memory  memory;
static struct tn_remote *remote;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    unsetenv("TENON_CACHE");
    setenv("HF_ENDPOINT", "https://hub.example", 1);
    setenv("HF_TOKEN", "hf_secret", 1);
    tn_memory_init(&memory, NULL, 0);
    remote  = tn_memory_resize(&memory, NULL, 0, sizeof *remote, &error);
    *remote = (struct tn_remote){
        .memory  = &memory,
        .curl    = { .easy_init           = easy_init,
                     .easy_setopt         = easy_setopt,
                     .easy_getinfo        = easy_getinfo,
                     .easy_pause          = easy_pause,
                     .easy_reset          = easy_reset,
                     .easy_cleanup        = easy_cleanup,
                     .easy_strerror       = easy_strerror,
                     .slist_append        = slist_append,
                     .slist_free_all      = slist_free_all,
                     .multi_add_handle    = multi_add_handle,
                     .multi_remove_handle = multi_remove_handle,
                     .multi_perform       = multi_perform,
                     .multi_poll          = multi_poll,
                     .multi_wakeup        = multi_wakeup,
                     .multi_info_read     = multi_info_read,
                     .multi_cleanup       = multi_cleanup },
        .options = { .timeout = 1, .attempts = 2 },
        .multi   = &server,
    };
    tn_arena_init(&remote->arena, &memory);
    pthread_mutex_init(&remote->lock, NULL);
    pthread_cond_init(&remote->changed, NULL);
    memset(&server, 0, sizeof server);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_remote_close(remote);
    assert_null(server.all);
    assert_int_equal(memory.used, 0);
    return 0;
}

static void check(const uint8_t *bytes, uint64_t offset, size_t size)
{
    assert_memory_equal(bytes, content + offset, size);
}

static void read_some(struct tn_source *source, uint64_t offset, size_t size,
                      struct tn_error *error)
{
    static uint8_t bytes[100000];

    if (tn_source_read(source, offset, bytes, size, error) == TN_OK)
        check(bytes, offset, size);
}

/* Head, middle, end, and over the edge of what the head has. */
static void read_file(const char *url, bool is_trusted, struct tn_error *error)
{
    struct tn_source *source;

    if (tn_remote_source(&source, remote, url, url, is_trusted, error) != TN_OK)
        return;
    assert_int_equal(source->size, SIZE);
    read_some(source, 0, 100, error);
    read_some(source, 5000000, 1000, error);
    read_some(source, SIZE - 10, 10, error);
    read_some(source, (64 << 10) - 5, 100000, error);
    tn_source_close(source);
}

static void test_ways(void **state)
{
    static const struct {
        enum way       way;
        enum tn_reason reason; /* NONE: the bytes of the file                 */
    } rows[] = {
        { GOOD, 0 },
        { SHORT, 0 },
        { CUT_ONCE, 0 },
        { BUSY_ONCE, 0 },
        { MOVED, 0 },
        { LONG, TN_REASON_BAD_ANSWER },
        { SHIFTED, TN_REASON_BAD_ANSWER },
        { CHANGED, TN_REASON_REMOTE_CHANGED },
        { MISSED, TN_REASON_REMOTE_CHANGED },
        { WHOLE, TN_REASON_NO_RANGES },
        { PACKED, TN_REASON_BAD_ANSWER },
        { WEAK, TN_REASON_NO_RANGES },
        { BROKEN, TN_REASON_UNREACHABLE },
        { CRUMBS, TN_REASON_UNREACHABLE },
        { LATER, TN_REASON_SERVER_BUSY },
        { LOOP, TN_REASON_REMOTE_LIMIT },
        { DOWN, TN_REASON_BAD_ANSWER },
        { TO_FILE, TN_REASON_BAD_ANSWER },
        { FLOOD, TN_REASON_REMOTE_LIMIT },
        { GONE, TN_REASON_MISSING_FILE },
        { DENIED, TN_REASON_ACCESS_DENIED },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;

        begin(state);
        server.way = rows[i].way;
        read_file("https://h/x?secret", true, &error);
        if (error.reason != rows[i].reason ||
            (error.status == TN_OK) != (rows[i].reason == 0))
            fail_msg("way %d: reason %d: %s", (int)rows[i].way,
                     (int)error.reason, error.what);
        assert_null(strstr(error.what, "secret"));
        end(state);
    }
}

/* A token goes to the hub, neither to where it leads nor to what a file
 * names. */
static void test_token(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    server.way = MOVED;
    read_file("hf://o/r/x", true, &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(server.with_token > 0);
    assert_int_equal(server.with_token_elsewhere, 0);
    server.with_token = 0;
    read_file("hf://o/r/x", false, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(server.with_token, 0);
}

static struct tn_source *open_file(void)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *source;

    assert_int_equal(
        tn_remote_source(&source, remote, "https://h/x", "x", true, &error),
        TN_OK);
    return source;
}

/* Returns how far ahead of the reader the server was. */
static uint64_t take(struct tn_source *source, uint64_t at, uint64_t end)
{
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        ahead = 0;

    while (at < end) {
        struct tn_bytes bytes =
            tn_source_take(source, at, end - at, NULL, 0, &error);
        assert_true(bytes.size > 0 && bytes.size <= end - at);
        check(bytes.data, at, bytes.size);
        if (server.sent > at + ahead)
            ahead = server.sent - at;
        tn_source_give_back(source, at, bytes, NULL);
        at += bytes.size;
    }
    return ahead;
}

/* What is expected is asked for once, in parts; lent bytes are those of the
 * file. */
static uint64_t stream(long distance)
{
    uint64_t at = 1000, end = SIZE - 1000;

    server.asked = server.longest = server.sent = server.requests = 0;
    server.distance                                               = distance;
    struct tn_source *source                                      = open_file();
    server.sent                                                   = 0;
    tn_source_expect(source, at, end - at);
    uint64_t ahead = take(source, at, end);
    assert_true(server.asked <= end || server.way != GOOD);
    tn_source_close(source);
    return ahead;
}

/* Requests to far away are several, for 4 MiB each; one to nearby is long, and
 * its bytes wait there until those before them are read.  A busy machine may
 * make what is near look far. */
static void test_stream(void **state)
{
    bool is_near = false;

    (void)state;
    assert_true(stream(3) >= 4 << 20);
    assert_int_equal(server.longest, 4 << 20);
    for (int i = 0; i < 1000 && !is_near; i++)
        is_near = stream(0) <= 1 << 20 && server.longest > 8 << 20;
    assert_true(is_near);
}

/* A connection that breaks in the middle: no byte is lost, and none of those
 * that were read is asked for again. */
static void test_break(void **state)
{
    (void)state;
    for (long distance = 0; distance < 4; distance += 3) {
        server.way = CUT_ONCE;
        stream(distance);
        assert_true(server.asked < 2 * SIZE);
    }
}

/* A file whose request waits; a busy machine may make it look far. */
static struct tn_source *open_waiting(void)
{
    for (int i = 0; i < 1000; i++) {
        struct tn_source *source = open_file();
        tn_source_expect(source, 0, 3 << 20);
        server.sent = 0;
        take(source, 0, 100000);
        if (server.sent < 1 << 20)
            return source;
        tn_source_close(source);
    }
    fail_msg("no answer within 2 ms");
    return NULL;
}

/* Files that nobody reads on make place for others, and are read on later. */
static void test_place(void **state)
{
    enum { FILES = 20 };
    struct tn_source *files[FILES];

    (void)state;
    for (int i = 0; i < FILES; i++)
        files[i] = open_waiting();
    assert_int_equal(server.most_open, 16);
    for (int i = 0; i < FILES; i += FILES - 1)
        take(files[i], 100000, 3 << 20);
    for (int i = 0; i < FILES; i++)
        tn_source_close(files[i]);
}

/* Long requests have connections of their own; when that failed, they share one
 * like short ones. */
static void test_connections(void **state)
{
    (void)state;
    server.alone = server.long_shared = server.short_alone = 0;
    stream(0);
    assert_true(server.alone > 0);
    assert_int_equal(server.long_shared, 0);
    assert_int_equal(server.short_alone, 0);
    server.way = ONLY_HTTP_2;
    stream(0);
    assert_true(server.long_shared > 0);
    assert_int_equal(server.short_alone, 0);
}

/* The most bytes that may be fetched. */
static void test_limit(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    remote->options.max_bytes = (64 << 10) + 100;
    read_file("https://h/x", true, &error);
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(error.reason, TN_REASON_REMOTE_LIMIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),
        TEST(test_token),
        TEST(test_stream),
        TEST(test_break),
        TEST(test_place),
        TEST(test_connections),
        TEST(test_limit),
    };

    make_content();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
