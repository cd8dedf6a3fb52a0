# signals.sh - a user who has seen enough, a system that goes down

claim "a signal ends every verb by that signal"
accepts python3 "$here/support/signals.py" every_verb

claim "a signal leaves nothing behind"
rm -f pipe held.samediff
accepts python3 "$here/support/signals.py" at_work

claim "a signal in the middle of one long step leaves nothing behind"
accepts python3 "$here/support/signals.py" one_step

claim "what a killed command left is removed by the next"
accepts python3 "$here/support/signals.py" killed

claim "a container that another process adds to is not called torn"
accepts python3 "$here/support/signals.py" growing
