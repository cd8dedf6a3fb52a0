/*
 * import_ops.h - operators of both sides of the import rules, made for tests
 *
 * Between them they have an argument of every type, an attribute of every kind
 * and inputs of every arity.
 */
#ifndef TN_TESTS_IMPORT_OPS_H
#define TN_TESTS_IMPORT_OPS_H

/* nd4j's side: an op with arguments of every type; `both` is declared under
 * three types at once, `real` as a double alone. */
static const char import_nd4j_ops[] =
    "opList { name: 'op' "
    "argDescriptor { name: 'a' argType: INPUT_TENSOR } "
    "argDescriptor { name: 'b' argType: INPUT_TENSOR argIndex: 1 } "
    "argDescriptor { name: 'out' argType: OUTPUT_TENSOR } "
    "argDescriptor { name: 'n' argType: INT64 } "
    "argDescriptor { name: 'm' argType: INT64 argIndex: 1 } "
    "argDescriptor { name: 'both' argType: INT64 argIndex: 2 } "
    "argDescriptor { name: 'both' argType: DOUBLE argIndex: 0 } "
    "argDescriptor { name: 'both' argType: BOOL argIndex: 0 } "
    "argDescriptor { name: 'real' argType: DOUBLE argIndex: 1 } "
    "argDescriptor { name: 'flag' argType: BOOL argIndex: 1 } "
    "argDescriptor { name: 'text' argType: STRING } "
    "argDescriptor { name: 'type' argType: DATA_TYPE } }";

/* The framework's side. */
static const char import_framework_ops[] =
    "vocabulary tensorflow 1\n"
    "types any = {int32 float32 string}\n"
    "domain \"\"\n"
    "op Counted (xs N*any, y any) -> (z any)\n    N int\n"
    "op Many (x any, xs* any) -> (z any)\n"
    "op Op (x any, y any) -> (z any)\n"
    "    i int\n    f float\n    s string = \"SAME\"\n    flag bool\n"
    "    t type\n    sh shape\n    v tensor\n    is list(int)\n"
    "    fs list(float)\n    ss list(string)\n    ts list(type)\n"
    "    fn func\n    d int = 42\n    dv tensor = uint8[1 2]\n"
    "op Typed (xs *Ts, y any) -> (z any)\n    Ts list(type)\n";

#endif
