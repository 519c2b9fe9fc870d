// The tables of this frame, cell by cell, spans not yet spread.
(lib) => lib.tableElements().map(lib.readTable)
