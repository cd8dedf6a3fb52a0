# the import IR's messages are known by name, there and back
echo 'opList { name: "abs" argDescriptor { name: "x" argType: INPUT_TENSOR } opDeclarationType: OP_IMPL }' >ops
tenon undump -t org.nd4j.ir.OpDescriptorList ops -o ops.pb
tenon dump -t org.nd4j.ir.OpDescriptorList ops.pb
