# Folders are scanned whole; what cannot be looked into is not clean.
mkdir -p models/deep
cp tiny.onnx models
printf '\200\002cos\nsystem\nU\002ls\205R.' >models/deep/a.bin
printf '7z\274\257\047\034....' >models/b.7z
tenon scan models
echo $?
tenon scan -q models
echo $?
mkdir nothing
tenon scan nothing
