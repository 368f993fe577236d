/* Stands for HPTT's library, with which a program was linked: its functions do nothing. */
void sTensorTranspose(void) {}
void dTensorTranspose(void) {}
void cTensorTranspose(void) {}
void zTensorTranspose(void) {}
