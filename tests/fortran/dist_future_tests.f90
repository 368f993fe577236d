! Tests copies and contractions whose messages travel in the background.
module dist_future_tests
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_futures

contains

  !> a is 6 x 7, b is 7 x 5.
  subroutine test_futures(everyone, a, b)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor), intent(in) :: a, b
    type(dist_tensor) :: c, d, e
    type(dist_future) :: copied, begun
    type(dist_options) :: options
    type(dist_report) :: took
    real(real64) :: found(6, 5), expected(6, 5), norm
    character(200) :: message
    integer :: code, i, j, k
    expected = matmul(reshape([((number_at(i, k, 1), i=1, 6), k=1, 7)], [6, 7]), &
                      reshape([((number_at(k, j, 2), k=1, 7), j=1, 5)], [7, 5]))
    call c%create(everyone, tenfold_f64, [6, 7], grid=[everyone%ranks(), 1])
    call d%create(everyone, tenfold_f64, [6, 5])
    call e%create(everyone, tenfold_f64, [6, 5])
    call dist_copy_async(a, c, copied)
    call options%epilogue%apply(tenfold_relu)
    call dist_contract_async("mn=mk*kn", [dist_input(a), dist_input(b)], d, begun, alpha=2, options=options)
    call options%epilogue%clear() ! which was read
    norm = c%norm(stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'an output that is under way')
    call check_text('is the output of copy_async', message)
    do while (.not. copied%test())
    end do
    call copied%wait()
    call check(c%norm() == a%norm(), 'a copy that has arrived')
    took = begun%report(stat=code, errmsg=message)
    call check_text('the future has no report', message)
    call begun%wait()
    took = begun%report()
    call check(took%steps == 1 .and. took%peak_bytes_max > 0, 'what it took')
    call begun%wait(stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'a second wait')
    call d%read([1_int64, 1_int64], found)
    call check(all(found == max(2 * expected, 0.0_real64)), 'a contraction in the background')

    ! Begun, but not waited for.
    call e%fill(7)
    call dist_contract_async("mn=mk*kn", [dist_input(a), dist_input(b)], e, begun)
    call begun%destroy()
    call e%read([1_int64, 1_int64], found)
    call check(all(found == 7), 'a contraction that was dropped')
    call dist_copy_async(a, d, copied, stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'a copy of another shape')
    call copied%wait(stat=code, errmsg=message)
    call check_text('future is NULL', message)
    call copied%destroy()
    call c%destroy()
    call d%destroy()
    call e%destroy()
  end subroutine test_futures
end module dist_future_tests
