! Measures how fast the machine is, so that plans are priced by that.
module tenfold_calibrations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use tenfold_contexts, only: context_handle, tenfold_context
  use tenfold_errors
  implicit none
  private

  public :: calibrate, calibration_progress, calibration_result, measured_rate

  !> One of the machine's rates.
  type :: measured_rate
    character(:), allocatable :: name !< as in the file: "memory_bandwidth"
    character(:), allocatable :: meaning !< "copy in memory, one thread"
    real(real64) :: value = 0 !< in flops, bytes or seconds, or a share
    real(real64) :: typical = 0 !< of the instruction set: what plans assume without a calibration
  end type measured_rate

  !> What was measured.
  type :: calibration_result
    character(:), allocatable :: cpu !< the processor's name in the file
    integer :: isa = 0 !< tenfold_isa_...
    integer :: threads = 0
    real(real64) :: seconds = 0 !< that measuring took
    type(measured_rate), allocatable :: rates(:)
    character(:), allocatable :: file !< that has the rates now; '': none
  end type calibration_result

  abstract interface
    !> Is called before each part of the work, by the thread that made the call, with the part's
    !> number from 1. Setting `stop`, which is .false., ends the call with tenfold_stopped.
    subroutine calibration_progress(part, parts, what, stop)
      integer, intent(in) :: part, parts
      character(*), intent(in) :: what
      logical, intent(inout) :: stop
    end subroutine calibration_progress
  end interface

  !> The procedure that a call was given.
  type :: receiver
    procedure(calibration_progress), pointer, nopass :: progress => null()
  end type receiver

  type, bind(C) :: c_calibration_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: threads = 0
    real(c_double) :: seconds = 0
    type(c_ptr) :: file = c_null_ptr
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type c_calibration_options

  type, bind(C) :: c_calibration_summary
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: isa = 0
    integer(c_int32_t) :: threads = 0
    real(c_double) :: seconds = 0
    type(c_ptr) :: cpu = c_null_ptr
    type(c_ptr) :: file = c_null_ptr
    type(c_ptr) :: fault = c_null_ptr
    integer(c_int32_t) :: rate_count = 0
  end type c_calibration_summary

  type, bind(C) :: c_rate
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: meaning = c_null_ptr
    real(c_double) :: value = 0
    real(c_double) :: typical = 0
  end type c_rate

  interface
    function c_calibrate(context, options, calibration) bind(C, name="tenfold_calibrate") result(code)
      import :: c_ptr, c_int32_t, c_calibration_options
      type(c_ptr), value :: context
      type(c_calibration_options), intent(in) :: options
      type(c_ptr), intent(out) :: calibration
      integer(c_int32_t) :: code
    end function c_calibrate

    subroutine c_calibration_destroy(calibration) bind(C, name="tenfold_calibration_destroy")
      import :: c_ptr
      type(c_ptr), value :: calibration
    end subroutine c_calibration_destroy

    function c_calibration_summarise(calibration, summary) &
      bind(C, name="tenfold_calibration_summarise") result(code)
      import :: c_ptr, c_int32_t, c_calibration_summary
      type(c_ptr), value :: calibration
      type(c_calibration_summary), intent(inout) :: summary
      integer(c_int32_t) :: code
    end function c_calibration_summarise

    function c_calibration_rate(calibration, index, rate) bind(C, name="tenfold_calibration_rate") &
      result(code)
      import :: c_ptr, c_int32_t, c_rate
      type(c_ptr), value :: calibration
      integer(c_int32_t), value :: index
      type(c_rate), intent(inout) :: rate
      integer(c_int32_t) :: code
    end function c_calibration_rate
  end interface

contains

  !> Measures all rates, and adds them to the file that contexts read when they make their first
  !> plan, once per machine: nothing else should run meanwhile. Takes 0.4 to 2 GiB of memory, at most
  !> a quarter of the machine's.
  !>
  !> seconds: how long it may take, roughly, 10 if it is absent. threads: those of the context if it
  !> is absent. file: where the rates are kept; if it is absent, where the context reads them, and
  !> nowhere if that is "off". If a file cannot be written, or the rates are beyond any machine's,
  !> measured beside other work, the code is tenfold_io, and `found` has them all the same.
  subroutine calibrate(found, seconds, threads, file, progress, context, stat, errmsg)
    type(calibration_result), intent(out), optional :: found
    real(real64), intent(in), optional :: seconds
    integer, intent(in), optional :: threads
    character(*), intent(in), optional :: file
    procedure(calibration_progress), optional :: progress
    type(tenfold_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_calibration_options) :: options
    type(c_calibration_summary) :: summary
    type(tenfold_context) :: own_context
    type(receiver), target :: to
    character(kind=c_char), allocatable, target :: file_text(:)
    type(c_ptr) :: handle, calibration
    integer(c_int32_t) :: code
    if (present(context)) own_context = context
    call context_handle(own_context, handle, code)
    options%size = c_sizeof(options)
    if (present(seconds)) then
      options%seconds = seconds
      ! 0 would be C's default.
      if (.not. abs(seconds) > 0) options%seconds = -1
    end if
    if (present(threads)) options%threads = int(threads, c_int32_t)
    if (present(file)) then
      allocate (file_text, source=c_text(file))
      options%file = c_loc(file_text)
    end if
    if (present(progress)) then
      to%progress => progress
      options%progress = c_funloc(pass_progress)
      options%user = c_loc(to)
    end if
    calibration = c_null_ptr
    if (code == tenfold_ok) code = c_calibrate(handle, options, calibration)
    summary%size = c_sizeof(summary)
    if (code == tenfold_ok) code = c_calibration_summarise(calibration, summary)
    if (code == tenfold_ok) then
      if (present(found)) call get_result(calibration, summary, found)
      if (len(text_of(summary%fault)) > 0) then
        code = tenfold_io
        call keep_error(code, text_of(summary%fault), '')
      end if
    end if
    call c_calibration_destroy(calibration)
    call report(code, last_message(code), stat, errmsg)
  end subroutine calibrate

  subroutine get_result(calibration, summary, found)
    type(c_ptr), intent(in) :: calibration
    type(c_calibration_summary), intent(in) :: summary
    type(calibration_result), intent(out) :: found
    type(c_rate) :: rate
    integer(c_int32_t) :: index, code ! always tenfold_ok: the index is one of the calibration's
    found%cpu = text_of(summary%cpu)
    found%isa = int(summary%isa)
    found%threads = int(summary%threads)
    found%seconds = summary%seconds
    found%file = text_of(summary%file)
    allocate (found%rates(summary%rate_count))
    rate%size = c_sizeof(rate)
    do index = 1, summary%rate_count
      code = c_calibration_rate(calibration, index - 1, rate)
      found%rates(index)%name = text_of(rate%name)
      found%rates(index)%meaning = text_of(rate%meaning)
      found%rates(index)%value = rate%value
      found%rates(index)%typical = rate%typical
    end do
  end subroutine get_result

  function pass_progress(part, parts, what, user) bind(C, name="") result(code)
    integer(c_int32_t), value :: part, parts
    type(c_ptr), value :: what, user
    integer(c_int32_t) :: code
    type(receiver), pointer :: to
    logical :: stop
    call c_f_pointer(user, to)
    stop = .false.
    call to%progress(int(part) + 1, int(parts), text_of(what), stop)
    code = merge(1_c_int32_t, 0_c_int32_t, stop)
  end function pass_progress
end module tenfold_calibrations
