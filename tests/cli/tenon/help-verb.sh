tenon help hash
