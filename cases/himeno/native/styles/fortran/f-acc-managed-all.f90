! Style `f-acc-managed-all`: a CPU program with directives at its loops only; all memory that it
! allocates is managed (Doi 2016, implementation 3).
!
! NVIDIA's compilers have a flag for this, GCC has none. Here objcopy renames the malloc and free that
! this file's allocate and deallocate call, to those of managed_malloc.cpp.
subroutine f_acc_managed_all(r, out) bind(c)
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
  out%read = lap()  ! the CPU's reading moves the pages

  deallocate (p, wrk2, wrk1, bnd, a, b, c)
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
