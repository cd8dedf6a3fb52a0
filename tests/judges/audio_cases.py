"""audio_cases.py - sounds, for tensorflow_beyond.py

There is no recorded output of TensorFlow's kernels for sounds: these are written
from what they are known to do, in float64.  A window of Hann's kind, periodic; the
next power of two for the Fourier transform; mel filters of 1127 log(1 + f / 700),
which leave out the constant part; a floor of 1e-12; the cosine transform with the
factor sqrt(2 / n), for the first coefficient, too.
"""
import os

import numpy as np

f4 = np.float32


def spectrogram(sound, window, stride, is_squared):
    """[samples, channels] -> [channels, windows, frequencies]"""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    size = 1 << (window - 1).bit_length()
    rows = [[np.abs(np.fft.rfft(channel[at:at + window] * hann, size)) for at in range(0, len(channel) - window + 1, stride)]
            for channel in sound.T.astype("f8")]
    return np.square(rows) if is_squared else np.array(rows)


def mel(hertz):
    return 1127 * np.log1p(np.asarray(hertz, "f8") / 700)


def mfcc(power, rate, low, high, bands, count):
    bins = power.shape[2]
    hertz = 0.5 * rate / (bins - 1)
    centres = mel(low) + (mel(high) - mel(low)) / (bands + 1) * np.arange(1, bands + 2)
    first, last = int(1.5 + low / hertz), int(high / hertz)
    made = np.zeros((*power.shape[:2], bands))
    for i in range(first, last + 1):
        loud, at = np.sqrt(power[:, :, i].astype("f8")), mel(i * hertz)
        upper = int(np.searchsorted(centres[:bands], at))  # the first centre that is not below
        below = mel(low) if upper == 0 else centres[upper - 1]
        part = (centres[upper] - at) / (centres[upper] - below)
        if upper > 0:
            made[:, :, upper - 1] += loud * part
        if upper < bands:
            made[:, :, upper] += loud * (1 - part)
    logs = np.log(np.maximum(made, 1e-12))
    cosines = np.cos(np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(count)))
    return logs @ (cosines * np.sqrt(2 / bands))


def noise(samples, channels, seed=1):
    rng = np.random.default_rng(seed)
    t = np.arange(samples)[:, None] / 16000
    return f4(0.4 * np.sin(2 * np.pi * 440 * t) + 0.1 * rng.normal(size=(samples, channels)))


def spectrograms(Case):
    for window, stride, is_squared, channels, samples in ((640, 320, True, 1, 16000), (480, 160, False, 2, 4000), (512, 512, True, 3, 2100),
                                                          (33, 7, False, 1, 33)):
        sound = noise(samples, channels)
        want = spectrogram(sound, window, stride, is_squared)
        for dims in ("its own", [None, channels]):
            case = Case(f"spectrogram.{window}.{'open' if dims != 'its own' else 'known'}", near=2e-5 * want.max(), nodes={"STFT": 1})
            case.feed("x", sound, dims=dims)
            case.add("AudioSpectrogram", "y", ["x"], window_size=window, stride=stride, magnitude_squared=is_squared)
            yield case.want("y", f4(want))


def coefficients(Case):
    for rate, low, high, bands, count, bins, is_open in ((16000, 20, 4000, 40, 10, 513, False), (44100, 300, 8000, 20, 13, 257, False),
                                                         (16000, 20, 4000, 40, 13, 513, True), (8000, 0, 4000, 26, 26, 129, True)):
        power = f4(np.random.default_rng(2).gamma(0.5, 3, (2, 7, bins)))
        power[0, 0] = 0
        case = Case(f"mfcc.{rate}.{bins}.{'open' if is_open else 'known'}", near=2e-4)
        case.feed("x", power)
        if is_open:
            case.feed("rate", np.int32(rate))
        else:
            case.constant("rate", np.int32(rate))
        case.add("Mfcc", "y", ["x", "rate"], upper_frequency_limit=float(high), lower_frequency_limit=float(low),
                 filterbank_channel_count=bands, dct_coefficient_count=count)
        yield case.want("y", f4(mfcc(power, rate, low, high, bands, count)))


def files(Case, shared):
    """Where to cut, and that it works: networks that spot words."""
    for name in ("kws-ds-cnn-s", "kws-gru-s", "kws-crnn-s"):
        path = os.path.join(shared or "", "data/tensorflow/frozen", name + ".pb")
        if not os.path.exists(path):
            continue
        case = Case(f"{name}.whole", refuses="--inputs decoded_sample_data,decoded_sample_data:1")
        case.folder = path
        yield case
        front = Case(f"{name}.front", ["--inputs", "decoded_sample_data,decoded_sample_data:1", "--outputs", "Mfcc:0"], near=5e-3)
        front.folder = path
        sound = noise(16000, 1, seed=3)
        front.feeds = {"decoded_sample_data": sound, "decoded_sample_data:1": np.int32(16000)}
        nodes = {node.name: node for node in front.graph_at(path).node}
        window, stride = (nodes["AudioSpectrogram"].attr[key].i for key in ("window_size", "stride"))
        is_squared = nodes["AudioSpectrogram"].attr["magnitude_squared"].b
        attrs = nodes["Mfcc"].attr
        low, high = (attrs[key].f if key in attrs else other for key, other in
                     (("lower_frequency_limit", 20.0), ("upper_frequency_limit", 4000.0)))
        bands, count = (attrs[key].i if key in attrs else other for key, other in
                        (("filterbank_channel_count", 40), ("dct_coefficient_count", 13)))
        want = mfcc(f4(spectrogram(sound, window, stride, is_squared)), 16000, low, high, bands, count)
        yield front.want("Mfcc", f4(want))


def between(Case):
    """Other inputs stay in the line that says where to cut."""
    case = Case("cut.others", refuses="--inputs wav,gain")
    case.feed("contents", np.array("", object))
    case.feed("gain", f4(2))
    case.graph.add("DecodeWav", "wav", ["contents"], {"desired_channels": 1})
    case.add("Mul", "y", ["wav", "gain"], T="float32")
    yield case.want("y", f4(0))


def cases(Case, shared, _scratch):
    yield from spectrograms(Case)
    yield from coefficients(Case)
    yield from files(Case, shared)
    yield from between(Case)
