#!/usr/bin/python3
"""make_paddle_pir.py - small PIR programs, for the fuzzer and for tests

usage: make_paddle_pir.py FOLDER
"""
import json
import os
import sys


def tensor(dims, element='f32'):
    return {'#': '0.t_dtensor',
            'D': [{'#': '0.t_' + element}, dims, 'NCHW', [], 0]}


def attr(name, kind, value):
    return {'AT': {'#': kind, 'D': value}, 'N': name}


def array(name, kind, values):
    return attr(name, '0.a_array', [{'#': kind, 'D': v} for v in values])


def op(name, operands, results, attrs=(), stop=False, regions=None,
       persistable=False):
    flags = [{'AT': {'#': '0.a_array',
                     'D': [{'#': '0.a_bool', 'D': stop} for _ in results]},
              'N': 'stop_gradient'}]
    if persistable:
        flags.insert(0, array('persistable', '0.a_bool', [True for _ in results]))
    made = {'#': name, 'A': list(attrs), 'I': [{'%': i} for i in operands],
            'O': [{'%': n, 'TT': t} for n, t in results], 'OA': flags}
    if regions is not None:
        made['regions'] = regions
    return made


def parameter(number, name, dims, trained=True):
    return {'#': 'p', 'A': [0, 1, 1, name], 'DA': [],
            'O': {'%': number, 'TT': tensor(dims)},
            'OA': [1, 0 if trained else 1, 1 if trained else 0], 'QA': []}


def data(number, name, dims):
    return op('1.data', [], [(number, tensor(dims))],
              [attr('name', '0.a_str', name), attr('shape', '1.a_intarray', dims),
               attr('dtype', '1.a_dtype', 'float32'),
               attr('place', '1.a_place', [0, 0, ''])])


def full(number, value, dtype='float32', element='f32'):
    return op('1.full', [], [(number, tensor([1], element))],
              [attr('shape', '1.a_intarray', [1]), attr('value', '0.a_f32', value),
               attr('dtype', '1.a_dtype', dtype),
               attr('place', '1.a_place', [1, 0, ''])], stop=True)


def ints(number, values):
    return op('1.full_int_array', [], [(number, tensor([len(values)], 'i64'))],
              [array('value', '0.a_i64', values), attr('dtype', '1.a_dtype', 'int64'),
               attr('place', '1.a_place', [1, 0, ''])], stop=True)


def fetch(operand, number, name, col, kind):
    return op('1.fetch', [operand], [(number, kind)],
              [attr('name', '0.a_str', name), attr('col', '0.a_i32', col)],
              persistable=True)


def program(ops, version=1):
    return {'base_code': {'magic': 'pir', 'trainable': True, 'version': version},
            'program': {'regions': [{'#': 'region_0', 'blocks': [
                {'#': 'block_0', 'args': [], 'ops': ops}]}]}}


def block(ops, args=()):
    return {'#': 'region_1', 'blocks': [
        {'#': 'block_1', 'args': [{'#': n, 'TT': t} for n, t in args], 'ops': ops}]}


def plain():
    """Constants, lists, an operator nobody knows, odd numbers."""
    t = tensor([-1, 4])
    vector = {'#': '0.t_vec', 'D': [t, t]}
    return program([
        parameter(1, 'w_0', [4, 4]), parameter(2, 'm_0', [4], False),
        data(3, 'x', [-1, 4]),
        op('1.matmul', [3, 1], [(4, t)],
           [attr('transpose_x', '0.a_bool', False),
            attr('transpose_y', '0.a_bool', True),
            attr('struct_name', '0.a_str', '/Net/L\u00e4yer/')]),
        full(5, 0.5),
        op('1.scale', [4, 5], [(6, t)],
           [attr('bias', '0.a_f32', 9.999999747378752e-06),
            attr('bias_after_scale', '0.a_bool', True)]),
        op('0.combine', [6, 4], [(7, vector)]),
        full(8, 1.0, 'int32', 'i32'),
        op('1.concat', [7, 8], [(9, tensor([-1, 8]))]),
        full(10, 1.0, 'int32', 'i32'),
        op('1.split_with_num', [9, 10], [(11, vector)], [attr('num', '0.a_i32', 2)]),
        op('0.split', [11], [(12, t), (13, t)]),
        ints(14, [0, 2, 2]),
        op('1.reshape', [12, 14], [(15, tensor([-1, 2, 2]))]),
        op('0.combine', [12, 13], [(16, vector)]),
        op('1.foo', [15, 0, 16], [(17, tensor([-1, 2, 2]))],
           [{'AT': {'#': '0.a_f32', 'VD': 'INF'}, 'N': 'limit'},
            attr('odd', '1.a_place', [1, 0, '']), attr('none', '0.a_array', []),
            attr('tiny', '0.a_f64', 1e-300), attr('huge', '0.a_i64', 2**62)]),
        op('1.add', [13, 2], [(18, t)]),
        fetch(17, 19, 'out_0', 0, tensor([-1, 2, 2])),
        fetch(18, 20, 'out_1', 1, t),
    ])


def flow():
    """A while and an if."""
    t, flag = tensor([1]), tensor([1], 'bool')
    body = [full(10, 1.0), op('1.add', [-1, 10], [(11, t)]),
            op('1.less_than', [11, 3], [(12, flag)]), op('2.yield', [12, 11, -1], [])]
    return program([
        data(1, 'x', [1]), data(3, 'limit', [1]),
        op('1.less_than', [1, 3], [(4, flag)]),
        op('1.while', [4, 1, 1], [(5, t), (6, t)],
           regions=[block(body, [(-1, t), (-2, t)])]),
        op('1.if', [4], [(7, t)],
           regions=[block([op('1.relu', [5], [(20, t)]), op('2.yield', [20], [])]),
                    block([op('2.yield', [6], [])])]),
        fetch(7, 8, 'y', 0, t),
    ])


def deep(levels):
    """Regions inside regions."""
    t = tensor([1], 'bool')
    inner = [op('2.yield', [1], [])]
    for level in range(levels):
        inner = [op('1.if', [1], [(100 + level, t)],
                    regions=[block(inner), block([op('2.yield', [1], [])])]),
                 op('2.yield', [100 + level], [])]
    return program([op('1.data', [], [(1, t)],
                       [attr('name', '0.a_str', 'c'),
                        attr('shape', '1.a_intarray', [1]),
                        attr('dtype', '1.a_dtype', 'bool'),
                        attr('place', '1.a_place', [0, 0, ''])])] + inner[:-1])


def write(folder, name, tree, indent=None):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
        out.write(json.dumps(tree, sort_keys=True, ensure_ascii=False, indent=indent,
                             separators=(',', ':') if indent is None else (',', ': ')))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    write(folder, 'plain.json', plain())
    write(folder, 'flow.json', flow())
    write(folder, 'indented.json', program([data(1, 'x', [2])], 2), 4)
    write(folder, 'deep.json', deep(3))


if __name__ == '__main__':
    main()
