"""What verifaible must do, as rows through its interfaces: they import nothing of the package.

See README.md in this folder for the form of a row.
"""
