printf 'syntax = "proto3"; package my; message Point { int32 x = 1; }' >my.proto
protoc -o my.desc my.proto
printf '\010\007' >point.pb
tenon dump --schema my.desc --type my.Point point.pb
