"""Contracts with bugs planted on purpose, in five versions of Solidity, and how many of them are found.

The suite ``contracts`` holds 20 contracts, a row each, with the bugs by file, line and detector: the name
that Slither gives to that kind of bug, all of impact High or Medium. The lines are marked with it, too.
"""
