"""What is used where nothing else is asked for."""

DEFAULT_PRUNE = "margin:0.01"
"""Of the margins from 0 to 0.02 the one whose reports were nearest to the references on the half of
the studies that served to choose. See ``benchmarks/RESULTS.md``."""

DEFAULT_SELECT = "blend:0.8"
"""Of the selectors that need nothing but the streams: with this policy its reports were nearer to
the references than those of ``corpus``, and named abnormalities more often. See
``benchmarks/RESULTS.md``."""
