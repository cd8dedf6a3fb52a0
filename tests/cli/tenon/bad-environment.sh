# a value of a variable that means nothing
TENON_TIMEOUT=1m tenon info http://127.0.0.1:1/x
TENON_ATTEMPTS=0 tenon info http://127.0.0.1:1/x
TENON_CACHE=yes tenon info http://127.0.0.1:1/x
TENON_CACHE=1 TENON_CACHE_SIZE=much tenon info http://127.0.0.1:1/x
