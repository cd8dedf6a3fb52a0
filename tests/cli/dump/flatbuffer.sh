printf 'table Point { x: int; name: string; } root_type Point;' >my.fbs
flatc --binary --schema my.fbs
echo '{"x": 7, "name": "seven"}' >in.json
tenon undump --schema my.bfbs --type Point in.json -o point.bin
tenon dump --schema my.bfbs --type Point point.bin
flatc --json --raw-binary my.fbs -- point.bin
cat point.json
tenon dump --schema my.bfbs --type Circle point.bin
echo $?
printf '\377\377\377\377' | dd of=point.bin bs=1 seek=0 conv=notrunc 2>/dev/null
tenon dump --schema my.bfbs --type Point point.bin
echo $?
