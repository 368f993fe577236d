! Tests plans of transpositions.
module transpose_tests
  use, intrinsic :: iso_fortran_env, only: int16, int64, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_transpose_tests

contains

  subroutine run_transpose_tests()
    call plans()
    call types_and_scalars()
    call mistakes()
  end subroutine run_transpose_tests

  subroutine plans()
    type(transpose_plan) :: plan
    type(contract_options) :: options
    real(real64) :: a(4, 5, 6), b(6, 4, 5), expected(6, 4, 5)
    integer :: i, j, k
    a = reshape([(((number_at(i, j, k), i=1, 4), j=1, 5), k=1, 6)], [4, 5, 6])
    expected = reshape(a, [6, 4, 5], order=[2, 3, 1])
    b = 1
    options%threads = 1
    call plan%create([3, 1, 2], a, b, options=options, beta=1, bypass_caches=.false.)
    call plan%execute(a, b, alpha=2, beta=-1)
    call check(all(b == 2 * expected - 1), 'a transpose plan')
    call plan%execute(a, b)
    call check(all(b == expected), 'the same again')
    call check_text('thread', plan%explain())
    call check(plan%predicted_seconds() > 0, 'its seconds')
    call check(plan%traffic(.false.) == 2 * 8 * 120, 'its traffic')
    call check(plan%traffic(.true.) == 3 * 8 * 120, 'its traffic if B is read')
    call plan%destroy()
    call check(plan%explain() == '', 'the text of a plan that was destroyed')
    call check(plan%predicted_seconds() < 0, 'its seconds')
    call check(plan%traffic(.true.) == -1, 'its traffic')
    call plan%create([2, 3, 1], a(4:1:-1, ::2, :), b(1:3, 1:4, 1:4), stat=i)
    call check_code(int(tenfold_extent_mismatch), i, 'other extents')
    call plan%create([2, 1, 3], a(4:1:-1, ::2, :), b(4:6, :, :), stat=i)
    call check_code(int(tenfold_extent_mismatch), i, 'another extent')
    call plan%create([2, 1, 3], a(4:1:-1, ::2, 2:6), b(6:2:-2, :, :))
    call plan%execute(a(4:1:-1, ::2, 2:6), b(6:2:-2, :, :))
    do k = 1, 5
      call check(all(b(6:2:-2, :, k) == transpose(a(4:1:-1, ::2, k + 1))), 'sections')
      call check(all(b(5:1:-2, :, k) == expected(5:1:-2, :, k)), 'nothing between was written')
    end do
    call plan%destroy()
  end subroutine plans

  subroutine types_and_scalars()
    type(transpose_plan) :: plan
    complex(real64) :: z(2, 3)
    complex(real32) :: c(3, 2)
    real(real64) :: scalar_a, scalar_b
    z = reshape([(1, 1), (2, -1), (0, 3), (4, 4), (5, 0), (1, 6)], [2, 3])
    call plan%create([2, 1], z, c, conj_a=.true.)
    call plan%execute(z, c, alpha=(0.0, 1.0))
    call check(all(c == (0, 1) * conjg(transpose(z))), 'another precision, conjugated')
    scalar_a = 3
    call plan%create([integer ::], scalar_a, scalar_b)
    call plan%execute(scalar_a, scalar_b, alpha=2)
    call check(abs(scalar_b - 6) <= 0, 'scalars')
    call plan%destroy()
  end subroutine types_and_scalars

  subroutine mistakes()
    type(transpose_plan) :: plan
    type(execution_control) :: control
    real(real64) :: a(4, 5), b(5, 4)
    integer(int16) :: whole(5, 4)
    integer :: stat
    character(200) :: message
    a = 1
    b = 5
    whole = 1
    call plan%execute(a, b, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a plan that was not created')
    call check_text('the plan was not created', message)
    call plan%create([1], a, b, stat=stat, errmsg=message)
    call check_code(int(tenfold_order_mismatch), stat, 'a short permutation')
    call check_text('permutation has another number of entries', message)
    call plan%create([2, 2], a, b, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'no permutation')
    call plan%create([2, 3], a, b, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a dimension that is not there')
    call plan%create([2, 1], a, whole, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'integers')
    call check_text('b has elements of another type', message)
    call plan%create([2, 1], a, b, beta='x', stat=stat, errmsg=message)
    call check_text('beta is no real', message)
    call plan%create([2, 1], a, b)
    call plan%execute(a(4:1:-1, :), b, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'other strides')
    call check_text('a does not lie as the array with which the plan was created', message)
    call plan%execute(a, b(:, 1:3), stat=stat, errmsg=message)
    call check_text('b does not lie', message)
    call plan%execute(a, b, alpha=(1.0, 1.0), stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'a complex alpha for real arrays')
    call control%stop%create()
    call control%stop%request()
    call plan%execute(a, b, control=control, stat=stat)
    call check_code(int(tenfold_stopped), stat, 'a stop')
    call check(all(b == 5), 'nothing was written')
    call control%stop%destroy()
    call transpose_tensor("ba=ab", a, whole, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call plan%destroy()
  end subroutine mistakes
end module transpose_tests
