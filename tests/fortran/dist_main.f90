! Tests the module tenfold_dist on every rank. "error-stop" as argument: one rank errs without stat=,
! which must end all of them.
program dist_main
  use, intrinsic :: iso_fortran_env, only: error_unit, int16, int64, real32, real64
  use checks
  use dist_copies
  use dist_elements
  use dist_future_tests
  use dist_layout_tests
  use dist_list_tests
  use dist_part_tests
  use dist_plan_tests
  use dist_operation_tests
  use mpi_f08
  use tenfold
  use tenfold_dist
  implicit none
  integer, parameter :: m = 6, n = 5, k = 7
  type(tenfold_world) :: everyone
  type(dist_tensor) :: a, b, d
  real(real64) :: whole_a(m, k), whole_b(k, n)
  character(20) :: argument
  integer :: i, j, failures, all_failures

  call MPI_Init()
  call everyone%create(MPI_COMM_WORLD)
  call a%create(everyone, tenfold_f64, [m, k])
  call b%create(everyone, tenfold_f64, [int(k, int64), int(n, int64)])
  call d%create(everyone, tenfold_f64, [m, n], grid=[1, everyone%ranks()])
  call a%fill_by(element_of_a)
  call b%fill_by(element_of_b)
  whole_a = reshape([((number_at(i, j, 1), i=1, m), j=1, k)], [m, k])
  whole_b = reshape([((number_at(i, j, 2), i=1, k), j=1, n)], [k, n])
  call get_command_argument(1, argument)
  if (argument == 'error-stop') then
    call dist_contract(merge("mn=mk*kn", "mn=mk*nk", everyone%rank() == 0), a, b, d)
    print '(a)', 'the program went on'
    stop
  end if

  call test_worlds()
  call test_contractions()
  call test_controls()
  call test_epilogues()
  call test_slices()
  call test_types()
  call test_redistribution()
  call test_files()
  call test_traces(everyone, a, b, d)
  call test_layouts(everyone)
  call test_plans(everyone, a, b, d)
  call test_records(everyone, a, b)
  call test_futures(everyone, a, b)
  call test_conjugated_plans(everyone)
  call test_distributions(everyone)
  call test_mixtures(everyone)
  call test_lists(everyone)
  call test_boxes(everyone)
  call test_matrices(everyone)
  call test_copies(everyone)
  call test_blocks(everyone)
  call test_numbers(everyone, a, b, d)
  call test_operations(everyone)
  call test_maps(everyone)
  call test_largest(everyone)
  call test_parts(everyone)
  call test_pairs(everyone)
  call test_tasks(everyone)
  call test_errors()

  call a%destroy()
  call b%destroy()
  call d%destroy()
  call everyone%destroy()
  failures = failed_checks()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (all_failures > 0) error stop 1

contains

  !> Whether D has these elements, which are gathered on the last rank.
  subroutine expect(expected, what)
    real(real64), intent(in) :: expected(m, n)
    character(*), intent(in) :: what
    real(real64) :: found(2 * m, n)
    found = 77
    if (everyone%rank() == everyone%ranks() - 1) then
      call d%gather(everyone%ranks() - 1, found(2 * m - 1:1:-2, :))
      call check(all(found(2 * m - 1:1:-2, :) == expected), what)
      call check(all(found(2::2, :) == 77), what // ': nothing between was written')
    else
      call d%gather(everyone%ranks() - 1)
    end if
  end subroutine expect

  subroutine test_worlds()
    type(tenfold_world) :: other
    type(tenfold_context) :: context
    integer :: rank, ranks
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call check(everyone%rank() == rank, 'rank')
    call check(everyone%ranks() == ranks, 'ranks')
    call check(other%rank() == -1, 'the rank of a world that was not created')
    call check(other%ranks() == 0, 'its ranks')
    call check(other%threads() == 0, 'its threads')
    call other%create(MPI_COMM_WORLD%mpi_val) ! as the module mpi has it
    call check(other%ranks() == ranks, 'a world from an integer')
    call check(other%threads() == everyone%threads(), 'the threads of such a world')
    call context%create(threads=3, calibration='off', presence_seconds=tenfold_no_seconds)
    call other%create(MPI_COMM_WORLD, context)
    call context%destroy()
    call check(other%threads() == 3, 'the threads of a world with a context')
    call other%destroy()
  end subroutine test_worlds

  subroutine test_contractions()
    type(dist_options) :: options
    real(real64) :: product(m, n)
    product = matmul(whole_a, whole_b)
    call dist_contract("mn=mk*kn", a, b, d)
    call expect(product, 'a contraction')
    call dist_contract("mn+=mk*kn", a, b, d, alpha=2)
    call expect(3 * product, 'an update')
    options%grid = [1, 1, everyone%ranks(), 1]
    options%reproducible = tenfold_yes
    options%threads = 1
    options%memory_per_rank = 2_int64**30
    call options%context%create(threads=1)
    call dist_contract("mn=mk*kn", a, b, d, alpha=0.5_real64, beta=(2.0_real32, 0.0_real32), options=options)
    call expect(6.5_real64 * product, 'alpha, beta and options')
    call options%context%destroy()
    call check_text('steps batch x m x n x k', &
                    dist_explain("mn=mk*kn", [dist_input(a), dist_input(b)], d))
    call check_text('{"ranks":', dist_json("mn=mk*kn", [dist_input(a), dist_input(b)], d))
    call dist_contract_many("mn=mk*kl*lp*np", [dist_input(a), dist_input(b), dist_input(d), dist_input(d)], d, &
                            stat=i)
    call check(i /= tenfold_ok, 'D is an input')
    call dist_contract_many("mn=mk*kn*nn", [dist_input(a), dist_input(b), dist_input(d)], d, stat=i)
    call check(i /= tenfold_ok, 'D is an input of another shape')
  end subroutine test_contractions

  subroutine test_controls()
    type(dist_options) :: options
    type(stop_token) :: stop
    integer :: code
    reports = 0
    options%control%progress => count_reports
    call dist_contract("mn=mk*kn", a, b, d, options=options)
    call expect(matmul(whole_a, whole_b), 'a contraction with a control')
    call check(reports > 0, 'progress')
    call stop%create()
    options%control%stop = stop
    if (everyone%rank() == everyone%ranks() - 1) call stop%request()
    call d%fill(4)
    call dist_contract("mn=mk*kn", a, b, d, options=options, stat=code)
    call check_code(int(tenfold_stopped), code, 'a stop on one rank')
    call stop%destroy()
  end subroutine test_controls

  subroutine test_epilogues()
    type(dist_options) :: options
    real(real64), target :: bias(n)
    integer :: code
    character(200) :: message
    bias = 2
    call options%epilogue%add("n", bias)
    call options%epilogue%call_f64(negate)
    call dist_contract("mn=mk*kn", a, b, d, options=options)
    call expect(-matmul(whole_a, whole_b) - 2, 'an epilogue')
    call options%epilogue%add("m", bias)
    call dist_contract("mn=mk*kn", a, b, d, options=options, stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'an array that does not go with D')
    call options%epilogue%clear()
    call options%epilogue%add("?", bias)
    call dist_contract("mn=mk*kn", a, b, d, options=options, stat=code, errmsg=message)
    call check_code(int(tenfold_syntax), code, 'labels that are none')
    call expect(-matmul(whole_a, whole_b) - 2, 'nothing was written')
  end subroutine test_epilogues

  subroutine test_slices()
    real(real64) :: mine(2, 3), expected(m, n), values(2, 1), norm
    integer(int64) :: first(2)
    integer :: rank
    rank = everyone%rank()
    first = [1 + mod(rank, 4), 2]
    call a%read(first, mine(2:1:-1, :))
    call check(all(mine(2:1:-1, :) == whole_a(first(1):first(1) + 1, 2:4)), 'a slice per rank')
    if (rank == 0) then
      call d%scatter(0, whole_a(:, 1:n))
      values = reshape([100, 101], [2, 1])
      call d%write([3_int64, 5_int64], values)
    else
      call d%scatter(0)
      call d%write()
    end if
    expected = whole_a(:, 1:n)
    expected(3:4, 5) = [100, 101]
    call expect(expected, 'a slice that was written')
    call d%read() ! nobody reads
    call d%fill(2)
    norm = d%norm()
    call check(norm > 10.95_real64 .and. norm < 10.96_real64, 'norm: sqrt(120)')
    call check(dot(d, d) == 120, 'dot')
  end subroutine test_slices

  subroutine test_types()
    type(dist_tensor) :: x, y, scalar
    integer, parameter :: types(4) = [tenfold_f32, tenfold_f64, tenfold_c32, tenfold_c64]
    logical :: is_complex
    integer :: t
    do t = 1, size(types)
      is_complex = t > 2
      call x%create(everyone, types(t), [3, 2])
      call y%create(everyone, types(t), [3, 3])
      call x%fill_by(complex_element)
      ! Sums of squares of 1, 2, 3 twice, and of 1, 2 thrice.
      call check(real(dot(x, x)) == merge(43, 28, is_complex), 'elements of all types')
      call dist_contract("ij=ik*jk", x, x, y, conj_b=.true.)
      call scalar%create(everyone, types(t), [integer ::])
      call dist_contract_many("=ii", [dist_input(y)], scalar)
      call check(scalar%norm() == merge(43, 28, is_complex), 'a trace of all types')
      call dist_contract("ij=ik*jk", x, x, y, conj_a=.true.)
      call dist_contract_many("=ij*ji", [dist_input(y), dist_input(y, .true.)], scalar)
      call check(scalar%norm() > 0, 'a conjugated input')
      call x%destroy()
      call y%destroy()
      call scalar%destroy()
    end do
  end subroutine test_types

  subroutine test_redistribution()
    type(dist_tensor) :: x
    real(real64) :: found(m, k)
    call x%create(everyone, tenfold_f64, [m, k])
    call x%fill_by(element_of_a)
    call x%redistribute([everyone%ranks(), 1])
    call x%read([1_int64, 1_int64], found)
    call check(all(found == whole_a), 'a tensor that was redistributed')
    call x%redistribute([1, everyone%ranks()])
    call x%read([1_int64, 1_int64], found)
    call check(all(found == whole_a), 'and again')
    call x%redistribute([everyone%ranks() + 1, 1], stat=i)
    call check_code(int(tenfold_invalid_argument), i, 'too many blocks')
    call x%destroy()
  end subroutine test_redistribution

  subroutine test_files()
    type(dist_tensor) :: x
    real(real64) :: found(m, k)
    character(:), allocatable :: folder
    character(200) :: message
    character(8) :: padded
    integer :: length, code
    call get_environment_variable('TENFOLD_TEST_FOLDER', length=length)
    allocate (character(length) :: folder)
    call get_environment_variable('TENFOLD_TEST_FOLDER', folder)
    call x%create(everyone, tenfold_f64, [m, k])
    call a%save_npy(folder // '/fortran.npy')
    call x%load_npy(folder // '/fortran.npy')
    call x%read([1_int64, 1_int64], found)
    call check(all(found == whole_a), 'an .npy file')
    call dist_save(everyone, folder // '/fortran.checkpoint', [named_tensor('A', a), named_tensor('the other', b)])
    call x%fill(0)
    call dist_load(everyone, folder // '/fortran.checkpoint', [named_tensor('A', x)])
    call x%read([1_int64, 1_int64], found)
    call check(all(found == whole_a), 'a checkpoint')
    padded = 'A' ! with blanks, which are none of the name's
    call dist_load(everyone, folder // '/fortran.checkpoint', [named_tensor(padded, x)], stat=code, errmsg=message)
    call check_code(0, code, 'a name of fixed length: ' // trim(message))
    call dist_load(everyone, folder // '/fortran.checkpoint', [named_tensor('C', x)], stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a name that is not there')
    call dist_save_hdf5(everyone, folder // '/fortran.h5', [named_tensor('group/A', a)], stat=code, errmsg=message)
    if (code == tenfold_unsupported) then
      call check_text('HDF5', message)
      call dist_load_hdf5(everyone, folder // '/fortran.h5', [named_tensor('group/A', x)], stat=code)
      call check_code(int(tenfold_unsupported), code, 'no HDF5')
    else
      call check_code(0, code, 'saving HDF5: ' // trim(message))
      call x%fill(0)
      call dist_load_hdf5(everyone, folder // '/fortran.h5', [named_tensor('group/A', x)])
      call x%read([1_int64, 1_int64], found)
      call check(all(found == whole_a), 'an HDF5 file')
    end if
    call x%load_npy(folder // '/nothing.npy', stat=code)
    call check_code(int(tenfold_io), code, 'a file that is not there')
    call x%destroy()
  end subroutine test_files

  !> The last rank errs, all fail alike, and the world can be used afterwards.
  subroutine test_errors()
    type(dist_tensor) :: x, nothing
    real(real64) :: array(2, 2), norm
    integer(int16) :: whole(2, 2)
    integer :: code
    logical :: is_last
    character(200) :: message
    is_last = everyone%rank() == everyone%ranks() - 1
    array = 0
    whole = 0
    call nothing%fill(1, stat=code, errmsg=message)
    call check_text('tensor is NULL', message)
    call dist_contract("mn=mk*nk", a, b, d, stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'extents')
    call check_text("label 'k': A mode 1 has extent 7, B mode 1 has extent 5", message)
    call x%create(everyone, 77, [2, 2], stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'a type')
    call x%create(everyone, tenfold_f64, [2, 2], grid=[1, merge(9, 1, is_last)], stat=code)
    call check(code /= tenfold_ok, 'a grid that is too large, on one rank')
    call x%create(everyone, tenfold_f64, [2, 2], grid=[1], stat=code, errmsg=message)
    call check_code(int(tenfold_order_mismatch), code, 'a grid of another order')
    if (is_last) then
      call d%fill('x', stat=code, errmsg=message)
    else
      norm = d%norm(stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_type_mismatch), code, 'a value that is no number, on one rank')
    call check_text('the value is no real, complex or integer number', message)
    if (is_last) then
      call d%read([1_int64, 1_int64], whole, stat=code, errmsg=message)
    else
      call d%read([1_int64, 1_int64], array, stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_type_mismatch), code, 'an array of another type, on one rank')
    call check_text('the array has elements of another type', message)
    if (is_last) then
      call d%read(array=array, stat=code, errmsg=message)
    else
      call d%read([1_int64, 1_int64], array, stat=code, errmsg=message)
    end if
    call check_text('the array has no position', message)
    call d%write([1_int64], array, stat=code, errmsg=message)
    call check_text('first has another number of indices', message)
    call d%gather(0, whole, stat=code, errmsg=message)
    call check_text('the array has elements of another type', message)
    call d%scatter(0, whole, stat=code, errmsg=message)
    call check_text('the array has elements of another type', message)
    if (is_last) then
      call dist_contract("mn=mk*kn", a, b, d, alpha='x', stat=code, errmsg=message)
    else
      call dist_contract("mn=mk*kn", a, b, d, stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_type_mismatch), code, 'alpha is no number, on one rank')
    call check_text('alpha is no real', message)
    call dist_contract("mn=mk*kn", a, b, d, beta=.true., stat=code, errmsg=message)
    call check_text('beta is no real', message)
    call check(dist_explain("mn=mk*nk", [dist_input(a), dist_input(b)], d, stat=code) == '', 'no plan')
    call check_code(int(tenfold_extent_mismatch), code, 'a plan of other extents')
    call check(dist_json("mn=mk*nk", [dist_input(a), dist_input(b)], d, stat=code) == '', 'no JSON')
    call check_code(int(tenfold_extent_mismatch), code, 'the JSON of other extents')
    call dist_contract("mn=mk*kn", a, b, d)
    call expect(matmul(whole_a, whole_b), 'a contraction after all that')
  end subroutine test_errors
end program dist_main
