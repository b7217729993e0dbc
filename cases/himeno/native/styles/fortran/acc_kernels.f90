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
    gather, advance, advance_at, advance_point, copy_pair, copy_point, copy_faces

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

  ! Computes wrk2 from p; returns gosa. 56 bytes per point. Addresses go to the region: GCC 12 gives a
  ! region that runs on the host a null pointer for an array in `deviceptr`.
  real(c_double) function step(r, p, wrk2, a, b, c, wrk1, bnd)
    type(request), intent(in) :: r
    real(point), target :: p(*), wrk2(*), a(*), b(*), c(*), wrk1(*), bnd(*)
    type(shape) :: s
    s = shape_of(r)
    if (s%pairs) then
      step = step_of_pairs(s%row, s%plane, s%points, s%line, s%layer, s%pieces, c_loc(p), c_loc(wrk2), &
                           c_loc(a), c_loc(b), c_loc(c), c_loc(wrk1), c_loc(bnd))
    else
      step = step_of_points(s%row, s%plane, s%points, s%line, s%layer, s%pieces, c_loc(p), &
                            c_loc(wrk2), c_loc(a), c_loc(b), c_loc(c), c_loc(wrk1), c_loc(bnd))
    end if
  end function

  real(c_double) function step_of_pairs(row, plane, points, line, layer, pieces, p, wrk2, a, b, c, wrk1, &
                                        bnd) result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: line, layer, pieces
    type(c_ptr), intent(in) :: p, wrk2, a, b, c, wrk1, bnd
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
    !$acc& private(i, j, k) reduction(+:gosa) firstprivate(p, wrk2, a, b, c, wrk1, bnd)
    do n = 0, pieces - 1
      i = n / layer + 1
      j = mod(n, layer) / line + 1
      k = mod(n, line)
      gosa = gosa + advance_at(i * words_of_plane + j * words_of_row + k + 1, 2 * k, words_of_row, &
                               words_of_plane, all, p, wrk2, a, b, c, wrk1, bnd, zero)
    end do
  end function

  ! Computes wrk2 at word x; k, row, plane and all as in pair.inc. Returns its part of gosa.
  real(c_double) function advance_at(x, k, row, plane, all, p, wrk2, a, b, c, wrk1, bnd, zero)
    !$acc routine seq
    integer(word), intent(in) :: x, row, plane, all, zero
    integer, intent(in) :: k
    type(c_ptr), intent(in) :: p, wrk2, a, b, c, wrk1, bnd
    integer(word), pointer, contiguous, dimension(:) :: p_, wrk2_, a_, b_, c_, wrk1_, bnd_
    real(point), pointer, contiguous :: near(:)
    type(surroundings) :: q
    integer(word) :: next
    call c_f_pointer(p, p_, [all])
    call c_f_pointer(p, near, [2 * all])
    call c_f_pointer(wrk2, wrk2_, [all])
    call c_f_pointer(a, a_, [4 * all])
    call c_f_pointer(b, b_, [3 * all])
    call c_f_pointer(c, c_, [3 * all])
    call c_f_pointer(wrk1, wrk1_, [all])
    call c_f_pointer(bnd, bnd_, [all])
    call gather(q, x, row, plane, all, p_, near, a_, b_, c_, wrk1_, bnd_, zero)
    advance_at = advance(q, k, row, zero, next)
    wrk2_(x) = next
  end function

  real(c_double) function step_of_points(row, plane, points, line, layer, pieces, p, wrk2, a, b, c, &
                                         wrk1, bnd) result(gosa)
    integer(word), intent(in) :: row, plane, points
    integer, intent(in) :: line, layer, pieces
    type(c_ptr), intent(in) :: p, wrk2, a, b, c, wrk1, bnd
    integer :: n, gangs, warps
    integer(word) :: x, zero
    gangs = many_gangs
    warps = many_warps
    zero = nothing
    gosa = 0
    !$acc parallel loop gang(static:1) worker vector num_gangs(gangs) num_workers(warps) &
    !$acc& private(x) reduction(+:gosa) firstprivate(p, wrk2, a, b, c, wrk1, bnd)
    do n = 0, pieces - 1
      x = (n / layer + 1) * plane + (mod(n, layer) / line + 1) * row + mod(n, line) + 2
      gosa = gosa + advance_point(x, row, plane, points, p, wrk2, a, b, c, wrk1, bnd, zero)
    end do
  end function

  ! Computes wrk2 from p at point x; returns its part of gosa.
  real(c_double) function advance_point(x, row, plane, points, p, wrk2, a, b, c, wrk1, bnd, zero)
    !$acc routine seq
    integer(word), intent(in) :: x, row, plane, points, zero
    type(c_ptr), intent(in) :: p, wrk2, a, b, c, wrk1, bnd
    real(point), pointer, contiguous, dimension(:) :: p_, wrk2_, a_, b_, c_, wrk1_, bnd_
    real(point) :: ss
    call c_f_pointer(p, p_, [points])
    call c_f_pointer(wrk2, wrk2_, [points])
    call c_f_pointer(a, a_, [4 * points])
    call c_f_pointer(b, b_, [3 * points])
    call c_f_pointer(c, c_, [3 * points])
    call c_f_pointer(wrk1, wrk1_, [points])
    call c_f_pointer(bnd, bnd_, [points])
    ss = residual_at(x, row, plane, points, p_, a_, b_, c_, wrk1_, bnd_, zero)
    wrk2_(x) = p_(x) + 0.8_point * ss
    advance_point = real(ss * ss, c_double)
  end function

  ! to(x) = from(x), a word of two points
  subroutine copy_pair(to, from, x)
    !$acc routine seq
    type(c_ptr), intent(in) :: to, from
    integer(word), intent(in) :: x
    integer(word), pointer, contiguous :: to_(:), from_(:)
    call c_f_pointer(to, to_, [x])
    call c_f_pointer(from, from_, [x])
    to_(x) = from_(x)
  end subroutine

  ! to(x) = from(y)
  subroutine copy_point(to, x, from, y)
    !$acc routine seq
    type(c_ptr), intent(in) :: to, from
    integer(word), intent(in) :: x, y
    real(point), pointer, contiguous :: to_(:), from_(:)
    call c_f_pointer(to, to_, [x])
    call c_f_pointer(from, from_, [y])
    to_(x) = from_(y)
  end subroutine

  ! p = wrk2 in the interior. 8 bytes per point. The boundary point of a pair at the end of a row is
  ! copied too: wrk2 has p's value there.
  subroutine update(r, p, wrk2)
    type(request), intent(in) :: r
    real(point), target :: p(*), wrk2(*)
    type(shape) :: s
    type(c_ptr) :: to, from
    integer :: n, line, layer, pieces
    integer(word) :: x, row, plane
    to = c_loc(p)
    from = c_loc(wrk2)
    s = shape_of(r)
    line = s%line
    layer = s%layer
    pieces = s%pieces
    if (s%pairs) then
      row = s%row / 2
      plane = s%plane / 2
      !$acc parallel loop gang(static:1) worker vector num_gangs(528) num_workers(8) private(x) &
      !$acc& firstprivate(to, from)
      do n = 0, pieces - 1
        x = (n / layer + 1) * plane + (mod(n, layer) / line + 1) * row + mod(n, line) + 1
        call copy_pair(to, from, x)
      end do
    else
      row = s%row
      plane = s%plane
      !$acc parallel loop gang(static:1) worker vector num_gangs(528) num_workers(8) private(x) &
      !$acc& firstprivate(to, from)
      do n = 0, pieces - 1
        x = (n / layer + 1) * plane + (mod(n, layer) / line + 1) * row + mod(n, line) + 2
        call copy_point(to, x, from, x)
      end do
    end if
  end subroutine

  ! Copies the two planes of axes j and k that lie `depth` inside the grid to arrays where they are
  ! contiguous. An axis that is not split has none.
  subroutine pack_faces(r, p, of_j, of_k, depth, on_gpu)
    type(request), intent(in) :: r
    real(point), target :: p(*), of_j(*), of_k(*)
    integer, intent(in) :: depth
    logical, intent(in) :: on_gpu
    if (r%split_j > 1) call copy_faces(c_loc(of_j), c_loc(p), .true., r%i, r%k, r%j * r%k, 1_word, &
                                       depth * r%k, (r%j - 1 - depth) * r%k, on_gpu)
    if (r%split_k > 1) call copy_faces(c_loc(of_k), c_loc(p), .true., r%i, r%j, r%j * r%k, r%k, &
                                       int(depth, word), r%k - 1 - depth, on_gpu)
  end subroutine

  ! Copies them back.
  subroutine unpack_faces(r, p, of_j, of_k, depth, on_gpu)
    type(request), intent(in) :: r
    real(point), target :: p(*), of_j(*), of_k(*)
    integer, intent(in) :: depth
    logical, intent(in) :: on_gpu
    if (r%split_k > 1) call copy_faces(c_loc(of_k), c_loc(p), .false., r%i, r%j, r%j * r%k, r%k, &
                                       int(depth, word), r%k - 1 - depth, on_gpu)
    if (r%split_j > 1) call copy_faces(c_loc(of_j), c_loc(p), .false., r%i, r%k, r%j * r%k, 1_word, &
                                       depth * r%k, (r%j - 1 - depth) * r%k, on_gpu)
  end subroutine

  ! Two planes of `rows` rows of `count` points. In the grid rows lie `plane` apart, points `stride`;
  ! the planes begin `first` and `second` points behind the beginning.
  subroutine copy_faces(faces, p, packs, rows, count, plane, stride, first, second, on_gpu)
    type(c_ptr), intent(in) :: faces, p
    logical, intent(in) :: packs, on_gpu
    integer(word), intent(in) :: rows, count, plane, stride, first, second
    integer(word) :: i, n, x, y
    !$acc parallel loop collapse(2) private(x, y) if(on_gpu) firstprivate(faces, p)
    do i = 0, 2 * rows - 1
      do n = 0, count - 1
        x = i * count + n + 1
        y = merge(i, i - rows, i < rows) * plane + n * stride + merge(first, second, i < rows) + 1
        if (packs) call copy_point(faces, x, p, y)
        if (.not. packs) call copy_point(p, y, faces, x)
      end do
    end do
  end subroutine

  include 'pair.inc'

end module
