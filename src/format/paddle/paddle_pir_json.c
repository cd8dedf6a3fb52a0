/*
 * paddle_pir_json.c - JSON in memory, and as Paddle prints it
 *
 * Numbers: of all decimal forms that read back to the same double the shortest,
 * 0.d1d2... * 10^n, in plain notation for -4 < n <= 15 (with ".0" when it is
 * whole), else d.ddde-06 with two digits of exponent or more.
 */
#include "format/paddle/paddle_pir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/byte_find.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"

#define KEY_LIMIT 256

/* Brackets inside brackets: what is read is walked by functions that call
 * themselves, on a small stack. */
#define DEPTH_LIMIT 200

/* ---- reading ------------------------------------------------------------ */

/* A tree under construction: where its next child goes. */
struct open_tree {
    struct tn_tree        *tree;
    const struct tn_tree **link;
};

static bool is_bracket(enum tn_json_event event)
{
    return event == TN_JSON_OBJECT_BEGIN || event == TN_JSON_ARRAY_BEGIN;
}

static void check_key(const struct tn_tree *object, struct tn_bytes key,
                      struct tn_json_reader *reader)
{
    if (object->count >= KEY_LIMIT) {
        tn_fail_at(reader->cursor, reader->offset, TN_LIMIT,
                   "an object of more than %d keys", KEY_LIMIT);
        return;
    }
    for (const struct tn_tree *c = object->first; c; c = c->next)
        if (tn_bytes_equal(c->key, key))
            tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                       "the key \"%.*s\" is here twice", TN_FMT(key));
}

static struct tn_tree *new_tree(struct open_tree *parent, struct tn_bytes key,
                                enum tn_json_event     event,
                                struct tn_json_reader *reader,
                                struct tn_arena       *arena)
{
    struct tn_error *error = reader->cursor->error;
    struct tn_tree  *tree  = tn_new(arena, struct tn_tree, 1, error);

    if (!tree)
        return NULL;
    tree->kind   = (uint8_t)event;
    tree->offset = reader->offset;
    tree->key    = key;
    if (event == TN_JSON_STRING || event == TN_JSON_NUMBER)
        tree->text = tn_bytes_dup(arena, reader->text, error);
    if (parent) {
        *parent->link = tree;
        parent->link  = &tree->next;
        parent->tree->count++;
    }
    return tree;
}

/* All of it, with a stack of the brackets that are open. */
static const struct tn_tree *read_all(struct tn_json_reader *reader,
                                      struct tn_list        *stack,
                                      struct tn_arena       *arena)
{
    struct tn_error      *error = reader->cursor->error;
    const struct tn_tree *root  = NULL;
    struct tn_bytes       key   = { NULL, 0 };
    enum tn_json_event    event;

    while ((event = tn_json_next(reader)) != TN_JSON_END) {
        struct open_tree *top =
            stack->count ? tn_list_at(stack, struct open_tree, stack->count - 1)
                         : NULL;
        if (event == TN_JSON_OBJECT_END || event == TN_JSON_ARRAY_END) {
            stack->count--;
            continue;
        }
        if (event == TN_JSON_KEY) {
            key = tn_bytes_dup(arena, reader->text, error);
            check_key(top->tree, key, reader);
            continue;
        }
        struct tn_tree *tree = new_tree(top, key, event, reader, arena);
        key                  = tn_bytes(NULL, 0);
        root                 = root ? root : tree;
        top                  = NULL;
        if (tree && is_bracket(event))
            top = tn_list_push(stack, struct open_tree, error);
        if (top)
            *top = (struct open_tree){ tree, &tree->first };
        if (stack->count > DEPTH_LIMIT)
            tn_fail_at(reader->cursor, reader->offset, TN_LIMIT,
                       "brackets more than %d deep", DEPTH_LIMIT);
        if (tn_failed(error))
            return NULL;
    }
    return tn_failed(error) ? NULL : root;
}

const struct tn_tree *tn_tree_read(struct tn_cursor *c, struct tn_arena *arena)
{
    struct tn_json_reader reader;
    struct tn_list        stack;

    tn_list_init(&stack, arena->memory, sizeof(struct open_tree));
    tn_json_open(&reader, c, arena->memory);
    const struct tn_tree *root = read_all(&reader, &stack, arena);
    tn_json_close(&reader);
    tn_list_done(&stack);
    return root;
}

const struct tn_tree *tn_tree_member(const struct tn_tree *tree,
                                     const char           *key)
{
    if (!tree || tree->kind != TN_JSON_OBJECT_BEGIN)
        return NULL;
    for (const struct tn_tree *c = tree->first; c; c = c->next)
        if (tn_bytes_is(c->key, key))
            return c;
    return NULL;
}

const struct tn_tree *tn_tree_item(const struct tn_tree *tree, uint32_t index)
{
    if (!tn_tree_is_list(tree))
        return NULL;
    const struct tn_tree *c = tree->first;
    while (c && index--)
        c = c->next;
    return c;
}

bool tn_tree_int(const struct tn_tree *tree, int64_t *value)
{
    return tree && tree->kind == TN_JSON_NUMBER &&
           tn_int64_parse(tree->text, value);
}

/* ---- writing ------------------------------------------------------------ */

void tn_pir_put_int(struct tn_buffer *to, int64_t value)
{
    tn_buffer_format(to, "%" PRId64, value);
}

/* The digits of the shortest form that reads back; *exponent is n. */
static int shortest(double value, char digits[20], int *exponent)
{
    char text[40], plain[40];
    int  count = 0;

    for (int precision = 0; precision <= 16; precision++) {
        double back;
        int    size = snprintf(text, sizeof text, "%.*e", precision, value);
        int    at   = 0;
        count       = 0;
        /* The locale may have its own point. */
        for (; at < size && text[at] != 'e'; at++)
            if (text[at] >= '0' && text[at] <= '9')
                digits[count++] = text[at];
        snprintf(plain, sizeof plain, "0.%.*se%+d", count, digits,
                 (*exponent = atoi(text + at + 1) + 1));
        if (tn_double_parse(tn_text(plain), &back) && back == value)
            break;
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static void put_fixed(struct tn_buffer *to, const char *digits, int count,
                      int n)
{
    if (n <= 0) {
        tn_buffer_format(to, "0.%.*s%.*s", -n, "0000", count, digits);
    } else if (n >= count) {
        tn_buffer_format(to, "%.*s%.*s.0", count, digits, n - count,
                         "000000000000000");
    } else {
        tn_buffer_format(to, "%.*s.%.*s", n, digits, count - n, digits + n);
    }
}

void tn_pir_put_double(struct tn_buffer *to, double value)
{
    char digits[20];
    int  n;

    if (!isfinite(value)) { /* JSON has no word for it */
        tn_buffer_text(to, "null");
        return;
    }
    if (signbit(value))
        tn_buffer_byte(to, '-');
    if (value == 0) {
        tn_buffer_text(to, "0.0");
        return;
    }
    int count = shortest(fabs(value), digits, &n);
    if (n > -4 && n <= 15)
        put_fixed(to, digits, count, n);
    else
        tn_buffer_format(to, "%c%s%.*se%c%02d", digits[0], count > 1 ? "." : "",
                         count - 1, digits + 1, n > 0 ? '+' : '-', abs(n - 1));
}

/* Bytes that are no UTF-8 (names of old programs are just bytes) are written
 * as U+FFFD: JSON could not hold them. */
void tn_pir_put_string(struct tn_buffer *to, struct tn_bytes text)
{
    const uint8_t *at = text.data, *end = at + text.size;
    char           escape[TN_JSON_ESCAPE];

    tn_buffer_byte(to, '"');
    while (text.size && at < end) {
        unsigned size = tn_utf8_check(at, end);
        if (size == 0)
            tn_buffer_text(to, "\xef\xbf\xbd");
        else if (*at == '"' || *at == '\\' ||
                 tn_utf8_is_harmful(tn_utf8_code(at, size)))
            tn_buffer_add(
                to, tn_bytes(escape,
                             tn_json_escape(escape, tn_utf8_code(at, size))));
        else
            tn_buffer_add(to, tn_bytes(at, size));
        at += size ? size : 1;
    }
    tn_buffer_byte(to, '"');
}

static void put_number(struct tn_buffer *to, struct tn_bytes text)
{
    int64_t  whole;
    uint64_t large;
    double   real;
    bool     is_real = tn_bytes_find(text, '.') || tn_bytes_find(text, 'e') ||
                   tn_bytes_find(text, 'E');

    if (!is_real && tn_int64_parse(text, &whole))
        tn_pir_put_int(to, whole);
    else if (!is_real && tn_uint64_parse(text, &large))
        tn_buffer_format(to, "%" PRIu64, large);
    else if (tn_double_parse(text, &real) && real - real == 0)
        tn_pir_put_double(to, real);
    else /* past what a double holds: as it was */
        tn_buffer_add(to, text);
}

/* The member after `last` in the order of keys.  Objects are small. */
static const struct tn_tree *next_key(const struct tn_tree *object,
                                      const struct tn_tree *last)
{
    const struct tn_tree *best = NULL;

    for (const struct tn_tree *c = object->first; c; c = c->next)
        if ((!last || tn_bytes_compare(c->key, last->key) > 0) &&
            (!best || tn_bytes_compare(c->key, best->key) < 0))
            best = c;
    return best;
}

static void put_object(struct tn_buffer *to, const struct tn_tree *tree)
{
    const struct tn_tree *last = NULL;

    tn_buffer_byte(to, '{');
    for (const struct tn_tree *c = next_key(tree, NULL); c;
         c                       = next_key(tree, c)) {
        if (last)
            tn_buffer_byte(to, ',');
        tn_pir_put_string(to, c->key);
        tn_buffer_byte(to, ':');
        tn_tree_put(to, c);
        last = c;
    }
    tn_buffer_byte(to, '}');
}

static void put_list(struct tn_buffer *to, const struct tn_tree *tree)
{
    tn_buffer_byte(to, '[');
    for (const struct tn_tree *c = tree->first; c; c = c->next) {
        if (c != tree->first)
            tn_buffer_byte(to, ',');
        tn_tree_put(to, c);
    }
    tn_buffer_byte(to, ']');
}

/* As deep as the reader lets trees be: DEPTH_LIMIT. */
void tn_tree_put(struct tn_buffer *to, const struct tn_tree *tree)
{
    switch (tree->kind) {
    case TN_JSON_OBJECT_BEGIN: put_object(to, tree); break;
    case TN_JSON_ARRAY_BEGIN: put_list(to, tree); break;
    case TN_JSON_STRING: tn_pir_put_string(to, tree->text); break;
    case TN_JSON_NUMBER: put_number(to, tree->text); break;
    case TN_JSON_TRUE: tn_buffer_text(to, "true"); break;
    case TN_JSON_FALSE: tn_buffer_text(to, "false"); break;
    default: tn_buffer_text(to, "null"); break;
    }
}
