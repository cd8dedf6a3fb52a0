/*
 * print_descriptor.h - a descriptor as lines of text
 *
 * A line for each argument, in the order that libnd4j gets them, whatever
 * places the rules name: list, place in it, name and value, tab-separated.  The
 * list is one letter; x is that of the inputs, whose value is their name, or
 * empty for a constant that the rules made.
 */
#ifndef TN_TEST_PRINT_DESCRIPTOR_H
#define TN_TEST_PRINT_DESCRIPTOR_H

#include <stdio.h>
#include <string.h>

#include <tenon/interpret.h>

static void print_value(enum tn_arg_list list, const struct tn_arg *arg)
{
    if (list == TN_LIST_IN && arg->tensor.size > 0)
        printf("\n");
    else if (list == TN_LIST_IN)
        printf("%.*s\n", (int)arg->name.size, (const char *)arg->name.data);
    else if (list == TN_LIST_T)
        printf("%.17g\n", arg->real);
    else if (list == TN_LIST_S)
        printf("%.*s\n", (int)arg->text.size, (const char *)arg->text.data);
    else
        printf("%lld\n", (long long)arg->number);
}

static void print_descriptor(const struct tn_op_descriptor *op)
{
    static const char letters[TN_LIST_COUNT] = {
        [TN_LIST_IN] = 'x', [TN_LIST_T] = 't', [TN_LIST_I] = 'i',
        [TN_LIST_B] = 'b',  [TN_LIST_D] = 'd', [TN_LIST_S] = 's',
    };

    for (int list = 0; list < TN_LIST_COUNT; list++)
        for (uint32_t i = 0; letters[list] && i < op->lists[list].count; i++) {
            const struct tn_arg *arg = &op->lists[list].items[i];
            printf("%c\t%u\t%.*s\t", letters[list], (unsigned)i,
                   (int)arg->name.size, (const char *)arg->name.data);
            print_value((enum tn_arg_list)list, arg);
        }
}

/* How many known defects the mapper of a framework's op has; -1: there is no
 * mapper, and the rules of the library interpret it. */
static int count_defects(const struct tn_interpreter *interpreter,
                         const char *framework, struct tn_bytes op)
{
    for (uint32_t i = 0; i < tn_interpreter_mapper_count(interpreter); i++) {
        struct tn_mapper_info info = tn_interpreter_mapper(interpreter, i);
        if (info.framework.size == strlen(framework) &&
            !memcmp(info.framework.data, framework, info.framework.size) &&
            info.op_type.size == op.size &&
            !memcmp(info.op_type.data, op.data, op.size))
            return (int)info.defect_count;
    }
    return -1;
}

#endif
