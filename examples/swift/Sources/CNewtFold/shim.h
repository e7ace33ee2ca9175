#include <newt_fold.h>
