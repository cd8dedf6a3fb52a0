#!/usr/bin/env python3
"""Write rules/nd4j.ops.

    make_nd4j_vocab.py DECLARATIONS.tsv [--differences] > rules/nd4j.ops

DECLARATIONS.tsv has a line for each operator of nd4j: its name, how libnd4j
declares it, and the names of its inputs, outputs, iArgs, tArgs, bArgs, dArgs
and sArgs, in order.  tools/nd4j_facts.txt adds what is known beyond names.
With --differences: what the facts say otherwise, as rows for
docs/nd4j-corrections.md.
"""
import os
import re
import sys

LISTS = 'itbds'
TYPES = {'i': 'int', 't': 'float', 'b': 'bool', 'd': 'type', 's': 'string',
         'axis': 'int', 'scalar': 'float'}
FACTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     'nd4j_facts.txt')
SETS = {'T': 'any', 'F': 'floats', 'U': 'floats'}
HEAD = '''vocabulary nd4j 1
# The format: rules/README.md.  Made by tools/make_nd4j_vocab.py.

types floats = {float16 bfloat16 float32 float64}
types ints = {int8 int16 int32 int64 uint8 uint16 uint32 uint64}
types any = {bool ints floats string}

domain nd4j ""
'''


class Op:
    def __init__(self, name, columns):
        """As declared: first ones must be there, others may."""
        names = [[] if c == '-' else c.split(',') for c in columns]
        self.declared = names
        self.name, self.kernel, self.types = name, '', None
        names = [[n.strip('*') for n in column] for column in names]
        self.inputs = [n + '?' * (k > 0) for k, n in enumerate(names[0])]
        self.outputs = [n + '?' * (k > 0) for k, n in enumerate(names[1])]
        self.lists = {kind: n for kind, n in zip(LISTS, names[2:]) if n}


def read_declarations(path):
    ops = {}
    for line in open(path, encoding='utf-8'):
        if not line.startswith('#'):
            columns = line.rstrip('\n').split('\t')
            ops[columns[0]] = Op(columns[0], columns[2:])
    return ops


def split_args(text):
    return [a for a in re.split(r'[ ,]+', text) if a]


def read_head(line, ops):
    m = re.fullmatch(r'op ([\w ]+?)(?: \((.*)\) -> \((.*)\))?(?: ([A-Z_]+ \d+))?',
                     line)
    found = [ops[name] for name in m.group(1).split()]
    for op in found:
        if m.group(2) is not None:
            op.inputs = split_args(m.group(2))
            op.outputs = split_args(m.group(3))
        op.kernel = m.group(4) or op.kernel
    return found


def read_types(line, ops):
    """Of inputs, of outputs, and the flag."""
    names, _, rest = line[len('types '):].partition(' : ')
    sides = [re.findall(r'[^\s[]+(?:\[[^]]*\])?', side)
             for side in rest.split(' -> ')]
    flag = sides[1].pop() if sides[1][-1] == 'promotes' else ''
    for name in names.split():
        op = ops[name]
        if (len(op.inputs), len(op.outputs)) != tuple(map(len, sides)):
            sys.exit('%s: types of %s' % (FACTS, name))
        op.types = sides + [flag]


def read_facts(ops):
    current = []
    for line in open(FACTS, encoding='utf-8'):
        line = line.rstrip('\n')
        if line.startswith('op '):
            current = read_head(line, ops)
        elif line.startswith('types '):
            read_types(line, ops)
        elif line.startswith('    '):
            kind, *names = line.split()
            for op in current:
                op.lists[kind] = names


def bare(name):
    return re.sub(r'(=.*|[!?*+]|\.\.)+$', '', name)


def arg_lines(op):
    """Names are unique: the second of two that differ in kind gets a tail."""
    taken = set()
    for kind in ['i', 't', 'b', 'd', 's', 'axis', 'scalar']:
        for slot, item in enumerate(op.lists.get(kind, [])):
            name = bare(item)
            if name in taken:
                name += '_' + kind
            taken.add(name)
            yield arg_line(kind, slot, item, name)


def arg_line(kind, slot, item, name):
    rest = item.endswith('..') or kind == 'axis'
    place = kind if kind in ('axis', 'scalar') else '%s%d' % (kind, slot)
    if item.endswith('..'):
        place += '..'
    what = 'list(%s)' % TYPES[kind] if rest else TYPES[kind]
    if item == 'inPlace':  # nothing is overwritten that nobody gave away
        item += '=false'
    if '=' in item:
        return '    %s %s @%s = %s' % (name, what, place, item.split('=')[1])
    return '    %s%s %s @%s' % (name, '' if '!' in item else '?', what, place)


def op_text(op):
    given = op.types or [['any'] * len(op.inputs), ['any'] * len(op.outputs), '']
    args = ['(%s)' % ', '.join('%s %s' % pair for pair in zip(side, types))
            for side, types in zip((op.inputs, op.outputs), given)]
    kernel = ' legacy(%s)' % op.kernel if op.kernel else ''
    flag = ' ' + given[2] if given[2] else ''
    head = 'op %s %s -> %s%s%s' % (op.name, args[0], args[1], flag, kernel)
    variables = sorted(set(re.findall(r'\$(\w+)', ''.join(args))))
    lines = ['    $%s in {%s}' % (v, SETS[v]) for v in variables]
    return '\n'.join([head] + lines + list(arg_lines(op)))


def declared_slots(op):
    for kind, names in zip(['in', 'out'] + list(LISTS), op.declared):
        for k, name in enumerate(names):
            yield '%s%d' % (kind, k), name


def slots(op):
    """(place, name) of everything an operator has."""
    for kind, side in (('in', op.inputs), ('out', op.outputs)):
        for k, name in enumerate(side):
            yield '%s%d' % (kind, k), bare(name)
    for kind, names in op.lists.items():
        for k, name in enumerate(names):
            place = kind if kind in ('axis', 'scalar') else '%s%d' % (kind, k)
            yield place, bare(name)


def print_differences(declared, ops):
    for name in ops:
        old = dict(declared_slots(declared[name]))
        new = dict(slots(ops[name]))
        for place in list(old) + [p for p in new if p not in old]:
            if old.get(place) != new.get(place):
                print('| %s | %s | %s | %s |' % (name, place, old.get(place, '-'),
                                                 new.get(place, '-')))


def main(argv):
    if not argv:
        sys.exit(__doc__)
    ops = read_declarations(argv[0])
    read_facts(ops)
    if '--differences' in argv:
        print_differences(read_declarations(argv[0]), ops)
        return
    print(HEAD)
    for name in sorted(ops, key=lambda n: n.encode()):
        print(op_text(ops[name]))


main(sys.argv[1:])
