! The OpenACC kernels of the f-acc- styles. They take arrays that are valid on the GPU: from
! host_data use_device, or managed. The same loops as acc_kernels.hpp.
module himeno_acc
  use, intrinsic :: iso_c_binding
  use openacc
  use himeno_abi
  use himeno_pair
  implicit none
  ! variables, as in acc_kernels.hpp: with constants a kernel may take more registers
  integer :: many_gangs = 528, many_warps = 4
  integer(word) :: nothing = 0
  private :: low, high, both, load, rounded_product, residual, residual_at, &
    advance

contains

  ! Chooses the device and makes libgomp load its code there; false if there is none.
  logical function choose_device(r, out)
    type(request), intent(in) :: r
    type(answer), intent(inout) :: out
    choose_device = .true.
    if (r%gpu == on_host) then
      call acc_set_device_type(acc_device_host)
      return
    end if
    choose_device = r%gpu < acc_get_num_devices(acc_device_nvidia)
    out%no_device = merge(0, 1, choose_device)
    if (choose_device) call acc_set_device_num(r%gpu, acc_device_nvidia)
  end function

  ! Whether a parallel region runs on the GPU: results do not show it.
  integer(c_int) function asks_where_it_runs()
    logical :: on_gpu
    on_gpu = .false.
    !$acc parallel copy(on_gpu)
    on_gpu = acc_on_device(acc_device_not_host)
    !$acc end parallel
    asks_where_it_runs = merge(1, 0, on_gpu)
  end function

  ! Computes wrk2 from p; returns gosa. 56 bytes per point.
  real(c_double) function step(r, p, wrk2, a, b, c, wrk1, bnd)
    type(request), intent(in) :: r
    real(point), target :: p(*), wrk2(*), a(*), b(*), c(*), wrk1(*), bnd(*)
    type(shape) :: s
    s = shape_of(r)
    if (s%pairs) then
      step = step_of_pairs(s%row, s%plane, s%points, s%line, s%layer, s%pieces, &
                           words(p, s%points), p, words(wrk2, s%points), words(a, 4 * s%points), &
                           words(b, 3 * s%points), words(c, 3 * s%points), words(wrk1, s%points), &
                           words(bnd, s%points))
    else
      step = step_of_points(s%row, s%plane, s%points, s%line, s%layer, s%pieces, p, wrk2, a, b, c, &
                            wrk1, bnd)
    end if
  end function

  real(c_double) function step_of_pairs(row, plane, points, line, layer, pieces, p, near, wrk2, &
                                        a, b, c, wrk1, bnd) result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: line, layer, pieces
    integer(word), dimension(points / 2) :: p, wrk2, wrk1, bnd
    integer(word) :: a(2 * points), b(3 * points / 2), c(3 * points / 2)
    real(point) :: near(points)
    integer :: n, i, j, k, gangs, warps
    integer(word) :: zero, words_of_row, words_of_plane, all
    gangs = many_gangs
    warps = many_warps
    zero = nothing
    words_of_row = row / 2
    words_of_plane = plane / 2
    all = points / 2
    gosa = 0
    !$acc parallel loop gang(static:1) worker vector num_gangs(gangs) num_workers(warps) &
    !$acc& private(i, j, k) reduction(+:gosa) deviceptr(p, near, wrk2, a, b, c, wrk1, bnd)
    do n = 0, pieces - 1
      i = n / layer + 1
      j = mod(n, layer) / line + 1
      k = mod(n, line)
      gosa = gosa + advance(i * words_of_plane + j * words_of_row + k + 1, 2 * k, words_of_row, &
                            words_of_plane, all, p, near, wrk2, a, b, c, wrk1, bnd, zero)
    end do
  end function

  real(c_double) function step_of_points(row, plane, points, line, layer, pieces, p, wrk2, a, b, c, &
                                         wrk1, bnd) result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: line, layer, pieces
    real(point), dimension(points) :: p, wrk2, wrk1, bnd
    real(point) :: a(4 * points), b(3 * points), c(3 * points)
    integer :: n, gangs, warps
    integer(word) :: x, zero
    real(point) :: ss
    gangs = many_gangs
    warps = many_warps
    zero = nothing
    gosa = 0
    !$acc parallel loop gang(static:1) worker vector num_gangs(gangs) num_workers(warps) &
    !$acc& private(x, ss) reduction(+:gosa) deviceptr(p, wrk2, a, b, c, wrk1, bnd)
    do n = 0, pieces - 1
      x = (n / layer + 1) * plane + (mod(n, layer) / line + 1) * row + mod(n, line) + 2
      ss = residual_at(x, row, plane, points, p, a, b, c, wrk1, bnd, zero)
      gosa = gosa + real(ss * ss, c_double)
      wrk2(x) = p(x) + 0.8_point * ss
    end do
  end function

  ! p = wrk2 in the interior. 8 bytes per point.
  subroutine update(r, p, wrk2)
    type(request), intent(in) :: r
    real(point), dimension(r%i * r%j * r%k) :: p, wrk2
    integer :: n, line, layer, pieces
    integer(word) :: x, row, plane
    row = r%k
    plane = r%k * r%j
    line = int(r%k) - 2
    layer = line * (int(r%j) - 2)
    pieces = layer * (int(r%i) - 2)
    !$acc parallel loop gang(static:1) worker vector num_gangs(528) num_workers(8) private(x) &
    !$acc& deviceptr(p, wrk2)
    do n = 0, pieces - 1
      x = (n / layer + 1) * plane + (mod(n, layer) / line + 1) * row + mod(n, line) + 2
      p(x) = wrk2(x)
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
      !$acc parallel loop collapse(2) if(on_gpu) deviceptr(p, of_j)
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
      !$acc parallel loop collapse(2) if(on_gpu) deviceptr(p, of_k)
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
      !$acc parallel loop collapse(2) if(on_gpu) deviceptr(p, of_k)
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
      !$acc parallel loop collapse(2) if(on_gpu) deviceptr(p, of_j)
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
