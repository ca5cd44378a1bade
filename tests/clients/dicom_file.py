"""DICOM files as an X-ray machine would write them, about patients that never were."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

DIGITAL_X_RAY = "1.2.840.10008.5.1.4.1.1.1.1"
PATIENT = "DOE^JANE"


def dataset(stored: Any, *, bits: int = 12, **elements: Any) -> Dataset:
    """A radiograph of the given stored values, with everything that names the patient."""
    pixels = np.asarray(stored)
    made = Dataset()
    made.file_meta = FileMetaDataset()
    made.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    made.file_meta.MediaStorageSOPClassUID = made.SOPClassUID = DIGITAL_X_RAY
    made.file_meta.MediaStorageSOPInstanceUID = made.SOPInstanceUID = generate_uid()
    made.PatientName, made.PatientID, made.PatientBirthDate = PATIENT, "MRN-4711", "19500101"
    made.InstitutionName, made.AccessionNumber = "Example Clinic", "ACC-4711"
    made.Rows, made.Columns = pixels.shape[-2:]
    made.SamplesPerPixel, made.PhotometricInterpretation = 1, "MONOCHROME2"
    made.BitsAllocated, made.BitsStored, made.HighBit = 16, bits, bits - 1
    made.PixelRepresentation = int(pixels.min(initial=0) < 0)
    made.PixelData = pixels.astype(np.int16 if made.PixelRepresentation else np.uint16).tobytes()
    for name, value in elements.items():
        setattr(made, name, value)
    return made


def encoded(made: Dataset) -> bytes:
    """The file's bytes."""
    buffer = BytesIO()
    made.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def dicom(stored: Any, **elements: Any) -> bytes:
    """The bytes of a radiograph. See ``dataset``."""
    return encoded(dataset(stored, **elements))
