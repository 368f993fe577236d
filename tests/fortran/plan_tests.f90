! Tests plans.
module plan_tests
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_plan_tests

contains

  subroutine run_plan_tests()
    call of_two_inputs()
    call of_many_inputs()
    call separate_c()
    call arrays_that_lie_otherwise()
  end subroutine run_plan_tests

  subroutine of_two_inputs()
    type(contraction_plan) :: plan
    type(plan_summary) :: summary
    real(real64) :: a(6, 5), b(5, 4), d(6, 4), expected(6, 4)
    character(100) :: message
    integer :: i
    a = reshape([(real(mod(i, 7), real64), i=1, 30)], [6, 5])
    b = reshape([(real(mod(i, 5), real64), i=1, 20)], [5, 4])
    expected = 0
    d = 0
    call plan%create("mn=mk*kn", a(6:1:-1, :), b, d)
    do i = 1, 3
      expected = i * matmul(a(6:1:-1, :), b) + merge(0, i, i == 1) * expected
      call plan%execute(a(6:1:-1, :), b, d, alpha=i, beta=merge(0, i, i == 1))
      call check(all(d == expected), 'a plan that is executed again')
      a = a + 1
    end do
    call check_text('mn=mk*kn', plan%explain())
    call check_text('chosen:', plan%explain())
    call check_text('"algorithm"', plan%json())
    call check(plan%workspace_bytes() >= 0_int64, 'workspace_bytes')
    call of_numbers(plan)
    call plan%destroy()
    summary = plan%summary(stat=i, errmsg=message)
    call check_code(int(tenfold_invalid_argument), i, 'the numbers of a plan that was destroyed')
    call check(summary%m == 0, 'which are 0')
    call check_text('plan is NULL', message)
    call check(plan%explain() == '', 'the text of a plan that was destroyed')
    call check(plan%json() == '', 'its JSON')
    call check(plan%workspace_bytes() == -1, 'its workspace')
    call plan%destroy()
  end subroutine of_two_inputs

  !> Of a plan of 6 x 4 x 5.
  subroutine of_numbers(plan)
    type(contraction_plan), intent(in) :: plan
    type(plan_summary) :: summary
    type(plan_step) :: step
    integer :: stat
    summary = plan%summary()
    call check(summary%m == 6 .and. summary%n == 4 .and. summary%k == 5 .and. summary%batch == 1, 'sizes')
    call check(summary%flops == 240 .and. summary%flops_at_once == 240, 'flops')
    call check(summary%bytes == 8 * (30 + 20 + 24), 'bytes')
    call check(summary%seconds > 0 .and. summary%threads >= 1, 'predicted seconds and threads')
    call check(summary%workspace_bytes == plan%workspace_bytes(), 'workspace')
    call check(summary%algorithm /= tenfold_algorithm_auto, 'the algorithm')
    call check(summary%candidates > 1 .and. summary%steps == 0, 'candidates and steps')
    call check(summary%largest_intermediate_bytes == 0 .and. .not. summary%is_limited, 'no limit')
    call check(size(plan%path(), 2) == 1, 'the path of two inputs')
    step = plan%step(1, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a step of two inputs')
  end subroutine of_numbers

  subroutine of_many_inputs()
    type(contraction_plan) :: plan
    real(real64), target :: a(3, 4), b(4, 5), c(5, 2)
    real(real64) :: d(3, 2)
    a = 1
    b = 2
    c = 3
    call plan%create_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d)
    call plan%execute_many([view(a), view(b), view(c)], d, alpha=0.5)
    call check(all(d == 60), 'a plan of three inputs')
    call plan%execute_many([view(a), view(b), view(c)], d, beta=2)
    call check(all(d == 240), 'the same with beta')
    call plan%destroy()
  end subroutine of_many_inputs

  subroutine separate_c()
    type(contraction_plan) :: plan
    type(contract_options) :: options
    complex(real64), target :: a(3), c(3), d(3)
    integer :: stat
    character(100) :: message
    a = [(1, 1), (2, -1), (0, 3)]
    c = 1
    options%algorithm = tenfold_algorithm_reference
    call plan%create("a,->a", a, (1.0_real64, 0.0_real64), d, c, conj_a=.true., options=options)
    call plan%execute(a, (2.0_real64, 0.0_real64), d, c, beta=3)
    call check(all(d == 2 * conjg(a) + 3), 'a plan with C apart')
    call plan%execute(a, (2.0_real64, 0.0_real64), d, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a plan without its C')
    call check_text('c is passed at creation, not here', message)
    call plan%destroy()
    call plan%create_many("a=a", [view(a)], d, c)
    call plan%execute_many([view(a)], d, c, beta=1)
    call check(all(d == a + 1), 'a plan of one input with C apart')
    call plan%destroy()
  end subroutine separate_c

  subroutine arrays_that_lie_otherwise()
    type(contraction_plan) :: plan
    real(real64), target :: a(4, 4), b(4, 4), d(4, 4), narrow(4, 3)
    integer :: stat
    character(100) :: message
    a = 1
    b = 1
    d = 5
    narrow = 1
    call plan%execute(a, b, d, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a plan that was not created')
    call check_text('the plan was not created', message)
    call plan%create("mn=mk*kn", a, b, d)
    call plan%execute(a, b(4:1:-1, :), d, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'other strides')
    call check_text('b does not lie as the array with which the plan was created', message)
    call plan%execute(a, b, narrow, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'another extent')
    call check_text('d does not lie', message)
    call plan%execute(1.0 * a(:, 1), b, d, stat=stat, errmsg=message)
    call check_text('a does not lie', message)
    call plan%execute(cmplx(a, 0, real64), b, d, stat=stat, errmsg=message)
    call check_text('a does not lie', message)
    call plan%execute_many([view(a)], d, stat=stat, errmsg=message)
    call check_text('another number of inputs', message)
    call plan%execute(a, b, d, b, stat=stat, errmsg=message)
    call check_text('c is passed here, but was not at creation', message)
    call check(all(d == 5), 'nothing was written')
    call plan%destroy()
  end subroutine arrays_that_lie_otherwise
end module plan_tests
