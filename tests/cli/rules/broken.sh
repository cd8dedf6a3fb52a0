# a broken rule file is refused with line and column
printf 'mappings {\n  opName: "x"\n  colour: "red"\n}\n' >rules
tenon rules ls rules
