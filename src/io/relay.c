/* relay.c - writing bytes while they are read and looked at */
#include "io/relay.h"

#include <pthread.h>
#include <sched.h>

#include "base/arith.h"
#include "base/watch.h"
#include "io/workers.h"

/* Windows that stay in a core's cache while they are read, looked at and
 * written, and that end at multiples of their size in the sink, because the
 * kernel writes those fastest (io/file_sink.c); a ring of them so that neither
 * thread waits for the other after every window. */
#define WINDOW_SIZE ((size_t)256 << 10)
#define RING_SIZE   4

/* How often a thread polls before it sleeps; each time takes perhaps a
 * microsecond. */
#define SPINS 200

/* From here on a second thread pays for its start. */
#define WORTH_A_THREAD (UINT64_C(1) << 20)

struct relay {
    uint64_t at, end; /* of the sink, or of what is looked at; the
                       * bytes from `at` on are not filled in yet */
    struct tn_sink   *to;
    tn_relay_fill    *fill;
    void             *context;
    struct tn_memory *memory;
    uint8_t          *ring;
    uint64_t          ring_size; /* windows in use                 */
    size_t            sizes[RING_SIZE];
    uint64_t          filled; /* windows so far                      */
    uint64_t          written;
    bool              is_filling, is_writing, is_failed;
    pthread_mutex_t   lock; /* for all of the above                  */
    pthread_cond_t    is_changed;
};

enum task { FILL, WRITE, WAIT, REST };

static enum task next_task(const struct relay *r)
{
    bool can_fill = r->at < r->end && !r->is_filling &&
                    r->filled - r->written < r->ring_size;

    if (r->is_failed)
        return REST;
    if (!r->is_writing && r->written < r->filled)
        return WRITE;
    if (can_fill)
        return FILL;
    return r->at < r->end || r->written < r->filled || r->is_filling ? WAIT
                                                                     : REST;
}

static uint8_t *window_at(const struct relay *r, uint64_t index)
{
    return r->ring + (size_t)(index % r->ring_size) * WINDOW_SIZE;
}

/* Called with the lock held, which is released meanwhile. */
static enum tn_status fill(struct relay *r, struct tn_error *error)
{
    uint8_t *window = window_at(r, r->filled);
    size_t   size   = WINDOW_SIZE - (size_t)(r->at % WINDOW_SIZE);

    size          = tn_min_size(r->end - r->at, size);
    r->is_filling = true;
    pthread_mutex_unlock(&r->lock);
    enum tn_status status = r->fill(r->context, window, size, error);
    pthread_mutex_lock(&r->lock);
    r->sizes[r->filled % r->ring_size] = size;
    r->is_filling                      = false;
    r->filled++;
    r->at += size;
    return status;
}

static enum tn_status write_window(struct relay *r, struct tn_error *error)
{
    struct tn_bytes window =
        tn_bytes(window_at(r, r->written), r->sizes[r->written % r->ring_size]);
    enum tn_status status = TN_OK;

    r->is_writing = true;
    pthread_mutex_unlock(&r->lock);
    if (r->to)
        status = tn_sink_write(r->to, window, error);
    pthread_mutex_lock(&r->lock);
    r->is_writing = false;
    r->written++;
    return status;
}

/* Polls first: the other thread seldom takes longer than one window, and on an
 * idle virtual machine sleeping and being woken takes as long as that.  Called
 * with the lock held. */
static bool is_soon(struct relay *r)
{
    for (int i = 0; i < SPINS && next_task(r) == WAIT; i++) {
        pthread_mutex_unlock(&r->lock);
        sched_yield();
        pthread_mutex_lock(&r->lock);
    }
    return next_task(r) != WAIT;
}

static enum tn_status work(void *context, uint64_t index,
                           struct tn_error *error)
{
    struct relay  *r      = context;
    enum tn_status status = TN_OK;

    (void)index;
    pthread_mutex_lock(&r->lock);
    for (enum task task; (task = next_task(r)) != REST && status == TN_OK;) {
        if (task == WAIT) {
            if (!is_soon(r))
                tn_watch_wait(r->memory, &r->is_changed, &r->lock);
            continue;
        }
        status = task == FILL ? fill(r, error) : write_window(r, error);
        r->is_failed |= status != TN_OK;
        pthread_cond_broadcast(&r->is_changed);
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

enum tn_status tn_relay(uint64_t length, struct tn_sink *to,
                        tn_relay_fill *fill_window, void *context,
                        struct tn_memory *memory, struct tn_error *error)
{
    unsigned     crew  = to && length >= WORTH_A_THREAD ? 2 : 1;
    uint64_t     begin = to ? to->offset : 0;
    struct relay r     = { .at         = begin,
                           .end        = begin + length,
                           .to         = to,
                           .fill       = fill_window,
                           .context    = context,
                           .memory     = memory,
                           .lock       = PTHREAD_MUTEX_INITIALIZER,
                           .is_changed = PTHREAD_COND_INITIALIZER };

    r.ring_size   = crew > 1 ? RING_SIZE : 1;
    uint64_t room = r.ring_size * WINDOW_SIZE;
    r.ring        = tn_memory_resize(memory, NULL, 0, room, error);
    if (!r.ring)
        return error->status;
    enum tn_status status = to ? tn_sink_expect(to, length, error) : TN_OK;
    if (status == TN_OK)
        status = tn_workers_run(crew, crew, work, &r, error);
    tn_memory_free(memory, r.ring, room);
    pthread_cond_destroy(&r.is_changed);
    pthread_mutex_destroy(&r.lock);
    return status;
}
