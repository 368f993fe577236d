! Tests that sections are used where they lie: with steps, negative steps, of pointers and dummies.
module section_tests
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_section_tests

contains

  subroutine run_section_tests()
    call negative_steps()
    call outputs_with_gaps()
    call dummies()
    call pointers()
    call temporaries()
    call many_modes()
    call scalars_and_empty_arrays()
  end subroutine run_section_tests

  !> A matrix with numbers that differ by position and salt.
  function matrix(rows, columns, salt) result(a)
    integer, intent(in) :: rows, columns, salt
    real(real64) :: a(rows, columns)
    integer :: i, j
    a = reshape([((number_at(i, j, salt), i=1, rows), j=1, columns)], [rows, columns])
  end function matrix

  subroutine negative_steps()
    real(real64) :: a(6, 9), b(10, 4), d(3, 4), expected(3, 4)
    a = matrix(6, 9, 1)
    b = matrix(10, 4, 2)
    call contract("mn=mk*kn", a(6:1:-2, 9:1:-2), b(1:10:2, :), d)
    expected = matmul(a(6:1:-2, 9:1:-2), b(1:10:2, :))
    call check(all(d == expected), 'sections of inputs with negative steps')
    call contract("mn=mk*kn", a(6:1:-2, 1:9:2), b(9:1:-2, 4:1:-1), d)
    expected = matmul(a(6:1:-2, 1:9:2), b(9:1:-2, 4:1:-1))
    call check(all(d == expected), 'sections of both inputs with negative steps')
  end subroutine negative_steps

  subroutine outputs_with_gaps()
    real(real64) :: a(3, 5), b(5, 4), large(8, 9), expected(8, 9)
    a = matrix(3, 5, 1)
    b = matrix(5, 4, 2)
    large = matrix(8, 9, 3)
    expected = large
    expected(7:2:-2, 8:2:-2) = 2 * matmul(a, b) - expected(7:2:-2, 8:2:-2)
    call contract("mn=mk*kn", a, b, large(7:2:-2, 8:2:-2), alpha=2, beta=-1)
    call check(all(large == expected), 'an output with gaps and negative steps')
    call contract("nm+=mk*kn", a, b, large(1:4, 1:3))
    expected(1:4, 1:3) = expected(1:4, 1:3) + transpose(matmul(a, b))
    call check(all(large == expected), 'an update of a corner')
    call transpose_tensor("ba=ab", large(2:4, 9:6:-1), large(5:8, 1:3))
    expected(5:8, 1:3) = transpose(expected(2:4, 9:6:-1))
    call check(all(large == expected), 'a transposition between sections of one array')
  end subroutine outputs_with_gaps

  subroutine dummies()
    real(real64) :: a(6, 5), b(5, 4), d(3, 4)
    a = matrix(6, 5, 1)
    b = matrix(5, 4, 2)
    call assumed_shape(a(1::2, :), b, d)
    call check(all(d == matmul(a(1::2, :), b)), 'assumed-shape dummies')
    call explicit_shape(3, a, b, d)
    call check(all(d == matmul(a(1:3, :), b)), 'explicit-shape and assumed-size dummies')
  end subroutine dummies

  subroutine assumed_shape(a, b, d)
    real(real64), intent(in) :: a(:, :), b(:, :)
    real(real64), intent(inout) :: d(0:, -3:)
    call contract("mn=mk*kn", a, b, d)
  end subroutine assumed_shape

  subroutine explicit_shape(m, a, b, d)
    integer, intent(in) :: m
    real(real64), intent(in) :: a(6, *), b(5, 4)
    real(real64), intent(inout) :: d(m, 4)
    call contract("mn=mk*kn", a(1:m, 1:5), b, d)
  end subroutine explicit_shape

  !> Pointers to sections, to components of an array of a derived type, and to parts of complex
  !> numbers: the strides are those of the pointer.
  subroutine pointers()
    type :: particle
      real(real64) :: position(3)
      real(real64) :: charge
    end type particle
    type(particle), target :: particles(5)
    complex(real64), target :: z(5)
    real(real64), target :: a(5, 6)
    real(real64), pointer :: row(:), charges(:), imaginary(:)
    real(real64) :: dot
    integer :: i
    a = matrix(5, 6, 1)
    row => a(2, 6:2:-1)
    do i = 1, 5
      particles(i)%position = -1
      particles(i)%charge = number_at(i, 1, 2)
      z(i) = cmplx(-7, number_at(i, 1, 3), real64)
    end do
    charges => particles%charge
    imaginary => z%im
    call contract("=a*a", row, charges, dot)
    call check(dot == dot_product(a(2, 6:2:-1), particles%charge), 'a pointer to components')
    call contract("=a*a", imaginary, charges, dot)
    call check(dot == dot_product(z%im, particles%charge), 'a pointer to imaginary parts')
    call contract("a,->a", imaginary, 3.0_real64, charges)
    call check(all(particles%charge == 3 * z%im), 'an output in components')
    call check(all([(particles(i)%position == -1, i=1, 5)]), 'nothing beside it was written')
  end subroutine pointers

  !> Vector subscripts and expressions, of which the compiler makes arrays.
  subroutine temporaries()
    real(real64) :: a(6, 5), b(5, 4), d(3, 4)
    a = matrix(6, 5, 1)
    b = matrix(5, 4, 2)
    call contract("mn=mk*kn", a([5, 1, 4], :), 2 * b, d)
    call check(all(d == matmul(a([5, 1, 4], :), 2 * b)), 'vector subscripts and expressions')
  end subroutine temporaries

  !> Four modes, all sections, against plain loops.
  subroutine many_modes()
    real(real64) :: v(4, 3, 5, 6), t(6, 5, 4, 2), r(4, 3, 2, 4), sum
    integer :: a, b, i, j, e, f
    v = reshape([(real(mod(i * 5, 9) - 4, real64), i=1, size(v))], shape(v))
    t = reshape([(real(mod(i * 7, 11) - 5, real64), i=1, size(t))], shape(t))
    r = 77
    call contract("abij=abef*feji", v(:, :, :, 6:1:-1), t(:, 5:1:-1, 1::2, :), r(:, 3:1:-1, :, 1::2))
    do j = 1, 2
      do i = 1, 2
        do b = 1, 3
          do a = 1, 4
            sum = 0
            do f = 1, 6
              do e = 1, 5
                sum = sum + v(a, b, e, 7 - f) * t(f, 6 - e, 2 * j - 1, i)
              end do
            end do
            call check(r(a, 4 - b, i, 2 * j - 1) == sum, 'an element of four modes')
          end do
        end do
      end do
    end do
    call check(all(r(:, :, :, 2::2) == 77), 'nothing between was written')
  end subroutine many_modes

  subroutine scalars_and_empty_arrays()
    real(real64) :: a(3), d(3), nothing(0), x
    a = [1, 2, 3]
    call contract("a,->a", a, 2.0_real64, d)
    call check(all(d == 2 * a), 'a scalar as an input')
    x = 99
    call contract("=a*a", nothing, nothing, x)
    call check(x == 0, 'an empty sum')
    call contract("a,->a", a(2:1), 2.0_real64, d(3:2))
    call check(all(d == 2 * a), 'empty sections')
  end subroutine scalars_and_empty_arrays
end module section_tests
