"""What tests, scripts and examples share: servers, homes, the command line, the browser. No tests."""
