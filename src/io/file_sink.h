/*
 * file_sink.h - sinks over the files of an output
 *
 * An output may have thousands of files and is written by one thread.  So its
 * files share a pool with a few slots: a slot is a descriptor and a buffer.  A
 * file that is written to gets a slot; if none is free, the one that was not
 * written to for the longest time gives up its own: its buffer is flushed and
 * the file closed until it is written to again.
 *
 * Every step that changes the disk passes the pool's hook.  The pool keeps the
 * first failure: an output that failed once cannot be committed.
 */
#ifndef TN_IO_FILE_SINK_H
#define TN_IO_FILE_SINK_H

#include <pthread.h>

#include "io/output.h"

#define TN_FILE_SLOT_COUNT 4

struct tn_file_sink;

struct tn_file_slot {
    struct tn_file_sink *holder; /* NULL: free                               */
    uint8_t             *buffer;
    size_t               filled;
    int                  descriptor;
    uint64_t             last_used;
};

struct tn_file_pool {
    struct tn_memory           *memory;
    const struct tn_fault_hook *hook;   /* NULL: none                        */
    int                         folder; /* names are relative to it          */
    bool                        is_dry; /* bytes are counted, not written    */
    tn_write                   *write; /* where the bytes of a stream go; NULL:
                                          to its descriptor                  */
    void                       *write_context;
    uint64_t                    max_expand; /* of all sinks; 0: no limit     */
    uint64_t                    taken;      /* bytes, by all sinks           */
    uint64_t                    clock; /* counts turns                      */
    struct tn_file_slot         slots[TN_FILE_SLOT_COUNT];
    struct tn_error             failure;
    pthread_mutex_t             lock; /* of hook and failure, where threads
                                         place bytes                         */
};

struct tn_file_sink {
    struct tn_sink       sink;
    struct tn_file_pool *pool;
    struct tn_file_slot *slot;  /* NULL: closed until it is written to again  */
    const char          *name;  /* what it is called until the commit         */
    const char          *title; /* for messages; NULL: its name               */
    uint64_t origin;            /* where the first byte went                  */
    uint64_t position;          /* where the buffer's first byte will go      */
    uint64_t reach;             /* end of what is on disk; a hole follows     */
    bool     is_stream;         /* cannot seek: no holes, no overwriting      */
};

void tn_file_pool_init(struct tn_file_pool *pool, struct tn_memory *memory,
                       int folder, const struct tn_fault_hook *hook);

/* Closes what is open and frees the buffers; what is in them is lost. */
void tn_file_pool_done(struct tn_file_pool *pool);

/* Asks the hook before a step: 0, or the errno to fail with. */
int tn_file_pool_step(struct tn_file_pool *pool, const char *step,
                      const char *name);

/* Flushes all buffers. */
enum tn_status tn_file_pool_flush(struct tn_file_pool *pool,
                                  struct tn_error     *error);

/* A sink over a new file; takes ownership of the descriptor, also on failure.
 * The name is borrowed. */
enum tn_status tn_file_sink_init(struct tn_file_sink *sink,
                                 struct tn_file_pool *pool, const char *name,
                                 int descriptor, bool is_stream,
                                 struct tn_error *error);

/* Flushes everything, sets the full length and closes; syncs if durable. */
enum tn_status tn_file_sink_finish(struct tn_file_sink *sink, bool is_durable,
                                   struct tn_error *error);

#endif
