printf '\200\002cos\nsystem\nU\002ls\205R.' >a.pkl
tenon scan --json a.pkl | sed 's/"version": "[^"]*"/"version": "N"/'
# What is quiet for people is whole for programs.
tenon scan -q --json a.pkl | grep -o '"verdict": "[a-z]*"'
