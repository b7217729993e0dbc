! Two points of the stencil along k, for the styles in Fortran, and the grid in such pieces.
module himeno_pair
  use, intrinsic :: iso_c_binding
  use himeno_abi
  implicit none
  integer, parameter :: word = c_int64_t, point = c_float

  type :: pair
    real(point) :: v0, v1
  end type

  ! The coefficients at two points of the stencil, and p around them: m is p there; n, s next and
  ! previous in i; e, w in j. ..l and ..r are the points before and behind in k.
  type :: surroundings
    type(pair) :: a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, w1, bd, m, n, s, e, w, ne, nw, se, sw
    real(point) :: ml, mr, nl, nr, sl, sr, el, er, wl, wr
  end type

  ! Strides of a grid, and its interior in pieces: pairs, which include the ends of rows, or points.
  type :: shape
    integer(word) :: row, plane, points
    integer :: line, layer, pieces
    logical :: pairs
  end type

contains

  type(shape) function shape_of(r) result(s)
    type(request), intent(in) :: r
    s%row = r%k
    s%plane = r%k * r%j
    s%points = s%plane * r%i
    s%pairs = mod(r%k, 2_c_size_t) == 0  ! arrays begin at multiples of 8 bytes
    s%line = int(merge(r%k / 2, r%k - 2, s%pairs))
    s%layer = int(r%j - 2) * s%line
    s%pieces = int(r%i - 2) * s%layer
  end function

  ! `count` points of an array as words of two.
  function words(array, count) result(view)
    real(point), target :: array(*)
    integer(word), intent(in) :: count
    integer(word), pointer, contiguous :: view(:)
    call c_f_pointer(c_loc(array), view, [count / 2])
  end function

end module
