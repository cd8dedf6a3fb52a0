#!/usr/bin/env python3
"""Write a vocabulary (rules/README.md) from a table of operator signatures.

    make_vocab.py onnx TABLE.tsv > rules/onnx.ops
    make_vocab.py tensorflow TABLE.tsv > rules/tensorflow.ops

The columns of a table are explained in its first lines.  Ranks are added from
tools/onnx_ranks.txt and tools/tensorflow_ranks.txt, and the texts that an
attribute may hold from tools/onnx_values.txt.
"""
import os
import re
import struct
import sys

DTYPES = """float32 float64 float16 bfloat16 float8e4m3fn float8e4m3fnuz
float8e4m3b11fnuz float8e5m2 float8e5m2fnuz float8e8m0 float4e2m1 int8 int16
int32 int64 int4 int2 uint8 uint16 uint32 uint64 uint4 uint2 bool complex64
complex128 string qint8 quint8 qint16 quint16 qint32 resource variant""".split()

RENAMED = {'float': 'float32', 'double': 'float64', 'half': 'float16'}

# Sets that a file names once: what its operators accept, in their own words.
SETS = {
    'onnx': {
        'floats': 'float16 float32 float64',
        'signed': 'int8 int16 int32 int64',
        'unsigned': 'uint8 uint16 uint32 uint64',
        'numbers': 'floats signed unsigned',
        'float8s': 'float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz',
        'classic': 'numbers bool string complex64 complex128',
        'ir9': 'classic bfloat16 float8s',
        'ir10': 'ir9 uint4 int4',
        'ir11': 'ir10 float4e2m1',
        'ir12': 'ir11 float8e8m0',
        'ir13': 'ir12 uint2 int2',
        'any': 'ir13',
    },
    'tensorflow': {
        'indices': 'int32 int64',
        'floats': 'bfloat16 float16 float32 float64',
        'signed': 'int8 int16 int32 int64',
        'unsigned': 'uint8 uint16 uint32 uint64',
        'reals': 'floats signed unsigned',
        'complexes': 'complex64 complex128',
        'quantized': 'qint8 quint8 qint16 quint16 qint32',
        'numbers': 'reals complexes quantized',
    },
}

# ONNX: operators that the reference checker knows by name only.
LEGACY = """ATen Affine ConstantFill Crop DynamicSlice GRUUnit GivenTensorFill
ImageScaler ParametricSoftplus Scale ScaledTanh""".split()

# Where not every number of outputs in the range will do (ONNX).
OUTPUT_COUNTS = {
    ('BatchNormalization', 1): '1 5', ('BatchNormalization', 6): '1 5',
    ('BatchNormalization', 7): '1 5', ('BatchNormalization', 9): '1 5',
    ('BatchNormalization', 14): '1 3', ('BatchNormalization', 15): '1 3',
}

# Operators that take attributes which are not listed (ONNX).
LOOSE = {('LayerNormalization', 17)}

# Operators that the table lacks.
MISSING = [
    ['CompareAndBitpack', 'input:$T threshold:$T', 'output:uint8',
     'T:type{bool,half,float,double,int8,int16,int32,int64}', '-'],
]

# Defaults that tables print with too few digits: (operator, attribute).
DEFAULTS = {
    ('Adagrad', 'epsilon'): '1e-06', ('Adam', 'epsilon'): '1e-06',
    ('Selu@6', 'alpha'): '1.67326319', ('Selu@6', 'gamma'): '1.05070102',
    ('Selu@22', 'alpha'): '1.67326319', ('Selu@22', 'gamma'): '1.05070102',
}


def fail(what):
    sys.exit('make_vocab: ' + what)


def resolve(sets):
    """Name -> members, sets inside sets opened."""
    known = {}
    for name, text in sets.items():
        members = set()
        for word in text.split():
            members |= known.get(word, {word})
        known[name] = members
    return known


class TypeWriter:
    """Element types as the shortest list of sets and single types."""

    def __init__(self, dialect):
        self.sets = resolve(SETS[dialect])

    def cover(self, types):
        left, words = set(types), []
        while left:
            best = max((s for s in self.sets if self.sets[s] <= types),
                       key=lambda s: len(self.sets[s] & left), default=None)
            if best is None or len(self.sets[best] & left) < 2:
                break
            words.append(best)
            left -= self.sets[best]
        return words + sorted(left, key=DTYPES.index)

    def write(self, types):
        """types: [(wrapper, dtype)], wrapper '' or 'seq(%s)' and so on."""
        words = []
        for wrapper in dict.fromkeys(w for w, _ in types):
            own = {t for w, t in types if w == wrapper}
            words += [wrapper % t if wrapper else t for t in self.cover(own)]
        return '{%s}' % ' '.join(words)


def dtype(name):
    name = RENAMED.get(name, name.replace('_', ''))
    if name not in DTYPES:
        fail('no such type: ' + name)
    return name


def short_float(text):
    """The fewest digits that give the same 32-bit number."""
    number = float(text)
    if number in (float('inf'), float('-inf')):
        return text
    if abs(number) > 3.4e38:  # the largest there is, printed with few digits
        return '-3.40282347e+38' if number < 0 else '3.40282347e+38'
    single = struct.pack('f', number)
    for digits in range(1, 10):
        short = '%.*g' % (digits, number)
        if struct.pack('f', float(short)) == single:
            return short
    fail('no float: ' + text)


def quote(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')


def read_ranks(dialect):
    """{operator: (first version, ranks of inputs, of outputs)}"""
    ranks = {}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        dialect + '_ranks.txt')
    for line in open(path, encoding='utf-8'):
        names, colon, sides = line.rstrip('\n').partition(' : ')
        if line.startswith('#') or not colon:
            continue
        ins, _, outs = sides.partition(' -> ')
        words = [re.findall(r'\[[^]]*\]|\.', side) for side in (ins, outs)]
        for name in names.split():
            name, _, since = name.partition('@')
            if name in ranks:
                fail('ranks of %s come twice' % name)
            ranks[name] = [int(since or 0)] + words
    return ranks


RANKS = {}


def with_ranks(args, ranks):
    args = [a for a in args.split(', ') if a]
    ranks = ranks[:len(args)] + ['.'] * (len(args) - len(ranks))
    return ', '.join(a if r == '.' else a + r for a, r in zip(args, ranks))


def add_ranks(head):
    m = re.fullmatch(r'op (\w+)(?:@(\d+))? \((.*)\) -> \((.*?)\)(.*)', head)
    since, ins, outs = RANKS.get(m.group(1), [0, [], []]) if m else [0, [], []]
    if not m or int(m.group(2) or 0) < since:
        return head
    name = head[:head.index(' (')]
    return '%s (%s) -> (%s)%s' % (name, with_ranks(m.group(3), ins),
                                  with_ranks(m.group(4), outs), m.group(5))


def write_op(head, attributes):
    print(add_ranks(head))
    for line in attributes:
        print('    ' + line)


# ---- ONNX -----------------------------------------------------------------

def onnx_type(text):
    """-> (wrapper, dtype); bare names are tensors."""
    m = re.fullmatch(r'(seq\()?map\((\w+)[,|](\w+)\)+', text)
    if m:
        inner = 'map(%s,%%s)' % dtype(m.group(2))
        return ('seq(%s)' % inner if m.group(1) else inner), dtype(m.group(3))
    wrapper = '%s'
    while True:
        m = re.fullmatch(r'(seq|optional|tensor)\((.*)\)', text)
        if not m:
            return ('' if wrapper == '%s' else wrapper), dtype(text)
        if m.group(1) != 'tensor':
            wrapper %= m.group(1) + '(%s)'
        text = m.group(2)


def onnx_args(text, count, variables):
    parts = [] if text == '-' else text.split(' ')
    least = int(count.partition('-')[0])
    args = []
    for i, part in enumerate(parts):
        m = re.fullmatch(r'([\w.]+)(\??)(\*?)(h?):(.*)', part)
        if not m:
            fail('bad argument: ' + part)
        name, optional, variadic, hetero, kind = m.groups()
        mark = optional
        if variadic:
            if i != len(parts) - 1 or least - i not in (0, 1):
                fail('variadic in the middle: ' + text)
            mark = '+' if least > i else '*'
        if kind in variables:
            kind = '$' + kind
        else:
            wrapper, of = onnx_type(kind)
            kind = wrapper % of if wrapper else of
        args.append('%s%s %s%s' % (name, mark, '~' if hetero else '', kind))
    return '(%s)' % ', '.join(args)


def onnx_default(kind, text):
    if kind in ('ints', 'floats', 'strings'):
        items = re.findall(r"'([^']*)'", text)
        if kind == 'strings':
            items = [quote(item) for item in items]
        return '[%s]' % ' '.join(items)
    if kind == 'string':
        return quote(text)
    return short_float(text.strip('()')) if kind == 'float' else text


def onnx_values():
    """{(operator, attribute): [(first version, last version, texts)]}"""
    path = os.path.join(os.path.dirname(__file__), 'onnx_values.txt')
    found = {}
    for line in open(path, encoding='utf-8'):
        m = re.fullmatch(r'(\w+) (\S+) (\d+)-(\d*) = (.*)\n', line)
        if m:
            name, ops, first, last, texts = m.groups()
            for op in ops.split(','):
                found.setdefault((op, name), []).append(
                    (int(first), int(last or 1 << 30),
                     [text.strip('"') for text in texts.split()]))
        elif not line.startswith('#'):
            fail('bad line: ' + line)
    return found


VALUES = onnx_values()


def onnx_allowed(op, since, name):
    for first, last, texts in VALUES.get((op, name), []):
        if first <= int(since) <= last:
            return ' in {%s}' % ' '.join(quote(text) for text in texts)
    return ''


def onnx_attribute(op, since, text):
    m = re.fullmatch(r'(\w+):(\w+)(!?)(?:=(.*))?', text)
    if not m:
        fail('bad attribute: ' + text)
    name, kind, required, default = m.groups()
    words = re.sub(r'^(int|float|string|tensor|graph)s$', r'list(\1)', kind)
    line = '%s%s %s' % (name, '' if required or default is not None else '?',
                        words)
    if default is not None:
        default = onnx_default(kind, default)
        for key in op, '%s@%s' % (op, since):
            default = DEFAULTS.get((key, name), default)
        line += ' = ' + default
    return line + onnx_allowed(op, since, name)


def onnx_variables(text):
    if text == '-':
        return {}
    # map(int64|float): the bar inside is a comma that went through the table
    text = re.sub(r'map\((\w+)\|(\w+)\)', r'map(\1,\2)', text)
    return dict((name, [onnx_type(t) for t in types.split('|')])
                for name, types in (v.split('=') for v in text.split(' ')))


def onnx_op(row, writer):
    _, name, since, flag, inputs, ins, outputs, outs, attributes, types = row
    if flag == 'D':
        print('op %s@%s deprecated@%s' % (name, since, since))
        return
    variables = onnx_variables(types)
    head = 'op %s@%s %s -> %s' % (name, since,
                                  onnx_args(ins, inputs, variables),
                                  onnx_args(outs, outputs, variables))
    counts = OUTPUT_COUNTS.get((name, int(since)))
    if counts:
        head += ' outputs{%s}' % counts
    if (name, int(since)) in LOOSE:
        head += ' loose'
    lines = ['$%s in %s' % (v, writer.write(t)) for v, t in variables.items()]
    if attributes != '-':
        lines += [onnx_attribute(name, since, a)
                  for a in attributes.split(' ; ')]
    write_op(head, lines)


def onnx(rows):
    writer = TypeWriter('onnx')
    domains = {'""': [], 'ai.onnx.ml': [], 'ai.onnx.training': []}
    for row in rows:
        domains.setdefault(row[0], []).append(row)
    domains['""'] += [['""', name, '1', 'L'] for name in LEGACY]
    for domain, ops in domains.items():
        is_open = domain.startswith('ai.onnx.preview')
        print('\ndomain %s%s\n' % ('ai.onnx ""' if domain == '""' else domain,
                                   ' open' if is_open else ''))
        for row in sorted(ops, key=lambda r: (r[1].encode(), int(r[2]))):
            if row[3] == 'L':
                print('op %s@1 legacy' % row[1])
            else:
                onnx_op(row, writer)


# ---- TensorFlow -----------------------------------------------------------

def tf_args(text):
    if text == '-':
        return '()'
    args = []
    for part in text.split(' '):
        name, _, kind = part.partition(':')
        m = re.fullmatch(r'(&?(?:\w+\*)?)(\w+)', kind)
        if m:  # $T and *Tlist stay as they are
            kind = m.group(1) + dtype(m.group(2))
        args.append('%s %s' % (name, kind))
    return '(%s)' % ', '.join(args)


def unescape(text):
    """'a\\n' as the table has it -> "a\\n" as we have it."""
    return '"%s"' % text[1:-1].replace('"', '\\"')


def tf_default(kind, text):
    if kind == 'string':
        return unescape(text)
    if kind == 'type':
        return dtype(text)
    if kind == 'float':
        return short_float(text)
    if kind == 'shape':
        return '?' if text == 'shape<?>' else text[len('shape'):]
    if kind == 'tensor':  # only ImageSummary: a colour
        if text != 'tensor<uint8>':
            fail('a new default tensor: ' + text)
        return 'uint8[255 0 0 255]'
    if kind.startswith('list('):
        items = text[1:-1].split(',') if text != '[]' else []
        inner = kind[len('list('):-1]
        return '[%s]' % ' '.join(tf_default(inner, item) for item in items)
    return text


ATTRIBUTE = re.compile(
    r"(\w+):((?:list\()?\w+\)?)"
    r"(?:=('(?:[^'\\]|\\.)*'|\[[^]]*\]|shape<\?>|shape\[[^]]*\]|tensor<\w+>"
    r"|[^\s{>]+))?"
    r"(?:\{([^}]*)\})?(?:>=(-?\d+))?(?: |$)")


def tf_attributes(text, writer):
    at, lines = 0, []
    while text != '-' and at < len(text):
        m = ATTRIBUTE.match(text, at)
        if not m:
            fail('bad attribute: ' + text[at:])
        name, kind, default, allowed, least = m.groups()
        line = '%s %s' % (name, kind)
        if default is not None:
            line += ' = ' + tf_default(kind, default)
        if allowed is not None:
            if 'type' in kind:
                line += ' in ' + writer.write(
                    [('', dtype(t)) for t in allowed.split(',')])
            else:
                line += ' in {%s}' % ' '.join(
                    unescape(s) for s in allowed.split(','))
        if least is not None:
            line += ' >= ' + least
        lines.append(line)
        at = m.end()
    return lines


FLAGS = {'S': 'stateful', 'C': 'commutative', 'A': 'aggregate'}


def tensorflow(rows):
    writer = TypeWriter('tensorflow')
    print('\ndomain ""\n')
    names = {row[0] for row in rows}
    rows += [row for row in MISSING if row[0] not in names]
    for name, ins, outs, attributes, flags in sorted(
            rows, key=lambda r: r[0].encode()):
        head = 'op %s %s -> %s' % (name, tf_args(ins), tf_args(outs))
        letters, _, version = flags.strip('-').partition('D')
        for letter in letters:
            head += ' ' + FLAGS[letter]
        if version:
            head += ' deprecated@' + version
        write_op(head, tf_attributes(attributes, writer))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SETS:
        sys.exit(__doc__)
    dialect = sys.argv[1]
    RANKS.update(read_ranks(dialect))
    with open(sys.argv[2], encoding='utf-8') as table:
        rows = [line.rstrip('\n').split('\t') for line in table
                if not line.startswith('#')]
    print('vocabulary %s 1\n# The format: rules/README.md\n' % dialect)
    for name, types in SETS[dialect].items():
        print('types %s = {%s}' % (name, types))
    {'onnx': onnx, 'tensorflow': tensorflow}[dialect](rows)


main()
