"""The five protocols of judging: what is asked, what is checked of a reply, and the rows that it gives."""
