/* Stands for TBLIS's library, with which a program was linked: its functions do nothing. */
#include <stddef.h>

const void *const tblis_single = NULL;
void tblis_set_num_threads(void) {}
unsigned tblis_get_num_threads(void) { return 0; }
const void *tblis_get_config(void) { return NULL; }
void tblis_init_scalar_s(void) {}
void tblis_init_scalar_d(void) {}
void tblis_init_scalar_c(void) {}
void tblis_init_scalar_z(void) {}
void tblis_init_tensor_s(void) {}
void tblis_init_tensor_c(void) {}
void tblis_init_tensor_z(void) {}
void tblis_init_tensor_scaled_s(void) {}
void tblis_init_tensor_scaled_d(void) {}
void tblis_init_tensor_d(void) {}
void tblis_init_tensor_scaled_z(void) {}
void tblis_init_tensor_scaled_c(void) {}
void tblis_tensor_mult(void) {}
void tblis_tensor_add(void) {}
void tblis_tensor_set(void) {}
void tblis_tensor_reduce(void) {}
void tblis_tensor_dot(void) {}
void tblis_tensor_scale(void) {}
void tblis_tensor_shift(void) {}
