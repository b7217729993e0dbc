! The loops of f-do-concurrent.
module himeno_concurrent
  use, intrinsic :: iso_c_binding
  use himeno_abi
  implicit none
contains

  ! Computes wrk2 from p; returns gosa. 56 bytes per point.
  real(c_double) function step(r, p, wrk2, a, b, c, wrk1, bnd) result(gosa)
    type(request), intent(in) :: r
    real(c_float), dimension(r%k, r%j, r%i) :: p, wrk2, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    real(c_double) :: of_rows(r%j, r%i)  ! `reduce` needs Fortran 2023
    integer :: i, j
    do concurrent (i = 2:int(r%i) - 1, j = 2:int(r%j) - 1)
      call step_of_row(r, i, j, p, wrk2, a, b, c, wrk1, bnd, of_rows(j, i))
    end do
    gosa = sum(of_rows(2:r%j - 1, 2:r%i - 1))
  end function

  ! The points of one row, and their part of gosa.
  pure subroutine step_of_row(r, i, j, p, wrk2, a, b, c, wrk1, bnd, gosa)
    type(request), intent(in) :: r
    integer, intent(in) :: i, j
    real(c_float), dimension(r%k, r%j, r%i), intent(in) :: p, wrk1, bnd
    real(c_float), intent(inout) :: wrk2(r%k, r%j, r%i)
    real(c_float), intent(in) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    real(c_double), intent(out) :: gosa
    integer :: k
    real(c_float) :: s0, ss
    gosa = 0
    do k = 2, int(r%k) - 1
      s0 = a(k, j, i, 1) * p(k, j, i + 1) + a(k, j, i, 2) * p(k, j + 1, i) &
         + a(k, j, i, 3) * p(k + 1, j, i) &
         + b(k, j, i, 1) * (p(k, j + 1, i + 1) - p(k, j - 1, i + 1) &
                          - p(k, j + 1, i - 1) + p(k, j - 1, i - 1)) &
         + b(k, j, i, 2) * (p(k + 1, j + 1, i) - p(k + 1, j - 1, i) &
                          - p(k - 1, j + 1, i) + p(k - 1, j - 1, i)) &
         + b(k, j, i, 3) * (p(k + 1, j, i + 1) - p(k + 1, j, i - 1) &
                          - p(k - 1, j, i + 1) + p(k - 1, j, i - 1)) &
         + c(k, j, i, 1) * p(k, j, i - 1) + c(k, j, i, 2) * p(k, j - 1, i) &
         + c(k, j, i, 3) * p(k - 1, j, i) + wrk1(k, j, i)
      ss = (s0 * a(k, j, i, 4) - p(k, j, i)) * bnd(k, j, i)
      gosa = gosa + real(ss * ss, c_double)
      wrk2(k, j, i) = p(k, j, i) + 0.8_c_float * ss
    end do
  end subroutine

  ! p = wrk2 in the interior. 8 bytes per point.
  subroutine update(r, p, wrk2)
    type(request), intent(in) :: r
    real(c_float), dimension(r%k, r%j, r%i) :: p, wrk2
    integer :: i, j, k
    do concurrent (i = 2:int(r%i) - 1, j = 2:int(r%j) - 1, k = 2:int(r%k) - 1)
      p(k, j, i) = wrk2(k, j, i)
    end do
  end subroutine

end module
