# The version is the header's. Before 1.0 a new minor version may break.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/newt_fold.h" _newt_fold_lines
  REGEX "^#define NEWT_FOLD_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX REPLACE "[^0-9]+([0-9]+)" ".\\1" PACKAGE_VERSION ";${_newt_fold_lines}")
string(SUBSTRING "${PACKAGE_VERSION}" 1 -1 PACKAGE_VERSION)

string(REGEX MATCH "^0\\.[0-9]+|^[0-9]+" _newt_fold_stable "${PACKAGE_VERSION}")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION
   OR NOT "${PACKAGE_FIND_VERSION}." MATCHES "^${_newt_fold_stable}\\.")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
