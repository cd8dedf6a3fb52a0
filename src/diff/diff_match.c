/* diff_match.c - which op, graph and tensor is which */
#include "diff/diff_match.h"

#include "base/watch.h"
#include "diff/diff_buckets.h"
#include "ir/dialect_facts.h"

/* Ops of a pair of graphs that are still to be matched. */
struct pair {
    struct tn_diff_match  *m;
    struct tn_error       *error;
    uint32_t               begin[2], end[2]; /* ranges of ops                 */
    struct tn_diff_buckets buckets;          /* room for the right's ops      */
};

static void join_ops(struct tn_diff_match *m, uint32_t left, uint32_t right)
{
    m->ops[0][left]  = right;
    m->ops[1][right] = left;
}

static bool is_free(const struct pair *p, int side, uint32_t op)
{
    return p->m->ops[side][op] == TN_NONE;
}

static const struct tn_model *model_of(const struct pair *p, int side)
{
    return side ? p->m->right.model : p->m->left.model;
}

static bool same_operator(const struct tn_diff_match *m, uint32_t left,
                          uint32_t right)
{
    const struct tn_model *a = m->left.model, *b = m->right.model;
    const struct tn_op    *x = tn_model_op_at(a, left);
    const struct tn_op    *y = tn_model_op_at(b, right);

    return tn_bytes_equal(tn_model_name(a, x->type),
                          tn_model_name(b, y->type)) &&
           tn_bytes_equal(tn_model_name(a, x->domain),
                          tn_model_name(b, y->domain));
}

static bool same_name(const struct tn_diff_match *m, uint32_t left,
                      uint32_t right)
{
    return tn_bytes_equal(tn_diff_op_name(m->left.model, left),
                          tn_diff_op_name(m->right.model, right));
}

static bool has_free(const struct pair *p)
{
    bool has[2] = { false, false };

    for (int side = 0; side < 2; side++)
        for (uint32_t op = p->begin[side]; op < p->end[side] && !has[side];
             op++)
            has[side] = is_free(p, side, op);
    return has[0] && has[1];
}

static uint64_t operator_hash(const struct tn_model *model, uint32_t op)
{
    const struct tn_op *o = tn_model_op_at(model, op);

    return tn_diff_hash(tn_model_name(model, o->domain),
                        tn_diff_hash(tn_model_name(model, o->type), 21));
}

/* ---- 1. both ends of the file ------------------------------------------- */

static void match_ends(struct pair *p)
{
    struct tn_diff_match *m = p->m;

    while (p->begin[0] < p->end[0] && p->begin[1] < p->end[1]) {
        uint32_t a = p->begin[0], b = p->begin[1];
        if (m->left.above[a] != m->right.above[b] || !same_name(m, a, b))
            break;
        join_ops(m, a, b);
        p->begin[0]++;
        p->begin[1]++;
    }
    while (p->begin[0] < p->end[0] && p->begin[1] < p->end[1]) {
        uint32_t a = p->end[0] - 1, b = p->end[1] - 1;
        if (m->left.below[a] != m->right.below[b] || !same_name(m, a, b))
            break;
        join_ops(m, a, b);
        p->end[0]--;
        p->end[1]--;
    }
}

/* ---- keys --------------------------------------------------------------- */

/* A key of an op; 0: it has none, and is left out. */
typedef uint64_t op_key(const struct pair *p, int side, uint32_t op);

static const struct tn_diff_side *side_of(const struct pair *p, int side)
{
    return side ? &p->m->right : &p->m->left;
}

static uint64_t name_key(const struct pair *p, int side, uint32_t op)
{
    struct tn_bytes name = tn_diff_op_name(model_of(p, side), op);

    return name.size
               ? tn_diff_hash(name, operator_hash(model_of(p, side), op)) | 1
               : 0;
}

static uint64_t bare_name_key(const struct pair *p, int side, uint32_t op)
{
    struct tn_bytes name = tn_diff_op_name(model_of(p, side), op);

    return name.size ? tn_diff_hash(name, 23) | 1 : 0;
}

static struct tn_bytes output_name(const struct tn_model *model, uint32_t op)
{
    const struct tn_op *o = tn_model_op_at(model, op);

    return o->output_count == 0
               ? tn_text("")
               : tn_model_value_name(model,
                                     tn_model_ref_at(model, o->first_output));
}

static bool same_output(const struct tn_diff_match *m, uint32_t left,
                        uint32_t right)
{
    return tn_bytes_equal(output_name(m->left.model, left),
                          output_name(m->right.model, right));
}

/* Where ops name what they compute. */
static uint64_t bare_output_key(const struct pair *p, int side, uint32_t op)
{
    const struct tn_model *model = model_of(p, side);
    struct tn_bytes        name =
        model->dialect->names_outputs ? output_name(model, op) : tn_text("");

    return name.size ? tn_diff_hash(name, 25) | 1 : 0;
}

static uint64_t output_key(const struct pair *p, int side, uint32_t op)
{
    uint64_t key = bare_output_key(p, side, op);

    return key ? tn_diff_join(key, operator_hash(model_of(p, side), op)) | 1
               : 0;
}

static uint64_t both_key(const struct pair *p, int side, uint32_t op)
{
    const struct tn_diff_side *s = side_of(p, side);

    return tn_diff_join(s->above[op], s->below[op]) | 1;
}

static uint64_t above_key(const struct pair *p, int side, uint32_t op)
{
    return side_of(p, side)->above[op] | 1;
}

static uint64_t below_key(const struct pair *p, int side, uint32_t op)
{
    return side_of(p, side)->below[op] | 1;
}

static uint64_t named_key(const struct pair *p, int side, uint32_t op,
                          op_key *of)
{
    struct tn_bytes name = tn_diff_op_name(model_of(p, side), op);

    return name.size ? tn_diff_hash(name, of(p, side, op)) | 1 : 0;
}

static uint64_t named_both_key(const struct pair *p, int side, uint32_t op)
{
    return named_key(p, side, op, both_key);
}

static uint64_t named_above_key(const struct pair *p, int side, uint32_t op)
{
    return named_key(p, side, op, above_key);
}

static uint64_t named_below_key(const struct pair *p, int side, uint32_t op)
{
    return named_key(p, side, op, below_key);
}

/* The contents of the weights that an op takes or holds; 0: it has none, or
 * they cannot be read, which the comparison of tensors reports. */
static uint64_t weights_key(const struct pair *p, int side, uint32_t op)
{
    const struct tn_diff_side *s    = side_of(p, side);
    const struct tn_op        *o    = tn_model_op_at(s->model, op);
    uint64_t                   hash = 0;

    if (!p->m->host)
        return 0;
    for (uint32_t i = 0; i <= o->input_count; i++) {
        uint32_t tensor = s->op_tensor[op];
        if (i < o->input_count) {
            uint32_t value =
                tn_model_ref_at(s->model, (uint64_t)o->first_input + i);
            tensor = value == TN_NONE ? TN_NONE : s->tensor_of[value];
        }
        uint8_t         digest[32];
        struct tn_error ignored = TN_ERROR_INIT;
        if (tensor == TN_NONE)
            continue;
        if (p->m->host->digest(
                p->m->host->context,
                tn_list_at(&s->model->tensors, struct tn_tensor, tensor),
                digest, &ignored) != TN_OK) {
            if (ignored.status == TN_CANCELLED && !tn_failed(p->error))
                *p->error = ignored;
            return 0;
        }
        hash = tn_diff_join(
            hash, tn_diff_join(i, tn_diff_hash(tn_bytes(digest, 32), 29)));
    }
    return hash ? tn_diff_join(both_key(p, side, op), hash) | 1 : 0;
}

/* ---- matching by a key -------------------------------------------------- */

static void fill_buckets(struct pair *p, op_key *key, op_key *if_tied,
                         struct tn_diff_buckets *ties)
{
    tn_diff_buckets_clear(&p->buckets);
    for (uint32_t op = p->end[1]; op-- > p->begin[1];) {
        if (!is_free(p, 1, op))
            continue;
        if (if_tied && tn_diff_buckets_count(ties, if_tied(p, 1, op)) < 2)
            continue;
        uint64_t k = key(p, 1, op);
        if (k)
            tn_diff_buckets_add(&p->buckets, k, op);
    }
}

/* Matches the k-th item of a key on one side with the k-th on the other. */
static void match_by(struct pair *p, op_key *key)
{
    fill_buckets(p, key, NULL, NULL);
    for (uint32_t op = p->begin[0]; op < p->end[0]; op++) {
        if (!is_free(p, 0, op))
            continue;
        uint64_t k = key(p, 0, op);
        if (!k)
            continue;
        uint32_t right = tn_diff_buckets_first(&p->buckets, k, p->m->ops[1]);
        if (right != TN_NONE && same_operator(p->m, op, right))
            join_ops(p->m, op, right);
    }
}

/* Weights are read only for ops that have equals. */
static void match_ties_by_weights(struct pair *p)
{
    struct tn_diff_buckets ties;

    if (!p->m->host || tn_diff_buckets_init(&ties, p->m->memory,
                                            (uint64_t)p->end[1] - p->begin[1],
                                            p->error) != TN_OK)
        return;
    for (uint32_t op = p->end[1]; op-- > p->begin[1];)
        if (is_free(p, 1, op))
            tn_diff_buckets_add(&ties, both_key(p, 1, op), op);
    fill_buckets(p, weights_key, both_key, &ties);
    for (uint32_t op = p->begin[0]; op < p->end[0] && !tn_failed(p->error);
         op++) {
        if (!is_free(p, 0, op) ||
            tn_diff_buckets_count(&ties, both_key(p, 0, op)) < 2)
            continue;
        uint64_t k = weights_key(p, 0, op);
        uint32_t right =
            k ? tn_diff_buckets_first(&p->buckets, k, p->m->ops[1]) : TN_NONE;
        if (right != TN_NONE && same_operator(p->m, op, right))
            join_ops(p->m, op, right);
    }
    tn_diff_buckets_done(&ties);
}

/* ---- 2. names ----------------------------------------------------------- */

/* The same attributes and weights, and one more property in common. */
static bool are_alike(const struct tn_diff_match *m, uint32_t left,
                      uint32_t right)
{
    return m->left.local[left] == m->right.local[right] &&
           (m->left.above[left] == m->right.above[right] ||
            m->left.below[left] == m->right.below[right] ||
            same_output(m, left, right));
}

/* Whether ops of one name mostly agree otherwise: names that are numbers shift
 * when an op is added, and then they do not. */
static bool names_are_reliable(struct pair *p, uint64_t *common)
{
    uint64_t agree = 0, total = 0;

    fill_buckets(p, bare_name_key, NULL, NULL);
    for (uint32_t op = p->begin[0]; op < p->end[0]; op++) {
        uint64_t k = is_free(p, 0, op) ? bare_name_key(p, 0, op) : 0;
        if (!k)
            continue;
        uint32_t right = tn_diff_buckets_first(&p->buckets, k, p->m->ops[1]);
        if (right == TN_NONE)
            continue;
        total++;
        agree += same_operator(p->m, op, right) && are_alike(p->m, op, right);
    }
    *common = total;
    return agree * 2 >= total;
}

static void match_structure(struct pair *p)
{
    match_by(p, named_both_key);
    match_ties_by_weights(p);
    match_by(p, both_key);
    match_by(p, named_above_key);
    match_by(p, named_below_key);
    match_by(p, above_key);
    match_by(p, below_key);
}

/* ---- 4. users of the same inputs ---------------------------------------- */

static uint64_t use_key(uint64_t operator_, uint32_t producer, uint32_t output,
                        uint32_t slot)
{
    uint64_t edge = (uint64_t)producer << 32 | output;

    return tn_diff_join(tn_diff_join(operator_, edge), slot) | 1;
}

static const struct tn_value *input_value(const struct tn_model *model,
                                          const struct tn_op *o, uint32_t i)
{
    uint32_t value = tn_model_ref_at(model, (uint64_t)o->first_input + i);

    return value == TN_NONE ? NULL : tn_model_value_at(model, value);
}

static uint64_t count_inputs(const struct pair *p)
{
    uint64_t count = 0;

    for (uint32_t op = p->begin[1]; op < p->end[1]; op++)
        if (is_free(p, 1, op))
            count += tn_model_op_at(model_of(p, 1), op)->input_count;
    return count;
}

static void add_uses(struct pair *p, struct tn_diff_buckets *uses)
{
    const struct tn_model *model = model_of(p, 1);

    for (uint32_t op = p->end[1]; op-- > p->begin[1];) {
        const struct tn_op *o = tn_model_op_at(model, op);
        if (!is_free(p, 1, op))
            continue;
        for (uint32_t i = 0; i < o->input_count; i++) {
            const struct tn_value *v = input_value(model, o, i);
            if (v && v->producer != TN_NONE)
                tn_diff_buckets_add(uses,
                                    use_key(operator_hash(model, op),
                                            v->producer, v->output, i),
                                    op);
        }
    }
}

/* In topological order, so that one match leads to the next. */
static void match_users(struct pair *p)
{
    struct tn_diff_match  *m     = p->m;
    const struct tn_model *model = model_of(p, 0);
    struct tn_diff_buckets uses;

    if (tn_diff_buckets_init(&uses, m->memory, count_inputs(p), p->error) ==
        TN_OK) {
        add_uses(p, &uses);
        for (uint32_t k = p->begin[0]; k < p->end[0]; k++) {
            uint32_t            op = m->left.order[k];
            const struct tn_op *o  = tn_model_op_at(model, op);
            for (uint32_t i = 0; i < o->input_count && is_free(p, 0, op); i++) {
                const struct tn_value *v    = input_value(model, o, i);
                uint32_t               from = v && v->producer != TN_NONE
                                                  ? m->ops[0][v->producer]
                                                  : TN_NONE;
                if (from == TN_NONE)
                    continue;
                uint32_t right = tn_diff_buckets_first(
                    &uses,
                    use_key(operator_hash(model, op), from, v->output, i),
                    m->ops[1]);
                if (right != TN_NONE && same_operator(m, op, right))
                    join_ops(m, op, right);
            }
        }
    }
    tn_diff_buckets_done(&uses);
}

/* ---- the producers of matched ops' inputs ------------------------------- */

/* Whether two ops take the same: what matched ops compute, or what has the same
 * name. */
static bool same_sources(const struct tn_diff_match *m, uint32_t left,
                         uint32_t right)
{
    const struct tn_op *x = tn_model_op_at(m->left.model, left);
    const struct tn_op *y = tn_model_op_at(m->right.model, right);

    for (uint32_t i = 0; i < x->input_count && i < y->input_count; i++) {
        const struct tn_value *v = input_value(m->left.model, x, i);
        const struct tn_value *w = input_value(m->right.model, y, i);
        bool                   is_same =
            v && w && v->producer != TN_NONE
                                  ? m->ops[0][v->producer] == w->producer
                                  : v && w && w->producer == TN_NONE &&
                      tn_bytes_equal(tn_model_name(m->left.model, v->name),
                                                       tn_model_name(m->right.model, w->name));
        if (!is_same && (v || w))
            return false;
    }
    return x->input_count == y->input_count &&
           x->output_count == y->output_count;
}

/* In reverse order, so that one match leads to the next. */
static void match_producers(struct pair *p, bool any_operator)
{
    struct tn_diff_match *m = p->m;

    for (uint32_t k = p->end[0]; k-- > p->begin[0];) {
        uint32_t op    = m->left.order[k];
        uint32_t right = m->ops[0][op];
        if (right == TN_NONE)
            continue;
        const struct tn_op *x = tn_model_op_at(m->left.model, op);
        const struct tn_op *y = tn_model_op_at(m->right.model, right);
        uint32_t            count =
            x->input_count < y->input_count ? x->input_count : y->input_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct tn_value *v = input_value(m->left.model, x, i);
            const struct tn_value *w = input_value(m->right.model, y, i);
            if (!v || !w || v->producer == TN_NONE || w->producer == TN_NONE ||
                v->output != w->output || m->ops[0][v->producer] != TN_NONE ||
                m->ops[1][w->producer] != TN_NONE ||
                v->producer < p->begin[0] || v->producer >= p->end[0] ||
                w->producer < p->begin[1] || w->producer >= p->end[1] ||
                !(any_operator ? same_sources(m, v->producer, w->producer)
                               : same_operator(m, v->producer, w->producer)))
                continue;
            join_ops(m, v->producer, w->producer);
        }
    }
}

/* ---- 5. order ----------------------------------------------------------- */

/* Matches what is left between matched ops: the ops of the left in order, each
 * with the next op of the same operator on the right.  A bound on how far it
 * looks keeps the time linear.  Large graphs without any match have nothing in
 * common. */
enum { LOOK_AHEAD = 64 };

static void align_gap(struct pair *p, uint32_t a, uint32_t a_end, uint32_t b,
                      uint32_t b_end)
{
    for (; a < a_end && b < b_end; a++) {
        uint32_t end = b_end - b < LOOK_AHEAD ? b_end : b + LOOK_AHEAD;
        if (!is_free(p, 0, a))
            continue;
        for (uint32_t k = b; k < end; k++)
            if (is_free(p, 1, k) && same_operator(p->m, a, k)) {
                join_ops(p->m, a, k);
                b = k + 1;
                break;
            }
    }
}

static void match_order(struct pair *p)
{
    uint32_t a = p->begin[0], b = p->begin[1];

    while (a < p->end[0]) {
        uint32_t next = a;
        while (next < p->end[0] && is_free(p, 0, next))
            next++;
        uint32_t b_end = p->end[1];
        if (next < p->end[0] && p->m->ops[0][next] >= p->begin[1] &&
            p->m->ops[0][next] < p->end[1])
            b_end = p->m->ops[0][next];
        bool is_anchored = a > p->begin[0] || next < p->end[0] ||
                           (next - a <= LOOK_AHEAD && b_end - b <= LOOK_AHEAD);
        if (b_end > b && next > a && is_anchored)
            align_gap(p, a, next, b, b_end);
        if (next < p->end[0] && p->m->ops[0][next] < p->end[1])
            b = p->m->ops[0][next] + 1;
        a = next + 1;
    }
}

/* ---- 6. another operator ------------------------------------------------ */

/* The same name, or the same name of the result and the same inputs. */
static bool is_replaced(const struct tn_diff_match *m, uint32_t left,
                        uint32_t right)
{
    return same_name(m, left, right) ||
           (same_output(m, left, right) && same_sources(m, left, right));
}

static void match_replaced_by(struct pair *p, op_key *key)
{
    fill_buckets(p, key, NULL, NULL);
    for (uint32_t op = p->begin[0]; op < p->end[0]; op++) {
        uint64_t k = is_free(p, 0, op) ? key(p, 0, op) : 0;
        uint32_t right =
            k ? tn_diff_buckets_first(&p->buckets, k, p->m->ops[1]) : TN_NONE;
        if (right != TN_NONE && is_replaced(p->m, op, right))
            join_ops(p->m, op, right);
    }
}

static void match_replaced(struct pair *p)
{
    match_replaced_by(p, bare_name_key);
    if (has_free(p))
        match_replaced_by(p, bare_output_key);
    if (has_free(p))
        match_producers(p, true);
}

/* ---- graphs ------------------------------------------------------------- */

/* No name is on both sides: only equal structure in the same order can be
 * matched, from the first op on and from the last one back. */
static void match_nameless_ends(struct pair *p)
{
    struct tn_diff_match *m = p->m;

    while (p->begin[0] < p->end[0] && p->begin[1] < p->end[1] &&
           m->left.above[p->begin[0]] == m->right.above[p->begin[1]])
        join_ops(m, p->begin[0]++, p->begin[1]++);
    while (p->begin[0] < p->end[0] && p->begin[1] < p->end[1] &&
           m->left.below[p->end[0] - 1] == m->right.below[p->end[1] - 1])
        join_ops(m, --p->end[0], --p->end[1]);
}

static void match_rest(struct pair *p)
{
    uint64_t common;
    bool     is_reliable = names_are_reliable(p, &common);

    if (common == 0)
        match_nameless_ends(p);
    if (!has_free(p))
        return;
    if (is_reliable) {
        match_by(p, name_key);
        match_structure(p);
        match_by(p, output_key);
    } else {
        match_structure(p);
        match_by(p, name_key);
    }
    if (has_free(p))
        match_producers(p, false);
    if (has_free(p))
        match_users(p);
    match_replaced(p);
    if (has_free(p))
        match_order(p);
}

static enum tn_status match_graph_ops(struct tn_diff_match *m, uint32_t left,
                                      uint32_t right, struct tn_error *error)
{
    const struct tn_graph *g[2] = { tn_model_graph_at(m->left.model, left),
                                    tn_model_graph_at(m->right.model, right) };
    struct pair            p    = { .m = m, .error = error };

    for (int side = 0; side < 2; side++) {
        p.begin[side] = g[side]->first_op;
        p.end[side]   = g[side]->first_op + (uint32_t)g[side]->op_count;
    }
    match_ends(&p);
    if (p.begin[0] == p.end[0] || p.begin[1] == p.end[1])
        return TN_OK;
    TN_TRY(tn_watch_poll(m->memory, error));
    if (tn_diff_buckets_init(&p.buckets, m->memory,
                             (uint64_t)p.end[1] - p.begin[1], error) == TN_OK)
        match_rest(&p);
    tn_diff_buckets_done(&p.buckets);
    return error->status;
}

static void join_graphs(struct tn_diff_match *m, uint32_t left, uint32_t right)
{
    m->graphs[0][left]  = right;
    m->graphs[1][right] = left;
}

/* Of functions: domain and name, or what they consist of. */
static uint64_t graph_key(const struct tn_diff_side *side, uint32_t g,
                          bool by_name)
{
    const struct tn_graph *graph = tn_model_graph_at(side->model, g);

    if (graph->parent_node != TN_NONE && graph->parent_graph != TN_NONE)
        return 0;
    if (!by_name)
        return graph->kind == TN_GRAPH_FUNCTION
                   ? tn_diff_join(31, side->shapes[g]) | 1
                   : 0;
    uint64_t hash =
        tn_diff_hash(tn_model_name(side->model, graph->name), graph->kind);
    return tn_diff_hash(tn_model_name(side->model, graph->domain), hash) | 1;
}

static enum tn_status match_functions(struct tn_diff_match *m, bool by_name,
                                      struct tn_error *error)
{
    struct tn_diff_buckets buckets;

    if (tn_diff_buckets_init(&buckets, m->memory, m->right.graph_count,
                             error) == TN_OK) {
        for (uint32_t g = m->right.graph_count; g-- > 1;) {
            uint64_t key = graph_key(&m->right, g, by_name);
            if (key && m->graphs[1][g] == TN_NONE)
                tn_diff_buckets_add(&buckets, key, g);
        }
        for (uint32_t g = 1; g < m->left.graph_count; g++) {
            uint64_t key = graph_key(&m->left, g, by_name);
            if (!key || m->graphs[0][g] != TN_NONE)
                continue;
            uint32_t right = tn_diff_buckets_first(&buckets, key, m->graphs[1]);
            if (right != TN_NONE)
                join_graphs(m, g, right);
        }
    }
    tn_diff_buckets_done(&buckets);
    return error->status;
}

/* The name of the attribute that a subgraph is in. */
static struct tn_bytes slot_name(const struct tn_model *model, uint32_t op,
                                 uint32_t slot)
{
    struct tn_error     ignored = TN_ERROR_INIT;
    const struct tn_op *o       = tn_model_op_at(model, op);
    struct tn_bytes     name;
    struct tn_span      wire;

    if (o->first_attr != TN_NONE)
        return slot < o->attr_count
                   ? tn_model_name(
                         model, tn_list_at(&model->attrs, struct tn_attr_slot,
                                           (uint64_t)o->first_attr + slot)
                                    ->name)
                   : tn_text("");
    struct tn_cursor node =
        tn_cursor_span(tn_model_op_wire(model, o), &ignored);
    for (uint32_t i = 0; model->dialect->next_attr(&node, &name, &wire); i++)
        if (i == slot)
            return name;
    return tn_text("");
}

struct tn_bytes tn_diff_attr_name(const struct tn_tensor *tensor)
{
    if (tensor->node == TN_NONE || tensor->graph == TN_NONE)
        return tn_text("");
    return slot_name(tensor->model,
                     tn_model_graph_at(tensor->model, tensor->graph)->first_op +
                         tensor->node,
                     tensor->slot);
}

/* Where a subgraph is: the op on the right (or its match), and the attribute.
 * 0: in no op that has a match. */
static uint64_t place_key(const struct tn_diff_match *m, int side, uint32_t g)
{
    const struct tn_diff_side *s     = side ? &m->right : &m->left;
    const struct tn_graph     *graph = tn_model_graph_at(s->model, g);

    if (graph->parent_node == TN_NONE || graph->parent_graph == TN_NONE)
        return 0;
    uint32_t op = tn_model_graph_at(s->model, graph->parent_graph)->first_op +
                  graph->parent_node;
    uint32_t right = side ? op : m->ops[0][op];
    if (right == TN_NONE || (side && m->ops[1][op] == TN_NONE))
        return 0;
    return tn_diff_hash(slot_name(s->model, op, graph->parent_slot),
                        tn_diff_join(37, right)) |
           1;
}

/* Parents come first, so that their ops have been matched. */
static enum tn_status match_all_ops(struct tn_diff_match *m,
                                    struct tn_error      *error)
{
    struct tn_diff_buckets places;

    if (tn_diff_buckets_init(&places, m->memory, m->right.graph_count, error) !=
        TN_OK) {
        tn_diff_buckets_done(&places);
        return error->status;
    }
    /* A right subgraph's key needs its parent's matches: they are added as the
     * left side comes to them, all that are known then, once each. */
    uint32_t *next = tn_diff_nones(m->memory, m->right.graph_count, error);
    uint32_t *head = tn_diff_nones(m->memory, m->right.graph_count, error);
    for (uint32_t g = m->right.graph_count; next && head && g-- > 0;) {
        uint32_t parent = tn_model_graph_at(m->right.model, g)->parent_graph;
        if (parent == TN_NONE || parent >= m->right.graph_count)
            continue;
        next[g]      = head[parent];
        head[parent] = g;
    }
    for (uint32_t g = 0; g < m->left.graph_count && !tn_failed(error); g++) {
        if (m->graphs[0][g] == TN_NONE) {
            uint64_t key = place_key(m, 0, g);
            uint32_t right =
                key ? tn_diff_buckets_first(&places, key, m->graphs[1])
                    : TN_NONE;
            if (right != TN_NONE)
                join_graphs(m, g, right);
        }
        uint32_t right = m->graphs[0][g];
        if (right == TN_NONE)
            continue;
        match_graph_ops(m, g, right, error);
        for (uint32_t k = head[right]; k != TN_NONE; k = next[k]) {
            uint64_t key = place_key(m, 1, k);
            if (key)
                tn_diff_buckets_add(&places, key, k);
        }
    }
    if (next)
        tn_memory_free(m->memory, next,
                       ((uint64_t)m->right.graph_count + 1) * sizeof *next);
    if (head)
        tn_memory_free(m->memory, head,
                       ((uint64_t)m->right.graph_count + 1) * sizeof *head);
    tn_diff_buckets_done(&places);
    return error->status;
}

/* ---- tensors ------------------------------------------------------------ */

/* In its place: graph and name, or op and attribute.  0: its place has no
 * match. */
static uint64_t tensor_key(const struct tn_diff_match *m, int side,
                           const struct tn_tensor *t)
{
    const struct tn_diff_side *s     = side ? &m->right : &m->left;
    uint32_t                   graph = t->graph;

    if (graph != TN_NONE && graph < s->graph_count) {
        graph = side ? graph : m->graphs[0][graph];
        if (graph == TN_NONE)
            return 0;
    } else {
        graph = TN_NONE;
    }
    if (t->node == TN_NONE || s->graph_count == 0)
        return tn_diff_hash(tn_tensor_name(t), tn_diff_join(graph, t->role)) |
               1;
    uint64_t op =
        (uint64_t)tn_model_graph_at(s->model, t->graph)->first_op + t->node;
    if (op >= s->op_count)
        return 0;
    uint32_t right = side ? (uint32_t)op : m->ops[0][op];
    if (right == TN_NONE)
        return 0;
    return tn_diff_hash(slot_name(s->model, (uint32_t)op, t->slot),
                        tn_diff_join(tn_diff_join(41, right),
                                     tn_diff_join(t->part, t->role))) |
           1;
}

static uint64_t tensor_name_key(const struct tn_diff_match *m, int side,
                                const struct tn_tensor *t)
{
    (void)m;
    (void)side;
    struct tn_bytes name = tn_tensor_name(t);
    return name.size ? tn_diff_hash(name, 43) | 1 : 0;
}

static const struct tn_tensor *tensor_at(const struct tn_diff_match *m,
                                         int side, uint64_t i)
{
    return tn_list_at(&(side ? m->right.model : m->left.model)->tensors,
                      struct tn_tensor, i);
}

static void join_tensors(struct tn_diff_match *m, uint64_t left, uint32_t right)
{
    m->tensors[0][left]  = right;
    m->tensors[1][right] = (uint32_t)left;
}

static enum tn_status match_tensors_by(
    struct tn_diff_match *m,
    uint64_t (*key)(const struct tn_diff_match *m, int side,
                    const struct tn_tensor *t),
    struct tn_error *error)
{
    struct tn_diff_buckets buckets;

    if (tn_diff_buckets_init(&buckets, m->memory, m->right.tensor_count,
                             error) == TN_OK) {
        for (uint64_t i = m->right.tensor_count; i-- > 0;) {
            uint64_t k =
                m->tensors[1][i] == TN_NONE ? key(m, 1, tensor_at(m, 1, i)) : 0;
            if (k)
                tn_diff_buckets_add(&buckets, k, (uint32_t)i);
        }
        for (uint64_t i = 0; i < m->left.tensor_count; i++) {
            uint64_t k =
                m->tensors[0][i] == TN_NONE ? key(m, 0, tensor_at(m, 0, i)) : 0;
            uint32_t right =
                k ? tn_diff_buckets_first(&buckets, k, m->tensors[1]) : TN_NONE;
            if (right != TN_NONE)
                join_tensors(m, i, right);
        }
    }
    tn_diff_buckets_done(&buckets);
    return error->status;
}

static bool same_tensor_name(const struct tn_diff_match *m, uint64_t i)
{
    return m->tensors[0][i] != TN_NONE &&
           tn_bytes_equal(tn_tensor_name(tensor_at(m, 0, i)),
                          tn_tensor_name(tensor_at(m, 1, m->tensors[0][i])));
}

/* If hashes brought together tensors that have names, the names decide. */
static void check_tensor_names(struct tn_diff_match *m)
{
    for (uint64_t i = 0; i < m->left.tensor_count; i++)
        if (m->tensors[0][i] != TN_NONE &&
            tensor_at(m, 0, i)->node == TN_NONE && !same_tensor_name(m, i)) {
            m->tensors[1][m->tensors[0][i]] = TN_NONE;
            m->tensors[0][i]                = TN_NONE;
        }
}

/* ---- inputs of graphs --------------------------------------------------- */

/* The input of a graph that a value is, or that a graph inside refers to by its
 * name; TN_NONE: it is no input. */
static uint32_t input_behind(const struct tn_diff_side *side, uint32_t value)
{
    const struct tn_model *model = side->model;

    while (value != TN_NONE && side->input_of[value] == TN_NONE) {
        const struct tn_value *v = tn_model_value_at(model, value);
        if (v->kind != TN_VALUE_OUTER)
            return TN_NONE;
        uint32_t graph = v->graph;
        do {
            graph = tn_model_graph_at(model, graph)->parent_graph;
            value = graph == TN_NONE
                        ? TN_NONE
                        : tn_model_find_value(model, graph, v->name);
        } while (graph != TN_NONE && value == TN_NONE);
    }
    return value;
}

static void join_inputs(struct tn_diff_match *m, uint32_t left, uint32_t right)
{
    if (left == TN_NONE || right == TN_NONE ||
        m->left.input_of[left] == TN_NONE ||
        m->right.input_of[right] == TN_NONE || m->inputs[0][left] != TN_NONE ||
        m->inputs[1][right] != TN_NONE ||
        m->graphs[0][tn_model_value_at(m->left.model, left)->graph] !=
            tn_model_value_at(m->right.model, right)->graph)
        return;
    m->inputs[0][left]  = right;
    m->inputs[1][right] = left;
}

static void match_inputs_of_ops(struct tn_diff_match *m)
{
    for (uint32_t op = 0; op < m->left.op_count; op++) {
        uint32_t match = m->ops[0][op];
        if (match == TN_NONE)
            continue;
        const struct tn_op *x = tn_model_op_at(m->left.model, op);
        const struct tn_op *y = tn_model_op_at(m->right.model, match);
        for (uint32_t i = 0; i < x->input_count && i < y->input_count; i++) {
            uint32_t left = input_behind(
                &m->left,
                tn_model_ref_at(m->left.model, (uint64_t)x->first_input + i));
            if (left != TN_NONE && m->inputs[0][left] == TN_NONE)
                join_inputs(m, left,
                            input_behind(
                                &m->right,
                                tn_model_ref_at(m->right.model,
                                                (uint64_t)y->first_input + i)));
        }
    }
}

/* Matches those that are left, in order. */
static void match_inputs_in_order(struct tn_diff_match *m, uint32_t g,
                                  uint32_t h)
{
    struct tn_io_list a = tn_model_graph_at(m->left.model, g)->inputs;
    struct tn_io_list b = tn_model_graph_at(m->right.model, h)->inputs;
    uint32_t          k = 0;

    for (uint32_t i = 0; i < a.count; i++) {
        uint32_t left = tn_model_find_named(m->left.model, g, a.items[i].name);
        if (left == TN_NONE || m->inputs[0][left] != TN_NONE)
            continue;
        for (; k < b.count && m->inputs[0][left] == TN_NONE; k++)
            join_inputs(
                m, left,
                tn_model_find_named(m->right.model, h, b.items[k].name));
    }
}

static void match_inputs(struct tn_diff_match *m)
{
    bool is_one_free = false;

    for (uint32_t g = 0; g < m->left.graph_count; g++) {
        uint32_t          h = m->graphs[0][g];
        struct tn_io_list a = tn_model_graph_at(m->left.model, g)->inputs;
        for (uint32_t i = 0; h != TN_NONE && i < a.count; i++) {
            uint32_t left =
                tn_model_find_named(m->left.model, g, a.items[i].name);
            join_inputs(
                m, left,
                tn_model_find_named(m->right.model, h, a.items[i].name));
            is_one_free |= left != TN_NONE && m->inputs[0][left] == TN_NONE;
        }
    }
    if (!is_one_free)
        return; /* usually: ops need not be looked at */
    match_inputs_of_ops(m);
    for (uint32_t g = 0; g < m->left.graph_count; g++)
        if (m->graphs[0][g] != TN_NONE)
            match_inputs_in_order(m, g, m->graphs[0][g]);
}

/* ---- functions ---------------------------------------------------------- */

static void list_functions(struct tn_diff_match *m)
{
    for (uint32_t g = m->left.graph_count; g-- > 0;) {
        const struct tn_graph *graph = tn_model_graph_at(m->left.model, g);
        if (graph->kind == TN_GRAPH_FUNCTION && graph->name != TN_NO_NAME)
            m->functions[graph->name] = g;
    }
}

bool tn_diff_same_function(const struct tn_diff_match *m, struct tn_bytes left,
                           struct tn_bytes right)
{
    if (tn_bytes_equal(left, right))
        return true;
    if (!m->functions)
        return false;
    uint32_t id = tn_intern_find(&m->left.model->names, left);
    uint32_t g  = id == TN_NO_NAME ? TN_NONE : m->functions[id];
    uint32_t h  = g == TN_NONE ? TN_NONE : m->graphs[0][g];
    return h != TN_NONE &&
           tn_bytes_equal(
               tn_model_name(m->right.model,
                             tn_model_graph_at(m->right.model, h)->name),
               right);
}

bool tn_diff_same_string(const struct tn_diff_match *m, struct tn_bytes left,
                         struct tn_bytes right)
{
    static const char mark[] = "loc:@";
    const size_t      size   = sizeof mark - 1;

    if (tn_bytes_equal(left, right))
        return true;
    if (!tn_bytes_starts_with(left, mark) || !tn_bytes_starts_with(right, mark))
        return false;
    uint32_t value = tn_model_find_named(
        m->left.model, 0, tn_bytes(left.data + size, left.size - size));
    uint32_t op    = value == TN_NONE
                         ? TN_NONE
                         : tn_model_value_at(m->left.model, value)->producer;
    uint32_t match = op == TN_NONE ? TN_NONE : m->ops[0][op];
    return match != TN_NONE &&
           tn_bytes_equal(
               tn_model_name(m->right.model,
                             tn_model_op_at(m->right.model, match)->name),
               tn_bytes(right.data + size, right.size - size));
}

/* ---- values ------------------------------------------------------------- */

bool tn_diff_same_value(const struct tn_diff_match *m, uint32_t left,
                        uint32_t right)
{
    if (left == TN_NONE || right == TN_NONE)
        return left == right;
    const struct tn_value *v = tn_model_value_at(m->left.model, left);
    const struct tn_value *w = tn_model_value_at(m->right.model, right);
    bool is_named_by_op      = !m->left.model->dialect->names_outputs;
    if (is_named_by_op && (v->producer == TN_NONE) != (w->producer == TN_NONE))
        return tn_bytes_equal(tn_model_value_name(m->left.model, left),
                              tn_model_value_name(m->right.model, right));
    if (v->producer != TN_NONE || w->producer != TN_NONE)
        return v->producer != TN_NONE && w->producer != TN_NONE &&
               v->output == w->output && m->ops[0][v->producer] == w->producer;
    uint32_t t = m->left.tensor_of[left], u = m->right.tensor_of[right];
    if (t != TN_NONE && u != TN_NONE)
        return m->tensors[0][t] == u;
    uint32_t input = input_behind(&m->left, left);
    if (input != TN_NONE && m->inputs[0][input] != TN_NONE)
        return m->inputs[0][input] == input_behind(&m->right, right);
    return tn_bytes_equal(tn_model_value_name(m->left.model, left),
                          tn_model_value_name(m->right.model, right));
}

/* ---- all of it ---------------------------------------------------------- */

static uint64_t more(uint64_t count)
{
    return (count + 1) * sizeof(uint32_t);
}

static void free_one(struct tn_memory *memory, uint32_t *block, uint64_t count)
{
    if (block)
        tn_memory_free(memory, block, more(count));
}

void tn_diff_match_done(struct tn_diff_match *m)
{
    const struct tn_diff_side *sides[2] = { &m->left, &m->right };

    for (int side = 0; side < 2; side++) {
        free_one(m->memory, m->ops[side], sides[side]->op_count);
        free_one(m->memory, m->graphs[side], sides[side]->graph_count);
        free_one(m->memory, m->tensors[side], sides[side]->tensor_count);
        free_one(m->memory, m->inputs[side], sides[side]->value_count);
    }
    free_one(m->memory, m->functions, m->function_names);
    tn_diff_side_done(&m->left);
    tn_diff_side_done(&m->right);
}

bool tn_diff_is_one_dialect(const struct tn_diff_match *m)
{
    const struct tn_dialect *a = m->left.model->dialect;
    const struct tn_dialect *b = m->right.model->dialect;

    return a == b || (a && b && tn_is_same_dialect(a->name, b->name));
}

static enum tn_status match_graphs(struct tn_diff_match *m,
                                   struct tn_error      *error)
{
    if (m->left.graph_count == 0 || m->right.graph_count == 0)
        return TN_OK;
    join_graphs(m, 0, 0);
    if (!tn_diff_is_one_dialect(m))
        return TN_OK;
    TN_TRY(match_functions(m, true, error));
    TN_TRY(match_functions(m, false, error));
    return match_all_ops(m, error);
}

enum tn_status tn_diff_match_init(struct tn_diff_match      *m,
                                  const struct tn_model     *left,
                                  const struct tn_model     *right,
                                  const struct tn_diff_host *host,
                                  struct tn_memory          *memory,
                                  struct tn_error           *error)
{
    const struct tn_diff_side *sides[2] = { &m->left, &m->right };

    *m = (struct tn_diff_match){ .memory = memory, .host = host };
    TN_TRY(tn_diff_side_init(&m->left, left, memory, error));
    TN_TRY(tn_diff_side_init(&m->right, right, memory, error));
    for (int side = 0; side < 2; side++) {
        m->ops[side] = tn_diff_nones(memory, sides[side]->op_count, error);
        m->graphs[side] =
            tn_diff_nones(memory, sides[side]->graph_count, error);
        m->tensors[side] =
            tn_diff_nones(memory, sides[side]->tensor_count, error);
        m->inputs[side] =
            tn_diff_nones(memory, sides[side]->value_count, error);
    }
    if (m->left.graph_count > 1) {
        m->function_names = tn_intern_count(&left->names);
        m->functions      = tn_diff_nones(memory, m->function_names, error);
    }
    if (tn_failed(error))
        return error->status;
    if (m->functions)
        list_functions(m);
    TN_TRY(match_graphs(m, error));
    match_inputs(m);
    TN_TRY(match_tensors_by(m, tensor_key, error));
    check_tensor_names(m);
    TN_TRY(match_tensors_by(m, tensor_name_key, error));
    check_tensor_names(m);
    return host ? tn_diff_match_contents(m, error) : TN_OK;
}
