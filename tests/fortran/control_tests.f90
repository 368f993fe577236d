! Tests progress, stops, records, and what bounds the execution of a plan.
module control_tests
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_control_tests

  !> What the procedures of this module saw.
  integer :: reports = 0
  real(real64) :: last_report = -1

contains

  subroutine run_control_tests()
    call progress_of_all_calls()
    call progress_that_stops()
    call stop_tokens()
    call records()
    call executors()
  end subroutine run_control_tests

  subroutine count_reports(done, stop)
    real(real64), intent(in) :: done
    logical, intent(inout) :: stop
    call check(.not. stop, 'stop is .false. at first')
    call check(done >= last_report .and. done <= 1, 'the share that is done grows')
    reports = reports + 1
    last_report = done
  end subroutine count_reports

  subroutine stop_at_once(done, stop)
    real(real64), intent(in) :: done
    logical, intent(inout) :: stop
    reports = reports + 1
    stop = done < 1
  end subroutine stop_at_once

  subroutine expect_reports(what)
    character(*), intent(in) :: what
    call check(reports > 0, what // ' reports its progress')
    call check(abs(last_report - 1) <= 0, what // ' reports its end')
    reports = 0
    last_report = -1
  end subroutine expect_reports

  subroutine progress_of_all_calls()
    type(contract_options) :: options
    type(executor) :: with
    type(contraction_plan) :: plan
    type(transpose_plan) :: transposition
    real(real64), target :: a(60, 70), b(70, 50), d(60, 50), t(70, 60)
    a = 1
    b = 2
    options%control%progress => count_reports
    options%control%interval_milliseconds = 1
    call contract("mn=mk*kn", a, b, d, options=options)
    call check(all(d == 140), 'a contraction with a control')
    call expect_reports('contract')
    call contract_many("mn=mk*kn", [view(a), view(b)], d, options=options)
    call expect_reports('contract_many')
    call transpose_tensor("nm=mn", a, t, options=options)
    call check(all(t == 1), 'a transpose with a control')
    call expect_reports('transpose_tensor')
    with%control = options%control
    call plan%create("mn=mk*kn", a, b, d, options=options)
    call check(reports == 0, 'a plan takes no control')
    call plan%execute(a, b, d, with=with)
    call expect_reports('execute')
    call plan%destroy()
    call transposition%create([2, 1], a, t)
    call transposition%execute(a, t, control=options%control)
    call expect_reports('the execution of a transpose plan')
    call transposition%destroy()
  end subroutine progress_of_all_calls

  !> Progress asks for the stop where the first part is done; a network has parts.
  subroutine progress_that_stops()
    type(contract_options) :: options
    real(real64), allocatable, target :: a(:, :)
    real(real64), allocatable :: d(:, :)
    integer :: stat
    character(100) :: message
    allocate (a(500, 500), d(500, 500))
    a = 1
    options%control%progress => stop_at_once
    options%control%interval_milliseconds = 1
    reports = 0
    call contract_many("ij=ik*kl*lm*mj", [view(a), view(a), view(a), view(a)], d, options=options, &
                       stat=stat, errmsg=message)
    call check_code(int(tenfold_stopped), stat, 'a stop by progress')
    call check(reports > 0, 'progress was called')
    reports = 0
    last_report = -1
  end subroutine progress_that_stops

  subroutine stop_tokens()
    type(stop_token) :: token
    type(contract_options) :: options
    type(execution_record) :: record
    real(real64) :: a(4, 5), b(5, 3), d(4, 3)
    integer :: stat
    character(100) :: message
    a = 1
    b = 1
    d = 7
    call token%request(stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a token that was not created')
    call check_text('stop is NULL', message)
    call token%create()
    options%control%stop = token
    call contract("mn=mk*kn", a, b, d, options=options)
    call check(all(d == 5), 'a stop that nobody requested')
    call token%request()
    d = 7
    call contract("mn=mk*kn", a, b, d, options=options, record=record, stat=stat)
    call check_code(int(tenfold_stopped), stat, 'a stop')
    call check(all(d == 7), 'a stop before the call leaves D')
    call check(record%seconds <= 0 .and. record%threads == 0, 'the record of a call that failed')
    call token%destroy()
    call token%destroy()
  end subroutine stop_tokens

  subroutine records()
    type(execution_record) :: record
    type(contract_options) :: options
    real(real64), target :: a(40, 50), b(50, 30), d(40, 30)
    a = 1
    b = 1
    options%threads = 1
    options%algorithm = tenfold_algorithm_ttgt
    call contract("mn=mk*kn", a, b, d, options=options, record=record)
    call check(record%seconds > 0, 'seconds')
    call check(abs(record%flops - 2 * 40 * 50 * 30) <= 0, 'flops')
    call check(abs(record%bytes - 8 * (40 * 50 + 50 * 30 + 40 * 30)) <= 0, 'bytes')
    call check(record%threads == 1, 'threads')
    call check(record%algorithm == tenfold_algorithm_ttgt, 'the algorithm')
    call contract_many("mn=mk*kn", [view(a), view(b)], d, record=record)
    call check(record%workspace_bytes >= 0_int64, 'workspace')
    call check(record%flops > 0, 'flops of contract_many')
    call contract("mn=mk*kn", a, b(1:49, :), d, record=record, stat=options%threads)
    call check(record%seconds <= 0 .and. record%flops <= 0, 'a failure leaves zeros')
  end subroutine records

  subroutine executors()
    type(contraction_plan) :: plan
    type(contract_options) :: options
    type(executor) :: with
    type(execution_record) :: record
    real(real64), target :: a(40, 50), b(50, 30), d(40, 30)
    real(real64), allocatable, target :: memory(:)
    integer :: stat
    character(200) :: message
    a = 1
    b = 1
    options%algorithm = tenfold_algorithm_ttgt
    call plan%create("mn=km*kn", transposed(a), b, d, options=options)
    with%threads = 1
    call plan%execute(transposed(a), b, d, with=with, record=record)
    call check(all(d == 50), 'one thread')
    call check(record%threads == 1, 'at most so many threads')
    with%workspace_limit = tenfold_no_bytes
    d = 3
    call plan%execute(transposed(a), b, d, with=with, stat=stat, errmsg=message)
    if (plan%workspace_bytes() > 0) then
      call check_code(int(tenfold_workspace_too_small), stat, 'no bytes')
      call check(all(d == 3), 'nothing was written')
    end if
    with%workspace_limit = 0
    allocate (memory(plan%workspace_bytes() / 8 + 16))
    memory = 0
    with%workspace => memory
    call plan%execute(transposed(a), b, d, with=with)
    call check(all(d == 50), 'memory of the caller''s')
    if (plan%workspace_bytes() > 0) call check(any(memory > 0), 'it was used')
    call with%context%create(threads=1)
    call plan%execute_many([view(a(:, 1:0)), view(b)], d, with=with, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'other arrays with an executor')
    call plan%execute(transposed(a), b, d, beta=1, with=with, record=record)
    call check(all(d == 100), 'a context of the execution''s')
    call check(record%threads == 1, 'whose number of threads counts')
    with%threads = -1
    call plan%execute(transposed(a), b, d, with=with, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a negative number of threads')
    call check_text('a bound of the executor is out of range', message)
    call check(all(d == 100), 'nothing was written')
    call with%context%destroy()
    call plan%destroy()
  end subroutine executors

  function transposed(a) result(b)
    real(real64), intent(in) :: a(:, :)
    real(real64) :: b(size(a, 2), size(a, 1))
    b = transpose(a)
  end function transposed
end module control_tests
