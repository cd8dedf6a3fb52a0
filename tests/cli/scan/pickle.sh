# A pickle that would call something, whatever it is called.
printf '\200\002cos\nsystem\nU\002ls\205R.' >weights.txt
tenon scan weights.txt
echo $?
