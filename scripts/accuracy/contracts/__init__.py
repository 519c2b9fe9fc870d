"""Contracts with bugs planted on purpose, in five versions of Solidity, and how many of them are found.

``planted/<version>/`` holds 20 contracts, a file or a folder each. A line with a bug ends in
``// planted: <detector>``: the name that Slither gives to that kind of bug, all of impact High or Medium.
"""
