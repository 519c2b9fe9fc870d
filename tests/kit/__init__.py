"""What tests, scripts and examples share: stand-ins for servers, builders of samples, helpers."""
