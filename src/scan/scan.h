/*
 * scan.h - looks for what could run code, in bytes of any kind
 *
 * A scan is one file and the members inside of it.  Each of the functions below
 * examines one kind of content and reports what it finds.  None of them unpacks
 * to disk, and none fails because of what a file contains: that is a finding.
 */
#ifndef TN_SCAN_H
#define TN_SCAN_H

#include <tenon/scan.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/memory.h"

/* Archives in archives. */
#define TN_SCAN_DEPTH_LIMIT 4

struct tn_scan {
    struct tn_memory      *memory;
    struct tn_error       *error; /* of the machine: memory, reading          */
    tn_on_scan_finding    *each;
    void                  *context;
    const char            *file;
    struct tn_buffer       member; /* path inside of the file                 */
    unsigned               depth;
    bool                   is_stopped;
    bool                   is_in_folder; /* files beside it are scanned, too  */
    bool                   is_thorough; /* follows values of harmless pickles */
    int                    worst; /* verdict of this file; -1: nothing found  */
    uint64_t               unpacked; /* by members of archives, so far        */
    uint64_t               most;     /* that they may unpack to, together     */
    struct tn_scan_totals *totals; /* never NULL                              */
};

void tn_scan_tell(struct tn_scan *scan, enum tn_verdict verdict,
                  const char *rule, uint64_t offset, const char *format, ...)
    TN_PRINTF(5, 6);

/* Reports an error of the content as a finding; other errors end the scan. */
void tn_scan_absorb(struct tn_scan *scan, const struct tn_error *own);

/* Whatever the bytes are; `name` is that of the file or member. */
void tn_scan_bytes(struct tn_scan *scan, struct tn_source *source,
                   struct tn_bytes name);

/* The same for a member of an archive, whose source is closed then. */
void tn_scan_member(struct tn_scan *scan, struct tn_source *source,
                    struct tn_bytes name);

/* Pickles, one after the other, from the start of the span.  False if it is not
 * a pickle; then nothing is reported. */
bool tn_scan_pickles(struct tn_scan *scan, struct tn_span span);

/* Looks for pickles of a span that have no findings: they are data, or call
 * only harmless names.  NULL after a failure. */
struct tn_scan_follower *tn_scan_follower_new(struct tn_span    span,
                                              struct tn_memory *memory,
                                              struct tn_error  *error);
void                     tn_scan_follower_free(struct tn_scan_follower *f);

/* Whether the pickle that begins at a place in the span is such a one; *length
 * is then its length.  False may also mean that this quick look cannot decide.
 */
bool tn_scan_is_harmless(struct tn_scan_follower *f, uint64_t at,
                         uint64_t *length, struct tn_error *error);

/* Whether bytes in a pickle could be a pickle again.  Shorter ones cannot name
 * anything; numbers of numpy are such bytes, and begin with any. */
#define TN_SCAN_NEST_LEAST 10
static inline bool tn_scan_could_nest(struct tn_bytes bytes)
{
    if (bytes.size < TN_SCAN_NEST_LEAST)
        return false;
    return bytes.data[0] == 0x80
               ? bytes.data[1] <= 5
               : (bytes.data[0] == 'c' || bytes.data[0] == '(') &&
                     memchr(bytes.data, '\n',
                            bytes.size < 256 ? bytes.size : 256);
}

/* Pickles with other bytes between them, wherever they begin. */
void tn_scan_pickles_anywhere(struct tn_scan *scan, struct tn_source *source);

/* Archives: their headers, and each of their members. */
void tn_scan_zip(struct tn_scan *scan, struct tn_source *source);

/* Whether the end of a zip, at that offset, is in a member which ends as a zip
 * does by itself. */
bool tn_scan_tar(struct tn_scan *scan, struct tn_source *source,
                 uint64_t zip_end);

/* Where the end record of a zip is; TN_NOWHERE: it has none. */
uint64_t tn_scan_find_zip(struct tn_scan *scan, struct tn_source *source);

/* Whether these are the first bytes of a tar, with or without its magic. */
bool tn_scan_is_tar(struct tn_bytes head);

/* How a name in a pickle is judged, by itself. */
enum tn_name_kind {
    TN_NAME_HARMLESS,
    TN_NAME_CLASS, /* of a framework: an object of it is unknown              */
    TN_NAME_MAKER, /* a function that only rebuilds objects: unknown          */
    TN_NAME_OTHER, /* nobody knows                                            */
    TN_NAME_FRAMEWORK, /* a part of one that data never needs                 */
    TN_NAME_POWER,     /* of Python itself                                    */
};
enum tn_name_kind tn_scan_judge_name(struct tn_bytes module,
                                     struct tn_bytes name);

/* Whether the name is written as that of a class, and whether a module is one
 * of Python's. */
bool tn_scan_is_class(struct tn_bytes name);
bool tn_scan_is_python(struct tn_bytes module);

/* Whether it is one of Python's own functions that reach further. */
bool tn_scan_is_function_of_python(struct tn_bytes name);

/* Configurations of Keras: JSON, in a file of its own or somewhere in HDF5. */
void tn_scan_keras(struct tn_scan *scan, struct tn_source *source);

/* A text that is what its name says: a template, a configuration. */
void tn_scan_text(struct tn_scan *scan, struct tn_source *source,
                  struct tn_bytes name);

/* A chat template: a program in Jinja's language. */
void tn_scan_template(struct tn_scan *scan, struct tn_bytes text);

/* Past spaces, tabs and ends of lines. */
const uint8_t *tn_scan_skip_blanks(const uint8_t *at, const uint8_t *end);

#endif
