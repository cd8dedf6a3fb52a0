for file in permuted only-second unknown-names; do
    tenon check "$root/tests/corpus/samediff/named-args-$file.samediff" | sed "s,$root/,,"
done
