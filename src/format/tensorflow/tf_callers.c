/*
 * tf_callers.c - operators that call functions: which arguments they pass, and
 * what they do with the results
 */
#include "format/tensorflow/tf_callers.h"

#include <string.h>

/* clang-format off */
static const struct tn_tf_caller callers[] = {
    { "BatchFunction", "f", "in_tensors captured_tensors", "out_tensors", TN_TF_CALLS },
    { "Case", "branches", "input", "output", TN_TF_CHOOSES | TN_TF_LIST },
    { "ChooseFastestBranchDataset", "branches", ".any", ":variant", TN_TF_LIST },
    { "ExperimentalGroupByReducerDataset", "key_func", ".elements key_func_other_arguments", ":int64", 0 },
    { "ExperimentalGroupByReducerDataset", "init_func", ":int64 init_func_other_arguments", ".any", 0 },
    { "ExperimentalGroupByReducerDataset", "reduce_func", ".any .elements reduce_func_other_arguments", ".any", 0 },
    { "ExperimentalGroupByReducerDataset", "finalize_func", ".any finalize_func_other_arguments", "=output_types", 0 },
    { "ExperimentalGroupByWindowDataset", "key_func", ".elements key_func_other_arguments", ":int64", 0 },
    { "ExperimentalGroupByWindowDataset", "reduce_func", ":int64 :variant reduce_func_other_arguments", ":variant", 0 },
    { "ExperimentalGroupByWindowDataset", "window_size_func", ":int64 window_size_func_other_arguments", ":int64", 0 },
    { "ExperimentalMapAndBatchDataset", "f", ".elements other_arguments", "=output_types", 0 },
    { "ExperimentalMapDataset", "f", ".elements other_arguments", "=output_types", 0 },
    { "ExperimentalParallelInterleaveDataset", "f", ".elements other_arguments", ":variant", 0 },
    { "ExperimentalScanDataset", "f", "initial_state .elements other_arguments", "=Tstate =output_types", 0 },
    { "ExperimentalTakeWhileDataset", "predicate", ".elements other_arguments", ":bool", 0 },
    { "FilterDataset", "predicate", ".elements other_arguments", ":bool", 0 },
    { "FlatMapDataset", "f", ".elements other_arguments", ":variant", 0 },
    { "For", "body", ":int32 input", "output", TN_TF_LOOPS },
    { "GeneratorDataset", "init_func", "init_func_other_args", ".any", 0 },
    { "GeneratorDataset", "next_func", ".any next_func_other_args", "=output_types", 0 },
    { "GeneratorDataset", "finalize_func", ".any finalize_func_other_args", ".any", 0 },
    { "GroupByReducerDataset", "key_func", ".elements key_func_other_arguments", ":int64", 0 },
    { "GroupByReducerDataset", "init_func", ":int64 init_func_other_arguments", ".any", 0 },
    { "GroupByReducerDataset", "reduce_func", ".any .elements reduce_func_other_arguments", ".any", 0 },
    { "GroupByReducerDataset", "finalize_func", ".any finalize_func_other_arguments", "=output_types", 0 },
    { "GroupByWindowDataset", "key_func", ".elements key_func_other_arguments", ":int64", 0 },
    { "GroupByWindowDataset", "reduce_func", ":int64 :variant reduce_func_other_arguments", ":variant", 0 },
    { "GroupByWindowDataset", "window_size_func", ":int64 window_size_func_other_arguments", ":int64", 0 },
    { "If", "then_branch", "input", "output", TN_TF_CHOOSES },
    { "If", "else_branch", "input", "output", TN_TF_CHOOSES },
    { "IndexFlatMapDataset", "map_func", ".elements map_func_other_args", ".any", 0 },
    { "IndexFlatMapDataset", "index_map_func", ":int64 index_map_func_other_args", ".any", 0 },
    { "InterleaveDataset", "f", ".elements other_arguments", ":variant", 0 },
    { "LegacyParallelInterleaveDatasetV2", "f", ".elements other_arguments", ":variant", 0 },
    { "LoadDataset", "reader_func", ".any reader_func_other_args", ":variant", 0 },
    { "MapAndBatchDataset", "f", ".elements other_arguments", "=output_types", 0 },
    { "MapDataset", "f", ".elements other_arguments", "=output_types", 0 },
    { "MapDefun", "f", "arguments captured_inputs", "output", TN_TF_SLICES },
    { "OneShotIterator", "dataset_factory", "", ":variant", 0 },
    { "ParallelFilterDataset", "predicate", ".elements other_arguments", ":bool", 0 },
    { "ParallelInterleaveDataset", "f", ".elements other_arguments", ":variant", 0 },
    { "ParallelInterleaveDatasetV2", "f", ".elements other_arguments", ":variant", 0 },
    { "ParallelInterleaveDatasetV3", "f", ".elements other_arguments", ":variant", 0 },
    { "ParallelInterleaveDatasetV4", "f", ".elements other_arguments", ":variant", 0 },
    { "ParallelMapDataset", "f", ".elements other_arguments", "=output_types", 0 },
    { "ParallelMapDatasetV2", "f", ".elements other_arguments", "=output_types", 0 },
    { "PartitionedCall", "f", "args", "output", TN_TF_CALLS },
    { "ReduceDataset", "f", "initial_state .elements other_arguments", "=Tstate", 0 },
    { "RemoteCall", "f", "args", "output", TN_TF_CALLS },
    { "RiscCondition", "func_true", "input_true", "output", TN_TF_CHOOSES },
    { "RiscCondition", "func_false", "input_false", "output", TN_TF_CHOOSES },
    { "RiscWhile", "cond", "input", ".any", TN_TF_LOOPS },
    { "RiscWhile", "body", "input", "output", TN_TF_LOOPS },
    { "SaveDataset", "shard_func", ".elements shard_func_other_args", ":int64", 0 },
    { "SaveDatasetV2", "shard_func", ".elements shard_func_other_args", ":int64", 0 },
    { "ScanDataset", "f", "initial_state .elements other_arguments", "=Tstate =output_types", 0 },
    { "SnapshotDatasetV2", "reader_func", ".any reader_func_other_args", ":variant", 0 },
    { "SnapshotDatasetV2", "shard_func", ".elements shard_func_other_args", ":int64", 0 },
    { "StatefulPartitionedCall", "f", "args", "output", TN_TF_CALLS },
    { "StatelessCase", "branches", "input", "output", TN_TF_CHOOSES | TN_TF_LIST },
    { "StatelessIf", "then_branch", "input", "output", TN_TF_CHOOSES },
    { "StatelessIf", "else_branch", "input", "output", TN_TF_CHOOSES },
    { "StatelessWhile", "cond", "input", ".any", TN_TF_LOOPS },
    { "StatelessWhile", "body", "input", "output", TN_TF_LOOPS },
    { "SymbolicGradient", "f", "input", ".any", TN_TF_CALLS },
    { "TPUPartitionedCall", "f", "args", "output", TN_TF_CALLS },
    { "TakeWhileDataset", "predicate", ".elements other_arguments", ":bool", 0 },
    { "While", "cond", "input", ".any", TN_TF_LOOPS },
    { "While", "body", "input", "output", TN_TF_LOOPS },
};
/* clang-format on */
#define CALLERS ((uint32_t)(sizeof callers / sizeof *callers))

const struct tn_tf_caller *tn_tf_callers(uint32_t *count)
{
    *count = CALLERS;
    return callers;
}

const struct tn_tf_caller *tn_tf_caller_at(const struct tn_tf_caller *first,
                                           uint32_t number, uint32_t *place)
{
    *place = first->does & TN_TF_LIST ? number : 0;
    if (first->does & TN_TF_LIST)
        return first;
    if (number >= CALLERS - (uint32_t)(first - callers) ||
        strcmp(first[number].type, first->type))
        return NULL;
    return &first[number];
}

/* ---- what a word stands for --------------------------------------------- */

struct making {
    const struct tn_model     *model;
    uint32_t                   op;
    const struct tn_vocab_op  *kind;
    const struct tn_tf_caller *caller;
    struct tn_error           *error;
    struct tn_list            *to;   /* struct tn_passing                    */
    uint32_t                   room; /* no more are wanted                   */
    uint32_t                   head; /* those before the first gap           */
    uint32_t                   tail; /* where those after the last begin      */
    bool                       has_gap;
};

static void add(struct making *m, struct tn_passing passing)
{
    struct tn_passing *row;

    if (m->to->count >= 2 * (uint64_t)m->room)
        return;
    row = tn_list_push(m->to, struct tn_passing, m->error);
    if (row)
        *row = passing;
}

static void add_type(struct making *m, enum tn_dtype dtype)
{
    add(m, (struct tn_passing){ .number = TN_NONE,
                                .start  = TN_NONE,
                                .type   = dtype == TN_UNDEFINED
                                              ? 0
                                              : TN_TYPE(dtype, TN_WRAP_NONE) });
}

/* An unknown number of values: those after it are counted from the end. */
static void add_gap(struct making *m)
{
    if (!m->has_gap)
        m->head = (uint32_t)m->to->count;
    m->tail    = (uint32_t)m->to->count;
    m->has_gap = true;
}

/* Types that an attribute of some op lists, one after the other; false: it does
 * not tell. */
static bool add_types(struct making *m, uint32_t op, const char *name)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    bool                        is_told = false;

    if (tn_attr_find(&attr, m->model, op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        is_told =
            value->is_list && (value->kind == TN_ATTR_DTYPE || !value->count);
        for (uint32_t i = 0; is_told && i < value->count; i++)
            add_type(m, (enum tn_dtype)value->of.ints[i]);
    }
    tn_attr_close(attr);
    return is_told;
}

/* The node that makes the data set; what it has in an element is in an
 * attribute of it. */
static void add_elements(struct making *m)
{
    uint32_t               value = tn_op_input(m->model, m->op, 0);
    const struct tn_value *row =
        value == TN_NONE ? NULL : tn_model_value_at(m->model, value);

    if (!row || row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE ||
        (!add_types(m, row->producer, "output_types") &&
         !add_types(m, row->producer, "Toutput_types")))
        add_gap(m);
}

/* How many values of the node an argument has; UINT32_MAX: not known. */
static uint32_t width_of(const struct making *m, const struct tn_vocab_arg *arg)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    width = UINT32_MAX;
    char                        name[64];

    if (arg->arity == TN_VOCAB_ONE)
        return 1;
    if (arg->arity != TN_VOCAB_BY_TYPES || arg->list.size >= sizeof name)
        return UINT32_MAX;
    memcpy(name, arg->list.data, arg->list.size);
    name[arg->list.size] = '\0';
    if (tn_attr_find(&attr, m->model, m->op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->is_list)
            width = value->count;
    }
    tn_attr_close(attr);
    return width;
}

/* How values of the node become those of the function. */
static struct tn_passing pass_on(const struct making *m, uint32_t number,
                                 bool is_output, bool is_sliced)
{
    unsigned does = m->caller->does;

    return (struct tn_passing){
        .number     = number,
        .start      = TN_NONE,
        .has_rank   = (does & ~(unsigned)TN_TF_LIST) != 0,
        .deeper     = is_sliced ? -1 : 0,
        .is_choice  = !is_output && does & TN_TF_CHOOSES,
        .is_carried = !is_output && does & TN_TF_LOOPS,
    };
}

/* An input or output of the operator; false: it is not known where it is.  The
 * last inputs are all that there are. */
static bool add_argument(struct making *m, struct tn_bytes word, bool is_output)
{
    const struct tn_vocab_op  *kind = m->kind;
    const struct tn_vocab_arg *args = is_output ? kind->outputs : kind->inputs;
    const struct tn_op        *row  = tn_model_op_at(m->model, m->op);
    uint32_t count = is_output ? kind->output_count : kind->input_count;
    uint32_t given = row->input_count - row->control_count;
    uint32_t first = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool     is_it     = tn_bytes_equal(args[i].name, word);
        bool     is_sliced = m->caller->does & TN_TF_SLICES && i == 0;
        uint32_t width     = width_of(m, &args[i]);
        if (is_it && i + 1 == count && !is_output)
            width = given < first ? 0 : given - first;
        for (uint32_t k = 0; is_it && k < width && k < m->room; k++)
            add(m, pass_on(m, first + k, is_output, is_sliced));
        if (is_it || width > UINT32_MAX - first)
            return width != UINT32_MAX;
        first += width;
    }
    return false;
}

static void add_word(struct making *m, struct tn_bytes word, bool is_output)
{
    char name[64];

    if (word.size >= sizeof name)
        return;
    memcpy(name, word.data, word.size);
    name[word.size] = '\0';
    if (name[0] == ':')
        add_type(m, tn_dtype_find(name + 1));
    else if (!strcmp(name, ".elements"))
        add_elements(m);
    else if (name[0] == '.' ||
             (name[0] == '=' ? !add_types(m, m->op, name + 1)
                             : !add_argument(m, word, is_output)))
        add_gap(m);
}

/* ---- all of them -------------------------------------------------------- */

/* Functions with more arguments than this are only looked at from their first
 * one on: the rows of a passings are made for every node that calls one. */
enum { TAIL_LIMIT = 1024 };

/* Behind a gap they are counted from the end; of what is not in the list
 * nothing is known. */
static void close_gap(struct making *m)
{
    uint32_t count = (uint32_t)m->to->count;
    uint32_t tail  = m->has_gap ? count - m->tail : 0;
    uint32_t head  = m->has_gap ? m->head : count;

    if (head > m->room || tail > m->room - head || m->room > TAIL_LIMIT)
        tail = 0; /* too many: that is reported elsewhere */
    if (!tail) {
        m->to->count = head < m->room ? head : m->room;
        return;
    }
    while (m->to->count < m->room && !tn_failed(m->error))
        add_type(m, TN_UNDEFINED);
    if (tn_failed(m->error))
        return;
    struct tn_passing *all = m->to->items;
    memmove(all + m->room - tail, all + m->tail, tail * sizeof *all);
    for (uint32_t i = head; i < m->room - tail; i++)
        all[i] = (struct tn_passing){ .number = TN_NONE, .start = TN_NONE };
    m->to->count = m->room;
}

static void make(struct making *m, const char *words, bool is_output)
{
    m->to->count = 0;
    while (*words && !tn_failed(m->error)) {
        size_t size = strcspn(words, " ");
        add_word(m, tn_bytes(words, size), is_output);
        words += size + (words[size] == ' ');
    }
    close_gap(m);
}

/* What comes out of a loop goes in again, where the same number did. */
static void close_loop(struct tn_list *takes, struct tn_list *gives)
{
    uint32_t before = 0;

    while (before < takes->count &&
           tn_list_at(takes, struct tn_passing, before)->number == TN_NONE)
        before++;
    for (uint32_t i = 0; i < gives->count && i + before < takes->count; i++) {
        struct tn_passing *row = tn_list_at(gives, struct tn_passing, i);
        if (row->number != TN_NONE)
            row->start = i + before;
    }
}

void tn_tf_passings_init(struct tn_tf_passings *passings,
                         struct tn_memory      *memory)
{
    tn_list_init(&passings->takes, memory, sizeof(struct tn_passing));
    tn_list_init(&passings->gives, memory, sizeof(struct tn_passing));
}

void tn_tf_passings_done(struct tn_tf_passings *passings)
{
    tn_list_done(&passings->takes);
    tn_list_done(&passings->gives);
}

void tn_tf_passings_make(struct tn_tf_passings *passings,
                         const struct tn_model *model, uint32_t op,
                         const struct tn_vocab_op  *kind,
                         const struct tn_tf_caller *caller,
                         uint32_t input_count, uint32_t output_count,
                         struct tn_error *error)
{
    struct making m = {
        .model = model, .op = op, .kind = kind, .caller = caller, .error = error
    };

    m.to   = &passings->takes;
    m.room = input_count;
    make(&m, caller->takes, false);
    m.to      = &passings->gives;
    m.room    = output_count;
    m.has_gap = false;
    m.head = m.tail = 0;
    make(&m, caller->gives, true);
    if (caller->does & TN_TF_LOOPS && !tn_failed(error))
        close_loop(&passings->takes, &passings->gives);
}
