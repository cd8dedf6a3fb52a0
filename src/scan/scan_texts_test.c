/* scan_texts_test.c - templates, YAML and configurations, in disguise too */
#include "scan/scan.h"

#include "scan/scan_testing.h"
#include "support/hostile.h"

/* clang-format off */
static const struct {
    const char *name, *text, *story;
} cases[] = {
    { "tokenizer_config.json", "{\"chat_template\": \"{{ x | trim }}\"}", "note chat-template  -1;" },
    { "tokenizer_config.json", "{\"chat_template\": \"{{ x.__class__ }}\"}", "dangerous chat-template  -1;" },
    { "tokenizer_config.json", "{\"chat_template\": \"\\u007b\\u007b x.__cl\\u0061ss__ }}\"}", "dangerous chat-template  -1;" },
    { "tokenizer_config.json", "{\"chat_template\": \"{{ x|\\u0061ttr(y) }}\"}", "dangerous chat-template  -1;" },
    { "processor_config.json", "{\"chat_template\": \"{{ x.pop\\u0065n() }}\"}", "dangerous chat-template  -1;" },
    { "chat_template.json", "{\"a\": [\"\\\"\", \"{{ x }}\", \"__class__\"]}", "note chat-template  -1;" },
    { "tokenizer_config.json", "{\"tokens\": [\"__class__\", \"{\"]}", "" },
    { "tokenizer_config.json", "{\"open\": \"{{ x", "note chat-template  -1;" },
    { "a.j2", "{{ x.__class__ }}", "dangerous chat-template  -1;" },
    { "a.jinja2", "{{ x.__class__ }}", "dangerous chat-template  -1;" },
    { "a.j2", "{{ '}}' ~ x['_' ~ y] }}", "unknown chat-template  -1;" },
    { "a.j2", "{{ {'a': {'b': 1}} ~ '_' }}", "unknown chat-template  -1;" },
    { "a.j2", "{# {{ ' #}{{ '}}' ~ '_' }}", "unknown chat-template  -1;" },
    { "a.j2", "{% raw %}{{ ' {% endraw %}{{ '}}' ~ '_' }}", "unknown chat-template  -1;" },
    { "a.j2", "{% set u = 'tool_calls' [4] %}{{ x[u ~ u] }}", "unknown chat-template  -1;" },
    { "a.j2", "{# __ #}{{ x['a'][0] }} it's __", "note chat-template  -1;" },
    { "a.j2", "{{ 'it\\'s' }}'__{{ y }}", "note chat-template  -1;" },
    /* Names that are put together. */
    { "a.j2", "{{ x[('tool_calls' | list)[4] * 2 ~ 'globals' ~ u] }}", "unknown chat-template  -1;" },
    { "a.j2", "{% set v = u[4] %}{% set n = v*2 ~ 'globals' ~ v*2 %}{{ x[n] }}", "unknown chat-template  -1;" },
    { "a.j2", "{% set g = 'globals' %}{% set n = v+v+g+v+v %}{% set m = n %}{{ x[ m ] }}", "unknown chat-template  -1;" },
    { "a.j2", "{% for c in 'tool_calls' %}{% set n = c+c+'globals' %}{{ x[n] }}{% endfor %}", "unknown chat-template  -1;" },
    { "a.j2", "{% set n %}{{ c }}globals{% endset %}{{ x[n] }}", "unknown chat-template  -1;" },
    { "a.j2", "{%- with n = 'a' ~ b %}{{ x[n] }}{% endwith %}", "unknown chat-template  -1;" },
    { "a.j2", "{{ x | map(attribute = y) | list }}", "unknown chat-template  -1;" },
    { "a.j2", "{{ x | groupby(y) }}", "unknown chat-template  -1;" },
    { "a.j2", "{{ 'tool_calls'.replace('toolcalls', '') }}", "unknown chat-template  -1;" },
    { "a.j2", "{% set a = 1 + b %}{% set c = 'x' + d %}{{ x[a] }}{{ x[loop.index0 * 2]['c'] }}{{ c }}", "note chat-template  -1;" },
    { "a.j2", "{% for k in x | sort %}{{ k ~ ': ' ~ x[k] }}{% endfor %}{{ x | map(attribute='function') | list }}", "note chat-template  -1;" },
    { "a.j2", "{%- set index = (messages|length - 1) - loop.index0 %}{{ messages[index].content.split('</think>')[-1] }}", "note chat-template  -1;" },
    { "config.json", "\xff\xfe{\0", "unknown encoding  0;" },
    { "config.json", "{\"auto_map\": {\"AutoModel\": \"modeling.Mine\"}}", "unknown hub-code  1;" },
    { "config.json", "{\"\\u0061uto_map\" :\n {\"AutoModel\": \"modeling.Mine\"}}", "unknown hub-code  1;" },
    { "config.json", "{\"auto_map\": {}, \"custom_pipelines\": null}", "" },
    { "config.json", "{\"auto_map\": {}, \"auto_map\": {\"AutoModel\": \"modeling.Mine\"}}", "unknown hub-code  17;" },
    { "config.json", "{\"auto_map\": [\"modeling.Mine\", null]}", "unknown hub-code  1;" },
    { "a.yaml", "class_path: os.system\ninit_args:\n  command: id\n", "dangerous config-target  0;" },
    { "a.yaml", "- class_path: pytorch_lightning.callbacks.EarlyStopping\n", "" },
    { "a.yaml", "model:\n  target: os.system\n  params:\n    command: id\n", "dangerous config-target  9;" },
    { "a.yaml", "model:\n  target: ldm.models.Net\n  params: {target: accuracy}\n", "" },
    { "a.yaml", "target: test.accuracy\n", "" },
    { "config.json", "{\"_target_\": \"os.system\"}", "dangerous config-target  2;" },
    { "a.yaml", "a:\n  _target_: os.system\n", "dangerous config-target  5;" },
    { "a.yaml", "a: {\"\\x5ftarget_\": \"builtins.eval\"}\n", "dangerous config-target  5;" },
    { "a.yaml", "_target_: torch.load\n", "dangerous config-target  0;" },
    { "a.yaml", "_target_: mylib.Net\n", "unknown config-target  0;" },
    { "a.yaml", "_target_: ${a}\n", "unknown config-target  0;" },
    { "a.yaml", "_target_: torch.optim.Adam\n_target_x: os.system\n", "" },
    { "a.yaml", "a: !!python/object/apply:os.system ['id']\n", "dangerous yaml-python  -1;" },
    { "a.yaml", "a: !!pyth%6fn/object/apply:os.system ['id']\n", "dangerous yaml-python  -1;" },
    { "a.yml", "a: !<tag:yaml.org,2002:python/name:os.system> ''\n", "dangerous yaml-python  -1;" },
    { "a.yml", "%TAG !p! tag:yaml.org,2002:pyth\n---\na: !p!on/name:os.system ''\n", "dangerous yaml-python  -1;" },
    { "a.yml", "%TAG !e! tag:example.org,2000:\n---\na: !e!thing {b: 1}\nc: wow! python/3\n", "" },
    { "a.yml", "a: !!set {b, c}\n", "" },
    { "a.yaml", "x_target_: os.system\n_target_: null\n", "" },
    { "MLmodel", "flavors:\n  python_function:\n    loader_module: os\n", "dangerous config-target  32;" },
    { "MLmodel", "    loader_module: mlflow.sklearn\n", "" },
    { "adapter_config.json", "{\"parent_library\": \"mylib\"}", "unknown config-target  2;" },
    { "adapter_config.json", "{\"parent_library\": \"transformers.models.bert\"}", "" },
    { "adapter_config.json", "{\"parent_library\": null}", "" },
    { "a.yaml", "layers:\n- class_name: Lambda\n", "dangerous keras-lambda  10;" },
    { "a.yaml", "layers:\n- class_name: Dense\n", "" },
    { "a.yaml", "a: !!python/tuple [1, 2]\nb: [!!python/str x, !<tag:yaml.org,2002:python/none>]\n", "" },
    { "a.yaml", "a: !!python/tuplex [1]\n", "dangerous yaml-python  -1;" },
    { "hyperparams.yaml", "a: !apply:os.system [id]\n", "dangerous config-target  3;" },
    { "hyperparams.yaml", "a: !new:subprocess.Popen\n  args: id\n", "dangerous config-target  3;" },
    { "hyperparams.yaml", "a: !name:mylib.run\nb: !module:os\n", "unknown config-target  3;dangerous config-target  22;" },
    { "hyperparams.yaml", "a: !new:torch.nn.modules.linear.Linear\nb: !apply:torch.manual_seed [1]\nc: !ref <a>\n", "" },
    { "hyperparams.yaml", "a: !new:speechbrain.lobes.features.Fbank\n", "" },
    { "a.json", "{\"py/reduce\": [{\"py/function\": \"os.system\"}]}", "dangerous config-target  17;" },
    { "a.json", "{\"py/object\": \"mylib.Net\", \"b\": {\"py/object\": \"collections.OrderedDict\"}}", "unknown config-target  2;" },
    { "a.json", "{\"py/repr\": \"os/os.system('id')\"}", "dangerous config-target  2;" },
    { "modules.json", "[{\"type\": \"os.system\"}]", "dangerous config-target  3;" },
    { "modules.json", "[{\"type\": \"mine.Net\"}]", "unknown config-target  3;" },
    { "modules.json", "[{\"type\": \"sentence_transformers.models.Pooling\"}, {\"type\": \"module\"}]", "" },
    { "other.json", "[{\"type\": \"os.system\"}]", "" },
    { "model_index.json", "{\"_class_name\": \"X\", \"unet\": [\"os\", \"system\"]}", "dangerous hub-code  29;" },
    { "model_index.json", "{\"_class_name\": [\"pipeline\", \"Mine\"], \"unet\": [\"my_unet\",\"Net\"]}", "unknown hub-code  16;unknown hub-code  46;" },
    { "model_index.json", "{\"unet\": [\"diffusers\", \"UNet\"], \"a\": [null, null], \"b\": [\"stable_diffusion\", \"Checker\"], \"c\": [\"transformers.x\", \"Y\"]}", "" },
    { "schema.json", "{\"__class__\": \"system\", \"__module__\": \"os\"}", "dangerous config-target  25;" },
    { "schema.json", "{\"__class__\": \"eval\", \"__module__\": \"builtins\"}", "dangerous config-target  2;" },
    { "schema.json", "{\"__class__\": \"Net\", \"__module__\": \"mine\"}", "unknown config-target  22;" },
    { "schema.json", "{\"__class__\": \"dict\", \"__module__\": \"builtins\", \"a\": {\"__module__\": \"sklearn.tree\"}}", "" },
    { "a.json", "{\"a\": \"gAJjb3MKc3lzdGVtClUCbHOFUi4=\"}", "dangerous pickle-call base64 at 7 18;" },
    { "a.json", "{\"b\": \"it is 5\\\" long\", \"a\": \"gAJjb3MKc3lzdGVtClUCbHOFUi4=\"}", "dangerous pickle-call base64 at 29 18;" },
    { "a.json", "[\"gAJjb3MKc3lzdGVtClUCbHOFUi4", "dangerous pickle-call base64 at 2 18;" },
    { "a.json", "{\":serialized:\": \"Y29zCnN5c3RlbQooUydscycKdFIu\"}", "dangerous pickle-call base64 at 18 19;" },
    { "a.json", "{\"a\": \"gARsZW5ndGggb2YgYSB0ZXh0\", \"b\": \"gAJ9Lg==\"}", "" },
    { "model.json", "{\"expr_str\": \"__import__('os')\"}", "dangerous config-expression  2;" },
    { "model.json", "{\"expr_str\": \"s0.func\"}", "dangerous config-expression  2;" },
    { "model.json", "{\"expr_str\": \"exec(s0)\"}", "dangerous config-expression  2;" },
    { "model.json", "{\"expr_str\": \"sympify(s0)\"}", "unknown config-expression  2;" },
    { "model.json", "{\"expr_str\": \"[s0]\"}", "unknown config-expression  2;" },
    { "model.json", "{\"expr_str\": \"Max(1, Mod(s0*4 + 1, floor(u0/2.5)))\", \"hint\": null}", "" },
    { "model.json", "{\"expr_str\": null, \"p_params\": 1, \"target\": \"torch.ops.aten.relu.default\"}", "" },
    { "a.txt", "_target_: os.system\n", "" },
};
/* clang-format on */

static void texts_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        /* The rows that are cut short by a zero are longer. */
        size_t size = strlen(cases[i].text) + (cases[i].text[0] == '\xff');
        scan_the_bytes(tn_bytes(cases[i].text, size), cases[i].name, &memory,
                       &story, &error);
        assert_int_equal(error.status, TN_OK);
        if (strcmp(story.text, cases[i].story) != 0)
            fail_msg("%s: %s", cases[i].text, story.text);
        assert_int_equal(memory.used, 0);
    }
}

/* What is far behind the beginning counts, and what is not read is told. */
static void long_texts_are_read(void **state)
{
    static const struct {
        const char *name;
        size_t      blanks;
        const char *story;
    } rows[] = {
        { "a.jinja", 2 << 20, "dangerous chat-template  -1;" },
        { "a.jinja", 16 << 20, "unknown closed  16777216;" },
        { "config.json", 16 << 20, "unknown closed  16777216;" },
        { "tokenizer.json", 16 << 20, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  text;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&text, &memory, &error);
        for (size_t n = 0; n < rows[i].blanks; n += 64)
            tn_buffer_add(&text, tn_text("                                "
                                         "                                "));
        tn_buffer_add(&text, tn_text("{{ x.__class__ }}"));
        scan_the_bytes(tn_buffer_bytes(&text), rows[i].name, &memory, &story,
                       &error);
        assert_string_equal(story.text, rows[i].story);
        tn_buffer_done(&text);
        assert_int_equal(memory.used, 0);
    }
}

/* Brackets in brackets, and variables of variables, take time in proportion to
 * the text. */
static void templates_are_read_once(void **state)
{
    static const struct {
        const char *begin, *repeated, *story;
    } rows[] = {
        { "{{", "x[", "unknown chat-template  -1;" },
        { "", "{% set set = set %}{{ x[1] }}", "note chat-template  -1;" },
        { "{%", " set a = ", "note chat-template  -1;" },
        { "{{", "'_'[", "unknown chat-template  -1;" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  text;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&text, &memory, &error);
        tn_buffer_add(&text, tn_text(rows[i].begin));
        for (size_t n = 0; n < 200000; n++)
            tn_buffer_add(&text, tn_text(rows[i].repeated));
        scan_the_bytes(tn_buffer_bytes(&text), "a.j2", &memory, &story, &error);
        assert_string_equal(story.text, rows[i].story);
        tn_buffer_done(&text);
        assert_int_equal(memory.used, 0);
    }
}

static enum tn_status scan_json(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct scan_story story;

    return scan_the_bytes(input, "tokenizer_config.json", memory, &story,
                          error);
}

static enum tn_status scan_yml(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct scan_story story;

    return scan_the_bytes(input, "a.yml", memory, &story, error);
}

static void damaged_texts_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes text = tn_text(cases[i].text);
        tn_survives_every_flip(scan_json, text);
        tn_survives_every_flip(scan_yml, text);
        tn_survives_no_memory(scan_json, text);
        tn_survives_no_memory(scan_yml, text);
        for (size_t size = 0; size < text.size; size++) {
            struct tn_error   error = TN_ERROR_INIT;
            struct tn_memory  memory;
            struct tn_guarded part = tn_guard(tn_bytes(text.data, size));
            tn_memory_init(&memory, NULL, 0);
            assert_int_equal(scan_json(part.bytes, &memory, &error), TN_OK);
            assert_int_equal(scan_yml(part.bytes, &memory, &error), TN_OK);
            tn_unguard(&part);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_judged),
        cmocka_unit_test(long_texts_are_read),
        cmocka_unit_test(templates_are_read_once),
        cmocka_unit_test(damaged_texts_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
