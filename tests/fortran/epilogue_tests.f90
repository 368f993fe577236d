! Tests epilogues of contractions and of plans.
module epilogue_tests
  use, intrinsic :: iso_fortran_env, only: int16, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_epilogue_tests

contains

  subroutine run_epilogue_tests()
    call steps_in_one_call()
    call functions_of_the_caller()
    call complex_steps()
    call plans_with_steps()
    call batches_with_steps()
    call mistakes()
  end subroutine run_epilogue_tests

  subroutine square(elements)
    real(real64), intent(inout) :: elements(:)
    elements = elements**2
  end subroutine square

  subroutine negate(elements)
    real(real32), intent(inout) :: elements(:)
    elements = -elements
  end subroutine negate

  subroutine operands(a, b)
    real(real64), intent(out) :: a(6, 5), b(5, 4)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 6), j=1, 5)], [6, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 4)], [5, 4])
  end subroutine operands

  subroutine steps_in_one_call()
    type(contract_options) :: options
    real(real64), target :: a(6, 5), b(5, 4), d(6, 4), bias(8), scale(6, 4), scalar
    integer :: j
    call operands(a, b)
    bias = [(real(j, real64), j=1, 8)]
    scale = -0.5_real64
    scalar = 3
    call options%epilogue%add("n", bias(8:2:-2), factor=2)
    call options%epilogue%multiply("mn", scale)
    call options%epilogue%add("", scalar)
    call options%epilogue%apply(tenfold_relu)
    call options%epilogue%scale(10)
    call contract("mn=mk*kn", a, b, d, options=options)
    do j = 1, 4
      call check(all(d(:, j) == 10 * max(-0.5_real64 * (matmul(a, b(:, j)) + 2 * bias(10 - 2 * j)) + 3, &
                                         0.0_real64)), 'steps in their order')
    end do
    d = 1
    call options%epilogue%clear()
    call contract_many("mn=mk*kn", [view(a), view(b)], d, beta=1, options=options)
    call check(all(d == matmul(a, b) + 1), 'an epilogue that was cleared')
    call options%epilogue%add("m", scale(:, 1))
    call contract_many("mn=mk*kn", [view(a), view(b)], d, options=options)
    call check(all(d == matmul(a, b) - 0.5_real64), 'a step of contract_many')
  end subroutine steps_in_one_call

  subroutine functions_of_the_caller()
    type(contract_options) :: options
    real(real64) :: a(6, 5), b(5, 4), d(6, 4)
    real(real32) :: d32(6, 4)
    call operands(a, b)
    call options%epilogue%call_f64(square)
    call contract("mn=mk*kn", a, b, d, options=options)
    call check(all(d == matmul(a, b)**2), 'a function of real64')
    call options%epilogue%clear()
    call options%epilogue%call_f32(negate)
    call contract("mn=mk*kn", real(a, real32), real(b, real32), d32, options=options)
    call check(all(d32 == -matmul(a, b)), 'a function of real32')
  end subroutine functions_of_the_caller

  subroutine complex_steps()
    type(contract_options) :: options
    complex(real64), target :: a(3), d(3), x(3)
    a = [(1, 1), (2, -1), (0, 3)]
    x = [(0, 1), (1, 0), (1, 1)]
    call options%epilogue%multiply("a", x, conj=.true.)
    call options%epilogue%scale((0.0, 2.0))
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, options=options)
    call check(all(d == (0, 2) * a * conjg(x)), 'complex steps')
  end subroutine complex_steps

  subroutine plans_with_steps()
    type(contraction_plan) :: plan
    type(contract_options) :: options
    type(contraction_epilogue) :: other
    real(real64), target :: a(6, 5), b(5, 4), d(6, 4), bias(4), another(4)
    integer :: stat
    character(100) :: message
    call operands(a, b)
    bias = 1
    another = 2
    call options%epilogue%add("n", bias, factor=3)
    call options%epilogue%call_f64(square)
    call plan%create("mn=mk*kn", a, b, d, options=options)
    call plan%execute(a, b, d, epilogue=options%epilogue)
    call check(all(d == (matmul(a, b) + 3)**2), 'a plan with steps')
    call other%add("n", another, factor=3)
    call other%call_f64(square)
    call plan%execute_many([view(a), view(b)], d, epilogue=other)
    call check(all(d == (matmul(a, b) + 6)**2), 'the same steps on another array')
    d = 5
    call plan%execute(a, b, d, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a plan without its steps')
    call check_text('the plan was created with other steps in its epilogue', message)
    call other%scale(2)
    call plan%execute(a, b, d, epilogue=other, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'one step more')
    call other%clear()
    call other%add("n", another, factor=4)
    call other%call_f64(square)
    call plan%execute(a, b, d, epilogue=other, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'another factor')
    call other%clear()
    call other%add("n", another(4:1:-1), factor=3)
    call other%call_f64(square)
    call plan%execute(a, b, d, epilogue=other, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'an array that lies otherwise')
    call check(all(d == 5), 'nothing was written')
    call plan%destroy()
  end subroutine plans_with_steps

  !> A batch has no arrays for an epilogue.
  subroutine batches_with_steps()
    type(contraction_plan) :: plan
    type(contract_options) :: options
    real(real64), target :: a(6, 5, 2), b(5, 4, 2), d(6, 4, 2)
    integer :: stat
    a = 1
    b = 1
    d = 5
    call options%epilogue%scale(2)
    call plan%create("mn=mk*kn", a(:, :, 1), b(:, :, 1), d(:, :, 1), options=options)
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b), batch_of_slices(d), stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a batch of a plan with steps')
    call check(all(d == 5), 'nothing was written')
    call plan%destroy()
  end subroutine batches_with_steps

  subroutine mistakes()
    type(contract_options) :: options
    type(contraction_plan) :: plan
    real(real64), target :: a(6, 5), b(5, 4), d(6, 4), bias(3)
    integer(int16), target :: whole(4)
    integer :: i, stat
    character(200) :: message
    call operands(a, b)
    d = 5
    bias = 1
    whole = 1
    call options%epilogue%scale('x', stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'a text as factor')
    call check_text('factor is no real, complex or integer number', message)
    call options%epilogue%add("n", whole, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'an array of integers')
    call check_text("the epilogue's array has elements of another type", message)
    call options%epilogue%multiply("n", bias, factor=.true., stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'a logical as factor')
    call contract("mn=mk*kn", a, b, d, options=options)
    call check(all(d == matmul(a, b)), 'mistakes are no steps')
    d = 5
    call options%epilogue%add("n", bias)
    call contract("mn=mk*kn", a, b, d, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), stat, 'another extent than D has')
    call check_text("'n'", message)
    call plan%create("mn=mk*kn", a, b, d, options=options, stat=stat)
    call check_code(int(tenfold_extent_mismatch), stat, 'the same for a plan')
    call options%epilogue%clear()
    call options%epilogue%add("n?", bias)
    call contract("mn=mk*kn", a, b, d, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_syntax), stat, 'labels that are none')
    call options%epilogue%clear()
    call options%epilogue%apply(77)
    call contract("mn=mk*kn", a, b, d, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'no function')
    call options%epilogue%clear()
    do i = 1, 9
      call options%epilogue%scale(1)
    end do
    call contract("mn=mk*kn", a, b, d, options=options, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'nine steps')
    call check(all(d == 5), 'nothing was written')
  end subroutine mistakes
end module epilogue_tests
