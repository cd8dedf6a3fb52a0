/* reshape_runs.c - which axes become which when an array is reshaped
 *
 * A run ends where the axes so far have the same number of elements in both.
 * Ends are found from the first axis on, and from the last one back; unknown
 * sizes may be left between the two, in one run. */
#include "map/simplify/reshape_runs.h"

#include "base/arith.h"

struct reshape {
    const struct tn_net_type *from, *to;
    const int64_t            *target;
    struct tn_axis_run       *runs;
    uint32_t                  count;
    uint32_t i, j; /* the axes that are not in a run yet begin */
    uint32_t n, m; /* and end there                            */
};

/* The size of an axis; 0 if it is not known, or there is none. */
static uint64_t size_before(const struct reshape *r, uint32_t axis)
{
    return axis < r->n && r->from->dims[axis] > 0
               ? (uint64_t)r->from->dims[axis]
               : 0;
}

static uint64_t size_after(const struct reshape *r, uint32_t axis)
{
    int64_t size;

    if (axis >= r->m)
        return 0;
    size = r->target[axis] > 0 ? r->target[axis] : r->to->dims[axis];
    return size > 0 ? (uint64_t)size : 0;
}

static void add_run(struct reshape *r, uint32_t from_count, uint32_t to_count)
{
    r->runs[r->count++] =
        (struct tn_axis_run){ r->i, from_count, r->j, to_count };
    r->i += from_count;
    r->j += to_count;
}

/* Takes the fewest axes on both sides that have the same number of elements;
 * false if a size is unknown. */
static bool take_equal(struct reshape *r)
{
    uint32_t i = r->i + 1, j = r->j + 1;
    uint64_t a = size_before(r, r->i), b = size_after(r, r->j);

    while (a && b && a != b) {
        bool fits = a < b ? tn_mul(a, size_before(r, i++), &a)
                          : tn_mul(b, size_after(r, j++), &b);
        if (!fits)
            return false;
    }
    if (!a || !b)
        return false;
    add_run(r, i - r->i, j - r->j);
    return true;
}

/* A size that is unknown on both sides is the same if those of all other axes
 * are. */
static bool take_open(struct reshape *r)
{
    uint64_t a = 1, b = 1;

    if (size_before(r, r->i) || size_after(r, r->j))
        return false;
    for (uint32_t i = r->i + 1; i < r->n; i++)
        if (!tn_mul(a, size_before(r, i), &a))
            return false;
    for (uint32_t j = r->j + 1; j < r->m; j++)
        if (!tn_mul(b, size_after(r, j), &b))
            return false;
    if (a == 0 || a != b)
        return false;
    add_run(r, 1, 1);
    return true;
}

/* From the first axis on; false: a copy is not of an axis of its own. */
static bool take_first(struct reshape *r)
{
    while (r->i < r->n && r->j < r->m) {
        if (r->target[r->j] == 0) {
            if (r->i != r->j)
                return false;
            add_run(r, 1, 1);
        } else if (!take_equal(r) && !take_open(r)) {
            break;
        }
    }
    return true;
}

/* Where the equal axes at the end begin. */
static void find_last(const struct reshape *r, uint32_t *n, uint32_t *m)
{
    for (*n = r->n, *m = r->m; *n > r->i && *m > r->j; --*n, --*m)
        if (!size_before(r, *n - 1) ||
            size_before(r, *n - 1) != size_after(r, *m - 1))
            return;
}

/* Axes without a partner belong to the run before them, if there is one element
 * on each. */
static bool take_ones(struct reshape *r, uint32_t n, uint32_t m)
{
    if (r->i == n && r->j == m)
        return true;
    if (r->count == 0)
        return false;
    for (; r->i < n; r->i++, r->runs[r->count - 1].from_count++)
        if (r->from->dims[r->i] != 1)
            return false;
    for (; r->j < m; r->j++, r->runs[r->count - 1].to_count++)
        if (size_after(r, r->j) != 1)
            return false;
    return true;
}

uint32_t tn_reshape_runs(const struct tn_net_type *from,
                         const struct tn_net_type *to, const int64_t *target,
                         struct tn_axis_run *runs)
{
    struct reshape r = { .from   = from,
                         .to     = to,
                         .target = target,
                         .runs   = runs,
                         .n      = from->rank,
                         .m      = to->rank };
    uint32_t       n, m;

    for (uint32_t i = 0; i < r.n; i++)
        if (from->dims[i] == 0)
            return 0; /* no elements: any shape fits */
    if (!take_first(&r))
        return 0;
    find_last(&r, &n, &m);
    if (r.i < n && r.j < m) {
        for (uint32_t j = r.j; j < m; j++)
            if (target[j] == 0)
                return 0;
        add_run(&r, n - r.i, m - r.j);
    } else if (!take_ones(&r, n, m)) {
        return 0;
    }
    while (r.i < r.n)
        add_run(&r, 1, 1);
    return r.count;
}
