# What can be done about it is said: a torn end, a shard that is not there.
tenon tag add -q m.samediff one tiny.onnx
size=$(wc -c <m.samediff)
head -c $((size - 20)) m.samediff >torn.samediff
tenon check torn.samediff | sed 's/byte 0x[0-9a-f]*/byte N/'
tenon check -q torn.samediff
tenon check --repair torn.samediff >said 2>&1
echo $?
mkdir shards
tenon convert -q tiny.onnx -o shards/m.sdnb --shard-size 100
rm shards/m.shard1-of-4.sdnb
tenon info shards
tenon info --lax shards | grep beware
