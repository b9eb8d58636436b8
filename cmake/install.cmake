# find_package(shoal) and pkg-config for the library; the program beside it. No Python module: pip installs that.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS shoal_base shoal_release shoal_owner shoal_shoal EXPORT shoalTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT shoalTargets NAMESPACE shoal:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/shoalConfig.cmake.in ${PROJECT_BINARY_DIR}/shoalConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shoalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/shoalConfig.cmake ${PROJECT_BINARY_DIR}/shoalConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindGMP.cmake ${CMAKE_CURRENT_LIST_DIR}/FindMPFR.cmake ${CMAKE_CURRENT_LIST_DIR}/FindZSTD.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindISAL.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
file(RELATIVE_PATH SHOAL_PREFIX_FROM_PKGCONFIG /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/shoal.pc.in ${PROJECT_BINARY_DIR}/shoal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/shoal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET shoal)
  install(TARGETS shoal RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Manual pages and completions, made by the program from the definitions of its --help.
  install(CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    set(man \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
    file(MAKE_DIRECTORY \${man} \${share}/bash-completion/completions \${share}/zsh/site-functions \${share}/fish/vendor_completions.d)
    execute_process(COMMAND $<TARGET_FILE:shoal> man --folder \${man} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:shoal> completions bash OUTPUT_FILE \${share}/bash-completion/completions/shoal COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:shoal> completions zsh OUTPUT_FILE \${share}/zsh/site-functions/_shoal COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:shoal> completions fish OUTPUT_FILE \${share}/fish/vendor_completions.d/shoal.fish COMMAND_ERROR_IS_FATAL ANY)
  ")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/.cache/engines/ DESTINATION lib/shoal OPTIONAL FILES_MATCHING PATTERN "*.so")
endif()
