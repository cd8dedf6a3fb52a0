#!/usr/bin/python3
"""alike.py ALIKE_KEYS SOURCE - Python and Java judge how names are normalized,
Perl how they are folded: every character alone, and random runs of them."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata

tool, source = sys.argv[1:3]
# Behind plane 2 nothing decomposes or folds; of ideographs a tenth will do.
CODES = [c for c in range(1, 0x30000)
         if not 0xD800 <= c <= 0xDFFF and c not in (10, 13)
         and not (0x3400 <= c < 0xA000 and c % 10)
         and not (0x20000 <= c < 0x2F800 and c % 10)] + [0xE0001, 0x10FFFF]

JAVA = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
public class Nfc {
    public static void main(String[] a) throws IOException {
        byte[] all = System.in.readAllBytes();
        StringBuilder out = new StringBuilder();
        for (String line : new String(all, StandardCharsets.UTF_8).split("\\n", -1))
            out.append(Normalizer.normalize(line, Normalizer.Form.NFC)).append('\\n');
        out.setLength(out.length() - 1);
        System.out.write(out.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
"""
PERL = r"""
use Unicode::UCD qw(prop_invmap);
my ($list, $map, $format, $missing) = prop_invmap("Simple_Case_Folding");
for my $i (0 .. $#$list) {
    next if $map->[$i] == $missing;
    my $end = $i < $#$list ? $list->[$i + 1] : 0x110000;
    print $_, " ", $map->[$i] + $_ - $list->[$i], "\n" for $list->[$i] .. $end - 1;
}
"""


def names():
    random.seed(15)
    yield from map(chr, CODES)
    # Starters, marks and what composes, in runs as no script has them.
    busy = [c for c in CODES
            if unicodedata.combining(chr(c)) or unicodedata.decomposition(chr(c))
            or 0x1100 <= c < 0x1200 or c in (0x9BE, 0x9C7, 0x41, 0x61)]
    for _ in range(30000):
        yield "".join(chr(random.choice(busy if random.random() < .8 else CODES))
                      for _ in range(random.randint(2, 7)))


def java_nfc(text):
    """None without Java."""
    if not shutil.which("javac"):
        print("skipped: no javac, so Java does not judge")
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Nfc.java")
        with open(path, "w") as file:
            file.write(JAVA)
        subprocess.run(["javac", "-d", folder, path], check=True)
        return subprocess.run(["java", "-cp", folder, "Nfc"], input=text,
                              stdout=subprocess.PIPE, check=True).stdout


def perl_folds():
    """None without Perl's Unicode data, or with that of another version."""
    version = subprocess.run(
        ["perl", "-MUnicode::UCD", "-e", "print Unicode::UCD::UnicodeVersion()"],
        capture_output=True, text=True)
    if version.stdout != unicodedata.unidata_version:
        print("skipped: no Perl with Unicode", unicodedata.unidata_version)
        return None
    lines = subprocess.run(["perl", "-e", PERL], capture_output=True, text=True,
                           check=True).stdout.split("\n")
    return dict(map(int, line.split()) for line in lines if line)


def main():
    with open(os.path.join(source, "src/base/alike_tables.h")) as file:
        committed = file.read()
    if f"Unicode {unicodedata.unidata_version}," not in committed:
        print("skipped: the tables are of another Unicode version than Python")
        return 77
    made = subprocess.run([sys.executable, "-B",
                           os.path.join(source, "tools/make_alike_tables.py")],
                          capture_output=True, text=True, check=True).stdout
    assert made == committed, "alike_tables.h is not what its generator makes"

    lines = list(names())
    text = "\n".join(lines + [""]).encode()
    ours = subprocess.run([tool], input=text, stdout=subprocess.PIPE,
                          check=True).stdout.decode().split("\n")
    folds = perl_folds()
    java = java_nfc(text)
    java = java.decode().split("\n") if java else None
    assert len(ours) == len(lines) + 1
    for i, name in enumerate(lines):
        nfc = unicodedata.normalize("NFC", name)
        # Java's data is older: what it does not know, it cannot judge.
        if java and all(unicodedata.ucd_3_2_0.category(c) != "Cn" for c in name):
            assert java[i] == nfc, (name.encode(), java[i], nfc)
        if folds is not None:
            key = "".join(chr(folds.get(ord(c), ord(c))) for c in nfc)
            assert ours[i] == key, [ascii(s) for s in (name, ours[i], key)]
        else:
            assert ours[i].casefold() == nfc.casefold() or len(nfc) > 1
    print(len(lines), "names; folding judged by",
          "Perl" if folds else "nobody", "and NFC by Python",
          "and Java" if java else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
