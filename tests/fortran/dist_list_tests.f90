! Tests lists of elements, boxes, and matrices as ScaLAPACK distributes them.
module dist_list_tests
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_lists, test_boxes, test_matrices

contains

  subroutine test_lists(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, scalar
    integer(int64) :: positions(2, 3)
    real(real64) :: values(3), number(1), wide(6)
    real(real32) :: narrow(3)
    character(200) :: message
    integer :: code
    logical :: is_last
    is_last = everyone%rank() == everyone%ranks() - 1
    call x%create(everyone, tenfold_f64, [6, 7])
    call x%fill_by(element_of_a)
    positions = reshape([1, 1, 6, 7, 2, 3], [2, 3])
    call dist_read_elements(x, positions, values)
    call check(all(values == [number_at(1, 1, 1), number_at(6, 7, 1), number_at(2, 3, 1)]), 'a list of elements')
    if (is_last) then
      call dist_write_elements(x, positions(:, 1:2), [100.0_real64, 200.0_real64])
    else
      call dist_write_elements(x, positions(:, 1:0), values(1:0))
    end if
    call dist_add_elements(x, positions(:, 2:2), [1.0_real64]) ! by every rank
    call dist_read_elements(x, positions, values)
    call check(all(values == [100.0_real64, 200.0_real64 + everyone%ranks(), number_at(2, 3, 1)]), &
               'elements that were written and added to')
    call scalar%create(everyone, tenfold_f64, [integer ::])
    call scalar%fill(7)
    call dist_read_elements(scalar, reshape([integer(int64) ::], [0, 1]), number)
    call check(number(1) == 7, 'the element of a tensor without dimensions')

    narrow = 0
    wide = 0
    if (is_last) then
      call dist_read_elements(x, positions, narrow, stat=code, errmsg=message)
    else
      call dist_read_elements(x, positions, values, stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_type_mismatch), code, 'values of another type, on one rank')
    call check_text('values is f32, the tensor is f64', message)
    call dist_read_elements(x, positions(1:1, :), values, stat=code, errmsg=message)
    call check_text('positions have another number of indices', message)
    call dist_read_elements(x, positions(:, 1:2), values, stat=code, errmsg=message)
    call check_text('another number of values than of positions', message)
    call dist_read_elements(x, positions, wide(::2), stat=code, errmsg=message)
    call check_text('do not lie side by side', message)
    positions(1, 1) = 7
    call dist_read_elements(x, positions, values, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'a position outside the tensor')
    call x%destroy()
    call scalar%destroy()
  end subroutine test_lists

  subroutine test_boxes(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x
    real(real64), target :: mine(6, 7), found(4, 3), column(6)
    type(dist_box) :: boxes(2)
    character(200) :: message
    integer :: code, i, j
    call x%create(everyone, tenfold_f64, [6, 7])
    mine = reshape([((number_at(i, j, 3), i=1, 6), j=1, 7)], [6, 7])
    if (everyone%rank() == 0) then
      boxes(1) = dist_box([1, 1], view(mine(:, 1:2)))
      boxes(2) = dist_box([1, 3], view(mine(:, 3:)))
      call dist_import_boxes(x, boxes)
    else
      call dist_import_boxes(x, boxes(1:0))
    end if
    call dist_export_boxes(x, [dist_box([2, 4], view(found(4:1:-1, :))), dist_box([1, 7], view(found(:, 1:0)))])
    call check(all(found(4:1:-1, :) == mine(2:5, 4:6)), 'a box on each rank')
    call dist_export_boxes(x, [dist_box([1], view(column))], stat=code, errmsg=message)
    call check_code(int(tenfold_order_mismatch), code, 'a box of another order')
    call dist_export_boxes(x, [dist_box([1], view(found))], stat=code, errmsg=message)
    call check_text('box 1: first has another number of indices', message)
    boxes(1)%elements = view(found)
    if (allocated(boxes(1)%first)) deallocate (boxes(1)%first)
    call dist_import_boxes(x, boxes(1:1), stat=code, errmsg=message)
    call check_text('box 1 has no position', message)
    call dist_export_boxes(x, [dist_box([4, 1], view(found))], stat=code)
    call check_code(int(tenfold_extent_mismatch), code, 'a box that passes the end')
    call x%destroy()
  end subroutine test_boxes

  !> A matrix of 6 x 7 in blocks of 2 x 3 over processes in a row.
  subroutine test_matrices(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x
    type(block_cyclic) :: matrix
    real(real64) :: local(6, 7), again(6, 7), whole(6, 7), wide(6, 14), tall(9, 7)
    character(200) :: message
    integer :: code, column, i, stored
    matrix%descriptor = [1, 0, 6, 7, 2, 3, 0, 0, 6]
    matrix%grid = [1, everyone%ranks(), 0, everyone%rank()]
    stored = 0
    local = -1
    do column = 1, 7
      if (mod((column - 1) / 3, everyone%ranks()) /= everyone%rank()) cycle
      stored = stored + 1
      local(:, stored) = [(number_at(i, column, 1), i=1, 6)]
    end do
    call x%create(everyone, tenfold_f64, [6, 7])
    call dist_import_block_cyclic(x, matrix, local)
    call x%read([1_int64, 1_int64], whole)
    call check(all(whole == reshape([((number_at(i, column, 1), i=1, 6), column=1, 7)], [6, 7])), &
               'a block-cyclic matrix')
    again = -1
    call dist_export_block_cyclic(x, matrix, again)
    call check(all(again == local), 'and back')
    call dist_import_block_cyclic(x, matrix, real(local, real32), stat=code, errmsg=message)
    call check_text('the array is f32, the tensor is f64', message)
    call dist_import_block_cyclic(x, matrix, local(:, 1:0), stat=code)
    call check_code(int(tenfold_extent_mismatch), code, 'an array that is too small')
    wide = -1
    wide(:, ::2) = local
    call dist_import_block_cyclic(x, matrix, wide(:, ::2), stat=code)
    if (stored > 1) call check_code(int(tenfold_extent_mismatch), code, 'columns with others between them')
    wide = -1
    call dist_export_block_cyclic(x, matrix, wide(:, ::2), stat=code)
    call check(code == 0 .or. all(wide <= -1), 'which are not written')
    matrix%descriptor(9) = 9
    tall = -1
    tall(2:7, :) = local
    call x%fill(0)
    call dist_import_block_cyclic(x, matrix, tall(2:7, :))
    call x%read([1_int64, 1_int64], whole)
    call check(all(whole == reshape([((number_at(i, column, 1), i=1, 6), column=1, 7)], [6, 7])), &
               'a section that lies as the descriptor says')
    call dist_import_block_cyclic(x, matrix, tall(2:7:2, :), stat=code)
    call check_code(int(tenfold_extent_mismatch), code, 'too few rows')
    matrix%descriptor(1) = 2
    call dist_import_block_cyclic(x, matrix, local, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'another kind of matrix')
    call x%destroy()
  end subroutine test_matrices
end module dist_list_tests
