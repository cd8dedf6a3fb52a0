/*
 * pickle_loop.c - a bare loop over the opcodes of pickles
 *
 *   pickle_loop FILE
 *
 * Reads the file and steps from opcode to opcode, without a stack: the least that
 * looking at a pickle can cost.  Prints what stopwatch.h says, and the opcodes as
 * `nodes`.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stopwatch.h"

static uint8_t *read_all(const char *path, size_t *size)
{
    int         file = open(path, O_RDONLY);
    struct stat about;

    if (file < 0 || fstat(file, &about) != 0)
        return NULL;
    uint8_t *bytes = malloc((size_t)about.st_size + 16);
    for (*size = 0; bytes && *size < (size_t)about.st_size;) {
        ssize_t n = read(file, bytes + *size, (size_t)about.st_size - *size);
        if (n <= 0)
            break;
        *size += (size_t)n;
    }
    close(file);
    return bytes;
}

static uint64_t load(const uint8_t *at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, at, size);
    return value;
}

/* What follows an opcode. */
static const uint8_t *step(const uint8_t *at, const uint8_t *end)
{
    switch (*at++) {
    case 0x80: case 'K': case 'h': case 'q': case 0x82: return at + 1;
    case 'M': case 0x83: return at + 2;
    case 'J': case 'j': case 'r': case 0x84: return at + 4;
    case 'G': case 0x95: return at + 8;
    case 0x8c: case 'U': case 'C': case 0x8a: return at + 1 + load(at, 1);
    case 'X': case 'B': case 'T': case 0x8b: return at + 4 + load(at, 4);
    case 0x8d: case 0x8e: case 0x96: return at + 8 + load(at, 8);
    case 'c':
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? memchr(at + 1, '\n', (size_t)(end - at - 1)) : NULL;
        return at ? at + 1 : end;
    default: return at;
    }
}

int main(int count, char **arguments)
{
    struct stopwatch begin = stopwatch_start();
    size_t           size  = 0;
    uint8_t         *bytes = count == 2 ? read_all(arguments[1], &size) : NULL;
    long             opcodes = 0;

    if (!bytes)
        return 1;
    for (const uint8_t *at = bytes, *end = bytes + size; at < end; opcodes++)
        at = step(at, end);
    stopwatch_print(begin, opcodes);
    free(bytes);
    return 0;
}
