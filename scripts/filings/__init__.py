"""What is measured on annual reports: how well tables are read when their tags are hidden."""
