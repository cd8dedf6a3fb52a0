# The limit stands for the disk, which such a file would fill.
ulimit -f 2048
tenon info /dev/zero
echo "exit $?"
tenon info - </dev/zero
echo "exit $?"
tenon info -q /dev/null
echo "exit $?"
