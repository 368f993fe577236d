! Interfaces to the functions of tenfold/tenfold_dist.h that the module tenfold_dist uses, and its
! structs.
module tenfold_dist_bindings
  use, intrinsic :: iso_c_binding
  use tenfold_bindings, only: c_tensor
  implicit none
  public

  type, bind(C) :: c_dist_input
    type(c_ptr) :: tensor = c_null_ptr
    integer(c_int32_t) :: conjugated = 0
  end type c_dist_input

  type, bind(C) :: c_dist_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: alpha = c_null_ptr
    type(c_ptr) :: beta = c_null_ptr
    integer(c_int32_t) :: diagonal_output = 0
    integer(c_int32_t) :: algorithm = 0
    integer(c_int32_t) :: tuning = 0
    integer(c_int32_t) :: backend = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: reproducible = 0
    integer(c_int64_t) :: workspace_limit = 0
    integer(c_int64_t) :: memory_per_rank = 0
    integer(c_int32_t) :: grid(4) = 0 !< of batch, m, n and k
    integer(c_int64_t) :: step(4) = 0
    type(c_ptr) :: context = c_null_ptr
    type(c_ptr) :: control = c_null_ptr
    type(c_ptr) :: epilogue = c_null_ptr
    type(c_ptr) :: conjugated = c_null_ptr
    integer(c_int32_t) :: ranks_per_node = 0
  end type c_dist_options

  type, bind(C) :: c_dist_part
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: type = -1
    integer(c_int32_t) :: order = 0
    type(c_ptr) :: tensor_extents = c_null_ptr
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: extents = c_null_ptr
    integer(c_int64_t) :: elements = 0
    type(c_ptr) :: data = c_null_ptr
  end type c_dist_part

  type, bind(C) :: c_named_tensor
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: tensor = c_null_ptr
  end type c_named_tensor

  type, bind(C) :: c_named_extents
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: extents = c_null_ptr
    integer(c_int32_t) :: order = 0
  end type c_named_extents

  type, bind(C) :: c_shared_contractions
    integer(c_size_t) :: size = 0
    type(c_ptr) :: expressions = c_null_ptr
    integer(c_int32_t) :: expression_count = 0
    integer(c_int32_t) :: tensor_count = 0
    type(c_ptr) :: tensors = c_null_ptr
    integer(c_int32_t) :: type = -1
    integer(c_int32_t) :: ranks = 0
    integer(c_int32_t) :: copies = 0
    integer(c_int64_t) :: memory_per_rank = 0
    type(c_ptr) :: times = c_null_ptr
  end type c_shared_contractions

  type, bind(C) :: c_layouts_summary
    integer(c_size_t) :: size = 0
    real(c_double) :: seconds = 0
    real(c_double) :: default_seconds = 0
    integer(c_int64_t) :: bytes_received = 0
    integer(c_int64_t) :: default_bytes_received = 0
    integer(c_int64_t) :: memory = 0
    integer(c_int64_t) :: default_memory = 0
  end type c_layouts_summary

  type, bind(C) :: c_trace_totals
    integer(c_size_t) :: size = 0
    real(c_double) :: calls = 0, compute = 0, pack = 0, communication = 0, idle = 0, plan = 0
    real(c_double) :: under_way = 0, exposed = 0, overlap = 0
  end type c_trace_totals

  interface
    function c_world_create(comm, context, world) bind(C, name="tenfold_world_create_with_f") &
      result(code)
      import :: c_ptr, c_int, c_int32_t
      integer(c_int), value :: comm
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: world
      integer(c_int32_t) :: code
    end function c_world_create

    subroutine c_world_destroy(world) bind(C, name="tenfold_world_destroy")
      import :: c_ptr
      type(c_ptr), value :: world
    end subroutine c_world_destroy

    function c_world_rank(world, rank) bind(C, name="tenfold_world_rank") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), intent(out) :: rank
      integer(c_int32_t) :: code
    end function c_world_rank

    function c_world_size(world, size) bind(C, name="tenfold_world_size") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function c_world_size

    function c_world_threads(world, threads) bind(C, name="tenfold_world_threads") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), intent(out) :: threads
      integer(c_int32_t) :: code
    end function c_world_threads

    function c_world_ranks_per_node(world, ranks) bind(C, name="tenfold_world_ranks_per_node") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), intent(out) :: ranks
      integer(c_int32_t) :: code
    end function c_world_ranks_per_node

    function c_world_agree(world, code, message) bind(C, name="tenfold_world_agree") result(agreed)
      import :: c_ptr, c_char, c_int32_t
      type(c_ptr), value :: world
      integer(c_int32_t), value :: code
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int32_t) :: agreed
    end function c_world_agree

    function c_dist_world(tensor, world) bind(C, name="tenfold_dist_world") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor
      type(c_ptr), intent(out) :: world
      integer(c_int32_t) :: code
    end function c_dist_world

    subroutine c_distribution_destroy(distribution) bind(C, name="tenfold_distribution_destroy")
      import :: c_ptr
      type(c_ptr), value :: distribution
    end subroutine c_distribution_destroy

    function c_dist_create(world, type, order, extents, distribution, tensor) &
      bind(C, name="tenfold_dist_create") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: world, distribution
      integer(c_int32_t), value :: type, order
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: tensor
      integer(c_int32_t) :: code
    end function c_dist_create

    subroutine c_dist_destroy(tensor) bind(C, name="tenfold_dist_destroy")
      import :: c_ptr
      type(c_ptr), value :: tensor
    end subroutine c_dist_destroy

    function c_dist_local(tensor, part) bind(C, name="tenfold_dist_local") result(code)
      import :: c_ptr, c_int32_t, c_dist_part
      type(c_ptr), value :: tensor
      type(c_dist_part), intent(inout) :: part
      integer(c_int32_t) :: code
    end function c_dist_local

    function c_dist_distribution(tensor, distribution) bind(C, name="tenfold_dist_distribution") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_dist_distribution

    function c_dist_fill(tensor, value) bind(C, name="tenfold_dist_fill") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: tensor
      complex(c_double_complex), intent(in) :: value
      integer(c_int32_t) :: code
    end function c_dist_fill

    function c_dist_fill_by(tensor, function, user) bind(C, name="tenfold_dist_fill_by") result(code)
      import :: c_ptr, c_funptr, c_int32_t
      type(c_ptr), value :: tensor, user
      type(c_funptr), value :: function
      integer(c_int32_t) :: code
    end function c_dist_fill_by

    function c_dist_read(tensor, offsets, to, data) bind(C, name="tenfold_dist_read") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, offsets, to, data
      integer(c_int32_t) :: code
    end function c_dist_read

    function c_dist_write(tensor, offsets, from, data) bind(C, name="tenfold_dist_write") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, offsets, from, data
      integer(c_int32_t) :: code
    end function c_dist_write

    function c_dist_gather(tensor, root, to, data) bind(C, name="tenfold_dist_gather") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, to, data
      integer(c_int32_t), value :: root
      integer(c_int32_t) :: code
    end function c_dist_gather

    function c_dist_scatter(tensor, root, from, data) bind(C, name="tenfold_dist_scatter") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, from, data
      integer(c_int32_t), value :: root
      integer(c_int32_t) :: code
    end function c_dist_scatter

    function c_dist_redistribute(tensor, distribution, made) &
      bind(C, name="tenfold_dist_redistribute") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor, distribution
      type(c_ptr), intent(out) :: made
      integer(c_int32_t) :: code
    end function c_dist_redistribute

    function c_dist_norm(tensor, norm) bind(C, name="tenfold_dist_norm") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor
      real(c_double), intent(out) :: norm
      integer(c_int32_t) :: code
    end function c_dist_norm

    function c_dist_dot(a, b, dot) bind(C, name="tenfold_dist_dot") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: a, b
      complex(c_double_complex), intent(out) :: dot
      integer(c_int32_t) :: code
    end function c_dist_dot

    function c_dist_contract(expression, inputs, input_count, d, options, report) &
      bind(C, name="tenfold_dist_contract") result(code)
      import :: c_ptr, c_int32_t, c_char, c_dist_input, c_dist_options
      type(c_ptr), value :: expression, d, options, report
      type(c_dist_input), intent(in) :: inputs(*)
      integer(c_int32_t), value :: input_count
      integer(c_int32_t) :: code
    end function c_dist_contract
  end interface

  !> Functions of layouts that contractions share, and of traces.
  interface
    function c_plan_layouts(contractions, options, layouts) bind(C, name="tenfold_plan_layouts") &
      result(code)
      import :: c_ptr, c_int32_t, c_shared_contractions, c_dist_options
      type(c_shared_contractions), intent(in) :: contractions
      type(c_dist_options), intent(in) :: options
      type(c_ptr), intent(out) :: layouts
      integer(c_int32_t) :: code
    end function c_plan_layouts

    subroutine c_layouts_destroy(layouts) bind(C, name="tenfold_planned_layouts_destroy")
      import :: c_ptr
      type(c_ptr), value :: layouts
    end subroutine c_layouts_destroy

    function c_layouts_of(layouts, name, distribution) &
      bind(C, name="tenfold_planned_layouts_of") result(code)
      import :: c_ptr, c_int32_t, c_char
      type(c_ptr), value :: layouts
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_layouts_of

    function c_layouts_summarise(layouts, summary) &
      bind(C, name="tenfold_planned_layouts_summarise") result(code)
      import :: c_ptr, c_int32_t, c_layouts_summary
      type(c_ptr), value :: layouts
      type(c_layouts_summary), intent(inout) :: summary
      integer(c_int32_t) :: code
    end function c_layouts_summarise

    function c_trace_create(world, trace) bind(C, name="tenfold_dist_trace_create") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: world
      type(c_ptr), intent(out) :: trace
      integer(c_int32_t) :: code
    end function c_trace_create

    subroutine c_trace_destroy(trace) bind(C, name="tenfold_dist_trace_destroy")
      import :: c_ptr
      type(c_ptr), value :: trace
    end subroutine c_trace_destroy

    function c_trace_get_totals(trace, totals) bind(C, name="tenfold_dist_trace_totals") &
      result(code)
      import :: c_ptr, c_int32_t, c_trace_totals
      type(c_ptr), value :: trace
      type(c_trace_totals), intent(inout) :: totals
      integer(c_int32_t) :: code
    end function c_trace_get_totals

    function c_trace_reset(trace) bind(C, name="tenfold_dist_trace_reset") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: trace
      integer(c_int32_t) :: code
    end function c_trace_reset

    function c_trace_write(trace, file) bind(C, name="tenfold_dist_trace_write") result(code)
      import :: c_ptr, c_int32_t, c_char
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int32_t) :: code
    end function c_trace_write
  end interface

  !> Functions that move tensors between files and ranks.
  interface
    function c_dist_save(world, file, tensors, count, options) bind(C, name="tenfold_dist_save") &
      result(code)
      import :: c_ptr, c_int32_t, c_char, c_named_tensor
      type(c_ptr), value :: world, options
      character(kind=c_char), intent(in) :: file(*)
      type(c_named_tensor), intent(in) :: tensors(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_save

    function c_dist_load(world, file, tensors, count, options) bind(C, name="tenfold_dist_load") &
      result(code)
      import :: c_ptr, c_int32_t, c_char, c_named_tensor
      type(c_ptr), value :: world, options
      character(kind=c_char), intent(in) :: file(*)
      type(c_named_tensor), intent(in) :: tensors(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_load

    function c_dist_save_npy(file, tensor, options) bind(C, name="tenfold_dist_save_npy") result(code)
      import :: c_ptr, c_int32_t, c_char
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), value :: tensor, options
      integer(c_int32_t) :: code
    end function c_dist_save_npy

    function c_dist_load_npy(file, tensor, options) bind(C, name="tenfold_dist_load_npy") result(code)
      import :: c_ptr, c_int32_t, c_char
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), value :: tensor, options
      integer(c_int32_t) :: code
    end function c_dist_load_npy

    function c_dist_save_hdf5(world, file, tensors, count, options) &
      bind(C, name="tenfold_dist_save_hdf5") result(code)
      import :: c_ptr, c_int32_t, c_char, c_named_tensor
      type(c_ptr), value :: world, options
      character(kind=c_char), intent(in) :: file(*)
      type(c_named_tensor), intent(in) :: tensors(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_save_hdf5

    function c_dist_load_hdf5(world, file, tensors, count, options) &
      bind(C, name="tenfold_dist_load_hdf5") result(code)
      import :: c_ptr, c_int32_t, c_char, c_named_tensor
      type(c_ptr), value :: world, options
      character(kind=c_char), intent(in) :: file(*)
      type(c_named_tensor), intent(in) :: tensors(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function c_dist_load_hdf5
  end interface
end module tenfold_dist_bindings
