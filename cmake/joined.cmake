# SHOAL_JOIN_SOURCES: the compiler reads several sources in one run, so that it reads the headers and writes the templates that they
# share once. Sources of one run share their anonymous namespaces, so
# sources that define the same name there go to different runs: those listed here, each number a run of its own per folder.
# Where a build with this option finds a name twice, rename it or add its source to a list. Warnings mean nothing in such a build
# (a parameter then shadows another source's constant) and are off; scripts/lint compiles each source alone, with warnings as errors.
set(apart_1 base/axis base/scale clusters/modes inference/floor formats/release_json drawing/html drawing/picture
            drawing/insets_picture points/arrow_batches points/condition release/groups privacy/refinable_noise
            techniques/rounded_counts techniques/privthr_em studio/settings
            evaluation/audit evaluation/broken evaluation/c45 evaluation/evaluate evaluation/evaluation_report
            evaluation/group_audit cli/counts_argument cli/paid python/arrow testing/measures)
set(apart_2 clusters/contingency clusters/metrics clusters/flow drawing/tree_picture drawing/report points/csv_rows evaluation/charts evaluation/audit_cases evaluation/literal
            evaluation/reproduce evaluation/reproduce_report python/datasets)
set(apart_3 clusters/matching points/datasets evaluation/random_attack evaluation/inset_audit evaluation/claims evaluation/criteria python/evaluation)
set(alone formats/geopackage formats/geotiff drawing/base_map drawing/font drawing/png_canvas drawing/palette drawing/levels_picture clusters/assignment)

# At most this many sources in a run, so that several processors share the work.
set(joined_sources 9)
# Small folders, and sources that cannot be joined with others of their folder, go with another folder: FOLDER/NAME:GROUP.
set(guests plan/plan:engines_0 plan/plan_report:owner_0 publishing/kd_tree:engines_0 publishing/privelet:points_1 publishing/quadtree:owner_0
           publishing/uniform_grid:techniques_1 cli/reproduce:cli_1)
# Sources of the program share its largest headers.
set(joined_sources_cli 16)

function(shoal_join target)
  if(NOT SHOAL_JOIN_SOURCES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    if(folder MATCHES "/python/src$")
      set(folder python)
    endif()
    cmake_path(GET folder FILENAME folder)
    cmake_path(GET source STEM name)
    if("${folder}/${name}" IN_LIST alone)
      continue()
    endif()
    set(group ${folder}_0)
    foreach(number 1 2 3)
      if("${folder}/${name}" IN_LIST apart_${number})
        set(group ${folder}_${number})
      endif()
    endforeach()
    foreach(guest ${guests})
      if(guest MATCHES "^${folder}/${name}:(.*)$")
        set(group ${CMAKE_MATCH_1})
      endif()
    endforeach()
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    set(at_most ${joined_sources})
    if(DEFINED joined_sources_${folder})
      set(at_most ${joined_sources_${folder}})
    endif()
    math(EXPR run "${count_${group}} / ${at_most}")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${run})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -w)
endfunction()
