#!/usr/bin/python3
"""rules/nd4j.ops against the operators that Deeplearning4j ships.

    nd4j_vocab.py SOURCE SHARED

Same operators, same names in the same slots, but for the rows of
docs/nd4j-corrections.md, each of which must be needed.  And the vocabulary is
what tools/make_nd4j_vocab.py makes.  Exit 77: the shipped file is not there.
"""
import os
import re
import subprocess
import sys

LETTERS = {'INT64': 'i', 'INT32': 'i', 'DOUBLE': 't', 'FLOAT': 't', 'BOOL': 'b',
           'DATA_TYPE': 'd', 'STRING': 's', 'INPUT_TENSOR': 'in',
           'OUTPUT_TENSOR': 'out'}


def read_shipped(path):
    """{operator: {slot: name}}"""
    ops, arg = {}, None
    for line in open(path, encoding='utf-8'):
        key, _, value = line.strip().partition(': ')
        if line.startswith('opList'):
            slots = None
        elif key == 'argDescriptor {':
            arg = {'argType': 'FLOAT', 'argIndex': '0'}
        elif key == '}' and arg is not None:
            slots[LETTERS[arg['argType']] + arg['argIndex']] = arg['name']
            arg = None
        elif arg is not None:
            arg[key] = value.strip('"')
        elif key == 'name':
            slots = ops[value.strip('"')] = {}
    return ops


def read_args(kind, text):
    for k, arg in enumerate(a for a in text.split(', ') if a):
        name = arg.split()[0]
        yield '%s%d' % (kind, k), name.rstrip('?*+'), name[-1] in '*+'


def read_ours(path):
    """The same, and from which input or output on any number may follow."""
    ops, open_from = {}, {}
    for line in open(path, encoding='utf-8'):
        m = re.match(r'op (\S+) \((.*)\) -> \((.*?)\)', line)
        if m:
            name = m.group(1)
            slots = ops[name] = {}
            for kind, text in (('in', m.group(2)), ('out', m.group(3))):
                for slot, arg, is_open in read_args(kind, text):
                    slots[slot] = arg
                    if is_open:
                        open_from[name, kind] = int(slot[len(kind):])
        elif line.startswith('    ') and '$' not in line:
            m = re.match(r'    (\w+)\??\s.*@([a-z]+\d*)', line)
            slots[m.group(2)] = m.group(1)
    return ops, open_from


def read_corrections(path):
    rows = {}
    for line in open(path, encoding='utf-8'):
        cells = [c.strip() for c in line.strip().strip('|').split(' | ')]
        if line.startswith('| ') and len(cells) == 5 and cells[0] != 'operators':
            for name in cells[0].split():
                assert (name, cells[1]) not in rows, (name, cells[1])
                rows[name, cells[1]] = (cells[2], cells[3])
    return rows


def without_tail(name, slot, slots):
    """exclusive_b is exclusive when that is in another list too."""
    tail = '_' + slot.rstrip('0123456789')
    plain = name[:-len(tail)] if name.endswith(tail) else name
    return plain if plain in slots.values() else name


def compare(shipped, ours, open_from, rows):
    needed = set()
    for name, theirs in sorted(shipped.items()):
        own = ours.get(name, {})
        for slot in sorted(set(theirs) | set(own)):
            kind, at = re.match(r'([a-z]+)(\d*)', slot).groups()
            a, b = theirs.get(slot, '-'), own.get(slot, '-')
            b = without_tail(b, slot, own)
            if a == b or (b == '-' and open_from.get((name, kind), 1 << 9)
                          < int(at or 0)):
                continue
            needed.add((name, slot))
            if rows.get((name, slot)) != (a, b):
                yield '%s %s: declared %s, ours %s' % (name, slot, a, b)
    for key in sorted(set(rows) - needed):
        yield '%s %s: a correction that corrects nothing' % key


def main(source, shared):
    shipped = os.path.join(shared, 'data/import/nd4j-op-def.pbtxt')
    if not os.path.exists(shipped):
        print('skipped: wants real models')
        return 77
    vocab = os.path.join(source, 'rules/nd4j.ops')
    shipped, (ours, open_from) = read_shipped(shipped), read_ours(vocab)
    wrong = list(compare(shipped, ours, open_from, read_corrections(
        os.path.join(source, 'docs/nd4j-corrections.md'))))
    if sorted(ours) != sorted(shipped) or len(ours) != 718:
        wrong.append('other operators: %s' % sorted(set(ours) ^ set(shipped)))
    made = subprocess.run(
        [sys.executable, os.path.join(source, 'tools/make_nd4j_vocab.py'),
         os.path.join(shared, 'data/import/nd4j-ops.tsv')],
        stdout=subprocess.PIPE, check=True).stdout
    if made != open(vocab, 'rb').read():
        wrong.append('rules/nd4j.ops is not what tools/make_nd4j_vocab.py '
                     'makes')
    print('\n'.join(wrong) or '%d operators agree' % len(ours))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
