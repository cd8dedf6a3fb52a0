# Where names are long, the columns are made for them.
long=a_name_as_exporters_make_them/of/every/scope/that/they/have/been/in
tenon dump tiny.onnx | sed "s|\"filters|\"$long/filters|" >long.txt
tenon undump long.txt -o long.onnx
tenon ls --layout table long.onnx
