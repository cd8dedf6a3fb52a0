# files that belong to a model, and are none, are not broken
mkdir -p m/variables m/debug m/assets
echo words >m/assets/words.txt
head -c 40 /dev/zero >m/variables/variables.data-00000-of-00001
printf '\010\001' >m/fingerprint.pb
printf '\010\001' >m/debug/saved_model_debug_info.pb
printf 'model_checkpoint_path: "model"\n' >checkpoint
tenon catalog -q . -o - | grep '"row": "file"' | sed 's/.*"file": "\([^"]*\)".*"status": "\([^"]*\)".*/\1 \2/'
