/*
 * records.h - the format riegeli: a file of records, each a tensor of bytes
 *
 * The records of a chunk are adjacent in one source, which unpacks the chunk
 * when it is read.
 */
#ifndef TN_FORMAT_RIEGELI_RECORDS_H
#define TN_FORMAT_RIEGELI_RECORDS_H

#include "chunk/cpb.h"
#include "format/format.h"

struct tn_records;

/* Made for a file; the bundle keeps it, and with it every source below. */
enum tn_status tn_records_new(struct tn_records **out, struct tn_bundle *bundle,
                              struct tn_error *error);

const struct tn_riegeli *tn_records_file(const struct tn_records *records);

/* The records of a chunk as one source of `size` bytes. */
enum tn_status tn_records_source(struct tn_records *records, uint64_t begin,
                                 uint64_t size, struct tn_source **out,
                                 struct tn_error *error);

/* Reports everything about a chunked file that merging does not check: chunks
 * that are unused, or used twice; records that are not chunks; types; versions.
 * `type` is the message that was split, NULL if unknown; `sibling` the name of
 * a whole message beside it, NULL if there is none. */
enum tn_status tn_cpb_check(struct tn_cpb              *cpb,
                            const struct tn_pb_message *type,
                            const char *sibling, struct tn_report *report,
                            struct tn_error *error);

/* The same for chunks that could not be joined: each is also checked against
 * the type that its path leads to. */
enum tn_status tn_cpb_check_apart(struct tn_cpb              *cpb,
                                  const struct tn_pb_message *type,
                                  const char *sibling, struct tn_report *report,
                                  struct tn_error *error);

/* Every byte of a file of records: all damage, not only the first.  *records
 * are counted as long as there is none. */
enum tn_status tn_records_check(const struct tn_riegeli *file, const char *name,
                                uint64_t *records, struct tn_report *report,
                                struct tn_error *error);

#endif
