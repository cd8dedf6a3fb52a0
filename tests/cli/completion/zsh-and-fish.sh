# Every option of the tables is in every script.
for verb in info ls get check hash dump undump convert formats completion; do
    tenon $verb --help | grep -o -e '--[a-z-]*' | sed 's/^--//' | sort -u
done | sort -u >options
for shell in zsh fish; do
    tenon completion $shell >script.$shell
    while read -r option; do
        grep -q -e "--$option\[" -e "-l $option " script.$shell ||
            echo "$shell: $option is missing"
    done <options
done
# Quotes pair up; where the shells are installed, they say so themselves.
sed "s/\\\\'//g" script.fish |
    awk -F "'" 'NF % 2 == 0 { print "fish: unbalanced: " $0 }'
command -v zsh >/dev/null && zsh -n script.zsh
command -v fish >/dev/null && fish -n script.fish
exit 0
