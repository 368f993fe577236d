! Codes, and how procedures report them: through stat= and errmsg=, or by error stop.
module tenfold_errors
  use, intrinsic :: iso_c_binding
  use tenfold_bindings, only: c_strlen, c_last_error, c_error_name
  implicit none
  private

  public :: report, last_message, text_of, c_text, error_name

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

contains

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
