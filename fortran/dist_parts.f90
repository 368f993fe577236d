! Tensors that move between a world and worlds of some of its ranks, and tensors that are stored once for
! each pair of two dimensions. All procedures are collective.
module tenfold_dist_parts
  use, intrinsic :: iso_c_binding
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_copy_to_part, dist_copy_from_part, dist_pack_pairs, dist_unpack_pairs

contains

  !> s = x, on the ranks of x's world. s is a tensor of a world of some of these ranks
  !> (tenfold_world%split), of x's shape and type; on ranks that are not in it, s was not created.
  subroutine dist_copy_to_part(x, s, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    type(dist_tensor), intent(inout) :: s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_copy_to_part(tensor_handle(x), tensor_handle(s))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_copy_to_part

  !> x = s, likewise. All ranks that pass a tensor pass the same one.
  subroutine dist_copy_from_part(s, x, stat, errmsg)
    type(dist_tensor), intent(in) :: s
    type(dist_tensor), intent(inout) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_copy_from_part(tensor_handle(s), tensor_handle(x))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_copy_from_part

  !> Computes p, in which one dimension stands for the dimensions dim and dim + 1 of x (from 1):
  !>   p(pq) = x(p, q) + x(q, p) for p >= q, so that the pair (p, p) is 2 x(p, p), or if antisymmetric
  !>   p(pq) = x(p, q) - x(q, p) for p > q
  !> in the order (1, 1) (2, 1) (2, 2) (3, 1) .., or (2, 1) (3, 1) (3, 2) .. Both are of one type, which
  !> is tenfold_f32, tenfold_f64, tenfold_c32 or tenfold_c64.
  subroutine dist_pack_pairs(x, dim, p, antisymmetric, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    integer, intent(in) :: dim
    type(dist_tensor), intent(inout) :: p
    logical, intent(in), optional :: antisymmetric
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_pack_pairs(tensor_handle(x), int(dim - 1, c_int32_t), kind_of_pairs(antisymmetric), &
                             tensor_handle(p))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_pack_pairs

  !> Adds what dist_pack_pairs() took apart, with the factor 1/2 that makes the two kinds add up to x:
  !>   x(p, q) = x(p, q) + p(pq) / 2, and x(q, p) = x(q, p) + p(pq) / 2, or - p(pq) / 2 if antisymmetric
  subroutine dist_unpack_pairs(p, dim, x, antisymmetric, stat, errmsg)
    type(dist_tensor), intent(in) :: p
    integer, intent(in) :: dim
    type(dist_tensor), intent(inout) :: x
    logical, intent(in), optional :: antisymmetric
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_unpack_pairs(tensor_handle(p), int(dim - 1, c_int32_t), kind_of_pairs(antisymmetric), &
                               tensor_handle(x))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_unpack_pairs

  !> A tenfold_pair_kind.
  function kind_of_pairs(antisymmetric) result(number)
    logical, intent(in), optional :: antisymmetric
    integer(c_int32_t) :: number
    number = 0
    if (present(antisymmetric)) number = merge(1_c_int32_t, 0_c_int32_t, antisymmetric)
  end function kind_of_pairs
end module tenfold_dist_parts
