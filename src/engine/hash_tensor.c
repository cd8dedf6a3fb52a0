/*
 * hash_tensor.c - the identity of a tensor, whatever file it is in
 *
 *   "tenon.tensor/1" 00
 *   name of the dtype, 00; of blocks, unless they are decoded, the name of
 *   their type
 *   u64 rank, u64 dims[rank]
 *   the elements: little-endian, C order, one byte an element below a byte;
 *   strings: u64 length and the bytes, each; the blocks, their numbers
 *   little-endian
 *
 * All numbers little-endian.  The tensor's name is not part of it.
 */
#include <tenon/blocks.h>

#include "base/given.h"
#include "base/sized.h"
#include "codec/sha256.h"
#include "base/expand.h"
#include "base/little.h"
#include "engine/opened.h"
#include "io/workers.h"
#include "ir/blocks.h"

static void add_u64(struct tn_sha256 *hash, uint64_t value)
{
    uint8_t bytes[8];

    tn_store_little(bytes, value, sizeof bytes);
    tn_sha256_add(hash, tn_bytes(bytes, sizeof bytes));
}

static void add_head(struct tn_sha256 *hash, const struct tn_shape *shape,
                     const char *dtype)
{
    static const char magic[] = "tenon.tensor/1";

    tn_sha256_add(hash, tn_bytes(magic, sizeof magic));
    tn_sha256_add(hash, tn_bytes(dtype, strlen(dtype) + 1));
    add_u64(hash, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        add_u64(hash, shape->dims[i]);
}

/* The state that all tensors of a call share. */
struct hash_work {
    const struct tn_model *model;
    bool                   is_decoded; /* blocks are                          */
    struct tn_meter       *meter; /* NULL: none                               */
    uint64_t               most;  /* bytes that may be hashed                 */
    _Atomic uint64_t       strings; /* bytes of strings that were             */
    uint8_t (*digests)[TN_HASH_SIZE];
};

/* Asks whether to go on while it hashes: a small file can hold a tensor that
 * takes hours, when the caller allows it. */
struct hashing {
    struct tn_sink    sink;
    struct tn_sha256  hash;
    struct hash_work *work;
};

static enum tn_status count_bytes(struct hashing *hashing, uint64_t size,
                                  struct tn_error *error)
{
    struct tn_meter *meter = hashing->work->meter;

    return meter ? tn_meter_add(meter, size, error) : TN_OK;
}

static enum tn_status hash_bytes(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct hashing *hashing = (struct hashing *)sink;

    tn_sha256_add(&hashing->hash, bytes);
    return count_bytes(hashing, bytes.size, error);
}

/* Strings have no fixed size, so the announced total does not include their
 * bytes, and the limit is checked while they are hashed. */
static enum tn_status hash_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct hashing   *hashing = context;
    struct hash_work *work    = hashing->work;

    (void)index;
    uint64_t sum = atomic_fetch_add(&work->strings, text.length) + text.length;
    TN_TRY(tn_expand_check(sum, work->most, error));
    add_u64(&hashing->hash, text.length);
    TN_TRY(tn_sink_splice(&hashing->hash.sink, text, error));
    return count_bytes(hashing, 0, error);
}

static enum tn_status hash_tensor(const struct tn_tensor *tensor,
                                  struct hash_work       *work,
                                  uint8_t                 digest[TN_HASH_SIZE],
                                  struct tn_error        *error)
{
    static const struct tn_sink_ops ops      = { .write = hash_bytes };
    const struct tn_elements       *elements = &tensor->elements;
    uint64_t                        count    = tn_tensor_count(tensor);
    struct hashing hashing = { .sink = { .ops = &ops }, .work = work };
    enum tn_status status;

    tn_sha256_init(&hashing.hash);
    bool is_blocks =
        tn_payload_is_blocks(&elements->payload) && !work->is_decoded;
    add_head(&hashing.hash, &elements->shape,
             is_blocks ? tn_block_type(elements->payload.field)->name
                       : tn_dtype_name(elements->shape.dtype));
    if (is_blocks)
        status = tn_payload_stream_blocks(elements, tensor->model->memory,
                                          &hashing.sink, error);
    else if (tn_dtype_bits(elements->shape.dtype) == 0)
        status = tn_payload_strings(elements, 0, count, hash_string, &hashing,
                                    error);
    else
        status = tn_payload_stream(elements, 0, count, tensor->model->memory,
                                   &hashing.sink, error);
    tn_sha256_finish(&hashing.hash, digest);
    if (status != TN_OK)
        tn_error_where(error, "tensor '%.*s'", TN_FMT(tn_tensor_name(tensor)));
    return status;
}

static enum tn_status hash_alone(const struct tn_tensor *tensor,
                                 bool                    is_decoded,
                                 uint8_t                 digest[TN_HASH_SIZE],
                                 struct tn_error        *error)
{
    struct hash_work work = {
        .most = tn_opened_may_expand(tn_opened_of(tensor->model), NULL),
        .is_decoded = is_decoded,
    };

    TN_TRY(tn_opened_check_tensor(tensor, work.most, error));
    return hash_tensor(tensor, &work, digest, error);
}

enum tn_status tn_tensor_hash(const struct tn_tensor *tensor,
                              uint8_t                 digest[TN_HASH_SIZE],
                              struct tn_error        *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TENSOR(tensor, error);
    return hash_alone(tensor, false, digest, error);
}

enum tn_status tn_tensor_hash_decoded(const struct tn_tensor *tensor,
                                      uint8_t          digest[TN_HASH_SIZE],
                                      struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TENSOR(tensor, error);
    return hash_alone(tensor, true, digest, error);
}

bool tn_tensor_blocks(const struct tn_tensor *tensor,
                      struct tn_block_info   *info)
{
    const struct tn_payload    *payload = &tensor->elements.payload;
    const struct tn_block_type *type =
        tn_payload_is_blocks(payload) ? tn_block_type(payload->field) : NULL;

    *info = (struct tn_block_info){ .name = "" };
    if (type)
        *info = (struct tn_block_info){ type->name, type->elements,
                                        type->bytes };
    return type != NULL;
}

static enum tn_status hash_one(void *context, uint64_t index,
                               struct tn_error *error)
{
    struct hash_work       *work   = context;
    const struct tn_tensor *tensor = tn_model_tensor(work->model, index);

    return hash_tensor(tensor, work, work->digests[index], error);
}

/* Shows progress; a "stop" reaches the workers through the meter. */
static void look_around(void *context)
{
    struct hash_work *work    = context;
    struct tn_error   ignored = TN_ERROR_INIT;

    (void)tn_meter_add(work->meter, 0, &ignored);
}

static enum tn_status hash_model(const struct tn_model   *model,
                                 const struct tn_options *options,
                                 bool                     is_decoded,
                                 uint8_t (*digests)[TN_HASH_SIZE],
                                 struct tn_error *error)
{
    struct tn_meter  meter;
    struct tn_watch  watch;
    struct hash_work work = {
        .model   = model,
        .meter   = &meter,
        .most    = tn_opened_may_expand(tn_opened_of(model), options),
        .digests = digests,
        .is_decoded = is_decoded,
    };

    TN_TRY(tn_opened_check_expansion(model, work.most, error));
    tn_meter_init(&meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "hashing",
                  tn_model_elements_size(model));
    tn_meter_watch(&meter, &watch, model->memory);
    tn_workers_run_watched(options ? options->workers : 0, model->tensors.count,
                           hash_one, look_around, &work, error);
    tn_watch_end(&watch);
    return error->status;
}

enum tn_status tn_model_hash(const struct tn_model   *model,
                             const struct tn_options *options,
                             uint8_t (*digests)[TN_HASH_SIZE],
                             struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    return hash_model(model, options, false, digests, error);
}

enum tn_status tn_model_hash_decoded(const struct tn_model   *model,
                                     const struct tn_options *options,
                                     uint8_t (*digests)[TN_HASH_SIZE],
                                     struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    return hash_model(model, options, true, digests, error);
}
