#!/usr/bin/python3
"""Rows about Python: what listing a million tensors costs, against C.

    python_rows.py BUILD [COUNT]

Both open the same file and look at name, type and shape of every tensor; C
makes a call for each, Python takes the columns.  Times are the processor's, the
least of five runs.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

IN_C = r"""
#include <stdio.h>
#include <time.h>
#include <tenon/tenon.h>

int main(int count, char **arguments)
{
    struct tn_model *model;
    uint64_t sum = 0;
    (void)count;
    clock_t begin = clock();
    if (tn_model_open(&model, arguments[1], NULL, NULL) != TN_OK)
        return 1;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        sum += tn_tensor_name(tensor).size + tn_tensor_dtype(tensor);
        for (uint32_t k = 0; k < tn_tensor_rank(tensor); k++)
            sum += tn_tensor_dims(tensor)[k];
    }
    printf("%f %llu\n", (double)(clock() - begin) / CLOCKS_PER_SEC,
           (unsigned long long)sum);
    tn_model_close(model);
    return 0;
}
"""
IN_PYTHON = """
import sys, time, tenon
tenon.open
begin = time.process_time()
model = tenon.open(sys.argv[1], graph=False)
if sys.argv[2] == "names":
    sum(1 for _ in model.tensors)
else:
    sum(1 for _ in model.tensors.rows())
print(time.process_time() - begin)
"""


def make(path):
    row = ('"model.layers.%d.weight":{"dtype":"F32","shape":[1,1],'
           '"data_offsets":[%d,%d]}')
    text = "{" + ",".join(row % (i, 4 * i, 4 * i + 4)
                          for i in range(COUNT)) + "}"
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text.encode())
        file.truncate(8 + len(text) + 4 * COUNT)


def least(command):
    return min(float(subprocess.run(command, check=True, text=True,
                                    capture_output=True).stdout.split()[0])
               for _ in range(5))


def main():
    os.environ["TENON_LIBRARY"] = os.path.join(BUILD, "src", "libtenon.so")
    os.environ["PYTHONPATH"] = os.path.join(TOP, "python")
    os.environ["LD_LIBRARY_PATH"] = os.path.join(BUILD, "src")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.safetensors")
        make(path)
        peer = os.path.join(folder, "peer")
        with open(peer + ".c", "w") as file:
            file.write(IN_C)
        subprocess.run(["cc", "-O2", "-I", os.path.join(TOP, "include"),
                        peer + ".c", "-o", peer, "-L",
                        os.path.join(BUILD, "src"), "-ltenon"], check=True)
        in_c = least([peer, path])
        rows = {"C": in_c}
        for what in ("names", "rows"):
            rows[what] = least(["/usr/bin/python3", "-c", IN_PYTHON, path,
                                what])
        begin = ("import time; b = time.process_time(); import tenon; "
                 "print(time.process_time() - b)")
        rows["import"] = least(["/usr/bin/python3", "-c", begin])
    print(f"list {COUNT} tensors: C {rows['C']:.2f} s, Python names "
          f"{rows['names']:.2f} s ({rows['names'] / in_c:.2f}x), names, types "
          f"and shapes {rows['rows']:.2f} s ({rows['rows'] / in_c:.2f}x)")
    print(f"import tenon: {1000 * rows['import']:.0f} ms")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
