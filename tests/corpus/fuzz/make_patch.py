#!/usr/bin/env python3
"""make_patch.py - the seeds of patch_fuzz, into patch_fuzz/

The first byte chooses the model of patch_fuzz.c: "0" is ONNX, "1" a GraphDef.
"""
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "patch_fuzz")
SEEDS = {
    "rename.onnx": "0rename x picture b inner\nrename-node sum add\nrename-all *=p_*\n",
    "nodes.onnx": "0remove-op call\nset-input if 0 c\nadd-op new Relu if a -> b\nset-attr @2 axis ints 1 2\nmove-op new -\n",
    "graphs.onnx": "0in graph.node[2].attribute[0].g\nset-op n Abs\nset-attr n k strings a \"b c\"\nin f\nremove-op @0\n",
    "function.onnx": "0in Twice\nset-op @3 Mul\nadd-op deep Identity - o -> u\n",
    "lists.onnx": "0list-inputs x float32 2 c bool \"\"\nlist-outputs y float32 N,? a as-it-is \"\"\nremove-function functions[0]\n",
    "parts.onnx": "0outputs a\n",
    "inputs.onnx": "0inputs b\nadd-output a\ndrop-output y\n",
    "sizes.onnx": "0set-dim x[0]=4\nbatch 2\ndynamic x[0]=N\nfloat16\nopset 18\n",
    "pairs.onnx": "0insert-identity a\ninsert-casts a=float16\ninsert-qdq a 0.5 3 uint8\nremove-identities\nremove-casts\nremove-qdq\n",
    "texts.onnx": "0doc \"about \\x41\"\nmetadata k v\nremove-metadata k\ngraph-name h\nproducer me\n",
    "branch.onnx": "0add-op new If - c -> z\nadd-graph new then_branch t\nadd-graph new else_branch e\nin @4\nlist-outputs p float32 2\nadd-op k Neg - a -> p\n"
                   "in @5\nlist-outputs q sequence(float32) ...\nlist-values q float32 N\nadd-op \"\" Abs - a -> q\nset-attr @9 s hex 0x6100\n",
    "other-branch.onnx": "0add-graph if then_branch t\nadd-graph call list g list\nadd-graph call list h list\nset-attr if else_branch graph @1\n",
    "moved-branch.onnx": "0set-attr if then_branch graph @2\nremove-attr if else_branch\nin @4\nopset 18\n",
    "nodes.graph": "1set-inputs y s ^x\nset-input s 1 x\nset-attr x shape shape 2,-1\nadd-op z Neg - s\nset-attr z T type float32\n",
    "parts.graph": "1inputs s\n",
    "outputs.graph": "1outputs s:0\nadd-output w\ndrop-output s\n",
    "extract.graph": "1extract s\n",
    "function.graph": "1in twice\nset-op sum Mul\nrename-node sum product\n",
    "pairs.graph": "1insert-identity s\ninsert-casts s=float16\nremove-identities\nremove-casts\nremove-qdq\n",
    "bad-name.graph": "1rename x \"a b\"\n",
    "gone.graph": "1remove-function twice\nremove-op y\n",
}

os.makedirs(FOLDER, exist_ok=True)
for name, text in SEEDS.items():
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)
