# time.sh - small files that would take an afternoon
#
# Every file has one or two megabytes.  What is in proportion takes a second
# or two, also with sanitizers on; what is quadratic takes minutes.
seconds=40

claim "many nodes with an unknown enum each: one finding each, in proportion"
make enums.pb "many(60000, lambda i: node('n%d' % i, 'NoOp',
    part(5, part(1, 'T') + part(2, number(6, 9999)))))"
exits 1 tenon check enums.pb
says "node[59999]"

claim "many operator sets imported, many others used"
make domains.onnx "onnx(many(50000, lambda i:
    part(1, part(2, 'x%d' % i) + part(4, 'Op') + part(7, 'a%d' % i))),
    many(50000, lambda i: part(8, part(1, 'b%d' % i) + number(2, 1))))"
exits 1 tenon check domains.onnx

claim "a function that imports many operator sets and uses many others"
make function.onnx "onnx(b'', part(25, part(1, 'f') + part(10, 'd') +
    many(50000, lambda i: part(7, part(2, 'x%d' % i) + part(4, 'Op') +
                               part(7, 'a%d' % i))) +
    many(50000, lambda i: part(9, part(1, 'b%d' % i) + number(2, 1)))))"
exits 1 tenon check function.onnx

claim "many functions of many domains, many operator sets imported"
make functions.onnx "onnx(b'',
    many(50000, lambda i: part(8, part(1, 'b%d' % i) + number(2, 1))),
    many(9000, lambda i: part(25, part(1, 'f') + part(10, 'a%d' % i))))"
exits 1 tenon check functions.onnx

claim "names made to collide in a hash table"
make names.pb "b''.join(node(b'n' * 7 + b'/' + name)
                         for name in colliding(13))"
survives tenon info names.pb
survives tenon check names.pb

claim "a graph in very many pieces"
make pieces.onnx "onnx(b'', part(7, b'') * 300000)"
accepts tenon info pieces.onnx
exits 1 tenon check pieces.onnx

claim "a subgraph in very many pieces"
make subgraph.onnx "onnx(part(1, part(4, 'If') + part(2, 'y') + part(5,
    part(1, 'b') + number(20, 5) + part(6, part(2, 's')) +
    part(6, b'') * 200000)))"
accepts tenon info subgraph.onnx
survives tenon check subgraph.onnx

claim "a tensor in very many pieces"
make tensor.pb "node('c', 'Const', part(5, part(1, 'value') +
    part(2, part(8, number(1, 1) + part(2, b'')) * 100000)))"
survives tenon ls tensor.pb
survives tenon check tensor.pb
survives tenon dump tensor.pb -o tensor.txt

claim "very many attributes of one node"
make attributes.pb "node('a', 'b', many(60000, lambda i:
    part(5, part(1, 'k%d' % i) + part(2, number(3, i)))))"
accepts tenon info attributes.pb
survives tenon check attributes.pb
accepts tenon dump attributes.pb -o attributes.txt
accepts tenon undump attributes.txt -o attributes.back

claim "a node that is its own input a hundred thousand times"
make inputs.pb "node('a', 'b', part(3, 'a') * 100000)"
exits 1 tenon check inputs.pb
says "[cycle]"

claim "very many empty nodes and tensors"
make empty.onnx "onnx(part(1, b'') * 50000 + part(5, b'') * 50000)"
accepts tenon info empty.onnx
exits 1 tenon check empty.onnx
accepts tenon ls empty.onnx

claim "very many subgraphs side by side"
make subgraphs.onnx "onnx(part(1, part(4, 'If') + part(2, 'y') +
    many(20000, lambda i: part(5, part(1, 'b%d' % i) + number(20, 5) +
    part(6, part(2, 's') + part(1, part(1, 'y') + part(2, 'q') +
                                part(4, 'A')))))))"
accepts tenon info subgraphs.onnx
exits 1 tenon check subgraphs.onnx

claim "very many meta graphs"
mkdir saved
make saved/saved_model.pb "number(1, 1) + many(30000, lambda i:
    part(2, part(1, part(4, 't%d' % i)) + part(2, node('a'))))"
survives tenon info saved
survives tenon check saved

claim "a Paddle program of very many inputs and variables"
make feeds.pdmodel "block(0, -1, many(20000, lambda i:
    part(3, part(1, 'v%d' % i) + part(2, number(1, 7)))) +
    many(20000, lambda i: part(4, part(2, part(1, 'Out') +
        part(2, 'v%d' % (20000 - i))) + part(3, 'feed') +
        part(4, part(1, 'col') + number(2, 0) + number(3, i)))))"
accepts tenon info feeds.pdmodel
exits 1 tenon check feeds.pdmodel

claim "blocks of a Paddle program inside each other, very deep"
make blocks.pdmodel "many(20000, lambda i: block(i, i - 1,
    part(4, part(1, part(1, 'X') + part(2, 'v')) + part(3, 'relu'))))"
exits 4 tenon info blocks.pdmodel
says "nested deeper than 128"
exits 1 tenon check blocks.pdmodel

claim "TensorFlow functions that call each other twice, as deep as may be"
make calls.pb "doubling(14)"
seconds=20
accepts tenon convert calls.pb -o calls.fb
make calls.pb "doubling(24)"
exits 4 tenon convert calls.pb -o never.fb
says "calls make more than"
make calls.pb "doubling(24, more=many(5000, lambda i: node('p%d' % i)))"
exits 4 tenon convert calls.pb -o never.fb

claim "functions of very many inputs, called very often"
make wide.pb "doubling(13, inner('s', 'AddN', ['a'] * 100000,
    of_floats(100000)), 's:sum:0')"
exits 4 tenon convert wide.pb -o never.fb
says "calls make more than"

claim "types of functions of very many arguments, called very often"
make calls.pb "doubling(24)"
accepts tenon check calls.pb
make named.pb "wide_function(20000) + many(20000, lambda i:
    node('y%d' % i, 'f', part(3, 'x')))"
exits 1 tenon check named.pb
make parted.pb "wide_function(20000) + many(20000, lambda i:
    node('y%d' % i, 'StatelessWhile', part(3, 'x'), of_types('T', 1),
         of_function('cond', 'f'), of_function('body', 'f')))"
exits 1 tenon check parted.pb
make sets.pb "wide_function(20000) + many(20000, lambda i:
    node('y%d' % i, 'MapDataset', part(3, 'x') * 3, of_types('Targuments', 2),
         of_function('f', 'f')))"
exits 1 tenon check sets.pb
make case.pb "wide_function(20000) + node('y', 'Case', part(3, 'i'),
    part(3, 'x') * 20000, of_types('Tin', 20000), of_types('Tout', 20000),
    part(5, part(1, 'branches') + part(2, part(1, many(20000, lambda i:
        part(9, part(1, 'f')))))))"
accepts tenon check case.pb
make calls.onnx "onnx(many(20000, lambda i: part(1, part(1, 'x') +
    part(2, 'y%d' % i) + part(4, 'f') + part(7, 'd'))),
    part(8, part(1, 'd') + number(2, 1)),
    part(25, part(1, 'f') + part(10, 'd') + many(20000, lambda i:
        part(4, 'a%d' % i) + part(5, 'a%d' % i)) + part(9, number(2, 17))))"
exits 1 tenon check calls.onnx

claim "a result of very many users, handed through very many names"
make users.pb "doubling(15, more=many(30000, lambda i:
    node('u%d' % i, 'Neg', part(3, 'y'), of_floats())))"
exits 4 tenon convert users.pb -o never.fb
says "values are replaced more than"

claim "one node that takes the results of very many calls"
make join.pb "node('x', 'Placeholder', part(5, part(1, 'dtype') +
    part(2, number(6, 1)))) + part(2, function('g', b'', 'a')) +
    many(40000, lambda i: node('y%d' % i, 'g', part(3, 'x'))) +
    node('s', 'AddN', many(40000, lambda i: part(3, 'y%d' % i)),
    of_floats(40000))"
accepts tenon convert join.pb -o join.fb
seconds=40

claim "conditions inside each other, as Switch and Merge, very deep"
make deep.pb "conditions(600)"
exits 4 tenon convert deep.pb -o never.fb
says "nest deeper than"
make side.pb "many(12, lambda i: conditions(120, 'n%d' % i))"
exits 4 tenon convert side.pb -o never.fb
says "must let values in"

claim "one node of very many outputs, none of which has a name"
make outs.pb "node('x', 'Placeholder', part(5, part(1, 'dtype') +
    part(2, number(6, 1)))) +
    node('y', 'IdentityN', part(3, 'x') * 16000, of_types('T', 16000))"
accepts tenon convert outs.pb -o outs.fb --max-mem 300M

claim "one node of very many inputs, interpreted alone"
make concat.pb "many(40000, lambda i: part(1, 'a%d' % i)) + part(2, 'y') +
    part(4, 'Concat') + part(5, part(1, 'axis') + number(3, 1) +
    number(20, 2))"
accepts tenon rules interpret concat.pb -o concat.txt
