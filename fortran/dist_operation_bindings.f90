! Interfaces to the functions of tenfold/c/distributed/operations.h, elements.h, gather.h, interchange.h,
! pairs.h, split.h and tasks.h that the module tenfold_dist uses, and their structs.
module tenfold_dist_operation_bindings
  use, intrinsic :: iso_c_binding
  use tenfold_bindings, only: c_tensor
  implicit none
  public

  type, bind(C) :: c_dist_box
    type(c_ptr) :: offsets = c_null_ptr
    type(c_tensor) :: elements
    type(c_ptr) :: data = c_null_ptr
  end type c_dist_box

  type, bind(C) :: c_block_cyclic
    integer(c_int64_t) :: rows = 0, columns = 0, row_block = 0, column_block = 0
    integer(c_int32_t) :: first_row = 0, first_column = 0
    integer(c_int64_t) :: leading = 0
    integer(c_int32_t) :: grid(4) = 0 !< rows, columns, row and column
  end type c_block_cyclic

  type, bind(C) :: c_dist_term
    complex(c_double_complex) :: factor = 0
    type(c_ptr) :: tensor = c_null_ptr
  end type c_dist_term

  type, bind(C) :: c_slice
    integer(c_int32_t) :: order = 0
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: extents = c_null_ptr
  end type c_slice

  !> A slice with what it refers to.
  type :: slice_for_c
    type(c_slice) :: own
    integer(c_int64_t) :: offsets(64) = 0, extents(64) = 0
  end type slice_for_c

  type, bind(C) :: c_position_filter
    type(c_funptr) :: function = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type c_position_filter

  type, bind(C) :: c_dist_transpose_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: alpha = c_null_ptr
    type(c_ptr) :: beta = c_null_ptr
  end type c_dist_transpose_options

  type, bind(C) :: c_task_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: costs = c_null_ptr
    integer(c_int64_t) :: grain = 0
    type(c_ptr) :: control = c_null_ptr
  end type c_task_options

  interface
    function c_dist_combine(terms, count, d) bind(C, name="tenfold_dist_combine") result(code)
      import :: c_ptr, c_int32_t, c_dist_term
      type(c_dist_term), intent(in) :: terms(*)
      integer(c_int32_t), value :: count
      type(c_ptr), value :: d
      integer(c_int32_t) :: code
    end function c_dist_combine

    function c_dist_transpose(expression, a, of_a, b, of_b, options) &
      bind(C, name="tenfold_dist_transpose") result(code)
      import :: c_ptr, c_int32_t, c_char, c_dist_transpose_options
      character(kind=c_char), intent(in) :: expression(*)
      type(c_ptr), value :: a, of_a, b, of_b
      type(c_dist_transpose_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_dist_transpose

    function c_dist_map(d, inputs, input_count, function, user) bind(C, name="tenfold_dist_map") result(code)
      import :: c_ptr, c_funptr, c_int32_t
      type(c_ptr), value :: d, user
      type(c_ptr), intent(in) :: inputs(*)
      integer(c_int32_t), value :: input_count
      type(c_funptr), value :: function
      integer(c_int32_t) :: code
    end function c_dist_map

    function c_dist_largest(tensor, most, filter, positions, values, found) &
      bind(C, name="tenfold_dist_largest") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: tensor, filter, positions, values
      integer(c_int64_t), value :: most
      integer(c_int64_t), intent(inout) :: found
      integer(c_int32_t) :: code
    end function c_dist_largest

    function c_dist_copy(x, y) bind(C, name="tenfold_dist_copy") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: x, y
      integer(c_int32_t) :: code
    end function c_dist_copy

    function c_dist_copy_async(x, y, future) bind(C, name="tenfold_dist_copy_async") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: x, y
      type(c_ptr), intent(out) :: future
      integer(c_int32_t) :: code
    end function c_dist_copy_async

    function c_dist_axpy(alpha, x, y) bind(C, name="tenfold_dist_axpy") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      complex(c_double_complex), intent(in) :: alpha
      type(c_ptr), value :: x, y
      integer(c_int32_t) :: code
    end function c_dist_axpy

    function c_dist_scale(factor, x) bind(C, name="tenfold_dist_scale") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      complex(c_double_complex), intent(in) :: factor
      type(c_ptr), value :: x
      integer(c_int32_t) :: code
    end function c_dist_scale

    function c_dist_sum(tensor, sum) bind(C, name="tenfold_dist_sum") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: tensor
      complex(c_double_complex), intent(out) :: sum
      integer(c_int32_t) :: code
    end function c_dist_sum

    function c_dist_scalar(tensor, value) bind(C, name="tenfold_dist_scalar") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: tensor
      complex(c_double_complex), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_scalar

    function c_dist_norm1(tensor, norm) bind(C, name="tenfold_dist_norm1") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor
      real(c_double), intent(out) :: norm
      integer(c_int32_t) :: code
    end function c_dist_norm1

    function c_dist_norm_max(tensor, norm) bind(C, name="tenfold_dist_norm_max") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor
      real(c_double), intent(out) :: norm
      integer(c_int32_t) :: code
    end function c_dist_norm_max

    function c_dist_minimum(tensor, value, position) bind(C, name="tenfold_dist_minimum") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor, position
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_minimum

    function c_dist_maximum(tensor, value, position) bind(C, name="tenfold_dist_maximum") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor, position
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_maximum

    function c_dist_fill_uniform(tensor, seed, low, high) &
      bind(C, name="tenfold_dist_fill_uniform") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_double
      type(c_ptr), value :: tensor
      integer(c_int64_t), value :: seed
      real(c_double), value :: low, high
      integer(c_int32_t) :: code
    end function c_dist_fill_uniform

    function c_dist_fill_normal(tensor, seed, mean, deviation) &
      bind(C, name="tenfold_dist_fill_normal") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_double
      type(c_ptr), value :: tensor
      integer(c_int64_t), value :: seed
      real(c_double), value :: mean, deviation
      integer(c_int32_t) :: code
    end function c_dist_fill_normal

    function c_dist_read_elements(tensor, count, positions, values) &
      bind(C, name="tenfold_dist_read_elements") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: tensor, positions, values
      integer(c_int64_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_read_elements

    function c_dist_write_elements(tensor, count, positions, values) &
      bind(C, name="tenfold_dist_write_elements") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: tensor, positions, values
      integer(c_int64_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_write_elements

    function c_dist_add_elements(tensor, count, positions, values) &
      bind(C, name="tenfold_dist_add_elements") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: tensor, positions, values
      integer(c_int64_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_add_elements

    function c_dist_import_boxes(tensor, boxes, count) bind(C, name="tenfold_dist_import_boxes") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_dist_box
      type(c_ptr), value :: tensor
      type(c_dist_box), intent(in) :: boxes(*)
      integer(c_int64_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_import_boxes

    function c_dist_import_block_cyclic(tensor, matrix, local) &
      bind(C, name="tenfold_dist_import_block_cyclic") result(code)
      import :: c_ptr, c_int32_t, c_block_cyclic
      type(c_ptr), value :: tensor, local
      type(c_block_cyclic), intent(in) :: matrix
      integer(c_int32_t) :: code
    end function c_dist_import_block_cyclic

    function c_dist_export_boxes(tensor, boxes, count) bind(C, name="tenfold_dist_export_boxes") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_dist_box
      type(c_ptr), value :: tensor
      type(c_dist_box), intent(in) :: boxes(*)
      integer(c_int64_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_export_boxes

    function c_dist_export_block_cyclic(tensor, matrix, local) &
      bind(C, name="tenfold_dist_export_block_cyclic") result(code)
      import :: c_ptr, c_int32_t, c_block_cyclic
      type(c_ptr), value :: tensor, local
      type(c_block_cyclic), intent(in) :: matrix
      integer(c_int32_t) :: code
    end function c_dist_export_block_cyclic

    function c_block_cyclic_from_descriptor(descriptor, grid, matrix) &
      bind(C, name="tenfold_block_cyclic_from_descriptor") result(code)
      import :: c_int32_t, c_block_cyclic
      integer(c_int32_t), intent(in) :: descriptor(*), grid(*)
      type(c_block_cyclic), intent(out) :: matrix
      integer(c_int32_t) :: code
    end function c_block_cyclic_from_descriptor

    function c_block_cyclic_local(matrix, rows, columns) bind(C, name="tenfold_block_cyclic_local") &
      result(code)
      import :: c_int32_t, c_int64_t, c_block_cyclic
      type(c_block_cyclic), intent(in) :: matrix
      integer(c_int64_t), intent(out) :: rows, columns
      integer(c_int32_t) :: code
    end function c_block_cyclic_local
  end interface

  !> Functions of parts of worlds, pairs and tasks.
  interface
    function c_world_split(world, group, part) bind(C, name="tenfold_world_split") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), value :: group
      type(c_ptr), intent(out) :: part
      integer(c_int32_t) :: code
    end function c_world_split

    function c_world_split_by_node(world, part) bind(C, name="tenfold_world_split_by_node") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      type(c_ptr), intent(out) :: part
      integer(c_int32_t) :: code
    end function c_world_split_by_node

    function c_dist_copy_to_part(x, s) bind(C, name="tenfold_dist_copy_to_part") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: x, s
      integer(c_int32_t) :: code
    end function c_dist_copy_to_part

    function c_dist_copy_from_part(s, x) bind(C, name="tenfold_dist_copy_from_part") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: s, x
      integer(c_int32_t) :: code
    end function c_dist_copy_from_part

    function c_dist_gather_slice(tensor, offsets, to, data) bind(C, name="tenfold_dist_gather_slice") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, offsets, to, data
      integer(c_int32_t) :: code
    end function c_dist_gather_slice

    function c_dist_pack_pairs(x, mode, kind, p) bind(C, name="tenfold_dist_pack_pairs") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: x, p
      integer(c_int32_t), value :: mode, kind
      integer(c_int32_t) :: code
    end function c_dist_pack_pairs

    function c_dist_unpack_pairs(p, mode, kind, x) bind(C, name="tenfold_dist_unpack_pairs") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: p, x
      integer(c_int32_t), value :: mode, kind
      integer(c_int32_t) :: code
    end function c_dist_unpack_pairs

    function c_for_each_task(world, count, function, user, options) bind(C, name="tenfold_for_each_task") &
      result(code)
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_task_options
      type(c_ptr), value :: world, user
      integer(c_int64_t), value :: count
      type(c_funptr), value :: function
      type(c_task_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_for_each_task
  end interface
end module tenfold_dist_operation_bindings
