! Tests tensors with copies, blocks where they lie, and what contractions and plans say in numbers.
module dist_copies
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_copies, test_blocks, test_numbers

contains

  !> Every rank has a copy.
  subroutine test_copies(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, y
    real(real64), pointer, contiguous :: block(:)
    real(real64) :: found(6, 7), norm
    character(200) :: message
    integer :: ranks, code, i, j
    ranks = everyone%ranks()
    call x%create(everyone, tenfold_f64, [6, 7], copies=ranks)
    call check(x%copies() == ranks, 'the number of copies')
    call check(y%copies() == 0, 'those of a tensor that was not created')
    call x%fill_by(element_of_a)
    call dist_local(x, block)
    call check(all(block == [((number_at(i, j, 1), i=1, 6), j=1, 7)]), 'a copy is the whole tensor')
    call y%create(everyone, tenfold_f64, [6, 7])
    call check(y%copies() == 1, 'one copy')
    call y%fill(2)
    call dist_contract_many("ab=ab", [dist_input(y)], x)
    call check(all(block == 2), 'a contraction writes all copies')
    ! By hand, on the last rank, whose copy does not count.
    call x%fill(3)
    if (everyone%rank() == ranks - 1) then
      call dist_local_to_write(x, block)
      block = 4
    end if
    norm = x%norm(stat=code, errmsg=message)
    call check_code(merge(0, int(tenfold_invalid_argument), ranks == 1), code, 'copies that may differ')
    if (ranks > 1) call check_text('call refresh()', message)
    call x%refresh()
    call x%read([1_int64, 1_int64], found)
    call check(all(found == merge(4, 3, ranks == 1)), 'the first copy counts')
    call dist_local(x, block)
    call check(all(block == found(1, 1)), 'all copies are equal again')
    call x%redistribute([1, 1], copies=ranks)
    call check(x%copies() == ranks, 'copies of a whole tensor')
    call x%redistribute([1, ranks])
    call check(x%copies() == 1, 'one copy again')
    call x%read([1_int64, 1_int64], found)
    call check(all(found == merge(4, 3, ranks == 1)), 'with the same elements')
    call x%create(everyone, tenfold_f64, [6, 7], copies=ranks + 1, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'more copies than ranks')
    call x%create(everyone, tenfold_f64, [6, 7], grid=[1, 1], copies=0, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'no copies')
    call check_text('1 copy or more', message)
    call x%create(everyone, tenfold_f64, [6, 7], copies=0, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'no copies without a grid')
    call x%refresh(stat=code, errmsg=message)
    call check_text('tensor is NULL', message)
    call test_layouts_with_copies(everyone)
    call y%destroy()
  end subroutine test_copies

  !> A small tensor that several contractions read.
  subroutine test_layouts_with_copies(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(planned_layouts) :: layouts
    type(layouts_summary) :: summary
    type(dist_tensor) :: t
    call layouts%tensor('V', [400, 300])
    call layouts%tensor('T', [300, 4])
    call layouts%tensor('X', [400, 4])
    call layouts%contraction("X[a,i] = V[a,b] * T[b,i]", times=2)
    call layouts%plan(tenfold_f64, everyone%ranks(), copies=.true.)
    summary = layouts%summary()
    call check(summary%memory >= summary%default_memory, 'copies take memory')
    call layouts%create('T', everyone, t)
    call check(t%copies() == everyone%ranks(), 'a copy on each rank is planned')
    call t%destroy()
    call layouts%plan(tenfold_f64, everyone%ranks(), copies=.true., memory_per_rank=1_int64)
    summary = layouts%summary()
    call check(summary%memory <= summary%default_memory, 'a limit of memory')
    call layouts%destroy()
  end subroutine test_layouts_with_copies

  subroutine test_blocks(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, nothing
    real(real64), pointer, contiguous :: block(:), matrix(:, :)
    real(real32), pointer, contiguous :: of_f32(:)
    complex(real32), pointer, contiguous :: of_c32(:)
    complex(real64), pointer, contiguous :: of_c64(:)
    integer(int64), allocatable :: first(:), extents(:)
    character(200) :: message
    integer :: code, i, j
    call x%create(everyone, tenfold_f64, [6, 7], grid=[1, everyone%ranks()])
    call x%fill_by(element_of_a)
    call dist_local(x, block, first, extents)
    call check(extents(1) == 6 .and. first(1) == 1 .and. size(block) == product(extents), 'a block')
    matrix(1:extents(1), 1:extents(2)) => block
    call check(all(matrix == reshape([((number_at(i, j + int(first(2)) - 1, 1), i=1, 6), j=1, int(extents(2)))], &
                                     [6, int(extents(2))])), 'its elements')
    matrix = 0.5_real64
    call check(abs(x%norm() - sqrt(10.5_real64)) < 1e-12_real64, 'elements of one copy may be written')
    call dist_local(x, of_f32, stat=code, errmsg=message)
    call check_code(int(tenfold_type_mismatch), code, 'a block of another type')
    call check_text('the block has elements of f32, the tensor of f64', message)
    call dist_local(nothing, block, stat=code, errmsg=message)
    call check_text('tensor is NULL', message)
    call x%create(everyone, tenfold_f32, [3])
    call x%fill(2)
    call dist_local(x, of_f32)
    call check(all(abs(of_f32 - 2) <= 0), 'a block of f32')
    call dist_local_to_write(x, of_f32)
    of_f32 = 1
    call x%create(everyone, tenfold_c32, [3])
    call x%fill(2)
    call dist_local(x, of_c32)
    call check(all(abs(of_c32 - 2) <= 0), 'a block of c32')
    call dist_local_to_write(x, of_c32)
    call x%create(everyone, tenfold_c64, [3])
    call x%fill((2, 1))
    call dist_local_to_write(x, of_c64)
    call dist_local(x, of_c64)
    call check(all(of_c64 == (2, 1)), 'a block of c64')
    call x%destroy()
  end subroutine test_blocks

  !> d = a b, 6 x 5, by 7.
  subroutine test_numbers(everyone, a, b, d)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor), intent(in) :: a, b, d
    type(dist_report) :: report
    type(dist_plan_summary) :: plan
    type(dist_options) :: options
    integer :: code, ranks
    ranks = everyone%ranks()
    options%grid = [1, 1, ranks, 1]
    options%step = [1, 2, 2, 2]
    options%algorithm = tenfold_algorithm_reference
    options%backend = tenfold_backend_native
    plan = dist_summary("mn=mk*kn", [dist_input(a), dist_input(b)], d, options)
    call check(plan%ranks == ranks .and. plan%steps == 1, 'the numbers of a plan')
    call check(plan%m == 6 .and. plan%n == 5 .and. plan%k == 7 .and. plan%batch == 1, 'its sizes')
    call check(plan%flops == 420 .and. plan%grid(3) == ranks, 'its flops and grid')
    call check(plan%total_received_bytes == plan%bytes_received + plan%redistribution_bytes, 'its bytes')
    call check(plan%peak_bytes > 0 .and. plan%workspace_bytes >= 0, 'its memory')
    call check(plan%keeping_copies_equal_bytes == 0, 'there are no copies')
    call dist_contract("mn=mk*kn", a, b, d, options=options, report=report)
    call check(report%steps == 1 .and. report%seconds_max > 0, 'a report')
    call check(report%bytes_received_max == plan%bytes_received, 'received as planned')
    call check(report%redistribution_max == plan%redistribution_bytes, 'redistributed as planned')
    call check(report%own_bytes_received <= report%bytes_received_max, 'bytes of one rank')
    call check(report%peak_bytes_max > report%workspace_max, 'memory')
    call check(report%algorithm == tenfold_algorithm_reference, 'the algorithm')
    call dist_contract("mn=mk*nk", a, b, d, report=report, stat=code)
    call check(code /= tenfold_ok .and. report%steps == 0, 'the report of a failure')
    plan = dist_summary("mn=mk*nk", [dist_input(a), dist_input(b)], d, stat=code)
    call check(code == tenfold_extent_mismatch .and. plan%ranks == 0, 'no plan')
    ! As the other tests want it.
    call dist_contract("mn=mk*kn", a, b, d)
  end subroutine test_numbers
end module dist_copies
