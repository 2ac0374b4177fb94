"""The question bank as a QTI 2.1 package.

The schema itself is not in any package that can be installed, so the XML is checked against its
rules for the elements that are used here, written down below: which child may stand where and how
often, which attributes there must be, and that every name refers to something declared.
"""

import io
import re
import zipfile
from xml.etree import ElementTree as ET

import pytest

from content.library import library
from content.qti import qti_package
from content.quiz import Choice, Numeric

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
IDENTIFIER = re.compile(r"^[A-Za-z_][A-Za-z0-9_.-]*$")

INLINE = "((em|strong|code|a) )*"
CONDITION = "(match|equal) (setOutcomeValue )+"
CHILDREN = {
    "assessmentItem": "responseDeclaration outcomeDeclaration outcomeDeclaration itemBody "
    "responseProcessing (modalFeedback )+",
    "responseDeclaration": "correctResponse ",
    "correctResponse": "(value )+",
    "outcomeDeclaration": "(defaultValue )?",
    "defaultValue": "value ",
    "itemBody": "(p )*((choiceInteraction|orderInteraction|p) )",
    "choiceInteraction": "prompt (simpleChoice )+",
    "orderInteraction": "prompt (simpleChoice )+",
    "responseProcessing": "responseCondition (setOutcomeValue )?",
    "responseCondition": "responseIf (responseElseIf )*(responseElse )?",
    "responseIf": CONDITION,
    "responseElseIf": CONDITION,
    "responseElse": "(setOutcomeValue )+",
    "match": "variable correct ",
    "equal": "variable (correct|baseValue) ",
    "setOutcomeValue": "(baseValue|variable) ",
    "modalFeedback": "p ",
    "p": "((em|strong|code|a|textEntryInteraction) )*",
    "prompt": INLINE,
    "simpleChoice": INLINE,
    "em": INLINE,
    "strong": INLINE,
    "a": INLINE,
    "code": "",
    "value": "",
    "variable": "",
    "correct": "",
    "baseValue": "",
    "textEntryInteraction": "",
}
ATTRIBUTES = {
    "assessmentItem": {"identifier", "title", "adaptive", "timeDependent"},
    "responseDeclaration": {"identifier", "cardinality", "baseType"},
    "outcomeDeclaration": {"identifier", "cardinality", "baseType"},
    "choiceInteraction": {"responseIdentifier", "shuffle", "maxChoices"},
    "orderInteraction": {"responseIdentifier", "shuffle"},
    "textEntryInteraction": {"responseIdentifier", "expectedLength"},
    "simpleChoice": {"identifier"},
    "variable": {"identifier"},
    "correct": {"identifier"},
    "setOutcomeValue": {"identifier"},
    "baseValue": {"baseType"},
    "equal": {"toleranceMode", "tolerance"},
    "modalFeedback": {"outcomeIdentifier", "identifier", "showHide"},
    "a": {"href"},
}


def complaints(root: ET.Element) -> list[str]:
    """What the schema would say about an item."""
    found = []
    for element in root.iter():
        name = element.tag.removeprefix(QTI)
        children = "".join(f"{child.tag.removeprefix(QTI)} " for child in element)
        if name not in CHILDREN:
            found.append(f"unknown element {name}")
        elif not re.fullmatch(CHILDREN[name], children):
            found.append(f"{name} has children {children}")
        plain = {key for key in element.attrib if not key.startswith("{")}
        if plain != ATTRIBUTES.get(name, set()):
            found.append(f"{name} has attributes {sorted(plain)}")
        for key in ("identifier", "responseIdentifier", "outcomeIdentifier"):
            if key in element.attrib and not IDENTIFIER.match(element.attrib[key]):
                found.append(f"{name} {key}={element.attrib[key]}")
    declared = {
        e.get("identifier"): e
        for e in root
        if e.tag in (f"{QTI}responseDeclaration", f"{QTI}outcomeDeclaration")
    }
    for element in root.iter():
        refers = element.tag.removeprefix(QTI) in ("variable", "correct", "setOutcomeValue")
        if refers and element.get("identifier") not in declared:
            found.append(f"{element.get('identifier')} is not declared")
    choices = [e.get("identifier") for e in root.iter(f"{QTI}simpleChoice")]
    if len(set(choices)) < len(choices):
        found.append("two choices have one identifier")
    response = declared["RESPONSE"]
    values = [e.text for e in response.iter(f"{QTI}value")]
    if response.get("baseType") == "identifier" and not set(values) <= set(choices):
        found.append(f"the correct response {values} is no choice")
    return found


@pytest.fixture(scope="module")
def package() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(qti_package(library())))


def test_the_manifest_lists_every_question_and_no_other_file(package: zipfile.ZipFile) -> None:
    assert package.testzip() is None
    root = ET.fromstring(package.read("imsmanifest.xml"))
    parts = [child.tag.removeprefix(CP) for child in root]
    assert parts == ["metadata", "organizations", "resources"]
    resources = list(root.iter(f"{CP}resource"))
    assert {r.get("type") for r in resources} == {"imsqti_item_xmlv2p1"}
    hrefs = [str(r.get("href")) for r in resources]
    assert sorted([*hrefs, "imsmanifest.xml"]) == sorted(package.namelist())
    assert [r.find(f"{CP}file").get("href") for r in resources] == hrefs  # type: ignore[union-attr]
    assert len(hrefs) == len(library().quizzes)


def test_every_item_keeps_the_rules_of_the_schema(package: zipfile.ZipFile) -> None:
    for name in package.namelist():
        if name.startswith("items/"):
            root = ET.fromstring(package.read(name))
            assert complaints(root) == [], name
            assert root.get("identifier") == f"q-{name[6:-4]}"


def test_the_right_answers_and_all_feedback_are_inside(package: zipfile.ZipFile) -> None:
    for block in library().quizzes:
        root = ET.fromstring(package.read(f"items/{block.id}.xml"))
        correct = [e.text for e in next(root.iter(f"{QTI}correctResponse"))]
        told = "".join("".join(e.itertext()) for e in root.iter(f"{QTI}modalFeedback"))
        if isinstance(block.quiz, Choice):
            assert correct == [f"q-{block.quiz.right.key}"]
            assert len(list(root.iter(f"{QTI}modalFeedback"))) == 3
        elif isinstance(block.quiz, Numeric):
            assert float(correct[0] or "") == block.quiz.answer
            assert len(list(root.iter(f"{QTI}modalFeedback"))) == 2 + len(block.quiz.near)
        else:
            assert correct == [f"q-{step.key}" for step in block.quiz.steps]
        assert told


def test_the_same_bank_gives_the_same_bytes() -> None:
    assert qti_package(library()) == qti_package(library())


def test_the_check_finds_what_is_wrong(package: zipfile.ZipFile) -> None:
    """The negative control."""
    text = package.read("items/l2-drawing-from-p.xml").decode()
    assert complaints(ET.fromstring(text)) == []
    for old, new in (
        ("<itemBody>", "<itemBody><p>x</p><b>y</b>"),
        (' maxChoices="1"', ""),
        ('<variable identifier="RESPONSE"', '<variable identifier="OTHER"'),
        ("<value>q-", "<value>r-"),
        ('identifier="q-twice"', 'identifier="1 twice"'),
        ("<prompt>", "<prompt><p>z</p>"),
    ):
        assert old in text
        assert complaints(ET.fromstring(text.replace(old, new, 1))), old
