// Registers the macros of sqlrp in DuckDB's own schema when the extension is loaded. It has no other code.

#define DUCKDB_EXTENSION_MAIN

#include "sqlrp_extension.hpp"

#include "duckdb/parser/parsed_data/create_macro_info.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/create_statement.hpp"
#include "sqlrp_macros.hpp"

namespace duckdb {

static void RegisterMacros(ExtensionLoader &loader) {
	for (auto text : SQLRP_MACROS) {
		Parser parser;
		parser.ParseQuery(text);
		auto &info = parser.statements[0]->Cast<CreateStatement>().info->Cast<CreateMacroInfo>();
		info.internal = true;
		loader.RegisterFunction(info);
	}
}

void SqlrpExtension::Load(ExtensionLoader &loader) {
	RegisterMacros(loader);
}

std::string SqlrpExtension::Name() {
	return "sqlrp";
}

std::string SqlrpExtension::Version() const {
	return SQLRP_VERSION;
}

} // namespace duckdb

extern "C" {

DUCKDB_CPP_EXTENSION_ENTRY(sqlrp, loader) {
	duckdb::RegisterMacros(loader);
}
}
