"""custom_splitter.py - splitters of one's own, in Python

For the ModelConfig of model_config.proto, once as a message of google.protobuf
and once as plain bytes with a schema.
"""
import tenon

# ---- messages of google.protobuf ---------------------------------------------


class LayerSplitter(tenon.ComposableSplitter):
    def build_chunks(self):
        self.add_chunk(self._proto, [])


class ModelConfigSplitter(tenon.ComposableSplitter):
    def build_chunks(self):
        for key, value in sorted(self._proto.hyperparameters.items()):
            self.add_chunk(bytes(str(value), "utf-8"),
                           ["hyperparameters", key])
        for i, layer in enumerate(self._proto.hidden_layers):
            LayerSplitter(layer, parent_splitter=self,
                          fields_in_parent=["hidden_layers", i]).build_chunks()
        self._proto.ClearField("hyperparameters")
        self._proto.ClearField("hidden_layers")


def through_a_file(config, prefix):
    ModelConfigSplitter(config).write(prefix)
    return tenon.Merger.read(prefix, type(config)())


def through_memory(config):
    chunks, chunked_message = ModelConfigSplitter(config).split()
    return tenon.Merger.merge(chunks, chunked_message, type(config)())


# ---- plain bytes -------------------------------------------------------------


class PlainLayerSplitter(tenon.ComposableSplitter):
    def build_chunks(self):
        self.take([])


class PlainConfigSplitter(tenon.ComposableSplitter):
    def build_chunks(self):
        for i in range(self.count(["hidden_layers"])):
            PlainLayerSplitter(None, parent_splitter=self,
                               fields_in_parent=["hidden_layers", i]
                               ).build_chunks()
        count = self.count(["hyperparameters"])
        if count:
            self.slice(["hyperparameters"], 0, count)


def plain_through_a_file(descriptor_set, serialized, prefix):
    schema = tenon.Schema(descriptor_set)
    config = tenon.Message(schema, "ModelConfig", serialized)
    PlainConfigSplitter(config).write(prefix)
    merged = tenon.Merger.read(prefix, tenon.Message(schema, "ModelConfig"))
    return merged.SerializeToString()
