/*
 * options.h - what a caller may set; all zeros are good defaults
 *
 * Structs of options grow at their end.  Each begins with its size as the
 * caller knows it: `struct tn_options options = TN_OPTIONS_INIT;` sets it, and
 * fields of a newer library beyond it are zero.  A size of 0, as in `{ 0 }`,
 * means the first published version.  A library that is older than the
 * caller's headers accepts the larger struct if the fields that it does not
 * know are zero, and refuses it as UNSUPPORTED otherwise.
 */
#ifndef TENON_OPTIONS_H
#define TENON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenon/allocator.h>
#include <tenon/progress.h>

struct tn_temporaries;    /* temporaries.h */
struct tn_remote_options; /* remote.h */

#if defined(__cplusplus)
template <typename type> inline type tn_sized_init()
{
    type options = type();
    options.size = sizeof(type);
    return options;
}
#define TN_SIZED_INIT(type) tn_sized_init<type>()
#else
#define TN_SIZED_INIT(type)                                                    \
    {                                                                          \
        .size = sizeof(type)                                                   \
    }
#endif

/* An option of a format; formats.h lists them. */
struct tn_setting {
    const char *name;
    const char *value; /* as text; NULL for a flag that is set                */
};

struct tn_options {
    size_t                     size;      /* see above                       */
    const struct tn_allocator *allocator; /* NULL: malloc                    */
    uint64_t     max_memory;  /* bytes; 0: no limit                           */
    uint64_t     max_expand;  /* bytes that a file may expand to when it is
                                 written or hashed (a constant that fills a
                                 tensor, compressed data); LIMIT beyond that.
                                 0: 1 GiB, plus 1024 per byte of its files    */
    unsigned     workers;     /* threads for bulk work; 0: one per core       */
    const char  *from;        /* name of the format; NULL: detect it          */
    const char  *tag;         /* version in a container; NULL: the newest     */
    bool         keep_unmapped; /* read files instead of mapping them         */
    bool         wants_graph; /* fill in ops and values too: graph.h          */
    /* Options for reading.  Those of formats other than the one that is read
     * have no effect. */
    const struct tn_setting *settings;
    uint32_t                 setting_count;
    tn_progress *progress;    /* NULL: none                                   */
    void        *progress_context;
    struct tn_temporaries *temporaries; /* gets the names of temporary files;
                                           NULL: not wanted                   */
    const struct tn_remote_options *remote; /* for URLs: remote.h; NULL: all
                                               zeros                          */
};
#define TN_OPTIONS_INIT TN_SIZED_INIT(struct tn_options)

#endif
