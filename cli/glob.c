/* glob.c - shell patterns over names that may hold any byte */
#include "glob.h"

#include <string.h>

/* Whether the bracket that begins after '[' holds the byte.  *end is behind its
 * ']', or NULL when there is none and '[' stands for itself. */
static bool match_set(const char *set, uint8_t byte, const char **end)
{
    bool        is_inverted = *set == '!' || *set == '^';
    const char *at          = set + (is_inverted ? 1 : 0);
    bool        is_found    = false;

    *end = NULL;
    for (bool is_first = true; *at != '\0' && (*at != ']' || is_first);
         is_first      = false) {
        uint8_t low = (uint8_t)*at, high = low;
        if (at[1] == '-' && at[2] != ']' && at[2] != '\0') {
            high = (uint8_t)at[2];
            at += 2;
        }
        at++;
        is_found = is_found || (byte >= low && byte <= high);
    }
    if (*at != ']')
        return false;
    *end = at + 1;
    return is_found != is_inverted;
}

/* Match one byte; *pattern moves on when it does. */
static bool match_byte(const char **pattern, uint8_t byte)
{
    const char *at = *pattern, *end = NULL;

    if (*at == '\0')
        return false;
    if (*at == '[') {
        bool is_match = match_set(at + 1, byte, &end);
        if (end != NULL) {
            *pattern = end;
            return is_match;
        }
    }
    if (*at == '\\' && at[1] != '\0')
        at++;
    else if (*at == '?') {
        *pattern = at + 1;
        return true;
    }
    *pattern = at + 1;
    return (uint8_t)*at == byte;
}

/* Only the last star needs to be tried again: what an earlier one could take
 * more of, the last one can take as well. */
bool cli_glob(const char *pattern, struct tn_bytes name)
{
    const char *star = NULL; /* the pattern after the last star */
    size_t      from = 0;    /* where in the name it was last tried */
    size_t      i    = 0;

    while (i < name.size) {
        if (*pattern == '*') {
            star = ++pattern;
            from = i;
            continue;
        }
        if (match_byte(&pattern, name.data[i])) {
            i++;
            continue;
        }
        if (star == NULL)
            return false;
        pattern = star;
        i       = ++from;
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool cli_glob_any(char *const *patterns, int count, struct tn_bytes name)
{
    for (int i = 0; i < count; i++)
        if (cli_glob(patterns[i], name))
            return true;
    return count == 0;
}
