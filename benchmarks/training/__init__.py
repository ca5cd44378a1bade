"""Does a reward of ``sdr_decode.rewards`` teach a report model what it rewards, and what else?"""
