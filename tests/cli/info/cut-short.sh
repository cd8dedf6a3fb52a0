# A file that ends before the bytes that tell its format: its name still does.
tenon undump "$root/examples/dense.samediff.json" -o whole.fb
head -c 100 whole.fb >cut.fb
tenon info cut.fb
tenon info --from samediff-fb cut.fb
head -c 4 whole.fb >cut.index
tenon ls cut.index
tenon ls --quiet cut.index
echo nothing >nothing.xyz
tenon info nothing.xyz
