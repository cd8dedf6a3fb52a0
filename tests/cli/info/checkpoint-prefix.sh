# What TensorFlow calls a checkpoint is what its files' names begin with.
: >model.ckpt.index
tenon info model.ckpt
