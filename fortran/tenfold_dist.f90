! Tenfold for Fortran: tensors on many ranks. docs/fortran.md introduces it.
!
! All ranks call every procedure that is marked "collective", in the same order. What is wrong on one
! rank fails the call on all of them, with the same stat= and errmsg=; without stat= all ranks end by
! error stop. Positions of elements begin at 1, ranks at 0.
module tenfold_dist
  use tenfold_dist_blocks
  use tenfold_dist_boxes
  use tenfold_dist_combinations
  use tenfold_dist_contractions
  use tenfold_dist_distributions, only: tensor_distribution
  use tenfold_dist_element_lists
  use tenfold_dist_files
  use tenfold_dist_fillings, only: element_function
  use tenfold_dist_futures
  use tenfold_dist_largest_elements
  use tenfold_dist_layouts
  use tenfold_dist_maps
  use tenfold_dist_operations
  use tenfold_dist_options
  use tenfold_dist_parts
  use tenfold_dist_plans
  use tenfold_dist_records
  use tenfold_dist_reports, only: dist_report, dist_plan_summary
  use tenfold_dist_tasks
  use tenfold_dist_tensors
  use tenfold_dist_traces
  use tenfold_dist_worlds
  implicit none
  private

  public :: tenfold_world, dist_tensor, element_function, dot, tensor_distribution
  public :: dist_local, dist_local_to_write
  public :: dist_copy, dist_axpy, dist_scale, dist_fill_uniform, dist_fill_normal
  public :: dist_combine, dist_term, dist_transpose, dist_slice
  public :: dist_sum, dist_item, dist_norm1, dist_norm_max, dist_minimum, dist_maximum
  public :: dist_map, map_function, dist_largest, position_filter
  public :: dist_copy_to_part, dist_copy_from_part, dist_pack_pairs, dist_unpack_pairs
  public :: dist_for_each_task, task_procedure
  public :: dist_read_elements, dist_write_elements, dist_add_elements
  public :: dist_import_boxes, dist_export_boxes, dist_box
  public :: dist_import_block_cyclic, dist_export_block_cyclic, block_cyclic
  public :: dist_contract, dist_contract_many, dist_input, dist_options, dist_report
  public :: dist_contract_recorded, dist_record
  public :: dist_copy_async, dist_contract_async, dist_future
  public :: dist_plan, dist_plan_step, dist_plan_summary, dist_explain, dist_json, dist_summary
  public :: planned_layouts, layouts_summary, dist_trace, trace_totals
  public :: dist_save, dist_load, dist_save_hdf5, dist_load_hdf5, named_tensor
end module tenfold_dist
