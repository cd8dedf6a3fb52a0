# terminal.sh - what a person sees who looks at a hostile model
seconds=300

claim "no name of a model steers the terminal, whatever the verb"
accepts python3 "$here/support/terminal.py"
