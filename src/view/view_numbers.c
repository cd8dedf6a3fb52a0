/* view_numbers.c - a number for each node, from JSON or TSV */
#include "view/view_numbers.h"

#include <inttypes.h>
#include <math.h>

#include "base/json_read.h"
#include "base/number.h"

struct table {
    struct tn_picture *picture;
    struct tn_error   *error;
    struct tn_intern   names;
    struct tn_list     numbers; /* double, by name                            */
    struct tn_bytes    label;
};

static void add_number(struct table *t, struct tn_bytes name, double number)
{
    uint32_t id = tn_intern_copy(&t->names, name, t->error);

    if (id == TN_NO_NAME)
        return;
    if (id == t->numbers.count)
        tn_list_push(&t->numbers, double, t->error);
    if (!tn_failed(t->error))
        *tn_list_at(&t->numbers, double, id) += number;
}

/* ---- TSV ---------------------------------------------------------------- */

static struct tn_bytes trim(struct tn_bytes text)
{
    while (text.size && (text.data[text.size - 1] == '\r' ||
                         text.data[text.size - 1] == ' '))
        text.size--;
    while (text.size && text.data[0] == ' ')
        text = tn_bytes(text.data + 1, text.size - 1);
    return text;
}

static void read_line(struct table *t, struct tn_bytes line, uint64_t number,
                      uint64_t offset)
{
    const uint8_t *tab = tn_bytes_find(line, '\t');
    double         value;

    if (!trim(line).size || line.data[0] == '#')
        return;
    if (!tab) {
        tn_error_set(t->error, TN_MALFORMED, offset,
                     "line %" PRIu64 ": no tab between a name and a number",
                     number);
        return;
    }
    struct tn_bytes name = tn_bytes(line.data, (size_t)(tab - line.data));
    struct tn_bytes rest = tn_bytes(tab + 1, line.size - name.size - 1);
    const uint8_t  *more = tn_bytes_find(rest, '\t');
    if (more)
        rest.size = (size_t)(more - rest.data);
    rest = trim(rest);
    if (tn_double_parse(rest, &value) && isfinite(value))
        add_number(t, name, value);
    else if (number == 1)
        t->label = rest;
    else
        tn_error_set(
            t->error, TN_MALFORMED, offset,
            "line %" PRIu64 ": '%.*s' is not a number", number,
            TN_FMT(tn_bytes(rest.data, rest.size > 40 ? 40 : rest.size)));
}

static void read_lines(struct table *t, struct tn_bytes text)
{
    uint64_t number = 0, offset = 0;

    while (text.size && !tn_failed(t->error)) {
        const uint8_t *end  = tn_bytes_find(text, '\n');
        size_t         size = end ? (size_t)(end - text.data) : text.size;
        size_t         step = size + (end ? 1 : 0);
        read_line(t, tn_bytes(text.data, size), ++number, offset);
        text = tn_bytes(text.data + step, text.size - step);
        offset += step;
    }
}

/* ---- JSON --------------------------------------------------------------- */

static void expect_number(struct table *t, struct tn_json_reader *r,
                          struct tn_bytes name)
{
    double value = tn_json_double(r);

    if (tn_failed(t->error))
        return;
    if (isfinite(value))
        add_number(t, name, value);
    else
        tn_fail_at(r->cursor, r->offset, TN_MALFORMED,
                   "the number is too large");
}

/* Members of an object: name and number, after its beginning. */
static void read_members(struct table *t, struct tn_json_reader *r,
                         struct tn_buffer *key, unsigned depth)
{
    for (;;) {
        enum tn_json_event event = tn_json_next(r);
        if (event != TN_JSON_KEY)
            return;
        tn_buffer_clear(key);
        tn_buffer_add(key, r->text);
        event = tn_json_next(r);
        if (event == TN_JSON_NUMBER) {
            expect_number(t, r, tn_buffer_bytes(key));
        } else if (event == TN_JSON_OBJECT_BEGIN && depth == 0) {
            read_members(t, r, key, depth + 1);
        } else if (event == TN_JSON_STRING && depth == 0 &&
                   tn_bytes_is(tn_buffer_bytes(key), "label")) {
            t->label = tn_bytes_dup(&t->picture->arena, r->text, t->error);
        } else if (event != TN_JSON_END) {
            tn_fail_at(r->cursor, r->offset, TN_MALFORMED,
                       "expected a number after the name of a node");
        }
        if (tn_failed(t->error))
            return;
    }
}

/* ["conv1", 0.8], or an object with a text and a number. */
static void read_record(struct table *t, struct tn_json_reader *r,
                        enum tn_json_event begin, struct tn_buffer *name)
{
    enum tn_json_event end =
        begin == TN_JSON_ARRAY_BEGIN ? TN_JSON_ARRAY_END : TN_JSON_OBJECT_END;
    bool   has_name = false, has_number = false;
    double number = 0;

    for (;;) {
        enum tn_json_event event = tn_json_next(r);
        if (event == end || event == TN_JSON_END)
            break;
        if (event == TN_JSON_STRING && !has_name) {
            has_name = true;
            tn_buffer_clear(name);
            tn_buffer_add(name, r->text);
        } else if (event == TN_JSON_NUMBER && !has_number) {
            has_number = true;
            number     = tn_json_double(r);
        } else if (event == TN_JSON_OBJECT_BEGIN ||
                   event == TN_JSON_ARRAY_BEGIN) {
            tn_fail_at(r->cursor, r->offset, TN_MALFORMED,
                       "expected a name and a number");
        }
    }
    if (tn_failed(t->error))
        return;
    if (has_name && has_number && isfinite(number))
        add_number(t, tn_buffer_bytes(name), number);
    else
        tn_fail_at(r->cursor, r->offset, TN_MALFORMED,
                   "expected a name and a number");
}

static void read_json(struct table *t, struct tn_bytes text)
{
    struct tn_cursor      cursor = tn_cursor_bytes(text, 0, t->error);
    struct tn_json_reader reader;
    struct tn_buffer      name;

    tn_json_open(&reader, &cursor, t->picture->memory);
    tn_buffer_init(&name, t->picture->memory, t->error);
    enum tn_json_event event = tn_json_next(&reader);
    if (event == TN_JSON_OBJECT_BEGIN) {
        read_members(t, &reader, &name, 0);
    } else if (event == TN_JSON_ARRAY_BEGIN) {
        while ((event = tn_json_next(&reader)) == TN_JSON_ARRAY_BEGIN ||
               event == TN_JSON_OBJECT_BEGIN)
            read_record(t, &reader, event, &name);
        if (event != TN_JSON_ARRAY_END && !tn_failed(t->error))
            tn_fail_at(&cursor, reader.offset, TN_MALFORMED,
                       "expected a list of names and numbers");
    }
    while (!tn_failed(t->error) && event != TN_JSON_END)
        event = tn_json_next(&reader); /* nothing may follow */
    tn_buffer_done(&name);
    tn_json_close(&reader);
}

/* ---- to nodes ----------------------------------------------------------- */

/* An op may also be called by its place, as `ls --ops` does where it has no
 * name. */
static uint32_t find_number(const struct table *t, uint32_t node)
{
    const struct tn_model     *model = t->picture->model;
    const struct tn_view_node *row   = tn_picture_node(t->picture, node);
    char                       place[512];

    uint32_t id =
        tn_intern_find(&t->names, tn_picture_node_name(t->picture, node));
    if (id != TN_NO_NAME || row->kind != TN_VIEW_OP ||
        tn_model_name(model, tn_model_op_at(model, row->what)->name).size)
        return id;
    tn_model_path_of(
        model, row->graph,
        row->what - (uint32_t)tn_model_graph_at(model, row->graph)->first_op,
        place, sizeof place);
    return tn_intern_find(&t->names, tn_text(place));
}

static void give_numbers(struct table *t)
{
    struct tn_picture *p     = t->picture;
    uint32_t           count = tn_picture_node_count(p);

    p->numbers = tn_new(&p->arena, float, count + UINT64_C(1), t->error);
    for (uint32_t i = 0; p->numbers && i < count; i++) {
        uint32_t id = find_number(t, i);
        if (id == TN_NO_NAME) {
            p->numbers[i] = NAN;
            continue;
        }
        double number = *tn_list_at(&t->numbers, double, id);
        p->numbers[i] = (float)number;
        if (!p->number_count++ || number < p->least)
            p->least = number;
        if (p->number_count == 1 || number > p->most)
            p->most = number;
    }
    if (!tn_failed(t->error) && p->number_count == 0)
        tn_error_set(t->error, TN_NOT_FOUND, TN_NOWHERE,
                     "none of the names in it is the name of a node; "
                     "'tenon ls --ops' lists them");
}

static bool is_json(struct tn_bytes text)
{
    size_t at = 0;

    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t' ||
                              text.data[at] == '\n' || text.data[at] == '\r'))
        at++;
    return at < text.size && (text.data[at] == '{' || text.data[at] == '[');
}

enum tn_status tn_view_read_numbers(struct tn_picture *picture,
                                    struct tn_bytes    text)
{
    struct table t = { .picture = picture, .error = picture->error };

    tn_intern_init(&t.names, &picture->arena);
    tn_list_init(&t.numbers, picture->memory, sizeof(double));
    if (is_json(text))
        read_json(&t, text);
    else
        read_lines(&t, text);
    if (!tn_failed(t.error))
        give_numbers(&t);
    picture->number_label = tn_picture_string(picture, t.label);
    tn_list_done(&t.numbers);
    tn_intern_done(&t.names);
    return picture->error->status;
}
