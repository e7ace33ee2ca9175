# find_package(newt_fold): the targets newt_fold::shared and newt_fold::static,
# as far as they are installed. Stands in <prefix>/share/cmake/newt_fold, and
# finds the rest from there, so that a prefix may be moved.
cmake_minimum_required(VERSION 3.21)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(_newt_fold_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(_newt_fold_kind IN ITEMS shared static)
  if(_newt_fold_kind STREQUAL shared)
    set(_newt_fold_name libnewt_fold${CMAKE_SHARED_LIBRARY_SUFFIX})
  else()
    set(_newt_fold_name libnewt_fold.a)
  endif()
  find_library(_newt_fold_file NAMES ${_newt_fold_name} NO_CACHE NO_DEFAULT_PATH
    PATHS "${_newt_fold_prefix}" PATH_SUFFIXES lib/${CMAKE_LIBRARY_ARCHITECTURE} lib lib64)
  if(_newt_fold_file AND NOT TARGET newt_fold::${_newt_fold_kind})
    string(TOUPPER ${_newt_fold_kind} _newt_fold_type)
    add_library(newt_fold::${_newt_fold_kind} ${_newt_fold_type} IMPORTED)
    set_target_properties(newt_fold::${_newt_fold_kind} PROPERTIES
      IMPORTED_LOCATION "${_newt_fold_file}"
      INTERFACE_INCLUDE_DIRECTORIES "${_newt_fold_prefix}/include")
  endif()
  unset(_newt_fold_file)
endforeach()

if(TARGET newt_fold::static)
  set_property(TARGET newt_fold::static PROPERTY
    INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
if(NOT TARGET newt_fold::shared AND NOT TARGET newt_fold::static)
  set(newt_fold_FOUND FALSE)
  set(newt_fold_NOT_FOUND_MESSAGE "no libnewt_fold under ${_newt_fold_prefix}")
endif()
