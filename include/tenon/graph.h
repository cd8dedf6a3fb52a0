#include <tenon/model.h>
