/* scan_names_test.c - how names in pickles are judged */
#include "scan/scan.h"

#include "support/hostile.h"

static const struct {
    const char       *module, *name;
    enum tn_name_kind kind;
} cases[] = {
    { "collections", "OrderedDict", TN_NAME_HARMLESS },
    { "__builtin__", "set", TN_NAME_HARMLESS },
    { "torch", "FloatStorage", TN_NAME_HARMLESS },
    { "torch.cuda", "HalfStorage", TN_NAME_HARMLESS },
    { "torch.cuda.sparse", "FloatTensor", TN_NAME_HARMLESS },
    { "torch", "float8_e4m3fn", TN_NAME_HARMLESS },
    { "torch._utils", "_rebuild_tensor_v2", TN_NAME_HARMLESS },
    { "__torch__.torch.nn.modules.linear", "Linear", TN_NAME_HARMLESS },
    { "torch.nn.modules.linear", "Linear", TN_NAME_CLASS },
    { "torch.nn.modules.linear", "Linear.forward", TN_NAME_FRAMEWORK },
    { "torch.nn.modules.module", "warnings", TN_NAME_FRAMEWORK },
    { "torch.nn.functional", "relu", TN_NAME_CLASS },
    { "torch.nn.functional", "relu.__globals__", TN_NAME_FRAMEWORK },
    { "my.net", "Net", TN_NAME_OTHER },
    { "__main__", "Net", TN_NAME_OTHER },
    { "os", "system", TN_NAME_POWER },
    { "posix", "system", TN_NAME_POWER },
    { "builtins", "eval", TN_NAME_POWER },
    { "__builtin__", "getattr", TN_NAME_POWER },
    { "pytz", "_UTC", TN_NAME_MAKER },
    { "pytz", "open_resource", TN_NAME_OTHER },
    { "builtins", "print.__class__", TN_NAME_POWER },
    { "collections", "OrderedDict.__init__", TN_NAME_POWER },
    { "torch.hub", "load", TN_NAME_FRAMEWORK },
    { "torch.FloatStorage", "x", TN_NAME_FRAMEWORK },
    { "torch", "FloatStoragex", TN_NAME_FRAMEWORK },
    { "numpy.f2py.crackfortran", "getlincoef", TN_NAME_FRAMEWORK },
    { "typing", "Any", TN_NAME_HARMLESS },
    { "typing", "Any.__class__", TN_NAME_POWER },
    { "numpy", "float32", TN_NAME_HARMLESS },
    { "numpy", "load", TN_NAME_FRAMEWORK },
    { "sklearn.tree._tree", "Tree", TN_NAME_CLASS },
    { "sklearnx.tree", "Tree", TN_NAME_OTHER },
    { "pandas._libs.internals", "_unpickle_block", TN_NAME_MAKER },
    { "pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked", TN_NAME_MAKER },
    { "pandas._libs.arrays", "__pyx_unpickle_X.y", TN_NAME_OTHER },
    { "pandas.core.indexes.base", "_new_Index", TN_NAME_MAKER },
    { "pandas.core.indexes.base", "new_Index", TN_NAME_OTHER },
    { "numpy", "matrix", TN_NAME_MAKER },
    { "numpy", "matrixlib", TN_NAME_FRAMEWORK },
    { "random", "Random", TN_NAME_MAKER },
    { "random", "Random.seed", TN_NAME_POWER },
    { "pip", "main", TN_NAME_POWER },
    { "httplib", "HTTPSConnection", TN_NAME_POWER },
    { "builtins", "ValueError", TN_NAME_HARMLESS },
    { "exceptions", "IOError", TN_NAME_HARMLESS },
    { "builtins", "print.Error", TN_NAME_POWER },
    { "os", "Error", TN_NAME_POWER },
    { "array", "_array_reconstructor", TN_NAME_HARMLESS },
    { "UserList", "UserList", TN_NAME_HARMLESS },
    { "re", "_compile", TN_NAME_HARMLESS },
    { "re", "sub", TN_NAME_POWER },
    { "", "", TN_NAME_POWER },
};

static void names_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (tn_scan_judge_name(tn_text(cases[i].module),
                               tn_text(cases[i].name)) != cases[i].kind)
            fail_msg("%s.%s", cases[i].module, cases[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_judged) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
