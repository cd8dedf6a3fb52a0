# Gradients, optimizer and source paths go, with their blocks, variables and
# parameters; the blocks that stay get new numbers.
cp "$root"/tests/corpus/paddle/train.pd* .
tenon check train.pdmodel.txt
tenon strip train.pdmodel.txt -o lean.pdmodel -ct
tenon check lean.pdmodel
tenon ls lean.pdmodel
tenon ls --ops lean.pdmodel
tenon dump lean.pdmodel | grep -e 'name: "' -e block_idx -e parent_idx
# Nothing to take away: the same bytes.
tenon strip -q lean.pdmodel -o again.pdmodel -ct
cmp lean.pdmodel again.pdmodel && cmp lean.pdiparams again.pdiparams
