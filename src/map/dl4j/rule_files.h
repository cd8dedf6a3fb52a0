/*
 * rule_files.h - the rule languages of Deeplearning4j, read into mappers
 *
 * Deeplearning4j's: a MappingDefinitionSet as protobuf text,
 *
 *   mappings {
 *     frameworkName: "onnx"  opName: "abs"  inputFrameworkOpName: "Abs"
 *     rule {
 *       ruleName: "ndarraymapping"  ruleType: "tensor"
 *       inputToOutput { key: "input" value: "X" }
 *     }
 *   }
 *
 * and the sketch it grew from, where an op of nd4j has a mapping for each
 * framework:
 *
 *   floor {
 *     tensorflow_mapping {
 *       input_mappings { first: "x" }
 *       output_mappings { z: "y" }
 *       attribute_mapping_functions {
 *         MappingRule { functionName: "StringEqualsConversion" ... }
 *         name_of_nd4j: "name_of_the_framework"
 *       }
 *     }
 *     onnx_mapping { ... }
 *   }
 *
 * In a sketch, the framework's op is the one of the same name, regardless of
 * case and underscores, unless inputFrameworkOpName gives another.  The two
 * messages of a sketch that may also appear at the top level are read, too:
 * MappingRule, which gives a rule a name, and Mapper, which lists such names.
 */
#ifndef TN_MAP_RULE_FILES_H
#define TN_MAP_RULE_FILES_H

#include "ir/vocab.h"
#include "map/dl4j/mapper.h"
#include "wire/pb/pb_text_tree.h"

struct tn_rule_file {
    struct tn_mappers *mappers;
    const char        *name;   /* for messages                                */
    struct tn_vocab   *vocabs; /* one for each framework; NULL: not known     */
    struct tn_error   *error;
};

/* Whether the text is a sketch, judged by its first fields. */
bool tn_rules_are_sketch(const struct tn_text_field *root);

enum tn_status tn_dl4j_rules_read(const struct tn_rule_file  *file,
                                  const struct tn_text_field *root);
enum tn_status tn_rule_sketch_read(const struct tn_rule_file  *file,
                                   const struct tn_text_field *root);

#endif
