tenon rules explain Relux
echo $?
tenon rules explain nothing_of_the_kind
echo $?
tenon rules explain Nope
