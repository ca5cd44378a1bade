"""What chest X-ray reports call concepts for which the Human Phenotype Ontology has other names.

A table in the notation of ``findings.phrases``. A key that is no term of the ontology is a UMLS
concept which it lacks; ``NOTHING`` has the phrases that only look like one of the others.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTHING = ""

CHEST_NAMES: Mapping[str, str] = {
    "HP:0001640": """
        cardiac enlargement, enlarged cardiac silhouette, enlargement of the? heart,
        enlargement of the? cardiac silhouette""",
    "HP:0031457": """
        opacity, opacification, lung|parenchymal|airspace|air~space|alveolar opacity,
        airspace|air~space|alveolar disease""",
    "HP:0032177": "consolidation, lung|pulmonary|lobar|airspace|air~space|alveolar consolidation",
    "HP:0002113": "infiltrate, airspace|air~space infiltrate",
    "HP:0033608": "nodule, lung nodule",
    "HP:0033822": "mass, lung|pulmonary mass",
    "HP:6000931": "calcified nodule, calcified lung nodule",
    "HP:0002202": "effusion, pleural fluid",
    "HP:0100598": "pulmonary|lung oedema",
    "HP:0002953": "compression fracture, compression deformity, vertebral compression deformity",
    "HP:0006687": """
        tortuous thoracic? aorta, tortuosity of the? thoracic? aorta, thoracic aortic tortuosity""",
    "HP:6000008": """
        elevated right|left hemidiaphragm, right|left hemidiaphragm elevation,
        elevation of the? right|left? hemidiaphragm""",
    "HP:0006510": "copd",
    "HP:0001635": "chf",
    NOTHING: """
        joint|knee|hip|elbow|ankle|shoulder|wrist|subdural|epidural effusion, body|muscle|bone mass,
        renal hypertension""",
    # The ontology knows only kinds of it.
    "C0020542": "pulmonary hypertension",
    "C0016658": "fracture",
    "C0035522": "rib fracture, fracture of the? rib",
}
