! Tests traces, and distributions for tensors that several contractions share.
module dist_layout_tests
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_traces, test_layouts

  integer, parameter :: m = 6, n = 5, k = 7

contains

  subroutine test_traces(everyone, a, b, d)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor), intent(in) :: a, b, d
    type(dist_trace) :: trace, second
    type(trace_totals) :: sums
    character(:), allocatable :: folder
    character(100) :: message
    integer :: length, code
    logical :: exists
    call get_environment_variable('TENFOLD_TEST_FOLDER', length=length)
    allocate (character(length) :: folder)
    call get_environment_variable('TENFOLD_TEST_FOLDER', folder)
    call trace%create(everyone)
    call second%create(everyone, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a second trace')
    call check_text('this world is being traced already', message)
    call dist_contract("mn=mk*kn", a, b, d)
    sums = trace%totals()
    call check(sums%calls > 0 .and. sums%compute > 0, 'sums of a trace')
    call check(sums%overlap >= 0 .and. sums%overlap <= 1, 'the share of overlap')
    call trace%write(folder // '/trace.json')
    inquire (file=folder // '/trace.json', exist=exists)
    if (everyone%rank() == 0) call check(exists, 'the file of a trace')
    call trace%write('/nowhere/trace.json', stat=code)
    call check_code(int(tenfold_io), code, 'a file that cannot be written')
    call trace%reset()
    sums = trace%totals()
    call check(sums%calls <= 0 .and. sums%overlap >= 1, 'a reset')
    call trace%destroy()
    sums = trace%totals(stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a trace that was destroyed')
    call check_text('trace is NULL', message)
    call trace%reset(stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'its reset')
    call trace%write('x', stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'its file')
  end subroutine test_traces

  subroutine test_layouts(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(planned_layouts) :: layouts
    type(layouts_summary) :: summary
    type(dist_options) :: options
    type(dist_tensor) :: x, y, z
    real(real64) :: found(m, n)
    character(200) :: message
    integer :: code, i, j
    call layouts%plan(tenfold_f64, everyone%ranks(), stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'no contractions')
    call check_text('no expressions', message)
    call layouts%tensor('X', [m, k])
    call layouts%tensor('Y', [int(k, int64), int(n, int64)])
    call layouts%contraction("Z[m,n] = X[m,k] * Y[k,n]")
    call layouts%plan(tenfold_f64, everyone%ranks(), stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a tensor without extents')
    call check_text("Z", message)
    call layouts%tensor('Z', [m, n])
    options%memory_per_rank = 2_int64**30
    call layouts%plan(tenfold_f64, everyone%ranks(), options=options, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'a limit of memory')
    summary = layouts%summary(stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'the summary of nothing')
    call layouts%plan(tenfold_f64, everyone%ranks())
    summary = layouts%summary()
    call check(summary%seconds > 0 .and. summary%seconds <= summary%default_seconds, 'predicted seconds')
    call check(summary%bytes_received >= 0 .and. summary%default_bytes_received >= 0, 'predicted bytes')
    call layouts%create('X', everyone, x)
    call layouts%create('Y', everyone, y)
    call layouts%create('Z', everyone, z)
    call x%fill_by(element_of_a)
    call y%fill_by(element_of_b)
    call dist_contract("mn=mk*kn", x, y, z)
    call z%read([1_int64, 1_int64], found)
    call check(all(found == matmul(reshape([((number_at(i, j, 1), i=1, m), j=1, k)], [m, k]), &
                                   reshape([((number_at(i, j, 2), i=1, k), j=1, n)], [k, n]))), &
               'tensors in planned distributions')
    call layouts%create(merge('W', 'X', everyone%rank() == everyone%ranks() - 1), everyone, x, stat=code, &
                        errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a name that is not there, on one rank')
    call check_text("no tensor has the name 'W'", message)
    call x%destroy()
    call y%destroy()
    call z%destroy()
    call layouts%destroy()
  end subroutine test_layouts
end module dist_layout_tests
