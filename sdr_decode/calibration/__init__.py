"""Prune policies whose risk is controlled: Learn then Test (Angelopoulos, Bates, Candès, Jordan and
Lei, arXiv 2110.01052).

Each policy of a grid is tried on recorded full streams and tested against the hypothesis that its
risk, the mean loss over studies, is above what was asked for. The p-values hold for any number of
studies and any distribution, and the procedure keeps the chance of accepting any policy with a
higher risk below 1 - confidence; so the most saving of those that are accepted can be taken.
"""
