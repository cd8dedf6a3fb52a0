/* alike_keys.c - the key of every line of standard input, for judges */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "base/alike.h"

int main(void)
{
    char   *line = NULL;
    size_t  room = 0;
    ssize_t size;

    while ((size = getline(&line, &room, stdin)) > 0) {
        struct tn_bytes name = tn_bytes(line, (size_t)size - 1);
        uint8_t        *key  = malloc(name.size * TN_ALIKE_GROWTH + 1);
        if (!key)
            return 8;
        fwrite(key, 1, tn_alike_key(key, name), stdout);
        putchar('\n');
        free(key);
    }
    free(line);
    return 0;
}
