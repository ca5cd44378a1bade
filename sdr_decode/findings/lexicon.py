"""The phrases that mention an observation.

They begin with what the CheXpert labeler counts under each name (an infiltrate, airspace disease
or a scar is a Lung Opacity, congestion is Edema, a calcified nodule is no Lung Lesion), and are
widened by what the tuning half of Open-i says in other words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdr_decode.findings.observations import Observation


@dataclass(frozen=True, slots=True)
class Target:
    """What a phrase mentions: observations that it affirms, others that it makes only suspected, or
    with none of them another abnormality, unless it is not ``abnormal``."""

    observations: tuple[Observation, ...] = ()
    suspected: tuple[Observation, ...] = ()
    abnormal: bool = True


_O = Observation

TARGETS: Mapping[Target, str] = {
    Target((_O.CARDIOMEGALY,)): """
        cardiomegaly, cardiac|heart|ventricular|biventricular enlargement,
        enlargement of the? heart, enlargement of the? cardiac silhouette|shadow, megalocardia,
        cardiac|heart prominence, cardiomyopathy, enlarged heart|hearts,
        enlarged cardiac silhouette|shadow|contour, cardio megaly""",
    Target((_O.ENLARGED_CARDIOMEDIASTINUM,)): """
        mediastinal widening|enlargement|prominence|fullness, widening of the? mediastinum,
        widened mediastinum, prominence|fullness of the? mediastinum""",
    Target((_O.LUNG_OPACITY,)): """
        opacity, opacities, opacification, opacifications, opacified, opaque lung,
        decreased translucency, increased density|densities,
        airspace|alveolar disease|process|abnormality,
        air space disease|diseases|process|abnormality, airspace|alveolar opacity|opacities,
        air space opacity|opacities|infiltrate|infiltrates|filling, airspace diseases|filling,
        infiltrate, infiltrates, infiltration, infiltrative, interstitial pattern|lung|disease,
        interstitial thickening|prominence|infiltrate|infiltrates|opacity|opacities|abnormality,
        interstitial lung disease|changes, irregular interstitial markings,
        interstitial changes|process,
        reticular|reticulonodular pattern|marking|markings|opacity|opacities|densities|density,
        reticulation, peribronchial|bronchial wall? thickening|cuffing, haziness, scar, scars,
        scarring, fibronodular scarring|changes|disease, lung|pulmonary|basilar density|densities,
        fibrotic change|changes, pulmonary|interstitial fibrosis, honeycombing,
        hazy density|densities, patchy density|densities, retrocardiac density,
        parenchymal density, lobe|base|lung density|densities,
        density|densities in|within|of the? left|right|lung|lungs|lingula|medial|lateral,
        area of density, vague|focal density, linear density|densities, streaky density|densities,
        ground glass""",
    Target((_O.LUNG_LESION,)): """
        mass, masses, nodule, nodules, nodularity, lump, cavitary lesion|lesions, cavity, neoplasm,
        carcinoma, tumor, tumors, malignancy, metastases, metastasis, metastatic disease|lesions,
        nodular lesion|lesions|focus|foci|area|areas,
        pulmonary|lung|parenchymal lesion|lesions|cancer|malignancy,
        masslike|mass~like lesion|lesions""",
    # A nodular opacity may or may not be a nodule.
    Target((_O.LUNG_OPACITY,), (_O.LUNG_LESION,)): """
        nodular|masslike|round|rounded|nodule~like|mass~like opacity|opacities|opacification,
        nodular|masslike|round|rounded|nodule~like|mass~like density|densities""",
    Target((_O.LUNG_LESION, _O.LUNG_OPACITY)): "mass density|opacity",
    Target((), (_O.CARDIOMEGALY,)): """
        borderline cardiomegaly, borderline heart|cardiac size|enlargement|silhouette|prominence,
        borderline enlarged heart|cardiac~silhouette, borderline size heart,
        borderline size of the heart, cardiomegaly is borderline,
        borderline to mild cardiomegaly""",
    Target((_O.EDEMA,)): """
        edema, oedema, chf, congestive|heart failure, congestive heart failure,
        vascular congestion, pulmonary|venous|vasculature|interstitial? congestion,
        pulmonary vascular|venous congestion, congestive change|changes,
        vascular indistinctness|engorgement|prominence|redistribution, indistinctness,
        indistinct vascularity|vasculature, vascular redistribution, cephalization, fluid overload,
        volume overload, congestion, kerley b? lines, failure, cardiac decompensation,
        central vascular prominence, cardiac failure""",
    Target((_O.CONSOLIDATION,)): """
        consolidation, consolidations, consolidative, consolidated,
        airspace|lobar|alveolar consolidation|consolidations,
        air space consolidation|consolidations, consolidative? airspace? consolidation,
        consolidative change|opacity|opacities""",
    Target((_O.PNEUMONIA,)): """
        pneumonia, pneumonias, infection, infections, infectious, infectious process|etiology,
        bronchopneumonia, pneumonic infiltrate|infiltrates|process, pneumonitis, aspiration,
        infective process, pneumonic""",
    Target((_O.ATELECTASIS,)): """
        atelectasis, atelectases, atelectatic, atelectatic change|changes, collapse, collapsed,
        atelectactic, atalectasis, atelectais, atelectesis, atelectasia""",
    Target(
        (_O.PNEUMOTHORAX,)
    ): "pneumothorax, pneumothoraces, pneumothoraxes, pneumothoracies, ptx",
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
        fracture, fractures, fractured, compression deformity|deformities,
        vertebral body? compression, fracture deformity|deformities,
        compression fracture|fractures""",
    Target((_O.SUPPORT_DEVICES,)): """
        pacer, pacers, pacemaker, pacemakers, pacing, generator, icd, aicd, defibrillator, lead,
        leads, catheter, catheters, picc, port, portacath, mediport, port a cath, infusaport, cvc,
        swan, central|venous|arterial|ij|picc|jugular|subclavian|midline|dialysis line|lines,
        central venous line|lines, support line|lines, lines and tubes, tube|tubes|tubing, ett,
        ngt, tracheostomy, prosthetic? valve|valves, valve replacement, prosthetic, prosthesis,
        stent, stents, clip, clips, suture, sutures, staple, staples, surgical material|hardware,
        sternotomy wires|wire|xxxx|sutures, wire, wires, hardware, screw, screws, rod, rods, plate,
        plates, arthroplasty, coil, coils, cannula, drain, drains, filter, stimulator, shunt,
        device, devices, anchor, anchors, fixation, recorder, monitor, electrodes, pump, tip, tips,
        left|right|chest|sided xxxx a xxxx,
        xxxx a xxxx in|is|tip|remains|terminating|terminates|has|with|overlies,
        screw|lead|wire|device is|are fractured,
        fracture of the? lateral? most? fixation|surgical? screw|lead|wire|catheter,
        catheter|lead|wire|screw fracture, endotracheal, nasogastric, orthopedic xxxx,
        surgical xxxx, apparatus, lap band, kyphoplasty, vertebroplasty, spinal fusion, cerclage,
        dobbhoff, trach""",
    Target(): """
        emphysema, emphysematous, copd, chronic obstructive, hyperinflation, hyperinflated,
        hyperexpansion, hyperexpanded, hyperlucent, hyperlucency, scoliosis, dextroscoliosis,
        levoscoliosis, kyphosis, degenerative, spondylosis, osteophyte, osteophytes, osteophytosis,
        spurring, osteopenia, osteopenic, demineralization, osteoporosis, arthropathy, arthritis,
        arthritic, calcified, calcification, calcifications, calcific, granuloma, granulomas,
        granulomata, granulomatous, hernia, eventration, elevation, elevated, blunting, blunted,
        tortuous, tortuosity, ectasia, ectatic, unfolded, aneurysm, atherosclerosis,
        atherosclerotic, atheromatous, plaque, plaques, bronchiectasis, bronchitis, bronchiolitis,
        asthma, bulla, bullae, bullous, bleb, blebs, thickening, thickened, cuffing,
        airways disease, inflammation, inflammatory, deformity, deformities, contusion, hemorrhage,
        hematoma, pneumomediastinum, pneumoperitoneum, free air, subcutaneous emphysema, bullet,
        foreign body|bodies, shrapnel, lymphadenopathy, adenopathy, dislocation, lytic, sclerotic,
        sclerosis, shift, density, densities, lucency, lucencies, cyst, cysts, cystic,
        hypertension, pericardial effusion|effusions|fluid, postsurgical change|changes,
        post surgical change|changes, calcified|granulomatous|calcific nodule|nodules,
        calcific density nodules,
        calcified small? right|left|bilateral? lung|pulmonary|hilar? nodule|nodules,
        calcified small? right|left upper|lower|middle lobe lung|pulmonary? nodule|nodules,
        previous|prior|old|remote granulomatous? infection|pneumonia|inflammation, wedging,
        volume loss, previous active? pulmonary? tuberculosis pneumonia?,
        calcified nodular? density|densities|opacity|opacities,
        calcified lung|pulmonary nodule|nodules, calcified xxxx, pectus, mastectomy, lobectomy,
        pneumonectomy, curvature, levocurvature, dextrocurvature, flattened, flattening,
        retraction, spondylitic, prominent|enlarged|full left|right? hilum|hila,
        hilar|hilum prominence|fullness|enlargement,
        prominence|fullness of the? left|right? hilum|hila""",
    Target(abnormal=False): """
        lung volume|volumes, breast implant|implants|prosthesis|prostheses, scapular tip|tips,
        tip of the scapula, respiratory|renal failure, body mass, fissure line, lucent line,
        life support, medical support, chest tube removal, fat pad, nipple shadow|shadows,
        bone density, lead to, leads to, leading to, midline, valve plane, ductal plate, end plate,
        end plates, endplate, endplates, lead placement for, in line with, line of""",
}
