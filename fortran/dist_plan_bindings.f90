! Interfaces to the functions of tenfold/tenfold_dist.h for distributions, copies, records and plans,
! and their structs.
module tenfold_dist_plan_bindings
  use, intrinsic :: iso_c_binding
  use tenfold_dist_bindings, only: c_dist_input, c_dist_options, c_dist_part
  implicit none
  public

  type, bind(C) :: c_distribution_parts
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: order = 0
    integer(c_int32_t) :: ranks = 0
    integer(c_int32_t) :: cells = 0
    type(c_ptr) :: extents = c_null_ptr
    type(c_ptr) :: grid = c_null_ptr
    type(c_ptr) :: rank_of_cell = c_null_ptr
    integer(c_int32_t) :: copies = 0
  end type c_distribution_parts

  type, bind(C) :: c_dist_report
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: step_count = 0
    integer(c_int64_t) :: bytes_received_max = 0
    integer(c_int64_t) :: redistribution_max = 0
    integer(c_int64_t) :: peak_bytes_max = 0
    real(c_double) :: seconds_max = 0
    integer(c_int64_t) :: workspace_max = 0
    integer(c_int64_t) :: own_bytes_received = 0
    integer(c_int64_t) :: own_redistribution = 0
    integer(c_int32_t) :: algorithm = 0
  end type c_dist_report

  type, bind(C) :: c_dist_summary
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: ranks = 0
    integer(c_int32_t) :: step_count = 0
    real(c_double) :: flops = 0
    integer(c_int64_t) :: bytes_received = 0
    integer(c_int64_t) :: redistribution_bytes = 0
    integer(c_int64_t) :: peak_bytes = 0
    integer(c_int64_t) :: intermediate_bytes = 0
    integer(c_int32_t) :: grid(4) = 0 !< of batch, m, n and k
    integer(c_int64_t) :: m = 0, n = 0, k = 0, batch = 0
    integer(c_int64_t) :: bound_bytes = 0
    real(c_double) :: ratio_to_bound = 0
    integer(c_int64_t) :: workspace_bytes = 0
    real(c_double) :: flops_at_once = 0
    integer(c_int64_t) :: total_received_bytes = 0
    real(c_double) :: total_ratio_to_bound = 0
    real(c_double) :: flops_per_rank = 0
    integer(c_int64_t) :: memory_independent_bound_bytes = 0
    integer(c_int64_t) :: memory_dependent_bound_bytes = 0
    integer(c_int64_t) :: steps(4) = 0 !< of batch, m, n and k
    integer(c_int64_t) :: leaves = 0
    integer(c_int64_t) :: panel_bytes = 0
    integer(c_int64_t) :: keeping_copies_equal_bytes = 0
    integer(c_int64_t) :: beside_bytes = 0
    integer(c_int64_t) :: between_nodes_bytes = 0
    integer(c_int32_t) :: ranks_per_node = 0
    integer(c_int32_t) :: nodes = 0
  end type c_dist_summary

  interface
    function c_distribution_create_replicated(order, extents, ranks, copies, distribution) &
      bind(C, name="tenfold_distribution_create_replicated") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      integer(c_int32_t), value :: order, ranks, copies
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_distribution_create_replicated

    function c_distribution_create_from_parts(parts, distribution) &
      bind(C, name="tenfold_distribution_create_from_parts") result(code)
      import :: c_ptr, c_int32_t, c_distribution_parts
      type(c_distribution_parts), intent(in) :: parts
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_distribution_create_from_parts

    function c_distribution_describe(distribution, parts) &
      bind(C, name="tenfold_distribution_describe") result(code)
      import :: c_ptr, c_int32_t, c_distribution_parts
      type(c_ptr), value :: distribution
      type(c_distribution_parts), intent(inout) :: parts
      integer(c_int32_t) :: code
    end function c_distribution_describe

    function c_distribution_text(distribution, text) bind(C, name="tenfold_distribution_text") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: distribution
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_distribution_text

    function c_distribution_block(distribution, rank, offsets, extents, elements) &
      bind(C, name="tenfold_distribution_block") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: distribution
      integer(c_int32_t), value :: rank
      integer(c_int64_t), intent(out) :: offsets(*), extents(*), elements
      integer(c_int32_t) :: code
    end function c_distribution_block

    function c_distribution_owner(distribution, position, rank) &
      bind(C, name="tenfold_distribution_owner") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: distribution
      integer(c_int64_t), intent(in) :: position(*)
      integer(c_int32_t), intent(out) :: rank
      integer(c_int32_t) :: code
    end function c_distribution_owner

    function c_distribution_equal(one, other, equal) bind(C, name="tenfold_distribution_equal") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: one, other
      integer(c_int32_t), intent(out) :: equal
      integer(c_int32_t) :: code
    end function c_distribution_equal

    function c_dist_local_to_write(tensor, part) bind(C, name="tenfold_dist_local_to_write") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_part
      type(c_ptr), value :: tensor
      type(c_dist_part), intent(inout) :: part
      integer(c_int32_t) :: code
    end function c_dist_local_to_write

    function c_dist_refresh(tensor) bind(C, name="tenfold_dist_refresh") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: tensor
      integer(c_int32_t) :: code
    end function c_dist_refresh

    !> As c_dist_contract(), with the address of the record's handle in place of a report's.
    function c_dist_contract_recorded(expression, inputs, input_count, d, options, record) &
      bind(C, name="tenfold_dist_contract_recorded") result(code)
      import :: c_ptr, c_int32_t, c_dist_input
      type(c_ptr), value :: expression, d, options, record
      type(c_dist_input), intent(in) :: inputs(*)
      integer(c_int32_t), value :: input_count
      integer(c_int32_t) :: code
    end function c_dist_contract_recorded

    !> As c_dist_contract(), with the address of the future's handle in place of a report's.
    function c_dist_contract_async(expression, inputs, input_count, d, options, future) &
      bind(C, name="tenfold_dist_contract_async") result(code)
      import :: c_ptr, c_int32_t, c_dist_input
      type(c_ptr), value :: expression, d, options, future
      type(c_dist_input), intent(in) :: inputs(*)
      integer(c_int32_t), value :: input_count
      integer(c_int32_t) :: code
    end function c_dist_contract_async

    function c_dist_future_test(future, through) bind(C, name="tenfold_dist_future_test") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: future
      integer(c_int32_t), intent(out) :: through
      integer(c_int32_t) :: code
    end function c_dist_future_test

    function c_dist_future_wait(future) bind(C, name="tenfold_dist_future_wait") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: future
      integer(c_int32_t) :: code
    end function c_dist_future_wait

    function c_dist_future_report(future, report) bind(C, name="tenfold_dist_future_report") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_report
      type(c_ptr), value :: future
      type(c_dist_report), intent(inout) :: report
      integer(c_int32_t) :: code
    end function c_dist_future_report

    subroutine c_dist_future_destroy(future) bind(C, name="tenfold_dist_future_destroy")
      import :: c_ptr
      type(c_ptr), value :: future
    end subroutine c_dist_future_destroy

    subroutine c_dist_record_destroy(record) bind(C, name="tenfold_dist_record_destroy")
      import :: c_ptr
      type(c_ptr), value :: record
    end subroutine c_dist_record_destroy

    function c_dist_record_report(record, report) bind(C, name="tenfold_dist_record_report") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_report
      type(c_ptr), value :: record
      type(c_dist_report), intent(inout) :: report
      integer(c_int32_t) :: code
    end function c_dist_record_report

    function c_dist_record_step(record, index, report) bind(C, name="tenfold_dist_record_step") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_report
      type(c_ptr), value :: record
      integer(c_int32_t), value :: index
      type(c_dist_report), intent(inout) :: report
      integer(c_int32_t) :: code
    end function c_dist_record_step

    function c_dist_record_plan(record, plan) bind(C, name="tenfold_dist_record_plan") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: record
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: code
    end function c_dist_record_plan

    function c_dist_plan_create(expression, types, operands, operand_count, options, plan) &
      bind(C, name="tenfold_dist_plan_create_mixed") result(code)
      import :: c_ptr, c_int32_t, c_char, c_dist_options
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_int32_t), intent(in) :: types(*)
      integer(c_int32_t), value :: operand_count
      type(c_ptr), intent(in) :: operands(*)
      type(c_dist_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: code
    end function c_dist_plan_create

    subroutine c_dist_plan_destroy(plan) bind(C, name="tenfold_dist_plan_destroy")
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine c_dist_plan_destroy

    function c_dist_plan_explain(plan, text) bind(C, name="tenfold_dist_plan_explain") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_dist_plan_explain

    function c_dist_plan_json(plan, text) bind(C, name="tenfold_dist_plan_json") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_dist_plan_json

    function c_dist_plan_step(plan, index, summary, expression) bind(C, name="tenfold_dist_plan_step") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_summary
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: index
      type(c_dist_summary), intent(inout) :: summary
      type(c_ptr), intent(out) :: expression
      integer(c_int32_t) :: code
    end function c_dist_plan_step

    function c_dist_plan_step_operands(plan, index, operands, count) &
      bind(C, name="tenfold_dist_plan_step_operands") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: index
      type(c_ptr), intent(out) :: operands
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function c_dist_plan_step_operands

    function c_dist_plan_layout(plan, operand, distribution) &
      bind(C, name="tenfold_dist_plan_layout") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: operand
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_dist_plan_layout

    function c_dist_plan_step_layout(plan, index, operand, distribution) &
      bind(C, name="tenfold_dist_plan_step_layout") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: index, operand
      type(c_ptr), intent(out) :: distribution
      integer(c_int32_t) :: code
    end function c_dist_plan_step_layout

    function c_dist_plan_hash(plan, hash) bind(C, name="tenfold_dist_plan_hash") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: hash
      integer(c_int32_t) :: code
    end function c_dist_plan_hash

    function c_dist_plan_summarise(plan, summary) bind(C, name="tenfold_dist_plan_summarise") &
      result(code)
      import :: c_ptr, c_int32_t, c_dist_summary
      type(c_ptr), value :: plan
      type(c_dist_summary), intent(inout) :: summary
      integer(c_int32_t) :: code
    end function c_dist_plan_summarise
  end interface
end module tenfold_dist_plan_bindings
