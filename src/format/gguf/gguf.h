/* gguf.h - the parts of the format GGUF */
#ifndef TN_FORMAT_GGUF_H
#define TN_FORMAT_GGUF_H

#include "base/buffer.h"
#include "base/json_write.h"
#include "format/format.h"
#include "format/gguf/gguf_header.h"

#define TN_GGUF_SUFFIX        ".gguf"
#define TN_GGUF_KEY_ALIGNMENT "general.alignment"

/* What tn_model.detail is. */
struct tn_gguf_detail {
    struct tn_gguf_file *files; /* one, or the shards in their order          */
    uint64_t             count;
    struct tn_memory    *memory;
};

/* Pairs that say which shard a file is. */
bool tn_gguf_is_split_key(struct tn_bytes key);

/* ---- what the format does (gguf_about.c, gguf_keys.c, gguf_write.c) ------- */

void           tn_gguf_describe(const struct tn_model *model,
                                struct tn_about       *about);
enum tn_status tn_gguf_report_rest(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   bool is_bare, struct tn_error *error);
enum tn_status tn_gguf_check(struct tn_bundle      *bundle,
                             const struct tn_model *model,
                             struct tn_report *report, struct tn_error *error);
enum tn_status tn_gguf_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error);

enum tn_status tn_gguf_head(const struct tn_model *model,
                            struct tn_buffer *head, struct tn_source **file,
                            struct tn_error *error);
enum tn_status tn_gguf_dump(const struct tn_model *model, struct tn_sink *to,
                            struct tn_error *error);

/* The type that readers expect of a key; TN_GGUF_VALUE_TYPES: any. */
uint32_t tn_gguf_key_type(struct tn_bytes key);

/* ---- the files of a model ------------------------------------------------ */

/* One file, or the shards NAME-00001-of-00003.gguf. */
struct tn_gguf_files {
    struct tn_bundle *bundle;
    struct tn_report *report; /* as in tn_gguf_file_read()                    */
    struct tn_error  *error;
    bool              is_lax; /* missing shards are not an error              */
    struct tn_list    files;  /* struct tn_gguf_file                          */
};

enum tn_status tn_gguf_files_open(struct tn_gguf_files *files,
                                  struct tn_bundle     *bundle,
                                  struct tn_report *report, bool is_lax,
                                  struct tn_error *error);
void           tn_gguf_files_close(struct tn_gguf_files *files);

/* The name of a shard, number 0 the first. */
#define TN_GGUF_SHARD_FORMAT "%.*s-%05u-of-%05u" TN_GGUF_SUFFIX

/* Takes "model-00002-of-00003.gguf" apart; false if it is not such a name. */
bool tn_gguf_shard_name(const char *name, struct tn_bytes *prefix,
                        unsigned *number, unsigned *count);

/* ---- values as text ------------------------------------------------------ */

/* Any value as JSON; floats that JSON does not have are texts, "NaN" and so
 * on.  Texts are read in windows.  Bytes that are not UTF-8 are
 * replaced. */
enum tn_status tn_gguf_put_value(struct tn_json_writer     *json,
                                 const struct tn_gguf_file *file,
                                 const struct tn_gguf_pair *pair,
                                 struct tn_memory          *memory,
                                 struct tn_error           *error);

/* A value for people: arrays by type and size, with their first elements; long
 * texts cut. */
void tn_gguf_show_value(struct tn_buffer *to, const struct tn_gguf_file *file,
                        const struct tn_gguf_pair *pair,
                        struct tn_memory *memory, struct tn_error *error);

#endif
