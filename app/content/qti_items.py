"""One question as a QTI 2.1 assessment item: an XML element, feedback per option included.

Element and attribute names are those of the IMS Question and Test Interoperability specification,
version 2.1. Elements stand in the order that its schema asks for: declarations, body, response
processing, feedback.
"""

import re
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt

from content.quiz import Choice, Numeric, Option, Order

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SCHEMA_LOCATION = f"{QTI} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"
MATCH_CORRECT = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"

_LINE_END = re.compile(r"\s*\n\s*")


def item(quiz_id: str, title: str, quiz: Choice | Numeric | Order) -> ET.Element:
    """The assessmentItem of one question."""
    root = ET.Element(
        "assessmentItem",
        {
            "xmlns": QTI,
            "xmlns:xsi": XSI,
            "xsi:schemaLocation": SCHEMA_LOCATION,
            "identifier": identifier(quiz_id),
            "title": title,
            "adaptive": "false",
            "timeDependent": "false",
        },
    )
    if isinstance(quiz, Choice):
        _choice(root, quiz)
    elif isinstance(quiz, Numeric):
        _numeric(root, quiz)
    else:
        _order(root, quiz)
    return root


def identifier(name: str) -> str:
    """A QTI identifier: it may not begin with a digit."""
    return f"q-{name}"


def _choice(root: ET.Element, quiz: Choice) -> None:
    _response(root, "single", "identifier", [quiz.right.key])
    _outcomes(root)
    body = ET.SubElement(root, "itemBody")
    interaction = ET.SubElement(
        body,
        "choiceInteraction",
        {"responseIdentifier": "RESPONSE", "shuffle": "false", "maxChoices": "1"},
    )
    interaction.append(_rich("prompt", quiz.question))
    for option in quiz.options:
        choice = _rich("simpleChoice", option.text)
        choice.set("identifier", identifier(option.key))
        interaction.append(choice)
    processing = _score_the_right_one(root)[0]
    # The feedback shown is named as the option that was chosen.
    assign = ET.SubElement(processing, "setOutcomeValue", {"identifier": "FEEDBACK"})
    ET.SubElement(assign, "variable", {"identifier": "RESPONSE"})
    for option in quiz.options:
        root.append(_feedback(identifier(option.key), _told(option)))


def _numeric(root: ET.Element, quiz: Numeric) -> None:
    _response(root, "single", "float", [f"{quiz.answer:g}"], plain=True)
    _outcomes(root)
    body = ET.SubElement(root, "itemBody")
    body.append(_rich("p", quiz.question))
    line = ET.SubElement(body, "p")
    entry = ET.SubElement(
        line, "textEntryInteraction", {"responseIdentifier": "RESPONSE", "expectedLength": "8"}
    )
    entry.tail = f" {quiz.unit}" if quiz.unit else None
    processing = ET.SubElement(root, "responseProcessing")
    condition = ET.SubElement(processing, "responseCondition")
    cases = [("right", None), *((f"near-{i}", near.value) for i, near in enumerate(quiz.near, 1))]
    for i, (name, value) in enumerate(cases):
        branch = ET.SubElement(condition, "responseElseIf" if i else "responseIf")
        tolerance = f"{quiz.tolerance:g}"
        equal = ET.SubElement(
            branch,
            "equal",
            {"toleranceMode": "absolute", "tolerance": f"{tolerance} {tolerance}"},
        )
        ET.SubElement(equal, "variable", {"identifier": "RESPONSE"})
        if value is None:
            ET.SubElement(equal, "correct", {"identifier": "RESPONSE"})
            _set(branch, "SCORE", "float", "1")
        else:
            ET.SubElement(equal, "baseValue", {"baseType": "float"}).text = f"{value:g}"
        _set(branch, "FEEDBACK", "identifier", identifier(name))
    otherwise = ET.SubElement(condition, "responseElse")
    _set(otherwise, "FEEDBACK", "identifier", identifier("wrong"))
    root.append(_feedback(identifier("right"), quiz.feedback.right))
    for i, near in enumerate(quiz.near, 1):
        root.append(_feedback(identifier(f"near-{i}"), near.feedback))
    root.append(_feedback(identifier("wrong"), quiz.feedback.wrong))


def _order(root: ET.Element, quiz: Order) -> None:
    _response(root, "ordered", "identifier", [step.key for step in quiz.steps])
    _outcomes(root)
    body = ET.SubElement(root, "itemBody")
    interaction = ET.SubElement(
        body, "orderInteraction", {"responseIdentifier": "RESPONSE", "shuffle": "false"}
    )
    interaction.append(_rich("prompt", quiz.question))
    for step in quiz.shuffled():
        choice = _rich("simpleChoice", step.text)
        choice.set("identifier", identifier(step.key))
        interaction.append(choice)
    _, condition, branch = _score_the_right_one(root)
    _set(branch, "FEEDBACK", "identifier", identifier("right"))
    otherwise = ET.SubElement(condition, "responseElse")
    _set(otherwise, "FEEDBACK", "identifier", identifier("wrong"))
    reasons = " ".join(f"{step.text} {step.why}" for step in quiz.steps)
    root.append(_feedback(identifier("right"), quiz.feedback.right))
    root.append(_feedback(identifier("wrong"), f"{quiz.feedback.wrong} {reasons}"))


def _response(
    root: ET.Element, cardinality: str, base: str, values: list[str], plain: bool = False
) -> None:
    declaration = ET.SubElement(
        root,
        "responseDeclaration",
        {"identifier": "RESPONSE", "cardinality": cardinality, "baseType": base},
    )
    correct = ET.SubElement(declaration, "correctResponse")
    for value in values:
        ET.SubElement(correct, "value").text = value if plain else identifier(value)


def _outcomes(root: ET.Element) -> None:
    score = ET.SubElement(
        root,
        "outcomeDeclaration",
        {"identifier": "SCORE", "cardinality": "single", "baseType": "float"},
    )
    default = ET.SubElement(score, "defaultValue")
    ET.SubElement(default, "value").text = "0"
    ET.SubElement(
        root,
        "outcomeDeclaration",
        {"identifier": "FEEDBACK", "cardinality": "single", "baseType": "identifier"},
    )


def _score_the_right_one(root: ET.Element) -> tuple[ET.Element, ET.Element, ET.Element]:
    """One point for the declared answer -> the processing, its condition, and the right branch."""
    processing = ET.SubElement(root, "responseProcessing")
    condition = ET.SubElement(processing, "responseCondition")
    branch = ET.SubElement(condition, "responseIf")
    match = ET.SubElement(branch, "match")
    ET.SubElement(match, "variable", {"identifier": "RESPONSE"})
    ET.SubElement(match, "correct", {"identifier": "RESPONSE"})
    _set(branch, "SCORE", "float", "1")
    return processing, condition, branch


def _set(branch: ET.Element, name: str, base: str, value: str) -> None:
    assign = ET.SubElement(branch, "setOutcomeValue", {"identifier": name})
    ET.SubElement(assign, "baseValue", {"baseType": base}).text = value


def _feedback(name: str, text: str) -> ET.Element:
    element = ET.Element(
        "modalFeedback",
        {"outcomeIdentifier": "FEEDBACK", "identifier": name, "showHide": "show"},
    )
    element.append(_rich("p", text))
    return element


def _told(option: Option) -> str:
    return f"{'Right.' if option.right else 'Not quite.'} {option.feedback}"


def _rich(tag: str, markdown: str) -> ET.Element:
    """Inline Markdown as an element: emphasis and code stay, other marks become text."""
    one_line = _LINE_END.sub(" ", markdown.strip())
    inside = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).renderInline(one_line)
    return ET.fromstring(f"<{tag}>{inside}</{tag}>")
