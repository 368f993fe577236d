! The particle-particle ladder of coupled cluster, and the MP2 energy, of made-up integrals: what a
! program of quantum chemistry in Fortran does with its arrays. Both are checked against plain loops.
program ladder
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use tenfold
  implicit none

  integer, parameter :: dp = real64
  integer, parameter :: occupied = 6, virtual = 14, orbitals = occupied + virtual
  real(dp) :: g(orbitals, orbitals, orbitals, orbitals) ! <pq|rs>
  real(dp) :: energy(orbitals)
  real(dp), allocatable :: t(:, :, :, :), r(:, :, :, :)
  real(dp) :: direct, exchange, difference
  integer :: o, v ! where virtual orbitals begin, and the last one
  type(contraction_plan) :: plan
  character(200) :: message
  integer :: code

  o = occupied + 1
  v = orbitals
  call make_integrals()
  allocate (t(virtual, virtual, occupied, occupied), r(virtual, virtual, occupied, occupied))
  call make_amplitudes()

  ! MP2: the integrals <ab|ij> are a section of g, which is not copied.
  call contract("=abij*abij", t, g(o:v, o:v, :occupied, :occupied), direct)
  call contract("=abij*baij", t, g(o:v, o:v, :occupied, :occupied), exchange)
  print '(a,f16.10)', 'MP2 energy ', 2 * direct - exchange

  ! R(a,b,i,j) = sum over e, f of <ab|ef> T(e,f,i,j), by a plan, as iterations would use it.
  call plan%create("abij=abef*efij", g(o:v, o:v, o:v, o:v), t, r)
  print '(a)', plan%explain()
  call plan%execute(g(o:v, o:v, o:v, o:v), t, r)
  call plan%destroy()

  difference = max(abs(2 * direct - exchange - plain_energy()), maxval(abs(r - plain_ladder())))
  if (.not. difference < 1e-12_dp) then
    write (error_unit, '(a,es10.2)') 'the results differ from plain loops by ', difference
    error stop 1
  end if
  print '(a,es9.2)', 'checked against plain loops, largest difference', difference

  ! Without stat= an error would end the program here.
  call contract("abij=abef*efij", g(o:v, o:v, o:v, :), t, r, stat=code, errmsg=message)
  if (code /= tenfold_extent_mismatch) error stop 'the extents of f differ'
  print '(a)', trim(message)

contains

  !> Smooth numbers with the symmetry of integrals over real orbitals.
  subroutine make_integrals()
    integer :: p, q, r, s
    do s = 1, orbitals
      do r = 1, orbitals
        do q = 1, orbitals
          do p = 1, orbitals
            g(p, q, r, s) = 0.1_dp / (1 + abs(p - r)) / (1 + abs(q - s)) / (1 + abs(p + r - q - s))
          end do
        end do
      end do
    end do
    do p = 1, orbitals
      energy(p) = merge(-2.0_dp, 0.5_dp, p <= occupied) + 0.1_dp * p
    end do
  end subroutine make_integrals

  subroutine make_amplitudes()
    integer :: a, b, i, j
    do j = 1, occupied
      do i = 1, occupied
        do b = 1, virtual
          do a = 1, virtual
            t(a, b, i, j) = g(a + occupied, b + occupied, i, j) / &
              (energy(i) + energy(j) - energy(a + occupied) - energy(b + occupied))
          end do
        end do
      end do
    end do
  end subroutine make_amplitudes

  real(dp) function plain_energy()
    integer :: a, b, i, j
    plain_energy = 0
    do j = 1, occupied
      do i = 1, occupied
        do b = 1, virtual
          do a = 1, virtual
            plain_energy = plain_energy + t(a, b, i, j) * &
              (2 * g(a + occupied, b + occupied, i, j) - g(b + occupied, a + occupied, i, j))
          end do
        end do
      end do
    end do
  end function plain_energy

  function plain_ladder() result(sums)
    real(dp) :: sums(virtual, virtual, occupied, occupied)
    integer :: a, b, i, j, e, f
    sums = 0
    do j = 1, occupied
      do i = 1, occupied
        do f = 1, virtual
          do e = 1, virtual
            do b = 1, virtual
              do a = 1, virtual
                sums(a, b, i, j) = sums(a, b, i, j) + &
                  g(a + occupied, b + occupied, e + occupied, f + occupied) * t(e, f, i, j)
              end do
            end do
          end do
        end do
      end do
    end do
  end function plain_ladder
end program ladder
