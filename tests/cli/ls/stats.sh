tenon ls --stats tiny.onnx 'filters*'
tenon ls --stats --layout table tiny.onnx
tenon ls --stats --json tiny.onnx 'filters*'
/usr/bin/python3 -c "
import json, struct
data = struct.pack('<4f', float('nan'), float('inf'), 0, -1.5) + bytes([7, 255])
head = {'odd': {'dtype': 'F32', 'shape': [4], 'data_offsets': [0, 16]},
        'small': {'dtype': 'I8', 'shape': [2], 'data_offsets': [16, 18]},
        'none': {'dtype': 'F32', 'shape': [0, 2], 'data_offsets': [18, 18]}}
head = json.dumps(head).encode()
open('odd.safetensors', 'wb').write(struct.pack('<Q', len(head)) + head + data)
"
tenon ls --stats --layout table odd.safetensors
tenon ls --stats odd.safetensors | cut -f 1,11-
tenon ls --stats --json odd.safetensors none
