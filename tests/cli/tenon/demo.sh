# The demo shows what it says: a fault is found, and hashes stay the same.
"$root/examples/demo.sh" "$(command -v tenon)" | tail -n 18
