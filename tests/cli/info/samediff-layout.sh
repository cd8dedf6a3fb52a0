# Who wrote it is not known: an old layout may be a new file.
tenon convert -q tiny.onnx -o tiny.fb
tenon info tiny.fb | grep -E 'layout|writer'
