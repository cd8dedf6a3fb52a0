# What a URL has of a user and a password is in no row.
tenon catalog -q 'https://me:word@host.invalid/m.onnx' |
    sed 's/, "made_by".*//'
