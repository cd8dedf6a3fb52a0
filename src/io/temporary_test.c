/* temporary_test.c - what a signal handler finds of temporary files */
#define _GNU_SOURCE
#include "io/temporary.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

static struct tn_temporaries *new_list(void)
{
    struct tn_temporaries *list;

    assert_int_equal(tn_temporaries_new(&list, NULL, NULL), TN_OK);
    return list;
}

static void files_go_then_folders_then_locks(void **state)
{
    struct tn_scratch      scratch = tn_scratch_open();
    struct tn_temporaries *list    = new_list();

    (void)state;
    tn_temporary_add(list, TN_TEMPORARY_LOCK, scratch.folder, "lock");
    tn_temporary_add(list, TN_TEMPORARY_FOLDER, scratch.folder, "a");
    tn_temporary_add(list, TN_TEMPORARY_FOLDER, scratch.folder, "a/b");
    tn_temporary_add(list, TN_TEMPORARY_FOLDER, scratch.folder, "used");
    tn_temporary_add(list, TN_TEMPORARY_FILE, scratch.folder, "a/b/file");
    tn_temporary_add(list, TN_TEMPORARY_FILE, scratch.folder, "never made");
    mkdirat(scratch.folder, "a", 0777);
    mkdirat(scratch.folder, "a/b", 0777);
    mkdirat(scratch.folder, "used", 0777);
    tn_scratch_write(&scratch, "a/b/file", "x");
    tn_scratch_write(&scratch, "used/by somebody", "x");
    tn_scratch_write(&scratch, "lock", "");
    tn_temporaries_remove(list);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 1);
    assert_true(tn_scratch_holds(&scratch, "used/by somebody", "x"));
    tn_temporaries_close(list);
    tn_scratch_close(&scratch);
}

/* More than a block has room for; some are dropped, and their slots used. */
static void any_number_of_names(void **state)
{
    enum { MANY = 200 };
    struct tn_scratch      scratch = tn_scratch_open();
    struct tn_temporaries *list    = new_list();
    struct tn_temporary   *slots[MANY];
    char                   name[20];

    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            snprintf(name, sizeof name, "file%d", i);
            tn_scratch_write(&scratch, name, "x");
            if (round && i % 2)
                tn_temporary_drop(slots[i]);
            else if (!round || i % 3 == 0)
                slots[i] = tn_temporary_add(list, TN_TEMPORARY_FILE,
                                            scratch.folder, name);
            assert_non_null(slots[i]);
        }
    tn_temporaries_remove(list);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), MANY / 2);
    assert_true(tn_scratch_holds(&scratch, "file1", "x"));
    tn_temporaries_close(list);
    tn_scratch_close(&scratch);
}

/* The next output needs the lock to know whose the others are. */
static void a_name_without_room_keeps_the_lock(void **state)
{
    struct tn_scratch      scratch = tn_scratch_open();
    struct tn_temporaries *list    = new_list();
    char                   name[2000];

    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tn_scratch_write(&scratch, "lock", "");
    tn_temporary_add(list, TN_TEMPORARY_LOCK, scratch.folder, "lock");
    assert_null(tn_temporary_add(list, TN_TEMPORARY_FILE, 0, name));
    tn_temporaries_remove(list);
    assert_true(tn_scratch_has(&scratch, "lock"));
    tn_temporaries_close(list);
    tn_scratch_close(&scratch);
}

static void *add_and_drop(void *context)
{
    struct tn_temporaries *list = context;
    struct tn_temporary   *slots[40];

    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 40; i++)
            slots[i] = tn_temporary_add(list, TN_TEMPORARY_FILE, -1, "name");
        for (int i = 0; i < 40; i++) {
            assert_non_null(slots[i]);
            tn_temporary_drop(slots[i]);
        }
    }
    return NULL;
}

static void threads_share_a_list(void **state)
{
    struct tn_temporaries *list = new_list();
    pthread_t              threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_drop, list),
                         0);
    for (int i = 0; i < 50; i++)
        tn_temporaries_remove(list);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    tn_temporaries_close(list);
}

static void *no_memory(void *context, void *memory, size_t old_size,
                       size_t new_size)
{
    (void)context;
    (void)memory;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void nothing_is_fine(void **state)
{
    struct tn_allocator    none  = { no_memory, NULL };
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_temporaries *list;

    (void)state;
    assert_int_equal(tn_temporaries_new(&list, &none, &error), TN_NO_MEMORY);
    assert_null(list);
    assert_null(tn_temporary_add(NULL, TN_TEMPORARY_FILE, -1, "name"));
    tn_temporary_drop(NULL);
    tn_temporaries_remove(NULL);
    tn_temporaries_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_go_then_folders_then_locks),
        cmocka_unit_test(any_number_of_names),
        cmocka_unit_test(a_name_without_room_keeps_the_lock),
        cmocka_unit_test(threads_share_a_list),
        cmocka_unit_test(nothing_is_fine),
    };

    return tn_run_on_every_os(tests);
}
