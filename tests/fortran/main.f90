! Tests the module tenfold. "error-stop" as argument: fails without stat=, which must end the program.
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use batch_tests
  use calibrate_tests
  use checks
  use control_tests
  use epilogue_tests
  use error_tests
  use label_tests
  use plan_tests
  use product_tests
  use section_tests
  use tenfold
  use transpose_tests
  use type_tests
  implicit none
  character(20) :: argument
  real(real64) :: a(2), b(3), d(2)
  call get_command_argument(1, argument)
  if (argument == 'error-stop') then
    a = 1
    b = 1
    call contract("a=a*a", a, b, d)
    print '(a)', 'the program went on'
    stop
  end if
  call run_section_tests()
  call run_type_tests()
  call run_plan_tests()
  call run_label_tests()
  call run_product_tests()
  call run_transpose_tests()
  call run_control_tests()
  call run_batch_tests()
  call run_calibrate_tests()
  call run_epilogue_tests()
  call run_error_tests()
  print '(i0,a)', failed_checks(), ' checks failed'
  if (failed_checks() > 0) error stop 1
end program main
