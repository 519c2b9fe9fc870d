"""What tests, scripts and examples share: suites of cases, servers, builders."""
