#!/usr/bin/python3
"""tag_names.py BINARY - tags are any folder names; streaming readers

unzip, Python's zipfile and Java's zip classes judge the containers that we
write, and make containers that we read."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
import zlib

binary = os.path.realpath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TAGS = ["my tag 1", "fp32", "Größe", "模型 2", "Имя", "a 🎉", "-x", "100%",
        "e\u0301te\u0301", "x\u202ey"]
# Another spelling of each, by case or by normalization.
ALIAS = {"my tag 1": "MY TAG 1", "fp32": "FP32", "Größe": "GRO\u0308ẞE",
         "Имя": "ИМЯ", "a 🎉": "A 🎉", "-x": "-X",
         "e\u0301te\u0301": "ÉTÉ", "x\u202ey": "X\u202eY"}
# Others are in src/format/samediff/tag_text_test.c.
REFUSED = ["", "..", "a.", "a ", "a/b", "a\\b", "a\x1bb", "nul.txt", "LPT¹",
           "a\u0085b", "ä" * 128, b"a\xffb"]
JAVA = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;
public class Zips {
    static void say(ZipEntry e, InputStream in) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(in.readAllBytes());
        System.out.write((e.getName() + "\\t" + crc.getValue() + "\\n")
            .getBytes(StandardCharsets.UTF_8));
    }
    public static void main(String[] a) throws IOException {
        if (a[0].equals("file")) {
            try (ZipFile zip = new ZipFile(a[1])) {
                for (var e : Collections.list(zip.entries()))
                    say(e, zip.getInputStream(e));
            }
        } else if (a[0].equals("stream")) {
            try (var zip = new ZipInputStream(new FileInputStream(a[1]))) {
                for (ZipEntry e; (e = zip.getNextEntry()) != null; )
                    say(e, zip);
            }
        } else { // make: names and contents of another, deflated in a stream
            try (ZipFile from = new ZipFile(a[1]);
                 var zip = new ZipOutputStream(new FileOutputStream(a[2]))) {
                for (var e : Collections.list(from.entries())) {
                    zip.putNextEntry(new ZipEntry(e.getName()));
                    from.getInputStream(e).transferTo(zip);
                    zip.closeEntry();
                }
            }
        }
        System.out.flush();
    }
}
"""
has_java = shutil.which("javac") is not None


def run(*words, code=0, out=subprocess.PIPE):
    done = subprocess.run([binary, *words], stdout=out, stderr=subprocess.PIPE)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def java(*words):
    out = subprocess.run(["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                          "-cp", ".", "Zips", *words], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    return sorted(tuple(line.split("\t")) for line in out.splitlines())


def names_of(path):
    with zipfile.ZipFile(path) as zip:
        return sorted((i.filename, str(zlib.crc32(zip.read(i))))
                      for i in zip.infolist())


def stream(path):
    """Entries as a reader meets them that never seeks, until there is none."""
    found = []
    with open(path, "rb") as file:
        while True:
            head = file.read(30)
            if head[:4] != b"PK\3\4":
                return sorted(found)
            (_, flags, method, _, _, crc, packed, size, names,
             extras) = struct.unpack("<HHHHHIIIHH", head[4:])
            assert not flags & 8 and method == 0
            name = file.read(names).decode("utf-8" if flags & 0x800 else "cp437")
            file.read(extras)
            data = file.read(packed)
            assert zlib.crc32(data) == crc and len(data) == size
            found.append((name, str(crc)))


def judge(path):
    """Everybody reads the same names and bytes."""
    wanted = names_of(path)
    with zipfile.ZipFile(path) as zip:
        assert zip.testzip() is None
        for info in zip.infolist():
            assert info.filename.isascii() or info.flag_bits & 0x800, info
    said = subprocess.run(["unzip", "-tq", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=True).stdout
    assert b"No errors" in said and b"warning" not in said, said
    if has_java:
        assert java("file", path) == wanted
    return wanted


def tags_of(path):
    return [t["tag"] for t in
            json.loads(run("tag", "ls", "--json", path).stdout)["tags"]]


def add_and_judge():
    for tag in TAGS:
        run("tag", "add", "-q", "--", "c.samediff", tag, "dense.fb")
    assert tags_of("c.samediff") == TAGS
    assert run("check", "c.samediff").returncode == 0
    wanted = judge("c.samediff")
    for tag in TAGS:
        assert any(name == tag + "/graph.fb" for name, _ in wanted), tag
    with zipfile.ZipFile("c.samediff") as zip:
        assert b" my%20tag%201/" in zip.read("fp32/params.txt")
    shown = run("tag", "ls", "c.samediff").stdout.decode()
    assert "\u202e" not in shown and "Größe" in shown, shown
    assert "\u202e" not in run("tag", "log", "c.samediff").stdout.decode()


def refuse():
    with open("c.samediff", "rb") as file:
        before = file.read()
    for tag in REFUSED:
        said = run("tag", "add", "--", "c.samediff", tag, "dense.fb", code=11)
        assert b"\x1b" not in said.stderr and b"\xff" not in said.stderr
    run("tag", "add", "--", "new.samediff", "a\\b", "dense.fb", code=11)
    for alias in ALIAS.values():
        run("tag", "add", "--", "c.samediff", alias, "dense.fb", code=9)
    said = run("tag", "export", "c.samediff", "größt\x1b", "-o", "x.fb", code=6)
    assert b"\x1b" not in said.stderr
    with open("c.samediff", "rb") as file:
        assert file.read() == before and not os.path.exists("new.samediff")


def every_verb():
    run("tag", "export", "-q", "-o", "fp32.fb", "c.samediff", "fp32")
    for tag, alias in list(ALIAS.items())[2:]:
        run("tag", "diff", "--", "c.samediff", tag, "my TAG 1")
        run("tag", "export", "-qf", "-o", "one.fb", "--", "c.samediff", alias)
        with open("one.fb", "rb") as one, open("fp32.fb", "rb") as two:
            assert one.read() == two.read()
        run("tag", "add", "-qf", "--", "c.samediff", alias, "dense.fb")
        assert tags_of("c.samediff")[-1] == tag  # and keeps its spelling
    # All tags of one into another, and none when one clashes.
    run("tag", "add", "-q", "d.samediff", "c.samediff")
    assert tags_of("d.samediff") == tags_of("c.samediff")
    run("tag", "add", "-q", "e.samediff", "GRO\u0308ẞE", "dense.fb")
    run("tag", "add", "-q", "e.samediff", "c.samediff", code=9)
    assert tags_of("e.samediff") == ["GRO\u0308ẞE"]
    # What others share moves when its tag goes.
    for tag in ["MY TAG 1", "GRO\u0308ẞE", "ИМЯ", "ÉTÉ"]:
        run("tag", "rm", "-q", "c.samediff", tag)
        run("check", "c.samediff")
    assert len(tags_of("c.samediff")) == len(TAGS) - 4


def streaming():
    """Appends hide what is behind the first commit; compact shows it all."""
    wanted = judge("c.samediff")
    assert len(stream("c.samediff")) < len(wanted)
    if has_java:
        assert len(java("stream", "c.samediff")) < len(wanted)
    run("tag", "compact", "-q", "c.samediff")
    run("check", "c.samediff")
    wanted = judge("c.samediff")
    assert stream("c.samediff") == wanted
    if has_java:
        assert java("stream", "c.samediff") == wanted


def made_by_others():
    # The list says NFD, folders are NFC and in capitals.
    with zipfile.ZipFile("d.samediff") as old, \
            zipfile.ZipFile("p.samediff", "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            name, data = info.filename, old.read(info)
            if name == "tags.txt":
                name = "Tags.TXT"
                data = unicodedata.normalize("NFD", data.decode()).encode()
            elif "%" not in name:
                name = unicodedata.normalize("NFC", name)
                name = name.replace("Имя", "ИМЯ").replace("my tag", "My Tag")
            new.writestr(name, data)
    makers = ["p.samediff"]
    if has_java:
        java("make", "p.samediff", "j.samediff")
        makers.append("j.samediff")
    for path in makers:
        assert len(tags_of(path)) == len(TAGS)
        run("check", path)
        for tag in TAGS[::2]:
            run("info", path, "--tag=" + tag)
        run("tag", "compact", "-q", path)
        run("check", path)
        judge(path)
        run("tag", "rm", "-q", path, "MY TAG 1")
        run("check", path)


def clashing():
    for tags in (["Größe", "GRO\u0308ẞE"], ["É", "e\u0301"], ["К", "к"],
                 ["k", "\u212a"], ["ok", "a\x1bb"], ["a", "b\\c"]):
        with zipfile.ZipFile("bad.samediff", "w") as zip, \
                zipfile.ZipFile("d.samediff") as old:
            zip.writestr("tags.txt", "\n".join(tags + [""]))
            for tag in tags:
                for file in ("graph.fb", "params.txt", "trainingConfig.fb"):
                    if "my tag 1/" + file in old.namelist() and "\\" not in tag:
                        zip.writestr(tag + "/" + file, old.read("my tag 1/" + file))
        said = run("info", "bad.samediff", code=3)
        assert b"\x1b" not in said.stderr, said.stderr
        said = run("check", "bad.samediff", code=1)
        assert b"\x1b" not in said.stdout + said.stderr


def main():
    here = tempfile.mkdtemp()
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        os.chdir(here)
        if has_java:
            with open("Zips.java", "w") as file:
                file.write(JAVA)
            subprocess.run(["javac", "-d", ".", "Zips.java"], check=True)
        run("undump", os.path.join(root, "examples/dense.samediff.json"), "-t",
            "sd.graph.FlatGraph", "-o", "dense.fb")
        for step in (add_and_judge, refuse, every_verb, streaming,
                     made_by_others, clashing):
            step()
    finally:
        shutil.rmtree(here)
    print(len(TAGS), "tags; judged by unzip, Python",
          "and Java" if has_java else "(no Java here)")


if __name__ == "__main__":
    sys.exit(main())
