/*
 * remote_source.c - a source over ranges of a file on a server
 *
 * Pieces are what is in memory, sorted and disjoint; fetches are what is under
 * way.  A read copies from pieces, waits for fetches, and starts one for what
 * is neither.  All of this is guarded by the lock of the connections.
 */
#include "io/remote_source.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "io/remote_cache.h"
#include "io/remote_stride.h"

#define HEAD_SIZE (UINT64_C(64) << 10) /* of the first request */
#define TAIL_SIZE                                                              \
    (UINT64_C(16) << 10) /* read at once when the end is asked                 \
                          */
#define JUMP_SIZE     (UINT64_C(4) << 10) /* after a jump to somewhere          */
#define NEAR          (UINT64_C(256) << 10) /* a jump that is hardly one         */
#define NEAR_SIZE     (UINT64_C(64) << 10)
#define NEAR_MOST     6 /* doublings of what is read then     */
#define GUESS_SIZE    (UINT64_C(2) << 10) /* at a place that is predicted */
#define GUESS_MOST    (UINT64_C(64) << 10)
#define CHUNK         (UINT64_C(4) << 20) /* longest request                    */
#define AHEAD         (UINT64_C(16) << 20) /* requested before it is read        */
#define SOON          2000 /* microseconds in which a near server answers   */
#define NEAR_CHUNK    (UINT64_C(16) << 20) /* the same two for one           */
#define NEAR_AHEAD    (UINT64_C(512) << 10)
#define PART          (UINT64_C(256) << 10) /* read while the rest arrives   */
#define KEPT_PART     (UINT64_C(1) << 20) /* the same of what is kept on disk */
#define LONG          (UINT64_C(512) << 10) /* worth a connection of its own  */
#define UNREAD_MOST   (AHEAD + CHUNK)       /* of all readers */
#define CACHE_MOST    (UINT64_C(24) << 20)  /* bytes that are kept */
#define STALE_MOST    (UINT64_C(48) << 20)  /* the same if nothing was read */
#define LEND_MOST     (UINT64_C(512) << 10) /* of a piece, to a reader */
#define MOST_SPARE    40 /* buffers of a part, for reuse       */
#define MOST_GUESSES  12 /* requests that nobody waits for    */
#define GOOD_PROGRESS (UINT64_C(64) << 10)
#define MOST_EXPECTED 8
#define SHORTEST      (UINT64_C(4) << 10) /* answer that is worth a request */

struct piece {
    uint64_t offset, size;
    uint8_t *data;
    uint64_t room; /* of `data`                                               */
    uint64_t used; /* when, by the source's clock                             */
    unsigned lent; /* readers that have a pointer into it                     */
    bool     is_read; /* some of it                                           */
};

struct fetch {
    struct tn_transfer    transfer; /* first                                  */
    struct remote_source *source;
    struct fetch         *next; /* of the source                              */
    uint64_t              offset, size; /* wanted, but for parts handed over  */
    uint64_t              got;          /* of them, in `data`                 */
    uint64_t              begun;        /* where this attempt began           */
    uint64_t              until;        /* where it stops unless it is extended */
    uint8_t              *data;
    uint64_t              room; /* of `data`: a part, or all if that is less  */
    bool                  is_opening, is_suffix;
    bool                  is_plain;  /* asks for no range                     */
    bool                  is_linked; /* its redirects told the identity       */
    unsigned              scraps; /* answers that were hardly worth it        */
};

struct remote_source {
    struct tn_source  source; /* first                                        */
    struct tn_remote *remote;
    struct tn_url     url;
    struct tn_url     at; /* where it was found, after redirects              */
    const char       *place; /* as it was named                              */
    bool              is_trusted;
    bool              has_version;
    struct tn_version version;
    char              origin[256]; /* of the host that the version is of     */
    char              linked[TN_ANSWER_TAG]; /* its identity elsewhere        */
    struct tn_list    pieces;
    uint64_t          cached, clock;
    struct fetch     *fetches;
    struct tn_strides strides;
    uint64_t          end, run; /* of the last read; bytes without a jump     */
    unsigned          near;     /* misses near to what was there, in a row    */
    uint64_t          expected_end; /* of the last range that was expected    */
    uint64_t          followed;     /* its length, if it followed another     */
    uint64_t          streak;       /* bytes of those before it that did      */

    struct {
        uint64_t begin, end, more; /* `more`: up to there, too, perhaps       */
    } expected[MOST_EXPECTED]; /* the newest first                            */
    struct tn_cache *cache; /* on disk; NULL: none                            */
    uint8_t         *spare[MOST_SPARE];
    unsigned         spare_count;
    uint64_t         spare_size; /* of each                                  */
    uint64_t         soonest;    /* microseconds until an answer began       */
    uint64_t         block_size;
};

static struct remote_source *source_of(struct tn_transfer *t)
{
    return ((struct fetch *)t)->source;
}

/* ---- how far away the server is ------------------------------------------ */

/* For a distant server, many requests at once hide the round trips, and what a
 * server allows for each connection.  For a near one, one request at a time is
 * quicker: what arrives is read while it is in the processor's caches. */
static bool is_near(const struct remote_source *s)
{
    return s->soonest < SOON;
}

static uint64_t chunk_size(const struct remote_source *s)
{
    return is_near(s) ? NEAR_CHUNK : CHUNK;
}

/* A file on disk for each part should not be too short. */
static uint64_t part_size(const struct remote_source *s)
{
    return s->cache ? KEPT_PART : PART;
}

static void note_distance(struct remote_source *s, const struct fetch *f)
{
    s->soonest = tn_min(s->soonest, f->transfer.answered);
}

/* ---- buffers: fresh memory costs a page fault every 4 KiB ---------------- */

static uint8_t *take_buffer(struct remote_source *s, uint64_t size,
                            struct tn_error *error)
{
    if (s->spare_count && size == s->spare_size)
        return s->spare[--s->spare_count];
    return tn_memory_resize(s->source.memory, NULL, 0, size, error);
}

static void drop_spares(struct remote_source *s)
{
    while (s->spare_count)
        tn_memory_free(s->source.memory, s->spare[--s->spare_count],
                       s->spare_size);
}

static void give_buffer(struct remote_source *s, uint8_t *buffer, uint64_t size)
{
    if (size == part_size(s) && size != s->spare_size) {
        drop_spares(s);
        s->spare_size = size;
    }
    if (size == s->spare_size && s->spare_count < MOST_SPARE)
        s->spare[s->spare_count++] = buffer;
    else
        tn_memory_free(s->source.memory, buffer, size);
}

/* ---- pieces ------------------------------------------------------------- */

static struct piece *piece_at(const struct remote_source *s, uint64_t index)
{
    return tn_list_at(&s->pieces, struct piece, index);
}

/* The index of the first piece that ends after `offset`. */
static uint64_t piece_after(const struct remote_source *s, uint64_t offset)
{
    uint64_t at;

    TN_BISECT(at, 0, s->pieces.count,
              piece_at(s, at)->offset + piece_at(s, at)->size <= offset);
    return at;
}

static struct piece *find_piece(const struct remote_source *s, uint64_t offset)
{
    uint64_t i = piece_after(s, offset);

    return i < s->pieces.count && piece_at(s, i)->offset <= offset
               ? piece_at(s, i)
               : NULL;
}

static void drop_piece(struct remote_source *s, uint64_t index)
{
    struct piece *p = piece_at(s, index);

    s->cached -= p->room;
    give_buffer(s, p->data, p->room);
    memmove(p, p + 1, (size_t)(s->pieces.count - index - 1) * sizeof *p);
    s->pieces.count--;
}

static bool is_older(const struct piece *p, const struct piece *than)
{
    return p->is_read != than->is_read ? p->is_read : p->used < than->used;
}

/* Of those that nobody reads, and that were read once, or that nobody will ever
 * read as it seems.  False if there is none but the newest. */
static bool drop_oldest(struct remote_source *s)
{
    struct piece *oldest = NULL;

    for (uint64_t i = 0; i < s->pieces.count; i++) {
        struct piece *p = piece_at(s, i);
        if (!p->lent && p->used != s->clock &&
            (p->is_read || s->cached > STALE_MOST) &&
            (!oldest || is_older(p, oldest)))
            oldest = p;
    }
    if (oldest)
        drop_piece(s, (uint64_t)(oldest - piece_at(s, 0)));
    return oldest != NULL;
}

/* Takes over the first `size` bytes of a fetch, with their buffer. */
static void keep_piece(struct remote_source *s, struct fetch *f, uint64_t size)
{
    uint64_t        index = piece_after(s, f->offset);
    struct tn_error own   = TN_ERROR_INIT;

    if (size == 0 || !tn_list_push(&s->pieces, struct piece, &own))
        return; /* the next read fetches it again */
    struct piece *p = piece_at(s, index);
    memmove(p + 1, p, (size_t)(s->pieces.count - 1 - index) * sizeof *p);
    *p      = (struct piece){ .offset = f->offset,
                              .size   = size,
                              .data   = f->data,
                              .room   = f->room,
                              .used   = ++s->clock };
    f->data = NULL;
    s->cached += f->room;
    while (s->cached > CACHE_MOST && drop_oldest(s))
        ;
}

/* ---- fetches: what the transfer asks ------------------------------------ */

static void fetch_prepare(struct tn_transfer *t)
{
    struct fetch            *f = (struct fetch *)t;
    struct remote_source    *s = f->source;
    const struct tn_version *v = &s->version;

    t->offset = f->offset + f->got;
    if (t->offset > f->begun && t->offset - f->begun >= GOOD_PROGRESS)
        t->attempt = 1;
    f->begun   = t->offset;
    t->is_long = f->size - f->got >= LONG;
    if (f->is_suffix)
        tn_transfer_add_header(t, "Range: bytes=-%" PRIu64, f->size);
    else if (!f->is_plain)
        tn_transfer_add_header(t, "Range: bytes=%" PRIu64 "-%" PRIu64,
                               f->offset + f->got, f->offset + f->size - 1);
    if (!s->has_version)
        return;
    if (tn_answer_is_strong(v->etag)) {
        tn_transfer_add_header(t, "If-Match: %s", v->etag);
        tn_transfer_add_header(t, "If-Range: %s", v->etag);
    } else if (v->modified[0])
        tn_transfer_add_header(t, "If-Unmodified-Since: %s", v->modified);
}

/* A second request needs a version to ask for. */
static enum tn_status check_pin(const struct remote_source *s,
                                struct tn_error            *error)
{
    if (!s->has_version || tn_answer_is_strong(s->version.etag) ||
        s->version.modified[0])
        return TN_OK;
    return tn_error_because(
        error, TN_UNSUPPORTED, TN_REASON_NO_RANGES, TN_NOWHERE,
        "the server tells no version of the file (a strong ETag, or "
        "Last-Modified), so that parts of it might not belong together; "
        "download it first");
}

/* Files of one model are those of one commit. */
static void take_commit(struct remote_source *s, const struct tn_transfer *t)
{
    const char *commit = t->answer.commit;

    if (t->kind == TN_PLACE_HUB && s->is_trusted && !s->remote->commit[0] &&
        strlen(commit) == 40 && strspn(commit, "0123456789abcdef") == 40)
        memcpy(s->remote->commit, commit, 41);
}

static void take_version(struct remote_source *s, const struct tn_transfer *t)
{
    const struct tn_answer *answer = &t->answer;

    memcpy(s->version.etag, answer->etag, sizeof s->version.etag);
    memcpy(s->version.modified, answer->modified, sizeof s->version.modified);
    if (answer->total != TN_ANSWER_UNKNOWN) /* also of 416 */
        s->version.size = answer->total;
    else if (answer->status != 206)
        s->version.size = answer->length;
    snprintf(s->origin, sizeof s->origin, "%s", t->at.origin);
    s->has_version = true;
}

static enum tn_status fetch_judge(struct tn_transfer *t)
{
    struct fetch         *f     = (struct fetch *)t;
    struct remote_source *s     = f->source;
    struct tn_asked       asked = {
              .first     = f->offset + f->got,
              .last      = f->is_suffix ? f->size : f->offset + f->size - 1,
              .is_suffix = f->is_suffix,
              .is_first  = !s->has_version,
              .is_whole  = f->is_opening && !f->got,
              .version   = &s->version,
    };
    uint64_t first;

    TN_TRY(
        tn_answer_judge(&t->answer, &asked, &first, &t->expected, &t->error));
    if (!s->has_version)
        take_version(s, t);
    take_commit(s, t);
    if (s->version.size == TN_ANSWER_UNKNOWN && f->is_suffix)
        s->version.size = t->answer.last + 1;
    if (f->is_suffix) {
        f->offset = first;
        f->size   = t->expected;
    } else if (t->answer.status != 206)
        f->size = t->expected;
    if (f->got == f->size && t->expected)
        return tn_error_because(&t->error, TN_IO, TN_REASON_BAD_ANSWER,
                                TN_NOWHERE, "more bytes than were requested");
    return TN_OK;
}

/* Somebody is going to read up to `until`. */
static void let_on(struct fetch *f, uint64_t until)
{
    f->until = tn_max(f->until, until);
    if (f->transfer.is_held && f->offset < f->until)
        tn_transfer_go_on(&f->transfer);
}

/* A part can be read before the rest arrives.  A near server would send all of
 * it at once; it waits, instead of its bytes in memory. */
static enum tn_status hand_over(struct fetch *f)
{
    struct remote_source *s = f->source;

    pthread_mutex_lock(&s->remote->lock);
    tn_cache_keep(s->cache, f->offset, tn_bytes(f->data, (size_t)f->got));
    keep_piece(s, f, f->got);
    f->offset += f->got;
    f->size -= f->got;
    f->got              = 0;
    f->transfer.is_held = f->offset >= f->until;
    if (!f->data)
        f->data = take_buffer(s, f->room, &f->transfer.error);
    tn_transfer_tell(&f->transfer);
    pthread_mutex_unlock(&s->remote->lock);
    return f->transfer.error.status;
}

static enum tn_status fetch_body(struct tn_transfer *t, struct tn_bytes bytes)
{
    struct fetch *f = (struct fetch *)t;

    if (bytes.size > f->size - f->got)
        return tn_error_because(&t->error, TN_IO, TN_REASON_BAD_ANSWER,
                                TN_NOWHERE, "more bytes than were requested");
    while (bytes.size) {
        size_t size = tn_min_size(f->room - f->got, bytes.size);
        memcpy(f->data + f->got, bytes.data, size);
        f->got += size;
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
        if (f->got == f->room && f->got < f->size)
            TN_TRY(hand_over(f));
    }
    return TN_OK;
}

/* What a redirect says about the file holds wherever it leads to.  Not every
 * redirect on the way says it: a repository that was renamed leads to its new
 * name first, and a network of servers to the nearest one. */
static enum tn_status fetch_redirected(struct tn_transfer *t)
{
    struct fetch         *f      = (struct fetch *)t;
    struct remote_source *s      = f->source;
    const char           *linked = t->answer.linked_etag;

    if (t->redirects == 1)
        f->is_linked = false;
    if (linked[0]) {
        if (s->linked[0] && strcmp(s->linked, linked) != 0)
            return tn_error_because(
                &t->error, TN_IO, TN_REASON_REMOTE_CHANGED, TN_NOWHERE,
                "the file changed while it was read: it has another "
                "X-Linked-ETag");
        memcpy(s->linked, linked, sizeof s->linked);
        f->is_linked = true;
    }
    take_commit(s, t);
    /* Another host has ETags of its own; the identity above is enough. */
    if (f->is_linked && s->has_version && strcmp(s->origin, t->at.origin) != 0)
        s->has_version = false;
    return TN_OK;
}

/* Where the place is by what is known now: the region, the commit. */
static enum tn_status find_place(struct remote_source *s,
                                 struct tn_error      *error)
{
    struct tn_remote *r   = s->remote;
    const char       *url = tn_place_url(
              &r->arena, s->place, s->is_trusted ? r->commit : "", &r->s3, error);

    return url ? tn_url_parse(&s->url, &r->arena, url, error) : error->status;
}

static enum tn_status fetch_moved(struct tn_transfer *t)
{
    struct remote_source *s = source_of(t);

    TN_TRY(find_place(s, &t->error));
    t->at = s->at = s->url;
    return TN_OK;
}

/* "416: bytes * / 0" is how an empty file answers.  Stores do not say that it
 * is empty, only that there is no such range: then the file is asked for. */
static enum tn_refusal fetch_accepts(struct tn_transfer *t)
{
    struct fetch         *f = (struct fetch *)t;
    struct remote_source *s = f->source;

    if (!f->is_opening || s->has_version || t->answer.status != 416 ||
        t->answer.is_bad || f->is_plain)
        return TN_REFUSAL_ERROR;
    if (!t->answer.has_range) {
        f->is_plain = true;
        return TN_REFUSAL_ASK_AGAIN;
    }
    if (t->answer.total != 0)
        return TN_REFUSAL_ERROR;
    take_version(s, t);
    f->size = 0;
    return TN_REFUSAL_ANSWER;
}

/* A file that is shorter than what was asked for. */
static void shrink(struct fetch *f)
{
    struct tn_error own = TN_ERROR_INIT;

    if (f->size == f->room || f->size == 0)
        return;
    uint8_t *data = tn_memory_resize(f->source->source.memory, f->data, f->room,
                                     f->size, &own);
    if (data) {
        f->data = data;
        f->room = f->size;
    }
}

/* A connection that delivers only a few bytes at a time counts as stalled. */
static enum tn_status check_worth(struct fetch *f)
{
    struct tn_transfer *t     = &f->transfer;
    uint64_t            asked = f->size - f->got + t->received;

    if (t->received >= tn_min(SHORTEST, asked / 8) ||
        ++f->scraps < f->source->remote->options.attempts)
        return TN_OK;
    return tn_error_because(&t->error, TN_IO, TN_REASON_UNREACHABLE, TN_NOWHERE,
                            "the server sends %" PRIu64 " bytes of %" PRIu64
                            " that were asked for "
                            "(%u attempts)",
                            t->received, asked, f->scraps);
}

/* Servers may send less than was asked for: what is missing is asked again. */
static bool fetch_done(struct tn_transfer *t)
{
    struct fetch         *f = (struct fetch *)t;
    struct remote_source *s = f->source;

    s->at = t->at;
    note_distance(s, f);
    if (f->is_opening && s->version.size != TN_ANSWER_UNKNOWN)
        f->size = tn_min(f->size, s->version.size);
    if (s->version.size == TN_ANSWER_UNKNOWN && f->got)
        f->size = f->got; /* its end is found in another way */
    if (f->got < f->size)
        return check_pin(s, &t->error) == TN_OK && check_worth(f) == TN_OK;
    shrink(f);
    if (f->size)
        tn_cache_keep(s->cache, f->offset, tn_bytes(f->data, (size_t)f->size));
    keep_piece(s, f, f->size);
    return false;
}

static const struct tn_transfer_ops fetch_ops = {
    .prepare    = fetch_prepare,
    .judge      = fetch_judge,
    .on_body    = fetch_body,
    .redirected = fetch_redirected,
    .moved      = fetch_moved,
    .accepts    = fetch_accepts,
    .done       = fetch_done,
};

/* ---- fetches: begun and ended ------------------------------------------- */

static void end_fetch(struct fetch *f)
{
    struct remote_source *s    = f->source;
    struct fetch        **link = &s->fetches;

    tn_transfer_cancel(&f->transfer);
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    if (f->data)
        give_buffer(s, f->data, f->room);
    tn_memory_free(s->source.memory, f, sizeof *f);
}

/* Those that are done and that nobody waits for. */
static void end_idle(struct remote_source *s)
{
    for (struct fetch *f = s->fetches, *next; f; f = next) {
        next = f->next;
        if (f->transfer.state == TN_TRANSFER_DONE && !f->transfer.waiting)
            end_fetch(f);
    }
}

static struct fetch *begin_fetch(struct remote_source *s, uint64_t offset,
                                 uint64_t size, struct tn_error *error)
{
    struct tn_memory *memory = s->source.memory;

    if (check_pin(s, error) != TN_OK)
        return NULL;
    struct fetch *f = tn_memory_resize(memory, NULL, 0, sizeof *f, error);
    if (!f)
        return NULL;
    *f = (struct fetch){
        .transfer = { .ops        = &fetch_ops,
                      .url        = &s->url,
                      .at         = s->at,
                      .kind       = tn_place_kind_of(s->place),
                      .is_trusted = s->is_trusted },
        .source   = s,
        .offset   = offset,
        .size     = size,
        .begun    = offset,
        .until    = is_near(s) ? offset + tn_min(size, NEAR_AHEAD) : UINT64_MAX,
        .room     = tn_min(size, part_size(s)),
        .next     = s->fetches,
    };
    f->data = take_buffer(s, f->room, error);
    if (!f->data) {
        tn_memory_free(memory, f, sizeof *f);
        return NULL;
    }
    s->fetches = f;
    return f;
}

static void start_fetch(struct fetch *f)
{
    tn_transfer_start(&f->transfer, f->source->remote);
}

/* Waits until a part is there, or all of it; then it is gone. */
static enum tn_status await(struct fetch *f, struct tn_error *error)
{
    enum tn_status status = tn_transfer_wait(&f->transfer, error);

    if (!f->transfer.waiting && f->transfer.state == TN_TRANSFER_DONE)
        end_fetch(f);
    return status;
}

static struct fetch *find_fetch(const struct remote_source *s, uint64_t offset)
{
    for (struct fetch *f = s->fetches; f; f = f->next)
        if (f->transfer.state != TN_TRANSFER_DONE && offset >= f->offset &&
            offset - f->offset < f->size)
            return f;
    return NULL;
}

/* Up to where, from `offset` on, nothing is there or under way. */
static uint64_t free_end(const struct remote_source *s, uint64_t offset,
                         uint64_t end)
{
    uint64_t i = piece_after(s, offset);

    uint64_t begin, size;

    end = tn_min(end, s->source.size);
    if (tn_cache_find(s->cache, offset, &begin, &size))
        return offset;
    end = tn_min(end, tn_max(begin, offset));
    if (i < s->pieces.count)
        end = tn_min(end, tn_max(piece_at(s, i)->offset, offset));
    for (const struct fetch *f = s->fetches; f; f = f->next)
        if (f->transfer.state != TN_TRANSFER_DONE &&
            f->offset + f->size > offset)
            end = tn_min(end, tn_max(f->offset, offset));
    return end;
}

/* Reads the bytes of a range on disk that are missing here, up to the next
 * piece in memory. */
static bool load_part(struct remote_source *s, uint64_t offset, uint64_t begin,
                      uint64_t size)
{
    struct tn_error own   = TN_ERROR_INIT;
    uint64_t        i     = piece_after(s, offset);
    uint64_t        end   = begin + size;
    uint8_t        *whole = take_buffer(s, size, &own);

    if (i < s->pieces.count)
        end = tn_min(end, piece_at(s, i)->offset);
    struct fetch f       = { .source = s,
                             .offset = offset,
                             .size   = end - offset,
                             .room   = end - offset };
    bool         is_kept = false;
    if (whole && tn_cache_read(s->cache, begin, size, whole))
        f.data = take_buffer(s, f.size, &own);
    if (f.data) {
        memcpy(f.data, whole + (offset - begin), (size_t)f.size);
        keep_piece(s, &f, f.size);
        is_kept = !f.data;
    }
    if (f.data)
        give_buffer(s, f.data, f.room);
    if (whole)
        give_buffer(s, whole, size);
    return is_kept;
}

/* The whole range. */
static bool load_whole(struct remote_source *s, uint64_t begin, uint64_t size)
{
    struct tn_error own     = TN_ERROR_INIT;
    struct fetch    f       = { .source = s,
                                .offset = begin,
                                .size   = size,
                                .room   = size,
                                .data   = take_buffer(s, size, &own) };
    bool            is_kept = false;

    if (f.data && tn_cache_read(s->cache, begin, size, f.data)) {
        keep_piece(s, &f, f.size);
        is_kept = !f.data;
    }
    if (f.data)
        give_buffer(s, f.data, f.room);
    return is_kept;
}

/* What the disk has becomes a piece, as what was fetched does.  Pieces are
 * disjoint. */
static bool load(struct remote_source *s, uint64_t offset)
{
    uint64_t begin, size;

    if (!tn_cache_find(s->cache, offset, &begin, &size))
        return false;
    uint64_t i = piece_after(s, begin);
    bool     is_free =
        i == s->pieces.count || piece_at(s, i)->offset >= begin + size;
    bool is_kept = is_free ? load_whole(s, begin, size)
                           : load_part(s, offset, begin, size);
    if (!is_kept)
        tn_cache_forget(s->cache, begin);
    return is_kept;
}

/* A request for what is missing of a range, which nobody waits for. */
static bool fetch_ahead(struct remote_source *s, uint64_t begin, uint64_t end)
{
    struct tn_error own = TN_ERROR_INIT;

    end = free_end(s, begin, end);
    if (end <= begin)
        return true;
    struct fetch *f = begin_fetch(s, begin, end - begin, &own);
    if (f)
        start_fetch(f);
    return f != NULL;
}

/* ---- what is asked for next --------------------------------------------- */

/* Nobody seems to read it. */
static void forget(struct remote_source *s, uint64_t begin, uint64_t end)
{
    for (uint64_t i = piece_after(s, begin);
         i < s->pieces.count && piece_at(s, i)->offset < end; i++)
        piece_at(s, i)->is_read = true;
}

static void remote_expect(struct tn_source *source, uint64_t offset,
                          uint64_t length)
{
    struct remote_source *s = (struct remote_source *)source;

    if (length <= JUMP_SIZE || !tn_inside(offset, length, source->size))
        return;
    pthread_mutex_lock(&s->remote->lock);
    /* If ranges are read one after the other, more than this range is
     * requested. */
    bool goes_on = offset >= s->expected_end &&
                   offset - s->expected_end <= JUMP_SIZE && s->expected_end;
    s->streak       = goes_on ? tn_min(s->streak + s->followed, CHUNK) : 0;
    s->followed     = goes_on ? length : 0;
    s->expected_end = offset + length;
    forget(s, s->expected[MOST_EXPECTED - 1].begin,
           s->expected[MOST_EXPECTED - 1].more);
    memmove(&s->expected[1], &s->expected[0],
            sizeof s->expected - sizeof s->expected[0]);
    s->expected[0].begin = offset;
    s->expected[0].end   = offset + length;
    s->expected[0].more =
        offset + tn_min(length + s->streak, source->size - offset);
    pthread_mutex_unlock(&s->remote->lock);
}

/* The index of the range that `offset` is in, or MOST_EXPECTED. */
static unsigned find_expected(const struct remote_source *s, uint64_t offset)
{
    unsigned found = MOST_EXPECTED;

    for (unsigned i = 0; i < MOST_EXPECTED; i++) {
        if (offset < s->expected[i].begin || offset >= s->expected[i].more)
            continue;
        if (offset < s->expected[i].end)
            return i;
        found = i;
    }
    return found;
}

/* The end of what is expected from `offset` on, or 0.  What another reader
 * expects is left to that. */
static uint64_t expected_end(const struct remote_source *s, uint64_t offset)
{
    unsigned found = find_expected(s, offset);

    if (found == MOST_EXPECTED)
        return 0;
    uint64_t end = s->expected[found].more;
    for (unsigned i = 0; i < MOST_EXPECTED; i++)
        if (s->expected[i].begin >= s->expected[found].end)
            end = tn_min(end, s->expected[i].begin);
    return end;
}

/* A run that is longer than what is kept: what was read of it is gone when it
 * is read again, and can go at once, so that its memory is used again while it
 * is in the processor's caches. */
static bool is_passing(const struct remote_source *s, uint64_t offset)
{
    unsigned i = find_expected(s, offset);

    return i < MOST_EXPECTED &&
           s->expected[i].more - s->expected[i].begin > CACHE_MOST;
}

/* Bytes that will arrive, or have arrived and were not read. */
static uint64_t count_unread(const struct remote_source *s)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < s->pieces.count; i++)
        if (!piece_at(s, i)->is_read)
            count += piece_at(s, i)->size;
    for (const struct fetch *f = s->fetches; f; f = f->next)
        if (f->transfer.state != TN_TRANSFER_DONE && f->until > f->offset)
            count += tn_min(f->size, f->until - f->offset);
    return count;
}

/* Requests of a chunk each, as far ahead as is worth it.  What several readers
 * request must not push each other's bytes out of memory before they are read.
 */
static void stream_ahead(struct remote_source *s, uint64_t offset, uint64_t end)
{
    uint64_t chunk = chunk_size(s);
    uint64_t ahead = is_near(s) ? NEAR_AHEAD : AHEAD;
    uint64_t until = offset + tn_min(end - offset, ahead);

    end_idle(s);
    while (offset < until) {
        struct piece *p = find_piece(s, offset);
        struct fetch *f = p ? NULL : find_fetch(s, offset);
        uint64_t      begin, size;
        if (p)
            offset = p->offset + p->size;
        else if (f) {
            let_on(f, until);
            offset = f->offset + f->size;
        } else if (tn_cache_find(s->cache, offset, &begin, &size))
            offset = begin + size;
        else if (count_unread(s) + tn_min(chunk, ahead) > UNREAD_MOST ||
                 !fetch_ahead(s, offset, offset + tn_min(end - offset, chunk)))
            return;
    }
}

static unsigned count_fetches(const struct remote_source *s)
{
    unsigned count = 0;

    for (const struct fetch *f = s->fetches; f; f = f->next)
        count += f->transfer.state != TN_TRANSFER_DONE;
    return count;
}

/* Where the walk will probably go on. */
static void guess(struct remote_source *s)
{
    end_idle(s);
    for (unsigned i = 0; i < s->strides.next_count; i++) {
        uint64_t place = s->strides.next[i];
        if (place >= s->source.size || count_fetches(s) >= MOST_GUESSES)
            return;
        if (!find_piece(s, place) && !find_fetch(s, place)) {
            uint64_t begin = place - TN_STRIDE_SLACK;
            if (find_piece(s, begin) || find_fetch(s, begin))
                begin = place;
            uint64_t stay = tn_min(s->strides.stays[i], GUESS_MOST);
            fetch_ahead(s, begin,
                        place + tn_max(stay + TN_STRIDE_SLACK,
                                       GUESS_SIZE - TN_STRIDE_SLACK));
        }
    }
}

/* Notes whether reading goes on, or jumps elsewhere. */
static void note_read(struct remote_source *s, uint64_t offset, size_t size)
{
    bool goes_on = offset >= s->end ? offset - s->end <= JUMP_SIZE
                                    : s->end - offset <= NEAR_SIZE;

    if (goes_on) {
        s->run += size;
    } else {
        s->run = size;
        if (offset < s->end || offset - s->end > NEAR)
            s->near = 0;
        tn_strides_jump(&s->strides, s->end, offset);
        guess(s);
    }
    s->end = offset + size;
}

static bool is_near_piece(const struct remote_source *s, uint64_t offset)
{
    uint64_t i = piece_after(s, offset);

    if (i < s->pieces.count && piece_at(s, i)->offset - offset < NEAR)
        return true;
    return i > 0 &&
           offset - (piece_at(s, i - 1)->offset + piece_at(s, i - 1)->size) <
               NEAR;
}

/* How much to request where `size` bytes are missing. */
static uint64_t worth(struct remote_source *s, uint64_t offset, uint64_t size)
{
    uint64_t least = tn_max(size, JUMP_SIZE);

    if (s->run > JUMP_SIZE) /* structure: as much again */
        return tn_max(least, tn_min(s->run, CHUNK));
    if (is_near_piece(s, offset)) /* more, the more often */
        return tn_max(least, JUMP_SIZE << tn_min(s->near++, NEAR_MOST));
    return tn_max(least, tn_min(s->strides.here, GUESS_MOST) + TN_STRIDE_SLACK);
}

/* The request for a miss. */
static struct fetch *fetch_missing(struct remote_source *s, uint64_t offset,
                                   size_t size, uint64_t end,
                                   struct tn_error *error)
{
    uint64_t begin = offset, last;

    if (end)
        last = offset + tn_min(end - offset, chunk_size(s));
    else if (s->source.size - offset <= TAIL_SIZE &&
             s->source.size > HEAD_SIZE) {
        uint64_t tail = s->source.size - tn_min(s->source.size, TAIL_SIZE);
        last          = s->source.size;
        if (free_end(s, tail, last) > offset)
            begin = tail;
    } else
        last = offset + tn_min(worth(s, offset, size), CHUNK);
    struct fetch *f =
        begin_fetch(s, begin, free_end(s, begin, last) - begin, error);
    if (f)
        start_fetch(f);
    return f;
}

/* ---- the source --------------------------------------------------------- */

/* The piece that has the byte at `offset`, where `size` bytes are read, after
 * waiting for it; NULL if that fails. */
static struct piece *reach(struct remote_source *s, uint64_t offset,
                           size_t size, uint64_t expected,
                           struct tn_error *error)
{
    struct piece *p;

    while (!(p = find_piece(s, offset))) {
        if (expected > offset)
            stream_ahead(s, offset, expected);
        struct fetch *f = find_fetch(s, offset);
        if (!f && load(s, offset))
            continue;
        if (!f) /* also after a guess that failed: asking for it says why */
            f = fetch_missing(s, offset, size, expected > offset ? expected : 0,
                              error);
        if (f)
            let_on(f, offset + size);
        if (!f || await(f, error) != TN_OK)
            return NULL;
    }
    p->used    = ++s->clock;
    p->is_read = true;
    return p;
}

/* A piece was read up to `end`. */
static void pass(struct remote_source *s, struct piece *p, uint64_t end)
{
    if (!p->lent && end == p->offset + p->size && is_passing(s, p->offset))
        drop_piece(s, (uint64_t)(p - piece_at(s, 0)));
}

/* What is expected behind `offset` is asked for while what has arrived is being
 * used. */
static void go_on(struct remote_source *s, uint64_t offset, uint64_t expected)
{
    if (expected <= offset)
        return;
    stream_ahead(s, offset, expected);
    tn_remote_nudge(s->remote);
}

static enum tn_status read_locked(struct remote_source *s, uint64_t offset,
                                  uint8_t *to, size_t size,
                                  struct tn_error *error)
{
    uint64_t expected = expected_end(s, offset);

    if (size > CHUNK && !expected)
        expected = offset + size;
    if (!expected)
        note_read(s, offset, size);
    while (size) {
        struct piece *p = reach(s, offset, size, expected, error);
        if (!p)
            return error->status;
        uint64_t within = offset - p->offset;
        size_t   n      = tn_min_size(p->size - within, size);
        memcpy(to, p->data + within, n);
        to += n;
        offset += n;
        size -= n;
        pass(s, p, offset);
    }
    go_on(s, offset, expected);
    return TN_OK;
}

static enum tn_status remote_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    struct remote_source *s = (struct remote_source *)source;

    pthread_mutex_lock(&s->remote->lock);
    enum tn_status status = read_locked(s, offset, to, size, error);
    pthread_mutex_unlock(&s->remote->lock);
    return status;
}

/* Not a whole piece, so that what comes next is asked for in time. */
static const uint8_t *remote_lend(struct tn_source *source, uint64_t offset,
                                  uint64_t most, uint64_t *got,
                                  struct tn_error *error)
{
    struct remote_source *s    = (struct remote_source *)source;
    const uint8_t        *data = NULL;

    pthread_mutex_lock(&s->remote->lock);
    uint64_t expected = expected_end(s, offset);
    *got              = tn_min(most, LEND_MOST);
    if (!expected)
        note_read(s, offset, (size_t)*got);
    struct piece *p = reach(s, offset, (size_t)*got, expected, error);
    if (p) {
        *got = tn_min(*got, p->size - (offset - p->offset));
        data = p->data + (offset - p->offset);
        p->lent++;
        go_on(s, offset + *got, expected);
    }
    pthread_mutex_unlock(&s->remote->lock);
    return data;
}

static void remote_give_back(struct tn_source *source, uint64_t offset,
                             size_t size)
{
    struct remote_source *s = (struct remote_source *)source;

    pthread_mutex_lock(&s->remote->lock);
    struct piece *p = find_piece(s, offset);
    p->lent--;
    pass(s, p, offset + size);
    pthread_mutex_unlock(&s->remote->lock);
}

static void remote_close(struct tn_source *source)
{
    struct remote_source *s = (struct remote_source *)source;

    pthread_mutex_lock(&s->remote->lock);
    while (s->fetches)
        end_fetch(s->fetches);
    while (s->pieces.count)
        drop_piece(s, s->pieces.count - 1);
    drop_spares(s);
    pthread_mutex_unlock(&s->remote->lock);
    tn_cache_close(s->cache);
    tn_list_done(&s->pieces);
    tn_memory_free(source->memory, s, s->block_size);
}

static const struct tn_source_ops remote_ops = { remote_read_at, remote_close };

/* A server that does not tell how long the file is tells where it ends. */
static enum tn_status find_size(struct remote_source *s, struct tn_error *error)
{
    if (s->version.size != TN_ANSWER_UNKNOWN)
        return TN_OK;
    struct fetch *f = begin_fetch(s, UINT64_MAX - TAIL_SIZE, TAIL_SIZE, error);
    if (!f)
        return error->status;
    f->is_suffix = true;
    start_fetch(f);
    TN_TRY(await(f, error));
    return s->version.size != TN_ANSWER_UNKNOWN
               ? TN_OK
               : tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER,
                                  TN_NOWHERE,
                                  "the server does not tell the size of the "
                                  "file");
}

/* The head and the end of a short file may overlap. */
static void drop_overlap(struct remote_source *s)
{
    for (uint64_t i = 1; i < s->pieces.count; i++)
        if (piece_at(s, i - 1)->offset + piece_at(s, i - 1)->size >
            piece_at(s, i)->offset) {
            drop_piece(s, i);
            i--;
        }
}

static enum tn_status open_source(struct remote_source *s,
                                  struct tn_error      *error)
{
    struct fetch *f = begin_fetch(s, 0, HEAD_SIZE, error);

    if (!f)
        return error->status;
    f->is_opening = true;
    start_fetch(f);
    TN_TRY(await(f, error));
    TN_TRY(find_size(s, error));
    drop_overlap(s);
    s->source.size = s->version.size;
    s->end         = tn_min(HEAD_SIZE, s->source.size);
    return TN_OK;
}

/* Only what a strong ETag identifies is kept on disk. */
static void open_cache(struct remote_source *s)
{
    const char *etag = s->linked[0] ? s->linked : s->version.etag;

    if (!tn_answer_is_strong(etag))
        return;
    struct tn_error own  = TN_ERROR_INIT;
    const char     *name = tn_url_is_signed(s->place)
                               ? tn_url_shown(s->place, &s->remote->arena, &own)
                               : s->place;
    /* Other stores and hubs have files of these names, too. */
    if (name && tn_place_kind_of(s->place) != TN_PLACE_WEB)
        name = tn_text_format(&s->remote->arena, &own, "%s at %s", name,
                              s->url.origin);
    if (name)
        s->cache = tn_cache_open(s->source.memory, name, etag, s->source.size);
    for (uint64_t i = 0; i < s->pieces.count; i++) {
        const struct piece *kept = piece_at(s, i);
        tn_cache_keep(s->cache, kept->offset,
                      tn_bytes(kept->data, (size_t)kept->size));
    }
}

static enum tn_status read_login(struct remote_source *s,
                                 struct tn_error      *error)
{
    enum tn_place_kind kind = tn_place_kind_of(s->place);

    return tn_login_read(kind == TN_PLACE_S3 ? &s->remote->s3 : &s->remote->hub,
                         kind, s->remote->memory, error);
}

enum tn_status tn_remote_source(struct tn_source **out,
                                struct tn_remote *remote, const char *url,
                                const char *name, bool is_trusted,
                                struct tn_error *error)
{
    struct tn_memory     *memory = remote->memory;
    uint64_t              size   = sizeof(struct remote_source);
    struct remote_source *s =
        tn_memory_resize(memory, NULL, 0, size + strlen(name) + 1, error);

    *out = NULL;
    if (!s)
        return error->status;
    *s = (struct remote_source){
        .source       = { .ops       = &remote_ops,
                          .name      = (char *)s + size,
                          .memory    = memory,
                          .is_far    = true,
                          .expect    = remote_expect,
                          .lend      = remote_lend,
                          .give_back = remote_give_back },
        .remote       = remote,
        .soonest      = UINT64_MAX,
        .is_trusted   = is_trusted,
        .version.size = TN_ANSWER_UNKNOWN,
        .block_size   = size + strlen(name) + 1,
    };
    memcpy((char *)s + size, name, strlen(name) + 1);
    tn_arena_init(&s->source.pins, memory);
    tn_list_init(&s->pieces, memory, sizeof(struct piece));
    pthread_mutex_lock(&remote->lock);
    s->place              = tn_text_dup(&remote->arena, url, error);
    enum tn_status status = s->place ? read_login(s, error) : error->status;
    if (status == TN_OK)
        status = find_place(s, error);
    s->at = s->url;
    if (status == TN_OK)
        status = open_source(s, error);
    if (status == TN_OK) /* a link that expires is found again by the commit */
        status = find_place(s, error);
    if (status == TN_OK)
        open_cache(s);
    pthread_mutex_unlock(&remote->lock);
    if (status == TN_OK)
        *out = &s->source;
    else
        tn_source_close(&s->source);
    return status;
}
