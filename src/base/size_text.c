/* size_text.c - "64KiB" and "2GB" as numbers */
#include <string.h>

#include <tenon/formats.h>

static bool is_same_letter(char left, char right)
{
    return (left | 0x20) == (right | 0x20);
}

/* The factor that a unit stands for; 0: no unit. */
static uint64_t unit_factor(const char *unit)
{
    static const char letters[] = "kmgtpe";
    uint64_t          binary = 1, decimal = 1;

    if (unit[0] == '\0' || (is_same_letter(unit[0], 'b') && unit[1] == '\0'))
        return 1;
    for (const char *letter = letters; *letter != '\0'; letter++) {
        binary *= 1024;
        decimal *= 1000;
        if (!is_same_letter(unit[0], *letter))
            continue;
        if (unit[1] == '\0' ||
            (is_same_letter(unit[1], 'i') &&
             (unit[2] == '\0' || (is_same_letter(unit[2], 'b') && !unit[3]))))
            return binary;
        return is_same_letter(unit[1], 'b') && !unit[2] ? decimal : 0;
    }
    return 0;
}

static bool parse_digits(const char **at, uint64_t *number)
{
    const char *first = *at;

    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *at > first;
}

/* "1.5" of a unit: nine digits are finer than a byte of any memory limit. */
static uint64_t parse_fraction(const char **at, uint64_t factor_of_one)
{
    double scale = (double)factor_of_one, sum = 0;

    for (; **at >= '0' && **at <= '9'; ++*at) {
        scale /= 10;
        sum += scale * (**at - '0');
    }
    return (uint64_t)sum;
}

bool tn_parse_size(const char *text, uint64_t *size)
{
    const char *at = text;
    uint64_t    whole;

    if (!parse_digits(&at, &whole))
        return false;
    const char *fraction = *at == '.' ? at + 1 : NULL;
    if (fraction != NULL)
        at = fraction + strspn(fraction, "0123456789");
    uint64_t factor = unit_factor(at + strspn(at, " "));
    if (factor == 0 || whole > UINT64_MAX / factor)
        return false;
    *size         = whole * factor;
    uint64_t part = fraction ? parse_fraction(&fraction, factor) : 0;
    if (part > UINT64_MAX - *size)
        return false;
    *size += part;
    return true;
}
