/* remote_exchange.c - a request whose answer is a small document */
#include "io/remote_exchange.h"

#include <inttypes.h>

static void prepare(struct tn_transfer *t)
{
    struct tn_exchange *e = (struct tn_exchange *)t;

    tn_buffer_clear(&e->body);
    for (unsigned i = 0; i < e->line_count; i++)
        tn_transfer_add_header(t, "%s", e->lines[i]);
}

static enum tn_status judge(struct tn_transfer *t)
{
    bool is_head = t->method && !strcmp(t->method, "HEAD");

    t->has_any_length = t->answer.length == TN_ANSWER_UNKNOWN && !is_head;
    t->expected       = is_head             ? 0
                        : t->has_any_length ? TN_EXCHANGE_MOST
                                            : t->answer.length;
    if (t->answer.is_encoded)
        return tn_error_because(&t->error, TN_IO, TN_REASON_BAD_ANSWER,
                                TN_NOWHERE,
                                "the answer is compressed, though that was not "
                                "allowed");
    if (t->expected > TN_EXCHANGE_MOST)
        return tn_error_because(
            &t->error, TN_LIMIT, TN_REASON_REMOTE_LIMIT, TN_NOWHERE,
            "the answer has %" PRIu64 " bytes, limit %" PRIu64, t->expected,
            TN_EXCHANGE_MOST);
    return TN_OK;
}

static enum tn_status keep(struct tn_transfer *t, struct tn_bytes bytes)
{
    struct tn_exchange *e = (struct tn_exchange *)t;

    tn_buffer_add(&e->body, bytes);
    if (tn_failed(&e->body_error))
        t->error = e->body_error;
    return t->error.status;
}

static enum tn_refusal accepts(struct tn_transfer *t)
{
    const struct tn_exchange *e = (struct tn_exchange *)t;

    for (size_t i = 0; i < sizeof e->accepted / sizeof e->accepted[0]; i++)
        if (t->answer.status == e->accepted[i])
            return TN_REFUSAL_ANSWER;
    return TN_REFUSAL_ERROR;
}

static enum tn_status redirected(struct tn_transfer *t)
{
    struct tn_exchange *e = (struct tn_exchange *)t;

    if (t->answer.linked_etag[0])
        memcpy(e->linked, t->answer.linked_etag, sizeof e->linked);
    return TN_OK;
}

static bool done(struct tn_transfer *t)
{
    (void)t;
    return false;
}

/* Where the place is, by the region and the commit that are known now. */
static enum tn_status find(struct tn_exchange *e, const char **prefix,
                           struct tn_error *error)
{
    struct tn_remote *r = e->transfer.remote;
    const char       *url =
        e->is_list
                  ? tn_place_list_url(&r->arena, e->place, r->commit, &r->s3,
                                      e->is_recursive, prefix, error)
                  : tn_place_url(&r->arena, e->place, r->commit, &r->s3, error);

    if (!url)
        return error->status;
    TN_TRY(tn_url_parse(&e->url, &r->arena, url, error));
    if (e->query)
        e->url.query = e->query;
    return TN_OK;
}

static enum tn_status moved(struct tn_transfer *t)
{
    struct tn_exchange *e = (struct tn_exchange *)t;

    const char *prefix;

    if (e->place)
        TN_TRY(find(e, &prefix, &t->error));
    t->at = e->url;
    return TN_OK;
}

static const struct tn_transfer_ops ops = {
    .prepare    = prepare,
    .judge      = judge,
    .on_body    = keep,
    .redirected = redirected,
    .moved      = moved,
    .accepts    = accepts,
    .done       = done,
};

static void init(struct tn_exchange *e, struct tn_remote *remote,
                 enum tn_place_kind kind)
{
    *e = (struct tn_exchange){
        .transfer   = { .ops        = &ops,
                        .remote     = remote,
                        .kind       = kind,
                        .is_trusted = true },
        .body_error = TN_ERROR_INIT,
    };
    e->transfer.url = &e->url;
    tn_buffer_init(&e->body, remote->memory, &e->body_error);
}

static enum tn_status open_locked(struct tn_exchange *e, const char **prefix,
                                  const char *url, struct tn_error *error)
{
    struct tn_remote  *r    = e->transfer.remote;
    enum tn_place_kind kind = e->transfer.kind;

    pthread_mutex_lock(&r->lock);
    enum tn_status status = tn_login_read(
        kind == TN_PLACE_S3 ? &r->s3 : &r->hub, kind, r->memory, error);
    if (status == TN_OK)
        status = url ? tn_url_parse(&e->url, &r->arena, url, error)
                     : find(e, prefix, error);
    pthread_mutex_unlock(&r->lock);
    return status;
}

enum tn_status tn_exchange_open(struct tn_exchange *e, struct tn_remote *remote,
                                const char *place, const char *query,
                                struct tn_error *error)
{
    const char *prefix;

    init(e, remote, tn_place_kind_of(place));
    e->place = place;
    e->query = query;
    return open_locked(e, &prefix, NULL, error);
}

enum tn_status tn_exchange_open_list(struct tn_exchange *e,
                                     struct tn_remote   *remote,
                                     const char *folder, bool is_recursive,
                                     const char     **prefix,
                                     struct tn_error *error)
{
    init(e, remote, tn_place_kind_of(folder));
    e->place        = folder;
    e->is_list      = true;
    e->is_recursive = is_recursive;
    return open_locked(e, prefix, NULL, error);
}

enum tn_status tn_exchange_open_url(struct tn_exchange *e,
                                    struct tn_remote   *remote,
                                    enum tn_place_kind kind, const char *url,
                                    struct tn_error *error)
{
    const char *prefix;

    init(e, remote, kind);
    return open_locked(e, &prefix, url, error);
}

void tn_exchange_start(struct tn_exchange *e)
{
    struct tn_remote *r = e->transfer.remote;

    pthread_mutex_lock(&r->lock);
    tn_transfer_start(&e->transfer, r);
    pthread_mutex_unlock(&r->lock);
}

enum tn_status tn_exchange_wait(struct tn_exchange *e, struct tn_error *error)
{
    struct tn_remote *r = e->transfer.remote;

    pthread_mutex_lock(&r->lock);
    enum tn_status status = tn_transfer_wait(&e->transfer, error);
    if (status != TN_OK) /* also when the caller wants to stop */
        tn_transfer_cancel(&e->transfer);
    pthread_mutex_unlock(&r->lock);
    return status;
}

enum tn_status tn_exchange_run(struct tn_exchange *e, struct tn_error *error)
{
    tn_exchange_start(e);
    return tn_exchange_wait(e, error);
}

void tn_exchange_close(struct tn_exchange *e)
{
    struct tn_remote *r = e->transfer.remote;

    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    tn_transfer_cancel(&e->transfer);
    pthread_mutex_unlock(&r->lock);
    tn_buffer_done(&e->body);
}
