"""Seven real models' reports of ten public images, decoded as candidates."""

from __future__ import annotations

import re
from pathlib import Path

from clients.recorded import RecordedClient
from clients.recording_from_table import studies_from_table
from sdr_decode import SDRDecoder
from tests.data import real_data
from tests.fake_encoder import FakeEncoder


async def test_ten_images_decode_with_seven_models_reports_as_candidates(index: Path) -> None:
    table, images = real_data("candidates/rexrank_nih10.csv"), real_data("images")
    studies = list(
        studies_from_table(
            table,
            id_column="subject_id",
            candidate_columns=["*_prediction"],
            prompt_column="context",
        )
    )
    client = RecordedClient.from_studies(studies)
    assert len(studies) == 10
    async with SDRDecoder(client, index, encoder=FakeEncoder(), prune="none") as decoder:
        for study in studies:
            image = images / f"{study.study}.png"
            result = await decoder.agenerate(image, k=7, study=study.study)
            assert result.valid
            assert result.report.findings or result.report.impression or result.report.text
            for candidate, recorded in zip(result.candidates, study.candidates, strict=True):
                assert candidate.text == recorded.text
                refused = recorded.text.startswith("I'm unable to analyze")  # a real model did
                assert candidate.state == ("invalid" if refused else "finished")
                assert candidate.sentences
                for sentence in candidate.sentences:
                    # No heading, list marker or Markdown is left in what is measured.
                    assert not re.match(r"(findings|impression)\s*:", sentence.text, re.IGNORECASE)
                    assert not sentence.text.lstrip().startswith(("*", "#", "-", "1.", "2."))
                    assert candidate.text[sentence.start : sentence.end].strip()
