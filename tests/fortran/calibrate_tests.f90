! Tests the measurement of the machine. No test depends on how fast it is.
module calibrate_tests
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_calibrate_tests

  !> What the procedures of this module saw.
  integer :: reports = 0, last_parts = 0

contains

  subroutine run_calibrate_tests()
    call wrong_arguments()
    call progress_that_stops()
    call rates_in_a_file()
    call no_file()
  end subroutine run_calibrate_tests

  subroutine count_parts(part, parts, what, stop)
    integer, intent(in) :: part, parts
    character(*), intent(in) :: what
    logical, intent(inout) :: stop
    call check(.not. stop, 'stop is .false. at first')
    call check(part == reports + 1 .and. part <= parts .and. len(what) > 0, 'parts follow one another')
    reports = part
    last_parts = parts
  end subroutine count_parts

  subroutine stop_before_the_second(part, parts, what, stop)
    integer, intent(in) :: part, parts
    character(*), intent(in) :: what
    logical, intent(inout) :: stop
    call check(part <= parts .and. len(what) > 0, 'parts are counted')
    reports = reports + 1
    stop = part == 2
  end subroutine stop_before_the_second

  subroutine wrong_arguments()
    integer :: stat
    character(200) :: message
    call calibrate(seconds=-1.0_real64, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'negative seconds')
    call check_text('seconds is -1', message)
    call calibrate(seconds=0.0_real64, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'no seconds')
    call calibrate(threads=5000, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'too many threads')
    call check_text('threads is 5000', message)
  end subroutine wrong_arguments

  subroutine progress_that_stops()
    integer :: stat
    type(calibration_result) :: found
    reports = 0
    call calibrate(found, seconds=0.01_real64, threads=1, progress=stop_before_the_second, stat=stat)
    call check_code(int(tenfold_stopped), stat, 'a stop by progress')
    call check(reports == 2, 'progress was called twice')
    call check(.not. allocated(found%rates), 'nothing was found')
  end subroutine progress_that_stops

  subroutine rates_in_a_file()
    type(tenfold_context) :: context
    type(calibration_result) :: found
    character(:), allocatable :: file
    character(1000) :: folder, message
    integer :: stat, unit, i
    logical :: is_there, has_bandwidth
    call get_environment_variable('TENFOLD_TEST_FOLDER', folder)
    if (len_trim(folder) == 0) folder = '.'
    file = trim(folder) // '/fortran-calibration.json'
    call context%create(threads=1)
    do ! until other programs leave the cores alone
      reports = 0
      call calibrate(found, seconds=0.01_real64, file=file, progress=count_parts, context=context, &
                     stat=stat, errmsg=message)
      if (stat /= tenfold_io) exit
      call check_text('is beyond any machine''s', message)
      call check(allocated(found%rates), 'rates that are not written are found')
    end do
    call check_code(int(tenfold_ok), stat, 'calibrate')
    call check(reports > 1 .and. reports == last_parts, 'all parts are reported')
    call check_text(file, found%file)
    call check(len(found%cpu) > 0 .and. found%threads == 1 .and. found%seconds > 0, 'what was measured')
    call check(found%isa >= tenfold_isa_generic, 'the instruction set')
    has_bandwidth = .false.
    do i = 1, size(found%rates)
      call check(found%rates(i)%value >= 0 .and. found%rates(i)%typical >= 0, 'a rate')
      if (found%rates(i)%name == 'memory_bandwidth') &
        has_bandwidth = found%rates(i)%meaning == 'copy in memory, one thread' .and. found%rates(i)%value > 0
    end do
    call check(has_bandwidth, 'the memory''s rate')
    inquire (file=file, exist=is_there)
    call check(is_there, 'the file')
    if (is_there) then
      open (newunit=unit, file=file)
      close (unit, status='delete')
    end if
    call context%destroy()
  end subroutine rates_in_a_file

  subroutine no_file()
    type(calibration_result) :: found
    character(200) :: message
    integer :: stat
    call calibrate(found, seconds=0.01_real64, threads=1, file='/dev/null/file', stat=stat, errmsg=message)
    call check_code(int(tenfold_io), stat, 'a file that cannot be written')
    call check_text("'/dev/null/file' cannot be written: ", message)
    call check(size(found%rates) > 0 .and. found%file == '', 'the rates are found all the same')
  end subroutine no_file
end module calibrate_tests
