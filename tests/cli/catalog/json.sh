mkdir models
cp tiny.onnx models
printf 'half' >models/b.onnx
tenon catalog --json models gone -o all.sqlite |
    sed 's/"version": "[^"]*"/"version": "N"/'
tenon catalog --names --json models -o names.ndjson |
    sed 's/"version": "[^"]*"/"version": "N"/'
