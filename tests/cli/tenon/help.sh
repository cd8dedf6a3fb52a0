tenon --help
