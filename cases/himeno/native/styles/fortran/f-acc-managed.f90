! Style `f-acc-managed`: the GPU's arrays are managed, without explicit transfers; MPI gets the same
! pointer (Doi 2016, implementation 4).
!
! His compiler has the attribute `managed` for this. Here the arrays are pointers to memory of
! cudaMallocManaged.
subroutine f_acc_managed(r, out) bind(c)
  use himeno_acc
  use himeno_managed
  implicit none
  type(request), intent(in) :: r
  type(answer), intent(inout) :: out
  real(c_float), pointer, contiguous, dimension(:, :, :) :: p, wrk2, wrk1, bnd
  real(c_float), pointer, contiguous, dimension(:, :, :, :) :: a, b, c
  if (.not. choose_device(r, out)) return
  out%ran_on_gpu = asks_where_it_runs()
  call start_clock()

  call c_f_pointer(managed_bytes(4 * r%k * r%j * r%i), p, [r%k, r%j, r%i])
  call c_f_pointer(managed_bytes(4 * r%k * r%j * r%i), wrk2, [r%k, r%j, r%i])
  call c_f_pointer(managed_bytes(4 * r%k * r%j * r%i), wrk1, [r%k, r%j, r%i])
  call c_f_pointer(managed_bytes(4 * r%k * r%j * r%i), bnd, [r%k, r%j, r%i])
  call c_f_pointer(managed_bytes(16 * r%k * r%j * r%i), a, [r%k, r%j, r%i, 4_c_size_t])
  call c_f_pointer(managed_bytes(12 * r%k * r%j * r%i), b, [r%k, r%j, r%i, 3_c_size_t])
  call c_f_pointer(managed_bytes(12 * r%k * r%j * r%i), c, [r%k, r%j, r%i, 3_c_size_t])
  out%allocate = lap()

  call initialise(r, p, wrk2, wrk1, bnd, a, b, c)
  call start_clock()

  call jacobi(p, wrk2, a, b, c, wrk1, bnd)

  if (in_wrk2(r)) then
    call finish(r, wrk2, p, wrk1, bnd, a, b, c)
  else
    call finish(r, p, wrk2, wrk1, bnd, a, b, c)
  end if
  out%read = lap()  ! the CPU's reading moves the pages

  call managed_free(c_loc(p))
  call managed_free(c_loc(wrk2))
  call managed_free(c_loc(wrk1))
  call managed_free(c_loc(bnd))
  call managed_free(c_loc(a))
  call managed_free(c_loc(b))
  call managed_free(c_loc(c))
  out%release = lap()

contains

  subroutine jacobi(p, wrk2, a, b, c, wrk1, bnd)
    real(c_float), dimension(r%k, r%j, r%i) :: p, wrk2, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    integer :: n
    do n = 1, r%iterations
      if (r%fused /= 0 .and. mod(n, 2) == 0) then
        call iterate(n, wrk2, p, a, b, c, wrk1, bnd)
      else
        call iterate(n, p, wrk2, a, b, c, wrk1, bnd)
      end if
    end do
  end subroutine

  ! Iteration n: computes `new` from `old`.
  subroutine iterate(n, old, new, a, b, c, wrk1, bnd)
    integer, intent(in) :: n
    real(c_float), dimension(r%k, r%j, r%i) :: old, new, wrk1, bnd
    real(c_float) :: a(r%k, r%j, r%i, 4), b(r%k, r%j, r%i, 3), c(r%k, r%j, r%i, 3)
    call note_gosa(r, n, step(r, old, new, a, b, c, wrk1, bnd))
    if (r%fused == 0) then
      call update(r, old, new)
      call exchange(r, old)
    else
      call exchange(r, new)
    end if
    call note_seconds(r, n)
  end subroutine

end subroutine
