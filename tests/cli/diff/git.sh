# docs/git.md: the settings as they are written there, with git itself.
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git config --global user.name n; git config --global user.email e; git config --global init.defaultBranch main
# Runs what the page says: from "git config" to the line that ends the quote.
awk '/^    git config --global diff.model.command/ { on = 1 } on { print substr($0, 5) } on && /; f.$/ { exit }' "$root/docs/git.md" > command.sh
grep '^    git config --global diff.model.\(textconv\|cachetext\)' "$root/docs/git.md" | sed 's/^ *//' > text.sh
mkdir repository && cd repository && git init -q .
awk '/^    \*\./ { print substr($0, 5) }' "$root/docs/git.md" > .gitattributes
cp ../tiny.onnx . && git add . && git commit -qm one
tenon edit -q tiny.onnx -o ../new.onnx --set-attr 'decide axis=1' && cp ../new.onnx tiny.onnx
git diff | head -n 3
sh ../text.sh
sed 's/op_type: "Softmax"/op_type: "LogSoftmax"/' "$root/examples/tiny.onnx.textproto" | tenon undump -q - -o tiny.onnx --force
git diff | grep '^[+-]'
cp ../new.onnx tiny.onnx
sh ../command.sh
git diff | sed 's,/tmp/[^ ]*/,OLD/,'
cp tiny.onnx more.onnx && git add -N more.onnx
git diff more.onnx | head -n 1; echo $?
git add . && git commit -qm two && git rm -q more.onnx
git diff --cached --ext-diff
git log -p --ext-diff -1 --format=%s -- tiny.onnx | sed 's,/tmp/[^ ]*/,OLD/,g'
