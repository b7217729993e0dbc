! Managed memory of CUDA for f-acc-managed.
module himeno_managed
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    ! managed_malloc.cpp: cudaMallocManaged, which ends the process on an error
    type(c_ptr) function managed_bytes(bytes) bind(c, name="managed_malloc")
      import
      integer(c_size_t), value :: bytes
    end function
    subroutine managed_free(data) bind(c)
      import
      type(c_ptr), value :: data
    end subroutine
  end interface
end module
