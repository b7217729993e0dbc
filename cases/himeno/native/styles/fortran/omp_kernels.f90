! The OpenMP kernels of f-omp-target. They take arrays that are valid on the GPU. The same loops as
! omp_kernels.hpp: a team has warps, a warp the lanes of a simd loop.
module himeno_omp
  use, intrinsic :: iso_c_binding
  use omp_lib
  use himeno_abi
  use himeno_pair
  implicit none
  integer, parameter :: teams = 132, warps = 8
  integer(word) :: nothing = 0
  private :: low, high, both, load, rounded_product, residual, residual_at, gather, advance, &
    update_pairs, update_points

contains

  ! Chooses the device and makes libgomp load its code there; false if there is none.
  logical function choose_device(r, out)
    type(request), intent(in) :: r
    type(answer), intent(inout) :: out
    choose_device = r%gpu == on_host .or. r%gpu < omp_get_num_devices()
    out%no_device = merge(0, 1, choose_device)
    call omp_set_default_device(merge(omp_get_initial_device(), r%gpu, r%gpu == on_host))
  end function

  ! Whether a target region runs on the GPU: results do not show it.
  integer(c_int) function asks_where_it_runs()
    logical :: on_gpu
    on_gpu = .false.
    !$omp target map(tofrom: on_gpu)
    on_gpu = .not. omp_is_initial_device()
    !$omp end target
    asks_where_it_runs = merge(1, 0, on_gpu)
  end function

  ! Computes wrk2 from p; returns gosa. 56 bytes per point.
  real(c_double) function step(r, p, wrk2, a, b, c, wrk1, bnd)
    type(request), intent(in) :: r
    real(point), target :: p(*), wrk2(*), a(*), b(*), c(*), wrk1(*), bnd(*)
    type(shape) :: s
    s = shape_of(r)
    if (mod(s%row, 4_word) == 0) then
      step = step_of_pairs(s%row, s%plane, s%points, int(r%i), int(r%j), &
                           words(p, s%points), p, words(wrk2, s%points), words(a, 4 * s%points), &
                           words(b, 3 * s%points), words(c, 3 * s%points), words(wrk1, s%points), &
                           words(bnd, s%points))
    else
      step = step_of_points(s%row, s%plane, s%points, int(r%i), int(r%j), p, wrk2, a, b, c, &
                            wrk1, bnd)
    end if
  end function

  ! Each lane has two pairs, of both halves of a row: the compiler lets 8 warps run at once (see
  ! omp_warps.hpp), so what a lane has in flight is what hides the memory's latency.
  real(c_double) function step_of_pairs(row, plane, points, is, js, p, near, wrk2, a, b, c, wrk1, &
                                        bnd) result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: is, js
    integer(word), dimension(points / 2) :: p, wrk2, wrk1, bnd
    integer(word) :: a(2 * points), b(3 * points / 2), c(3 * points / 2)
    real(point) :: near(points)
    integer :: i, j, k, half
    integer(word) :: x, y, of_x, of_y, zero, words_of_row, words_of_plane, all
    type(surroundings) :: at_x, at_y
    real(c_double) :: part
    zero = nothing
    words_of_row = row / 2
    words_of_plane = plane / 2
    all = points / 2
    half = int(row / 4)
    gosa = 0
    !$omp target teams distribute parallel do collapse(2) num_teams(teams) thread_limit(warps) &
    !$omp& num_threads(warps) schedule(static, 1) reduction(+: gosa) map(tofrom: gosa) &
    !$omp& is_device_ptr(p, near, wrk2, a, b, c, wrk1, bnd)
    do i = 1, is - 2
      do j = 1, js - 2
        !$omp simd reduction(+: gosa) private(x, y, at_x, at_y, of_x, of_y, part)
        do k = 0, half - 1
          x = i * words_of_plane + j * words_of_row + k + 1
          y = x + half
          call gather(at_x, x, words_of_row, words_of_plane, all, p, near, a, b, c, wrk1, bnd, zero)
          call gather(at_y, y, words_of_row, words_of_plane, all, p, near, a, b, c, wrk1, bnd, zero)
          part = advance(at_x, 2 * k, words_of_row, zero, of_x)
          gosa = gosa + part + advance(at_y, 2 * (k + half), words_of_row, zero, of_y)
          wrk2(x) = of_x
          wrk2(y) = of_y
        end do
      end do
    end do
  end function

  real(c_double) function step_of_points(row, plane, points, is, js, p, wrk2, a, b, c, wrk1, bnd) &
    result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: is, js
    real(point), dimension(points) :: p, wrk2, wrk1, bnd
    real(point) :: a(4 * points), b(3 * points), c(3 * points)
    integer :: i, j, k, line
    integer(word) :: x, zero
    real(point) :: ss
    zero = nothing
    line = int(row) - 2
    gosa = 0
    !$omp target teams distribute parallel do collapse(2) num_teams(teams) thread_limit(warps) &
    !$omp& num_threads(warps) schedule(static, 1) reduction(+: gosa) map(tofrom: gosa) &
    !$omp& is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
    do i = 1, is - 2
      do j = 1, js - 2
        !$omp simd reduction(+: gosa) private(x, ss)
        do k = 0, line - 1
          x = i * plane + j * row + k + 2
          ss = residual_at(x, row, plane, points, p, a, b, c, wrk1, bnd, zero)
          gosa = gosa + real(ss * ss, c_double)
          wrk2(x) = p(x) + 0.8_point * ss
        end do
      end do
    end do
  end function

  ! p = wrk2 in the interior. 8 bytes per point. The boundary point of a pair at the end of a row is
  ! copied too: wrk2 has p's value there.
  subroutine update(r, p, wrk2)
    type(request), intent(in) :: r
    real(point), target :: p(*), wrk2(*)
    type(shape) :: s
    s = shape_of(r)
    if (s%pairs) then
      call update_pairs(s%row / 2, s%plane / 2, int(r%i), int(r%j), words(p, s%points), words(wrk2, s%points))
    else
      call update_points(s%row, s%plane, int(r%i), int(r%j), p, wrk2)
    end if
  end subroutine

  subroutine update_pairs(row, plane, is, js, p, wrk2)
    integer(word), intent(in) :: row, plane
    integer, intent(in) :: is, js
    integer(word), dimension(plane * is) :: p, wrk2
    integer(word) :: x
    integer :: i, j, k, line
    line = int(row)
    !$omp target teams distribute parallel do collapse(2) num_teams(teams) thread_limit(warps) &
    !$omp& num_threads(warps) schedule(static, 1) is_device_ptr(p, wrk2)
    do i = 1, is - 2
      do j = 1, js - 2
        !$omp simd private(x)
        do k = 0, line - 1
          x = i * plane + j * row + k + 1
          p(x) = wrk2(x)
        end do
      end do
    end do
  end subroutine

  subroutine update_points(row, plane, is, js, p, wrk2)
    integer(word), intent(in) :: row, plane
    integer, intent(in) :: is, js
    real(point), dimension(plane * is) :: p, wrk2
    integer(word) :: x
    integer :: i, j, k, line
    line = int(row) - 2
    !$omp target teams distribute parallel do collapse(2) num_teams(teams) thread_limit(warps) &
    !$omp& num_threads(warps) schedule(static, 1) is_device_ptr(p, wrk2)
    do i = 1, is - 2
      do j = 1, js - 2
        !$omp simd private(x)
        do k = 0, line - 1
          x = i * plane + j * row + k + 2
          p(x) = wrk2(x)
        end do
      end do
    end do
  end subroutine

  ! Copies the two planes of axes j and k that lie `depth` inside the grid to arrays where they are
  ! contiguous. An axis that is not split has none.
  subroutine pack_faces(r, p, of_j, of_k, depth, on_gpu)
    type(request), intent(in) :: r
    real(point) :: p(r%k, r%j, r%i), of_j(r%k, r%i, 2), of_k(r%j, r%i, 2)
    integer, intent(in) :: depth
    logical, intent(in) :: on_gpu
    integer :: i, j, k, first, last
    if (r%split_j > 1) then
      first = 1 + depth
      last = int(r%j) - depth
      !$omp target teams distribute parallel do simd collapse(2) if(target: on_gpu) is_device_ptr(p, of_j)
      do i = 1, int(r%i)
        do k = 1, int(r%k)
          of_j(k, i, 1) = p(k, first, i)
          of_j(k, i, 2) = p(k, last, i)
        end do
      end do
    end if
    if (r%split_k > 1) then
      first = 1 + depth
      last = int(r%k) - depth
      !$omp target teams distribute parallel do simd collapse(2) if(target: on_gpu) is_device_ptr(p, of_k)
      do i = 1, int(r%i)
        do j = 1, int(r%j)
          of_k(j, i, 1) = p(first, j, i)
          of_k(j, i, 2) = p(last, j, i)
        end do
      end do
    end if
  end subroutine

  ! Copies them back.
  subroutine unpack_faces(r, p, of_j, of_k, depth, on_gpu)
    type(request), intent(in) :: r
    real(point) :: p(r%k, r%j, r%i), of_j(r%k, r%i, 2), of_k(r%j, r%i, 2)
    integer, intent(in) :: depth
    logical, intent(in) :: on_gpu
    integer :: i, j, k, first, last
    if (r%split_k > 1) then
      first = 1 + depth
      last = int(r%k) - depth
      !$omp target teams distribute parallel do simd collapse(2) if(target: on_gpu) is_device_ptr(p, of_k)
      do i = 1, int(r%i)
        do j = 1, int(r%j)
          p(first, j, i) = of_k(j, i, 1)
          p(last, j, i) = of_k(j, i, 2)
        end do
      end do
    end if
    if (r%split_j > 1) then
      first = 1 + depth
      last = int(r%j) - depth
      !$omp target teams distribute parallel do simd collapse(2) if(target: on_gpu) is_device_ptr(p, of_j)
      do i = 1, int(r%i)
        do k = 1, int(r%k)
          p(k, first, i) = of_j(k, i, 1)
          p(k, last, i) = of_j(k, i, 2)
        end do
      end do
    end if
  end subroutine

  include 'pair.inc'

end module
