"""Any text, checked: its claims compared with the sources that it names; and questions answered so."""
