# a folder of checkpoints, the newest and any other; all of them as tags
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
mkdir run; one=checkpoint-1_epoch-2_iter-30_2020-05-15_12-00-00.bin
cp dense.fb run/$one
tenon convert -q dense.fb -o run/last.bin --to sdnb
printf '%s\n' checkpointNum,timestamp,iteration,epoch,filename \
    0,1589544000000,10,1,checkpoint-0_epoch-1_iter-10_2020-05-15_11-00-00.bin \
    1,1589547600000,30,2,$one 2,1589551200000,50,3,last.bin >run/checkpointInfo.txt
tenon info run | grep -A9 tag
tenon info run --tag Checkpoint-1 | grep -e tag -e epoch
tenon info run --tag checkpoint-0; echo $?
tenon check run; echo $?
tenon tag add m.samediff run
tenon tag ls m.samediff
tenon tag log m.samediff
tenon tag add m.samediff run; echo $?
tenon tag add m.samediff third run --tag checkpoint-2
tenon tag add n.samediff run
tenon tag rm -q n.samediff checkpoint-2; tenon tag add -q n.samediff old dense.fb
tenon tag add m.samediff n.samediff; echo $?
tenon tag rm -q n.samediff checkpoint-1
tenon tag add m.samediff n.samediff; tenon tag ls -q m.samediff
tenon tag ls run; echo $?
tenon tag add m.samediff dense.fb; echo $?
tenon check m.samediff
echo '3,x,1,1,y' >>run/checkpointInfo.txt; tenon info run; echo $?
