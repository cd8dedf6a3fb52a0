/*
 * remote_server_testing.h - a server that is a function, in the place of
 * libcurl
 *
 * A test includes this and writes serve_request(): it looks at a request and
 * answers it with reply(), in memory and at once.  Its tn_curl_load() is used
 * instead of the library's.
 */
#ifndef TN_IO_REMOTE_SERVER_TESTING_H
#define TN_IO_REMOTE_SERVER_TESTING_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/remote_curl.h"
#include "support/hostile.h"

#define BROKEN_CONNECTION 56 /* as libcurl calls it                        */

struct line {
    struct line *next;
    char         text[];
};

typedef size_t on_bytes(const char *bytes, size_t size, size_t count,
                        void *context);

/* A request, and what becomes of it. */
struct request {
    struct request *next; /* of those that were added                         */
    bool            is_added, is_done;
    int             result;
    void *private, *header_data, *body_data;
    on_bytes       *on_header, *on_body;
    struct line    *lines;
    char            url[600], method[16];
    struct tn_bytes body;
};

static struct request *requests;      /* under way                            */
static unsigned        request_count; /* ever                                 */

static void serve_request(struct request *request);

static const char *header_of(const struct request *request, const char *name)
{
    size_t size = strlen(name);

    for (const struct line *l = request->lines; l; l = l->next)
        if (!strncmp(l->text, name, size) && l->text[size] == ':')
            return l->text + size + 1 + (l->text[size + 1] == ' ');
    return NULL;
}

static void say(struct request *r, const char *format, ...) TN_PRINTF(2, 3);
static void say(struct request *r, const char *format, ...)
{
    char    line[900];
    va_list list;

    if (r->result)
        return;
    va_start(list, format);
    size_t size = (size_t)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (r->on_header(line, 1, size, r->header_data) != size)
        r->result = TN_CURLE_WRITE;
}

/* `headers` are lines that end in "\r\n". */
static void reply_bytes(struct request *r, unsigned status, const char *headers,
                        struct tn_bytes body)
{
    say(r, "HTTP/1.1 %u Such\r\n", status);
    for (size_t size; *headers; headers += size) {
        size = strcspn(headers, "\n") + 1;
        say(r, "%.*s", (int)size, headers);
    }
    say(r, "Content-Length: %zu\r\n", body.size);
    say(r, "\r\n");
    if (body.size && !r->result && strcmp(r->method, "HEAD") != 0 &&
        r->on_body((const char *)body.data, 1, body.size, r->body_data) !=
            body.size)
        r->result = TN_CURLE_WRITE;
}

static void reply(struct request *r, unsigned status, const char *headers,
                  const char *body)
{
    reply_bytes(r, status, headers, tn_text(body));
}

/* ---- in the place of libcurl ----------------------------------------------
 */

static void *easy_init(void)
{
    return calloc(1, sizeof(struct request));
}

static void easy_reset(void *easy)
{
    memset(easy, 0, sizeof(struct request));
}

static int easy_setopt(void *easy, int option, ...)
{
    struct request *r = easy;
    va_list         list;

    va_start(list, option);
    switch (option) {
    case TN_CURL_URL:
        snprintf(r->url, sizeof r->url, "%s", va_arg(list, const char *));
        break;
    case TN_CURL_CUSTOMREQUEST:
        snprintf(r->method, sizeof r->method, "%s", va_arg(list, const char *));
        break;
    case TN_CURL_NOBODY: strcpy(r->method, "HEAD"); break;
    case TN_CURL_POSTFIELDS:
        r->body.data = (const uint8_t *)va_arg(list, const char *);
        break;
    case TN_CURL_POSTFIELDSIZE_LARGE:
        r->body.size = (size_t)va_arg(list, int64_t);
        break;
    case TN_CURL_PRIVATE: r->private = va_arg(list, void *); break;
    case TN_CURL_HEADERDATA: r->header_data = va_arg(list, void *); break;
    case TN_CURL_WRITEDATA: r->body_data = va_arg(list, void *); break;
    case TN_CURL_HEADERFUNCTION: r->on_header = va_arg(list, on_bytes *); break;
    case TN_CURL_WRITEFUNCTION: r->on_body = va_arg(list, on_bytes *); break;
    case TN_CURL_HTTPHEADER: r->lines = va_arg(list, void *); break;
    default: break;
    }
    va_end(list);
    return 0;
}

static int easy_getinfo(void *easy, int info, ...)
{
    va_list list;

    va_start(list, info);
    *va_arg(list, void **) = ((struct request *)easy)->private;
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

static void *multi_init(void)
{
    return &requests;
}

static int multi_setopt(void *multi, int option, ...)
{
    (void)multi;
    (void)option;
    return 0;
}

static int multi_add_handle(void *multi, void *easy)
{
    struct request *r = easy;

    (void)multi;
    if (!r->method[0])
        strcpy(r->method, "GET");
    r->next  = requests;
    requests = r;
    return 0;
}

static int multi_remove_handle(void *multi, void *easy)
{
    struct request **link = &requests;

    (void)multi;
    while (*link != easy)
        link = &(*link)->next;
    *link = (*link)->next;
    return 0;
}

static int multi_perform(void *multi, int *running)
{
    (void)multi;
    *running = 0;
    for (struct request *r = requests; r; r = r->next)
        if (!r->is_added) {
            r->is_added = true;
            request_count++;
            serve_request(r);
        }
    return 0;
}

static struct tn_curl_message *multi_info_read(void *multi, int *left)
{
    static struct tn_curl_message message;

    (void)multi;
    *left = 0;
    for (struct request *r = requests; r; r = r->next)
        if (r->is_added && !r->is_done) {
            r->is_done          = true;
            message.kind        = TN_CURLMSG_DONE;
            message.easy        = r;
            message.data.result = r->result;
            return &message;
        }
    return NULL;
}

static int multi_poll(void *multi, void *more, unsigned count, int timeout,
                      int *events)
{
    (void)multi;
    (void)more;
    (void)count;
    (void)events;
    nanosleep(&(struct timespec){ 0, (long)timeout * 1000000 }, NULL);
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

enum tn_status tn_curl_load(struct tn_curl *curl, struct tn_error *error)
{
    (void)error;
    *curl = (struct tn_curl){
        .easy_init           = easy_init,
        .easy_setopt         = easy_setopt,
        .easy_getinfo        = easy_getinfo,
        .easy_reset          = easy_reset,
        .easy_cleanup        = free,
        .easy_strerror       = easy_strerror,
        .slist_append        = slist_append,
        .slist_free_all      = slist_free_all,
        .multi_init          = multi_init,
        .multi_setopt        = multi_setopt,
        .multi_add_handle    = multi_add_handle,
        .multi_remove_handle = multi_remove_handle,
        .multi_perform       = multi_perform,
        .multi_poll          = multi_poll,
        .multi_wakeup        = multi_wakeup,
        .multi_info_read     = multi_info_read,
        .multi_cleanup       = multi_cleanup,
    };
    return TN_OK;
}

#endif
