/* options.h - what a caller may set; zero everywhere is a good default */
#ifndef TENON_OPTIONS_H
#define TENON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <tenon/allocator.h>
#include <tenon/progress.h>

struct tn_temporaries; /* temporaries.h */

/* Begin with `struct tn_options options = { 0 };`. */
struct tn_options {
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
    bool         is_lax; /* SDNB: shards that are missing or contradict each
                            other are taken as Deeplearning4j takes them; the
                            facts of the model say so                         */
    tn_progress *progress;    /* NULL: none                                   */
    void        *progress_context;
    struct tn_temporaries *temporaries; /* gets the names of temporary files;
                                           NULL: not wanted                   */
};

#endif
