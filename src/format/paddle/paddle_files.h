/*
 * paddle_files.h - which files make a model, and opening it by any of them
 *
 *   DIR/__model__ + DIR/NAME...        one file for each stored variable
 *   DIR/MODEL + DIR/PARAMS             all in one, under any two names
 *   PREFIX.pdmodel + PREFIX.pdiparams  the same under the names of 2.x, often
 *                                      with PREFIX.pdiparams.info
 *   PREFIX.FUNC.pdmodel                a function of several, which may share
 *                                      PREFIX.pdiparams
 *   PREFIX.pdmodel + PREFIX.pdparams   a checkpoint: parameters as a pickle,
 *                  + PREFIX.pdopt      and the optimizer's state
 */
#ifndef TN_FORMAT_PADDLE_FILES_H
#define TN_FORMAT_PADDLE_FILES_H

#include "format/paddle/paddle.h"

/* The name with ".txt", ".pdmodel" and the like replaced by another suffix. */
const char *tn_paddle_with_suffix(struct tn_arena *arena, const char *name,
                                  const char *suffix, struct tn_error *error);

/* Whether a file that begins with these bytes is a program, or a pickle of 0.11
 * that contains one. */
bool tn_paddle_is_program(struct tn_bytes head);
bool tn_paddle_is_pickled_program(struct tn_bytes head);

/* The program that a file belongs to: *name is NULL if there is none, or if the
 * file does not hold its parameters. */
enum tn_status tn_paddle_program_beside(struct tn_bundle *bundle,
                                        const char      **name,
                                        struct tn_error  *error);

/* PREFIX.FUNC.pdmodel beside PREFIX.pdmodel, or the program as text beside it:
 * whether the file `name` belongs to the file `other`. */
bool tn_paddle_is_part_of(const char *name, const char *other);

/* The program of a folder, or NOT_FOUND. */
enum tn_status tn_paddle_program_in(struct tn_bundle *bundle, const char **name,
                                    struct tn_error *error);

/* Opens the program of that name, which is the main file or beside it, and its
 * parameters. */
enum tn_status tn_paddle_open_program(struct tn_bundle *bundle,
                                      struct tn_model *model, const char *name,
                                      struct tn_error *error);

/* The same for a file that is part of a model; the caller sees the format of
 * the model. */
enum tn_status tn_paddle_open_part(struct tn_bundle *bundle,
                                   struct tn_model *model, const char *name,
                                   struct tn_error *error);

#endif
