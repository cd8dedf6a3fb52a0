# What bash itself makes of it.
tenon completion bash >script
cat >ask <<'ASK'
. ./script
complete_it() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; echo "${COMPREPLY[*]}"; }
complete_it tenon c
complete_it tenon ls --s
complete_it tenon ls --sort ''
complete_it tenon ls -s n
complete_it tenon convert --to onn
complete_it tenon convert --from onnx-
complete_it tenon completion f
complete_it tenon info ti
ASK
bash ask
