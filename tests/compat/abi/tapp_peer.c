/* Stands for another library of TAPP's, with which a program was linked: its functions do nothing.
 */
#include <stdbool.h>

bool TAPP_check_success(void) { return true; }
unsigned long TAPP_explain_error(void) { return 0; }
int TAPP_create_handle(void) { return 0; }
int TAPP_destroy_handle(void) { return 0; }
int TAPP_create_executor(void) { return 0; }
int TAPP_destroy_executor(void) { return 0; }
int TAPP_create_tensor_info(void) { return 0; }
int TAPP_destroy_tensor_info(void) { return 0; }
int TAPP_get_nmodes(void) { return 0; }
int TAPP_create_tensor_product(void) { return 0; }
int TAPP_destroy_tensor_product(void) { return 0; }
int TAPP_execute_product(void) { return 0; }
int TAPP_execute_batched_product(void) { return 0; }
