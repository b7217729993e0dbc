! Style `f-acc-host-data`: a data region around the loop, as f-acc-data. A CUDA-aware MPI gets the
! pointer of the GPU (Doi 2016, implementation 2).
subroutine f_acc_host_data(r, out) bind(c)
  use himeno_acc
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
    integer :: n
    ! not a data region, where GCC puts a pointer behind each array: the next would not begin at a line of memory
    !$acc enter data copyin(a, b, c, wrk1, bnd, p) create(wrk2)
    if (r%fused /= 0) then  ! after a swap its boundary planes are those of p
      !$acc update device(wrk2)
    end if
    out%transfer_in = lap()

    do n = 1, r%iterations
      if (r%fused /= 0 .and. mod(n, 2) == 0) then
        call iterate(n, wrk2, p, a, b, c, wrk1, bnd)
      else
        call iterate(n, p, wrk2, a, b, c, wrk1, bnd)
      end if
    end do

    if (in_wrk2(r)) then
      !$acc update host(wrk2)
    else
      !$acc update host(p)
    end if
    out%transfer_out = lap()
    !$acc exit data delete(a, b, c, wrk1, bnd, p, wrk2)
    out%release_device = lap()
  end subroutine

  ! Iteration n: computes `new` from `old`.
  subroutine iterate(n, old, new, a, b, c, wrk1, bnd)
    integer, intent(in) :: n
    real(c_float), dimension(r%k, r%j, r%i) :: old, new, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    !$acc host_data use_device(old, new, a, b, c, wrk1, bnd)
    call note_gosa(r, n, step(r, old, new, a, b, c, wrk1, bnd))
    if (r%fused == 0) call update(r, old, new)
    !$acc end host_data
    if (r%fused /= 0) then
      call exchange_halo(new)
    else
      call exchange_halo(old)
    end if
    call note_seconds(r, n)
  end subroutine

  subroutine exchange_halo(p)
    real(c_float) :: p(r%k, r%j, r%i)
    !$acc host_data use_device(p)
    call exchange(r, p)
    !$acc end host_data
  end subroutine

end subroutine
