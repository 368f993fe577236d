! What a distributed contraction took, and what its plan says in numbers.
module tenfold_dist_reports
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_dist_plan_bindings
  implicit none
  private

  public :: dist_report, dist_plan_summary, report_of, summary_of

  !> "max" is the maximum over the ranks, the same on every rank; of more than two inputs bytes
  !> received are summed over the steps. All is 0 if the contraction failed.
  type :: dist_report
    integer :: steps = 0
    integer(int64) :: bytes_received_max = 0 !< payload of the contraction
    integer(int64) :: redistribution_max = 0 !< payload of the redistributions
    integer(int64) :: peak_bytes_max = 0 !< tensors, panels, buffers and local workspace
    integer(int64) :: workspace_max = 0 !< the part of the peak that is local workspace
    real(real64) :: seconds_max = 0 !< from agreement to the last element
    integer(int64) :: own_bytes_received = 0 !< by this rank, in the contraction
    integer(int64) :: own_redistribution = 0 !< by this rank, in redistributions
    integer :: algorithm = 0 !< of this rank's local contraction; 0: none, or several steps
  end type dist_report

  !> A plan in numbers. "Per rank" means the maximum over the ranks; bytes are payload.
  type :: dist_plan_summary
    integer :: ranks = 0
    integer :: steps = 0 !< contractions of two tensors, or sums of one
    real(real64) :: flops = 0 !< of all ranks together
    integer(int64) :: bytes_received = 0 !< per rank, by the contractions
    integer(int64) :: redistribution_bytes = 0 !< received per rank, to reach the plan's layouts
    integer(int64) :: total_received_bytes = 0 !< the sum of the two
    integer(int64) :: keeping_copies_equal_bytes = 0 !< the part of it that keeps D's copies equal
    integer(int64) :: peak_bytes = 0 !< per rank: tensors, panels, buffers and local workspace
    integer(int64) :: workspace_bytes = 0 !< the part of it that is local workspace; of one step only
    integer(int64) :: intermediate_bytes = 0 !< per rank, the most at any time
    real(real64) :: flops_at_once = 0 !< of a single loop nest over all labels, without intermediates
    ! Of plans with one step; else 0.
    integer :: grid(4) = 0 !< parts into which the batch, m, n and k labels are cut
    integer(int64) :: m = 0, n = 0, k = 0, batch = 0 !< products of extents
    integer(int64) :: bound_bytes = 0 !< what any algorithm must receive
    real(real64) :: ratio_to_bound = 0 !< of bytes_received
    real(real64) :: total_ratio_to_bound = 0 !< of total_received_bytes
    real(real64) :: flops_per_rank = 0 !< of the rank with the largest block
    integer(int64) :: memory_independent_bound_bytes = 0 !< the larger of the two is bound_bytes
    integer(int64) :: memory_dependent_bound_bytes = 0
    integer(int64) :: parts(4) = 0 !< of the largest block, one after the other, along each kind of label
    integer(int64) :: leaves = 0 !< of the tree that adds a reproducible result; 0: not reproducible
    integer(int64) :: panel_bytes = 0 !< per rank: panels of A and B of one part
    integer(int64) :: beside_bytes = 0 !< per rank: tensors that exist meanwhile; of a step only
    !> What the ranks of the busiest node receive from other nodes, a part of their bytes_received.
    integer(int64) :: between_nodes_bytes = 0
    integer :: ranks_per_node = 0 !< 0: all ranks are on one node
    integer :: nodes = 0 !< that the plan knows of
  end type dist_plan_summary

contains

  pure function report_of(own) result(report)
    type(c_dist_report), intent(in) :: own
    type(dist_report) :: report
    report%steps = int(own%step_count)
    report%bytes_received_max = own%bytes_received_max
    report%redistribution_max = own%redistribution_max
    report%peak_bytes_max = own%peak_bytes_max
    report%workspace_max = own%workspace_max
    report%seconds_max = own%seconds_max
    report%own_bytes_received = own%own_bytes_received
    report%own_redistribution = own%own_redistribution
    report%algorithm = int(own%algorithm)
  end function report_of

  pure function summary_of(own) result(summary)
    type(c_dist_summary), intent(in) :: own
    type(dist_plan_summary) :: summary
    summary%ranks = int(own%ranks)
    summary%steps = int(own%step_count)
    summary%flops = own%flops
    summary%bytes_received = own%bytes_received
    summary%redistribution_bytes = own%redistribution_bytes
    summary%total_received_bytes = own%total_received_bytes
    summary%keeping_copies_equal_bytes = own%keeping_copies_equal_bytes
    summary%peak_bytes = own%peak_bytes
    summary%workspace_bytes = own%workspace_bytes
    summary%intermediate_bytes = own%intermediate_bytes
    summary%grid = int(own%grid)
    summary%m = own%m
    summary%n = own%n
    summary%k = own%k
    summary%batch = own%batch
    summary%bound_bytes = own%bound_bytes
    summary%ratio_to_bound = own%ratio_to_bound
    summary%total_ratio_to_bound = own%total_ratio_to_bound
    summary%flops_at_once = own%flops_at_once
    summary%flops_per_rank = own%flops_per_rank
    summary%memory_independent_bound_bytes = own%memory_independent_bound_bytes
    summary%memory_dependent_bound_bytes = own%memory_dependent_bound_bytes
    summary%parts = own%steps
    summary%leaves = own%leaves
    summary%panel_bytes = own%panel_bytes
    summary%beside_bytes = own%beside_bytes
    summary%between_nodes_bytes = own%between_nodes_bytes
    summary%ranks_per_node = int(own%ranks_per_node)
    summary%nodes = int(own%nodes)
  end function summary_of
end module tenfold_dist_reports
