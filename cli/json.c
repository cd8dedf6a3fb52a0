/* json.c - JSON on standard output */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tenon/status.h>
#include <tenon/verbs.h>

#include "text.h"
#include "unicode.h"

static bool is_flat(const struct cli_json *json)
{
    return json->flat_depth != 0;
}

static void new_line(const struct cli_json *json)
{
    printf("\n%*s", (int)(json->depth * 2), "");
}

/* What is between the last thing and the next one. */
static void separate(struct cli_json *json)
{
    if (json->has_key) {
        json->has_key = false;
        return;
    }
    if (json->has_items)
        fputs(is_flat(json) ? ", " : ",", stdout);
    if (!is_flat(json) && json->depth > 0)
        new_line(json);
    json->has_items = true;
}

static void open_bracket(struct cli_json *json, char bracket, bool wants_flat)
{
    separate(json);
    putchar(bracket);
    json->depth++;
    json->has_items = false;
    if (wants_flat && !is_flat(json))
        json->flat_depth = json->depth;
}

void cli_json_open(struct cli_json *json, char bracket)
{
    open_bracket(json, bracket, false);
}

void cli_json_open_flat(struct cli_json *json, char bracket)
{
    open_bracket(json, bracket, true);
}

void cli_json_close(struct cli_json *json, char bracket)
{
    bool was_flat = is_flat(json);

    if (json->flat_depth == json->depth)
        json->flat_depth = 0;
    json->depth--;
    if (!was_flat && json->has_items)
        new_line(json);
    putchar(bracket);
    json->has_items = true;
}

static void print_point(uint32_t point)
{
    switch (point) {
    case '"': fputs("\\\"", stdout); break;
    case '\\': fputs("\\\\", stdout); break;
    case '\n': fputs("\\n", stdout); break;
    case '\r': fputs("\\r", stdout); break;
    case '\t': fputs("\\t", stdout); break;
    default:
        if (point > 0xffff)
            printf("\\u%04" PRIx32 "\\u%04" PRIx32,
                   0xd800 + ((point - 0x10000) >> 10),
                   0xdc00 + ((point - 0x10000) & 0x3ff));
        else
            printf("\\u%04" PRIx32, point);
    }
}

/* What is no UTF-8 becomes U+FFFD; what could steer a terminal is escaped. */
void cli_json_bytes(struct cli_json *json, struct tn_bytes text)
{
    separate(json);
    putchar('"');
    for (size_t i = 0; i < text.size;) {
        size_t run = cli_safe_prefix(text.data + i, text.size - i, '"');

        if (run > 0)
            fwrite(text.data + i, 1, run, stdout);
        i += run;
        if (i < text.size) {
            uint32_t point  = 0xfffd;
            size_t   length = cli_utf8(text.data + i, text.size - i, &point);
            print_point(point);
            i += length > 0 ? length : 1;
        }
    }
    putchar('"');
}

void cli_json_key(struct cli_json *json, const char *key)
{
    cli_json_string(json, key);
    fputs(": ", stdout);
    json->has_key = true;
}

void cli_json_string(struct cli_json *json, const char *text)
{
    cli_json_bytes(json, cli_bytes(text));
}

void cli_json_number(struct cli_json *json, uint64_t number)
{
    separate(json);
    printf("%" PRIu64, number);
}

void cli_json_literal(struct cli_json *json, struct tn_bytes number)
{
    separate(json);
    fwrite(number.data, 1, number.size, stdout);
}

void cli_json_bool(struct cli_json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", stdout);
}

void cli_json_null(struct cli_json *json)
{
    separate(json);
    fputs("null", stdout);
}

void cli_json_put_bytes(struct cli_json *json, const char *key,
                        struct tn_bytes text)
{
    cli_json_key(json, key);
    cli_json_bytes(json, text);
}

void cli_json_put_string(struct cli_json *json, const char *key,
                         const char *text)
{
    cli_json_put_bytes(json, key, cli_bytes(text));
}

void cli_json_put_number(struct cli_json *json, const char *key,
                         uint64_t number)
{
    cli_json_key(json, key);
    cli_json_number(json, number);
}

void cli_json_put_bool(struct cli_json *json, const char *key, bool value)
{
    cli_json_key(json, key);
    cli_json_bool(json, value);
}

void cli_json_put_offset(struct cli_json *json, const char *key,
                         uint64_t offset)
{
    cli_json_key(json, key);
    if (offset == TN_NOWHERE)
        cli_json_null(json);
    else
        cli_json_number(json, offset);
}

void cli_json_begin(struct cli_json *json, const char *schema)
{
    *json = (struct cli_json){ 0 };
    cli_json_open(json, '{');
    cli_json_key(json, "tenon");
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "schema", schema);
    cli_json_put_string(json, "version", tn_version());
    cli_json_close(json, '}');
}

void cli_json_end(struct cli_json *json)
{
    cli_json_close(json, '}');
    putchar('\n');
}

void cli_json_begin_list(struct cli_json *json, const char *schema,
                         const char *key)
{
    cli_json_begin(json, schema);
    cli_json_key(json, key);
    cli_json_open(json, '[');
}

void cli_json_end_list(struct cli_json *json)
{
    cli_json_close(json, ']');
    cli_json_end(json);
}
