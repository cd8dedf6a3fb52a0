/*
 * custom_splitter.c - a splitter of one's own for one type of message
 *
 *   custom_splitter TYPES IN PREFIX OUT
 *
 * IN is a ModelConfig of model_config.proto, TYPES that file compiled by
 * `protoc --descriptor_set_out`.  Every hidden layer becomes a chunk, all
 * hyperparameters one more.  They are written to PREFIX.cpb, or PREFIX.pb when
 * there was nothing to take out, and read back from there into OUT.
 */
#include <stdio.h>

#include <tenon/chunk.h>

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) != TN_OK)                                                   \
            goto out;                                                          \
    } while (0)

/* ---- the splitter -------------------------------------------------------- */

/* Any splitter can be composed of others: this one sees nothing but a Layer. */
static enum tn_status split_layer(struct tn_splitter *layer,
                                  struct tn_error    *error)
{
    return tn_splitter_take(layer, NULL, 0, TN_AT_END, error);
}

static enum tn_status split_config(struct tn_splitter *config,
                                   struct tn_error    *error)
{
    const struct tn_step layers[] = { TN_NAME("hidden_layers") };
    const struct tn_step values[] = { TN_NAME("hyperparameters") };
    struct tn_splitter  *layer;
    uint64_t             count;

    TRY(tn_splitter_keep_base(config, error));
    TRY(tn_splitter_count(config, layers, 1, &count, error));
    for (int64_t i = 0; i < (int64_t)count; i++) {
        const struct tn_step at[] = { layers[0], TN_AT(i) };
        TRY(tn_splitter_child(&layer, config, at, 2, error));
        TRY(split_layer(layer, error));
    }
    TRY(tn_splitter_count(config, values, 1, &count, error));
    if (count)
        TRY(tn_splitter_slice(config, values, 1, 0, count, TN_AT_END, error));
out:
    return error->status;
}

/* ---- its use ------------------------------------------------------------- */

static enum tn_status write_chunks(struct tn_message *message,
                                   const char *prefix, struct tn_error *error)
{
    const struct tn_target target = { .path = prefix };
    struct tn_splitter    *splitter;
    const char            *written;

    TRY(tn_splitter_open(&splitter, message, error));
    TRY(split_config(splitter, error));
    TRY(tn_splitter_write(splitter, &target, NULL, &written, error));
    printf("%s\n", written);
    for (uint64_t i = 0; i < tn_splitter_chunk_count(splitter); i++)
        printf("chunk %llu: %llu bytes\n", (unsigned long long)i,
               (unsigned long long)tn_splitter_chunk_size(splitter, i));
out:
    tn_splitter_close(splitter);
    return error->status;
}

static enum tn_status merge_chunks(const struct tn_schema *schema,
                                   const char *prefix, const char *path,
                                   struct tn_error *error)
{
    const struct tn_target target = { .path = path };
    struct tn_message     *merged;

    TRY(tn_merge_read(&merged, schema, "ModelConfig", prefix, NULL, 0, NULL,
                      error));
    TRY(tn_message_write(merged, &target, error));
out:
    tn_message_close(merged);
    return error->status;
}

/* The compiled types are a few hundred bytes; a full buffer is another file. */
static struct tn_bytes read_types(const char *path)
{
    static uint8_t types[1 << 16];
    FILE          *file = fopen(path, "rb");
    size_t         size = file ? fread(types, 1, sizeof types, file) : 0;

    if (file)
        fclose(file);
    return (struct tn_bytes){ types, size < sizeof types ? size : 0 };
}

int main(int argc, char **argv)
{
    struct tn_error    error   = TN_ERROR_INIT;
    struct tn_schema  *schema  = NULL;
    struct tn_message *message = NULL;

    if (argc != 5) {
        fprintf(stderr, "usage: custom_splitter TYPES IN PREFIX OUT\n");
        return 2;
    }
    TRY(tn_schema_open(&schema, read_types(argv[1]), NULL, &error));
    TRY(tn_message_open(&message, schema, "ModelConfig", argv[2], NULL,
                        &error));
    TRY(write_chunks(message, argv[3], &error));
    TRY(merge_chunks(schema, argv[3], argv[4], &error));
out:
    if (error.status != TN_OK)
        fprintf(stderr, "custom_splitter: %s\n", error.what);
    tn_message_close(message);
    tn_schema_close(schema);
    return error.status != TN_OK;
}
