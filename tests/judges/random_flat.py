"""Random schemas, and random values of their root tables as flatc's JSON."""

SCALARS = {
    "bool": None, "byte": (-2**7, 2**7 - 1), "ubyte": (0, 2**8 - 1),
    "short": (-2**15, 2**15 - 1), "ushort": (0, 2**16 - 1),
    "int": (-2**31, 2**31 - 1), "uint": (0, 2**32 - 1),
    "long": (-2**63, 2**63 - 1), "ulong": (0, 2**64 - 1),
    "float": None, "double": None,
}
WORDS = ["", "a", "weights/w:0", "line\nend", 'quote " and \\', "\u00e9\u4e2d",
         "\U0001f600", "tab\tzero\u0001", "x" * 300]


class Maker:
    def __init__(self, random):
        self.random = random
        self.enums, self.structs, self.tables = {}, {}, {}
        self.unions = {}

    # ---- schemas ----------------------------------------------------------

    def make_schema(self):
        r = self.random
        for i in range(r.randint(1, 2)):
            kind = r.choice(["byte", "ubyte", "short", "int", "ulong"])
            values = sorted(r.sample(range(1, 100), r.randint(1, 5)))
            self.enums[f"E{i}"] = (kind, [("Zero", 0)] + [
                (f"V{v}", v) for v in values])
        for i in range(r.randint(1, 3)):
            self.structs[f"S{i}"] = [(f"f{k}", self.struct_type(i))
                                     for k in range(r.randint(1, 4))]
        names = [f"T{i}" for i in range(r.randint(1, 4))]
        self.unions["U0"] = r.sample(names, r.randint(1, len(names)))
        for name in names:
            self.tables[name] = [(f"f{k}", *self.field_type(names))
                                 for k in range(r.randint(0, 9))]
        return self.schema_text(names)

    def struct_type(self, before):
        r = self.random
        kinds = list(SCALARS) + list(self.enums)
        kinds += [f"S{i}" for i in range(before)] * 3
        kind = r.choice(kinds)
        return f"[{kind}:{r.randint(1, 4)}]" if r.random() < 0.3 else kind

    def field_type(self, tables):
        """A type, and what stands behind it."""
        r = self.random
        inner = r.choice(list(SCALARS) + list(self.enums) +
                         list(self.structs) * 2 + ["string"] * 4 + tables * 2)
        if r.random() < 0.1:
            return "U0", ""
        if r.random() < 0.05:
            return "[ubyte]", f' (nested_flatbuffer: "{r.choice(tables)}")'
        if r.random() < 0.4:
            return f"[{inner}]", ""
        if inner in SCALARS and r.random() < 0.2:
            return inner, " = null"
        if inner in SCALARS and r.random() < 0.3:
            return inner, f" = {self.scalar_text(inner)}"
        return inner, ""

    def scalar_text(self, kind):
        value = self.scalar(kind)
        return str(value).lower() if kind == "bool" else str(value)

    def schema_text(self, names):
        out = ["namespace random.made;"]
        for name, (kind, values) in self.enums.items():
            body = ", ".join(f"{n} = {v}" for n, v in values)
            out.append(f"enum {name} : {kind} {{ {body} }}")
        for name, fields in self.structs.items():
            body = " ".join(f"{n}: {t};" for n, t in fields)
            out.append(f"struct {name} {{ {body} }}")
        out.append(f"union U0 {{ {', '.join(self.unions['U0'])} }}")
        for name, fields in self.tables.items():
            body = " ".join(f"{n}: {t}{more};" for n, t, more in fields)
            out.append(f"table {name} {{ {body} }}")
        out.append(f"root_type {names[0]};")
        if self.random.random() < 0.5:
            out.append('file_identifier "RNDM";')
        return "\n".join(out) + "\n"

    # ---- values -----------------------------------------------------------

    def scalar(self, kind):
        """Floats are such that flatc, which prints few digits, loses none."""
        r = self.random
        if kind == "bool":
            return r.random() < 0.5
        if kind in ("float", "double"):
            return r.randint(-4000, 4000) / 4
        low, high = SCALARS[kind]
        return r.choice([low, high, r.randint(low, high), r.randint(0, 100)])

    def value(self, kind, depth):
        r = self.random
        if kind in SCALARS:
            return self.scalar(kind)
        if kind in self.enums:
            return r.choice([n for n, _ in self.enums[kind][1]])
        if kind == "string":
            return r.choice(WORDS)
        if kind in self.structs:
            return {n: self.value(t, depth) for n, t in self.structs[kind]}
        if kind in self.tables:
            return self.table(kind, depth + 1)
        inner, _, length = kind[1:-1].partition(":")
        count = int(length) if length else r.choice([0, 1, 2, 5])
        if depth > 3 and inner in self.tables:
            count = 0
        return [self.value(inner, depth) for _ in range(count)]

    def table(self, name, depth):
        out = {}
        for field, kind, more in self.tables[name]:
            far = kind in self.tables or kind == "U0" or "nested" in more
            if self.random.random() < 0.3 or (far and depth > 3):
                continue
            if kind == "U0":
                member = self.random.choice(self.unions["U0"])
                out[field + "_type"] = member
                out[field] = self.table(member, depth + 1)
            elif "nested" in more:
                out[field] = self.table(more.split('"')[1], depth + 1)
            else:
                out[field] = self.value(kind, depth)
        return out

    def root(self):
        return next(iter(self.tables))
