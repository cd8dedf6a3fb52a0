/* scan_testing.h - what a scan of some bytes tells, as text */
#ifndef TN_SCAN_TESTING_H
#define TN_SCAN_TESTING_H

#include <stdio.h>

#include "scan/scan.h"
#include "wire/zip/zip_write.h"

struct scan_story {
    char text[1024]; /* "dangerous pickle-call MEMBER OFFSET;" for each       */
};

static inline int scan_write_down(void                         *context,
                                  const struct tn_scan_finding *f)
{
    struct scan_story *story = context;
    size_t             used  = strlen(story->text);

    snprintf(story->text + used, sizeof story->text - used, "%s %s %s %d;",
             tn_verdict_name(f->verdict), f->rule, f->member,
             f->offset == TN_NOWHERE ? -1 : (int)f->offset);
    return 0;
}

/* Scans a file of that name; the status is that of the machine. */
static inline enum tn_status scan_the_source(struct tn_source  *source,
                                             const char        *name,
                                             struct tn_memory  *memory,
                                             struct scan_story *story,
                                             struct tn_error   *error)
{
    struct tn_scan_totals totals = { 0 };
    struct tn_scan        scan   = { .memory  = memory,
                                   .error   = error,
                                   .each    = scan_write_down,
                                   .context = story,
                                   .file    = name,
                                   .worst   = -1,
                                   .totals  = &totals };

    story->text[0] = 0;
    tn_buffer_init(&scan.member, memory, error);
    tn_scan_bytes(&scan, source, tn_text(name));
    tn_buffer_done(&scan.member);
    return error->status;
}

static inline enum tn_status scan_the_bytes(struct tn_bytes    bytes,
                                            const char        *name,
                                            struct tn_memory  *memory,
                                            struct scan_story *story,
                                            struct tn_error   *error)
{
    struct tn_source source;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    return scan_the_source(&source, name, memory, story, error);
}

#endif
