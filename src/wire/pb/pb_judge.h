/*
 * pb_judge.h - protoc as the judge of our tests
 *
 * Included by tests only.  Small .proto files are in tests/corpus/pb; protoc
 * compiles them when the test runs, and says what bytes mean.
 */
#ifndef TN_WIRE_PB_JUDGE_H
#define TN_WIRE_PB_JUDGE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/hostile.h"

static inline void judge_path(char *to, size_t size, const char *name)
{
    const char *dir = getenv("TMPDIR");

    snprintf(to, size, "%s/tenon-judge-%ld-%s", dir ? dir : "/tmp",
             (long)getpid(), name);
}

static inline void judge_save(const char *path, struct tn_bytes bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    if (bytes.size)
        assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
}

/* The descriptor set of tests/corpus/pb/NAME.proto; the caller frees it. */
static inline struct tn_bytes judge_compile(const char *name)
{
    char path[300], command[1200];

    judge_path(path, sizeof path, "set");
    snprintf(command, sizeof command,
             "protoc -I '%s/pb' --include_imports --descriptor_set_out='%s' "
             "'%s/pb/%s.proto'",
             TN_CORPUS, path, TN_CORPUS, name);
    assert_int_equal(system(command), 0);
    struct tn_bytes set = tn_load_file(path);
    remove(path);
    assert_non_null(set.data);
    return set;
}

/* protoc --decode or --encode; .data is NULL when it refuses.  The caller
 * frees it. */
static inline struct tn_bytes judge_run(struct tn_bytes set, const char *verb,
                                        const char *type, struct tn_bytes input)
{
    char desc[300], from[300], to[300], command[1400];

    judge_path(desc, sizeof desc, "desc");
    judge_path(from, sizeof from, "from");
    judge_path(to, sizeof to, "to");
    judge_save(desc, set);
    judge_save(from, input);
    snprintf(command, sizeof command,
             "protoc --descriptor_set_in='%s' --%s='%s' <'%s' >'%s' "
             "2>/dev/null",
             desc, verb, type, from, to);
    struct tn_bytes result =
        system(command) == 0 ? tn_load_file(to) : tn_bytes(NULL, 0);
    remove(desc);
    remove(from);
    remove(to);
    return result;
}

#endif
