/*
 * options.h - what a caller may set; zero everywhere is a good default
 *
 * Structs of options grow at their end.  Each begins with its size as the
 * caller knows it: `struct tn_options options = TN_OPTIONS_INIT;` sets it, and
 * fields that a newer library has beyond it are zero.  A size of 0, as in
 * `{ 0 }`, is that of the first version that was published.  A library that is
 * older than the caller's headers takes the larger struct if what it does not
 * know is zero, and refuses it as UNSUPPORTED otherwise.
 */
#ifndef TENON_OPTIONS_H
#define TENON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenon/allocator.h>
#include <tenon/progress.h>

struct tn_temporaries; /* temporaries.h */

#if defined(__cplusplus)
#define TN_SIZED_INIT(type)                                                    \
    {                                                                          \
        sizeof(type)                                                           \
    }
#else
#define TN_SIZED_INIT(type)                                                    \
    {                                                                          \
        .size = sizeof(type)                                                   \
    }
#endif

/* An option of a format: formats.h lists which there are. */
struct tn_setting {
    const char *name;
    const char *value; /* as text; NULL for a flag that is set                */
};

struct tn_options {
    size_t                     size;      /* see above                       */
    const struct tn_allocator *allocator; /* NULL: malloc                    */
    uint64_t     max_memory;  /* bytes; 0: no limit                           */
    uint64_t     max_expand;  /* bytes that a file may expand to, in what is
                                 written or hashed of it: a constant that fills
                                 a tensor, packed data.  LIMIT beyond.  0: 1 GiB,
                                 and 1024 for each byte of its files          */
    unsigned     workers;     /* threads for bulk work; 0: one per core       */
    const char  *from;        /* name of the format; NULL: seen from the bytes */
    const char  *tag;         /* of a container of several; NULL: the newest  */
    bool         keep_unmapped; /* read files instead of mapping them         */
    bool         wants_graph; /* fill in ops and values too: graph.h          */
    /* Options for reading, of any format: those of others than the one that is
     * read have no effect. */
    const struct tn_setting *settings;
    uint32_t                 setting_count;
    tn_progress *progress;    /* NULL: none                                   */
    void        *progress_context;
    struct tn_temporaries *temporaries; /* gets the names of temporary files;
                                           NULL: not wanted                   */
};
#define TN_OPTIONS_INIT TN_SIZED_INIT(struct tn_options)

#endif
