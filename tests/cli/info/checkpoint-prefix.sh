# What TensorFlow calls a checkpoint is what its files' names begin with.
tenon convert -q tiny.onnx -o model.ckpt.index || exit 1
ls
tenon info model.ckpt
tenon get model.ckpt bias
: >torn.index
tenon info torn
tenon info no-such
# a pipe under that name is not waited for
mkfifo pipe.index
timeout 20 tenon info pipe
