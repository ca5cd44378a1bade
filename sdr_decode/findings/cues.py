"""The words that negate, question or set aside what stands beside them.

The kinds and their scopes are those of ConText (Harkema et al. 2009,
doi:10.1016/j.jbi.2009.05.002),
after NegEx; the phrases are this package's own, gathered from the tuning half of Open-i.
"""

from __future__ import annotations

from enum import Enum, auto


class Cue(Enum):
    """What a phrase does to the findings beside it."""

    NEGATES = auto()  # what follows
    QUESTIONS = auto()  # what follows, unless it is negated
    MAY_BE = auto()  # what follows, and ends a negation
    SETS_ASIDE = auto()  # what follows is not of this study, or only asked for
    NEGATED = auto()  # what stands before
    QUESTIONED = auto()  # what stands before
    BETWEEN = auto()  # both sides are uncertain
    EITHER = auto()  # "or": both sides are uncertain unless negated
    BREAKS = auto()  # ends every scope
    PAUSES = auto()  # ends every scope if one of RESUMES follows
    SAYS_NOTHING = auto()  # contains a cue's word and is none


_SEEN = (
    "seen|identified|present|noted|visualized|demonstrated|evident|appreciated|detected|"
    "observed|visible|found|apparent|suggested|shown"
)
_CHANGE = "change|changes|progression|worsening|increase|enlargement|growth"
_QUALIFIED = "significant|interval|appreciable|substantial|definite|definitive|acute|xxxx|gross"
_SURELY = "entirely|completely|totally|confidently|definitively|definitely|reliably"
_EXCLUDE = "excluded|ruled~out|eliminated"
_IS = "is|are|was|were"
_FAR = "completely|essentially|now|since|largely|again|entirely|grossly|well"

CUES: dict[Cue, str] = {
    Cue.NEGATES: """
        no, not, without, nor, neither, never, none, cannot see,
        no evidence|sign|signs|indication|suggestion|findings|xxxx of|for, no longer,
        no radiographic|definite|convincing|focal|xxxx? evidence of|for,
        without evidence|sign|signs|xxxx of|for, free of|from, clear of, clear from, negative for,
        absence of, absent, lack of, lacks, devoid of, rather than, instead of, exclude, excludes,
        excluding, resolved, interval? resolution|clearing of, cleared, rules out, ruled out for,
        unlikely to be|represent, less likely, unlikely, fails|failed to reveal|show|demonstrate,
        denies, argues|argue against, no new|xxxx, neg for, not to be, removal of, removed,
        interval? removal of""",
    Cue.QUESTIONS: """
        suggest, suggests, suggesting, suggestive of?, suspicious for|of, suspicion for|of,
        suspect, suspected, concern for|of, concerning for|of, worrisome for, question,
        questionable, questioned, question of|whether, indeterminate for, presumed, presumably,
        presumptive, apparent, equivocal, appears to be, seems to be,
        differential diagnosis? includes?, differential considerations? include?,
        considerations|consideration include|includes, favor, favored, favoring, favors,
        xxxx to? represent|represents|representing|reflect|reflects|reflecting, xxxx secondary to,
        xxxx due to, xxxx related to""",
    Cue.MAY_BE: """
        may, might, could, possible, possibly, probable, probably, likely, perhaps,
        most|more likely, cannot|can~not|could~not|not exclude, cannot|can~not be? exclude,
        not excluding, does|do not exclude, difficult|hard to exclude, cannot|can~not rule out,
        not entirely? ruled? out, possibility of, potential, potentially, uncertain, unclear if,
        indeterminate, suggestion of, vague|subtle suggestion of, hint of, rule out underlying,
        in the appropriate|proper|right clinical setting|context""",
    Cue.SETS_ASIDE: """
        history of, hx of, h / o, h o, past history of, prior history of, clinical history of,
        family history of, evaluate for, evaluation for|of, evaluate, assess for,
        assessment for|of, rule out, r / o, r o, to exclude, exclude underlying, to rule out,
        to ensure, to confirm, concern in the past, if, indication, indications, screening for,
        screen for, treatment of|for, treated, risk of|for, known prior, in the past,
        resolution of prior, to document resolution, until clearing|resolution, to evaluate for?,
        to assess for?, follow up to, followup to, look|looking for, workup for, protocol,
        symptoms of, to better characterize|evaluate|assess, further evaluation of, questioned on,
        reason for, obscure|obscures|obscuring, to identify, previously described|questioned""",
    Cue.NEGATED: f"""
        {_IS}? not {_FAR}? {_SEEN}, not {_IS}? definitely|clearly|convincingly? {_SEEN},
        {_IS} no longer {_SEEN}?, no longer {_SEEN}, {_IS} absent, absent,
        has|have {_FAR}? resolved|cleared|disappeared, {_IS} {_FAR}? resolved, resolved, cleared,
        {_IS} unlikely, unlikely, {_IS} {_EXCLUDE}, {_IS} negative, has|have been removed|excluded,
        removed, {_IS} less likely, {_IS} doubtful, {_IS} no evidence of that, : none, : no,
        cannot|can~not be {_SEEN}, may|might not be {_SEEN}""",
    Cue.QUESTIONED: f"""
        {_IS} not|difficult|hard {_SURELY}? {_EXCLUDE}, not {_SURELY}? {_EXCLUDE},
        cannot|can~not|could~not be? {_SURELY}? {_EXCLUDE}, cannot be? exclude,
        {_IS} difficult to exclude, would be difficult to exclude, difficult to exclude,
        {_IS} possible|probable|suspected|likely|questionable|questioned|uncertain|considered,
        may|might|could be present|considered, {_IS} a|another|also~a possibility|consideration,
        {_IS} in the differential, also? in the differential, suspected, ?, if present, if any""",
    Cue.BETWEEN: "versus, vs, vs ., v .",
    Cue.EITHER: "or, and / or",
    Cue.BREAKS: """
        ;, :, ., but, however, although, though, except, aside from, apart from, other than,
        with the exception of, nevertheless, nonetheless, yet, whereas, while, otherwise, which,
        there is|are|was|were, there has|have been, there remains|remain, even though, despite,
        in spite of""",
    Cue.PAUSES: "comma, and, with, as well as, (, )",
    Cue.SAYS_NOTHING: f"""
        no {_QUALIFIED}? interval|significant? {_CHANGE}, not {_QUALIFIED}? changed,
        not significantly|appreciably|substantially changed,
        without {_QUALIFIED}? interval? {_CHANGE}, no {_QUALIFIED}? {_CHANGE} in|of|from,
        nearly|partially|partly|almost|incompletely resolved, almost completely resolved,
        not completely|yet|fully resolved, not only, not quite, partially|partly|nearly cleared,
        incompletely cleared, no prior|previous, no comparison, could|can be seen,
        may be seen with, no doubt, rather, no increase|decrease|improvement in?,
        without increase|decrease|improvement in?, resolving, clearing, clinical correlation,
        follow up may, may be helpful, would be helpful, can be seen with,
        would|could|may be of value|use, not well? evaluated|assessed, has not resolved,
        have not resolved, if clinically indicated, if clinically warranted, if indicated,
        if there is, if clinical concern""",
}

RESUMES = frozenset(
    """
    there the this these mild mildly minimal small moderate moderately stable stably unchanged
    persistent continued improved improving increased increasing decreased decreasing low again has
    have heart lungs lung cardiac mediastinum cardiomediastinal status chronic old healed calcified
    scattered tortuous interval patchy streaky prominent degenerative it subsegmental linear
    """.split()
)
"""Words that open a new statement after a comma or an "and"."""
