! Codes, how procedures report them (through stat= and errmsg=, or by error stop), and what the last
! error was about.
module tenfold_errors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_bindings, only: c_strlen, c_last_error, c_error_name
  use tenfold_error_bindings
  implicit none
  private

  public :: report, last_message, text_of, c_text, error_name, keep_error, error_details, &
            error_operand, last_error

  !> What stat= is set to; tenfold/c/error.h says what each of them means.
  integer(c_int32_t), parameter, public :: tenfold_ok = 0
  integer(c_int32_t), parameter, public :: tenfold_syntax = 1
  integer(c_int32_t), parameter, public :: tenfold_unknown_label = 2
  integer(c_int32_t), parameter, public :: tenfold_repeated_label = 3
  integer(c_int32_t), parameter, public :: tenfold_order_mismatch = 4
  integer(c_int32_t), parameter, public :: tenfold_extent_mismatch = 5
  integer(c_int32_t), parameter, public :: tenfold_type_mismatch = 6
  integer(c_int32_t), parameter, public :: tenfold_invalid_argument = 7
  integer(c_int32_t), parameter, public :: tenfold_overflow = 8
  integer(c_int32_t), parameter, public :: tenfold_overlap = 9
  integer(c_int32_t), parameter, public :: tenfold_null_pointer = 10
  integer(c_int32_t), parameter, public :: tenfold_workspace_too_small = 11
  integer(c_int32_t), parameter, public :: tenfold_out_of_memory = 12
  integer(c_int32_t), parameter, public :: tenfold_unsupported = 13
  integer(c_int32_t), parameter, public :: tenfold_io = 14
  integer(c_int32_t), parameter, public :: tenfold_disagreement = 15
  integer(c_int32_t), parameter, public :: tenfold_communication = 16
  integer(c_int32_t), parameter, public :: tenfold_stopped = 17

  !> An array that an error is about. What does not apply is '' or -1.
  type :: error_operand
    character(:), allocatable :: name !< as in the message: "A", "input 3", or that of an argument
    integer :: mode = -1 !< from 0, as in messages: mode 0 is the first dimension
    integer(int64) :: extent = -1 !< of that mode
    integer :: order = -1 !< number of dimensions; of second: those that first should have
    integer :: type = -1 !< tenfold_f64 and so on
  end type error_operand

  !> An error in fields. What does not apply is '' or -1.
  type :: error_details
    integer :: code = tenfold_ok
    character(:), allocatable :: label
    type(error_operand) :: first
    type(error_operand) :: second
    integer(int64) :: position = -1 !< of a character in the expression, from 0
    integer(int64) :: least_bytes = -1 !< the smallest workspace limit that would do
  end type error_details

contains

  !> The last error of this thread in fields, so that no program reads messages. Calls that succeed
  !> leave it; its code is tenfold_ok if none has failed.
  function last_error() result(details)
    type(error_details) :: details
    type(c_error_details) :: own
    integer(c_int32_t) :: code ! always tenfold_ok: the struct is the library's
    own%size = c_sizeof(own)
    code = c_last_error_details(own)
    details%code = int(own%code)
    details%label = text_of(own%label)
    details%first = operand_of(own%first)
    details%second = operand_of(own%second)
    details%position = own%position
    details%least_bytes = own%least_bytes
  end function last_error

  function operand_of(own) result(operand)
    type(c_error_operand), intent(in) :: own
    type(error_operand) :: operand
    operand%name = text_of(own%name)
    operand%mode = int(own%mode)
    operand%extent = own%extent
    operand%order = int(own%order)
    operand%type = int(own%type)
  end function operand_of

  !> Makes an error that was found in Fortran the last one of this thread. name: the argument at
  !> fault, or ''.
  subroutine keep_error(code, message, name)
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: message, name
    type(c_error_details) :: own
    character(kind=c_char), target :: text(len_trim(name) + 1)
    integer(c_int32_t) :: kept ! another code only if memory for the error lacks
    text = c_text(name)
    own%size = c_sizeof(own)
    own%code = code
    own%first%name = c_loc(text)
    kept = c_set_last_error(own, c_text(message))
  end subroutine keep_error

  !> Sets what the caller passed. Without stat=, a failure is an error stop.
  subroutine report(code, message, stat, errmsg)
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = int(code)
    if (code == tenfold_ok) return
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop "tenfold: " // message
  end subroutine report

  !> The message of the thread's last failure, or '' for a code that is none.
  function last_message(code) result(message)
    integer(c_int32_t), intent(in) :: code
    character(:), allocatable :: message
    message = ''
    if (code /= tenfold_ok) message = text_of(c_last_error())
  end function last_message

  !> A text of C.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function text_of

  !> A text for C.
  pure function c_text(text) result(copy)
    character(*), intent(in) :: text
    character(kind=c_char) :: copy(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      copy(i) = text(i:i)
    end do
    copy(size(copy)) = c_null_char
  end function c_text

  !> "extent_mismatch"; "unknown" for numbers that are no code.
  function error_name(code) result(text)
    integer, intent(in) :: code
    character(:), allocatable :: text
    text = text_of(c_error_name(int(code, c_int32_t)))
  end function error_name
end module tenfold_errors
