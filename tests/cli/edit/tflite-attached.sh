# An archive after the model moves with it.
cp "$root/tests/corpus/fuzz/tfl_fuzz/add" a.tflite
python3 - <<'END'
import zipfile
with zipfile.ZipFile("a.tflite", "a") as archive:
    archive.writestr("labels.txt", "cat\ndog\n")
END
tenon edit a.tflite --doc "a longer description than before" -o b.tflite
tenon check b.tflite
python3 - <<'END'
import struct, zipfile
with zipfile.ZipFile("b.tflite") as archive:
    print(archive.namelist(), archive.read("labels.txt"), archive.testzip())
data = open("b.tflite", "rb").read()
place = struct.unpack("<I", data[-6:-2])[0]
print(data[place:place + 4], data[struct.unpack("<I", data[place + 42:place + 46])[0]:][:4])
END
