! Tests batches of contractions.
module batch_tests
  use, intrinsic :: iso_fortran_env, only: int16, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_batch_tests

  integer, parameter :: m = 4, n = 3, k = 5, count = 6

contains

  subroutine run_batch_tests()
    call slices()
    call views()
    call separate_c()
    call many_inputs()
    call faults()
  end subroutine run_batch_tests

  subroutine fill(a, b)
    real(real64), intent(out) :: a(m, k, count), b(k, n, count)
    integer :: i, j, l
    a = reshape([(((number_at(i, j, l), i=1, m), j=1, k), l=1, count)], [m, k, count])
    b = reshape([(((number_at(i, j, 3 * l), i=1, k), j=1, n), l=1, count)], [k, n, count])
  end subroutine fill

  subroutine slices()
    type(contraction_plan) :: plan
    type(executor) :: with
    type(execution_record) :: record
    real(real64), target :: a(m, k, count), b(k, n, count), d(m, n, 2 * count)
    integer :: i
    call fill(a, b)
    call plan%create("mn=mk*kn", a(:, :, 1), b(:, :, 1), d(:, :, 1))
    d = 7
    with%threads = 1
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b(:, :, count:1:-1)), &
                            batch_of_slices(d(:, :, 1:2 * count:2)), alpha=2, with=with, record=record)
    call check(record%seconds > 0 .and. record%threads == 1, 'the record of a batch')
    do i = 1, count
      call check(all(d(:, :, 2 * i - 1) == 2 * matmul(a(:, :, i), b(:, :, count + 1 - i))), 'slices')
      call check(all(d(:, :, 2 * i) == 7), 'nothing between was written')
    end do
    call plan%execute_batch(batch_of_one(a(:, :, 2)), batch_of_slices(b), &
                            batch_of_slices(d(:, :, :count)), beta=0)
    do i = 1, count
      call check(all(d(:, :, i) == matmul(a(:, :, 2), b(:, :, i))), 'one array for all')
    end do
    d = 7
    call plan%execute_batch(batch_of_slices(a(:, :, 1:0)), batch_of_one(b(:, :, 1)), &
                            batch_of_slices(d(:, :, 1:0)))
    call check(all(d == 7), 'no contractions')
    call plan%destroy()
  end subroutine slices

  subroutine views()
    type(contraction_plan) :: plan
    real(real64), target :: a(m, k, count), b(k, n, count), d(m, n, count)
    integer :: i
    call fill(a, b)
    d = 1
    call plan%create("mn=mk*kn", a(:, :, 1), b(:, :, 1), d(:, :, 1))
    call plan%execute_batch(batch_of_views([view(a(:, :, 5)), view(a(:, :, 1))]), batch_of_slices(b(:, :, 2:3)), &
                            batch_of_views([view(d(:, :, 6)), view(d(:, :, 2))]), beta=-1)
    call check(all(d(:, :, 6) == matmul(a(:, :, 5), b(:, :, 2)) - 1), 'the first view')
    call check(all(d(:, :, 2) == matmul(a(:, :, 1), b(:, :, 3)) - 1), 'the second view')
    do i = 1, count
      if (i /= 2 .and. i /= 6) call check(all(d(:, :, i) == 1), 'others were not written')
    end do
    call plan%destroy()
  end subroutine views

  subroutine separate_c()
    type(contraction_plan) :: plan
    real(real32), target :: c(m, n, count)
    real(real64), target :: a(m, k, count), b(k, n, count), d(m, n, count)
    integer :: i, stat
    character(100) :: message
    call fill(a, b)
    c = 3
    call plan%create("mn=mk*kn", a(:, :, 1), b(:, :, 1), d(:, :, 1), c(:, :, 1))
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b), batch_of_slices(d), &
                            batch_of_slices(c), beta=2)
    do i = 1, count
      call check(all(d(:, :, i) == matmul(a(:, :, i), b(:, :, i)) + 6), 'C apart, of another type')
    end do
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b), batch_of_slices(d), &
                            stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a batch without its C')
    call check_text('c is passed at creation, not here', message)
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b), batch_of_slices(d), &
                            batch_of_slices(d), stat=stat, errmsg=message)
    call check_text('c does not lie', message)
    call plan%destroy()
  end subroutine separate_c

  subroutine many_inputs()
    type(contraction_plan) :: plan
    type(tensor_batch) :: inputs(3)
    real(real64), target :: a(m, k, count), b(k, n, count), x(n, 2), d(m, 2, count)
    integer :: i
    call fill(a, b)
    x = reshape([1, 2, 3, 4, 5, 6], [n, 2])
    call plan%create_many("ij=ik*kl*lj", [view(a(:, :, 1)), view(b(:, :, 1)), view(x)], d(:, :, 1))
    inputs(1) = batch_of_slices(a)
    inputs(2) = batch_of_views([view(b(:, :, 3)), (view(b(:, :, i)), i=2, count)])
    inputs(3) = batch_of_one(x)
    call plan%execute_batch_many(inputs, batch_of_slices(d))
    call check(all(d(:, :, 1) == matmul(matmul(a(:, :, 1), b(:, :, 3)), x)), 'the first of three inputs')
    do i = 2, count
      call check(all(d(:, :, i) == matmul(matmul(a(:, :, i), b(:, :, i)), x)), 'batches of three inputs')
    end do
    call plan%destroy()
  end subroutine many_inputs

  subroutine faults()
    type(contraction_plan) :: plan
    real(real64), target :: a(m, k, count), b(k, n, count), d(m, n, count), scalar
    integer(int16), target :: whole(m, k, count)
    type(tensor_batch) :: pair(2)
    integer :: stat
    character(100) :: message
    call fill(a, b)
    d = 5
    whole = 1
    scalar = 1
    call plan%execute_batch(batch_of_slices(a), batch_of_slices(b), batch_of_slices(d), stat=stat, &
                            errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a plan that was not created')
    call check_text('the plan was not created', message)
    call plan%create("mn=mk*kn", a(:, :, 1), b(:, :, 1), d(:, :, 1))
    call expect([batch_of_slices(a)], batch_of_slices(d), 'another number of inputs')
    call expect([batch_of_slices(a), batch_of_slices(b(:, :, 1:2))], batch_of_slices(d), &
                'b is a batch of 2, but d is a batch of 6')
    call expect([batch_of_slices(a(:, 1:4, :)), batch_of_slices(b)], batch_of_slices(d), 'a does not lie')
    call expect([batch_of_slices(whole), batch_of_slices(b)], batch_of_slices(d), &
                'a has elements of another type')
    call expect([batch_of_slices(scalar), batch_of_slices(b)], batch_of_slices(d), &
                'a has no dimension that counts')
    pair(1) = batch_of_views([view(a(:, :, 1)), view(a(m:1:-1, :, 2))])
    pair(2) = batch_of_slices(b(:, :, 1:2))
    call expect(pair, batch_of_slices(d(:, :, 1:2)), 'array 2 of a does not lie as the first one')
    call expect([batch_of_slices(a), batch_of_slices(b)], batch_of_one(d(:, :, 1)), &
                'd is one array for all contractions')
    call plan%execute_batch(batch_of_slices(a(:, :, 1:2)), batch_of_slices(b(:, :, 1:2)), &
                            batch_of_views([view(d(:, :, 1)), view(d(:, :, 1))]), stat=stat)
    call check_code(int(tenfold_overlap), stat, 'two contractions with one D')
    call check(all(d == 5), 'nothing was written')
    call plan%destroy()
  contains
    subroutine expect(inputs, output, said)
      type(tensor_batch), intent(in) :: inputs(:), output
      character(*), intent(in) :: said
      call plan%execute_batch_many(inputs, output, stat=stat, errmsg=message)
      call check_code(int(tenfold_invalid_argument), stat, said)
      call check_text(said, message)
    end subroutine expect
  end subroutine faults
end module batch_tests
