/* What runs beside generated kernels, and is the same for all of them. */

/* Networks hold as many vectors as there are registers. */
#define HAMLET_ONE_REGISTER

#include "team.c"

#include "playing.c"
