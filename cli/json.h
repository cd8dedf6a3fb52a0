/*
 * json.h - JSON on standard output
 *
 * Every document is an object that begins with
 *   "tenon": {"schema": "tenon.ls/1", "version": "0.2.0"}.
 * The number after the slash changes when the meaning of a member changes or a
 * member is removed; members may be added without notice.  docs/json.md
 * describes all schemas.
 *
 * Objects and arrays are open (one member per line) or flat (all on one line).
 * A record such as a tensor is flat, so that line-based tools such as grep work
 * too.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <tenon/bytes.h>

struct cli_json {
    unsigned depth;
    unsigned flat_depth; /* the depth of the outermost flat one; 0: none      */
    bool     has_items;  /* in the object or array that is open now           */
    bool     has_key;    /* a key waits for its value                        */
};

void cli_json_begin(struct cli_json *json, const char *schema);
void cli_json_end(struct cli_json *json);

/* A document that holds one list. */
void cli_json_begin_list(struct cli_json *json, const char *schema,
                         const char *key);
void cli_json_end_list(struct cli_json *json);

void cli_json_key(struct cli_json *json, const char *key);
void cli_json_open(struct cli_json *json, char bracket);      /* { or [ */
void cli_json_open_flat(struct cli_json *json, char bracket); /* { or [ */
void cli_json_close(struct cli_json *json, char bracket);     /* } or ] */

void cli_json_bytes(struct cli_json *json, struct tn_bytes text);
void cli_json_string(struct cli_json *json, const char *text);
void cli_json_number(struct cli_json *json, uint64_t number);
void cli_json_bool(struct cli_json *json, bool value);
void cli_json_null(struct cli_json *json);
/* A number that is given as text. */
void cli_json_literal(struct cli_json *json, struct tn_bytes number);

/* A key and its value. */
void cli_json_put_bytes(struct cli_json *json, const char *key,
                        struct tn_bytes text);
void cli_json_put_string(struct cli_json *json, const char *key,
                         const char *text);
void cli_json_put_number(struct cli_json *json, const char *key,
                         uint64_t number);
void cli_json_put_bool(struct cli_json *json, const char *key, bool value);

/* An offset in a file; null for TN_NOWHERE. */
void cli_json_put_offset(struct cli_json *json, const char *key,
                         uint64_t offset);

#endif
