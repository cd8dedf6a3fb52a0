# What makes a model incomplete, or gives its maker away.
cp "$root"/tests/corpus/paddle/train.pd* .
tenon convert -q train.pdmodel.txt -o net.pdmodel
mv net.pdiparams kept && tenon info net.pdmodel | grep parameters
tenon check net.pdmodel
head -c 100 kept >net.pdiparams && tenon check net.pdmodel
mkdir apart && mv kept net.pdiparams
tenon convert -q net.pdmodel -o apart/__model__
rm apart/lr && cp apart/n apart/left-over && tenon check apart
# The parameters of a program that stores fewer.
sed '/w_moment/s/persistable: true//' train.pdmodel.txt >less.pdmodel.txt
cp net.pdiparams less.pdiparams && tenon check less.pdmodel.txt
