"""The phrases that mention an observation.

They begin with what the CheXpert labeler counts under each name (an infiltrate, airspace disease
or a scar is a Lung Opacity, congestion is Edema, a calcified nodule is no Lung Lesion), and are
widened by what the training half of Open-i says in other words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdr_decode.findings.observations import Observation


@dataclass(frozen=True, slots=True)
class Target:
    """What a phrase mentions: observations, or with none of them another abnormality."""

    observations: tuple[Observation, ...] = ()
    abnormal: bool = True


_O = Observation

TARGETS: Mapping[Target, str] = {
    Target((_O.CARDIOMEGALY,)): """
        cardiomegaly, cardiac|heart|ventricular|biventricular enlargement, enlargement of the? heart,
        enlargement of the? cardiac silhouette|shadow, megalocardia, cardiac|heart prominence,
        cardiomyopathy, enlarged heart|hearts, enlarged cardiac silhouette|shadow|contour,
        cardio megaly""",
    Target((_O.ENLARGED_CARDIOMEDIASTINUM,)): """
        mediastinal widening|enlargement|prominence|fullness, widening of the? mediastinum,
        widened mediastinum, prominence|fullness of the? mediastinum""",
    Target((_O.LUNG_OPACITY,)): """
        opacity, opacities, opacification, opacifications, opacified, opaque lung, decreased
        translucency, increased density|densities, airspace|alveolar disease|process|abnormality,
        air space disease|diseases|process|abnormality, airspace|alveolar opacity|opacities,
        air space opacity|opacities|infiltrate|infiltrates|filling, airspace diseases|filling,
        infiltrate, infiltrates, infiltration, infiltrative, interstitial pattern|lung|disease,
        interstitial thickening|prominence|infiltrate|infiltrates|opacity|opacities|abnormality,
        interstitial lung disease|markings|changes, interstitial changes|process,
        reticular|reticulonodular pattern|marking|markings|opacity|opacities|densities|density,
        reticulation, peribronchial|bronchial wall? thickening|cuffing, haziness, scar, scars,
        scarring, fibronodular scarring|changes|disease, lung|pulmonary|basilar density|densities,
        fibrotic change|changes, pulmonary|interstitial fibrosis, honeycombing,
        hazy density|densities, patchy density|densities, retrocardiac density, parenchymal density,
        linear density|densities, streaky density|densities, ground glass""",
    Target((_O.LUNG_LESION,)): """
        mass, masses, nodule, nodules, nodularity, lump, cavitary lesion|lesions, cavity, neoplasm,
        carcinoma, tumor, tumors, malignancy, metastases, metastasis, metastatic disease|lesions,
        nodular density|densities|opacification|lesion|lesions|focus|foci|area|areas,
        pulmonary|lung|parenchymal lesion|lesions|cancer|malignancy,
        masslike|rounded opacity|opacities|density|densities|lesion, mass like|lesion|lesions""",
    Target((_O.LUNG_LESION, _O.LUNG_OPACITY)): """
        nodular opacity|opacities, round|rounded|masslike opacity|opacities,
        mass like opacity|opacities|density""",
    Target((_O.EDEMA,)): """
        edema, oedema, chf, congestive|heart failure, congestive heart failure, vascular congestion,
        pulmonary|venous|vasculature|interstitial? congestion, pulmonary vascular|venous congestion,
        congestive change|changes, vascular indistinctness|engorgement|prominence|redistribution,
        indistinctness, indistinct vascularity|vasculature, vascular redistribution, cephalization,
        fluid overload, volume overload, congestion, pulmonary venous hypertension,
        kerley b? lines, failure, cardiac decompensation, central vascular prominence""",
    Target((_O.CONSOLIDATION,)): """
        consolidation, consolidations, consolidative, consolidated,
        airspace|lobar|alveolar consolidation|consolidations, air space consolidation|consolidations,
        consolidative? airspace? consolidation, consolidative change|opacity|opacities""",
    Target((_O.PNEUMONIA,)): """
        pneumonia, pneumonias, infection, infections, infectious, infectious process|etiology,
        bronchopneumonia, pneumonic infiltrate|infiltrates|process, pneumonitis, aspiration,
        infective process, pneumonic""",
    Target((_O.ATELECTASIS,)): """
        atelectasis, atelectases, atelectatic, atelectatic change|changes, collapse, collapsed,
        subsegmental? atelectasis, volume loss, loss of volume, bibasilar? atelectasis,
        atelectactic, atalectasis, atelectais, atelectesis, atelectasia""",
    Target((_O.PNEUMOTHORAX,)): "pneumothorax, pneumothoraces, pneumothoraxes, pneumothoracies, ptx",
    Target((_O.PNEUMOTHORAX, _O.PLEURAL_EFFUSION)): "hydropneumothorax, hydropneumothoraces",
    Target((_O.PLEURAL_EFFUSION,)): """
        pleural? effusion|effusions, pleural fluid, hemothorax, hydrothorax, pleural collection,
        loculated fluid, fluid in the pleural space, parapneumonic effusion|effusions,
        fissural fluid, fluid in the fissure|fissures, subpulmonic fluid, empyema""",
    Target((_O.PLEURAL_OTHER,)): """
        pleural|apical thickening, pleural scar|scarring, fibrothorax, apical cap|capping,
        pleural parenchymal? scar|scarring, pleuroparenchymal|pleuropericardial scar|scarring,
        pleuro parenchymal|pericardial scar|scarring, pleural plaque|plaques|calcification|lesion,
        pleural calcifications, pleural fibrosis, biapical pleural? thickening|capping,
        pleural and parenchymal scarring, thickening of the? pleura""",
    Target((_O.FRACTURE,)): """
        fracture, fractures, fractured, compression deformity|deformities, wedge deformity|deformities,
        vertebral body? compression, wedging, rib deformity|deformities,
        fracture deformity|deformities, compression fracture|fractures""",
    Target((_O.SUPPORT_DEVICES,)): """
        pacer, pacers, pacemaker, pacemakers, pacing, generator, icd, aicd, defibrillator, lead, leads,
        catheter, catheters, picc, port, portacath, mediport, port a cath, infusaport, cvc, swan,
        central|venous|arterial|ij|picc|jugular|subclavian|midline|dialysis line|lines,
        central venous line|lines, support line|lines, lines and tubes, tube|tubes|tubing, ett, ngt,
        tracheostomy, prosthetic? valve|valves, valve replacement, prosthetic, prosthesis, prostheses,
        stent, stents, clip, clips, suture, sutures, staple, staples, surgical material|hardware,
        sternotomy wires|wire|xxxx|sutures, wire, wires, hardware, screw, screws, rod, rods, plate,
        plates, arthroplasty, coil, coils, cannula, drain, drains, filter, stimulator, shunt, device,
        devices, anchor, anchors, fixation, implant, implants, recorder, monitor, electrodes, pump,
        balloon, endotracheal, nasogastric, orthopedic xxxx, surgical xxxx, apparatus, lap band,
        kyphoplasty, vertebroplasty, spinal fusion, cerclage, dobbhoff, trach""",
    Target(): """
        emphysema, emphysematous, copd, chronic obstructive, hyperinflation, hyperinflated,
        hyperexpansion, hyperexpanded, hyperlucent, hyperlucency, scoliosis, dextroscoliosis, levoscoliosis,
        kyphosis, degenerative, spondylosis, osteophyte, osteophytes, osteophytosis, spurring,
        osteopenia, osteopenic, demineralization, osteoporosis, arthropathy, arthritis, arthritic,
        calcified, calcification, calcifications, calcific, granuloma, granulomas, granulomata,
        granulomatous, hernia, eventration, elevation, elevated, blunting, blunted, tortuous, tortuosity,
        ectasia, ectatic, unfolded, aneurysm, atherosclerosis, atherosclerotic, atheromatous,
        plaque, plaques, bronchiectasis, bronchitis, bronchiolitis, asthma, bulla, bullae, bullous,
        bleb, blebs, thickening, thickened, cuffing, airways disease, inflammation, inflammatory,
        deformity, deformities, contusion, hemorrhage, hematoma, pneumomediastinum, pneumoperitoneum,
        free air, subcutaneous emphysema, bullet, foreign body|bodies, shrapnel, lymphadenopathy,
        adenopathy, dislocation, lytic, sclerotic, sclerosis, shift, density, densities, lucency,
        lucencies, cyst, cysts, cystic, hypertension, pericardial effusion|effusions|fluid,
        postsurgical change|changes, post surgical change|changes, calcified|granulomatous nodule|nodules,
        calcified nodular? density|densities|opacity|opacities, calcified lung|pulmonary nodule|nodules,
        calcified xxxx,
        pectus, mastectomy, lobectomy, pneumonectomy, prominence, fullness""",
    Target((), abnormal=False): """
        body mass, fissure line, lucent line, life support, medical support, chest tube removal,
        fat pad, nipple shadow|shadows, bone density, lead to, leads to, leading to, midline,
        valve plane, ductal plate, end plate, end plates, endplate, endplates,
        lead placement for, in line with, line of""",
}
