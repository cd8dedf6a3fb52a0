/* file_source.h - sources over files, callbacks and standard input */
#ifndef TN_IO_FILE_SOURCE_H
#define TN_IO_FILE_SOURCE_H

#include "base/source.h"

/* A regular file by descriptor, which the source takes over (also on failure).
 * Mapped read-only unless `is_mapped` is false.  Large sequential reads of the
 * source use read calls, not page faults. */
enum tn_status tn_source_file(struct tn_source **source,
                              struct tn_memory *memory, int descriptor,
                              const char *name, bool is_mapped,
                              struct tn_error *error);

/* A source that the library's user implements: public tn_read_at.  `read_at`
 * copies exactly `size` bytes and returns 0, or fails with an errno number. */
enum tn_status tn_source_callback(
    struct tn_source **source, struct tn_memory *memory, uint64_t size,
    int (*read_at)(void *context, uint64_t offset, void *to, size_t size),
    void *context, const char *name, struct tn_error *error);

/* Everything a descriptor yields until its end, spooled to an unlinked
 * temporary file ($TMPDIR or /tmp): for pipes, which cannot seek.  The
 * descriptor stays the caller's. */
enum tn_status tn_source_spool(struct tn_source **source,
                               struct tn_memory *memory, int descriptor,
                               const char *name, struct tn_error *error);

/* A new file without a name in $TMPDIR or /tmp, open for both; *folder is for
 * messages. */
enum tn_status tn_unnamed_file(int *file, const char **folder,
                               struct tn_error *error);

/* Writes all of it, in as many calls as it takes; 0 or an errno. */
int tn_write_all(int file, const uint8_t *from, size_t size);

/* Reads a few bytes far from others that are needed, such as headers between
 * weights.  Like tn_source_read(), but by a read call where that is cheaper
 * than the page fault of a mapping. */
enum tn_status tn_source_read_few(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size,
                                  struct tn_error *error);

/* From now on a mapped file is read in small windows, as if it were not mapped:
 * a walk that hops over weights touches a page for each of them, and a page
 * fault costs as much as ten short reads.  The mapping is used again when much
 * has been read, when a long piece is asked for, or after tn_source_map();
 * until then one thread alone may use the source.  False if it is not a mapped
 * file. */
bool tn_source_hop(struct tn_source *source);

/* The descriptor behind a source, for calls of the kernel that copy; -1 if there is none. */
int tn_source_descriptor(const struct tn_source *source);

/* Whether another process holds the writer's lock (append.h) on the file behind
 * a source, or has changed its length since it was opened.  Not for the
 * writer's own source. */
bool tn_source_is_growing(const struct tn_source *source);

/* Announces that part of a mapping will not be used soon: its pages are
 * released, and mapped again when they are read.  Closing a mapping takes 5 ms
 * for every 100 MB that were read; threads that are done with their parts share
 * that cost.  Does nothing to other sources. */
void tn_source_release_pages(const struct tn_source *source, uint64_t offset,
                             uint64_t length);

/*
 * A second mapping of a file, which may be written to: what is written changes
 * these bytes in this process, never the file, and never what the source reads.
 * It is made once and shared; it stays as long as somebody holds it, also after
 * the source is closed.
 */
struct tn_private_map;

/* Yours to drop.  NULL if the source is not a mapped file, or if the system
 * refuses. */
struct tn_private_map *tn_source_map_private(struct tn_source *source);
uint8_t               *tn_private_map_bytes(const struct tn_private_map *map);
void                   tn_private_map_hold(struct tn_private_map *map);
void                   tn_private_map_drop(struct tn_private_map *map);

/* Closes the descriptor of a mapped source and keeps the mapping, so that a
 * model of three thousand files does not need three thousand descriptors.
 * Later reads use the mapping.  Does nothing to other sources. */
void tn_source_close_file(struct tn_source *source);

#endif
