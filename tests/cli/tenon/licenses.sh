# Our licence, then the notices of what is linked into the command.
tenon --licenses | sed -n '1,3p'
tenon --licenses | grep -A1 -xE 'OpenSSL|libdeflate|zlib|Brotli|Zstandard|Snappy|glibc'
