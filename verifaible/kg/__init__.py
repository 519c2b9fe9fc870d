"""Knowledge graphs of annual reports: triples out of 10-K filings, each with its sealed span."""
