! Tests what stat= and errmsg= say.
module error_tests
  use, intrinsic :: iso_fortran_env, only: int16, int64, real32, real64, real128
  use checks
  use tenfold
  implicit none
  private

  public :: run_error_tests

contains

  subroutine run_error_tests()
    call codes()
    call mismatches()
    call details()
    call types()
    call assumed_size_arrays()
    call scalars()
    call contexts()
    call success_leaves_the_message()
  end subroutine run_error_tests

  !> The constants are those of C.
  subroutine codes()
    call check(error_name(tenfold_ok) == 'ok', 'ok')
    call check(error_name(tenfold_syntax) == 'syntax', 'syntax')
    call check(error_name(tenfold_unknown_label) == 'unknown_label', 'unknown_label')
    call check(error_name(tenfold_repeated_label) == 'repeated_label', 'repeated_label')
    call check(error_name(tenfold_order_mismatch) == 'order_mismatch', 'order_mismatch')
    call check(error_name(tenfold_extent_mismatch) == 'extent_mismatch', 'extent_mismatch')
    call check(error_name(tenfold_type_mismatch) == 'type_mismatch', 'type_mismatch')
    call check(error_name(tenfold_invalid_argument) == 'invalid_argument', 'invalid_argument')
    call check(error_name(tenfold_overflow) == 'overflow', 'overflow')
    call check(error_name(tenfold_overlap) == 'overlap', 'overlap')
    call check(error_name(tenfold_null_pointer) == 'null_pointer', 'null_pointer')
    call check(error_name(tenfold_workspace_too_small) == 'workspace_too_small', 'workspace')
    call check(error_name(tenfold_out_of_memory) == 'out_of_memory', 'out_of_memory')
    call check(error_name(tenfold_unsupported) == 'unsupported', 'unsupported')
    call check(error_name(tenfold_io) == 'io', 'io')
    call check(error_name(tenfold_disagreement) == 'disagreement', 'disagreement')
    call check(error_name(tenfold_communication) == 'communication', 'communication')
    call check(error_name(tenfold_stopped) == 'stopped', 'stopped')
    call check(error_name(18) == 'unknown', 'unknown')
  end subroutine codes

  subroutine mismatches()
    real(real64) :: a(4, 5), b(6, 3), d(4, 3)
    real(real32) :: d32(4, 3)
    type(contract_options) :: options
    character(200) :: message
    integer :: stat
    a = 1
    b = 1
    d = 5
    call contract("mn=mk*kn", a, b, d, stat=stat, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), stat, 'extents')
    call check(message == "label 'k': A mode 1 has extent 5, B mode 0 has extent 6", &
               'the message: ' // trim(message))
    call contract("mn=mk*kn", a, b(:, 1), d, stat=stat)
    call check_code(int(tenfold_order_mismatch), stat, 'orders')
    call contract("mn=mk*?n", a, b, d, stat=stat)
    call check_code(int(tenfold_syntax), stat, 'syntax')
    call contract("mx=mk*kn", a, b(:5, :), d, stat=stat)
    call check_code(int(tenfold_unknown_label), stat, 'labels')
    call contract("mn=mk*kn", a, b(:5, :), d32, stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'types')
    call contract("mn=mk*kn", a, b(:5, :), a(:, 1:3), stat=stat)
    call check_code(int(tenfold_overlap), stat, 'overlap')
    call contract("mn+=mk*kn", a, b(:5, :), d, beta=2, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'an update with beta')
    options%algorithm = 99
    call contract("mn=mk*kn", a, b(:5, :), d, options=options, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'no algorithm')
    call transpose_tensor("nm=mn", a, d, stat=stat, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), stat, 'a transpose')
    call check_text("label 'n'", message)
    call check(all(d == 5), 'nothing was written')
    ! Messages are cut to what errmsg holds.
    call contract("mn=mk*kn", a, b, d, stat=stat, errmsg=message(1:10))
    call check(message(1:10) == "label 'k':", 'a short errmsg')
  end subroutine mismatches

  !> An error in fields.
  subroutine details()
    real(real64), target :: a(4, 5), b(6, 3), square(5, 5)
    real(real64) :: d(4, 3)
    integer(int16) :: whole(5, 3)
    integer :: stat
    type(error_details) :: why
    type(contract_options) :: options
    square = 1
    a = 1
    b = 1
    whole = 1
    call contract("mn=mk*kn", a, b, d, stat=stat)
    why = last_error()
    call check_code(int(tenfold_extent_mismatch), why%code, 'the code in fields')
    call check(why%label == 'k', 'the label')
    call check(why%first%name == 'A' .and. why%first%mode == 1 .and. why%first%extent == 5, 'the first operand')
    call check(why%second%name == 'B' .and. why%second%mode == 0 .and. why%second%extent == 6, 'the second one')
    call check(why%first%type == -1 .and. why%first%order == -1, 'what does not apply')
    call check(why%position == -1 .and. why%least_bytes == -1, 'nor these')
    call contract("mn=mk*kn", a, b(:5, :), d)
    why = last_error()
    call check(why%label == 'k', 'calls that succeed leave the last error')
    call contract("mn=mk*?n", a, b, d, stat=stat)
    why = last_error()
    call check(why%code == tenfold_syntax .and. why%position == 6, 'the position')
    call contract("mn=mk*kn", a, b(:, 1), d, stat=stat)
    why = last_error()
    call check(why%first%order == 1 .and. why%second%order == 2, 'the orders')
    call contract("mn=mk*kn", a, cmplx(b(:5, :), 0, real64), d, stat=stat)
    why = last_error()
    call check(why%first%type == tenfold_c64 .and. why%second%type == tenfold_f64, 'the types')
    options%workspace_limit = tenfold_no_bytes
    call contract_many("mn=mk*kl*ln", [view(a), view(square), view(b(:5, :))], d, options=options, stat=stat)
    why = last_error()
    call check_code(int(tenfold_workspace_too_small), stat, 'no workspace for an intermediate')
    call check(why%least_bytes >= 8 * min(4 * 5, 5 * 3), 'the least workspace')
    ! What the modules find themselves is the last error, too.
    call contract("mn=mk*kn", a, whole, d, stat=stat)
    why = last_error()
    call check_code(int(tenfold_type_mismatch), why%code, 'an error of the modules')
    call check(why%first%name == 'b' .and. why%second%name == '' .and. why%label == '', 'the argument at fault')
    call contract("mn=mk*kn", a, b(:5, :), d, alpha='x', stat=stat)
    why = last_error()
    call check(why%first%name == 'alpha', 'a scalar at fault')
    call options%epilogue%add("m", whole, stat=stat)
    why = last_error()
    call check_code(int(tenfold_type_mismatch), why%code, 'an error of an epilogue')
  end subroutine details

  subroutine types()
    type :: point
      real(real64) :: x, y
    end type point
    real(real64), target :: a(3), d(3)
    integer(int16), target :: whole(3)
    type(point) :: points(3)
    character(200) :: message
    integer :: stat
    a = 1
    whole = 1
    points = point(1, 2)
    call contract("a=a*a", whole, a, d, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'integers')
    call check_text('a has elements of another type than real(real32)', message)
    call contract("a=a*a", a, points, d, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call contract("a=a*a", a, a, whole, stat=stat, errmsg=message)
    call check_text('d has elements of another type', message)
    call contract("a=a*a", a, a, d, whole, stat=stat, errmsg=message)
    call check_text('c has elements of another type', message)
    call contract("a=a*a", a, real(a, real128), d, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call contract("a=a*a", a, ['x', 'y', 'z'], d, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call contract_many("a=a*a*a", [view(a), view(a), view(whole)], d, stat=stat, errmsg=message)
    call check_text('input 3 has elements of another type', message)
  end subroutine types

  subroutine assumed_size_arrays()
    real(real64) :: a(3, 4), d(3, 4)
    a = 1
    d = 5
    call pass_on(a)
  contains
    subroutine pass_on(array)
      real(real64), intent(in) :: array(3, *)
      character(200) :: message
      integer :: stat
      call contract("ab,->ab", array, 1.0_real64, d, stat=stat, errmsg=message)
      call check_code(int(tenfold_type_mismatch), stat, 'an assumed-size array')
      call check_text('a is an assumed-size array', message)
      call contract("ab,->ab", array(:, 1:4), 1.0_real64, d)
      call check(all(d == 1), 'its section')
    end subroutine pass_on
  end subroutine assumed_size_arrays

  subroutine scalars()
    real(real64) :: a(3), d(3)
    character(200) :: message
    integer :: stat
    a = 1
    call contract("a,->a", a, 1.0_real64, d, alpha='x', stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'a text as alpha')
    call check_text('alpha is no real, complex or integer number', message)
    call contract("a,->a", a, 1.0_real64, d, beta=.true., stat=stat, errmsg=message)
    call check_text('beta is no real', message)
    call contract("a,->a", a, 1.0_real64, d, alpha=(1.0, 2.0), stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'a complex alpha for real arrays')
  end subroutine scalars

  subroutine contexts()
    type(tenfold_context) :: context
    type(contract_options) :: options
    type(contraction_plan) :: plan
    real(real64) :: a(3), d(3), square(40, 40), to(40, 40)
    character(200) :: message
    integer :: stat
    call context%create(threads=-1, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'threads')
    call check_text('threads', message)
    call context%create(workspace_limit=1000_int64, reproducible=.true.)
    call context%create(isa=tenfold_isa_generic, backend=tenfold_backend_native, plan_cache_limit=tenfold_no_bytes, &
                        wisdom='', calibration='off', log_level=tenfold_log_quiet)
    a = 3
    options%context = context
    call plan%create("a,->a", a, 2.0_real64, d, options=options)
    call plan%execute(a, 2.0_real64, d)
    call check(all(d == 6), 'a context with all settings')
    call plan%create("mn=mk*kn", square, square, to, options=options)
    call check_text('__generic', plan%explain())
    call plan%destroy()
    call context%create(isa=99, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'an instruction set that is none')
    call context%destroy()
    call context%destroy()
  end subroutine contexts

  !> As with ALLOCATE: errmsg stays as it was, stat becomes 0.
  subroutine success_leaves_the_message()
    real(real64) :: a(3), d(3)
    character(20) :: message
    integer :: stat
    a = 1
    message = 'as it was'
    stat = 99
    call contract("a,->a", a, 2.0_real64, d, stat=stat, errmsg=message)
    call check_code(0, stat, 'success')
    call check(message == 'as it was', 'errmsg')
  end subroutine success_leaves_the_message
end module error_tests
