printf '\200\002cos\nsystem\nU\002ls\205R.' >a.pkl
tenon scan --sarif a.pkl | sed 's/"version": "0[^"]*"/"version": "N"/'
tenon scan --sarif --json a.pkl
echo $?
# Places are references, whatever files are called.
mkdir 'a b'
cp a.pkl 'a b/50%#ü?:.pkl'
tenon scan --sarif 'a b' | grep -o '"uri".*'
