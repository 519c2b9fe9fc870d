"""What every report is drawn with: tables, coloured text, pages that load nothing."""
