! Style `f-omp-target`: f-acc-data in OpenMP: mapped arrays. Each halo exchange copies one plane a side
! to the host and back.
subroutine f_omp_target(r, out) bind(c)
  use himeno_omp
  implicit none
  type(request), intent(in) :: r
  type(answer), intent(inout) :: out
  real(c_float), allocatable, dimension(:, :, :) :: p, wrk2, wrk1, bnd
  real(c_float), allocatable, dimension(:, :, :, :) :: a, b, c
  if (.not. choose_device(r, out)) return
  out%ran_on_gpu = asks_where_it_runs()
  call start_clock()

  allocate (p(r%k, r%j, r%i), wrk2(r%k, r%j, r%i), wrk1(r%k, r%j, r%i), bnd(r%k, r%j, r%i), &
            a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3))
  out%allocate = lap()

  call initialise(r, p, wrk2, wrk1, bnd, a, b, c)
  call start_clock()

  call jacobi(p, wrk2, a, b, c, wrk1, bnd)

  if (in_wrk2(r)) then
    call finish(r, wrk2, p, wrk1, bnd, a, b, c)
  else
    call finish(r, p, wrk2, wrk1, bnd, a, b, c)
  end if
  out%read = lap()

  deallocate (p, wrk2, wrk1, bnd, a, b, c)
  out%release = lap()

contains

  subroutine jacobi(p, wrk2, a, b, c, wrk1, bnd)
    real(c_float), dimension(r%k, r%j, r%i) :: p, wrk2, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    real(c_float) :: of_j(faces_of_j(r)), of_k(faces_of_k(r))
    integer :: n
    ! not a data region, where GCC puts a pointer behind each array: the next would not begin at a line of memory
    !$omp target enter data map(to: a, b, c, wrk1, bnd, p) map(alloc: wrk2, of_j, of_k)
    if (r%fused /= 0) then  ! after a swap its boundary planes are those of p
      !$omp target update to(wrk2)
    end if
    out%transfer_in = lap()

    do n = 1, r%iterations
      if (r%fused /= 0 .and. mod(n, 2) == 0) then
        call iterate(n, wrk2, p, a, b, c, wrk1, bnd, of_j, of_k)
      else
        call iterate(n, p, wrk2, a, b, c, wrk1, bnd, of_j, of_k)
      end if
    end do

    if (in_wrk2(r)) then
      !$omp target update from(wrk2)
    else
      !$omp target update from(p)
    end if
    out%transfer_out = lap()
    !$omp target exit data map(delete: a, b, c, wrk1, bnd, p, wrk2, of_j, of_k)
    out%release_device = lap()
  end subroutine

  ! Iteration n: computes `new` from `old`.
  subroutine iterate(n, old, new, a, b, c, wrk1, bnd, of_j, of_k)
    integer, intent(in) :: n
    real(c_float), dimension(r%k, r%j, r%i) :: old, new, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    real(c_float) :: of_j(faces_of_j(r)), of_k(faces_of_k(r))
    !$omp target data use_device_addr(old, new, a, b, c, wrk1, bnd)
    call note_gosa(r, n, step(r, old, new, a, b, c, wrk1, bnd))
    if (r%fused == 0) call update(r, old, new)
    !$omp end target data
    if (r%fused /= 0) then
      call exchange_halo(new, of_j, of_k)
    else
      call exchange_halo(old, of_j, of_k)
    end if
    call note_seconds(r, n)
  end subroutine

  ! GCC's target update takes only contiguous sections: planes of j and k are packed on one side, copied, and
  ! unpacked on the other.
  subroutine exchange_halo(p, of_j, of_k)
    real(c_float) :: p(r%k, r%j, r%i), of_j(faces_of_j(r)), of_k(faces_of_k(r))
    if (.not. c_associated(r%exchange)) return
    !$omp target data use_device_addr(p, of_j, of_k)
    call pack_faces(r, p, of_j, of_k, inner, on_gpu=.true.)
    !$omp end target data
    !$omp target update from(of_j, of_k)
    call unpack_faces(r, p, of_j, of_k, inner, on_gpu=.false.)
    if (r%split_i > 1) then
      !$omp target update from(p(:, :, 2:2))
      !$omp target update from(p(:, :, r%i - 1:r%i - 1))
    end if

    call exchange(r, p)

    if (r%split_i > 1) then
      !$omp target update to(p(:, :, 1:1))
      !$omp target update to(p(:, :, r%i:r%i))
    end if
    call pack_faces(r, p, of_j, of_k, outer, on_gpu=.false.)
    !$omp target update to(of_j, of_k)
    !$omp target data use_device_addr(p, of_j, of_k)
    call unpack_faces(r, p, of_j, of_k, outer, on_gpu=.true.)
    !$omp end target data
  end subroutine

end subroutine
