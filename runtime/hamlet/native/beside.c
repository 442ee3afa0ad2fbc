/* What runs beside generated kernels, and is the same for all of them. */

#include "team.c"

#include "playing.c"
