# A "version" makes no program of Paddle; a folder as on Hugging Face has one model.
echo '{"version": "1.0", "truncation": null, "added_tokens": []}' >tokenizer.json
echo '{"model_type": "bert", "version": 3}' >config.json
echo '{"name": "page", "version": "1.0.0"}' >package.json
printf 'start\n  tenon --version: +0.44 ms\n' >bench.log
printf 'version {\n  version: 0\n}\nblocks {\n  idx: 0\n  parent_idx: -1\n}\n' >program.txt
for file in tokenizer.json config.json package.json bench.log; do
    tenon info $file
done
tenon info program.txt
