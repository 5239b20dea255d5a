/* The statement of a call. */
#ifndef SQLRP_STATEMENT_H
#define SQLRP_STATEMENT_H

#include "call.h"

/* Write the statement, which runs in the kernel. */
void say_statement(text *to, const call *c, const plan *p);

#endif
