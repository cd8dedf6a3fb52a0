for verb in info ls get check hash dump undump convert formats completion; do
    tenon $verb --help
done | awk 'length > 80 { print; bad = 1 } END { exit bad }'
