! Tests worlds of some ranks, slices that all ranks read, pairs and tasks.
module dist_part_tests
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dist_elements
  use mpi_f08
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_parts, test_pairs, test_tasks

  integer, parameter :: tasks = 40
  integer :: done(tasks) = 0 !< how often each task was done by this rank

contains

  !> Through all ranks but the last one, or through the only one.
  subroutine test_parts(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(tenfold_world) :: part, node, nothing
    type(dist_tensor) :: x, s, none
    real(real64) :: expected(6, 7), found(6, 7)
    character(200) :: message
    logical :: is_in
    integer :: code, i, j, rank, ranks
    rank = everyone%rank()
    ranks = everyone%ranks()
    is_in = ranks == 1 .or. rank < ranks - 1
    call everyone%split(merge(0, -1, is_in), part)
    call check((part%rank() >= 0) .eqv. is_in, 'a world of some ranks')
    call everyone%split_by_node(node)
    call check(any(node%ranks() == [(i, i=1, ranks)]), 'the ranks of a node')
    call node%destroy()
    call nothing%split(0, node, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a part of a world that was not created')
    call check_text('world is NULL', message)

    call x%create(everyone, tenfold_f64, [6, 7])
    call x%fill_by(element_of_a)
    expected = reshape([((number_at(i, j, 1), i=1, 6), j=1, 7)], [6, 7])
    if (is_in) call s%create(part, tenfold_f64, [6, 7])
    call dist_copy_to_part(x, s)
    if (is_in) call dist_scale(2, s)
    call dist_copy_from_part(s, x)
    call x%gather_slice([1_int64, 1_int64], found)
    call check(all(found == 2 * expected), 'a tensor that was on some ranks')
    found = 0
    call x%gather_slice([2_int64, 3_int64], found(5:1:-2, 2:3))
    call check(all(found(5:1:-2, 2:3) == 2 * expected(2:4, 3:4)), 'a slice on all ranks')
    call check(all(found(2:6:2, :) == 0), 'nothing between was written')
    call x%gather_slice([1_int64], found, stat=code)
    call check_code(int(tenfold_order_mismatch), code, 'a position of another tensor')
    call dist_copy_from_part(none, x, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a tensor of no rank')
    call check_text('no rank has', message)
    call dist_copy_to_part(none, x, stat=code, errmsg=message)
    call check_text('x is NULL', message)
    if (is_in) call s%destroy()
    call part%destroy()
    call x%destroy()
  end subroutine test_parts

  !> Of a tensor that is not symmetric.
  function element_of_pair(position) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64) :: element
    element = cmplx(100 * position(1) + 10 * position(2) + position(3), kind=real64)
  end function element_of_pair

  subroutine test_pairs(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, y, plus, minus
    real(real64) :: sums(10, 3), differences(6, 3)
    character(200) :: message
    integer :: code, p, q, k
    call x%create(everyone, tenfold_f64, [4, 4, 3])
    call y%create(everyone, tenfold_f64, [4, 4, 3], grid=[1, 1, 1])
    call plus%create(everyone, tenfold_f64, [10, 3])
    call minus%create(everyone, tenfold_f64, [6, 3])
    call x%fill_by(element_of_pair)
    call dist_pack_pairs(x, 1, plus)
    call dist_pack_pairs(x, 1, minus, antisymmetric=.true.)
    call plus%gather_slice([1_int64, 1_int64], sums)
    call minus%gather_slice([1_int64, 1_int64], differences)
    do k = 1, 3
      do p = 1, 4
        do q = 1, p
          call check(sums(p * (p - 1) / 2 + q, k) == 110 * (p + q) + 2 * k, 'a symmetric pair')
          if (q < p) call check(differences((p - 1) * (p - 2) / 2 + q, k) == 90 * (p - q), 'an antisymmetric pair')
        end do
      end do
    end do
    call dist_unpack_pairs(plus, 1, y)
    call dist_unpack_pairs(minus, 1, y, antisymmetric=.true.)
    call dist_axpy(-1, x, y)
    call check(dist_norm1(y) == 0, 'both kinds of pairs together')
    call dist_pack_pairs(x, 3, plus, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'pairs of the last dimension')
    call dist_pack_pairs(x, 1, minus, stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'pairs of the other kind')
    call x%destroy()
    call y%destroy()
    call plus%destroy()
    call minus%destroy()
  end subroutine test_pairs

  subroutine do_task(task, code)
    integer(int64), intent(in) :: task
    integer, intent(inout) :: code
    done(task) = done(task) + 1
    if (done(task) > 1) code = 1
  end subroutine do_task

  subroutine fail_task(task, code)
    integer(int64), intent(in) :: task
    integer, intent(inout) :: code
    if (task > 0) code = 7
  end subroutine fail_task

  subroutine test_tasks(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(execution_control) :: control
    character(200) :: message
    integer :: code, i
    done = 0
    call dist_for_each_task(everyone, tasks, do_task)
    call check_done('tasks')
    call dist_for_each_task(everyone, tasks, do_task, costs=[(real(i, real64), i=1, tasks)])
    call check_done('tasks by their costs')
    call control%stop%create()
    call dist_for_each_task(everyone, tasks, do_task, control=control)
    call check_done('tasks with a control')
    call control%stop%request()
    call dist_for_each_task(everyone, tasks, do_task, control=control, stat=code)
    call check_code(int(tenfold_stopped), code, 'tasks that are stopped')
    call control%stop%destroy()
    call dist_for_each_task(everyone, tasks, fail_task, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a task that fails')
    call check_text('the function of tasks returned 7', message)
    call dist_for_each_task(everyone, tasks, do_task, costs=[1.0_real64], stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'costs of other tasks')
    call check_text('costs has another number of elements', message)
    call dist_for_each_task(everyone, -1, do_task, stat=code, errmsg=message)
    call check_text('-1 tasks', message)
  end subroutine test_tasks

  !> Whether some rank did each task, once. Forgets them.
  subroutine check_done(what)
    character(*), intent(in) :: what
    integer :: by_all(tasks)
    call MPI_Allreduce(done, by_all, tasks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(by_all == 1), what)
    done = 0
  end subroutine check_done
end module dist_part_tests
