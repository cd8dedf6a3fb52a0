tenon
