# reshape_conformance_discover_tests(TARGET): a CTest test for each case and operator of the suite, on an adapter's executable.
#
#   include(ReshapeConformance.cmake)
#   enable_testing()
#   add_executable(mine mine.c)
#   reshape_conformance_discover_tests(mine OPERATORS "onnx >= 13")
#
#   reshape_conformance_discover_tests(TARGET
#     [OPERATORS operator...]     what to test, as `run --operator` has it; without it, every operator
#     [KNOWN_FAILURES file]       the file of known failures; a test with other failures, or without a known one, fails
#     [RUN_ARGUMENTS argument...] further arguments of `run`, such as --level must
#     [ARGUMENTS argument...]     arguments of the executable
#     [CORE]                      only the core
#     [PREFIX prefix]             the beginning of each test's name; "TARGET/" without it
#     [TIMEOUT seconds]           the most time for a test
#     [PROGRAM path])             the program reshape-conformance; without it, the one in the PATH
#
# `ctest` asks the program for the suite when it starts, so a build needs no program, and new cases need no new configuration.
# A test is skipped if the adapter claims none of its trials. A name is TARGET/case/operator: `ctest -R copied-zero` selects.

cmake_minimum_required(VERSION 3.19)

# While ctest reads its tests, this file is included again, with what to test in variables.
if(DEFINED RESHAPE_CONFORMANCE_TARGET)
  execute_process(
    COMMAND "${RESHAPE_CONFORMANCE_PROGRAM}" list ${RESHAPE_CONFORMANCE_SELECTION}
    OUTPUT_VARIABLE reshape_names ERROR_VARIABLE reshape_error RESULT_VARIABLE reshape_result)
  if(NOT reshape_result EQUAL 0)
    message(FATAL_ERROR "`${RESHAPE_CONFORMANCE_PROGRAM} list` cannot name the tests of ${RESHAPE_CONFORMANCE_TARGET}: ${reshape_result} ${reshape_error}")
  endif()
  # The names of trials end with /element type/binding.
  string(REGEX REPLACE "/[^/\n]*/[^/\n]*\n" ";" reshape_names "${reshape_names}")
  list(REMOVE_ITEM reshape_names "")
  list(REMOVE_DUPLICATES reshape_names)
  foreach(reshape_name IN LISTS reshape_names)
    # In the core, only the trials of the core. A pattern without a + is of nodes alone.
    add_test("${RESHAPE_CONFORMANCE_PREFIX}${reshape_name}" "${RESHAPE_CONFORMANCE_PROGRAM}" run
      ${RESHAPE_CONFORMANCE_RUN} -- "${reshape_name}/**" "${reshape_name}/*/*+*")
    set_tests_properties("${RESHAPE_CONFORMANCE_PREFIX}${reshape_name}" PROPERTIES
      SKIP_RETURN_CODE 4 LABELS reshape-conformance ${RESHAPE_CONFORMANCE_PROPERTIES})
  endforeach()
  return()
endif()

set(RESHAPE_CONFORMANCE_FILE "${CMAKE_CURRENT_LIST_FILE}")

function(reshape_conformance_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 of "CORE" "KNOWN_FAILURES;PREFIX;TIMEOUT;PROGRAM" "OPERATORS;RUN_ARGUMENTS;ARGUMENTS")
  if(of_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "reshape_conformance_discover_tests does not know ${of_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "reshape_conformance_discover_tests: there is no target ${target}")
  endif()
  if(NOT of_PROGRAM)
    find_program(RESHAPE_CONFORMANCE reshape-conformance)
    if(NOT RESHAPE_CONFORMANCE)
      message(FATAL_ERROR "reshape-conformance is not in the PATH; name it with PROGRAM or -DRESHAPE_CONFORMANCE=path")
    endif()
    set(of_PROGRAM "${RESHAPE_CONFORMANCE}")
  endif()
  if(NOT DEFINED of_PREFIX)
    set(of_PREFIX "${target}/")
  endif()
  set(selection "")
  foreach(operator IN LISTS of_OPERATORS)
    list(APPEND selection --operator "${operator}")
  endforeach()
  if(of_CORE)
    list(APPEND selection --core)
  endif()
  # --adapter-command is read as a shell reads it.
  set(command "'$<TARGET_FILE:${target}>'")
  foreach(argument IN LISTS of_ARGUMENTS)
    string(APPEND command " '${argument}'")
  endforeach()
  set(run -j1 --adapter-command "${command}" ${selection} ${of_RUN_ARGUMENTS})
  if(of_KNOWN_FAILURES)
    get_filename_component(file "${of_KNOWN_FAILURES}" ABSOLUTE)
    list(APPEND run --known-failures "${file}")
  endif()
  set(properties "")
  if(of_TIMEOUT)
    set(properties TIMEOUT "${of_TIMEOUT}")
  endif()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}-reshape-conformance")
  file(GENERATE OUTPUT "${file}-$<CONFIG>.cmake" CONTENT
"set(RESHAPE_CONFORMANCE_TARGET [==[${target}]==])
set(RESHAPE_CONFORMANCE_PROGRAM [==[${of_PROGRAM}]==])
set(RESHAPE_CONFORMANCE_PREFIX [==[${of_PREFIX}]==])
set(RESHAPE_CONFORMANCE_SELECTION [==[${selection}]==])
set(RESHAPE_CONFORMANCE_RUN [==[${run}]==])
set(RESHAPE_CONFORMANCE_PROPERTIES [==[${properties}]==])
include([==[${RESHAPE_CONFORMANCE_FILE}]==])
unset(RESHAPE_CONFORMANCE_TARGET)
")
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    file(WRITE "${file}.cmake" "include(\"${file}-\${CTEST_CONFIGURATION_TYPE}.cmake\")\n")
  else()
    file(WRITE "${file}.cmake" "include(\"${file}-${CMAKE_BUILD_TYPE}.cmake\")\n")
  endif()
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}.cmake")
endfunction()
