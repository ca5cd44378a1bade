"""Methods of other papers, re-implemented for comparison on the same recorded streams.

They decide from what a study's recording holds (log-probabilities, embeddings), so a member is
made for one study. They are registered for the benchmark only.
"""

from __future__ import annotations

from benchmarks.peers import deepconf, mbr, speculative_rejection, st_bon
from benchmarks.peers.base import PeerLaunch, PeerPolicy, PeerSelector, TokenPolicy
from clients.spec import Registry

peer_policies: Registry[PeerPolicy] = Registry("prune policy of a peer")
peer_policies.register("speculative-rejection", speculative_rejection.from_spec)
peer_policies.register("st-bon", st_bon.policy_from_spec)
peer_policies.register("deepconf", deepconf.policy_from_spec)

peer_selectors: Registry[PeerSelector] = Registry("selector of a peer")
peer_selectors.register("st-bon", st_bon.selector_from_spec)
peer_selectors.register("deepconf", deepconf.selector_from_spec)
peer_selectors.register("mbr", mbr.from_spec)

peer_launches: Registry[PeerLaunch] = Registry("launch plan of a peer")
peer_launches.register("after-warm-up", deepconf.launch_from_spec)

__all__ = [
    "PeerLaunch",
    "PeerPolicy",
    "PeerSelector",
    "TokenPolicy",
    "peer_launches",
    "peer_policies",
    "peer_selectors",
]
