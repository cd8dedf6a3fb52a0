# A file that ends before the bytes that tell its format: its name still does.
tenon convert -q tiny.onnx -o whole.fb
head -c 1000 whole.fb >cut.fb
tenon info cut.fb
tenon info --from samediff-fb cut.fb
head -c 4 whole.fb >cut.index
tenon ls cut.index
tenon ls --quiet cut.index
echo nothing >nothing.xyz
tenon info nothing.xyz
