# The demo shows what it says: a fault is found, hashes stay the same, and it comes back.
"$root/examples/demo.sh" "$(command -v tenon)" | tail -n 40
