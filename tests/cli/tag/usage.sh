# what is asked of the command
tenon tag; echo $?
tenon tag list m.samediff; echo $?
tenon tag rm m.samediff; echo $?
tenon tag export m.samediff a; echo $?
tenon tag ls tiny.onnx; echo $?
tenon info --tag a tiny.onnx; echo $?
