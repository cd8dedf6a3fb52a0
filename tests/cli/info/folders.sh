# A folder with one model in it is that model; of several it lists them.
mkdir one many versions versions/1 versions/9 versions/10 none several several/a
cp tiny.onnx one
echo notes >one/README.md
cp tiny.onnx many/b.onnx
cp tiny.onnx many/a.onnx
tenon dump tiny.onnx >'many/c  d.textproto'
for version in 1 9 10; do cp tiny.onnx versions/$version/model.onnx; done
echo notes >none/README.md
ln -s ../tiny.onnx none/link.onnx
cp tiny.onnx several/a/x.onnx
cp tiny.onnx several/a/y.onnx
tenon info one | head -1
tenon ls --names one/
tenon get one bias
tenon check one
tenon info many
tenon ls many/
tenon check many
tenon info -q many
tenon convert versions -o x.npz
tenon ls --names versions/9
tenon info several
tenon info none
# links to files are listed, with those that lead nowhere, and opened by name
mkdir links
ln -s ../tiny.onnx links/a.onnx
ln -s ../tiny.onnx links/b.onnx
ln -s gone links/c.onnx
ln -s self links/self
ln -s ../links links/loop
tenon info links
tenon info links/a.onnx | head -1
