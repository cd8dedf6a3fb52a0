# A model of another dialect goes into a container by rules; what it shares with
# an older tag is not stored again.
tenon tag add models.samediff first tiny.onnx
tenon tag add models.samediff second tiny.onnx
tenon tag log models.samediff
tenon info models.samediff | grep dialect
