"""JUnit XML: a suite a document, a case a sub-step.

A finding is a failure with its place in the document; what was not verified, and every
sub-step of an unproven walk, is skipped and says why. A document without sub-steps is
one case, which is an error if the document could not be verified.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from proofwalk.findings.formats.checked import Checked, Level, StepEnd
from proofwalk.findings.formats.texts import one_line
from proofwalk.kernel.outcomes import Finding, SubStepStatus


def junit(documents: Sequence[Checked]) -> bytes:
    """Return the report."""
    root = ElementTree.Element("testsuites", name="proofwalk")
    for document in documents:
        suite = ElementTree.SubElement(root, "testsuite", name=one_line(document.document))
        for step in document.steps:
            _case(suite, document, step)
        if not document.steps:
            case = _named(suite, document, "document")
        if document.told_nothing and not document.steps:
            message = ": ".join(filter(None, (document.code, document.reason)))
            ElementTree.SubElement(case, "error", message=one_line(message))
        suite.set("tests", str(len(suite)))
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(count, str(len(suite.findall(f"testcase/{tag}"))))
        suite.set("time", f"{document.seconds:.3f}")
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _case(suite: ElementTree.Element, document: Checked, step: StepEnd) -> None:
    case = _named(suite, document, f"{step.number} {step.text}")
    if step.status is SubStepStatus.DEFECT:
        failure = ElementTree.SubElement(case, "failure", message=one_line(step.reason))
        finding = _finding(document)
        if finding is not None:
            failure.set("type", one_line(finding.kind.value))
            place = f"{finding.file}:{finding.line}"
            failure.text = f"{one_line(place)}: {one_line(finding.sentence)}"
    elif step.status is SubStepStatus.NOT_VERIFIED:
        ElementTree.SubElement(case, "skipped", message=one_line(step.reason))


def _named(suite: ElementTree.Element, document: Checked, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", name=one_line(name), classname=one_line(document.document)
    )


def _finding(document: Checked) -> Finding | None:
    """The finding that ended the walk."""
    ends = [one.finding for one in document.findings if one.level is not Level.NOTE]
    return ends[0] if ends else None
