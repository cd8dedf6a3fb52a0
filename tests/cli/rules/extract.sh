# op descriptors come out of libnd4j's macros
cat >scale.cpp <<'END'
CONFIGURABLE_OP_IMPL(scale, 1, 1, true, 1, 0) {
    auto input = INPUT_VARIABLE(0);
    double factor = T_ARG(0); // INT_ARG(3) is none
}
END
tenon rules extract scale.cpp
tenon rules extract tiny.onnx
echo $?
tenon rules frobnicate
