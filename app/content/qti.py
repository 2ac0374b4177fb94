"""The question bank as a QTI 2.1 package: a zip with a manifest and one file an item."""

import io
import re
import zipfile
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from content.blocks import QuizBlock
from content.library import Library
from content.qti_items import XSI, identifier, item

PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
PACKAGE_LOCATION = f"{PACKAGE} http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd"
ITEM_TYPE = "imsqti_item_xmlv2p1"

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same bank gives the same bytes


def qti_package(bank: Library) -> bytes:
    """Every checkpoint question, as the bytes of a zip file."""
    titled = [
        (block, f"{_title(document.slug)}, question {number}")
        for document in bank.documents
        for number, block in enumerate(document.quizzes, 1)
    ]
    files = {"imsmanifest.xml": _bytes(_manifest(block for block, _ in titled))}
    for block, title in titled:
        files[_name(block)] = _bytes(item(block.id, title, block.quiz))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=_LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def _manifest(blocks: Iterable[QuizBlock]) -> ET.Element:
    root = ET.Element(
        "manifest",
        {
            "xmlns": PACKAGE,
            "xmlns:xsi": XSI,
            "xsi:schemaLocation": PACKAGE_LOCATION,
            "identifier": "speculative-decoding-questions",
        },
    )
    metadata = ET.SubElement(root, "metadata")
    ET.SubElement(metadata, "schema").text = "QTIv2.1 Package"
    ET.SubElement(metadata, "schemaversion").text = "1.0.0"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    for block in blocks:
        resource = ET.SubElement(
            resources,
            "resource",
            {"identifier": identifier(block.id), "type": ITEM_TYPE, "href": _name(block)},
        )
        ET.SubElement(resource, "file", {"href": _name(block)})
    return root


def _name(block: QuizBlock) -> str:
    return f"items/{block.id}.xml"


def _title(slug: str) -> str:
    return re.sub(r"-", " ", slug).capitalize()


def _bytes(root: ET.Element) -> bytes:
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
