# chunks of a message of one's own: a chunk that is a message is no number, so
# that nothing takes it for a field of another type, and merge asks for the type
cat >my.proto <<'END'
syntax = "proto3"; package my;
message Part { string text = 1; }
message Whole { Part part = 2; string rest = 8; }
END
protoc -o my.desc my.proto
cat >whole.txt <<'END'
part { text: "one, which is long enough for a chunk" }
rest: "two, which stays"
END
tenon undump whole.txt --schema my.desc --type my.Whole -o whole.pb
tenon split whole.pb --schema my.desc --type my.Whole -m 45 -o parts
tenon check parts.cpb
tenon info parts.cpb | head -n 1
tenon merge parts.cpb -o again.pb
tenon merge -q parts.cpb -o again.pb --schema my.desc --type my.Whole
cmp whole.pb again.pb
