# Every problem of a layout, not only the first; info stops at that.
header='{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}}'
length=$(printf %o ${#header})
printf "\\$length"'\0\0\0\0\0\0\0%s%s' "$header" 0123456789xx >bad.safetensors
tenon check bad.safetensors
echo $?
tenon info bad.safetensors
echo $?
