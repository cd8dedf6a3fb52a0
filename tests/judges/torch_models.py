"""torch_models.py - networks as PyTorch exports them, for real_models.py

    torch_models.py FOLDER [NAME...]

Architectures that people ship, small, with random weights: nothing is trained
and nothing is fetched.  Each becomes FOLDER/NAME.onnx and FOLDER/NAME.npz, its
inputs.  torchvision has the usual ones; what it does not have is built here.
The opset differs from model to model, as it does between people; those of the
older ones come as they are built, norms and constants as nodes of their own.
"""
import math
import os
import sys
import warnings

import numpy
import torch
from torch import nn

SEED = 20240229
MODELS = {}


def model(opset, *inputs, axes=None):
    """A function that builds one; `inputs` are dims, or dims and a limit of
    whole numbers.  `axes`: which are open."""
    def take(build):
        MODELS[build.__name__.strip("_").replace("_", "-")] = (
            build, opset, inputs, axes)
        return build
    return take


# ---- images ---------------------------------------------------------------------

def vision(opset, name, maker=None, *arguments, **settings):
    """One of torchvision's; `maker` is what builds it, and is told its parts."""
    def build():
        import torchvision.models as models
        parts = [argument(models) if callable(argument) else argument
                 for argument in arguments]
        return getattr(models, maker or name)(
            *parts, num_classes=10, **settings)
    MODELS[name.replace("_", "-")] = (build, opset, ((1, 3, 64, 64),), None)


def stages(models):
    return [models.convnext.CNBlockConfig(24, 48, 2),
            models.convnext.CNBlockConfig(48, 96, 2),
            models.convnext.CNBlockConfig(96, None, 2)]


vision(11, "resnet18")
vision(12, "resnext", "ResNet", lambda models: models.resnet.Bottleneck,
       [2, 2, 2, 1], groups=8, width_per_group=4)
vision(13, "mobilenet_v2")
vision(14, "mobilenet_v3_small")
vision(15, "efficientnet_b0")
vision(11, "shufflenet_v2_x0_5")
vision(9, "squeezenet1_1")
vision(12, "densenet", "DenseNet", 16, (4, 8, 6), 24)
vision(11, "googlenet", aux_logits=False, init_weights=False)
vision(10, "mnasnet0_5")
vision(15, "regnet_y_400mf")
vision(16, "convnext", "ConvNeXt", stages)
vision(14, "vit", "VisionTransformer", 64, 8, 4, 12, 96, 256)


class Twice(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Down, up, and across; the way up pads to what came across."""

    def __init__(self, widths=(8, 16, 32, 64)):
        super().__init__()
        self.down = nn.ModuleList(Twice(a, b)
                                  for a, b in zip((3,) + widths, widths))
        turned = widths[::-1]
        self.grow = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2)
                                  for a, b in zip(turned, turned[1:]))
        self.up = nn.ModuleList(Twice(2 * b, b) for b in turned[1:])
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        across = []
        for i, step in enumerate(self.down):
            x = step(x if i == 0 else nn.functional.max_pool2d(x, 2))
            across.append(x)
        for grow, step, other in zip(self.grow, self.up, across[-2::-1]):
            x = grow(x)
            rows, columns = (other.shape[i] - x.shape[i] for i in (2, 3))
            x = nn.functional.pad(x, (columns // 2, columns - columns // 2,
                                      rows // 2, rows - rows // 2))
            x = step(torch.cat([other, x], 1))
        return torch.sigmoid(self.last(x))


@model(13, (1, 3, 48, 64))
def unet():
    return UNet()


@model(16, (1, 3, 48, 64), axes={"input0": {0: "batch", 2: "rows",
                                            3: "columns"}})
def unet_open():
    return UNet()


class Detector(nn.Module):
    """One stage: features of two sizes, boxes around anchors, scores; the best
    are kept, and those that cover each other go."""

    def __init__(self, classes=4, anchors=3):
        super().__init__()
        self.classes, self.anchors = classes, anchors
        self.stem = nn.Sequential(*[
            layer for a, b in ((3, 16), (16, 32), (32, 64)) for layer in (
                nn.Conv2d(a, b, 3, stride=2, padding=1, bias=False),
                nn.BatchNorm2d(b), nn.SiLU())])
        self.next = nn.Sequential(
            nn.Conv2d(64, 64, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(64), nn.LeakyReLU(0.1))
        self.heads = nn.ModuleList(nn.Conv2d(64, anchors * (5 + classes), 1)
                                   for _ in range(2))
        self.register_buffer("sizes", torch.rand(2, anchors, 2) * 32 + 8)

    def boxes(self, x, level):
        x = self.heads[level](x)
        batch, _, rows, columns = x.shape
        x = x.view(batch, self.anchors, 5 + self.classes, rows, columns)
        x = x.permute(0, 1, 3, 4, 2).contiguous()
        down, across = torch.meshgrid(torch.arange(rows), torch.arange(columns),
                                      indexing="ij")
        grid = torch.stack((across, down), 2).view(1, 1, rows, columns, 2)
        middle = (x[..., :2].sigmoid() * 2 - 0.5 + grid.float()) * 8 * 2 ** level
        size = (x[..., 2:4].sigmoid() * 2) ** 2 * \
            self.sizes[level].view(1, -1, 1, 1, 2)
        rest = x[..., 4:].sigmoid()
        return torch.cat((middle - size / 2, middle + size / 2, rest),
                         -1).view(batch, -1, 5 + self.classes)

    def forward(self, x):
        x = self.stem(x)
        return torch.cat((self.boxes(x, 0), self.boxes(self.next(x), 1)), 1)


@model(12, (1, 3, 64, 96))
def detector():
    return Detector()


class Kept(nn.Module):
    """With what comes behind a detector."""

    def __init__(self):
        super().__init__()
        self.detector = Detector()

    def forward(self, x):
        import torchvision
        found = self.detector(x)[0]
        scores, label = (found[:, 5:] * found[:, 4:5]).max(1)
        kept = torchvision.ops.batched_nms(found[:, :4], scores, label, 0.5)
        return found[kept, :4], scores[kept], label[kept]


@model(14, (1, 3, 64, 64))
def detector_with_nms():
    return Kept()


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 32, 5, padding=2), nn.PReLU(32),
            nn.Conv2d(32, 16, 3, padding=1), nn.PReLU(),
            nn.Conv2d(16, 9, 3, padding=1), nn.PixelShuffle(3))

    def forward(self, x):
        wide = nn.functional.interpolate(x, scale_factor=3, mode="bilinear",
                                         align_corners=False)
        return self.layers(x) + wide


@model(11, (1, 1, 24, 24), axes={"input0": {0: "batch"}})
def super_resolution():
    return SuperResolution()


class Style(nn.Module):
    """Reflected edges, norms of each image, nearest neighbours."""

    def __init__(self):
        super().__init__()
        def part(a, b, k, stride=1):
            return [nn.ReflectionPad2d(k // 2), nn.Conv2d(a, b, k, stride),
                    nn.InstanceNorm2d(b, affine=True), nn.ReLU()]
        self.layers = nn.Sequential(
            *part(3, 16, 9), *part(16, 32, 3, 2), *part(32, 32, 3),
            nn.Upsample(scale_factor=2), *part(32, 16, 3),
            nn.ReflectionPad2d(4), nn.Conv2d(16, 3, 9), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


@model(11, (1, 3, 32, 40))
def style_transfer():
    return Style()


# ---- words ----------------------------------------------------------------------

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.depth = heads, width // heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width)
                                            for _ in range(4))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads,
                      self.depth).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = (self.split(layer(x)) for layer in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.depth) + mask
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).contiguous()
        return self.out(mixed.view(x.size(0), x.size(1), -1))


class Bert(nn.Module):
    def __init__(self, layers=3, width=64, heads=4, words=200):
        super().__init__()
        self.word = nn.Embedding(words, width)
        self.place = nn.Embedding(128, width)
        self.kind = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(nn.ModuleList((
            Attention(width, heads), nn.LayerNorm(width),
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width),
            nn.LayerNorm(width))) for _ in range(layers))
        self.pool = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, words, mask, kinds):
        places = torch.arange(words.size(1)).unsqueeze(0)
        x = self.word(words) + self.place(places) + self.kind(kinds)
        x = self.drop(self.norm(x))
        mask = (1.0 - mask[:, None, None, :].float()) * -10000.0
        for attention, norm, wide, act, narrow, last in self.layers:
            x = norm(x + self.drop(attention(x, mask)))
            x = last(x + self.drop(narrow(act(wide(x)))))
        return x, torch.tanh(self.pool(x[:, 0]))


WORDS = ((2, 12), 200), ((2, 12), 2), ((2, 12), 2)
OPEN = {f"input{i}": {0: "batch", 1: "length"} for i in range(3)}


@model(11, *WORDS)
def bert():
    return Bert()


@model(14, *WORDS, axes=OPEN)
def bert_open():
    return Bert()


class Gpt(nn.Module):
    """Rotary places, a mask of what is still to come, gates in its wide layers;
    the words that come out are weighed by those that go in."""

    def __init__(self, layers=3, width=64, heads=4, words=200):
        super().__init__()
        self.word = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(nn.ModuleList((
            nn.LayerNorm(width), nn.Linear(width, 3 * width, bias=False),
            nn.Linear(width, width), nn.LayerNorm(width),
            nn.Linear(width, 2 * width), nn.Linear(width, 2 * width),
            nn.Linear(2 * width, width))) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.heads, self.depth = heads, width // heads
        steps = torch.arange(0, self.depth, 2).float() / self.depth
        self.register_buffer("speeds", 1.0 / 10000 ** steps)

    def turn(self, x, angles):
        a, b = x.chunk(2, -1)
        cosine, sine = angles.cos(), angles.sin()
        return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)

    def forward(self, words):
        x = self.word(words)
        batch, length = words.shape
        angles = torch.arange(length).float()[:, None] * self.speeds[None]
        later = torch.full((length, length), float("-inf")).triu(1)
        for norm, qkv, out, second, wide, gate, narrow in self.blocks:
            q, k, v = (part.view(batch, length, self.heads,
                                 self.depth).transpose(1, 2)
                       for part in qkv(norm(x)).chunk(3, -1))
            q, k = self.turn(q, angles), self.turn(k, angles)
            scores = q @ k.transpose(-1, -2) / math.sqrt(self.depth) + later
            mixed = (scores.softmax(-1) @ v).transpose(1, 2)
            x = x + out(mixed.reshape(batch, length, -1))
            y = second(x)
            x = x + narrow(nn.functional.silu(gate(y)) * wide(y))
        return self.norm(x) @ self.word.weight.t()


@model(14, ((1, 16), 200))
def gpt():
    return Gpt()


@model(14, ((2, 9), 200), axes={"input0": {0: "batch", 1: "length"}})
def gpt_open():
    return Gpt()


@model(13, ((2, 10), 100), ((2, 7), 100))
def translator():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.word = nn.Embedding(100, 32)
            self.inner = nn.Transformer(32, 4, 2, 2, 64,
                                        activation=nn.functional.silu)
            self.out = nn.Linear(32, 100)

        def forward(self, source, target):
            mask = self.inner.generate_square_subsequent_mask(7)
            words = (self.word(words).transpose(0, 1)
                     for words in (source, target))
            return self.out(self.inner(*words, tgt_mask=mask)).log_softmax(-1)
    return Both()


# ---- sequences ------------------------------------------------------------------

class Recurrent(nn.Module):
    def __init__(self, kind, **settings):
        super().__init__()
        self.word = nn.Embedding(50, 24)
        self.inner = getattr(nn, kind)(24, 32, batch_first=True, **settings)
        self.out = nn.Linear(64 if settings.get("bidirectional") else 32, 5)

    def forward(self, words):
        x, state = self.inner(self.word(words))
        state = state[0] if isinstance(state, tuple) else state
        return self.out(x), state


@model(11, ((2, 15), 50), axes={"input0": {0: "batch", 1: "length"}})
def lstm():
    return Recurrent("LSTM", num_layers=2, bidirectional=True)


@model(14, ((1, 15), 50), axes={"input0": {1: "length"}})
def gru():
    return Recurrent("GRU", num_layers=2)


@model(12, ((1, 15), 50))
def rnn():
    return Recurrent("RNN", nonlinearity="relu")


class Speech(nn.Module):
    """Sounds to letters: convolutions, a GRU both ways, letters at each step."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, (11, 5), stride=(2, 1), padding=(5, 2)),
            nn.BatchNorm2d(16), nn.Hardtanh(0, 20),
            nn.Conv2d(16, 16, (11, 5), stride=(2, 1), padding=(5, 2)),
            nn.BatchNorm2d(16), nn.Hardtanh(0, 20))
        self.inner = nn.GRU(16 * 10, 32, bidirectional=True)
        self.norm = nn.BatchNorm1d(64)
        self.out = nn.Linear(64, 29, bias=False)

    def forward(self, x):
        x = self.layers(x)
        x = x.view(x.size(0), x.size(1) * x.size(2), x.size(3))
        x, _ = self.inner(x.permute(2, 0, 1))
        time, batch, width = x.shape
        x = self.norm(x.reshape(time * batch, width)).view(time, batch, width)
        return self.out(x).transpose(0, 1).softmax(-1)


@model(13, (1, 1, 40, 50), axes={"input0": {3: "time"}})
def speech():
    return Speech()


class Dilated(nn.Module):
    """Causal convolutions of lines, with gates."""

    def __init__(self, width=24, layers=5):
        super().__init__()
        self.first = nn.utils.weight_norm(nn.Conv1d(1, width, 1))
        self.both = nn.ModuleList(nn.utils.weight_norm(
            nn.Conv1d(width, 2 * width, 2, dilation=2 ** i))
            for i in range(layers))
        self.back = nn.ModuleList(nn.Conv1d(width, width, 1)
                                  for _ in range(layers))
        self.out = nn.Conv1d(width, 1, 1)

    def forward(self, x):
        x = self.first(x)
        total = 0
        for i, (both, back) in enumerate(zip(self.both, self.back)):
            a, b = both(nn.functional.pad(x, (2 ** i, 0))).chunk(2, 1)
            y = back(torch.tanh(a) * torch.sigmoid(b))
            x, total = x + y, total + y
        return self.out(torch.relu(total))


@model(12, (1, 1, 200))
def wavenet():
    return Dilated()


@model(15, (4, 20), axes={"input0": {0: "batch"}})
def autoencoder():
    return nn.Sequential(nn.Linear(20, 12), nn.BatchNorm1d(12), nn.ELU(),
                         nn.Dropout(0.3), nn.Linear(12, 3), nn.Softplus(),
                         nn.Linear(3, 12), nn.Hardswish(), nn.Linear(12, 20))


class Matrix(nn.Module):
    """What people recommend: tables of two kinds and a few layers."""

    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Embedding(30, 8), nn.Embedding(40, 8)
        self.layers = nn.Sequential(nn.Linear(16, 16), nn.ReLU(),
                                    nn.Linear(16, 1))

    def forward(self, user, item):
        u, i = self.user(user), self.item(item)
        return torch.sigmoid(self.layers(torch.cat((u, i), -1)).squeeze(-1) +
                             (u * i).sum(-1))


@model(13, ((6,), 30), ((6,), 40), axes={"input0": {0: "n"}, "input1": {0: "n"}})
def recommender():
    return Matrix()


# ---- files ----------------------------------------------------------------------

def shaken(net):
    """Statistics of norms are not those of a net that has never run."""
    for part in net.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean.uniform_(-0.2, 0.2)
            part.running_var.uniform_(0.5, 1.5)
    return net


def tensor_of(told):
    if isinstance(told[0], tuple):
        return torch.randint(0, told[1], told[0])
    return torch.rand(told)


def export(name, folder):
    build, opset, inputs, axes = MODELS[name]
    torch.manual_seed(SEED)
    net = shaken(build()).eval()
    fed = tuple(tensor_of(told) for told in inputs)
    names = [f"input{i}" for i in range(len(fed))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, fed, os.path.join(folder, name + ".onnx"),
                          opset_version=opset, input_names=names,
                          dynamic_axes=axes, do_constant_folding=opset > 12,
                          training=torch.onnx.TrainingMode.EVAL if opset > 12
                          else torch.onnx.TrainingMode.PRESERVE)
    numpy.savez(os.path.join(folder, name + ".npz"),
                **{name: value.numpy() for name, value in zip(names, fed)})


def main():
    folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    for name in names or MODELS:
        try:
            export(name, folder)
        except ImportError as error:
            print(f"{name}: skipped: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
