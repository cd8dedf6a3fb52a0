# Files beside a patch are written with it or not at all.
python=/usr/bin/python3
cat > make.py <<'EOF'
import json, struct
def save(name, shift):
    head = json.dumps({"w": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]}}).encode()
    open(name, "wb").write(struct.pack("<Q", len(head)) + head + struct.pack("<64f", *(i * i + shift for i in range(64))))
save("a.safetensors", 0)
save("b.safetensors", 1)
EOF
$python make.py
rm make.py
tenon diff -q a.safetensors b.safetensors --patch p
ls
echo "the script is there already"
rm p.safetensors
tenon diff -q a.safetensors b.safetensors --patch p
ls
echo "the script cannot be written"
rm p
mkdir -p p/x
tenon diff -q a.safetensors b.safetensors --patch p --force
ls
echo "another side file is there already, and stays"
rm -r p
echo mine > p.safetensors
tenon diff -q a.safetensors b.safetensors --patch p
cat p.safetensors
ls
