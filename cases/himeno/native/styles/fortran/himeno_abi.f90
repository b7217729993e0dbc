! The interface of styles/directives/directive.hpp for the styles in Fortran: the caller's request, the style's
! answer, and a clock. The arrays are p(k, j, i): k is the fastest index, as in the C++ styles.
module himeno_abi
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: on_host = -1  ! in place of a GPU's number

  type, bind(c) :: arrays
    type(c_ptr) :: p, wrk2, wrk1, bnd, a, b, c
  end type

  type, bind(c) :: request
    integer(c_size_t) :: i, j, k
    integer(c_int) :: iterations, fused, gpu, threads
    type(c_ptr) :: caller
    type(c_funptr) :: initialise, finish, exchange
    integer(c_int) :: split_i, split_j, split_k
    type(c_ptr) :: seconds, gosa
  end type

  type, bind(c) :: answer
    integer(c_int) :: no_device, ran_on_gpu
    real(c_double) :: allocate, transfer_in, transfer_out, release_device, read, release
  end type

  abstract interface
    subroutine with_arrays(caller, f) bind(c)
      import
      type(c_ptr), value :: caller
      type(arrays), intent(in) :: f
    end subroutine
    subroutine with_field(caller, p) bind(c)
      import
      type(c_ptr), value :: caller
      real(c_float) :: p(*)
    end subroutine
  end interface

  integer, parameter :: outer = 0, inner = 1  ! planes that arrive, and planes that are sent

  integer(c_int64_t), private :: last = 0

contains

  ! Seconds since the last call.
  real(c_double) function lap()
    integer(c_int64_t) :: now, rate
    call system_clock(now, rate)
    lap = real(now - last, c_double) / rate
    last = now
  end function

  subroutine start_clock()
    call system_clock(last)
  end subroutine

  ! Whether the result is in wrk2: the fused form swaps it with p in each iteration.
  logical function in_wrk2(r)
    type(request), intent(in) :: r
    in_wrk2 = r%fused /= 0 .and. mod(r%iterations, 2_c_int) == 1
  end function

  ! Points of the two planes of axis j, or k, that ranks exchange; of an axis that is not split one.
  pure integer(c_size_t) function faces_of_j(r)
    type(request), intent(in) :: r
    faces_of_j = merge(2 * r%i * r%k, 1_c_size_t, r%split_j > 1)
  end function
  pure integer(c_size_t) function faces_of_k(r)
    type(request), intent(in) :: r
    faces_of_k = merge(2 * r%i * r%j, 1_c_size_t, r%split_k > 1)
  end function

  ! The CPU fills all arrays.
  subroutine initialise(r, p, wrk2, wrk1, bnd, a, b, c)
    type(request), intent(in) :: r
    real(c_float), target :: p(*), wrk2(*), wrk1(*), bnd(*), a(*), b(*), c(*)
    procedure(with_arrays), pointer :: fill
    call c_f_procpointer(r%initialise, fill)
    call fill(r%caller, arrays(c_loc(p), c_loc(wrk2), c_loc(wrk1), c_loc(bnd), c_loc(a), c_loc(b), &
                               c_loc(c)))
  end subroutine

  ! The CPU reads p.
  subroutine finish(r, p, wrk2, wrk1, bnd, a, b, c)
    type(request), intent(in) :: r
    real(c_float), target :: p(*), wrk2(*), wrk1(*), bnd(*), a(*), b(*), c(*)
    procedure(with_arrays), pointer :: read
    call c_f_procpointer(r%finish, read)
    call read(r%caller, arrays(c_loc(p), c_loc(wrk2), c_loc(wrk1), c_loc(bnd), c_loc(a), c_loc(b), &
                               c_loc(c)))
  end subroutine

  ! The halo of p is exchanged by the pointer that is given.
  subroutine exchange(r, p)
    type(request), intent(in) :: r
    real(c_float) :: p(*)
    procedure(with_field), pointer :: halo
    if (.not. c_associated(r%exchange)) return
    call c_f_procpointer(r%exchange, halo)
    call halo(r%caller, p)
  end subroutine

  ! Stores gosa of iteration n: before the exchange, which adds up the gosa of all ranks.
  subroutine note_gosa(r, n, gosa)
    type(request), intent(in) :: r
    integer, intent(in) :: n
    real(c_double), intent(in) :: gosa
    real(c_double), pointer :: all(:)
    call c_f_pointer(r%gosa, all, [r%iterations])
    all(n) = gosa
  end subroutine

  ! Stores the seconds of iteration n.
  subroutine note_seconds(r, n)
    type(request), intent(in) :: r
    integer, intent(in) :: n
    real(c_double), pointer :: all(:)
    call c_f_pointer(r%seconds, all, [r%iterations])
    all(n) = lap()
  end subroutine

end module
