/* pb_time.c - durations, points in time and field masks, as JSON spells them */
#include "wire/pb/pb_time.h"

#include <inttypes.h>
#include <stdio.h>

#define DURATION_LIMIT INT64_C(315576000000) /* ten thousand years */
#define TIME_FIRST     INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define TIME_LAST      INT64_C(253402300799) /* 9999-12-31T23:59:59Z */
#define DAY            86400
#define BILLION        1000000000

/* ".5" in three, six or nine digits, as few as are enough; none for zero. */
static int print_nanos(char *to, size_t room, int64_t nanos)
{
    if (nanos == 0)
        return 0;
    if (nanos % 1000000 == 0)
        return snprintf(to, room, ".%03" PRId64, nanos / 1000000);
    if (nanos % 1000 == 0)
        return snprintf(to, room, ".%06" PRId64, nanos / 1000);
    return snprintf(to, room, ".%09" PRId64, nanos);
}

/* Reading */

struct scan {
    const uint8_t *at, *end;
};

static struct scan scan_of(struct tn_bytes text)
{
    const uint8_t *at = text.size ? text.data : (const uint8_t *)"";

    return (struct scan){ at, at + text.size };
}

static bool take(struct scan *s, uint8_t byte)
{
    if (s->at == s->end || *s->at != byte)
        return false;
    s->at++;
    return true;
}

/* From `least` to `most` digits. */
static bool take_number(struct scan *s, int least, int most, int64_t *value)
{
    int count = 0;

    for (*value = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        if (++count <= most)
            *value = *value * 10 + (*s->at - '0');
    return count >= least && count <= most;
}

/* A point and one to nine digits, or nothing. */
static bool take_nanos(struct scan *s, int64_t *nanos)
{
    *nanos = 0;
    if (!take(s, '.'))
        return true;
    const uint8_t *begin = s->at;
    if (!take_number(s, 1, 9, nanos))
        return false;
    for (int64_t digits = s->at - begin; digits < 9; digits++)
        *nanos *= 10;
    return true;
}

/* Durations */

static bool is_duration(struct tn_pb_time t)
{
    if (t.seconds < -DURATION_LIMIT || t.seconds > DURATION_LIMIT ||
        t.nanos <= -BILLION || t.nanos >= BILLION)
        return false;
    return t.nanos == 0 || t.seconds == 0 || (t.nanos < 0) == (t.seconds < 0);
}

unsigned tn_pb_duration_print(char to[TN_PB_TIME_ROOM], struct tn_pb_time t)
{
    bool is_minus = t.seconds < 0 || t.nanos < 0;

    if (!is_duration(t))
        return 0;
    int size = snprintf(to, TN_PB_TIME_ROOM, "%s%" PRId64, is_minus ? "-" : "",
                        is_minus ? -t.seconds : t.seconds);
    size += print_nanos(to + size, TN_PB_TIME_ROOM - (size_t)size,
                        is_minus ? -t.nanos : t.nanos);
    size += snprintf(to + size, TN_PB_TIME_ROOM - (size_t)size, "s");
    return (unsigned)size;
}

bool tn_pb_duration_parse(struct tn_bytes text, struct tn_pb_time *t)
{
    struct scan s        = scan_of(text);
    bool        is_minus = take(&s, '-');

    if (!take_number(&s, 1, 12, &t->seconds) || !take_nanos(&s, &t->nanos) ||
        !take(&s, 's') || s.at != s.end)
        return false;
    if (is_minus) {
        t->seconds = -t->seconds;
        t->nanos   = -t->nanos;
    }
    return is_duration(*t);
}

/* Calendar */

/* Days before a year begins, counted from 0001-01-01. */
static int64_t days_before_year(int64_t year)
{
    int64_t past = year - 1;

    return past * 365 + past / 4 - past / 100 + past / 400;
}

static int64_t month_days(int64_t year, int64_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30,
                                    31, 31, 30, 31, 30, 31 };

    return days[month - 1] +
           (month == 2 &&
            (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)));
}

/* The year that a day since 0001-01-01 is in. */
static int64_t year_of_day(int64_t day)
{
    int64_t year = day / 366 + 1; /* never too late */

    while (days_before_year(year + 1) <= day)
        year++;
    return year;
}

unsigned tn_pb_timestamp_print(char to[TN_PB_TIME_ROOM], struct tn_pb_time t)
{
    int64_t since = t.seconds - TIME_FIRST;
    int64_t month = 1;

    if (t.seconds < TIME_FIRST || t.seconds > TIME_LAST || t.nanos < 0 ||
        t.nanos >= BILLION)
        return 0;
    int64_t day = since / DAY, clock = since % DAY;
    int64_t year = year_of_day(day);
    day -= days_before_year(year);
    for (; day >= month_days(year, month); month++)
        day -= month_days(year, month);
    int size =
        snprintf(to, TN_PB_TIME_ROOM, "%04d-%02d-%02dT%02d:%02d:%02d",
                 (int)year, (int)month, (int)day + 1, (int)(clock / 3600),
                 (int)(clock / 60 % 60), (int)(clock % 60));
    size += print_nanos(to + size, TN_PB_TIME_ROOM - (size_t)size, t.nanos);
    size += snprintf(to + size, TN_PB_TIME_ROOM - (size_t)size, "Z");
    return (unsigned)size;
}

static bool take_date(struct scan *s, int64_t *days)
{
    int64_t year, month, day;

    if (!take_number(s, 4, 4, &year) || !take(s, '-') ||
        !take_number(s, 2, 2, &month) || !take(s, '-') ||
        !take_number(s, 2, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > month_days(year, month))
        return false;
    *days = days_before_year(year) + day - 1;
    for (int64_t m = 1; m < month; m++)
        *days += month_days(year, m);
    return true;
}

static bool take_clock(struct scan *s, int64_t *seconds)
{
    int64_t hour, minute, second;

    if (!take_number(s, 2, 2, &hour) || !take(s, ':') ||
        !take_number(s, 2, 2, &minute) || !take(s, ':') ||
        !take_number(s, 2, 2, &second))
        return false;
    *seconds = hour * 3600 + minute * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
}

/* "Z", or hours and minutes ahead of it or behind. */
static bool take_zone(struct scan *s, int64_t *seconds)
{
    int64_t hour, minute;

    *seconds = 0;
    if (take(s, 'Z'))
        return true;
    bool is_behind = take(s, '-');
    if ((!is_behind && !take(s, '+')) || !take_number(s, 2, 2, &hour) ||
        !take(s, ':') || !take_number(s, 2, 2, &minute))
        return false;
    *seconds = (hour * 3600 + minute * 60) * (is_behind ? -1 : 1);
    return hour < 24 && minute < 60;
}

bool tn_pb_timestamp_parse(struct tn_bytes text, struct tn_pb_time *t)
{
    struct scan s = scan_of(text);
    int64_t     days, clock, zone;

    if (!take_date(&s, &days) || !take(&s, 'T') || !take_clock(&s, &clock) ||
        !take_nanos(&s, &t->nanos) || !take_zone(&s, &zone) || s.at != s.end)
        return false;
    t->seconds = TIME_FIRST + days * DAY + clock - zone;
    return t->seconds >= TIME_FIRST && t->seconds <= TIME_LAST;
}

/* Field masks */

static bool is_small(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_capital(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

bool tn_pb_mask_camel(struct tn_buffer *to, struct tn_bytes path)
{
    for (size_t i = 0; i < path.size; i++) {
        uint8_t c = path.data[i];
        if (is_capital(c) || c == ',')
            return false;
        if (c == '_') {
            if (++i == path.size || !is_small(path.data[i]))
                return false;
            c = (uint8_t)(path.data[i] - 'a' + 'A');
        }
        tn_buffer_byte(to, c);
    }
    return path.size > 0;
}

bool tn_pb_mask_snake(struct tn_buffer *to, struct tn_bytes path)
{
    for (size_t i = 0; i < path.size; i++) {
        uint8_t c = path.data[i];
        if (c == '_')
            return false;
        if (is_capital(c))
            tn_buffer_byte(to, '_');
        tn_buffer_byte(to, is_capital(c) ? (uint8_t)(c - 'A' + 'a') : c);
    }
    return path.size > 0;
}
