#!/usr/bin/python3
"""Writes python/tenon/_api.py and the stubs of the package from the headers.

    tools/make_python_api.py            writes them
    tools/make_python_api.py --check    says whether they are up to date

The public headers are preprocessed by the C compiler ($CC, else cc), so that
lists made by macros are complete.  What is written: the structs, enums and
callbacks of include/tenon as ctypes, a table of all functions, constants, and
_api.pyi with their types for type checkers.  Modules of the package that have
no annotations get a stub that says which functions and arguments they have.
"""
import ast
import keyword
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = os.path.join(TOP, "include")
PACKAGE = os.path.join(TOP, "python", "tenon")
UNTYPED = ["filling", "interpreting", "known", "messages", "splitting"]

NUMBERS = {"int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint",
           "size_t": "c_size_t", "bool": "c_bool", "_Bool": "c_bool",
           "char": "c_char", "float": "c_float", "double": "c_double",
           **{f"{u}int{n}_t": f"c_{u}int{n}" for u in ("", "u")
              for n in (8, 16, 32, 64)}}
VALUES = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1}


def preprocessed():
    """The headers' own lines, without those of the system."""
    command = [*os.environ.get("CC", "cc").split(), "-E", "-std=c11",
               "-I", INCLUDE, os.path.join(INCLUDE, "tenon", "tenon.h")]
    text = subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout
    lines, is_ours = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            is_ours = os.path.dirname(marker[1]) == os.path.join(INCLUDE,
                                                                 "tenon")
        elif is_ours and not line.startswith("#"):
            lines.append(line)
    text = " ".join(lines)
    text = re.sub(r'__attribute__\s*\(\(visibility\("default"\)\)\)',
                  " TN_API ", text)
    return re.sub(r"\s+", " ", text)


def constants():
    found = {}
    for name in sorted(os.listdir(os.path.join(INCLUDE, "tenon"))):
        with open(os.path.join(INCLUDE, "tenon", name)) as file:
            for match in re.finditer(
                    r"^#define (TN_[A-Z_0-9]+) (\w+)$", file.read(), re.M):
                value = VALUES.get(match[2])
                if value is None and match[2].isdigit():
                    value = int(match[2])
                if value is not None:
                    found[match[1]] = value
    return found


def split_top(text, separator):
    """Parts between separators that are outside of all brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "({[") - (letter in ")}]")
        if letter == separator and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [p for p in parts + [part.strip()] if p]


class Headers:
    def __init__(self):
        self.constants = constants()
        self.enums, self.structs, self.callbacks = {}, {}, {}
        self.functions = {}
        self.order = []  # ("struct" or "callback", name)
        for statement in split_top(preprocessed(), ";"):
            self.read(statement)

    def read(self, text):
        if match := re.fullmatch(r"enum (\w+) \{(.*)\}", text):
            self.read_enum(match[1], match[2])
        elif match := re.fullmatch(r"enum \{(.*)\}", text):
            self.read_enum("", match[1])
        elif match := re.fullmatch(r"struct (\w+) \{(.*)\}", text):
            self.read_struct(match[1], match[2])
        elif match := re.fullmatch(r"typedef (.*?)(\w+)\((.*)\)", text):
            self.callbacks[match[2]] = (match[1].strip(),
                                        self.parameters(match[3]))
            self.order.append(("callback", match[2]))
        elif match := re.fullmatch(r"TN_API (.*?)(\w+)\((.*)\)", text):
            self.functions[match[2]] = (match[1].strip(),
                                        self.parameters(match[3]))
        elif not re.fullmatch(r"struct \w+", text):
            sys.exit(f"make_python_api: cannot read: {text[:200]}")

    def read_enum(self, name, body):
        value = -1
        for item in split_top(body, ","):
            parts = [p.strip() for p in item.split("=")]
            value = int(parts[1], 0) if len(parts) > 1 else value + 1
            self.enums[parts[0]] = value

    def read_struct(self, name, body):
        fields = []
        for field in split_top(body, ";"):
            if match := re.fullmatch(r"union \{(.*)\} (\w+)", field):
                inner = f"{name}_{match[2]}"
                self.structs[inner] = ("Union", self.fields(match[1]))
                self.order.append(("struct", inner))
                fields.append((match[2], f"struct {inner}"))
            else:
                fields += self.fields(field)
        self.structs[name] = ("Structure", fields)
        self.order.append(("struct", name))

    def fields(self, body):
        rows = []
        for field in split_top(body, ";"):
            declarators = split_top(field, ",")
            first, kind = self.declaration(declarators[0])
            rows.append((first, kind))
            base = re.match(r"(?:const )?(?:struct |enum )?\w+(?: const)?",
                            declarators[0])[0]
            for more in declarators[1:]:
                rows.append(self.declaration(f"{base} {more}"))
        return rows

    def parameters(self, text):
        if text.strip() in ("", "void"):
            return []
        return [self.declaration(p) for p in split_top(text, ",")]

    def declaration(self, text):
        """Name and type; a type is text of C, or a tuple for a function."""
        text = text.strip()
        if match := re.fullmatch(r"(.*?)\(\*(\w+)\)\s*\((.*)\)", text):
            return match[2], (match[1].strip(), self.parameters(match[3]))
        if match := re.fullmatch(r"(.*?)\(\*(\w+)\)\s*\[(.*)\]", text):
            return match[2], "void *"
        if match := re.fullmatch(r"(.*?)(\w+)\s*\[(.*)\]", text):
            count = self.enums.get(match[3], self.constants.get(match[3]))
            return match[2], (match[1].strip(),
                              int(match[3]) if count is None else count)
        match = re.fullmatch(r"(.*?[ *])(\w+)", text)
        return match[2], match[1].strip()

    # ---- as ctypes ------------------------------------------------------------

    def ctype(self, kind, is_parameter=False):
        if isinstance(kind, tuple):
            if isinstance(kind[1], int):
                inner = self.ctype(kind[0])
                return (f"c.POINTER({inner})" if is_parameter
                        else f"{inner} * {kind[1]}")
            return self.callback(kind)
        kind = re.sub(r"\bconst\b", "", kind).strip()
        stars = kind.count("*")
        base = kind.replace("*", "").strip()
        if base in self.callbacks and stars == 1:
            return base
        if base == "void":
            return "None" if stars == 0 else self.pointers("c.c_void_p",
                                                           stars - 1)
        if base == "char" and stars:
            return self.pointers("c.c_char_p", stars - 1)
        if base == "uint8_t" and stars:  # bytes, by address
            return self.pointers("c.c_void_p", stars - 1)
        if base.startswith("enum "):
            return self.pointers("c.c_int", stars)
        if base.startswith("struct "):
            name = base.split()[1]
            if name in self.structs:
                return self.pointers(name, stars)
            return self.pointers("c.c_void_p", stars - 1)
        return self.pointers("c." + NUMBERS[base], stars)

    @staticmethod
    def pointers(inner, stars):
        for _ in range(stars):
            inner = f"c.POINTER({inner})"
        return inner

    def callback(self, kind):
        result, parameters = kind
        types = [self.ctype(result)] + [self.ctype(k, True)
                                        for _, k in parameters]
        return f"c.CFUNCTYPE({', '.join(types)})"

    # ---- for type checkers ----------------------------------------------------

    def hint(self, kind):
        if isinstance(kind, tuple):
            return "Any"
        plain = re.sub(r"\bconst\b", "", kind).strip()
        stars, base = plain.count("*"), plain.replace("*", "").strip()
        if base == "char" and stars == 1:
            return "Optional[bytes]"
        if stars:
            return "Any"
        if base == "void":
            return "None"
        if base.startswith("struct "):
            return base.split()[1]
        return {"bool": "bool", "_Bool": "bool", "float": "float",
                "double": "float", "char": "bytes"}.get(base, "int")


MADE = "made by tools/make_python_api.py from include/tenon; do not edit"


def safe(name):
    return name + "_" if keyword.iskeyword(name) else name


def api_py(h):
    out = [f'"""The C API for ctypes: {MADE}."""', "import ctypes as c",
           "", "from tenon import _library", ""]
    out += [f"{n} = {v}" for n, v in sorted(h.constants.items())]
    out += [f"{n} = {v}" for n, v in h.enums.items()]
    # Structs may point to each other, so they exist before they have fields.
    out.append("")
    for name, (kind, _) in h.structs.items():
        out += ["", f"class {name}(c.{kind}):", "    pass", ""]
    for what, name in h.order:
        if what == "callback":
            out.append(f"{name} = {h.callback(h.callbacks[name])}")
            continue
        rows = [f'    ("{safe(n)}", {h.ctype(k)}),'
                for n, k in h.structs[name][1]]
        out += [f"{name}._fields_ = [", *rows, "]"]
    out += ["", "FUNCTIONS = {"]
    for name, (result, parameters) in sorted(h.functions.items()):
        types = ", ".join(h.ctype(k, True) for _, k in parameters)
        out.append(f'    "{name}": "{h.ctype(result)}, [{types}]",')
    out += ["}", "", "",
            "library = _library.Library(FUNCTIONS, globals())", ""]
    return "\n".join(out)


def api_pyi(h):
    out = [f"# {MADE}.", "import ctypes",
           "from typing import Any, Dict, Optional", ""]
    out += [f"{n}: int" for n in sorted(h.constants)]
    out += [f"{n}: int" for n in h.enums]
    for name, (kind, fields) in h.structs.items():
        out += ["", f"class {name}(ctypes.{kind}):"]
        out += [f"    {safe(n)}: {h.hint(k)}" for n, k in fields]
        out.append("    def __init__(self, *args: Any, **kwargs: Any) "
                   "-> None: ...")
    out.append("")
    out += [f"{name}: Any" for name in h.callbacks]
    out += ["", "class _Library:"]
    for name, (result, parameters) in sorted(h.functions.items()):
        named = [f"{safe(n)}: Any" for n, _ in parameters]
        slash = ", /" if named else ""
        out.append(f"    def {name}(self{''.join(', ' + n for n in named)}"
                   f"{slash}) -> {h.hint(result)}: ...")
    out += ["", "FUNCTIONS: Dict[str, str]",
            "library: _Library", ""]
    return "\n".join(out)


# ---- stubs of modules without annotations -------------------------------------


def arguments(args):
    """The parameters of a function, all of them Any."""
    plain = args.posonlyargs + args.args
    optional = len(plain) - len(args.defaults)
    out = []
    for i, arg in enumerate(plain):
        is_self = i == 0 and arg.arg in ("self", "cls")
        out.append(arg.arg if is_self else f"{arg.arg}: Any"
                   + (" = ..." if i >= optional else ""))
    if args.vararg:
        out.append(f"*{args.vararg.arg}: Any")
    elif args.kwonlyargs:
        out.append("*")
    for arg, default in zip(args.kwonlyargs, args.kw_defaults):
        out.append(f"{arg.arg}: Any" + (" = ..." if default else ""))
    if args.kwarg:
        out.append(f"**{args.kwarg.arg}: Any")
    return ", ".join(out)


def is_public(name):
    return not name.startswith("_") or name.startswith("__")


def stub_function(node, indent):
    out = [f"{indent}@{ast.unparse(d)}" for d in node.decorator_list
           if ast.unparse(d) in ("property", "classmethod", "staticmethod")
           or ast.unparse(d).endswith(".setter")]
    result = "None" if node.name in ("__init__", "close", "__del__") else "Any"
    out.append(f"{indent}def {node.name}({arguments(node.args)}) -> "
               f"{result}: ...")
    return out


def stub_bases(node):
    """Names of what a class is made of; a tuple of whatever there is in it."""
    for base in map(ast.unparse, node.bases):
        if base == "tuple" or base.startswith("collections.namedtuple("):
            yield "Tuple[Any, ...]"
        elif not base.startswith("abc."):
            yield base


def stub_class(node):
    bases = list(stub_bases(node))
    out = ["", f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
           + ":"]
    body = []
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and is_public(item.name):
            body += stub_function(item, "    ")
        elif isinstance(item, ast.Assign):
            body += [f"    {t.id}: Any" for t in item.targets
                     if isinstance(t, ast.Name) and is_public(t.id)]
    if "Tuple[Any, ...]" in bases and "__new__" not in "".join(body):
        body.append("    def __new__(cls, *fields: Any, **named: Any) "
                    "-> Any: ...")
    if not any(line.startswith("    def __getattr__") for line in body):
        body.append("    def __getattr__(self, name: str) -> Any: ...")
    return out + body


def stub(module):
    with open(os.path.join(PACKAGE, module + ".py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    out = ["# made by tools/make_python_api.py; do not edit.",
           "from typing import Any, Tuple", "from tenon import native"]
    bases = {base.id for node in tree.body if isinstance(node, ast.ClassDef)
             for base in node.bases if isinstance(base, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module \
                and node.module.startswith("tenon."):
            names = [a.name for a in node.names if a.name[0].isupper()]
            if names and node.module != "tenon.native":
                out.append(f"from {node.module} import {', '.join(names)}")
        elif isinstance(node, ast.FunctionDef) and is_public(node.name):
            out += stub_function(node, "")
        elif isinstance(node, ast.ClassDef) and (is_public(node.name)
                                                 or node.name in bases):
            out += stub_class(node)
        elif isinstance(node, ast.Assign):
            out += [f"{t.id}: Any" for t in node.targets
                    if isinstance(t, ast.Name) and is_public(t.id)]
    return "\n".join(out) + "\n"


def main():
    headers = Headers()
    files = {"_api.py": api_py(headers), "_api.pyi": api_pyi(headers)}
    for module in UNTYPED:
        files[module + ".pyi"] = stub(module)
    stale = []
    for name, text in files.items():
        path = os.path.join(PACKAGE, name)
        try:
            with open(path, encoding="utf-8") as file:
                is_same = file.read() == text
        except OSError:
            is_same = False
        if is_same:
            continue
        stale.append(name)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if sys.argv[1:] == ["--check"] and stale:
        sys.exit(f"these are not what the headers say: {', '.join(stale)}; "
                 "run tools/make_python_api.py")
    print(f"{len(headers.functions)} functions, {len(headers.structs)} structs")


if __name__ == "__main__":
    main()
