// The part of the ADBC interface that engines are spoken to by, as its public specification lays it out in memory
// (https://arrow.apache.org/adbc/current/format/specification.html). A driver is a shared library that fills
// AdbcDriver.
#pragma once

#include <cstdint>

#include "points/arrow_columns.hpp"

namespace shoal {

using AdbcStatus = std::uint8_t;
inline constexpr AdbcStatus adbc_ok = 0;
inline constexpr int adbc_version_1_0 = 1'000'000, adbc_version_1_1 = 1'001'000;

struct AdbcDriver;

struct AdbcError {
  char* message;
  std::int32_t vendor_code;
  char sqlstate[5];
  void (*release)(AdbcError*);
  void* private_data;
  AdbcDriver* private_driver;
};
// A driver of version 1.1 that finds this in vendor_code fills private_data and private_driver too.
inline constexpr std::int32_t adbc_error_with_details = INT32_MIN;

struct AdbcErrorDetail {
  const char* key;
  const std::uint8_t* value;
  std::size_t value_length;
};

// A database, a connection or a statement.
struct AdbcHandle {
  void* private_data;
  AdbcDriver* private_driver;
};

// Functions that Shoal does not call stand as Unused, in their places.
struct AdbcDriver {
  using Unused = void (*)();
  using OfHandle = AdbcStatus (*)(AdbcHandle*, AdbcError*);
  using SetOption = AdbcStatus (*)(AdbcHandle*, const char*, const char*, AdbcError*);

  void *private_data, *private_manager;
  AdbcStatus (*release)(AdbcDriver*, AdbcError*);
  OfHandle database_init, database_new;
  SetOption database_set_option;
  OfHandle database_release;
  Unused commit, get_info, get_objects, get_table_schema, get_table_types;
  AdbcStatus (*connection_init)(AdbcHandle* connection, AdbcHandle* database, AdbcError*);
  OfHandle connection_new;
  SetOption connection_set_option;
  Unused read_partition;
  OfHandle connection_release;
  Unused rollback, bind, bind_stream;
  AdbcStatus (*execute_query)(AdbcHandle* statement, ArrowArrayStream*, std::int64_t* rows, AdbcError*);
  Unused execute_partitions, get_parameter_schema;
  AdbcStatus (*statement_new)(AdbcHandle* connection, AdbcHandle* statement, AdbcError*);
  Unused prepare;
  OfHandle statement_release;
  SetOption statement_set_option;
  AdbcStatus (*set_sql_query)(AdbcHandle* statement, const char*, AdbcError*);
  Unused set_substrait_plan;
  // From here on version 1.1; null in a driver of version 1.0.
  int (*error_detail_count)(const AdbcError*);
  AdbcErrorDetail (*error_detail)(const AdbcError*, int);
  const AdbcError* (*error_of_stream)(ArrowArrayStream*, AdbcStatus*);
  Unused database_options[7], connection_cancel, connection_options[9];
  OfHandle statement_cancel;
  Unused execute_schema, statement_options[7];
};

using AdbcInit = AdbcStatus (*)(int version, void* driver, AdbcError*);

}  // namespace shoal
